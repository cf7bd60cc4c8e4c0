"""The conformance suite: its cases, and the runner that tells which conventions an implementation follows.

>>> len(cases()) >= 150
True
"""

from rageval_ir.conformance.matrix import page
from rageval_ir.conformance.result import Conformance
from rageval_ir.conformance.runner import SUBJECTS, run
from rageval_ir.conformance.suite import Case, Expectation, Source, cases

__all__ = ["SUBJECTS", "Case", "Conformance", "Expectation", "Source", "cases", "page", "run"]
