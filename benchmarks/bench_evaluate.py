"""Evaluation in memory, against pytrec_eval and ir_measures in the same process.

    pip install -e '.[test,bench]'
    pytest benchmarks/bench_evaluate.py --benchmark-timer=time.process_time --benchmark-columns=min,median,rounds

Read the factors in brackets, not the seconds: within a group they are relative to the fastest.
The data are synthetic and hold no ties, on which the peers differ among themselves.
"""

import random

import ir_measures
import pytest
import pytrec_eval

from rageval_ir import evaluate

MEASURES = ["P@10", "R@100", "RR@10", "nDCG@10"]
SIZES = {"6,980 queries x 1,000 results": (6_980, 1_000, 8), "100 queries x 10 results": (100, 10, 200)}


class Collection:
    """Judgments (1.1 relevant documents a query) and one system's rankings, as lists and as ready-made dicts."""

    def __init__(self, queries: int, results: int) -> None:
        draw = random.Random(6_980)
        self.relevant, self.lists = {}, {}
        for number in range(queries):
            doc_ids = [str(n) for n in draw.sample(range(8_841_823), results)]
            found = doc_ids[min(int(draw.expovariate(10 / results)), results - 1)]
            self.lists[str(number)] = doc_ids
            self.relevant[str(number)] = {found} | ({"missed"} if draw.random() < 0.1 else set())
        self.qrels = {query_id: dict.fromkeys(doc_ids, 1) for query_id, doc_ids in self.relevant.items()}
        self.run = {
            query_id: {doc_id: float(results - i) for i, doc_id in enumerate(doc_ids)}
            for query_id, doc_ids in self.lists.items()
        }


@pytest.fixture(scope="module", params=SIZES)
def size(request):
    return request.param


@pytest.fixture(scope="module")
def collection(size):
    return Collection(*SIZES[size][:2])


@pytest.fixture
def measured(benchmark, size):
    def measured(function, what=""):
        benchmark.group = size + what
        return benchmark.pedantic(function, rounds=SIZES[size][2], warmup_rounds=1)

    return measured


def test_rageval_ir_checked_and_accounted(measured, collection):
    result = measured(lambda: evaluate(collection.relevant, {"A": collection.lists}, MEASURES))
    assert result.crosscheck.compared == len(MEASURES) * len(collection.lists)


def test_rageval_ir_ten_systems(measured, collection):
    rankings = {f"system {n}": collection.lists for n in range(10)}
    result = measured(lambda: evaluate(collection.relevant, rankings, MEASURES))
    assert len(result.systems) == 10


def test_pytrec_eval_on_ready_made_dicts(measured, collection):
    names = {"P.10", "recall.100", "recip_rank", "ndcg_cut.10"}
    values = measured(lambda: pytrec_eval.RelevanceEvaluator(collection.qrels, names).evaluate(collection.run))
    assert len(values) == len(collection.lists)


def test_ir_measures_on_ready_made_dicts(measured, collection):
    asked = [ir_measures.P @ 10, ir_measures.R @ 100, ir_measures.RR @ 10, ir_measures.nDCG @ 10]
    values = measured(lambda: ir_measures.calc_aggregate(asked, collection.qrels, collection.run))
    ours = evaluate(collection.relevant, {"A": collection.lists}, MEASURES)
    assert [round(values[m], 12) for m in asked] == [round(ours.mean("A", name), 12) for name in MEASURES]


def test_rageval_ir_without_a_cutoff(measured, collection):
    result = measured(lambda: evaluate(collection.relevant, {"A": collection.lists}, "AP"), ", AP")
    assert result.crosscheck.compared == len(collection.lists)


def test_pytrec_eval_without_a_cutoff(measured, collection):
    values = measured(
        lambda: pytrec_eval.RelevanceEvaluator(collection.qrels, {"map"}).evaluate(collection.run), ", AP"
    )
    assert len(values) == len(collection.lists)
