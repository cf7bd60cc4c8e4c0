"""BEIR's `EvaluateRetrieval`, with its defaults; RR is its custom metric mrr."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from beir.retrieval.evaluation import EvaluateRetrieval

from rageval_ir.conformance.adapt import as_dict, measure_of

SUBJECT, VERSION = "beir", version("beir")
TOLERANCE = 5.1e-6  # it rounds to five decimals

_PLACES = {"nDCG@k": (0, "NDCG"), "AP@k": (1, "MAP"), "R@k": (2, "Recall"), "P@k": (3, "P")}


def score(qrels: Any, run: Any, measure: str) -> tuple[None, float]:
    """The mean."""
    asked = measure_of(measure)
    if asked.rel > 1 or asked.exponential or asked.key not in (*_PLACES, "RR@k"):
        raise NotImplementedError(measure)
    results = {query_id: as_dict(rows) for query_id, rows in run.items()}
    if asked.name == "RR":
        return None, EvaluateRetrieval.evaluate_custom(qrels, results, [asked.cutoff], "mrr")[f"MRR@{asked.cutoff}"]
    place, name = _PLACES[asked.key]
    return None, EvaluateRetrieval.evaluate(qrels, results, [asked.cutoff])[place][f"{name}@{asked.cutoff}"]
