"""Haystack's document evaluators, by id, on lists cut to k; recall in its default mode."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from haystack import Document
from haystack.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
)

from rageval_ir.conformance.adapt import as_list, measure_of

SUBJECT, VERSION = "haystack-ai", version("haystack-ai")

_EVALUATORS = {
    "R": DocumentRecallEvaluator,
    "RR": DocumentMRREvaluator,
    "AP": DocumentMAPEvaluator,
    "nDCG": DocumentNDCGEvaluator,
}


def score(qrels: Any, run: Any, measure: str) -> tuple[dict[str, float], float]:
    """The values per query and the mean; a query that the run lacks is given as an empty list."""
    asked = measure_of(measure)
    if asked.name not in _EVALUATORS or asked.exponential:
        raise NotImplementedError(measure)
    if asked.cutoff is not None and asked.cutoff < 1:
        raise NotImplementedError("there is no cutoff to be given")
    if run.keys() - qrels.keys():
        raise NotImplementedError("which queries are evaluated is the caller's choice")
    graded = asked.name == "nDCG"
    expected = [
        [Document(id=doc_id, score=grade if graded else None) for doc_id, grade in judged.items() if grade >= asked.rel]
        for judged in qrels.values()
    ]
    found = [[Document(id=doc_id) for doc_id in as_list(run.get(query_id, ()))[: asked.cutoff]] for query_id in qrels]
    evaluator = _EVALUATORS[asked.name](document_comparison_field="id")
    result = evaluator.run(ground_truth_documents=expected, retrieved_documents=found)
    return dict(zip(qrels, result["individual_scores"], strict=True)), result["score"]
