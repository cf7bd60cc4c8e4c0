"""ranx's `Qrels` and `Run`, made of dictionaries."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import ranx

from rageval_ir.conformance.adapt import Measure, as_dict, measure_of

SUBJECT, VERSION = "ranx, Run", version("ranx")

_NAMES = {
    "P": "precision",
    "R": "recall",
    "RR": "mrr",
    "Success": "hit_rate",
    "nDCG": "ndcg",
    "AP": "map",
    "Rprec": "r-precision",
}


def score(qrels: Any, run: Any, measure: str) -> dict[str, float]:
    """The values per query."""
    name = name_of(measure_of(measure))
    ranked = ranx.Run({query_id: as_dict(rows) for query_id, rows in run.items()})
    ranx.evaluate(ranx.Qrels(qrels), ranked, name)
    return dict(ranked.scores[name])


def name_of(asked: Measure) -> str:
    """The name that ranx has for a measure."""
    if asked.name not in _NAMES:
        raise NotImplementedError(asked.name)
    name = "ndcg_burges" if asked.exponential else _NAMES[asked.name]
    level = f"-l{asked.rel}" if asked.rel > 1 else ""
    return name + ("" if asked.cutoff is None else f"@{asked.cutoff}") + level
