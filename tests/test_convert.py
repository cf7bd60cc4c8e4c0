"""Qrels and Run, and what they give ir_measures."""

import ir_measures
import pytest

from rageval_ir import TREC_EVAL, ConventionError, Qrels, RejectedError, Run, to_qrels, to_runs

QRELS = to_qrels({"q": {"a": 1, "b": -1}, "p": {"c": 2}, "empty": set()})
(RUN,) = to_runs({"A": {"q": {"b": 1.0, "a": 1.0, "x": 2.0}, "p": ["x", "c"], "failed": None, "nothing": []}})


def test_qrels_out():
    assert QRELS.to_dict() == {"q": {"a": 1, "b": -1}, "p": {"c": 2}, "empty": {}}
    assert QRELS.to_tuples() == [("q", "a", 1, "0"), ("q", "b", -1, "0"), ("p", "c", 2, "0")]
    assert QRELS.to_frame().to_dict("list") == {
        "query_id": ["q", "q", "p"], "doc_id": ["a", "b", "c"], "relevance": [1, -1, 2],
    }  # fmt: skip


def test_run_out_in_one_strict_order():
    assert RUN.to_dict() == {"q": {"x": 3.0, "b": 2.0, "a": 1.0}, "p": {"x": 2.0, "c": 1.0}, "nothing": {}}
    assert RUN.to_tuples()[:2] == [("q", "x", 3.0), ("q", "b", 2.0)]
    assert RUN.to_frame().columns.tolist() == ["query_id", "doc_id", "score"]
    with pytest.raises(RejectedError, match="system 'A', query 'q': documents"):
        RUN.to_dict("STRICT")


@pytest.mark.parametrize("form", ["to_dict", "to_tuples", "to_frame"])
def test_ir_measures_takes_every_form(form):
    measures = [ir_measures.P @ 1, ir_measures.RR @ 2, ir_measures.nDCG @ 2]
    found = ir_measures.calc_aggregate(measures, getattr(QRELS, form)(), getattr(RUN, form)())
    queries = 3 if form == "to_dict" else 2  # rows cannot hold a query without judgments
    assert found[ir_measures.P @ 1] == 0
    assert found[ir_measures.RR @ 2] == pytest.approx((0 + 1 / 2) / queries)


def test_what_is_given_out_is_a_copy():
    QRELS.to_dict()["q"]["a"] = 9
    assert QRELS.judgments["q"]["a"] == 1


def test_condensing_needs_judgments():
    with pytest.raises(ConventionError, match="condense needs the judgments"):
        RUN.to_dict(TREC_EVAL.but(unjudged_document="condense"))


def test_empty():
    assert Run().to_dict() == {}
    assert Run().to_frame().empty
    assert Qrels({}).to_tuples() == []


def test_repeated_documents_do_not_go_out():
    """A dict would lose them, and rows would break the promise of one strict order."""
    run = Run("A", {"q": ["a", "b", "a"]})
    for form in (run.to_dict, run.to_tuples, run.to_frame):
        with pytest.raises(ConventionError, match="count_each keeps repeated documents, which no backend takes"):
            form(TREC_EVAL.but(duplicates="count_each"))
    assert run.to_dict(TREC_EVAL.but(duplicates="last")) == {"q": {"b": 2.0, "a": 1.0}}


def test_fingerprints_tell_ids_apart_that_only_their_lengths_tell_apart():
    ids = [
        {"q": {"a 1\n1 b": 1}}, {"q": {"a 1\nb": 1}}, {"q": {"a": 1, "b": 1}},
        {"q": {"a": 1}}, {"q\n1 a 1": {}}, {"q": {"a": 1}, "1 b 1": {}},
    ]  # fmt: skip
    assert len({Qrels(judgments).fingerprint for judgments in ids}) == len(ids)
