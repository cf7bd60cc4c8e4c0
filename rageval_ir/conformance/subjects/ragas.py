"""RAGAS' ID-based context precision and recall, on lists cut to k."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall

from rageval_ir.conformance.adapt import lists, measure_of

SUBJECT, VERSION = "ragas, ID-based", version("ragas")

_METRICS = {"P@k": IDBasedContextPrecision, "R@k": IDBasedContextRecall}


def score(qrels: Any, run: Any, measure: str) -> dict[str, float]:
    """The values per query."""
    asked = measure_of(measure)
    if asked.key not in _METRICS:
        raise NotImplementedError(measure)
    if asked.cutoff is not None and asked.cutoff < 1:
        raise NotImplementedError("there is no cutoff to be given")
    metric = _METRICS[asked.key]()

    def value(ids: list[str], found: list[str]) -> float:
        sample = SingleTurnSample(reference_context_ids=list(ids), retrieved_context_ids=list(found[: asked.cutoff]))
        return metric.single_turn_score(sample)

    return lists(qrels, run, asked, value)
