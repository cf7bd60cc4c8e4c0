"""A run in parts, and the same run whole: the evaluations are equal to the last bit."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import judgments, listed, scored

from rageval_ir import TREC_EVAL, InputError, RejectedError, Run, evaluate
from rageval_ir.evaluation import Evaluator

QUERIES = [f"q{n}" for n in range(8)]
MEASURES = ["P@2", "R@3", "RR@3", "nDCG@5", "AP", "NumRet"]
CONVENTIONS = [
    TREC_EVAL,
    TREC_EVAL.but(no_relevant="exclude", missing_ranking="exclude", no_judgments="exclude"),
    TREC_EVAL.but(unjudged_query="zero", no_relevant="one", recall_denominator="relevant_retrieved"),
    TREC_EVAL.but(unjudged_document="condense", precision_denominator="retrieved"),
]
EXPECTED = TREC_EVAL.but(ties="expected")


def in_parts(evaluator, rankings, cuts):
    """The run's queries in parts, of which some are empty."""
    edges = [0, *sorted(cuts), len(rankings)]
    entries = list(rankings.items())
    return [evaluator.part(Run("A", dict(entries[a:b]))) for a, b in pairwise(edges)]


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from(QUERIES), judgments, min_size=1),
    st.dictionaries(st.sampled_from(QUERIES), st.one_of(listed, scored, st.none())),
    st.lists(st.integers(0, 8), max_size=3),
    st.sampled_from([*CONVENTIONS, EXPECTED]),
)
def test_parts_and_whole(qrels, rankings, cuts, convention):
    measures = MEASURES[:4] if convention is EXPECTED else MEASURES
    whole = evaluate(qrels, {"A": Run("A", rankings)}, measures, convention)
    evaluator = Evaluator(qrels, measures, convention)
    parts = in_parts(evaluator, rankings, [min(cut, len(rankings)) for cut in cuts])
    assert evaluator.join("A", parts).to_json() == whole.to_json()


def test_without_parts_every_query_is_missing():
    result = Evaluator({"q": {"d"}}, "P@1").join("A", [])
    assert result.to_json() == evaluate({"q": {"d"}}, {"A": Run("A", {})}, "P@1").to_json()
    strict = Evaluator({"q": {"d"}}, "P@1", TREC_EVAL.but(missing_ranking="reject"))
    assert strict.part(Run("A", {})).systems["A"].judged == 0
    with pytest.raises(RejectedError, match="system 'A', query 'q' is judged, but the run has no ranking for it"):
        strict.join("A", [strict.part(Run("A", {}))])


def test_a_query_in_two_parts_is_an_error():
    evaluator = Evaluator({"q": {"d"}}, "P@1")
    for query_id in ("q", "unjudged"):
        part = evaluator.part(Run("A", {query_id: ["d"]}))
        with pytest.raises(InputError, match=f"system 'A', query '{query_id}' is in 2 parts"):
            evaluator.join("A", [part, part])


def test_parts_of_another_evaluation_are_refused():
    part = Evaluator({"q": {"d"}}, "P@2").part(Run("A", {"q": ["d"]}))
    with pytest.raises(InputError, match="differ in measures"):
        Evaluator({"q": {"d"}}, "P@1").join("A", [part])


def test_it_can_be_sent_to_another_process():
    import pickle

    evaluator = pickle.loads(pickle.dumps(Evaluator({"q": {"d"}}, ["P@1", "nDCG@3"], depth=2)))
    result = evaluator.join("A", [pickle.loads(pickle.dumps(evaluator.part(Run("A", {"q": ["d"]}))))])
    assert result.mean("A", "nDCG@3") == 1
