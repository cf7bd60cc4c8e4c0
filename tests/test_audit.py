"""The audit: what moves a value, what cannot, who else would win, and what each provider makes of the same data."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval_ir import STRICT, TREC_EVAL, InputError, RecordDiffersError, RejectedError, audit, evaluate, verify
from rageval_ir.conventions import AXES

KNOWN = ("ir_measures", "judged", "pytrec_eval")  # always installed; others say what they say
TIED = ({"q": {"a": 1}}, {"A": {"q": {"a": 1.0, "b": 1.0}}})
CLEAN = ({"q": {"a", "b"}}, {"A": {"q": ["a", "x"]}, "B": {"q": ["b", "a"]}})


def values(result, axis, measure):
    return {c.option: c.value for c in result.changes if (c.axis, c.measure) == (axis, measure)}


def test_the_tied_example():
    """A document of two is relevant: 0, 1 or on average 1/2; and ir_measures by itself gives P@1 = 0 and RR@1 = 1."""
    result = audit(*TIED, ["P@1", "RR@1", "Judged@1"])
    assert result.evaluation.mean("A", "P@1") == 0
    assert values(result, "ties", "P@1") == {"docid_ascending": 1.0, "input_order": 1.0, "expected": 0.5}
    assert evaluate(*TIED, "P@1", TREC_EVAL.but(ties="expected")).bounds("A", "P@1") == (0, 1)
    given_ = {(b.provider, b.measure): (b.value, b.because) for b in result.backends}
    assert given_["ir_measures", "P@1"] == (0, "")
    assert given_["ir_measures", "RR@1"] == (1, "ties=docid_ascending")
    assert given_["msmarco", "RR@1"] == (1, "ties=docid_ascending")
    assert given_["cwl_eval", "P@1"] == (1, "ties=input_order")
    assert given_["ir_measures", "Judged@1"] == given_["judged", "Judged@1"] == (1, "ties=docid_ascending")


def test_a_change_names_its_queries_the_greatest_first():
    qrels = {"q": {"a", "b"}, "p": {"a", "b", "c", "d"}, "r": {"a"}}
    run = {"q": ["a"], "p": ["a", "b", "c"], "r": ["x", "y", "z", "a"]}
    result = audit(qrels, {"A": run}, "P@4")
    (change,) = (c for c in result.changes if (c.axis, c.option) == ("precision_denominator", "retrieved"))
    assert (change.queries_changed, change.queries) == (2, ("q", "p"))  # 1/4 to 1, 3/4 to 1
    assert change.change == pytest.approx((3 / 4 + 1 / 4) / 3)
    frame = result.frame
    assert frame.columns.tolist() == ["system", "measure", "axis", "option", "value", "change", "queries_changed"]
    assert len(frame) == len(result.changes)


def test_a_clean_bill_reads_as_one():
    result = audit({"q": {"a", "b"}}, {"A": {"q": ["a", "b"]}, "B": {"q": ["b", "a"]}}, "P@2")
    assert not any(change.queries_changed for change in result.changes)
    assert not result.flips
    assert result.idle.keys() == {*AXES, "relevance_level"}
    text = repr(result)
    for reason in (
        "ties cannot matter: no two scores tie in or across the first 2 ranks",
        "precision_denominator cannot matter: every ranking has 2 or more results, and every query 2 or more relevant",
        "recall_denominator cannot matter: no R@k is asked for",
        "missing_ranking cannot matter: every judged query has a ranking",
        "duplicates cannot matter: no document stands twice in a ranking",
        "unjudged_document cannot matter: every document that is read is judged",
        "relevance_level cannot matter: no other grade stands in the judgments",
    ):
        assert reason in text


def test_what_concerns_a_query_without_changing_a_value_is_told_as_such():
    qrels, run = {"q": {"a"}, "missing": {"b"}, "none": {"c": 0}}, {"q": {"a": 2.0, "b": 1.0, "c": 1.0}, "u": ["a"]}
    idle = audit(qrels, {"A": run}, "Success@3", TREC_EVAL.but(missing_ranking="exclude")).idle
    assert idle["ties"] == "1 rankings hold tied scores, but no value depends on them"
    assert idle["no_relevant"] == "1 queries have no relevant document, but no value depends on them"
    assert not {"missing_ranking", "unjudged_query"} & idle.keys()


def test_short_rankings_without_a_hit_do_not_care_what_they_are_divided_by():
    idle = audit({"q": {"a"}}, {"A": {"q": ["x"]}}, "P@2").idle
    told = "no ranking or query with fewer than k results or relevant documents has a hit"
    assert idle["precision_denominator"] == told


def test_options_that_change_who_wins_come_first():
    """A has one hit of two, B one of one: equal by k, B wins over the retrieved."""
    result = audit({"q": {"a"}}, {"A": {"q": ["a", "x"]}, "B": {"q": ["a"]}}, "P@2")
    assert result.flips == (("P@2", "precision_denominator", "retrieved", ("A", "B"), ("B",)),)
    assert repr(result).startswith(
        "another system wins:\nmeasure  axis                   option     best now  best then\nP@2"
    )


def test_one_system_has_nobody_to_lose_to():
    assert audit({"q": {"a"}}, {"A": {"q": None}}, "P@1").flips == ()


def test_two_names_of_one_measure_are_both_shown():
    result = audit({"q": {"a": 1}}, {"A": {"q": ["a"]}}, ["P@1", "P(rel=1)@1"])
    assert [(b.measure, b.provider) for b in result.backends if b.provider == "pytrec_eval"] == [
        ("P@1", "pytrec_eval"), ("P(rel=1)@1", "pytrec_eval"),
    ]  # fmt: skip


def test_what_cannot_be_evaluated_under_an_option_says_why():
    result = audit({"q": {"a", "b"}}, {"A": {"q": {"a": 1.0, "b": 1.0}}}, "Bpref")
    assert "Bpref cannot be averaged over tied documents" in result.refused["ties", "expected"]
    assert "ties=expected is refused: system 'A', query 'q': Bpref cannot be averaged" in repr(result)
    with pytest.raises(RejectedError, match="have the same score"):
        audit(*TIED, "P@1", STRICT)


def test_levels_are_those_in_the_judgments():
    result = audit({"q": {"a": 1, "b": 3, "c": 0}}, {"A": {"q": ["a", "b"]}}, "P@2")
    assert values(result, "relevance_level", "P@2") == {3: 0.5}


def test_providers_that_fail_say_so_and_the_depth_is_theirs_not_to_know():
    result = audit({"q": {"a"}}, {"A": {"q": []}}, ["Judged@1", "P@1"])
    assert {(b.measure, b.because) for b in result.backends if b.provider in KNOWN} == {
        ("Judged@1", "it fails: ZeroDivisionError: division by zero"), ("P@1", ""),
    }  # fmt: skip
    assert [b.measure for b in result.backends if b.provider == "ir_measures"] == ["Judged@1", "P@1"]
    deep = audit({"q": {"a"}}, {"A": {"q": ["x", "a"]}}, "RR", depth=1)
    assert {b.because for b in deep.backends if b.provider == "pytrec_eval"} == {"it reads beyond the depth"}


def test_several_axes_together_explain_a_provider():
    """msmarco leaves a query without judgments out, and breaks ties the other way: neither alone gives 1."""
    result = audit({"q": {"a": 1}, "e": {}}, {"A": {"q": {"a": 1.0, "b": 1.0}, "e": ["a"]}}, "RR@1")
    because = {b.provider: b.because for b in result.backends}
    assert because["ir_measures"] == "ties=docid_ascending, no_judgments=exclude"


def test_ir_measures_own_provider_of_each_measure():
    """RR has no cutoff and so comes from pytrec_eval, with 32-bit scores; RR@2 from msmarco, with 64."""
    close = ({"q": {"a": 2, "z": 1}}, {"A": {"q": {"a": 1 + 1e-9, "z": 1.0}}})
    result = audit(*close, ["RR", "RR@2"], TREC_EVAL.but(relevance_level=2))
    given_ = {(b.provider, b.measure): (b.value, b.because) for b in result.backends}
    assert given_["ir_measures", "RR"] == given_["pytrec_eval", "RR"] == (0.5, "score_precision=float32")
    assert given_["ir_measures", "RR@2"] == (1, "")


def test_what_providers_take_for_a_number_of_results():
    result = audit({"q": {"a": 1}}, {"A": {"q": ["a", "x", "y"]}}, ["NumRet", "NumRet(rel=1)"])
    assert {(b.measure, b.value, b.because) for b in result.backends} == {("NumRet", 3, ""), ("NumRet(rel=1)", 1, "")}


def test_levels_beyond_what_a_provider_takes():
    high = audit({"q": {"a": 5000}}, {"A": {"q": ["a"]}}, "P@1", TREC_EVAL.but(relevance_level=5000))
    assert (high.evaluation.mean("A", "P@1"), high.backends) == (1, ())


def test_grades_that_kill_a_provider_do_not_reach_it():
    result = audit({"p": {"a": 1}, "q": {"a": -3}}, {"A": {"p": ["a"], "q": ["a"]}}, ["P@1", "nDCG@1"])
    assert {b.value for b in result.backends} == {0.5}
    huge = audit({"q": {"a": 10**9}}, {"A": {"q": ["a"]}}, ["P@1", "nDCG@1"])
    assert {b.measure for b in huge.backends} == {"P@1"}


@pytest.mark.parametrize("doc_id", ["\ud800", "a\0b", None, ["x"]])
def test_ids_beyond_the_cutoff_that_would_kill_a_provider_do_not_reach_it(doc_id):
    result = audit({"q": {"a"}}, {"A": {"q": ["a", "b", doc_id]}}, "P@1")
    assert result.evaluation.mean("A", "P@1") == 1
    (backend,) = result.backends
    assert backend.because.startswith("it fails: system 'A', query 'q': document id")
    assert "document id" in result.refused["unjudged_document", "condense"]
    assert "unjudged_document" not in result.idle


def test_a_record_is_verified():
    qrels, runs = CLEAN
    record = audit(qrels, runs, ["P@2", "nDCG@2"], TREC_EVAL.but(ties="docid_ascending"), depth=2).to_json()
    verify(record, qrels, runs)
    old = json.loads(record)
    assert old["versions"].keys() >= {"rageval_ir", "pytrec-eval-terrier"}
    verify(json.dumps({**old, "versions": {}}), qrels, runs)
    with pytest.raises(RecordDiffersError) as caught:
        verify(record, qrels, {**runs, "A": {"q": ["x", "a"]}})
    assert caught.value.exit_code == 1
    assert "record.runs.A: " in str(caught.value)
    old["values"]["B"]["P@2"][0] += 1e-9
    with pytest.raises(RecordDiffersError, match=r"record\.values\.B\.P@2\[0\]: 1.000000001 in the record, 1.0 from"):
        verify(json.dumps(old), qrels, runs)
    with pytest.raises(RecordDiffersError, match=r"record\.values\.B is only in the record"):
        verify(record, qrels, {"A": runs["A"]})


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"format": "rageval_ir audit 1"}', "[" * 10_000])
def test_what_is_no_record(record):
    with pytest.raises(InputError, match="not an audit's record"):
        verify(record, *CLEAN)


def test_markup_and_html():
    result = audit(*TIED, "P@1")
    assert "**what moves a value**\n\n| system | measure |" in result.to_markdown()
    assert "<caption>what moves a value</caption>" in result._repr_html_()


documents = st.sampled_from("abcde")
rankings = st.none() | st.lists(documents, unique=True) | st.dictionaries(documents, st.sampled_from([1.0, 2.0]))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from("pq"), st.dictionaries(documents, st.integers(-1, 2)), min_size=1),
    st.dictionaries(st.sampled_from("pqr"), rankings),
    st.dictionaries(st.sampled_from("pqr"), rankings),
)
def test_an_axis_is_idle_or_moves_a_value(qrels, one, two):
    """Every axis is accounted for; and each provider's difference has a reason."""
    result = audit(qrels, {"A": one, "B": two}, ["P@2", "R@1", "RR@1", "nDCG@2"])
    moving = {change.axis for change in result.changes if change.queries_changed}
    evaluated = {change.axis for change in result.changes}
    assert set(result.idle) == (evaluated | {"relevance_level"}) - moving
    assert not result.refused
    for backend in result.backends:
        assert (backend.because == "") == (backend.change == 0)
        assert backend.because != "no axis explains it"
