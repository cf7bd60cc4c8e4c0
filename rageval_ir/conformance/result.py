"""What a run of the suite found: the options followed, and what was required and not given."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rageval_ir.conformance.answer import Answer
from rageval_ir.conformance.followed import Followed, applies, follow
from rageval_ir.conformance.junit import junit
from rageval_ir.conformance.process import Implementation
from rageval_ir.conformance.suite import Case, Expectation
from rageval_ir.conventions import Convention
from rageval_ir.report import Heading, Printed, Table

__all__ = ["Conformance", "Failure", "Outcome"]


class Failure(NamedTuple):
    """A required value that was not given."""

    case: str
    measure: str
    found: str
    expected: str


class Outcome(NamedTuple):
    """What became of one case."""

    case: Case
    status: str
    """"passed", "failed", "crashed", "timed_out" or "skipped"; "told" where nothing was required."""
    failures: tuple[Failure, ...]
    message: str


@dataclass(frozen=True, repr=False)
class Conformance(Printed):
    """The result of `conformance.run`.

    Attributes
    ----------
    implementation : Implementation
        Name, version and tolerance, as the subject gave them.
    answered : sequence of (Case, {measure: Answer})
    expected : Convention or None
        What was expected of it; `departures` compares.
    """

    implementation: Implementation
    answered: Sequence[tuple[Case, Mapping[str, Answer]]]
    expected: Convention | None = None

    @cached_property
    def axes(self) -> dict[str, Followed]:
        """Axis to what the subject does there."""
        return follow(self.answered, self.implementation.tolerance)

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """What became of each case, in the suite's order."""
        return [self._outcome(case, answers) for case, answers in self.answered]

    @property
    def required(self) -> dict[str, int]:
        """Cases by status: passed, failed and skipped of those that require something; crashed, timed_out of all."""
        counts = Counter(outcome.status for outcome in self.outcomes)
        return {status: counts[status] for status in ("passed", "failed", "crashed", "timed_out", "skipped")}

    @property
    def failures(self) -> list[Failure]:
        """Every required value that was not given."""
        return [failure for outcome in self.outcomes for failure in outcome.failures]

    @property
    def departures(self) -> list[tuple[str, str, str]]:
        """Axis, option expected and what was found, where they cannot be the same."""
        expected = {} if self.expected is None else self.expected.to_dict()
        return [
            (axis, str(option), self.axes[axis].text)
            for axis, option in expected.items()
            if self.axes[axis].by_measure and option not in self.axes[axis].possible
        ]

    @property
    def verdict(self) -> str:
        """What went wrong, in one line; empty where nothing did.

        What fails is what is required, crashes, and time-outs; and departures from what was expected.
        """
        counts = self.required
        parts = [
            f"{counts[each]} {each.replace('_', ' ')}" for each in ("failed", "crashed", "timed_out") if counts[each]
        ]
        parts += [f"{axis} is not {option}" for axis, option, _ in self.departures]
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data; `fixtures/schema/result.json` describes it."""
        return {
            "subject": self.implementation.name,
            "version": self.implementation.version,
            "axes": {axis: followed.option for axis, followed in self.axes.items()},
            "axes_explained": {axis: followed.text for axis, followed in self.axes.items()},
            "required": self.required,
            "departures": [
                {"axis": axis, "expected": option, "found": found} for axis, option, found in self.departures
            ],
            "cases": [
                {
                    "id": outcome.case.id,
                    "status": outcome.status,
                    "message": outcome.message,
                    "failures": [
                        {"measure": each.measure, "found": each.found, "expected": each.expected}
                        for each in outcome.failures
                    ],
                }
                for outcome in self.outcomes
            ],
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def to_junit(self) -> str:
        """The result as JUnit XML, a test case for each case and each axis."""
        return junit(self)

    def tables(self) -> list[Table]:
        """The axes, and what went wrong."""
        name = " ".join(filter(None, (self.implementation.name, self.implementation.version)))
        shown = [
            (axis, followed.text, followed.shown_by[0] if followed.shown_by else "")
            for axis, followed in self.axes.items()
        ]
        counts = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in self.required.items())
        notes = (f"required: {counts}", *self._nothing())
        tables = [Table(_headings("axis", "option followed", "shown by"), tuple(shown), notes, name)]
        if bad := [each for each in self.outcomes if each.status in ("crashed", "timed_out")]:
            rows = tuple((each.case.id, each.status.replace("_", " "), each.message) for each in bad)
            tables.append(Table(_headings("case", "what happened", "message"), rows, title="no answer"))
        if self.failures:
            tables.append(self._failed())
        if self.departures:
            title = "not as expected"
            tables.append(Table(_headings("axis", "expected", "found"), tuple(self.departures), title=title))
        return tables

    def _nothing(self) -> list[str]:
        """Help, where no value was given at all."""
        answers = [answer for _, each in self.answered for answer in each.values()]
        if any(answer.status == "valued" for answer in answers):
            return []
        return [
            f"no value was given for any case; the first answer: {answers[0]}",
            "a Python subject is a callable (qrels, run, measure) -> {query_id: value}",
            "qrels is {query_id: {doc_id: grade}}, run is {query_id: [(doc_id, score), ...]}, measure such as 'P@10'",
        ]

    def _failed(self) -> Table:
        rows = tuple((each.case, each.measure, each.found, each.expected) for each in self.failures)
        flags = {
            flag: text
            for outcome in self.outcomes
            if outcome.status == "failed"
            for flag, text in outcome.case.flags.items()
        }
        notes = tuple(f"such cases catch {flag}: {text}" for flag, text in flags.items())
        return Table(_headings("case", "measure", "found", "required"), rows, notes, "required, and not given")

    def _outcome(self, case: Case, answers: Mapping[str, Answer]) -> Outcome:
        for status in ("crashed", "timed_out"):
            if bad := [answer for answer in answers.values() if answer.status == status]:
                return Outcome(case, status, (), bad[0].message)
        tests = [test for test in case.required if applies(test, self.axes)]
        asked = [test for test in tests if answers[test.measure].status != "skipped"]
        failures = tuple(
            Failure(case.id, test.measure, found, _wanted(test))
            for test in asked
            if (found := test.difference(answers[test.measure], self.implementation.tolerance))
        )
        if not case.required:
            return Outcome(case, "told", (), "")
        if failures:
            return Outcome(case, "failed", failures, "")
        if asked:
            return Outcome(case, "passed", (), "")
        reasons = [answers[test.measure].message or "not computed" for test in tests]
        return Outcome(case, "skipped", (), reasons[0] if reasons else self._why_not(case))

    def _why_not(self, case: Case) -> str:
        missing = (
            f"{axis}={option}"
            for test in case.required
            for axis, option in test.given.items()
            if option not in self.axes[axis].options(test.family)
        )
        return f"required only under {next(missing)}"


def _wanted(test: Expectation) -> str:
    if test.result == "invalid":
        return "refused"
    values = [f"{query_id}: {text}" for query_id, text in test.working.items()]
    if test.result == "undefined":
        return ", ".join(f"{query_id}: no value" for query_id in test.per_query)
    return ", ".join(values)


def _headings(*names: str) -> tuple[Heading, ...]:
    return tuple(Heading(name, False) for name in names)
