"""MTEB's retrieval scores."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

from rageval_ir.conformance.adapt import as_dict, measure_of

SUBJECT, VERSION = "mteb", version("mteb")
TOLERANCE = 5.1e-6  # it rounds to five decimals

_FIELDS = {
    "nDCG@k": ("ndcg", "NDCG@{}"),
    "AP@k": ("map", "MAP@{}"),
    "R@k": ("recall", "Recall@{}"),
    "P@k": ("precision", "P@{}"),
    "RR@k": ("mrr", "MRR@{}"),
    "Success@k": ("hit_rate", "HitRate@{}"),
}


def score(qrels: Any, run: Any, measure: str) -> tuple[None, float]:
    """The mean."""
    asked = measure_of(measure)
    if asked.rel > 1 or asked.exponential or asked.key not in _FIELDS:
        raise NotImplementedError(measure)
    results = {query_id: as_dict(rows) for query_id, rows in run.items()}
    field, name = _FIELDS[asked.key]
    scores = getattr(calculate_retrieval_scores(results, qrels, [asked.cutoff]), field)
    return None, float(next(value for key, value in scores.items() if key.lower() == name.format(asked.cutoff).lower()))
