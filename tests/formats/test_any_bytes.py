"""Readers on any bytes: data, or an InputError that names the file; and what is written reads back."""

import gzip

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rageval_ir import InputError, evaluate, read_qrels, read_run, read_runs, to_qrels, to_runs, write_qrels, write_run

TOKENS = rb"q1 q2 0 Q0 d1 d2 1 -1 2.0 nan 1e999 # { } : [ ] , null \ud800".split()
TOKENS += [b'"a"', b"\xff", b"\x00", b"\xc2\xa0", b"\xef\xbb\xbf", b"\x1f\x8b"]
BLANKS = [b" ", b"\t", b"\n", b"\r\n", b"\r", b"\x0b", b"", b"\xe2\x80\xa8"]

words = st.tuples(st.sampled_from(TOKENS), st.sampled_from(BLANKS)).map(b"".join)
content = st.one_of(st.binary(max_size=60), st.lists(words, max_size=40).map(b"".join))


@settings(max_examples=500, deadline=None)
@given(content, st.booleans())
@example(b"q1 0 d1 1", True)
def test_any_bytes(tmp_path_factory, content, compressed):
    path = tmp_path_factory.getbasetemp() / "any bytes"
    path.write_bytes(gzip.compress(content) if compressed else content)
    for read in (read_qrels, read_run, read_runs):
        try:
            read(path)
        except InputError as error:
            assert str(error).startswith(str(path))  # noqa: PT017 -- no error is fine as well


doc_id = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)
scores = st.floats(allow_nan=False, allow_infinity=False)
rankings = st.dictionaries(
    doc_id, st.one_of(st.lists(doc_id, unique=True), st.dictionaries(doc_id, scores)), min_size=1
)
judgments = st.dictionaries(doc_id, st.dictionaries(doc_id, st.integers(-(2**31), 2**31 - 1), max_size=4), min_size=1)


@settings(max_examples=200, deadline=None)
@given(judgments, rankings, st.sampled_from(["json", "trec"]))
def test_what_is_written_reads_back(tmp_path_factory, relevant, ranked, kind):
    """JSON whole; TREC too, but for the queries that the writer says it cannot hold."""
    folder = tmp_path_factory.getbasetemp()
    qrels, (run,) = to_qrels(relevant), to_runs({"A": ranked})
    try:
        unheld = write_qrels(qrels, folder / "qrels", kind), write_run(run, folder / "run", kind)
    except InputError as error:
        assert kind == "trec"
        assert "in a TREC file" in str(error)  # noqa: PT017 -- no error is fine as well
        return
    held = {q: grades for q, grades in qrels.judgments.items() if q not in unheld[0]}
    assert not held or read_qrels(folder / "qrels").judgments == held
    kept = {q: scored for q, scored in run.to_dict().items() if q not in unheld[1]}
    if kept:
        again = read_run(folder / "run", "A")
        assert again.to_dict() == kept
        assert evaluate(qrels, again, ["P@2", "RR"]).summary().equals(evaluate(qrels, run, ["P@2", "RR"]).summary())
