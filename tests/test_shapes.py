"""Every accepted shape of judgments and rankings, and what is said of the others."""

import re
from collections import UserDict
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from ir_measures import Qrel, ScoredDoc

from rageval_ir import InputError, Qrels, Run, to_qrels, to_runs
from rageval_ir.given import Failure, Scored

JUDGED = {"q": {"7": 1, "b": 0}, "p": {"c": 2}}

JUDGED_ROWS = [("q", "7", 1), ("q", "b", 0), ("p", "c", 2)]
FRAME = pd.DataFrame(JUDGED_ROWS, columns=["query_id", "doc_id", "relevance"])
RENAMED = FRAME.set_axis(["qid", "docno", "label"], axis=1)

QRELS_SHAPES = {
    "dicts": JUDGED,
    "integers for ids": {"q": {7: 1, "b": 0}, "p": {"c": 2}},
    "numpy": {np.str_("q"): {np.int64(7): np.int8(1), "b": np.float64(0.0)}, "p": {"c": np.float32(2)}},
    "other mappings": UserDict({"q": MappingProxyType({"7": True, "b": False}), "p": {"c": 2.0}}),
    "ir_measures' tuples": [Qrel(*row) for row in JUDGED_ROWS],
    "a generator": (Qrel(*row) for row in JUDGED_ROWS),
    "ir_measures' frame": FRAME,
    "PyTerrier's frame": RENAMED[["label", "docno", "qid"]].assign(label=[1.0, 0.0, 2.0], x=1),
    "categories": RENAMED.astype("category"),
    "nullable": RENAMED.convert_dtypes(),
    "itself": Qrels(JUDGED),
}


@pytest.mark.parametrize("shape", QRELS_SHAPES)
def test_judgments(shape):
    qrels = to_qrels(QRELS_SHAPES[shape])
    assert qrels.judgments == JUDGED
    assert all(type(grade) is int for grades in qrels.judgments.values() for grade in grades.values())
    assert qrels.fingerprint == Qrels({"p": {"c": 2}, "q": {"b": 0, "7": 1}}).fingerprint
    assert qrels.fingerprint != Qrels({"q": {"7": 1, "b": 0}, "p": {"c": 1}}).fingerprint


@pytest.mark.parametrize("kind", [set, frozenset, list, tuple])
def test_collections_of_ids_are_binary_judgments(kind):
    assert to_qrels({"q": kind(["a", "b"])}).judgments == {"q": {"a": 1, "b": 1}}


def test_an_id_listed_twice_is_one_judgment_and_counted():
    assert to_qrels({"q": ["a", "a", "b"]}).repeats == {"q": 1}
    assert to_qrels([Qrel("q", "a", 1)] * 3 + [Qrel("q", "b", 1)]).repeats == {"q": 2}


def test_negative_grades_are_kept():
    assert to_qrels({"q": {"a": -1, "b": -(2**31)}}).judgments == {"q": {"a": -1, "b": -(2**31)}}


ROWS = [("q", "7", 2.0), ("q", "b", 1.0), ("p", "c", 0.5)]

