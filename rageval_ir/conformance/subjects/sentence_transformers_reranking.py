"""sentence-transformers' `RerankingEvaluator`, given the scores instead of a model.

A sample holds the documents of the run, the relevant ones as positives, the others as negatives.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import torch
from sentence_transformers.sentence_transformer.evaluation import RerankingEvaluator

from rageval_ir.conformance.adapt import as_dict, measure_of, relevant

SUBJECT = "sentence-transformers, RerankingEvaluator"
VERSION = version("sentence-transformers")

_KEYS = {"RR@k": "mrr", "nDCG@k": "ndcg", "AP": "map"}


class _Scores:
    """A model whose embedding of a query is its index, and of a document its score."""

    def encode_query(self, texts: Any, **_: Any) -> Any:
        return torch.zeros(len(texts), dtype=torch.float64)

    def encode_document(self, texts: Any, **_: Any) -> Any:
        return torch.tensor([float(text) for text in texts], dtype=torch.float64)


def score(qrels: Any, run: Any, measure: str) -> tuple[None, float]:
    """The mean."""
    asked = measure_of(measure)
    if asked.key not in _KEYS or asked.exponential:
        raise NotImplementedError(measure)
    if asked.name == "nDCG" and any(grade > 1 for judgments in qrels.values() for grade in judgments.values()):
        raise NotImplementedError("grades")
    samples = []
    for query_id in dict.fromkeys([*qrels, *run]):
        wanted = set(relevant(qrels.get(query_id, {}), asked.rel))
        rows = as_dict(run.get(query_id, ())).items()
        positive = [repr(value) for doc_id, value in rows if doc_id in wanted]
        negative = [repr(value) for doc_id, value in rows if doc_id not in wanted]
        samples.append({"query": query_id, "positive": positive, "negative": negative})
    evaluator = RerankingEvaluator(samples, at_k=asked.cutoff or 10, similarity_fct=lambda _, documents: documents)
    if not evaluator.samples:
        raise NotImplementedError("a sample needs a positive and a negative")
    return None, float(evaluator.compute_metrics(_Scores())[_KEYS[asked.key]])
