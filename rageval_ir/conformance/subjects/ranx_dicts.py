"""ranx's `evaluate` on plain dictionaries."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import ranx

from rageval_ir.conformance.adapt import as_dict, measure_of
from rageval_ir.conformance.subjects.ranx import name_of

SUBJECT, VERSION = "ranx, plain dicts", version("ranx")


def score(qrels: Any, run: Any, measure: str) -> tuple[None, float]:
    """The mean: with dictionaries there is nothing to ask for the values of the queries."""
    ranked = {query_id: as_dict(rows) for query_id, rows in run.items()}
    return None, ranx.evaluate(qrels, ranked, name_of(measure_of(measure)))
