"""Hostile input: what the backends do with it today (each in a process of its own), and what we do."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest
from ir_measures import Qrel, ScoredDoc

from rageval_ir import InputError, MeasureError, RagevalError, RejectedError, evaluate

DIES = "dies"
"""The backend takes the interpreter with it."""

GOOD = {"q": {"a": 1, "b": 0}}
RUN = {"q": {"a": 2.0, "b": 1.0}}
NAN, INF = float("nan"), float("inf")


@dataclass
class Case:
    """An input, what ir_measures makes of it, and what we do: an error that says so, or the defined values."""

    id: str
    backend: Any
    """DIES, the name of an exception, or the value that it returns for `measure`."""
    error: str = ""
    """What our message says; empty where the input is valid."""
    qrels: Any = field(default_factory=lambda: GOOD)
    run: Any = field(default_factory=lambda: RUN)
    measure: str = "P@1"
    value: Any = None
    kind: type[RagevalError] = InputError


CASES = [
    Case("cutoff 0", DIES, "int in the range [1, 2^31 - 1]. Found 0", measure="P@0", kind=MeasureError),
    Case("cutoff negative", "ValueError", "Found -1", measure="P@-1", kind=MeasureError),
    Case("cutoff fractional", "AssertionError", "Found '2.5'", measure="P@2.5", kind=MeasureError),
    Case("cutoff beyond 2^31", [2**-31], "Found 2147483648", measure="P@2147483648", kind=MeasureError),
    Case("cutoff beyond 2^64", "KeyError", f"Found '{10**20}'", measure=f"P@{10**20}", kind=MeasureError),
    Case("score NaN", [0.0], "query 'q', document 'a': score nan is not finite", run={"q": {"a": NAN, "b": 1.0}}),
    Case("score infinite", [0.0], "query 'q', document 'b': score inf is not finite", run={"q": {"a": 1.0, "b": INF}}),
    Case("score a string", "TypeError", "document 'a': score '1' is of type str", run={"q": {"a": "1"}}),
    Case("score None", "TypeError", "document 'a': score None is of type NoneType", run={"q": {"a": None, "b": 1.0}}),
    Case("score too large", "SystemError", "document 'a': score 1000", run={"q": {"a": 10**400, "b": 1.0}}),
    Case("score beyond 32 bits", [1.0], qrels={"q": {"z": 1}}, run={"q": {"a": 2e39, "z": 1e39}}, measure="RR",
         value=0.5),
    Case("scores equal in 32 bits", [0.5], run={"q": {"a": 1.000000001, "b": 1.0}}, measure="RR", value=1.0),
    Case("NUL in a document id", [1.0], "holds a NUL", qrels={"q": {"a\0x": 1}}, run={"q": {"a\0y": 1.0}}),
    Case("NUL in a query id", [1.0], "holds a NUL", qrels={"q\0": {"a": 1}}, run={"q\0": {"a": 1.0}}),
    Case("lone surrogate in an id", DIES, "lone surrogate", run={"q": {"\ud800": 1.0}}),
    Case("empty document id", [0.0], "document id is an empty string", run={"q": {"": 1.0}}),
    Case("document id None", "TypeError", "document id None is of type NoneType", run={"q": {None: 1.0}}),
    Case("document id float", "TypeError", "document id 7.0 is of type float", run={"q": {7.0: 1.0}}),
    Case("document id bytes", "TypeError", "document id b'a' is of type bytes", run={"q": {b"a": 1.0}}),
    Case("document id tuple", "TypeError", "is of type tuple", run={"q": {("a", 1): 1.0}}),
    Case("document id bool", "TypeError", "document id True is of type bool", run={"q": {True: 1.0}}),
    Case("ids int on both sides", "TypeError", qrels={1: {7: 1}}, run={1: {7: 1.0}}, value=1.0),
    Case("id 1 and '1'", "TypeError", "'1' is there twice, as text or as a number", qrels={1: {"a": 1}, "1": {"a": 0}}),
    Case("grade beyond 32 bits", [0.0], "does not fit into 32 bits", qrels={"q": {"a": 2**40}}),
    Case("grade 2^62", DIES, "does not fit into 32 bits", qrels={"q": {"a": 2**62}}, measure="nDCG@1"),
    Case("grade fractional", "TypeError", "relevance 0.5 is not an integer", qrels={"q": {"a": 0.5}}),
    Case("grade NaN", "TypeError", "relevance nan is not an integer", qrels={"q": {"a": NAN}}),
    Case("grade a string", "TypeError", "relevance '1' is of type str", qrels={"q": {"a": "1"}}),
    Case("grade 2.0", "TypeError", qrels={"q": {"a": 2.0, "b": 1}}, run={"q": {"b": 2.0, "a": 1.0}}, measure="nDCG@1",
         value=0.5),
    Case("only negative grades", DIES, qrels={"p": {"a": 1}, "q": {"a": -2}}, run={"p": {"a": 1.0}, "q": {"a": 1.0}},
         value=0.0),
    Case("grade 10^9", [0.0], qrels={"q": {"a": 10**9}}, run={"q": {"a": 1.0}}, measure="nDCG@1", value=1.0),
    Case("empty ranking, Judged", "ZeroDivisionError", run={"q": {}}, measure="Judged@5", value=0.0),
    Case("empty relevance set", [0.0], qrels={"q": {}, "p": {"a": 1}}, run={"q": {"a": 1.0}, "p": {"a": 1.0}},
         measure="nDCG@1", value=0.0),
    Case("a string for a ranking", "TypeError", "found 'a' of type str", run={"q": "a"}),
    Case("a set for a ranking", "TypeError", "a set has no order", run={"q": {"a", "b"}}),
    Case("too shallow a mapping", "TypeError", "found 1 of type int", qrels={"q": 1}),
    Case("two judgments of one document", [1.0], "document 'a' is judged 0 here and 1 in an earlier row",
         qrels=[Qrel("q", "a", 1), Qrel("q", "a", 0)], measure="RR@1"),
    Case("a document twice", [0.5], "document 'a' stands at ranks 1 and 3", measure="RR@5", kind=RejectedError,
         run=[ScoredDoc("q", "a", 3.0), ScoredDoc("q", "b", 2.0), ScoredDoc("q", "a", 1.0)]),
    Case("no queries", [], "hold no query", qrels={}),
    Case("no systems", [0.0], "hold no system", run={}),
]  # fmt: skip

# no more than 4 GiB, so that a grade of 10^9 (7.6 GiB in trec_eval) cannot take the machine with it
PRELUDE = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from ir_measures import *
nan, inf = float("nan"), float("inf")
def calc(measure, qrels, run):
    measure = eval(measure) if "2.5" not in measure else parse_measure(measure)
    print(json.dumps([m.value for m in iter_calc([measure], qrels, run) if str(m.query_id) in ("q", "1")]))
"""