RUN_SHAPES = {
    "scores": {"A": {"q": {"7": 2.0, "b": 1.0}, "p": {"c": 0.5}}},
    "pairs": {"A": {"q": [("7", 2.0), ["b", 1.0]], "p": (("c", 0.5),)}},
    "integers": {"A": {"q": {7: 2, "b": 1}, "p": {"c": 0.5}}},
    "numpy": {"A": {"q": {"7": np.float32(2), "b": np.int16(1)}, "p": {np.str_("c"): np.array(0.5)}}},
    "tuples": {"A": [ScoredDoc(*row) for row in ROWS]},
    "a generator": {"A": (ScoredDoc(*row) for row in ROWS)},
    "a frame": {"A": pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score"])},
    "PyTerrier's frame": {"A": pd.DataFrame(ROWS, columns=["qid", "docno", "score"]).assign(rank=[0, 1, 0])},
    "a run": {"A": Run("other", {"q": Scored(["7", "b"], [2.0, 1.0]), "p": Scored(["c"], [0.5])})},
}


@pytest.mark.parametrize("shape", RUN_SHAPES)
def test_rankings(shape):
    (run,) = to_runs(RUN_SHAPES[shape])
    assert run == Run("A", {"q": Scored(["7", "b"], [2.0, 1.0]), "p": Scored(["c"], [0.5])})


@pytest.mark.parametrize(
    "ranking", [["7", "b"], ("7", "b"), [7, "b"], np.array(["7", "b"]), [np.int64(7), np.str_("b")]]
)
def test_lists(ranking):
    (run,) = to_runs({"A": {"q": ranking}})
    assert run.order("q").doc_ids == ["7", "b"]


def test_failures():
    (run,) = to_runs({"A": {"q": None, "p": ValueError("no index"), "r": ["a"], "s": Mute(), "t": OSError("\ud800")}})
    assert (run.rankings["q"], run.rankings["p"]) == (Failure(""), Failure("ValueError: no index"))
    assert (run.rankings["s"], run.rankings["t"]) == (Failure("Mute"), Failure(r"OSError: \ud800"))


class Mute(Exception):  # noqa: N818
    """An exception that cannot be shown."""

    def __str__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("rankings", "names"),
    [
        ({"q": ["a"]}, ["run"]),
        ({"q": {"a": 1.0}}, ["run"]),
        ({"q": None}, ["run"]),
        ({"q": {}}, ["run"]),
        ({"A": {}}, ["A"]),
        ({"A": {"q": None}}, ["A"]),
        ({"A": {}, "B": {"q": ["a"]}}, ["A", "B"]),
        ({"q": None, "p": {"a": 1.0}}, ["run"]),
        ({"q": [], "p": []}, ["run"]),
        ({"A": {"q": []}}, ["A"]),
        (pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score"]), ["run"]),
        (Run("mine", {}), ["mine"]),
    ],
)
def test_systems_or_queries(rankings, names):
    """The depth tells; where it does not, the judged queries do."""
    assert [run.name for run in to_runs(rankings, ["q", "p"])] == names


@pytest.mark.parametrize(
    ("relevant", "message"),
    [
        ({"q": "d1"}, "query 'q': found 'd1' of type str; expected a set or list of relevant document ids"),
        ({"q": 3}, "found 3 of type int"),
        ({"q": [["a", 1]]}, "document id ['a', 1] is of type list"),
        ({"q": [("a", 1)]}, "document id ('a', 1) is of type tuple"),
        ({"q": {"a": {"b": 1}}}, "document 'a': relevance {'b': 1} is of type dict"),
        ({"q": {"a": 1.5}}, "query 'q', document 'a': relevance 1.5 is not an integer grade"),
        ({"q": {"a": 2**31}}, "does not fit into 32 bits"),
        ({"q": {"a": Fraction(10**400)}}, "does not fit into 32 bits"),
        ({"q": {"a": float("-inf")}}, "relevance -inf is not an integer grade"),
        ({"q": (d for d in "ab")}, "an iterator can be read only once"),
        ({1.0: {"a"}}, "query id 1.0 is of type float"),
        ({True: {"a"}}, "query id True is of type bool"),
        ({"q": {1, "1"}}, "document id '1' is there twice, as text or as a number"),
        ({}, "hold no query"),
        ([], "hold no query"),
        ("qrels.txt", "read_qrels(path)"),
        (None, "found None of type NoneType"),
        ([("q", "a", 1)], "row 1: found ('q', 'a', 1) of type tuple; expected a named tuple"),
        ([Qrel("q", "a", 1), Qrel("q", "a", 2)], "row 2: document 'a' is judged 2 here and 1 in an earlier row"),
        (pd.DataFrame({"q": ["q"], "doc_id": ["a"]}), "no column 'query_id'; found the columns 'q', 'doc_id'"),
        (pd.DataFrame({"qid": [1.0], "docno": ["a"], "label": [1]}), "convert it to str or int"),
        (pd.DataFrame({"qid": ["q"], "docno": [None], "label": [1]}), "query 'q', row 1: document id"),
    ],
)
def test_judgments_refused(relevant, message):
    with pytest.raises(InputError, match=re.escape(message)):
        to_qrels(relevant)


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ({}, "hold no system"),
        ([], "hold no system"),
        ({"A": {"q": {"a", "b"}}}, "system 'A', query 'q': found"),
        ({"A": {"q": [("a", 1.0), ("b", 0.5, 1)]}}, "item 2 is ('b', 0.5, 1); expected a (document id, score) pair"),
        ({"A": {"q": [("a", 1.0), ("b",)]}}, "item 2 is ('b',); expected a (document id, score) pair"),
        ({"A": {"q": [("a", float("nan"))]}}, "system 'A', query 'q', document 'a': score nan is not finite"),
        ({"A": {"q": {"a": "0.5"}}}, "score '0.5' is of type str"),
        ({"A": {"q": {"a": True}}}, "score True is of type bool"),
        ({"A": {"q": {"a": 1 + 2j}}}, "is of type complex"),
        ({"A": {1: ["a"], "1": ["a"]}}, "system 'A': query id '1' is there twice"),
        ({"A": {"q": {1: 1.0, "1": 1.0}}}, "document id '1' is there twice"),
        ({"A": 3}, "found 3 of type int"),
        ([Run("x"), Run("x")], "Two systems are named 'x'"),
        ({3: {"q": ["a"]}, "3": {"q": ["a"]}}, "Two systems are named '3'. Hint: rename one; 1 and '1' are the same."),
        (pd.DataFrame([["q", "a", 1, 2]], columns=["qid", "docno", "score", "score"]), "two columns are named 'score'"),
        ({"A": {"q": pd.Series(["a", "b"])}}, "system 'A', query 'q': found 0    a 1    b"),
        (pd.DataFrame({"qid": ["q"], "docno": ["a"]}), "no column 'score'"),
        ([ScoredDoc("q", "a", None)], "score None is of type NoneType"),
        ([ScoredDoc(["q"], "a", 1.0)], "query id ['q'] is of type list"),
    ],
)
def test_rankings_refused(rankings, message):
    with pytest.raises(InputError, match=re.escape(message)):
        to_runs(rankings)


