"""ir-evaluation's functions of two lists."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from ir_evaluation import metrics

from rageval_ir.conformance.adapt import lists, measure_of

SUBJECT, VERSION = "ir-evaluation", version("ir-evaluation")

_FUNCTIONS = {
    "P@k": metrics.precision,
    "R@k": metrics.recall,
    "RR@k": metrics.reciprocal_rank,
    "nDCG@k": metrics.ndcg,
    "AP@k": metrics.average_precision,
}


def score(qrels: Any, run: Any, measure: str) -> dict[str, float]:
    """The values per query."""
    asked = measure_of(measure)
    if asked.key not in _FUNCTIONS or asked.exponential:
        raise NotImplementedError(measure)
    if asked.name == "nDCG" and any(grade > 1 for judgments in qrels.values() for grade in judgments.values()):
        raise NotImplementedError("grades")
    return lists(qrels, run, asked, lambda ids, found: _FUNCTIONS[asked.key](ids, found, asked.cutoff))
