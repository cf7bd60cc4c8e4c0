"""A run too large for one machine: the same evaluation on parts of it, put together bit for bit."""

from rageval_ir.scale.on_dask import evaluate_partitioned
from rageval_ir.scale.part import PartEvaluator

__all__ = ["PartEvaluator", "evaluate_partitioned"]
