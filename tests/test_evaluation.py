"""evaluate(): the example, who is left out, what computes what, and disagreement."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import rageval_ir.scoring
from rageval_ir import (
    TREC_EVAL,
    ConventionError,
    DisagreementError,
    Evaluation,
    InputError,
    Measure,
    MeasureError,
    Qrels,
    RejectedError,
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
        ({"precision_denominator": "retrieved"}, "P@5", 1 / 2, "pytrec_eval"),
        ({"precision_denominator": "relevant_capped"}, "P@5", 1 / 2, "pytrec_eval"),
        ({"recall_denominator": "hit"}, "R@5", 1.0, "pytrec_eval"),
        ({"recall_denominator": "capped"}, "R@1", 1.0, "pytrec_eval"),
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
    monkeypatch.setattr(rageval_ir.scoring, "judged_ranks", lambda ranking, _: [(1, ranking[0])])
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


def test_a_query_left_out_for_want_of_judgments_says_so_even_if_it_is_missing():
    convention = TREC_EVAL.but(no_judgments="exclude", missing_ranking="exclude")
    result = evaluate({"q": set(), "p": {"a"}, "r": set()}, {"A": {"p": ["a"], "r": None}}, "P@1", convention)
    assert result.left_out().reason.tolist() == ["no_judgments", "no_judgments"]
    assert (result.systems["A"].affected["missing"], result.systems["A"].affected["failed"]) == (["q"], ["r"])


def test_what_counts_more_than_once_is_not_cross_checked_and_says_so():
    run = {"q": ["a", "b", "a"], "p": ["a"], "r": ["a", "a"]}
    qrels = {"q": {"a"}, "p": {"a"}, "r": {"a"}}
    convention = TREC_EVAL.but(duplicates="count_each")
    result = evaluate(qrels, {"A": run}, "P@3", convention)
    assert [(row.value, row.computed_by) for row in result.rows()] == [
        (2 / 3, "reference"), (1 / 3, "pytrec_eval"), (2 / 3, "reference"),
    ]  # fmt: skip
    assert result.crosscheck.compared == 1
    told = "system 'A': not cross-checked where a document counts more than once (2 of 3 queries)"
    assert told in repr(result)
    # repeats that the cutoff hides count once, for scores as for lists
    for shape in (list, lambda ids: [(doc_id, -float(i)) for i, doc_id in enumerate(ids)]):
        hidden = evaluate({"q": {"a"}}, {"A": {"q": shape(["a", "b", "a"])}}, ["P@2", "Success@1"], convention)
        assert (hidden.crosscheck.compared, hidden.crosscheck.unchecked) == (2, {})


def test_a_depth_below_the_cutoff_is_not_the_retrievers_fault():
    strict = TREC_EVAL.but(precision_denominator="reject")
    with pytest.raises(InputError, match=r"The depth 1 leaves no ranking with the 2 results of P@2. Hint: set a depth"):
        evaluate(RELEVANT, RANKINGS, MEASURES, strict, 1)
    assert evaluate(RELEVANT, RANKINGS, MEASURES, strict, 2).mean("A", "P@2") == 1 / 3
    cut = evaluate(RELEVANT, {"A": {**RANKINGS["A"], "setup": []}}, "P@10", depth=2)
    assert cut.systems["A"].affected["short"] == ["setup"]
    assert "1 with fewer than 2 results (setup)" in repr(cut)


def test_a_ranking_as_long_as_the_cutoff_is_full():
    strict = TREC_EVAL.but(precision_denominator="reject")
    assert evaluate({"q": {"a"}, "p": {"a"}}, {"A": {"q": ["a", "b"]}}, "P@2", strict).mean("A", "P@2") == 0.25
    with pytest.raises(RejectedError, match="query 'p': 1 results, fewer than the 2 of P@2"):
        evaluate({"q": {"a"}, "p": {"a"}}, {"A": {"q": ["a", "b"], "p": ["a"]}}, ["P@1", "P@2"], strict)


def test_judgments_given_again_are_told():
    result = evaluate({"q": ["a", "a", "b"], "p": ["c", "c"]}, {"A": {"q": ["a"], "p": ["c"]}}, "R@2")
    assert (result.mean("A", "R@2"), result.repeated_judgments) == (0.75, 2)
    assert "judgments: 2 given more than once, each counted once" in repr(result)
    some = evaluate({"q": ["a", "a", "b"], "p": ["c", "c"]}, {"A": {"q": ["a"]}}, "R@2", queries=["q"])
    assert some.repeated_judgments == 1
    assert "given more than once" not in repr(evaluate(RELEVANT, RANKINGS, "P@2"))


def test_which_relevant_documents_a_rejected_query_lacks():
    """Judged asks for the convention's level; Bpref and the rest for their own."""
    for measure, level in (("Judged@1", 2), ("P(rel=3)@1", 3), ("nDCG@1", None), ("Bpref(rel=3)", 3)):
        convention = TREC_EVAL.but(relevance_level=2, no_relevant="reject")
        fine = evaluate({"q": {"a": level or 1}}, {"A": {"q": ["a"]}}, measure, convention)
        assert fine.n("A") == 1
        with pytest.raises(RejectedError, match="query 'q' has no relevant document for"):
            evaluate({"q": {"a": (level or 1) - 1}}, {"A": {"q": ["a"]}}, measure, convention)
    with pytest.raises(RejectedError, match="query 'e' has no relevant document for P@1"):
        evaluate({"e": set()}, {"A": {}}, "P@1", TREC_EVAL.but(no_relevant="reject"))


