"""The README: its examples run, its tables list what there is."""

import doctest
import re
from pathlib import Path

import pytest

from rageval_ir import CATALOGUE
from rageval_ir.cli import main
from rageval_ir.conformance import cases
from rageval_ir.conformance.recorded import records
from rageval_ir.conventions import AXES
from rageval_ir.reference import REFERENCE_MEASURES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows(heading):
    table = re.split(r"\n##+ ", README.split(f"### {heading}\n")[1])[0]
    cells = (line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| `"))
    return [[cell.strip() for cell in row] for row in cells]


def test_the_python_examples_run():
    session = "\n".join(re.findall(r"```pycon\n(.*?)```", README, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(test).failed == 0
    assert len(test.examples) >= 8


def test_the_command_prints_what_it_says(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    command = re.search(r"<!-- run: try -->\n```console\n(.*)\n```", README)[1]
    arguments = command.split("/rageval-ir ")[1].split()
    assert main(arguments) == 0
    assert capsys.readouterr().out == re.search(r"<!-- output: try -->\n```text\n(.*?)```", README, re.DOTALL)[1]


def test_the_commands_print_what_they_say(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = re.findall(r"```console\n\$ rageval-ir ([^\n]*)\n(.*?)```", README, re.DOTALL)
    assert shown
    for arguments, out in shown:
        assert main(arguments.split()) == 0
        assert capsys.readouterr().out == out


def test_the_conformance_of_pytrec_eval_begins_as_it_says(capsys):
    shown = re.search(r"```console\nrageval-ir (conformance .*)\n```\n\n.*\n```text\n(.*?)```", README, re.DOTALL)
    assert main(shown[1].split()) == 1
    assert capsys.readouterr().out.startswith(shown[2])


def test_it_counts_the_cases_and_the_implementations():
    assert f"conformance suite: {len(cases())} small inputs" in README
    assert f"{len(cases())} cases in `fixtures/`" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert len(records()) - 1 == 17  # "seventeen", without the reference


def test_the_measures_are_those_of_the_catalogue():
    listed = {row[0].split("`")[1].split("@")[0]: row for row in rows("Measures")}
    assert list(listed) == list(CATALOGUE)
    for name, (_, formula, backend, checked) in listed.items():
        assert formula == CATALOGUE[name].formula
        assert backend.split(" (")[0] == CATALOGUE[name].backend
        assert checked == ("yes" if name in REFERENCE_MEASURES else "no")


def test_the_axes_are_those_of_a_convention():
    listed = {axis.strip("`"): (question, options) for axis, question, options in rows("Conventions")}
    assert list(listed) == [*AXES, "relevance_level"]
    for axis, options in AXES.items():
        assert listed[axis] == (options.__doc__, ", ".join(f"`{option}`" for option in options))


@pytest.mark.parametrize(
    "name",
    ["CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs/measures.md", "docs/conventions.md", "fixtures/README.md"],
)
def test_what_it_links_to_is_there(name):
    assert (ROOT / name).is_file()


def test_every_room_is_in_the_contributors_table():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in (ROOT / "rageval_ir").iterdir():
        if path.suffix == ".py" and not path.name.startswith("_"):
            assert f"`{path.name}`" in table
