"""Which convention gives these figures? Every combination of options that the data can tell apart is tried."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from rageval_ir.conventions import TREC_EVAL, Convention
from rageval_ir.errors import InputError
from rageval_ir.figures import Figure, figures
from rageval_ir.profiles import PROFILES
from rageval_ir.report import Heading, Printed, Table
from rageval_ir.search import STANDARD, Assignment, Means, Space
from rageval_ir.shapes import to_qrels, to_runs

__all__ = ["Explanation", "Recomputed", "Reconciliation", "reconcile"]

_SHOWN = 10

Departures = frozenset[tuple[str, str | int]]
"""The axes and options in which an assignment leaves the standard; on given data it stands for the assignment."""


class Recomputed(NamedTuple):
    """A reported figure beside what an explanation gives."""

    system: str
    measure: str
    reported: str
    computed: float | None
    computed_as: str
    """The measure that gives it, which differs where gain or cutoff do."""


@dataclass(frozen=True)
class Explanation:
    """One way to compute the figures.

    Attributes
    ----------
    convention : Convention
    profile : str or None
        The named profile that it is, as far as these data and figures can tell.
    same : tuple of str
        Further profiles that give the same values here.
    departures : dict of str to str or int
        How it leaves `TREC_EVAL`, on the axes that can matter here; beside a convention's
        axes, "nDCG gain" and "cutoff".
    undetermined : tuple of str
        Axes on which another option explains the figures as well.
    figures : tuple of Recomputed
    distance : float
        The greatest difference between a figure and its value, in the measure's unit.
    """

    convention: Convention
    profile: str | None
    same: tuple[str, ...]
    departures: dict[str, str | int]
    undetermined: tuple[str, ...]
    figures: tuple[Recomputed, ...]
    distance: float


@dataclass(frozen=True, repr=False)
class Reconciliation(Printed):
    """What explains a table of figures.

    Attributes
    ----------
    explanations : tuple of Explanation
        Best first: named profiles, then other combinations, by the number of departures; none
        that departs further than another on the same axes.
    nearest : Explanation
        The best explanation, or where there is none, what comes nearest.
    """

    explanations: tuple[Explanation, ...]
    nearest: Explanation

    def tables(self) -> list[Table]:
        """What `repr` prints: the explanations, and the figures under the first or nearest."""
        names = ("profile", "departures from TREC_EVAL")
        rows = tuple(
            ((e.profile or "-") + (f" and {len(e.same)} more" if e.same else ""), _listed(e.departures))
            for e in self.explanations[:_SHOWN]
        )
        notes = []
        if not rows:
            off = f"off by up to {self.nearest.distance:.2g}"
            notes.append(f"nothing known gives these figures; nearest: {_listed(self.nearest.departures)}, {off}")
        elif self.nearest.undetermined:
            notes.append(f"undetermined: the first fits as well with another {', '.join(self.nearest.undetermined)}")
        if len(self.explanations) > _SHOWN:
            notes.append(f"and {len(self.explanations) - _SHOWN} more")
        first = Table(tuple(Heading(n, False) for n in names), rows, tuple(notes), "explanations, best first")
        headings = (Heading("system", False), Heading("measure", False), Heading("reported"), Heading("computed"))
        cells = tuple(
            (f.system, f.measure, f.reported, _shown(f.computed), f.computed_as if f.computed_as != f.measure else "")
            for f in self.nearest.figures
        )
        return [first, Table((*headings, Heading("as", False)), cells, title="the figures")]


def reconcile(relevant: Any, rankings: Any, reported: Mapping[str, Mapping[str, Any]]) -> Reconciliation:
    """Find the conventions that give reported figures, all of a table at once.

    Tried are all options of all axes that these data can tell apart, relevance levels, nDCG's
    other gain, and a cutoff off by one; the reference computes each value once.

    Parameters
    ----------
    relevant, rankings
        As for `evaluate`.
    reported : mapping
        System -> measure's name -> number as printed; see `figures`.

    Raises
    ------
    InputError
        As `evaluate`; a system without a run; a number that is none.
    MeasureError
        A measure that the reference does not compute.

    Examples
    --------
    >>> found = reconcile({"q": {"a"}}, {"A": {"q": {"a": 1.0, "b": 1.0}}}, {"A": {"P@1": "0.5"}})
    >>> found.explanations[0].departures
    {'ties': 'expected'}
    """
    asked = figures(reported)
    qrels = to_qrels(relevant)
    runs = {run.name: run for run in to_runs(rankings, qrels.judgments)}
    for run in runs.values():
        run.require()
    for figure in asked:
        if figure.system not in runs:
            known = ", ".join(map(repr, runs))
            raise InputError(f"reported: no run is named {figure.system!r}.", hint=f"there are {known}.")
    systems = dict.fromkeys(figure.system for figure in asked)
    return _Search(Space(qrels, [runs[s] for s in systems], [f.measure for f in asked]), asked).result()


class _Search:
    """All that fits the figures, and what comes nearest."""

    def __init__(self, space: Space, asked: list[Figure]) -> None:
        self.space = space
        self.asked = asked
        self.fitting: dict[Departures, Assignment] = {}
        self.nearest: tuple[float, int, Assignment] = (math.inf, 0, {})

    def result(self) -> Reconciliation:
        """The explanations, best first."""
        for means in self.space.means():
            self._try(means)
        profiles: dict[Departures, list[str]] = {}
        for name, profile in PROFILES.items():
            assignment = self.space.projected(profile.convention)
            if assignment is not None and _departures(assignment) in self.fitting:
                profiles.setdefault(_departures(assignment), []).append(name)
        keys = [*sorted(profiles, key=len), *(key for key in _minimal(self.fitting) if key not in profiles)]
        found = tuple(self._explanation(self.fitting[key], profiles.get(key, [])) for key in keys)
        return Reconciliation(found, found[0] if found else self._explanation(self.nearest[2], []))

    def _try(self, means: Means) -> None:
        """Add what fits; a measure's own options do not touch other measures, so each group is tried alone."""
        fitting: list[list[Assignment]] = []
        nearest: dict[str, str | int] = dict(means.common)
        distance = 0.0
        for options in means.own:
            ranked = []
            for own, values in options:
                pairs = [(f, values[f.system, f.measure]) for f in self.asked if (f.system, f.measure) in values]
                off = max(_distance(figure, mean) for figure, mean in pairs)
                ranked.append((off, len(_departures(own)), own, all(f.fits(mean) for f, mean in pairs)))
            fitting.append([own for _, _, own, fits in ranked if fits])
            closest = min(ranked, key=lambda each: each[:2])
            nearest |= closest[2]
            distance = max(distance, closest[0])
        for each in product(*fitting):
            assignment = dict(means.common)
            for own in each:
                assignment |= own
            self.fitting[_departures(assignment)] = assignment
        candidate = (distance, len(_departures(nearest)), nearest)
        self.nearest = min(self.nearest, candidate, key=lambda each: each[:2])

    def _explanation(self, assignment: Assignment, profiles: list[str]) -> Explanation:
        axes = {axis: option for axis, option in assignment.items() if axis in TREC_EVAL.to_dict()}
        recomputed = [
            (f, self.space.mean(f.system, f.measure, assignment), self.space.computed_as(f.measure, assignment))
            for f in self.asked
        ]
        return Explanation(
            convention=PROFILES[profiles[0]].convention if profiles else TREC_EVAL.but(**axes),
            profile=profiles[0] if profiles else None,
            same=tuple(profiles[1:]),
            departures=dict(sorted(_departures(assignment))),
            undetermined=tuple(axis for axis in STANDARD if self._is_undetermined(axis, assignment)),
            figures=tuple(Recomputed(f.system, str(f.measure), f.text, mean, str(m)) for f, mean, m in recomputed),
            distance=max(_distance(figure, mean) for figure, mean, _ in recomputed),
        )

    def _is_undetermined(self, axis: str, assignment: Assignment) -> bool:
        if axis not in self.space.options:
            return True
        others = (option for option in self.space.options[axis] if option != assignment[axis])
        return any(_departures({**assignment, axis: option}) in self.fitting for option in others)


def _departures(assignment: Assignment) -> Departures:
    return frozenset((axis, option) for axis, option in assignment.items() if option != STANDARD[axis])


def _minimal(keys: Iterable[Departures]) -> Iterator[Departures]:
    """Those that contain no other, the smallest first."""
    kept: list[Departures] = []
    for key in sorted(keys, key=lambda key: (len(key), sorted(map(str, key)))):
        if not any(less < key for less in kept):
            kept.append(key)
            yield key


def _distance(figure: Figure, mean: float | None) -> float:
    return math.inf if mean is None else abs(mean - figure.value)


def _listed(departures: Mapping[str, str | int]) -> str:
    return ", ".join(f"{axis}={option}" for axis, option in departures.items()) or "none"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.6f}"
