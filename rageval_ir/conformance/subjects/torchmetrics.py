"""TorchMetrics' retrieval classes, with their defaults."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import torch
from torchmetrics import retrieval

from rageval_ir.conformance.adapt import measure_of

SUBJECT, VERSION = "torchmetrics", version("torchmetrics")
TOLERANCE = 1e-6  # its tensors have 32 bits

_CLASSES = {
    "P": retrieval.RetrievalPrecision,
    "R": retrieval.RetrievalRecall,
    "RR": retrieval.RetrievalMRR,
    "Success": retrieval.RetrievalHitRate,
    "AP": retrieval.RetrievalMAP,
    "nDCG": retrieval.RetrievalNormalizedDCG,
}


def score(qrels: Any, run: Any, measure: str) -> tuple[None, float]:
    """The mean; a query is what has rows, and a target is what a row says."""
    asked = measure_of(measure)
    if asked.name not in _CLASSES or asked.exponential:
        raise NotImplementedError(measure)
    if any(not run.get(query_id) for query_id in qrels):
        raise NotImplementedError("a query without rows cannot be expressed")
    scores, target, indexes = [], [], []
    for index, (query_id, rows) in enumerate(run.items()):
        judged = qrels.get(query_id, {})
        for doc_id, value in rows:
            grade = max(0, judged.get(doc_id, 0))
            scores.append(value)
            target.append(grade if asked.name == "nDCG" else int(grade >= asked.rel))
            indexes.append(index)
    metric = _CLASSES[asked.name](top_k=asked.cutoff)
    value = metric(torch.tensor(scores, dtype=torch.float32), torch.tensor(target), indexes=torch.tensor(indexes))
    return None, float(value)
