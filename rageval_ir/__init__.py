"""Evaluate retrievers with the standard IR measures: computed by the standard backends, checked, accounted for.

>>> import rageval_ir
>>> print(rageval_ir.evaluate({"q": {"d1", "d2"}}, {"A": {"q": ["d1", "d5"]}}, ["P@2", "R@2"]).mean("A", "P@2"))
0.5

Importing the package is cheap: pandas, numpy and the backends are loaded on first use.
"""

from rageval_ir.audit import Audit, audit
from rageval_ir.catalogue import CATALOGUE
from rageval_ir.conventions import STRICT, TREC_EVAL, TREC_EVAL_9, Convention
from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import (
    BackendError,
    BackendMissingError,
    ConventionError,
    DisagreementError,
    InputError,
    MeasureError,
    RagevalError,
    RecordDiffersError,
    RejectedError,
)
from rageval_ir.evaluation import evaluate
from rageval_ir.explain import Explained, explain
from rageval_ir.figures import read_reported
from rageval_ir.formats import read_qrels, read_run, read_runs, write_qrels, write_run
from rageval_ir.measures import Measure, parse_measure, parse_measures
from rageval_ir.profiles import PROFILES, Profile
from rageval_ir.reconcile import Explanation, Reconciliation, reconcile
from rageval_ir.result import Evaluation
from rageval_ir.shapes import to_qrels, to_runs
from rageval_ir.verify import verify
from rageval_ir.version import __version__
from rageval_ir.what_if import WhatIf, what_if

__all__ = [
    "CATALOGUE",
    "PROFILES",
    "STRICT",
    "TREC_EVAL",
    "TREC_EVAL_9",
    "Audit",
    "BackendError",
    "BackendMissingError",
    "Convention",
    "ConventionError",
    "DisagreementError",
    "Evaluation",
    "Explained",
    "Explanation",
    "InputError",
    "Measure",
    "MeasureError",
    "Profile",
    "Qrels",
    "RagevalError",
    "Reconciliation",
    "RecordDiffersError",
    "RejectedError",
    "Run",
    "WhatIf",
    "__version__",
    "audit",
    "evaluate",
    "explain",
    "parse_measure",
    "parse_measures",
    "read_qrels",
    "read_reported",
    "read_run",
    "read_runs",
    "reconcile",
    "to_qrels",
    "to_runs",
    "verify",
    "what_if",
    "write_qrels",
    "write_run",
]
