"""pytrec_eval-terrier: trec_eval's C code behind dictionaries."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pytrec_eval

from rageval_ir.conformance.adapt import as_dict, measure_of

SUBJECT, VERSION = "pytrec_eval-terrier", version("pytrec-eval-terrier")

_NAMES = {
    "P@k": ("P.{0}", "P_{0}"),
    "R@k": ("recall.{0}", "recall_{0}"),
    "RR": ("recip_rank", "recip_rank"),
    "RR@k": ("recip_rank.{0}", "recip_rank"),  # the cutoff is accepted
    "Success@k": ("success.{0}", "success_{0}"),
    "nDCG": ("ndcg", "ndcg"),
    "nDCG@k": ("ndcg_cut.{0}", "ndcg_cut_{0}"),
    "AP": ("map", "map"),
    "AP@k": ("map_cut.{0}", "map_cut_{0}"),
    "Rprec": ("Rprec", "Rprec"),
}


def score(qrels: Any, run: Any, measure: str) -> dict[str, float]:
    """The values per query; the mean is the caller's."""
    asked = measure_of(measure)
    if asked.key not in _NAMES or asked.exponential:
        raise NotImplementedError(measure)
    name, key = (each.format(asked.cutoff) for each in _NAMES[asked.key])
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=asked.rel)
    scores = {query_id: as_dict(rows) for query_id, rows in run.items()}
    return {query_id: values[key] for query_id, values in evaluator.evaluate(scores).items()}
