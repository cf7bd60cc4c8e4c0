"""ir_measures with its default providers."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import ir_measures

SUBJECT, VERSION = "ir_measures", version("ir-measures")


def score(qrels: Any, run: Any, measure: str, provider: Any = ir_measures) -> tuple[dict[str, float], float]:
    """The values per query and the mean, of rows as named tuples."""
    asked = ir_measures.parse_measure(measure)
    if provider is not ir_measures and not provider.supports(asked):
        raise NotImplementedError(measure)
    rows = [ir_measures.ScoredDoc(query_id, doc_id, float(s)) for query_id in run for doc_id, s in run[query_id]]
    result = provider.calc([asked], qrels, rows)
    return {metric.query_id: metric.value for metric in result.per_query}, result.aggregated[asked]
