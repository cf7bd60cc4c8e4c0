"""The door to the backends: what they are handed, and what they cannot take."""

import math
import subprocess
import sys

import pytest

from rageval_ir import TREC_EVAL, BackendError, BackendMissingError, InputError, evaluate, parse_measure, to_qrels
from rageval_ir.backends import GAIN_LIMIT, RANKS_LIMIT, Backends


def backend_values(qrels, rankings, name, convention=TREC_EVAL):
    measure = parse_measure(name)
    backends = Backends(to_qrels(qrels), [measure], convention)
    run = {query_id: backends.strict(ids, lambda: "here") for query_id, ids in rankings.items()}
    return backends.values(run)[measure]


def test_binary_measures_get_binary_grades_and_graded_ones_their_gains():
    grades = {"a": 3, "b": 1, "c": 0, "d": -2}
    names = ["P(rel=2)@5", "nDCG@5", "nDCG(dcg='exp-log2')@5", "nDCG(gains={1:9,0:5})@5", "Bpref"]
    backends = Backends(to_qrels({"q": grades}), map(parse_measure, names), TREC_EVAL)
    handed = [{d: backends._mapped(request.grades)["q"][d] for d in grades} for request in backends._requests.values()]
    assert handed == [
        {"a": 1, "b": 0, "c": 0, "d": 0},
        {"a": 3, "b": 1, "c": 0, "d": 0},
        {"a": 7, "b": 1, "c": 0, "d": 0},
        {"a": 3, "b": 9, "c": 5, "d": 0},
        {"a": 1, "b": 1, "c": 0, "d": -1},
    ]


def test_measures_of_one_mapping_share_an_evaluator():
    names = ["P@1", "P@5", "R@5", "RR@5", "AP", "nDCG@5", "Success@1"]
    backends = Backends(to_qrels({"q": {"a", "b"}}), map(parse_measure, names), TREC_EVAL)
    assert len(backends._trec_evaluators()) == 1


@pytest.mark.parametrize("k", [1, 2, 3, 7, 10, 49, 100, 1000])
def test_rr_with_a_cutoff_at_every_rank(k):
    """1 / rank is below 1 / k exactly beyond rank k, in floats as in numbers."""
    rankings = {f"q{rank}": [f"x{i}" for i in range(rank - 1)] + ["a"] for rank in (k - 1, k, k + 1) if rank}
    found = backend_values({q: {"a"} for q in rankings}, rankings, f"RR@{k}")
    assert found == {f"q{rank}": 1 / rank if rank <= k else 0 for rank in (k - 1, k, k + 1) if rank}


def test_only_negative_grades_after_any_other_query():
    """Handed over as they are, these kill the interpreter (see test_hostile)."""
    qrels = {"p": {"a": 1}, "q": {"a": -2, "b": -1}}
    for name in ("P@1", "Bpref", "infAP", "nDCG@1", "AP"):
        assert backend_values(qrels, {"p": ["a"], "q": ["a", "b"]}, name) == {"p": 1, "q": 0}


def test_gains_at_and_above_the_limit():
    for gain, by in ((GAIN_LIMIT, "pytrec_eval"), (GAIN_LIMIT + 1, "reference")):
        (row,) = evaluate({"q": {"a": gain, "b": 1}}, {"A": {"q": ["b", "a"]}}, "nDCG@2").rows()
        assert row.computed_by == by


def test_exponential_gains_that_no_float_holds():
    with pytest.raises(InputError, match=r"the gain 2\^2000 - 1 of the greatest grade is too large"):
        evaluate({"q": {"a": 2000}}, {"A": {"q": ["a"]}}, "nDCG(dcg='exp-log2')@5")


def test_scores_are_distinct_in_32_bits():
    backends = Backends(to_qrels({"q": {"a"}}), [], TREC_EVAL)
    assert list(backends.strict(["a", "b", "c"], lambda: "").values()) == [2.0**24, 2.0**24 - 1, 2.0**24 - 2]
    with pytest.raises(BackendError, match="system 'A': 16,777,217 results; pytrec_eval keeps at most 16,777,216"):
        backends.strict(range(RANKS_LIMIT + 1), lambda: "system 'A'")


def test_rbp_beyond_what_its_backend_reads():
    ranking = {"A": {"q": [f"d{i}" for i in range(1001)]}}
    with pytest.raises(BackendError, match=r"'q': 1,001 results; cwl_eval reads only 1,000. Hint: set depth=1000"):
        evaluate({"q": {"d0"}}, ranking, "RBP")
    assert evaluate({"q": {"d0"}}, ranking, "RBP(p=0.5)", depth=1000).mean("A", "RBP(p=0.5)") == pytest.approx(0.5)


