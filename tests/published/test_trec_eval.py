"""trec_eval 10's own test suite: every line of its published outputs that names one of our measures."""

import re

import pytest

from rageval_ir import TREC_EVAL, Measure, evaluate, parse_measure, read_qrels, read_run

NAMES = re.compile(
    r"(P|recall|success|map_cut|ndcg_cut)_\d+|recip_rank|map|ndcg|Rprec|num_rel|num_ret|num_rel_ret|bpref|infAP"
)

WITHOUT_C = TREC_EVAL.but(missing_ranking="exclude")

OUTPUTS = {
    "out.test": ("qrels.test", "results.test", WITHOUT_C, None),
    "out.test with comments": ("qrels.test.with-comments", "results.test", WITHOUT_C, None),
    "out.test.a": ("qrels.test", "results.test", WITHOUT_C, None),
    "out.test.aq": ("qrels.test", "results.test", WITHOUT_C, None),
    "out.test.aqc": ("qrels.test", "results.trunc", TREC_EVAL, None),
    "out.test.aqcM": ("qrels.test", "results.trunc", TREC_EVAL, 100),
    "out.test.aql": ("qrels.rel_level", "results.test", WITHOUT_C.but(relevance_level=2), None),
    "out.test.meas_params": ("qrels.test", "results.test", WITHOUT_C, None),
}

LINES = {
    "out.test": 16, "out.test with comments": 16, "out.test.a": 48, "out.test.aq": 192, "out.test.aqc": 192,
    "out.test.aqcM": 192, "out.test.aql": 192, "out.test.meas_params": 44,
}  # fmt: skip
"""How many lines of each output are ours (grep counts them), so that none is passed over unseen."""


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_line_comes_out_in_all_printed_decimals(data, output):
    qrels, run, convention, depth = OUTPUTS[output]
    folder = data / "trec_eval"
    published = [line.split() for line in (folder / output.split()[0]).read_text().splitlines()]
    published = [fields for fields in published if NAMES.fullmatch(fields[0])]
    measures = {fields[0]: parse_measure(fields[0]) for fields in published}
    measures |= {"num_rel_ret": Measure("NumRet", rel=convention.relevance_level)} if "num_rel_ret" in measures else {}
    result = evaluate(read_qrels(folder / qrels), read_run(folder / run), measures.values(), convention, depth)
    rows = {(row.query_id, row.measure): row.value for row in result.rows()}
    (system,) = result.systems
    for name, query_id, printed in published:
        measure = measures[name]
        value = result.mean(system, measure) if query_id == "all" else rows[query_id, str(measure)]
        ours = f"{value:.4f}" if "." in printed else f"{value:.0f}"
        assert (name, query_id, ours) == (name, query_id, printed)
    assert len(published) == LINES[output]


def test_gains_of_grades_as_parameters(data):
    """`-m ndcg.1=3,2=9,4=4.5`: on these judgments, which are 0 and 1, only the gain of 1 is used."""
    folder = data / "trec_eval"
    published = {
        query_id: value
        for name, query_id, value in map(str.split, (folder / "out.test.meas_params").read_text().splitlines())
        if name.startswith("ndcg_1=3")
    }
    assert len(published) == 4
    result = evaluate(read_qrels(folder / "qrels.test"), read_run(folder / "results.test"), ["nDCG(gains={1:3,2:9})"])
    ours = {row.query_id: f"{row.value:.4f}" for row in result.rows()}
    assert ours | {"all": f"{result.mean('results', result.measures[0]):.4f}"} == published