@pytest.mark.parametrize("doc_id", ["", "a\0b", "\ud800", None, 1.5, b"a", ("a",), True])
def test_a_list_is_checked_where_it_is_read(doc_id):
    (run,) = to_runs({"A": {"q": ["a", "b", doc_id]}})
    assert run.order("q", depth=2).doc_ids == ["a", "b"]
    with pytest.raises(InputError, match="system 'A', query 'q': "):
        run.order("q")


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        (
            {"q": Scored(["a", "b"], [float("nan"), 1.0])},
            "system 'x', query 'q', document 'a': score nan is not finite",
        ),
        ({"q": Scored(["a\0", "b"], [2.0, 1.0])}, "query 'q': document id 'a\\x00' holds a NUL"),
        ({"q": Scored(["a", "b"], [1.0])}, "system 'x', query 'q': 2 documents, but 1 scores"),
        ({"q": Scored(["a"], [1.0, 2.0])}, "1 documents, but 2 scores"),
        ({"q": Scored(["a"], [1.0, None])}, "query 'q': score None is of type NoneType"),
        ({1: ["a"], "1": ["a"]}, "system 'x': query id '1' is there twice"),
        ({"q": {"a", "b"}}, "a set has no order"),
        ([["a"]], "system 'x': found [['a']] of type list; expected a mapping by query id"),
    ],
)
def test_a_run_cannot_be_made_wrong(rankings, message):
    """Nor be taken by to_runs or evaluate: the constructor is the only way in."""
    with pytest.raises(InputError, match=re.escape(message)):
        Run("x", rankings)


def test_a_run_made_by_hand_is_as_good_as_a_read_one():
    run = Run("x", {1: Scored([7, "b"], [1, np.float32(2)]), "p": None, "r": {"a": 1}, "s": Failure("slow")})
    assert run.rankings == {
        "1": Scored(["7", "b"], [1.0, 2.0]), "p": Failure(""), "r": Scored(["a"], [1.0]), "s": Failure("slow"),
    }  # fmt: skip
    assert [type(doc_id) for doc_id in run.rankings["1"].doc_ids] == [str, str]
    with pytest.raises(InputError, match=r"system name 1\.5 is of type float"):
        Run(1.5, {})


def test_qrels_cannot_be_made_wrong():
    for judgments in ({"q": {"a": "1"}}, {1: {"a"}, "1": {"a"}}, {"q": "a"}, [("q", "a", 1)]):
        with pytest.raises(InputError, match=r"^judgments"):
            Qrels(judgments)


def test_only_some_judgments():
    qrels = Qrels({"q": ["a", "a"], "p": ["b", "b", "b"], "r": ["c"]})
    assert qrels.repeats == {"q": 1, "p": 2}
    assert qrels.only(["r", "p"]) == Qrels({"r": ["c"], "p": ["b", "b", "b"]})


class Name(str, Enum):  # noqa: UP042 -- which Python prints as Name.A
    """A name that is equal to its text and hashed otherwise."""

    A = "a"


def test_ids_of_a_subclass_of_str_are_their_text():
    (run,) = to_runs({"A": {"q": [Name.A, "b"], "p": {Name.A: 1.0}}})
    assert [type(doc_id) for doc_id in run.order("q").doc_ids] == [str, str]
    assert (run.order("q").doc_ids, run.order("p").doc_ids) == (["a", "b"], ["a"])
    assert to_qrels({"q": {Name.A}}).judgments == {"q": {"a": 1}}


def test_rows_and_iterators_where_a_system_may_be():
    rows = [ScoredDoc(*row) for row in ROWS]
    assert [run.name for run in to_runs({"A": iter(rows)}, ["q"])] == ["A"]
    with pytest.raises(InputError, match=r"query 'q': found .* an iterator can be read only once"):
        to_runs({"q": iter(["a"])}, ["q"])
    (run,) = to_runs({"A": {"q": np.array(["a", "b"])}}, ["A"])
    assert (run.name, run.order("q").doc_ids) == ("A", ["a", "b"])
    with pytest.raises(InputError, match="system 'A': found None of type NoneType"):
        to_runs({"A": None, "B": {"q": ["a"]}}, ["q"])
