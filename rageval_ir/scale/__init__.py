"""A run too large for one machine: the same evaluation on parts of it, put together bit for bit."""

from rageval_ir.scale.part import PartEvaluator
from rageval_ir.scale.partitioned import evaluate_partitioned

__all__ = ["PartEvaluator", "evaluate_partitioned"]
