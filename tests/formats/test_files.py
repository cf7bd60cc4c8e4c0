"""Files: what is read as trec_eval reads it, what is refused with file, line and text, what is written."""

import gzip
import io
import json
import os
import re
import sys
from itertools import pairwise

import pytest
import pytrec_eval

from rageval_ir import (
    TREC_EVAL,
    InputError,
    evaluate,
    read_qrels,
    read_run,
    read_runs,
    to_qrels,
    to_runs,
    write_qrels,
    write_run,
)
from rageval_ir.given import Failure, Scored

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
RUN = b"q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\nq2 Q0 c 1 0.5 t\n"
JUDGMENTS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RANKINGS = {"q1": Scored(["a", "b"], [2.5, 1.5]), "q2": Scored(["c"], [0.5])}

LAYOUTS = {
    "as usual": lambda text: text,
    "tabs and runs of blanks": lambda text: text.replace(b" ", b" \t \v\f"),
    "blanks at both ends": lambda text: b"".join(b"  " + line + b"\t\n" for line in text.splitlines()),
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "BOM": lambda text: b"\xef\xbb\xbf" + text,
    "no last newline": lambda text: text.rstrip(),
    "comments and blank lines": lambda text: b"# a comment\n\n  # 1 2 3 4\n" + text.replace(b"\n", b"\n \t\n"),
    "gzip": gzip.compress,
    "gzip of BOM and CRLF": lambda text: gzip.compress(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n")),
    "two gzip members": lambda text: gzip.compress(text[:20]) + gzip.compress(text[20:]),
    "interleaved": lambda text: b"".join(text.splitlines(keepends=True)[i] for i in (0, 2, 1)),
}


@pytest.fixture
def file(tmp_path):
    def written(content: bytes, name: str = "file.txt"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return written


@pytest.mark.parametrize("layout", LAYOUTS)
def test_trec(file, layout):
    """By content, not by name: the name here says nothing of gzip."""
    assert read_qrels(file(LAYOUTS[layout](QRELS))).judgments == JUDGMENTS
    assert read_run(file(LAYOUTS[layout](RUN))).rankings == RANKINGS


def test_junk_after_the_sixth_field_and_ranks_that_are_none(file):
    junk = RUN.replace(b" t\n", b" t and more # 7\n").replace(b"a 1 ", b"a 0 ").replace(b"b 2 ", b"b x ")
    assert read_run(file(junk)).rankings == RANKINGS


def test_ids_are_any_bytes_that_are_utf_8(file):
    odd = "q\u00a0ü Q0 d#1\u2028x 1 -1e-3 t\n".encode()
    assert read_run(file(odd)).rankings == {"q\u00a0ü": Scored(["d#1\u2028x"], [-0.001])}


def test_grades_as_pandas_writes_them(file):
    assert read_qrels(file(b"q 0 a 1.0\nq 0 b -1\nq 0 c +2\n")).judgments == {"q": {"a": 1, "b": -1, "c": 2}}


def test_repeated_judgments_are_counted(file):
    qrels = read_qrels(file(b"q 0 a 1\nq 0 a 1\nq 0 b 1\n"))
    assert (qrels.judgments, qrels.repeats) == ({"q": {"a": 1, "b": 1}}, {"q": 1})


def test_real_files_read_as_pytrec_eval_reads_them(data):
    for folder, qrels, run in (("trec_eval", "qrels.test", "results.test"), ("dl19", "qrels.txt", "splade-pp-ed.run")):
        with (data / folder / qrels).open() as lines:
            assert read_qrels(data / folder / qrels).judgments == pytrec_eval.parse_qrel(lines)
        with (data / folder / run).open() as lines:
            theirs = pytrec_eval.parse_run(lines)
        ours = read_run(data / folder / run).rankings
        assert {q: dict(zip(*scored, strict=True)) for q, scored in ours.items()} == theirs


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q 0 a 1\nq 0 b\n", "line 2: 'q 0 b': expected 4 fields (query_id iteration doc_id relevance), found 3."),
        (RUN, "found 6. Hint: is this a run?"),
        (b"q 0 a 1 x\n", "found 5"),
        (b"q 0 a yes\n", "line 1: 'q 0 a yes': the relevance is not an integer"),
        (b"q 0 a 1_0\n", "the relevance is not an integer"),
        (b"q 0 a 0.5\n", "relevance 0.5 is not an integer grade"),
        (b"q 0 a nan\n", "relevance nan is not an integer grade"),
        (b"q 0 a inf\n", "relevance inf is not an integer grade"),
        (b"q 0 a 4294967296\n", "does not fit into 32 bits"),
        (b"q 0 a " + b"9" * 50, "does not fit into 32 bits"),
        (b"q 0 a " + b"9" * 5000, "the relevance is not an integer"),
        (b"q 0 a 1\n\nq 0 a 0\n", "line 3: 'q 0 a 0': document 'a' of query 'q' is judged 0 here and 1 in line 1"),
        (b"q 0 \xff 1\n", "an id is not UTF-8"),
        (b"q\x00 0 a 1\n", "an id holds a NUL"),
        (b"", "holds no judgment"),
        (b"# only\n", "holds no judgment"),
        (b"\xff\xfeq\x00", "is UTF-16"),
        (gzip.compress(QRELS)[:-9], "cannot be read: Compressed file ended before the end-of-stream marker"),
        (b"\x1f\x8b\x08" + b"x" * 30, "cannot be read"),
        (b'{"q": {"a": 1}', "line 1, column 15: not JSON: Expecting"),
        (b'{"q": {"a": 1, "a": 0}}', "the name 'a' is there twice in one object"),
        (b'{"q": {"a": NaN}}', "holds NaN"),
        (b'{"q": {"a": 1.5}}', "query 'q', document 'a': relevance 1.5"),
        (b'{"q": "a"}', "found 'a' of type str"),
        (b'{"q": {"\\ud800": 1}}', "lone surrogate"),
        (b"{" * 100_000, "not JSON"),
        (b'{"q":' * 100_000, "nested too deeply"),
        (b'{"q": {"a": ' + b"1" * 5000 + b"}}", "a number that is too long"),
        (b"{}", "hold no query"),
        (b'{"q": {"a": "\xff"}}', "is not UTF-8"),
    ],
)
def test_judgments_refused(file, content, message):
    path = file(content)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_qrels(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q Q0 a 1 2.5 t\nq Q0 b 2\n", "line 2: 'q Q0 b 2': expected 6 fields (query_id Q0 doc_id rank score run_id)"),
        (QRELS, "found 4. Hint: is this a qrels file?"),
        (b"q Q0 a 1 high t\n", "the score is not a number"),
        (b"q Q0 a 1 1_0 t\n", "the score is not a number"),
        (b"q Q0 a 1 nan t\n", "score nan is not finite"),
        (b"q Q0 a 1 -inf t\n", "score -inf is not finite"),
        (b"q Q0 a 1 1e999 t\n", "score inf is not finite"),
        (b"q Q0 \xe9 1 1 t\n", r"'q Q0 \\xe9 1 1 t': an id is not UTF-8"),
        (b"\n\n", "holds no result"),
        (b'{"A": {"q": ["a"]}, "B": {"q": ["a"]}}', "holds 2 systems: A, B. Hint: read_runs(path)"),
        (b'{"q": {"a": 1e999}}', "score inf is not finite"),
        (b'{"q": 3}', "found 3 of type int"),
    ],
)
def test_runs_refused(file, content, message):
    path = file(content)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_run(path)
    assert str(caught.value).startswith(str(path))


