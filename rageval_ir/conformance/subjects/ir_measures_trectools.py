"""trectools, through the provider of that name in ir_measures; where it gives NaN depends on the version of pandas."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import ir_measures

from rageval_ir.conformance.subjects.ir_measures import score as through_provider

SUBJECT = "ir_measures, provider trectools"
VERSION = ", ".join([version("ir-measures"), *(f"{name} {version(name)}" for name in ("trectools", "pandas"))])


def score(qrels: Any, run: Any, measure: str) -> tuple[dict[str, float], float]:
    """The values per query and the mean."""
    return through_provider(qrels, run, measure, ir_measures.trectools)
