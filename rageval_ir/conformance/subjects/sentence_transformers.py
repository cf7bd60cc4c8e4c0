"""sentence-transformers' `InformationRetrievalEvaluator`, given the hits instead of a model."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

from rageval_ir.conformance.adapt import as_dict, measure_of, relevant

SUBJECT = "sentence-transformers, InformationRetrievalEvaluator"
VERSION = version("sentence-transformers")

_KEYS = {
    "P@k": "precision@k",
    "R@k": "recall@k",
    "RR@k": "mrr@k",
    "Success@k": "accuracy@k",
    "AP@k": "map@k",
    "nDCG@k": "ndcg@k",
}


def score(qrels: Any, run: Any, measure: str) -> tuple[None, float]:
    """The mean; a query that the run lacks has no hits, which the evaluator itself would not let happen."""
    asked = measure_of(measure)
    if asked.key not in _KEYS or asked.exponential:
        raise NotImplementedError(measure)
    if asked.name == "nDCG" and any(grade > 1 for judgments in qrels.values() for grade in judgments.values()):
        raise NotImplementedError("grades")
    queries = dict.fromkeys([*qrels, *run], "")
    wanted = {query_id: set(relevant(judgments, asked.rel)) for query_id, judgments in qrels.items()}
    at = [asked.cutoff]
    evaluator = InformationRetrievalEvaluator(
        queries, {}, wanted, mrr_at_k=at, ndcg_at_k=at, accuracy_at_k=at, precision_recall_at_k=at, map_at_k=at
    )
    hits = [
        [{"corpus_id": doc_id, "score": value} for doc_id, value in as_dict(run.get(query_id, ())).items()]
        for query_id in evaluator.queries_ids
    ]
    return None, float(evaluator.compute_metrics(hits)[_KEYS[asked.key]][asked.cutoff])
