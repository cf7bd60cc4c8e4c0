"""TREC 2019 Deep Learning, passages: published figures of five runs, and both backends' values on all of them."""

import ir_measures
import pytest
import pytrec_eval

from rageval_ir import TREC_EVAL_9, evaluate, read_qrels, read_runs

PUBLISHED = {"bm25": 0.5058, "bm25-rm3": 0.5216, "tas-b": 0.7210, "splade-pp-ed": 0.7308, "openai-ada2": 0.7035}

MEASURES = {
    "P(rel=2)@10": "P.10", "R(rel=2)@100": "recall.100", "RR(rel=2)": "recip_rank", "Success(rel=2)@5": "success.5",
    "AP(rel=2)@100": "map_cut.100", "AP(rel=2)": "map", "Rprec(rel=2)": "Rprec", "NumRel(rel=2)": "num_rel",
    "NumRet": "num_ret", "Bpref(rel=2)": "bpref", "infAP(rel=2)": "infAP", "nDCG@10": "ndcg_cut.10", "nDCG": "ndcg",
}  # fmt: skip
"""Our names, and pytrec_eval's for an evaluator made with relevance level 2."""


@pytest.fixture(scope="module")
def qrels(data):
    return read_qrels(data / "dl19" / "qrels.txt")


@pytest.fixture(scope="module")
def runs(data):
    return [run for name in PUBLISHED for run in read_runs(data / "dl19" / f"{name}.run")]


def test_published_ndcg(qrels, runs):
    summary = evaluate(qrels, runs, ["nDCG@10"]).summary()
    assert summary["nDCG@10"].round(4).to_dict() == PUBLISHED
    assert set(summary["n"]) == {43}


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_measure_is_pytrec_evals(data, qrels, name):
    """pytrec_eval reads the files itself here; it compares scores as 32-bit floats."""
    folder = data / "dl19"
    with (folder / "qrels.txt").open() as file:
        judged = pytrec_eval.parse_qrel(file)
    with (folder / f"{name}.run").open() as file:
        run = pytrec_eval.parse_run(file)
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES.values()), relevance_level=2).evaluate(run)
    result = evaluate(qrels, read_runs(folder / f"{name}.run"), MEASURES, TREC_EVAL_9)
    compared = 0
    for row in result.rows():
        key = MEASURES[row.measure].replace(".", "_")
        assert row.value == theirs[row.query_id][key], row
        compared += 1
    assert compared == 43 * len(MEASURES)


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_measure_is_ir_measures_on_what_we_hand_it(qrels, runs, name):
    """The converters' output as ir_measures takes it, all providers: no tie is left for them to break differently."""
    (run,) = [run for run in runs if run.name == name]
    names = ["P@10", "R@100", "RR@10", "RR", "Success@5", "nDCG@10", "nDCG", "AP@100", "Rprec", "Judged@10", "Bpref"]
    asked = {name: ir_measures.parse_measure(name) for name in names}
    result = evaluate(qrels, run, names)
    for converted in (run.to_dict(), run.to_tuples(), run.to_frame()):
        theirs = ir_measures.calc_aggregate(asked.values(), qrels.to_tuples(), converted)
        for name, measure in asked.items():
            assert result.mean(run.name, name) == pytest.approx(theirs[measure], rel=1e-13, abs=0)
