"""LlamaIndex' retrieval metrics, on lists cut to k."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from llama_index.core.evaluation.retrieval.metrics import MRR, NDCG, AveragePrecision, HitRate, Precision, Recall

from rageval_ir.conformance.adapt import lists, measure_of

SUBJECT, VERSION = "llama-index-core", version("llama-index-core")

_METRICS = {"P": Precision, "R": Recall, "RR": MRR, "Success": HitRate, "AP": AveragePrecision, "nDCG": NDCG}


def score(qrels: Any, run: Any, measure: str) -> dict[str, float]:
    """The values per query."""
    asked = measure_of(measure)
    if asked.name not in _METRICS:
        raise NotImplementedError(measure)
    if asked.cutoff is not None and asked.cutoff < 1:
        raise NotImplementedError("there is no cutoff to be given")
    if asked.name == "nDCG" and any(grade > 1 for judgments in qrels.values() for grade in judgments.values()):
        raise NotImplementedError("grades")
    metric = NDCG(mode="exponential") if asked.exponential else _METRICS[asked.name]()

    def value(ids: list[str], found: list[str]) -> float:
        return metric.compute(expected_ids=ids, retrieved_ids=found[: asked.cutoff]).score

    return lists(qrels, run, asked, value)
