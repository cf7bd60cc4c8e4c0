"""What a reader drops cannot be missed: a query's results beyond its first ranks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rageval_ir import TREC_EVAL, InputError, Run, audit, columns, evaluate, explain, read_run, reconcile
from rageval_ir.given import Scored
from rageval_ir.keep import ALL, Block, Keep, Segment, gather

FLOAT32 = TREC_EVAL.but(score_precision="float32")


@pytest.fixture(params=["rows", "objects", "arrow"])
def table(request, monkeypatch):
    """Makes rows of (query, document, score) an input of blocks of so many; it counts how often it is read."""

    def table(rows, size):
        monkeypatch.setattr(columns, "ROWS", size)
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
        if request.param != "rows":
            kind = {"objects": object, "arrow": "string[pyarrow]"}[request.param]
            frame = frame.astype({"query_id": kind, "doc_id": kind})

        def read(keep):
            read.times += 1
            if request.param == "rows":
                return (by_rows(rows[start : start + size], keep) for start in range(0, len(rows), size))
            return columns.blocks(frame["query_id"], frame["doc_id"], frame["score"], keep)

        read.times = 0
        return read

    return table


def by_rows(rows, keep):
    queries = list(dict.fromkeys(query_id for query_id, _, _ in rows))
    doc_ids = [[d for q, d, _ in rows if q == query_id] for query_id in queries]
    scores = [[s for q, _, s in rows if q == query_id] for query_id in queries]
    return Block(
        [
            Segment(q, Scored(*keep.cut(d, s)), len(set(d)) < len(d))
            for q, d, s in zip(queries, doc_ids, scores, strict=True)
        ],
        doc_ids.__getitem__,
    )


def row(rank, query_id="q"):
    return query_id, f"d{rank}", float(-rank)


def test_few_are_kept_and_the_last(table):
    rows = [row(rank) for rank in range(100)]
    for size in (100, 7, 1):
        kept = gather(table(rows, size), Keep(3))["q"]
        assert kept == Scored(["d0", "d1", "d2", "d99"], [0.0, -1.0, -2.0, -99.0])


@pytest.mark.parametrize("size", [100, 7, 1])
@pytest.mark.parametrize("queries", ["q", "qp"])
def test_a_document_repeated_far_below_is_still_rejected(table, size, queries):
    """Together or scattered, in one block or in two."""
    rows = [row(rank, query_id) for rank in range(60) for query_id in queries]
    rows.append(("q", "d50", -1000.0))
    read = table(rows, size)
    run = Run("A", gather(read, Keep(3)), Keep(3))
    assert len(run.rankings["q"].doc_ids) == 61
    with pytest.raises(InputError, match=r"system 'A', query 'q', document 'd50' stands at ranks 51 and 61"):
        evaluate({"q": {"d1"}}, run, "P@2")
    assert read.times <= 3


def test_ids_that_only_a_close_look_tells_apart(table):
    """Long, and different only where no code looks."""
    rows = [("q", "x" * 70 + f"{n:06}" + "y" * 20, float(-n)) for n in range(30)]
    assert len(gather(table(rows, 30), Keep(3))["q"].doc_ids) == 4
    again = gather(table([*rows, ("q", rows[20][1], -99.0)], 31), Keep(3))["q"]
    assert len(again.doc_ids) == 31  # whole, so that the repeat can be told


def test_queries_that_stand_together_are_read_once(table):
    read = table([row(rank, query_id) for query_id in "abc" for rank in range(50)], 20)
    assert [*gather(read, Keep(3))] == ["a", "b", "c"]
    assert read.times == 1


def test_ties_are_never_split(table):
    rows = [("q", f"d{n:02}", 1.0) for n in range(20)] + [("q", "last", 0.0)]
    for size in (21, 4):
        kept = gather(table(rows, size), Keep(2))["q"]
        assert len(kept.doc_ids) == 21
        assert evaluate({"q": {"d19"}}, Run("A", {"q": kept}, Keep(2)), "P@1").mean("A", "P@1") == 1


def test_scores_that_are_equal_as_32_bit_floats_are_a_tie(table):
    """Document ids then give the order, and the greatest has the sixth 64-bit score."""
    rows = [("q", f"d{n}" if n != 5 else "z", 1 - n * 1e-9) for n in range(8)]
    for size in (8, 3):
        run = Run("A", gather(table(rows, size), Keep.of(FLOAT32, 1)), Keep.of(FLOAT32, 1))
        result = evaluate({"q": {"z"}}, run, "P@1", FLOAT32)
        assert (result.mean("A", "P@1"), result.systems["A"].counts["constant_scores"]) == (1, 1)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_no_score_below_the_floor_equals_it_as_a_32_bit_float(score, other):
    floor = Keep(1, float32=True).below(score)
    with np.errstate(over="ignore"):
        if np.float32(other) == np.float32(score):
            assert other >= floor


def test_what_reaches_deeper_is_refused(tmp_path, tutorial):
    path = tmp_path / "a.run"
    path.write_text("".join(f"q Q0 d{n} {n} {100 - n} t\n" for n in range(1, 60)))
    run = read_run(path, depth=10)
    assert len(run.rankings["q"].doc_ids) == 12
    assert evaluate({"q": {"d9"}}, run, "P@10").mean("a", "P@10") == 0.1
    assert repr(run) == "Run('a': 1 queries, 12 results, read with depth=10)"
    deeper, every = r"system 'a': was read with depth=10; 20 are needed\. .* depth=20 or more", "every result is needed"
    for use, message in (
        (lambda: evaluate({"q": {"d9"}}, run, "P@20"), deeper),
        (lambda: explain({"q": {"d9"}}, run, "q", "P@20"), deeper),
        (lambda: evaluate({"q": {"d9"}}, run, "P@5", FLOAT32), "read the run again with this convention="),
        (lambda: run.order("q"), every),
        (lambda: run.to_dict(), every),
        (lambda: audit({"q": {"d9"}}, run, "P@5"), every),
        (lambda: reconcile({"q": {"d9"}}, run, {"a": {"P@5": "0.1"}}), every),
    ):
        with pytest.raises(InputError, match=message):
            use()


@pytest.mark.parametrize("depth", [0, -3, "5", True, 2**31])
def test_what_is_no_depth(tutorial, depth):
    with pytest.raises(InputError, match="The depth must be an int in the range"):
        read_run(tutorial / "A.run", depth=depth)


def test_conventions_that_need_every_result_get_it():
    assert Keep.of(TREC_EVAL, None) == ALL
    assert Keep.of(TREC_EVAL.but(duplicates="first"), 10) == ALL
    assert Keep.of(TREC_EVAL.but(unjudged_document="condense"), 10) == ALL
