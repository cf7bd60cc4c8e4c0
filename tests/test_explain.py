"""explain and what_if: the working of one value."""

from fractions import Fraction

import pytest

from rageval_ir import TREC_EVAL, InputError, RejectedError, evaluate, explain, what_if
from rageval_ir.catalogue import CATALOGUE

QRELS = {"export": {"d2", "d3"}, "sharing": {"d4"}}
RUN = {"export": ["d2", "d5"], "sharing": ["d5", "d6"]}


def test_the_working_of_a_value():
    assert (
        repr(explain(QRELS, {"A": RUN}, "export", "R@2"))
        == """\
R@2 of query export, system A:
rank  doc_id  grade  counts
   1  d2          1  yes
   2  d5          -

R@2 = relevant in the first k / all judged relevant
counting, but not retrieved: d3
= 1/2 = 0.5000
by pytrec_eval 0.5, by the reference 0.5
convention: TREC_EVAL
recall_denominator: hit would give 1.0000, relevant_retrieved would give 1.0000"""
    )


@pytest.mark.parametrize(
    ("measure", "fraction", "text"),
    [
        ("P@4", Fraction(1, 2), "= 2/4 = 1/2 = 0.5000"),
        ("AP", Fraction(5, 9), "= (5/3)/3 = 5/9 = 0.5556"),  # (1/1 + 2/3) / 3
        ("RR", 1, "= 1/1 = 1 = 1.0000"),
        ("NumRet", 4, "= 4/1 = 4 = 4.0000"),
        ("Judged@4", Fraction(3, 4), "= 3/4 = 0.7500"),
        ("nDCG@2", None, "= 2.0000/2.6309 = 0.7602"),
        ("Bpref", None, "= 0.3333"),
    ],
)
def test_values_as_fractions_and_decimals(measure, fraction, text):
    found = explain({"q": {"a": 2, "n": 0, "b": 1, "c": 1}}, ["a", "n", "b", "x"], "q", measure)
    assert found.fraction == fraction
    assert text in repr(found).splitlines()
    assert found.row.value == evaluate(
        {"q": {"a": 2, "n": 0, "b": 1, "c": 1}}, {"q": ["a", "n", "b", "x"]}, measure
    ).mean("run", measure)


def test_only_what_the_measure_reads_counts():
    found = explain({"q": {"a", "b", "c"}}, ["a", "x", "b", "y", "c"], "q", "P@3")
    assert [(rank.doc_id, rank.counts) for rank in found.ranks] == [("a", True), ("x", False), ("b", True)]
    r_precision = explain({"q": {"a", "b"}}, ["x", "a", "b"], "q", "Rprec")
    assert [rank.counts for rank in r_precision.ranks] == [False, True, False]


@pytest.mark.parametrize(
    ("qrels", "run", "convention", "told"),
    [
        ({"q": {"a": 0}}, {"q": ["a"]}, TREC_EVAL, "= 0/0, which counts as 0"),
        ({"q": {"a": 0}}, {"q": ["a"]}, TREC_EVAL.but(no_relevant="one"), "decided by the convention (no_relevant)"),
        ({"q": {"a": 0}}, {"q": ["a"]}, TREC_EVAL.but(no_relevant="one"), "= 1.0000"),
        ({"q": {"a": 1}}, {}, TREC_EVAL.but(missing_ranking="exclude"), "left out of the mean: missing"),
        ({"q": {"a": 1}}, {"q": None}, TREC_EVAL, "missing_ranking: exclude would leave it out"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, TREC_EVAL.but(ties="expected"), "= (3/4)/1 = 3/4 = 0.7500"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, TREC_EVAL.but(ties="expected"), "by the reference alone"),
        ({"q": {"a": 1}}, {"q": ["a"]}, TREC_EVAL, "no other option of any axis would give this query another value"),
    ],
)
def test_what_is_said_of_difficult_queries(qrels, run, convention, told):
    assert told in repr(explain(qrels, {"A": run}, "q", "RR", convention)).splitlines()


def test_long_rankings_are_shown_where_something_counts():
    ranking = [f"x{i}" for i in range(500)]
    ranking[300] = "a"
    text = repr(explain({"q": {"a"}}, ranking, "q", "RR"))
    assert " 301  a           1  yes" in text
    assert "479 further ranks, where nothing counts, are not shown" in text
    assert len(text.splitlines()) < 35


def test_every_measure_can_be_explained():
    for name, definition in CATALOGUE.items():
        measure = f"{name}@2" if definition.cutoff == "required" else name
        assert f"= {definition.formula}" in repr(explain(QRELS, RUN, "export", measure))


