"""Troubles that people reported with tools of this kind: a small input each, and the right values.

The values are worked out by hand from the definitions; `source` is the public report.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction as F  # noqa: N817 -- the table below is all fractions
from typing import Any

import numpy as np
import pytest

from rageval_ir import TREC_EVAL, Convention, InputError, RejectedError, evaluate

LOG2_3 = math.log2(3)


@dataclass
class Case:
    """An input, the convention, and the value of each measure (the mean over the queries that count)."""

    source: str
    qrels: Any
    run: Any
    right: dict[str, Any]
    convention: Convention = field(default=TREC_EVAL)
    n: int = 1


def ids(text: str) -> list[str]:
    return text.split()


CASES = {
    "providers must see one order of ties": Case(
        "terrierteam/ir_measures/issues/18", {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}},
        {"P@1": 0, "R@1": 0, "RR@1": 0, "nDCG@1": 0, "P@10": F(1, 10), "R@10": 1, "RR@10": F(1, 2), "RR": F(1, 2),
         "nDCG@10": 1 / LOG2_3},
    ),
    "constant scores, document ids decide": Case(
        "cvangysel/pytrec_eval/issues/56", {"q": {"d3": 1}}, {"q": {"d1": 1.0, "d2": 1.0, "d3": 1.0}},
        {"RR": 1, "nDCG": 1},
    ),
    "constant scores, input order decides": Case(
        "cvangysel/pytrec_eval/issues/56", {"q": {"d3": 1}}, {"q": {"d1": 1.0, "d2": 1.0, "d3": 1.0}},
        {"RR": F(1, 3), "nDCG": 0.5}, TREC_EVAL.but(ties="input_order"),
    ),
    "a list is its order": Case(
        "cvangysel/pytrec_eval/issues/56", {"q": {"d3": 1}}, {"q": ids("d1 d2 d3")}, {"RR": F(1, 3), "nDCG": 0.5},
    ),
    "one relevant document: RR is AP": Case(
        "beir-cellar/beir/issues/105", {"q": {"m": 1}}, {"q": {"a": 2.0, "m": 2.0, "z": 2.0}},
        {"RR@3": F(1, 2), "AP": F(1, 2)},
    ),
    "a constant scorer": Case(
        "embeddings-benchmark/mteb/issues/5092", {"q": {"a": 1}}, {"q": dict.fromkeys("abcdefghijk", 0.0)},
        {"RR@10": 0, "nDCG@10": 0, "RR@11": F(1, 11)},
    ),
    "scores closer than 32 bits": Case(
        "usnistgov/trec_eval/issues/34", {"q": {"a": 1}}, {"q": {"a": 1.000000001, "b": 1.0}},
        {"P@1": 1, "R@1": 1, "RR@1": 1, "nDCG@1": 1, "RR": 1},
    ),
    "scores closer than 32 bits, as trec_eval 9 sees them": Case(
        "usnistgov/trec_eval/issues/34", {"q": {"a": 1}}, {"q": {"a": 1.000000001, "b": 1.0}},
        {"P@1": 0, "RR": F(1, 2)}, TREC_EVAL.but(score_precision="float32"),
    ),
    "scores beyond 32 bits": Case(
        "usnistgov/trec_eval/issues/34", {"q": {"z": 1}}, {"q": {"a": 2e39, "z": 1e39}}, {"P@1": 0, "RR": F(1, 2)},
    ),
    "scores below 32 bits": Case(
        "usnistgov/trec_eval/issues/34", {"q": {"z": 1}}, {"q": {"a": 2e-46, "z": 1e-46}}, {"P@1": 0, "RR": F(1, 2)},
    ),
    "integers beyond 24 bits": Case(
        "usnistgov/trec_eval/issues/34", {"q": {"z": 1}}, {"q": {"a": 16777217, "z": 16777216}}, {"P@1": 0},
    ),
    "the mean over tie orders is not this": Case(
        "elixir-nx/scholar/issues/360", {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, {"nDCG@2": 0.6309297535714574},
    ),
    "negative scores": Case(
        "nyu-dl/dl4marco-bert/issues/42", {"q": {"a": 1}}, {"q": {"a": -0.1, "b": -3.2}},
        {"P@1": 1, "RR": 1, "nDCG@1": 1},
    ),
    "a repeated document, first rank counts": Case(
        "cvangysel/pytrec_eval/issues/50", {"q": {"a": 1}}, {"q": ids("a b a")},
        {"P@3": F(1, 3), "R@3": 1, "RR@3": 1, "nDCG@3": 1}, TREC_EVAL.but(duplicates="first"),
    ),
    "a repeated document never counts twice": Case(
        "deepset-ai/haystack/pull/11959", {"q": {"A": 1}}, {"q": ids("A A")},
        {"nDCG@2": 1, "P@2": F(1, 2), "R@2": 1}, TREC_EVAL.but(duplicates="first"),
    ),
    "a repeated document, last rank counts": Case(
        "cvangysel/pytrec_eval/issues/50", {"q": {"a": 1}}, {"q": ids("a b a")},
        {"P@1": 0, "RR@3": F(1, 2)}, TREC_EVAL.but(duplicates="last"),
    ),
    "a corpus indexed twice": Case(
        "castorini/anserini/issues/476", {"q": {"a": 1, "b": 1}},
        {"q": [("a", 4.0), ("a", 3.9), ("b", 3.0), ("b", 2.9)]},
        {"P@2": 1, "R@2": 1, "RR@2": 1, "nDCG@2": 1}, TREC_EVAL.but(duplicates="first"),
    ),
    "a corpus indexed twice, every copy counted": Case(
        "castorini/anserini/issues/476", {"q": {"a": 1, "b": 1}},
        {"q": [("a", 4.0), ("a", 3.9), ("b", 3.0), ("b", 2.9)]},
        {"P@4": 1, "R@4": 2}, TREC_EVAL.but(duplicates="count_each"),
    ),
    "a query without an answer counts": Case(
        "terrierteam/ir_measures/issues/2", {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}},
        {"P@1": F(1, 2), "R@1": F(1, 2), "RR@1": F(1, 2), "nDCG@1": F(1, 2)}, n=2,
    ),
    "a query without an answer, left out": Case(
        "terrierteam/ir_measures/issues/2", {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}},
        {"P@1": 1, "R@1": 1, "RR@1": 1, "nDCG@1": 1}, TREC_EVAL.but(missing_ranking="exclude"),
    ),
    "an empty query leaves the others alone": Case(
        "cvangysel/pytrec_eval/issues/49", {"q1": {"a": 1}, "q2": {}, "q3": {"a": 1}},
        {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}},
        {"P@1": F(2, 3), "nDCG@1": F(2, 3), "R@1": F(2, 3)}, n=3,
    ),
    "an empty query, left out": Case(
        "cvangysel/pytrec_eval/issues/57", {"q1": {"a": 1}, "q2": {}, "q3": {"a": 1}},
        {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}}, {"P@1": 1, "nDCG@1": 1},
        TREC_EVAL.but(no_judgments="exclude"), n=2,
    ),
    "judged, but nothing is relevant": Case(
        "scikit-learn/scikit-learn/issues/29521", {"q1": {"a": 1, "c": 1}, "q2": {"a": 0}},
        {"q1": ids("a c"), "q2": ids("a")}, {"nDCG@3": F(1, 2), "P@3": F(1, 3), "R@3": F(1, 2)}, n=2,
    ),
    "judged, but nothing is relevant, left out": Case(
        "scikit-learn/scikit-learn/issues/29521", {"q1": {"a": 1, "c": 1}, "q2": {"a": 0}},
        {"q1": ids("a c"), "q2": ids("a")}, {"nDCG@3": 1}, TREC_EVAL.but(no_relevant="exclude"),
    ),
    "judged, but nothing is relevant, counted as one": Case(
        "scikit-learn/scikit-learn/issues/29521", {"q1": {"a": 1, "c": 1}, "q2": {"a": 0}},
        {"q1": ids("a c"), "q2": ids("a")}, {"nDCG@3": 1, "R@3": 1, "RR": 1, "P@3": F(1, 3), "Success@3": F(1, 2)},
        TREC_EVAL.but(no_relevant="one"), n=2,
    ),
    "an unanswerable question": Case(
        "xiaowu0162/LongMemEval/issues/7", {"abs": set(), "q": {"x"}}, {"abs": ["x"], "q": ["x"]},
        {"Success@1": 1, "R@1": 1}, TREC_EVAL.but(no_relevant="exclude"),
    ),
    "nothing retrieved": Case(
        "run-llama/llama_index/issues/13926", {"q": {"d1"}}, {"q": []}, {"P@3": 0, "R@3": 0, "RR@3": 0, "nDCG@3": 0},
    ),
    "query ids that do not match": Case(
        "AmenRa/ranx/issues/27", {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q9": {"a": 1.0}},
        {"P@1": F(1, 2)}, n=2,
    ),
    "an unjudged query is no zero": Case(
        "joaopalotti/trectools/issues/24", {"q1": {"a": 1}}, {"q1": {"a": 1.0}, "q9": {"a": 1.0}}, {"P@1": 1},
    ),
    "an unjudged query as a zero": Case(
        "joaopalotti/trectools/issues/24", {"q1": {"a": 1}}, {"q1": {"a": 1.0}, "q9": {"a": 1.0}}, {"P@1": F(1, 2)},
        TREC_EVAL.but(unjudged_query="zero"), n=2,
    ),
    "the ideal list holds what was not retrieved": Case(
        "spiceai/spiceai/issues/12277", {"q": {"a", "b"}}, {"q": ids("a x")},
        {"nDCG@10": 0.6131471927654584, "R@10": F(1, 2)},
    ),
    "the ideal list is cut at k, not at the results (one good hit)": Case(
        "elastic/elasticsearch/pull/154362", {"q": dict.fromkeys(ids("d0 d1 d2 d3 d4"), 3)}, {"q": ["d0"]},
        {"nDCG@10": 0.3391602052736161},
    ),
    "the ideal list is cut at k, not at the results (five late hits)": Case(
        "elastic/elasticsearch/pull/154362", {"q": dict.fromkeys(ids("d0 d1 d2 d3 d4"), 3)},
        {"q": ids("x1 x2 x3 x4 x5 d0 d1 d2 d3 d4")}, {"nDCG@10": 0.5409945177788987},
    ),
    "without a cutoff the ideal list is whole": Case(
        "usnistgov/trec_eval/issues/11", {"q": {f"r{i}" for i in range(30)}}, {"q": [f"r{i}" for i in range(20)]},
        {"nDCG@20": 1, "nDCG": 0.7684556136949124, "nDCG@30": 0.7684556136949124, "nDCG@1000": 0.7684556136949124},
    ),
    "two results, k is five": Case(
        "Lightning-AI/torchmetrics/issues/886", {"q": {"a", "b"}}, {"q": ids("a b")},
        {"P@5": F(2, 5), "R@5": 1, "RR@5": 1, "nDCG@5": 1},
    ),
    "two results, k is five, divided by what there is": Case(
        "Lightning-AI/torchmetrics/issues/886", {"q": {"a", "b"}}, {"q": ids("a b")}, {"P@5": 1},
        TREC_EVAL.but(precision_denominator="retrieved"),
    ),
    "two results, k is five, divided by what there could be": Case(
        "jamesmullenbach/caml-mimic/issues/2", {"q": {"a", "b"}}, {"q": ids("a x")}, {"P@5": F(1, 2)},
        TREC_EVAL.but(precision_denominator="relevant_capped"),
    ),
    "more relevant documents than k": Case(
        "AmenRa/ranx/issues/19", {"q": set("abcd")}, {"q": ids("a b")}, {"R@2": F(1, 2)},
    ),
    "more relevant documents than k, capped": Case(
        "beir-cellar/beir/issues/4", {"q": set("abcd")}, {"q": ids("a b")}, {"R@2": 1},
        TREC_EVAL.but(recall_denominator="capped"),
    ),
    "recall is not success": Case(
        "AmenRa/ranx/issues/30", {"q": set("abcd")}, {"q": ids("a x")},
        {"R@1": F(1, 4), "Success@1": 1, "RR@1": 1, "P@1": 1},
    ),
    "recall that is success": Case(
        "Lightning-AI/torchmetrics/issues/571", {"q": set("abcd")}, {"q": ids("a x")}, {"R@1": 1},
        TREC_EVAL.but(recall_denominator="hit"),
    ),
    "unjudged documents are not relevant": Case(
        "elastic/elasticsearch/issues/21304", {"q": {"a": 1, "n": -1}}, {"q": ids("u n a")},
        {"P@1": 0, "RR": F(1, 3), "Judged@3": F(2, 3)},
    ),
    "unjudged documents dropped; a negative grade is a judgment": Case(
        "usnistgov/trec_eval/issues/29", {"q": {"a": 1, "n": -1}}, {"q": ids("u n a")}, {"P@1": 0, "RR": F(1, 2)},
        TREC_EVAL.but(unjudged_document="condense"),
    ),
    "RR with a cutoff": Case(
        "usnistgov/trec_eval/issues/31", {"q": {"m": 1}}, {"q": [*(f"d{i:02}" for i in range(10)), "m"]},
        {"RR@10": 0, "RR": F(1, 11), "RR@11": F(1, 11)},
    ),
    "RR with its cutoff ignored": Case(
        "usnistgov/trec_eval/issues/31", {"q": {"m": 1}}, {"q": [*(f"d{i:02}" for i in range(10)), "m"]},
        {"RR@10": F(1, 11)}, TREC_EVAL.but(rr_cutoff="ignored"),
    ),
    "a run over a part of the judged queries": Case(
        "nyu-dl/dl4marco-bert/issues/12", {f"q{i}": {"a": 1} for i in range(8)}, {"q0": {"a": 1.0}},
        {"RR@10": F(1, 8)}, n=8,
    ),
    "context precision is not P@k": Case(
        "vibrantlabsai/ragas/issues/997", {"q": {"a", "c"}}, {"q": ids("a b c")}, {"P@3": F(2, 3), "AP": F(5, 6)},
    ),
    "two gains of a grade": Case(
        "Georgetown-IR-Lab/OpenNIR/issues/14", {"q": {"a": 1, "b": 3}}, {"q": ids("a b")},
        {"nDCG@2": 0.7967075809905067, "nDCG(dcg='exp-log2')@2": 0.7098097413968654,
         "nDCG(gains={3:7})@2": 0.7098097413968654},
    ),
    "a relevance threshold": Case(
        "usnistgov/trec_eval/issues/35", {"q": {"a": 1, "b": 2, "c": 3}}, {"q": ids("a b x")},
        {"P(rel=2)@3": F(1, 3), "R(rel=2)@3": F(1, 2), "RR(rel=2)@3": F(1, 2), "nDCG@3": 0.4749950106150897,
         "P@3": F(2, 3), "R@3": F(2, 3), "RR@3": 1},
    ),
    "a relevance threshold, as the convention's": Case(
        "castorini/anserini/issues/1525", {"q": {"a": 1, "b": 2, "c": 3}}, {"q": ids("a b x")},
        {"P@3": F(1, 3), "R@3": F(1, 2), "RR@3": F(1, 2), "nDCG@3": 0.4749950106150897, "P(rel=1)@3": F(2, 3)},
        TREC_EVAL.but(relevance_level=2),
    ),
    "all results poor": Case(
        "o19s/quepid/issues/77", {"q": {"a": 1, "b": 1}}, {"q": ids("a b")}, {"nDCG@2": 1, "P(rel=2)@2": 0},
    ),
    "ids, not a vector of hits": Case(
        "scikit-learn/scikit-learn/issues/27726", {"q": ids("r1 r2 r3 r4")}, {"q": ids("r1 r2 r3 x")},
        {"nDCG@4": 0.8318724637288825, "P@4": F(3, 4), "R@4": F(3, 4)},
    ),
    "a documented example, recomputed": Case(
        "vibrantlabsai/ragas/pull/2816", {"q": {"d1", "d7"}}, {"q": ids("d1 d3 d7 d2 d9")},
        {"P@5": F(2, 5), "R@5": 1, "RR@5": 1, "nDCG@5": 0.9197207891481876},
    ),
    "fewer relevant documents than k": Case(
        "ireval/cwl/issues/20", {"q": {"a"}}, {"q": ids("x a")}, {"nDCG@10": 0.6309297535714574},
    ),
    "integer ids on one side": Case(
        "capreolus-ir/capreolus/pull/100", {1: {7: 1}}, {"1": {"7": 1.0}}, {"P@1": 1, "RR": 1},
    ),
    "scores as an embedding model returns them": Case(
        "cvangysel/pytrec_eval/issues/6", {"q": {"a": 1}},
        {"q": {"a": np.float32(1.5), "b": np.float16(1)}}, {"P@1": 1},
    ),
    "a query's own id among its results stays": Case(
        "beir-cellar/beir/issues/187", {"0": {str(i): 1 for i in range(10)}}, {"0": {str(i): 1.0 for i in range(10)}},
        {"P@10": 1, "R@10": 1, "nDCG@10": 1},
    ),
    "a judged document that is nowhere": Case(
        "beir-cellar/beir/issues/101", {"q": {"a", "ghost"}}, {"q": ids("a b")},
        {"P@2": F(1, 2), "R@2": F(1, 2), "RR@2": 1, "nDCG@2": 0.6131471927654584},
    ),
    "evaluated twice, every cutoff": Case(
        "terrierteam/ir_measures/issues/42", {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "b": 2.0}},
        {"nDCG@2": 1, "nDCG@10": 1},
    ),
    "discounted gain and its ideal": Case(
        "usnistgov/trec_eval/pull/1", {"q": {"a", "b"}}, {"q": ids("x a")}, {"nDCG@2": 0.3868528072345416},
    ),
    "grade 0 is not relevant": Case(
        "AmenRa/ranx/issues/29", {"q": {"a": 0, "b": 1}}, {"q": ["a"]}, {"P@1": 0, "R@1": 0, "RR@1": 0, "nDCG@1": 0},
    ),
    "only grades below -1": Case(
        "usnistgov/trec_eval/issues/29", {"q1": {"a": 1}, "q2": {"a": -2}}, {"q1": {"a": 2.0}, "q2": {"a": 2.0}},
        {"P@1": F(1, 2), "R@1": F(1, 2), "RR@1": F(1, 2), "nDCG@1": F(1, 2)}, n=2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_right_values(name):
    case = CASES[name]
    for _ in range(2):
        result = evaluate(case.qrels, {"A": case.run}, case.right, case.convention)
        for measure, right in case.right.items():
            assert result.mean("A", measure) == pytest.approx(float(right), rel=4e-16, abs=0), measure
        assert result.n("A") == case.n


@pytest.mark.parametrize("ties", ["docid_descending", "docid_ascending", "input_order"])
@pytest.mark.parametrize("run", [{"self": 1.0, "dup": 1.0, "x": 0.5}, {"dup": 1.0, "self": 1.0, "x": 0.5}])
def test_a_query_that_finds_itself_is_counted_and_kept(ties, run):
    """embeddings-benchmark/mteb/pull/5376: who wants it dropped does so by id, before."""
    result = evaluate({"self": {"dup", "x"}}, {"A": {"self": run}}, ["P@3"], TREC_EVAL.but(ties=ties))
    assert result.mean("A", "P@3") == pytest.approx(2 / 3)
    assert result.accounting().loc["A", "self_retrieved"] == 1


def test_the_mean_is_the_mean_of_the_rows_shown():
    """usnistgov/trec_eval/issues/18: no query that counts is missing from the rows."""
    result = evaluate({"q1": {"a"}, "q2": {"a"}}, {"A": {"q1": ["a"]}}, ["P@1", "RR@1"])
    frame = result.per_query
    assert list(zip(frame.query_id, frame.measure, frame.value, frame.status, strict=True)) == [
        ("q1", "P@1", 1.0, "scored"), ("q1", "RR@1", 1.0, "scored"),
        ("q2", "P@1", 0.0, "missing"), ("q2", "RR@1", 0.0, "missing"),
    ]  # fmt: skip
    assert frame.groupby("measure").value.mean().to_dict() == {"P@1": 0.5, "RR@1": 0.5}


def test_queries_that_were_not_asked():
    """terrier-org/pyterrier/issues/226: not asked is not unanswered."""
    qrels, run = {"1": {"a"}, "2": {"a"}, "3": {"a"}}, {"A": {"1": {"a": 1.0}, "3": {"a": 1.0}, "x": ["a"]}}
    some = evaluate(qrels, run, "P@1", queries=["1", 2])
    assert (some.mean("A", "P@1"), some.n("A")) == (0.5, 2)
    assert some.systems["A"].affected["unjudged_queries"] == ["x"]
    assert evaluate(qrels, run, "P@1").mean("A", "P@1") == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="'9' is not among the judged queries"):
        evaluate(qrels, run, "P@1", queries=["9"])


def test_measures_in_the_order_asked_for_each_once():
    """o19s/quepid/issues/632."""
    result = evaluate({"q": {"a"}}, {"A": {"q": ["a"]}}, ["nDCG@10", "P@1", "recall_5", "P@1", "R@5", "MRR@10"])
    assert list(result.summary().columns) == ["nDCG@10", "P@1", "R@5", "RR@10", "n"]


def test_constant_scores_are_told():
    """beir-cellar/beir/issues/212: scores that say nothing of the order."""
    result = evaluate({"q": {"a"}}, {"A": {"q": {"a": 1.0, "b": 1.0}}}, "P@1")
    assert "1 with all scores equal" in repr(result)


def test_a_repeated_document_names_both_ranks():
    """cvangysel/pytrec_eval/issues/50."""
    with pytest.raises(RejectedError, match="system 'A', query 'q', document 'a' stands at ranks 1 and 3"):
        evaluate({"q": {"a"}}, {"A": {"q": ["a", "b", "a"]}}, "P@3")
