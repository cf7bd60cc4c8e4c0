"""The runner: subjects that die, hang, babble and refuse; and what it prints."""

import json
import shutil
import sys
from xml.etree import ElementTree

import jsonschema
import pytest

from rageval_ir.cli import main
from rageval_ir.conformance import cases, run
from rageval_ir.conformance.process import Process
from rageval_ir.conformance.runner import Runner, python_command
from rageval_ir.conformance.suite import folder
from rageval_ir.errors import ConventionError, InputError

CASE = cases()[0]


@pytest.fixture
def subject(tmp_path, monkeypatch):
    """Writes a module, and gives the name of its function `score`."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def write(body):
        path = tmp_path / "mine.py"
        path.write_text(
            f"import os, sys, time\nSUBJECT, VERSION = 'mine', '1.2'\ndef score(qrels, run, measure):\n{body}"
        )
        return "mine:score"

    return write


def answers(spec, case=CASE, timeout=10.0):
    with Runner(python_command(spec), timeout) as runner:
        return list(runner.answers(case).values())


def test_a_crash_is_marked_and_the_next_case_goes_on(subject):
    spec = subject("    if len(qrels) > 1: os.abort()\n    return dict.fromkeys(qrels, 0.5)\n")
    one, two = (next(case for case in cases() if len(case.qrels) == n) for n in (1, 2))
    with Runner(python_command(spec)) as runner:
        statuses = [next(iter(runner.answers(case).values())).status for case in (one, two, one)]
        message = next(iter(runner.answers(two).values())).message
    assert statuses == ["valued", "crashed", "valued"]
    assert message == "it ended by SIGABRT"


def test_what_it_last_wrote_to_standard_error_is_told(subject):
    spec = subject("    print('out of luck', file=sys.stderr); os._exit(3)\n")
    assert answers(spec)[0].message == "it ended with status 3 ('out of luck')"


def test_a_subject_that_hangs_is_stopped(subject):
    spec = subject("    time.sleep(60)\n")
    assert [(each.status, each.message) for each in answers(spec, timeout=0.3)] == [
        ("timed_out", "no answer within 0.3 s")
    ] * len(CASE.measures)


def test_after_ten_crashes_in_a_row_the_rest_is_not_run(subject):
    result = run(subject("    os._exit(1)\n"))
    assert result.required["crashed"] == 10
    assert result.outcomes[10].status == "skipped" or result.outcomes[10].message == ""
    assert result.verdict.startswith("10 crashed")


def test_what_it_prints_is_no_answer(subject):
    spec = subject("    print('{\"seq\": 1}'); os.system('echo hello')\n    return dict.fromkeys(qrels, 0.5)\n")
    assert {each.status for each in answers(spec)} == {"valued"}


def test_it_may_change_its_input(subject):
    case = next(case for case in cases() if len(case.measures) > 2)
    spec = subject("    first = dict(qrels); qrels.clear(); run.clear()\n    return dict.fromkeys(first, 0.5)\n")
    assert all(each.per_query == dict.fromkeys(case.qrels, 0.5) for each in answers(spec, case))


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("    return None\n", "skipped"),
        ("    raise NotImplementedError('no such measure')\n", "skipped: no such measure"),
        ("    raise ValueError('bad')\n", "errored: ValueError: bad"),
        ("    sys.exit(0)\n", "errored: SystemExit: 0"),
        ("    return {q: float('nan') for q in qrels}\n", "q1: no value, q2: no value"),
        ("    return None, 0.25\n", "mean: 0.25"),
        ("    return dict.fromkeys(qrels, 1), None\n", "q1: 1, q2: 1, mean: no value"),
        ("    return 3\n", "crashed: no answer: {'no_answer': '3; expected {query_id: value}, or that and the mean'}"),
        (
            "    return {'q1': 'x'}\n",
            "crashed: no answer: {'no_answer': \"{'q1': 'x'}; expected",
        ),
    ],
)
def test_what_a_callable_may_give(subject, body, shown):
    assert str(answers(subject(body))[0]).startswith(shown[:90])


def test_one_that_refuses_everything_follows_nothing(subject):
    result = run(subject("    raise TypeError('rows')\n"))
    assert {found.text for found in result.axes.values()} == {"not measured"}
    assert "no value was given for any case; the first answer: errored: TypeError: rows" in repr(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--python", "no_such_module:f"], "did not start: ModuleNotFoundError: No module named 'no_such_module'"),
        (["--python", "math:no_such"], "did not start: AttributeError: module 'math' has no attribute 'no_such'"),
        (["--python", "math:pi"], "did not start: TypeError: math:pi is no function"),
        (["--python", "nothing"], "Found 'nothing'; expected module:function, or one of"),
        (["--command", "no_such_program x"], "The subject 'no_such_program x' cannot be started"),
        (["--command", "'"], "cannot be split into words"),
        (["--command", " "], "The command is empty"),
        (["--command", f"{sys.executable} -c pass"], "did not start: it ended with status 0"),
        (["--command", f"{sys.executable} -c print(1)"], "it answered '1"),
        (["--command", f"{sys.executable} -c print('{{}}')"], "To the start message the subject answered {}"),
        (["--python", "reference", "--timeout", "0"], "The time-out must be a number of seconds above 0"),
        (
            ["--python", "reference", "--expect", "TREC_EVIL"],
            "Unknown convention 'TREC_EVIL'",
        ),
    ],
)
def test_a_subject_that_cannot_be_asked_is_bad_usage(capsys, arguments, message):
    assert main(["conformance", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err


def test_exit_status_and_json(capsys):
    assert main(["conformance", "--python", "reference", "--expect", "TREC_EVAL", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result)[:3] == ["subject", "version", "axes"]
    assert result["axes"]["ties"] == "docid_descending"
    assert set(result["required"]) == {"passed", "failed", "crashed", "timed_out", "skipped"}
    assert {each["id"] for each in result["cases"]} == {case.id for case in cases()}


def test_a_departure_fails(capsys):
    assert main(["conformance", "--python", "reference", "--expect", "TREC_EVAL_9", "--format", "junit"]) == 1
    out, err = capsys.readouterr()
    assert err == "rageval-ir: rageval_ir: score_precision is not float32.\n"
    suites = ElementTree.fromstring(out)
    failed = [(each.get("name"), each[0].get("message")) for each in suites.iter("testcase") if len(each)]
    assert failed == [("score_precision", "expected float32, found float64")]


def test_markdown(capsys):
    assert main(["conformance", "--python", "reference", "--format", "markdown"]) == 0
    assert "| ties | docid\\_descending | tie-of-four |" in capsys.readouterr().out


def test_expecting_an_unknown_convention():
    with pytest.raises(ConventionError):
        run("reference", expect="NOBODY")
    with pytest.raises(InputError):
        run()


def test_the_protocol_is_as_its_schema_says():
    validator = jsonschema.Draft202012Validator(json.loads((folder() / "schema" / "protocol.json").read_text("utf-8")))
    for case in cases():
        run_rows = {query_id: [list(row) for row in rows] for query_id, rows in case.run.items()}
        question = {"id": case.id, "qrels": dict(case.qrels), "run": run_rows, "measures": case.measures}
        validator.validate({"cmd": "run", "seq": 1, "case": question})
    process = Process(python_command("reference"))
    try:
        process.start()
        validator.validate({"seq": 1, "results": process.ask(1, question)})
    finally:
        process.stop()


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_example_in_javascript():
    result = run(command=["node", str(folder() / "examples" / "my_metrics.js")])
    assert result.verdict == ""
    assert (result.implementation.name, result.required["passed"]) == ("my_metrics.js", 93)
    assert [result.axes[axis].option for axis in ("ties", "rr_cutoff", "duplicates")] == [
        "input_order", "at_k", "count_each"
    ]  # fmt: skip


def test_a_trec_eval_program(tmp_path, monkeypatch):
    """With a stand-in: pytrec_eval behind trec_eval's command line, printing four decimals as trec_eval does."""
    program = tmp_path / "trec_eval"
    program.write_text(f"""#!{sys.executable}
import sys, pytrec_eval
if sys.argv[1:] == ["--version"]:
    print("trec_eval version 9.0.8"); sys.exit()
assert sys.argv[1:4] == ["-q", "-c", "-l"]
level, name = int(sys.argv[4]), sys.argv[6]
qrels = {{}}
for line in open(sys.argv[7], encoding="utf-8"):
    q, _, d, g = line.split(); qrels.setdefault(q, {{}})[d] = int(g)
run = {{q: {{}} for q in qrels}}
for line in open(sys.argv[8], encoding="utf-8"):
    q, _, d, _, s, _ = line.split()
    if d in run.setdefault(q, {{}}): sys.exit(4)
    run[q][d] = float(s)
shown = name.replace(".", "_")
values = pytrec_eval.RelevanceEvaluator(qrels, {{name}}, relevance_level=level).evaluate(run)
for q, value in values.items(): print(f"{{shown}}\\t{{q}}\\t{{value[shown]:.4f}}")
print(f"{{shown}}\\tall\\t{{sum(v[shown] for v in values.values()) / len(qrels):.4f}}")
""")
    program.chmod(0o755)
    monkeypatch.setenv("TREC_EVAL", str(program))
    result = run("trec_eval", expect="TREC_EVAL_9")
    assert result.implementation.version == "9.0.8"
    assert result.departures == [("no_judgments", "as_no_relevant", "exclude")]
    assert [each.case for each in result.failures] == []
