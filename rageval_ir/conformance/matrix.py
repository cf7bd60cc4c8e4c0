"""`docs/conventions.md`: what each implementation was found to do, with the smallest example of each disagreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from rageval_ir.conformance.followed import AXIS_NAMES, Followed
from rageval_ir.conformance.recorded import followed, records
from rageval_ir.conformance.suite import Case, Expectation, cases
from rageval_ir.conventions import AXES, TREC_EVAL
from rageval_ir.errors import InputError

__all__ = ["examples", "page", "told_apart"]

_GROUPS = {
    "The order": ("ties", "score_precision", "unjudged_document", "duplicates"),
    "The divisor and the cutoff": ("precision_denominator", "recall_denominator", "rr_cutoff", "relevance_level"),
    "The queries": ("no_relevant", "no_judgments", "missing_ranking", "unjudged_query"),
}
_LEVEL = "The least grade that is relevant, where the measure does not say?"
_INTRODUCTION = """# Conventions: who computes what

The same rankings, the same judgments, the same measure, and another number: because programs answer differently
what the definitions leave open. This page says what {count} implementations in use do, as the conformance suite found
them to, and shows for each question the smallest input on which they part. Nothing here is from documentation.

Written by `rageval-ir conventions --format markdown` from [the recorded profiles](../fixtures/profiles); a test
keeps it in step. To see where your own code stands, run
`rageval-ir conformance --python your_module:your_function` ([how](../fixtures/README.md))."""
_READING = """A cell is the option that all answers follow; where measures differ, each has its own. *Not measured*
means that the implementation cannot be asked: it takes one query at a time, or lists, or dictionaries that hold a
document once. *None of these* means that it does something else. An option links to the example that shows it."""


def page() -> str:
    """The page, as Markdown.

    >>> page().splitlines()[0]
    '# Conventions: who computes what'
    """
    profiles = [profile for profile in records() if profile["profile"] != "REFERENCE"]
    shown = {axis: examples(axis) for axis in AXIS_NAMES}
    parts = [_INTRODUCTION.format(count=len(profiles)), "## Measured", _measured(profiles), "## The matrix", _READING]
    for title, axes in _GROUPS.items():
        parts += [f"### {title}", _matrix(profiles, axes, shown)]
    for axis in AXIS_NAMES:
        parts += _section(axis, shown[axis], profiles)
    parts += ["## What is required, and not given", *_failures(profiles)]
    return "\n\n".join(parts)


def examples(axis: str) -> list[tuple[Case, list[Expectation]]]:
    """The fewest, smallest cases, each under one measure, that tell every two options of the axis apart."""
    known = {option for case in cases() for test in case.tests if test.axis == axis for option in [test.option]}
    open_pairs = {frozenset(pair) for pair in combinations(known, 2)}
    chosen = []
    while open_pairs:
        case, tests = max(_candidates(axis), key=lambda each: (len(told_apart(each[1]) & open_pairs), -each[0].size))
        if not told_apart(tests) & open_pairs:
            raise InputError(f"The cases do not tell apart {[tuple(pair) for pair in open_pairs]} on the axis {axis}.")
        chosen.append((case, tests))
        open_pairs -= told_apart(tests)
    return chosen


def told_apart(tests: Sequence[Expectation]) -> set[frozenset[str | int | None]]:
    """The pairs of options that have different values, where other axes are as `TREC_EVAL` has them."""
    standard = TREC_EVAL.to_dict()
    values = {
        test.option: (test.result, tuple(test.per_query.items()))
        for test in tests
        if all(standard[axis] == option for axis, option in test.given.items())
    }
    return {frozenset(pair) for pair in combinations(values, 2) if values[pair[0]] != values[pair[1]]}


def _candidates(axis: str) -> list[tuple[Case, list[Expectation]]]:
    return [
        (case, tests)
        for case in cases()
        if axis in case.axes
        for measure in case.measures
        if (tests := [test for test in case.tests if test.axis == axis and test.measure == measure])
    ]


def _measured(profiles: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for profile in profiles:
        required = profile["required"]
        dead = required["crashed"] + required["timed_out"]
        rows.append(
            (f"`{profile['profile']}`", profile["subject"], profile["version"], profile["measured"],
             str(required["passed"]), f"[{required['failed']}](#{_slug(profile)})" if required["failed"] else "0",
             f"[{dead}](#{_slug(profile)})" if dead else "0")
        )  # fmt: skip
    return _table(("profile", "implementation", "version", "measured", "passed", "failed", "died"), rows)


def _matrix(profiles: Sequence[Mapping[str, Any]], axes: Sequence[str], shown: Mapping[str, Any]) -> str:
    head = ("", *(f"[{axis}](#{axis})" for axis in axes))
    rows = [
        (f"`{profile['profile']}`", *(_cell(followed(profile, axis), shown[axis]) for axis in axes))
        for profile in profiles
    ]
    return _table(head, rows)


def _cell(found: Followed, shown: Sequence[tuple[Case, list[Expectation]]]) -> str:
    if not found.by_measure:
        return "*not measured*"
    if found.possible:
        return " or ".join(_linked(option, shown) for option in sorted(found.possible, key=str))
    measures: dict[str, list[str]] = {}
    for measure, options in found.by_measure.items():
        text = " or ".join(_linked(option, shown) for option in sorted(options, key=str)) or "*none of these*"
        measures.setdefault(text, []).append(measure)
    return "<br>".join(f"{', '.join(each)}: {text}" for text, each in measures.items())


def _linked(option: str | int, shown: Sequence[tuple[Case, list[Expectation]]]) -> str:
    """The option, with a link to the example that tells it from the most others."""
    case, _ = max(shown, key=lambda each: sum(option in pair for pair in told_apart(each[1])))
    return f"[{option}](#{case.id})"


def _section(
    axis: str, shown: Sequence[tuple[Case, list[Expectation]]], profiles: Sequence[Mapping[str, Any]]
) -> list[str]:
    options = AXES.get(axis)
    parts = [f"## {axis}", _LEVEL if options is None else str(options.__doc__)]
    if options is not None:
        parts.append("\n".join(f"- `{option}`: {option.explanation}" for option in options))
    for case, tests in shown:
        parts += [f"### {case.id}", f"{case.description} ([{case.suite}.json](../fixtures/cases/{case.suite}.json))"]
        parts += [_input(case), _values(axis, tests, profiles), case.derivation]
    return parts


def _input(case: Case) -> str:
    lines = []
    for query_id in dict.fromkeys([*case.qrels, *case.run]):
        judged = ", ".join(f"{doc_id}: {grade}" for doc_id, grade in case.qrels.get(query_id, {}).items())
        rows = ", ".join(_listed(case.run.get(query_id, ())))
        judged = judged or ("no judgment" if query_id in case.qrels else "not judged")
        found = rows or ("nothing" if query_id in case.run else "not in the run")
        lines.append(f"{query_id}   judged     {judged}\n{' ' * len(query_id)}   retrieved  {found}")
    return "```text\n" + "\n".join(lines) + "\n```"


def _listed(rows: Sequence[tuple[str, float]]) -> list[str]:
    """Document ids, with their scores where these say more than the order."""
    if [score for _, score in rows] == list(range(len(rows), 0, -1)):
        return [doc_id for doc_id, _ in rows]
    return [f"{doc_id} {score!r}" for doc_id, score in rows]


def _values(axis: str, tests: Sequence[Expectation], profiles: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for test in tests:
        who = [f"`{each['profile']}`" for each in profiles if _follows(each, axis, test)]
        given = "".join(f", {other}={option}" for other, option in test.given.items())
        rows.append((f"`{test.option}`{given}", _value(test), ", ".join(who)))
    return _table(("option", tests[0].measure, "followed by"), rows)


def _follows(profile: Mapping[str, Any], axis: str, test: Expectation) -> bool:
    """Whether it follows the option, and those on other axes that the value needs."""
    needed = {axis: test.option, **test.given}
    return all(followed(profile, each).options(test.family) == {option} for each, option in needed.items())


def _value(test: Expectation) -> str:
    if test.result == "invalid":
        return "an error"
    if len(test.per_query) == 1:
        return next(iter(test.working.values()))
    values = ", ".join(f"{query_id}: {text}" for query_id, text in test.working.items())
    return f"{values}; mean {'none' if test.mean is None else _rounded(test)}"


def _rounded(test: Expectation) -> str:
    assert test.mean is not None
    return str(test.mean) if test.mean.denominator < 10**6 else f"{float(test.mean):.6f}"


def _failures(profiles: Sequence[Mapping[str, Any]]) -> list[str]:
    parts = []
    for profile in profiles:
        rows = [(each["case"], each["measure"], each["found"], each["expected"]) for each in profile["failed"]]
        rows += [(case, "", status.replace("_", " "), "an answer") for case, status in profile["no_answer"].items()]
        if rows:
            parts += [f"### {profile['profile']}", _table(("case", "measure", "found", "required"), rows)]
    return parts


def _slug(profile: Mapping[str, Any]) -> str:
    return str(profile["profile"]).lower()


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + " :--- |" * len(head), *lines[1:]])
