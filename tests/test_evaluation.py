"""evaluate(): the example, who is left out, what computes what, and disagreement."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import rageval_ir.evaluation
from rageval_ir import (
    TREC_EVAL,
    ConventionError,
    DisagreementError,
    Evaluation,
    InputError,
    Measure,
    MeasureError,
    Qrels,
    evaluate,
    to_runs,
)
from rageval_ir.backends import Backends

RELEVANT = {"setup": {"d1"}, "export": {"d2", "d3"}, "sharing": {"d4"}}
RANKINGS = {
    "A": {"setup": ["d5", "d1"], "export": ["d2", "d5"], "sharing": ["d5", "d6"]},
    "B": {"setup": ["d1", "d5"], "export": ["d2", "d3"], "sharing": ["d4", "d5"]},
}
MEASURES = ["P@2", "R@2", "RR@2"]


def test_the_example():
    result = evaluate(RELEVANT, RANKINGS, MEASURES)
    right = {"A": ("1/3", "1/2", "1/2"), "B": ("2/3", "1", "1")}
    for system, means in right.items():
        assert [result.mean(system, m) for m in MEASURES] == [float(Fraction(mean)) for mean in means]
        assert result.n(system) == 3
    export = {row.measure: row.value for row in result.rows() if (row.system, row.query_id) == ("A", "export")}
    assert export == {"P@2": 0.5, "R@2": 0.5, "RR@2": 1.0}
    assert repr(result).splitlines()[1:3] == [
        "A       0.3333  0.5000  0.5000  3",
        "B       0.6667  1.0000  1.0000  3",
    ]


def test_every_shape_of_the_same_rankings_gives_the_same():
    scored = {s: {q: {d: 9.0 - r for r, d in enumerate(ids)} for q, ids in run.items()} for s, run in RANKINGS.items()}
    pairs = {s: {q: list(run.items()) for q, run in queries.items()} for s, queries in scored.items()}
    rows = {s: [(q, d, x) for q, run in queries.items() for d, x in run.items()] for s, queries in scored.items()}
    frames = {s: pd.DataFrame(run, columns=["qid", "docno", "score"]) for s, run in rows.items()}
    runs = to_runs(RANKINGS)
    expected = evaluate(RELEVANT, RANKINGS, MEASURES).per_query
    for given in (scored, pairs, frames, runs, {run.name: run for run in runs}):
        assert evaluate(RELEVANT, given, MEASURES).per_query.equals(expected)


def test_one_ranking_without_a_system_is_named_run():
    assert list(evaluate(RELEVANT, RANKINGS["A"], "P@2").systems) == ["run"]


def test_a_failed_query_is_counted_listed_and_scored_as_a_missing_one():
    run = {"setup": ["d1"], "export": TimeoutError("10 s"), "sharing": None}
    result = evaluate(RELEVANT, {"A": run}, ["R@2", "NumRel"])
    account = result.accounting().loc["A"]
    assert (account["failed"], account["judged"], account["failure_rate"]) == (2, 3, 2 / 3)
    assert result.systems["A"].failures == {"export": "TimeoutError: 10 s", "sharing": ""}
    assert (result.mean("A", "R@2"), result.mean("A", "NumRel")) == (pytest.approx(1 / 3), 4)
    left = evaluate(RELEVANT, {"A": run}, "R@2", TREC_EVAL.but(missing_ranking="exclude"))
    assert (left.mean("A", "R@2"), left.n("A")) == (1.0, 1)
    assert left.left_out().to_dict("list") == {
        "system": ["A", "A"], "query_id": ["export", "sharing"], "measure": ["R@2", "R@2"], "reason": ["failed"] * 2,
    }  # fmt: skip


def test_a_mean_over_no_query_is_none_not_zero():
    result = evaluate(RELEVANT, {"A": {}}, "P@2", TREC_EVAL.but(missing_ranking="exclude"))
    assert (result.mean("A", "P@2"), result.n("A")) == (None, 0)
    assert result.summary()["P@2"].isna().all()
    assert repr(result).splitlines()[1].split() == ["A", "-", "0"]


@pytest.mark.parametrize(
    ("options", "measure", "value", "by"),
    [
        ({}, "P@5", 1 / 5, "pytrec_eval"),
        ({"precision_denominator": "retrieved"}, "P@5", 1 / 2, "reference"),
        ({"recall_denominator": "hit"}, "R@5", 1.0, "pytrec_eval"),
        ({"recall_denominator": "capped"}, "R@1", 1.0, "reference"),
        ({"recall_denominator": "relevant_retrieved"}, "R@1", 1.0, "reference"),
        ({}, "Judged@2", 1 / 2, "ir_measures judged"),
        ({}, "Bpref", 1 / 2, "pytrec_eval"),
        ({}, "RBP(rel=1)", pytest.approx(0.2), "ir_measures cwl_eval"),
    ],
)
def test_who_computed_it(options, measure, value, by):
    result = evaluate({"q": {"d2", "d3"}}, {"A": {"q": ["d2", "d5"]}}, measure, TREC_EVAL.but(**options))
    (row,) = result.rows()
    assert (row.value, row.computed_by) == (value, by)
    if by == "reference":  # the check then ran under the nearest convention, and the result says so
        assert result.crosscheck.compared == 1
        assert "the cross-check ran under" in result.crosscheck.unchecked[measure]


def test_queries_left_out_for_one_measure_only_show_in_its_n():
    """nDCG takes a grade of 1 for a gain where relevance starts at 2."""
    result = evaluate(
        {"q": {"a": 1}, "p": {"a": 2}},
        {"A": {"q": ["a"], "p": ["a"]}},
        ["P@1", "nDCG@1"],
        TREC_EVAL.but(relevance_level=2, no_relevant="exclude"),
    )
    assert (result.n("A", "P@1"), result.n("A", "nDCG@1"), result.n("A")) == (1, 2, 2)
    assert "n differs: P@1 over 1, nDCG@1 over 2" in repr(result)


def test_a_wrong_backend_is_an_error_that_names_all(monkeypatch):
    right = Backends.values

    def wrong(self, run):
        values = right(self, run)
        for column in values.values():
            column["export"] += 1e-9
        return values

    monkeypatch.setattr(Backends, "values", wrong)
    with pytest.raises(DisagreementError) as caught:
        evaluate(RELEVANT, RANKINGS, MEASURES)
    assert "system 'A', query 'export': P@2 is 0.500000001 by the backend and 0.5 by the reference" in str(caught.value)
    assert caught.value.exit_code == 4


def test_a_wrong_reference_is_an_error(monkeypatch):
    monkeypatch.setattr(rageval_ir.evaluation, "judged_ranks", lambda ranking, _: [(1, ranking[0])])
    with pytest.raises(DisagreementError):
        evaluate(RELEVANT, RANKINGS, MEASURES)


def test_repeats_that_no_backend_can_count():
    convention = TREC_EVAL.but(duplicates="count_each")
    with pytest.raises(ConventionError, match="query 'q': Bpref cannot count a repeated document"):
        evaluate({"q": {"a"}}, {"A": {"q": ["a", "a"]}}, "Bpref", convention)


def test_only_unjudged_queries_in_the_judgments():
    result = evaluate({"q": set()}, {"A": {"q": ["a"]}}, ["P@1", "R@1", "Judged@1", "Bpref", "NumRet"])
    assert [row.value for row in result.rows()] == [0, 0, 0, 0, 1]
    assert {row.status for row in result.rows()} == {"no_judgments"}


def test_depth_cuts_every_measure():
    relevant, run = {"q": {"a"}}, {"A": {"q": ["x", "y", "a"]}}
    assert evaluate(relevant, run, ["RR", "NumRet"], depth=2).per_query.value.tolist() == [0, 2]
    assert evaluate(relevant, run, ["RR", "NumRet"], depth=3).per_query.value.tolist() == [pytest.approx(1 / 3), 3]


@pytest.mark.parametrize("depth", [0, -1, 2.5, True, 2**31, "3"])
def test_a_depth_that_is_none(depth):
    with pytest.raises(InputError, match="The depth must be an int in the range"):
        evaluate(RELEVANT, RANKINGS, "P@2", depth=depth)


@pytest.mark.parametrize("queries", [5, [], "nowhere", [None]])
def test_queries_that_are_none(queries):
    with pytest.raises(InputError, match=r"^queries"):
        evaluate(RELEVANT, RANKINGS, "P@2", queries=queries)


def test_numpys_integers_are_integers():
    two = np.int64(2)
    measure = Measure("P", two, rel=two)
    result = evaluate({"q": {"a": two}}, {"A": {"q": ["a"]}}, measure, TREC_EVAL.but(relevance_level=two), two)
    assert Evaluation.from_json(result.to_json()) == result
    assert result.mean("A", "P(rel=2)@2") == 0.5


@pytest.mark.parametrize("k", [2**24, 2**31 - 1])
def test_a_cutoff_at_the_end_of_its_range(k):
    assert evaluate({"q": {"a"}}, {"A": {"q": ["a"]}}, f"P@{k}").mean("A", f"P@{k}") == 1 / k


def test_the_callers_data_are_left_alone():
    qrels, run = {"q": {"a": 1, "b": -1}}, {"A": {"q": {"b": 1.0, "a": 1.0}}}
    evaluate(qrels, run, ["P@1", "Bpref", "nDCG"], TREC_EVAL.but(unjudged_document="condense"))
    assert (qrels, run) == ({"q": {"a": 1, "b": -1}}, {"A": {"q": {"b": 1.0, "a": 1.0}}})


def test_unknown_convention_axis_and_measure():
    with pytest.raises(ConventionError, match="Did you mean 'STRICT'"):
        evaluate(RELEVANT, RANKINGS, "P@2", "STRIKT")
    with pytest.raises(MeasureError, match="did you mean nDCG"):
        evaluate(RELEVANT, RANKINGS, "nCDG@10")


def test_progress_names_each_system_before_its_turn():
    told = []
    evaluate(RELEVANT, RANKINGS, "P@2", progress=told.append)
    assert told == ["A", "B"]


def test_qrels_and_runs_are_taken_as_they_are():
    assert evaluate(Qrels({"q": {"a": 1}}), to_runs({"q": ["a"]})[0], "P@1").mean("run", "P@1") == 1