def backend(case: Case) -> Any:
    """DIES, the name of the exception that ends the process, or the value of query q."""
    code = f"{PRELUDE}\ncalc({case.measure!r}, {case.qrels!r}, {case.run!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode < 0:
        return DIES
    if done.returncode:
        return done.stderr.strip().splitlines()[-1].split(":")[0]
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_backend(case):
    """What we protect from is real; should a backend mend it, this test says so."""
    assert backend(case) == case.backend


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_ours(case):
    rankings = {"A": case.run} if case.run else {}
    if case.error:
        with pytest.raises(case.kind) as caught:
            evaluate(case.qrels, rankings, case.measure)
        assert case.error in str(caught.value)
        assert type(caught.value) is case.kind
        return
    result = evaluate(case.qrels, rankings, case.measure)
    assert [row.value for row in result.rows() if row.query_id in ("q", "1")] == [case.value]


def test_no_measure():
    with pytest.raises(MeasureError, match="No measure was given"):
        evaluate(GOOD, {"A": RUN}, [])


@pytest.mark.parametrize("level", [{"A": {"q": (d for d in "ab")}}, {"A": {"q": {"a": 1.0}, "p": 3}}])
def test_what_is_no_ranking(level):
    with pytest.raises(InputError, match=r"system 'A', query '[pq]': found .* expected a list of document ids"):
        evaluate(GOOD, level, "P@1")


def test_rows_from_a_generator_are_read_once():
    qrels = (Qrel(*row) for row in [("q", "a", 1), ("q", "b", 0), ("p", "c", 1)])
    run = (ScoredDoc(*row) for row in [("q", "b", 1.0), ("p", "c", 1.0), ("q", "a", 2.0)])
    assert evaluate(qrels, run, ["P@1"]).mean("run", "P@1") == 1.0


def test_a_huge_gain_is_computed_by_the_reference():
    result = evaluate({"q": {"a": 10**9, "b": 10**9}}, {"A": {"q": ["x", "a"]}}, ["nDCG@2", "P@2"])
    by = {row.measure: (row.value, row.computed_by) for row in result.rows()}
    assert by == {"nDCG@2": (pytest.approx(0.3868528072345416, rel=1e-15), "reference"), "P@2": (0.5, "pytrec_eval")}
    assert "nDCG@2" in result.crosscheck.unchecked
