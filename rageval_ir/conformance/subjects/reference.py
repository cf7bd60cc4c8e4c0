"""rageval_ir's own exact reference, under TREC_EVAL."""

from __future__ import annotations

from typing import Any

from rageval_ir.conventions import TREC_EVAL
from rageval_ir.evaluation import evaluate
from rageval_ir.version import __version__

SUBJECT, VERSION = "rageval_ir", __version__


def score(qrels: Any, run: Any, measure: str) -> tuple[dict[str, float | None], float | None]:
    """The values per query, and the mean."""
    result = evaluate(qrels, {"run": run}, measure, TREC_EVAL)
    name = str(result.measures[0])
    return {row.query_id: row.value for row in result.rows()}, result.mean("run", name)
