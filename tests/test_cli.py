"""The command: what it prints where, its exit status, and no traceback for a user's mistake."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rageval_ir import Evaluation
from rageval_ir.cli import main

posix = pytest.mark.skipif(os.name != "posix", reason="shells, signals and terminals as POSIX has them")
COMMAND = [sys.executable, "-m", "rageval_ir"]
TABLE = """\
system     P@2     R@2    RR@2  n
A       0.3333  0.5000  0.5000  3
B       0.6667  1.0000  1.0000  3
"""


@pytest.fixture
def files(tutorial):
    return [str(tutorial / name) for name in ("qrels.txt", "A.run", "B.run")]


@pytest.fixture
def run(capsys):
    """Exit status, standard output and standard error of the command, run in this process."""

    def run(*arguments):
        try:
            status = main(["evaluate", *arguments])
        except SystemExit as left:
            status = left.code
        return (status, *capsys.readouterr())

    return run


def test_the_example(run, files):
    status, out, err = run(*files, "-m", "P@2", "-m", "R@2", "-m", "RR@2")
    assert (status, err) == (0, "")
    assert out.startswith(TABLE)
    assert run(*files, "-k", "2")[1] == out


def test_the_demo_is_the_example_with_its_working(capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(TABLE)
    assert "A returned 1. d2 (relevant), 2. d5 (not)\n  P@2  = 1/2 = 0.5000\n  R@2  = 1/2 = 0.5000" in out
    assert "\n  RR@2 = 1/1 = 1.0000\nB returned" in out


def test_the_shipped_files_hold_the_demo(files):
    from rageval_ir import read_qrels, read_run
    from rageval_ir.demo import RANKINGS, RELEVANT

    assert {q: set(grades) for q, grades in read_qrels(files[0]).judgments.items()} == RELEVANT
    for path in files[1:]:
        loaded = read_run(path)
        assert {q: list(docs) for q, docs in loaded.to_dict().items()} == RANKINGS[loaded.name]


def test_formats(run, files):
    as_csv = list(csv.reader(io.StringIO(run(*files, "-m", "P@2", "--format", "csv")[1])))
    assert as_csv == [["system", "P@2", "n"], ["A", str(1 / 3), "3"], ["B", str(2 / 3), "3"]]
    rows = list(csv.DictReader(io.StringIO(run(*files, "-m", "P@2", "-q", "--format", "csv")[1])))
    assert rows[1] == {
        "system": "A", "query_id": "export", "measure": "P@2", "value": "0.5", "numerator": "1", "denominator": "2",
        "status": "scored", "computed_by": "pytrec_eval",
    }  # fmt: skip
    assert Evaluation.from_json(run(*files, "-m", "P@2", "--format", "json")[1]).mean("A", "P@2") == 1 / 3
    markdown = run(*files, "-m", "P@2", "-q", "--format", "markdown")[1]
    assert "| A | export | P@2 | 0.5000 | 1 | 2 | scored | pytrec\\_eval |" in markdown
    assert "| A | 0.3333 | 3 |" in markdown


def test_one_flag_for_each_axis(run, files):
    _, out, _ = run(*files, "-m", "P@5", "--precision-denominator", "retrieved", "--relevance-level", "1")
    assert "convention: TREC_EVAL with precision_denominator=retrieved" in out
    assert out.splitlines()[1].split() == ["A", "0.3333", "3"]
    out = run(*files, "-m", "R@5", "--recall-denominator", "relevant_retrieved")[1]
    assert "R@5: recall_denominator=relevant_retrieved is computed by the reference alone" in out


def test_a_named_convention_and_a_departure(run, files):
    assert run(*files, "-k", "2", "--convention", "strict")[0] == 0
    status, out, err = run(*files, "-k", "3", "--convention", "strict")
    assert (status, out) == (2, "")
    assert err == (
        "rageval-ir: system 'A', query 'setup': 2 results, fewer than the 3 of P@3.\n"
        "hint: retrieve more, or choose precision_denominator=k or retrieved.\n"
        "rageval-ir: system 'B', query 'setup': 2 results, fewer than the 3 of P@3.\n"
        "hint: retrieve more, or choose precision_denominator=k or retrieved.\n"
    )
    assert run(*files, "-k", "3", "--convention", "strict", "--precision-denominator", "k")[0] == 0


def test_systems_are_named_by_their_files(run, files, tmp_path):
    other = tmp_path / "A.run"
    other.write_bytes(Path(files[1]).read_bytes())
    names = list(json.loads(run(*files, str(other), files[2], "-k", "2", "--format", "json")[1])["systems"])
    assert names == [files[1], files[2], str(other), f"{files[2]}#2"]


def test_only_some_queries(run, files, tmp_path):
    listed = tmp_path / "queries"
    listed.write_text("export\n\nsetup\n")
    out = run(*files, "-k", "2", "--queries", str(listed))[1]
    assert out.splitlines()[1].split() == ["A", "0.5000", "0.7500", "0.7500", "2"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_others_still_finish(run, files, tmp_path, jobs):
    """In the order given; the status is that of what is worst."""
    bad = tmp_path / "bad.run"
    bad.write_text("x y\n")
    alone = run(files[0], files[1], files[2], "-k", "2")[1]
    status, out, err = run(files[0], files[1], str(bad), files[2], "nowhere", "-k", "2", "--jobs", jobs)
    assert (status, out) == (2, alone)
    assert [line.split(":")[1] for line in err.splitlines()] == [f" {bad}, line 1", " nowhere"]


def test_jobs_give_what_one_gives(run, files):
    several = [*files, files[1], "-k", "2", "--format", "json"]
    assert run(*several, "--jobs", "3") == run(*several)
    assert run(*several, "--jobs", "0")[2] == "rageval-ir: --jobs: found 0; expected 1 or more.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "x"], "rageval-ir: nowhere: cannot be read: No such file or directory."),
        (["QRELS"], "rageval-ir evaluate: the following arguments are required: RUN"),
        (["QRELS", "QRELS"], "expected 6 fields (query_id Q0 doc_id rank score run_id), found 4."),
        (["QRELS", "A", "-m", "nDGC@10"], "rageval-ir: Unknown measure 'nDGC@10'."),
        (["QRELS", "A", "-m", "P"], "rageval-ir: P needs a cutoff."),
        (["QRELS", "A", "-k", "0"], "rageval-ir: The cutoff of P must be an int in the range [1, 2^31 - 1]. Found 0."),
        (["QRELS", "A", "-k", "x"], "argument -k/--cutoff: invalid int value: 'x'"),
        (["QRELS", "A", "--ties", "random"], "rageval-ir: The axis 'ties' has no option 'random'."),
        (["QRELS", "A", "--convention", "X"], "rageval-ir: Unknown convention 'X'."),
        (["QRELS", "A", "--depth", "0"], "rageval-ir: The depth must be an int"),
        (["QRELS", "A", "--form", "csv"], "rageval-ir: unrecognized arguments: --form csv"),
        (["-", "-"], "rageval-ir: Standard input (-) is given twice."),
    ],
)
def test_mistakes_are_told_in_one_or_two_lines(run, files, arguments, message):
    status, out, err = run(*({"QRELS": files[0], "A": files[1]}.get(a, a) for a in arguments))
    assert (status, out) == (2, "")
    assert message in err.splitlines()[0]
    assert len(err.splitlines()) <= 2


def test_a_disagreement_has_its_own_status(run, files, monkeypatch):
    from rageval_ir.backends import Backends

    monkeypatch.setattr(Backends, "values", lambda self, run: {m: dict.fromkeys(run, 0.25) for m in self._requests})
    status, out, err = run(*files, "-k", "2")
    assert (status, out) == (4, "")
    assert err.startswith("rageval-ir: system 'A', query 'setup': P@2 is 0.25 by the backend and 0.5 by the reference")


def test_a_missing_backend_has_its_own_status(run, files, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    status, out, err = run(*files, "-k", "2")
    assert (status, out) == (3, "")
    assert err.splitlines()[1] == "hint: pip install pytrec-eval-terrier."


def test_help_imports_neither_pandas_nor_numpy():
    code = (
        "import sys; from rageval_ir.cli import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print([m for m in ('pandas', 'numpy', 'scipy', 'ir_measures', 'pytrec_eval') if m in sys.modules])"
    )
    for arguments in (["--help"], ["evaluate", "--help"], ["--version"]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]"


def test_help_explains_every_option():
    done = subprocess.run([*COMMAND, "evaluate", "--help"], capture_output=True, text=True, check=True)
    help_text = " ".join(done.stdout.split())
    assert "--recall-denominator OPTION R@k with more than k relevant documents: divided by what?" in help_text
    assert "docid_descending: the greater document id, by its bytes (trec_eval)" in help_text


def test_pipes(files):
    command = [*COMMAND, "evaluate", files[0], "-", "-k", "2"]
    done = subprocess.run(command, input=Path(files[1]).read_bytes(), capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[1].split() == ["stdin", "0.3333", "0.5000", "0.5000", "3"]
    assert done.stderr == b""


@posix
def test_head(tmp_path):
    queries = {f"query {n}": ["a"] for n in range(2_000)}  # more rows than a pipe holds
    (tmp_path / "q.json").write_text(json.dumps(queries))
    command = " ".join([*COMMAND, "evaluate", str(tmp_path / "q.json"), str(tmp_path / "q.json"), "-q"])
    script = f"{command} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert done.returncode == 141
    assert (done.stdout.decode().split()[0], done.stderr) == ("system", b"")


@posix
@pytest.mark.parametrize(
    ("closed", "status", "told"),
    [
        (">/dev/full", 2, "rageval-ir: Standard output cannot be written: No space left on device.\n"),
        (">&-", 2, "rageval-ir: Standard output is closed.\n"),
        ("<&-", 2, "rageval-ir: Standard input is closed.\nhint: name a file.\n"),
        ("2>&-", 2, ""),
    ],
)
def test_streams_that_are_closed_or_full(files, closed, status, told):
    qrels = "-" if closed in ("<&-", "2>&-") else files[0]
    script = " ".join([*COMMAND, "evaluate", qrels, files[1], "-k", "2", closed])
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", told)


def test_an_ascii_terminal_gets_escapes_not_a_crash(tmp_path):
    (tmp_path / "q.json").write_text('{"ü": ["é"]}', encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [*COMMAND, "evaluate", str(tmp_path / "q.json"), str(tmp_path / "q.json"), "-q"],
        capture_output=True, env=environment, check=True,
    )  # fmt: skip
    assert b"\\xfc" in done.stdout


@posix
def test_progress_on_a_terminal_only(files):
    import pty

    ours, theirs = pty.openpty()
    done = subprocess.run([*COMMAND, "evaluate", *files, "-k", "2"], stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    told = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "evaluating A" in told
    assert told.endswith("\r\033[K")
    assert done.stdout.decode().startswith(TABLE)


@posix
@pytest.mark.parametrize("arguments", [["FIFO", "x"], ["QRELS", "FIFO", "FIFO", "--jobs", "2"]])
def test_interrupted(tmp_path, files, arguments):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [*COMMAND, "evaluate", *({"QRELS": files[0], "FIFO": str(fifo)}.get(a, a) for a in arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # a shell's background job is born deaf to it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        writer = os.open(fifo, os.O_WRONLY)  # returns when the command has begun to read
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        os.close(writer)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, b"", b"rageval-ir: interrupted\n")


def test_version():
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rageval-ir 0.1.0 (ir_measures ")


def test_systems_of_a_json_file_keep_their_names(run, files, tmp_path):
    two = tmp_path / "two.json"
    two.write_text('{"A": {"setup": ["d1"]}, "C": {"setup": ["d1"]}}')
    names = list(json.loads(run(*files[:2], str(two), "-k", "2", "--format", "json")[1])["systems"])
    assert names == [files[1], f"{two}:A", "C"]
    names = list(json.loads(run(files[0], str(two), str(two), "-k", "2", "--format", "json")[1])["systems"])
    assert names == [f"{two}:A", f"{two}:C", f"{two}:A#2", f"{two}:C#2"]


def test_a_run_of_empty_answers_is_one_system_as_in_python(run, files, tmp_path):
    empty = tmp_path / "empty.json"
    empty.write_text('{"setup": {}, "export": {}}')
    out = run(files[0], str(empty), "-k", "2")[1]
    assert out.splitlines()[1].split() == ["empty", "0.0000", "0.0000", "0.0000", "3"]
    assert "2 with an empty ranking (setup, export)" in out


def test_standard_input_for_the_queries_too(run, files):
    assert run("-", files[1], "--queries", "-", "-k", "2")[0] == 2
    assert run(files[0], "-", "--queries", "-", "-k", "2")[2].startswith(
        "rageval-ir: Standard input (-) is given twice."
    )


def test_an_axis_given_as_nothing_is_not_an_axis_left_out(run, files):
    assert "has no option ''" in run(*files, "-k", "2", "--ties", "")[2]
    assert "relevance_level must be an int" in run(*files, "-k", "2", "--relevance-level", "0")[2]


def command(capsys, *arguments):
    try:
        status = main([*arguments])
    except SystemExit as left:
        status = left.code
    return (status, *capsys.readouterr())


def test_audit_and_verify(capsys, files, tmp_path):
    status, out, err = command(capsys, "audit", *files, "-m", "R@2")
    assert (status, err) == (0, "")
    assert "A       R@2      recall_denominator  hit" in out
    assert "precision_denominator cannot matter: no P@k is asked for" in out
    rows = list(csv.DictReader(io.StringIO(command(capsys, "audit", *files, "-m", "R@2", "--format", "csv")[1])))
    assert {row["queries_changed"] for row in rows if row["option"] == "hit"} == {"0", "1"}
    record = tmp_path / "record.json"
    record.write_text(command(capsys, "audit", *files, "-m", "R@2", "--format", "json")[1])
    status, out, err = command(capsys, "verify", str(record), *files)
    assert (status, out[:18], err) == (0, "the record holds: ", "")
    status, out, err = command(capsys, "verify", str(record), files[0], files[2], files[1])
    assert (status, out, err) == (0, command(capsys, "verify", str(record), *files)[1], "")
    status, out, err = command(capsys, "verify", str(record), files[0], files[1])
    assert (status, out) == (1, "")
    assert err.startswith("rageval-ir: The record differs from the data:\nrecord.runs.B is only in the record\n")
    assert command(capsys, "verify", files[1], *files)[0] == 2
    for arguments in (["verify", "-", "-", files[1]], ["reconcile", files[0], "-", "--reported", "-"]):
        assert command(capsys, *arguments)[::2] == (
            2, "rageval-ir: Standard input (-) is given twice.\nhint: it can be read only once; use files.\n"
        )  # fmt: skip


def test_reconcile(capsys, files, tutorial):
    reported = str(tutorial / "reported.csv")
    status, out, err = command(capsys, "reconcile", *files, "--reported", reported)
    assert (status, err) == (0, "")
    assert out.startswith(
        "explanations, best first:\nprofile                 departures from TREC_EVAL\nTREC_EVAL and "
    )
    assert "**the figures**" in command(capsys, "reconcile", *files, "--reported", reported, "--format", "markdown")[1]
    assert command(capsys, "reconcile", *files)[2].startswith("rageval-ir reconcile: the following arguments are req")
    status, _, err = command(capsys, "reconcile", *files[:2], "--reported", reported)
    assert (status, err.splitlines()[0]) == (2, "rageval-ir: reported: no run is named 'B'.")


def test_explain(capsys, files):
    out = command(capsys, "explain", *files, "--query", "export", "-m", "P@2", "-m", "R@2")[1]
    assert [line for line in out.splitlines() if line.endswith(":")] == [
        f"{measure} of query export, system {system}:" for system in "AB" for measure in ("P@2", "R@2")
    ]
    changes = ["--move", "d3", "1", "--add-judgment", "d5", "1", "--remove-judgment", "d2", "--change-cutoff", "1"]
    out = command(capsys, "explain", *files[:2], "--query", "export", "-m", "P@2", *changes)[1]
    assert out.startswith("query export, d5 judged 1; d2 not judged; d3 moved to rank 1; cutoff 1:\n")
    assert out.splitlines()[2].split() == ["P@2", "->", "P@1", "0.5000", "1.0000", "+0.5000"]
    assert command(capsys, "explain", *files, "--query", "none", "-m", "P@2")[0] == 2
    assert "--move: found 'first'; expected an int" in command(
        capsys, "explain", *files, "--query", "export", "-m", "P@2", "--move", "d3", "first"
    )[2]  # fmt: skip


def test_measures_and_conventions(capsys):
    assert "nDCG     normalised discounted cumulative gain" in command(capsys, "measures")[1]
    assert "source          K. Järvelin" in command(capsys, "measures", "ndcg")[1]
    assert command(capsys, "measures", "--format", "markdown")[1].startswith("# Measures\n\n")
    listed = [line.split() for line in command(capsys, "conventions")[1].splitlines()]
    assert ["HAYSTACK", "haystack-ai", "3.4.1"] in [line[:3] for line in listed]
    assert "recall_denominator     hit" in command(capsys, "conventions", "haystack")[1]
    assert command(capsys, "conventions", "HAYSTAK")[2].startswith("rageval-ir: Unknown convention 'HAYSTAK'. Did you")