def test_an_empty_ranking_before_any_other():
    """In a process of its own, since pytrec_eval is right once it has seen a document."""
    code = (
        "import pytrec_eval as p, rageval_ir as r\n"
        "raw = lambda: p.RelevanceEvaluator({'q': {'a': 1}}, {'num_rel'}).evaluate({'q': {}})['q']['num_rel']\n"
        "print(raw(), r.evaluate({'q': {'a': 1}}, {'A': {}}, ['NumRel', 'P@1']).mean('A', 'NumRel'), raw())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1:] == ["1.0", "1.0"]


def test_a_missing_extra_says_how_to_install_it(monkeypatch):
    import ir_measures

    monkeypatch.setattr(type(ir_measures.cwl_eval), "is_available", lambda self: False)
    with pytest.raises(BackendMissingError, match=r"pip install 'rageval-ir\[cwl\]'"):
        evaluate({"q": {"a"}}, {"A": {"q": ["a"]}}, "RBP")


def test_a_backend_that_fails_is_told_from_bad_input(monkeypatch):
    import pytrec_eval

    class Broken:
        def __init__(self, *_):
            pass

        def evaluate(self, _):
            raise SystemError("no")

    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", Broken)
    with pytest.raises(BackendError, match="pytrec_eval failed: SystemError: no") as caught:
        evaluate({"q": {"a"}}, {"A": {"q": ["a"]}}, "P@1")
    assert caught.value.exit_code == 3


def test_no_deprecation_warning():
    """ir_measures' parser warns from Python 3.12 on and fails on 3.14; we do not call it."""
    code = "import rageval_ir as r; r.evaluate({'q': {'a'}}, {'A': {'q': ['a']}}, ['P@1', 'Judged@1', 'RBP']).summary()"
    subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", code], check=True)


def test_a_backend_that_cannot_even_be_set_up(monkeypatch):
    import pytrec_eval

    def refuse(*_):
        raise TypeError("no such measure")

    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", refuse)
    with pytest.raises(BackendError, match="pytrec_eval failed: TypeError: no such measure"):
        evaluate({"q": {"a"}}, {"A": {"q": ["a"]}}, "P@1")


@pytest.mark.parametrize(("module", "measure"), [("ir_measures", "Judged@1"), ("pytrec_eval", "P@1")])
def test_a_backend_that_is_not_installed(monkeypatch, module, measure):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BackendMissingError, match=f"{module}.* Hint: pip install") as caught:
        evaluate({"q": {"a"}}, {"A": {"q": ["a"]}}, measure)
    assert caught.value.exit_code == 3


def test_exponential_gains_up_to_the_last_that_sums_in_a_float():
    (row,) = evaluate({"q": {"a": 1000}}, {"A": {"q": ["x", "a"]}}, "nDCG(dcg='exp-log2')@5").rows()
    assert (row.value, row.computed_by) == (pytest.approx(1 / math.log2(3)), "reference")
    with pytest.raises(InputError, match=r"the gain 2\^1001 - 1"):
        evaluate({"q": {"a": 1001}}, {"A": {"q": ["a"]}}, "nDCG(dcg='exp-log2')@5")


def test_rbp_counts_by_its_level():
    """By hand: (1 - p) * p^(rank - 1) over the relevant ranks."""
    qrels, ranking = {"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}
    assert backend_values(qrels, ranking, "RBP(p=0.5)")["q"] == pytest.approx(0.75)
    assert backend_values(qrels, ranking, "RBP(p=0.5,rel=2)")["q"] == pytest.approx(0.25)
    assert backend_values(qrels, ranking, "RBP(p=0.5)", TREC_EVAL.but(relevance_level=2))["q"] == pytest.approx(0.25)


def test_judged_of_an_empty_ranking():
    assert backend_values({"q": {"a"}, "p": {"a"}}, {"q": [], "p": ["a"]}, "Judged@5") == {"q": 0.0, "p": 1.0}


def test_grades_that_only_seem_to_be_mapped_to_themselves():
    """The gains of grades 1 and 2 are exchanged: the same numbers, another mapping."""
    exchanged = backend_values({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "nDCG(gains={1:2,2:1})@2")["q"]
    assert exchanged == 1.0