def test_a_query_without_a_ranking_is_not_a_short_one():
    strict = TREC_EVAL.but(precision_denominator="reject")
    run = {"q": ["a", "b"], "failed": None}
    result = evaluate({"q": {"a"}, "failed": {"a"}, "missing": {"a"}}, {"A": run}, "P@2", strict)
    assert [row.value for row in result.rows()] == [0.5, 0.0, 0.0]


def test_documents_that_a_rule_touched_are_counted_one_by_one():
    convention = TREC_EVAL.but(duplicates="first", unjudged_document="condense")
    run = {"q": ["a", "a", "x", "a", "y"], "p": ["a", "z"], "r": ["a"]}
    result = evaluate({query_id: {"a"} for query_id in run}, {"A": run}, "P@5", convention)
    assert result.systems["A"].documents == {"duplicates": 2, "condensed": 3}
    assert "2 repeated documents (q); 3 unjudged documents dropped (q, p)" in repr(result)


def test_a_sum_of_few_terms_may_be_off_by_four_units_in_the_last_place_only(monkeypatch):
    right = Backends.values

    def wrong(self, run):
        values = right(self, run)
        return {m: {q: value * (1 + 10 * 2**-52) for q, value in column.items()} for m, column in values.items()}

    monkeypatch.setattr(Backends, "values", wrong)
    with pytest.raises(DisagreementError, match="at most 4 are expected"):
        evaluate({"q": {"a", "b", "c"}}, {"A": {"q": ["a", "x", "b"]}}, "AP")


@pytest.mark.parametrize("measure", ["Bpref", "infAP", "R@1", "RR", "nDCG", "AP", "Rprec"])
def test_undefined_without_relevant_documents(measure):
    one = TREC_EVAL.but(no_relevant="one")
    result = evaluate({"q": {"a": 0}, "m": {"a": 0}}, {"A": {"q": ["a"]}}, [measure, "P@1", "Judged"], one)
    found = {(row.query_id, row.measure): (row.value, row.computed_by) for row in result.rows()}
    assert found["q", measure] == (1.0, "convention")
    assert (found["m", measure][0], found["q", "P@1"][0], found["q", "Judged"][0]) == (0.0, 0.0, 1.0)


def test_what_is_cut_from_the_work_is_not_cut_from_the_result():
    """R under relevant_retrieved and RR without its cutoff read further than the greatest cutoff."""
    run = {"A": {"q": ["x", "x2", "a", "b"]}}
    convention = TREC_EVAL.but(recall_denominator="relevant_retrieved", rr_cutoff="ignored")
    result = evaluate({"q": {"a", "b", "c"}}, run, ["R@3"], convention)
    assert result.mean("A", "R@3") == 1 / 2
    assert evaluate({"q": {"a"}}, run, ["RR@1", "P@1"], convention).mean("A", "RR@1") == 1 / 3
    assert evaluate({"q": {"a"}}, run, ["NumRet", "P@1"]).mean("A", "NumRet") == 4


def test_the_garbage_collector_waits_and_is_left_as_it_was(monkeypatch):
    import gc

    seen = []
    judged_ranks = rageval_ir.scoring.judged_ranks
    monkeypatch.setattr(
        rageval_ir.scoring, "judged_ranks", lambda *given: seen.append(gc.isenabled()) or judged_ranks(*given)
    )
    for was in (True, False):
        for run in (["x"], ["d", "d"]):
            (gc.enable if was else gc.disable)()
            try:
                evaluate({"q": {"d"}}, {"A": {"q": run}}, "P@2")
            except RejectedError:
                assert run == ["d", "d"]
            finally:
                assert gc.isenabled() == was
                gc.enable()
    assert seen == [False, False]