def test_one_query_of_one_system():
    for ranking in (["d2", "d5"], [("d2", 2.0), ("d5", 1.0)], {"d2": 2.0, "d5": 1.0}, RUN, {"A": RUN}):
        assert explain(QRELS, ranking, "export", "P@2").row.value == 0.5
    with pytest.raises(InputError, match=r"The query 'exprot' is not judged\. Hint: did you mean 'export'"):
        explain(QRELS, RUN, "exprot", "P@2")
    with pytest.raises(InputError, match="There are several systems: A, B"):
        explain(QRELS, {"A": RUN, "B": RUN}, "export", "P@2")
    with pytest.raises(RejectedError, match="query 'export': 2 results, fewer than the 3"):
        explain(QRELS, RUN, "export", "P@3", "STRICT")
    # what ails another query does not matter here
    assert explain({**QRELS, "bad": set()}, {**RUN, "bad": ["a", "a"]}, "export", "P@2").row.value == 0.5


def test_what_if():
    change = what_if(QRELS, RUN, "export", ["P@2", "R@2", "RR@2"], move=("d3", 1))
    assert change.values == (("P@2", "P@2", 0.5, 1.0), ("R@2", "R@2", 0.5, 1.0), ("RR@2", "RR@2", 1.0, 1.0))
    assert repr(change).startswith("query export, d3 moved to rank 1:\nmeasure  before   after   change\nP@2 ")


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        ({"move": ("d5", 1)}, [1 / 2, 1 / 2, 1 / 2]),  # d5, d2
        ({"move": ("d2", 2)}, [1 / 2, 1 / 2, 1 / 2]),
        ({"move": ("new", 3)}, [1 / 2, 1 / 2, 1]),
        ({"remove_judgment": ("d3",)}, [1 / 2, 1, 1]),
        ({"remove_judgment": "d2"}, [0, 0, 0]),
        ({"add_judgment": {"d5": 1}}, [1, 2 / 3, 1]),
        ({"add_judgment": {"d2": 0}}, [0, 0, 0]),
        ({"cutoff": 1}, [1, 1 / 2, 1]),
        ({"cutoff": 4, "add_judgment": {"d6": 1}, "move": ("d6", 2)}, [1 / 2, 2 / 3, 1]),
    ],
)
def test_each_change(changes, after):
    found = what_if(QRELS, RUN, "export", ["P@2", "R@2", "RR@2"], **changes)
    assert [values[3] for values in found.values] == after
    assert [values[2] for values in found.values] == [0.5, 0.5, 1.0]


def test_another_cutoff_is_for_measures_that_have_one():
    found = what_if(QRELS, RUN, "export", ["AP", "P@2"], cutoff=1)
    assert [values[:2] for values in found.values] == [("AP", "AP"), ("P@2", "P@1")]


def test_integer_ids_are_ids():
    numbers = ({1: {7, 8}}, {1: [9, 7]}, 1, "P@1")
    assert explain(*numbers).row.query_id == "1"
    assert what_if(*numbers, move=(7, 1)).values[0][2:] == (0, 1)
    assert what_if(*numbers, add_judgment={9: 1}).values[0][2:] == (0, 1)
    assert what_if(*numbers, remove_judgment=[8]).values[0][2:] == (0, 0)


def test_rr_without_its_cutoff_counts_beyond_it():
    found = explain({"q": {"a"}}, ["x", "a"], "q", "RR@1", TREC_EVAL.but(rr_cutoff="ignored"))
    assert [rank.counts for rank in found.ranks] == [False, True]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "Nothing is changed"),
        ({"move": ("d5", 3)}, r"no rank 3\. Hint: ranks are 1 to 2"),
        ({"move": ("d5", 0)}, r"no rank 0"),
        ({"move": ("d5", 1.5)}, r"no rank 1\.5"),
        ({"move": ("d5", True)}, r"no rank True"),
        ({"move": ("d5",)}, r"found \('d5',\); expected \(document id, rank\)"),
        ({"move": 5}, r"found 5; expected \(document id, rank\)"),
        ({"move": (None, 1)}, r"move: document id None is of type NoneType"),
        ({"remove_judgment": ["d9"]}, "'d9' has no judgment to remove"),
        ({"add_judgment": {"d9": 1.5}}, "relevance 1.5 is not an integer grade"),
        ({"cutoff": 0}, "must be an int in the range"),
    ],
)
def test_changes_that_are_none(changes, message):
    with pytest.raises(ValueError, match=message):
        what_if(QRELS, RUN, "export", "P@2", **changes)


def test_markdown_and_html():
    assert (
        "**P@2 of query export, system run**\n\n| rank | doc\\_id |"
        in explain(QRELS, RUN, "export", "P@2").to_markdown()
    )
    assert "<caption>" in explain(QRELS, RUN, "export", "P@2")._repr_html_()
    changed = what_if(QRELS, RUN, "export", "P@2", cutoff=1)
    assert "| P@2 -\\> P@1 | 0.5000 | 1.0000 | +0.5000 |" in changed.to_markdown()
    assert "<table>" in changed._repr_html_()
