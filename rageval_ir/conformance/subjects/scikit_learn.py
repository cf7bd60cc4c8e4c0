"""scikit-learn's `ndcg_score` and `average_precision_score`, given the grades of the documents ranked."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, ndcg_score

from rageval_ir.conformance.adapt import as_dict, measure_of

SUBJECT, VERSION = "scikit-learn", version("scikit-learn")


def score(qrels: Any, run: Any, measure: str) -> dict[str, float]:
    """The values per query; which queries and documents are given is the caller's choice."""
    asked = measure_of(measure)
    if asked.key not in ("nDCG", "nDCG@k", "AP"):
        raise NotImplementedError(measure)
    if qrels.keys() ^ run.keys():
        raise NotImplementedError("which queries are evaluated is the caller's choice")
    values = {}
    for query_id, rows in run.items():
        documents = as_dict(rows)
        judged = [max(0, qrels[query_id].get(doc_id, 0)) for doc_id in documents]
        scores = list(documents.values())
        if asked.name == "AP":
            values[query_id] = average_precision_score(np.array(judged) >= asked.rel, scores)
        else:
            gains = [2**grade - 1 for grade in judged] if asked.exponential else judged
            values[query_id] = ndcg_score([gains], [scores], k=asked.cutoff)
    return values