def test_a_run_with_a_document_twice_names_it(file):
    run = read_run(file(b"q Q0 a 1 2 t\nq Q0 b 2 1.5 t\nq Q0 a 3 1 t\n"))
    with pytest.raises(InputError, match="query 'q', document 'a' stands at ranks 1 and 3"):
        evaluate({"q": {"a"}}, run, "P@3")


@pytest.mark.parametrize("path", ["nowhere/at all.txt", ".", "\0"])
def test_no_file(path):
    with pytest.raises(InputError, match=f"^{re.escape(path)}: cannot be read: "):
        read_qrels(path)


@pytest.mark.parametrize("path", [None, 3, b"file"])
def test_no_path(path):
    for call in (lambda: read_qrels(path), lambda: read_run(path), lambda: write_run({"q": ["a"]}, path)):
        with pytest.raises(InputError, match="expected the path of a file"):
            call()


def test_json_names_systems_and_failures(file):
    path = file(json.dumps({"A": {"q": ["a"], "p": None}, "B": {"q": [["a", 1.5]]}, "C": {"q": {"a": 2}}}).encode())
    a, b, c = read_runs(path)
    assert (a.name, a.rankings) == ("A", {"q": ["a"], "p": Failure("")})
    assert (b.name, b.rankings) == ("B", {"q": Scored(["a"], [1.5])})
    assert (c.name, c.rankings) == ("C", {"q": Scored(["a"], [2.0])})


