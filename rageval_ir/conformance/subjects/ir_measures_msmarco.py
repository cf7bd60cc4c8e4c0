"""ir_measures' provider msmarco, which gives it RR with a cutoff."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import ir_measures

from rageval_ir.conformance.subjects.ir_measures import score as through_provider

SUBJECT, VERSION = "ir_measures, provider msmarco", version("ir-measures")


def score(qrels: Any, run: Any, measure: str) -> tuple[dict[str, float], float]:
    """The values per query and the mean."""
    return through_provider(qrels, run, measure, ir_measures.msmarco)
