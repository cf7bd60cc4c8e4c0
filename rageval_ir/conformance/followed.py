"""Which option of each axis the answers follow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rageval_ir.conformance.answer import Answer
from rageval_ir.conformance.suite import Case, Expectation
from rageval_ir.conventions import AXES

__all__ = ["AXIS_NAMES", "Followed", "applies", "follow"]

AXIS_NAMES = (*AXES, "relevance_level")

Options = frozenset[str | int]


@dataclass(frozen=True)
class Followed:
    """What an implementation does on one axis.

    Attributes
    ----------
    by_measure : {measure, such as P@k: options}
        The options that all of its answers agree with: one if the cases tell, several if its other habits
        hide the difference, none if it does something else. Measures that it lacks are absent.
    shown_by : sequence of str
        The case that leaves the fewest options first, and of those the smallest.
    strange : sequence of (case, measure, answer)
        Answers that agree with no option.
    """

    axis: str
    by_measure: Mapping[str, Options] = field(default_factory=dict)
    shown_by: Sequence[str] = ()
    strange: Sequence[tuple[str, str, str]] = ()

    @property
    def possible(self) -> Options:
        """The options that every measure agrees with."""
        return frozenset.intersection(*self.by_measure.values()) if self.by_measure else frozenset()

    @property
    def option(self) -> str | int | None:
        """The one option followed; None if it is not one."""
        return next(iter(self.possible)) if len(self.possible) == 1 else None

    def options(self, measure: str) -> Options:
        """The options that a measure agrees with, or where it was not seen, all of them."""
        return self.by_measure.get(measure, self.possible)

    @property
    def text(self) -> str:
        """The option; or what is known instead."""
        if self.option is not None:
            return str(self.option)
        if not self.by_measure:
            return "not measured"
        if self.possible:
            return "not told apart: " + " or ".join(sorted(map(str, self.possible)))
        measures: dict[str, list[str]] = {}
        for measure, options in self.by_measure.items():
            measures.setdefault("/".join(sorted(map(str, options))) or "none of these", []).append(measure)
        text = "; ".join(f"{options} for {', '.join(each)}" for options, each in measures.items())
        return text + (" ({1} in {0} gave {2})".format(*self.strange[0]) if self.strange else "")


def follow(answered: Sequence[tuple[Case, Mapping[str, Answer]]], tolerance: float) -> dict[str, Followed]:
    """What the answers say about every axis.

    Where an option's value also needs an option on another axis, it tells only if that one is followed: hence
    the second look, with what the first has found.
    """
    computed = {
        test.family for case, answers in answered for test in case.tests if answers[test.measure].status == "valued"
    }
    first = {axis: _follow(axis, answered, tolerance, computed, {}) for axis in AXIS_NAMES}
    return {axis: _follow(axis, answered, tolerance, computed, first) for axis in AXIS_NAMES}


def _follow(
    axis: str,
    answered: Iterable[tuple[Case, Mapping[str, Answer]]],
    tolerance: float,
    computed: Collection[str],
    known: Mapping[str, Followed],
) -> Followed:
    """One axis; to refuse a measure that is never computed says nothing."""
    by_measure: dict[str, Options] = {}
    cases: list[tuple[int, int, int, str]] = []
    strange = []
    for position, (case, answers) in enumerate(answered):
        for measure, tests in _tests(case, axis).items():
            answer, family = answers[measure], tests[0].family
            if family not in computed or answer.status not in ("valued", "errored"):
                continue
            telling = [test for test in tests if applies(test, known, unknown=True)]
            matching = {test.option for test in telling if not test.difference(answer, tolerance)}
            if telling and not matching:
                strange.append((case.id, measure, str(answer)))
            matching |= {test.option for test in tests} - {test.option for test in telling}
            options = frozenset(option for option in matching if option is not None)
            by_measure[family] = by_measure.get(family, options) & options
            cases.append((len(options), case.size, position, case.id))
    return Followed(axis, by_measure, tuple(dict.fromkeys(case for *_, case in sorted(cases))), tuple(strange))


def applies(test: Expectation, known: Mapping[str, Followed], *, unknown: bool = False) -> bool:
    """Whether the options that a test needs on other axes are followed; `unknown` where none of them is."""
    needed = ((known[axis].options(test.family), option) for axis, option in test.given.items() if axis in known)
    return all(option in options or (unknown and not options) for options, option in needed)


def _tests(case: Case, axis: str) -> dict[str, list[Expectation]]:
    found: dict[str, list[Expectation]] = {}
    for test in case.tests:
        if test.axis == axis:
            found.setdefault(test.measure, []).append(test)
    return found