def test_a_run_is_named_by_its_file(file):
    assert read_run(file(RUN, "bm25.tuned.run.gz")).name == "bm25.tuned"
    assert read_run(file(b' \n\t{"q": ["a"]}', "dense.json")).name == "dense"
    assert read_run(file(RUN, "x"), name="mine").name == "mine"


def test_standard_input(monkeypatch):
    for content in (RUN, gzip.compress(RUN)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
        run = read_run("-")
        assert (run.name, run.rankings) == ("stdin", RANKINGS)


@pytest.mark.parametrize("name", ["out", "out.gz"])
@pytest.mark.parametrize("kind", ["trec", "json"])
def test_what_is_written_reads_back(tmp_path, name, kind):
    path = tmp_path / name
    qrels, (run,) = to_qrels(JUDGMENTS), to_runs({"A": {"q1": {"a": 1.0, "b": 1.0}, "q2": ["c"]}})
    assert write_qrels(qrels, path, kind) == []
    assert read_qrels(path) == qrels
    assert write_run(run, path, kind) == []
    again = read_run(path, "A")
    assert again.to_dict() == run.to_dict() == {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
    assert path.read_bytes().startswith(b"\x1f\x8b") == (name == "out.gz")


def test_json_keeps_what_trec_cannot_hold(tmp_path):
    path = tmp_path / "out"
    given = {"A": {"with space": ["a b"], "failed": None, "empty": [], "tied": [("a", 1.0), ("b", 1.0), ("a", 0.5)]}}
    assert write_run(given, path, "json") == []
    assert read_run(path, "A") == to_runs(given)[0]
    assert write_run({"A": {"q": ["a"], "failed": None, "empty": [], "none": {}}}, path) == ["failed", "empty", "none"]
    assert write_qrels({"q": {"a"}, "unanswerable": set()}, path) == ["unanswerable"]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"A": {"q 1": ["a"]}}, "The query id 'q 1' holds white space"),
        ({"A": {"q": ["a\tb"]}}, r"The document id 'a\tb' holds white space"),
        ({"a system": {"q": ["a"]}}, "The system name 'a system' holds white space"),
        ({"A": {"#1": ["a"]}}, "The query id '#1' at the start of a line in a TREC file would be taken for a comment"),
        ({"A": {"{1": ["a"]}}, "for JSON"),
        ({"A": {"\ufeffq": ["a"]}}, "for a byte-order mark"),
        ({"A": {"q": ["a"]}, "B": {"q": ["a"]}}, "A run file holds one system; found A, B"),
    ],
)
def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path, run, message):
    path = tmp_path / "out"
    path.write_text("before")
    with pytest.raises(InputError, match=re.escape(message)):
        write_run(run, path)
    with pytest.raises(InputError, match="Unknown format 'xml'"):
        write_run({"q": ["a"]}, path, "xml")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("out", "before")]


def test_an_interrupted_write_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("before")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_qrels({"q": {"a"}}, path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("out", "before")]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_qrels({"q": {"a"}}, tmp_path / "none" / "out")


def test_a_written_run_is_in_the_order_of_the_convention(tmp_path):
    path = tmp_path / "out"
    write_run({"A": {"q": {"a": 1.0, "b": 1.0}}}, path, convention=TREC_EVAL.but(ties="docid_ascending"))
    assert path.read_text() == "q Q0 a 1 2 A\nq Q0 b 2 1 A\n"
    scores = [float(line.split()[4]) for line in path.read_text().splitlines()]
    assert all(one > two for one, two in pairwise(scores))


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "target").write_text("before")
    (tmp_path / "link").symlink_to("target")
    write_qrels({"q": {"a"}}, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "q 0 a 1\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_into_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_qrels({"q": {"a"}}, tmp_path / "pipe")
    assert os.read(reader, 100) == b"q 0 a 1\n"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_the_one_system_of_a_json_file_keeps_its_name(file):
    path = file(b'{"bm25": {"q": ["a"]}}', "other.json")
    assert [run.name for run in read_runs(path)] == ["bm25"]
    assert [run.name for run in read_runs(file(b'{"q": ["a"]}', "other.json"))] == ["other"]


def test_judged_queries_tell_queries_from_systems(file):
    path = file(b'{"q1": {}, "q2": {}}', "empty.json")
    assert [run.name for run in read_runs(path)] == ["q1", "q2"]
    assert [run.name for run in read_runs(path, judged_queries=["q1"])] == ["empty"]


def test_five_fields_are_no_run_line(file):
    with pytest.raises(InputError, match="found 5"):
        read_run(file(b"q Q0 a 1 2.5\n"))
