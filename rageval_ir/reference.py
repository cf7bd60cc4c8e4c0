"""The exact scorer: each measure as its definition reads, in rational arithmetic.

It shares no code with a backend. A measure is a numerator over a denominator: integers
and fractions throughout, and correctly rounded sums of floats where logarithms leave no
choice (nDCG). 0/0 is undefined, and said to be: a convention decides what it counts as.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from rageval_ir.conventions import (
    Convention,
    PrecisionDenominator,
    RecallDenominator,
    RRCutoff,
)
from rageval_ir.measures import Measure

__all__ = ["REFERENCE_MEASURES", "GradedView", "Score", "Targets", "View", "look", "score", "targets"]


class Score(NamedTuple):
    """A value as numerator over denominator; undefined where the denominator is 0."""

    numerator: int | float | Fraction
    denominator: int | float

    @property
    def value(self) -> float | None:
        """The quotient, correctly rounded; None for 0/0.

        >>> Score(1, 3).value
        0.3333333333333333
        """
        if self.denominator == 0:
            return None
        if isinstance(self.numerator, Fraction):
            return float(self.numerator / Fraction(self.denominator))
        return self.numerator / self.denominator


class View(NamedTuple):
    """What a binary measure sees of one query."""

    ranks: Sequence[int]
    """Ranks of the relevant documents retrieved, from 1, ascending."""
    relevant: int
    """How many documents are relevant in all."""
    retrieved: int
    """How many documents are retrieved."""


class GradedView(NamedTuple):
    """What a graded measure sees of one query."""

    gains: Sequence[tuple[int, int]]
    """(rank, gain) of each retrieved document with a gain above 0, by rank."""
    ideal: Sequence[int]
    """All gains above 0 of the query's judged documents, greatest first."""


Targets = Mapping[str, int] | Collection[str]
"""The documents that count for a measure: a set, or a mapping to gains above 0."""


def targets(measure: Measure, grades: Mapping[str, int], relevance_level: int) -> Targets:
    """The judged documents that count: relevant ones, ones with a gain, or all for Judged.

    >>> sorted(targets(Measure("P", 5, rel=2), {"a": 3, "b": 1, "c": 2}, 1))
    ['a', 'c']
    """
    if measure.is_graded:
        gains = {doc_id: measure.gain(grade) for doc_id, grade in grades.items()}
        return {doc_id: gain for doc_id, gain in gains.items() if gain > 0}
    if measure.name == "Judged":
        return grades.keys()
    level = measure.level(relevance_level)
    return {doc_id for doc_id, grade in grades.items() if grade >= level}


def look(ranking: Sequence[str], counting: Targets) -> View | GradedView:
    """A ranking as a measure sees it, through the documents that count for it.

    >>> look(["d2", "d5"], {"d2", "d3"})
    View(ranks=[1], relevant=2, retrieved=2)
    >>> look(["x", "b"], {"a": 3, "b": 1})
    GradedView(gains=[(2, 1)], ideal=[3, 1])
    """
    if isinstance(counting, dict):
        seen = [(rank, counting[doc_id]) for rank, doc_id in enumerate(ranking, 1) if doc_id in counting]
        return GradedView(seen, sorted(counting.values(), reverse=True))
    ranks = [rank for rank, doc_id in enumerate(ranking, 1) if doc_id in counting]
    return View(ranks, len(counting), len(ranking))


def score(measure: Measure, seen: View | GradedView, convention: Convention) -> Score:
    """The exact value of a measure for one query, under the convention's denominators.

    Parameters
    ----------
    measure : Measure
        One of `REFERENCE_MEASURES`.
    seen : View or GradedView
        A `GradedView` for nDCG, with the documents judged at all for Judged,
        a `View` of the relevant documents for the rest.
    convention : Convention
        Its denominators and its RR cutoff; the other axes have acted before.

    Returns
    -------
    Score
        Undefined (denominator 0) where the definition is 0/0.

    Examples
    --------
    >>> score(Measure("R", 2), View([1], 2, 2), Convention())
    Score(numerator=1, denominator=2)
    """
    return _SCORERS[measure.name](measure, seen, convention)  # type: ignore[arg-type]


def _cutoff(measure: Measure) -> int:
    assert measure.cutoff is not None  # P and R require one: `Measure` has seen to it
    return measure.cutoff


def _hits(seen: View, cutoff: int | None) -> int:
    return len(seen.ranks) if cutoff is None else bisect_right(seen.ranks, cutoff)


def _precision(measure: Measure, seen: View, convention: Convention) -> Score:
    rule = convention.precision_denominator
    k = _cutoff(measure)
    if rule is PrecisionDenominator.RETRIEVED:
        return Score(_hits(seen, k), min(k, seen.retrieved))
    if rule is PrecisionDenominator.RELEVANT_CAPPED:
        return Score(_hits(seen, k), min(k, seen.relevant))
    return Score(_hits(seen, k), k)


def _recall(measure: Measure, seen: View, convention: Convention) -> Score:
    rule = convention.recall_denominator
    k = _cutoff(measure)
    if rule is RecallDenominator.HIT:
        return _success(measure, seen, convention)
    if rule is RecallDenominator.CAPPED:
        return Score(_hits(seen, k), min(k, seen.relevant))
    if rule is RecallDenominator.RELEVANT_RETRIEVED:
        return Score(_hits(seen, k), len(seen.ranks))
    return Score(_hits(seen, k), seen.relevant)


def _reciprocal_rank(measure: Measure, seen: View, convention: Convention) -> Score:
    if seen.relevant == 0:
        return Score(0, 0)
    k = None if convention.rr_cutoff is RRCutoff.IGNORED else measure.cutoff
    return Score(1, seen.ranks[0]) if _hits(seen, k) else Score(0, 1)


def _success(measure: Measure, seen: View, _: Convention) -> Score:
    return Score(min(1, _hits(seen, measure.cutoff)), 1)


def _average_precision(measure: Measure, seen: View, _: Convention) -> Score:
    terms = list(enumerate(seen.ranks[: _hits(seen, measure.cutoff)], 1))
    return Score(_exact_sum(terms), seen.relevant)


def _r_precision(_: Measure, seen: View, __: Convention) -> Score:
    return Score(_hits(seen, seen.relevant), seen.relevant)


def _judged(measure: Measure, seen: View, _: Convention) -> Score:
    k = measure.cutoff
    return Score(_hits(seen, k), seen.retrieved if k is None else min(k, seen.retrieved))


def _num_rel(_: Measure, seen: View, __: Convention) -> Score:
    return Score(seen.relevant, 1)


def _num_ret(measure: Measure, seen: View, _: Convention) -> Score:
    return Score(seen.retrieved if measure.rel is None else len(seen.ranks), 1)


def _ndcg(measure: Measure, seen: GradedView, _: Convention) -> Score:
    k = measure.cutoff
    reached = seen.gains if k is None else seen.gains[: bisect_right(seen.gains, (k, math.inf))]
    return Score(_dcg(reached), _dcg(enumerate(seen.ideal[:k], 1)))


def _dcg(gains: Iterable[tuple[int, int]]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in gains)


def _exact_sum(terms: Sequence[tuple[int, int]]) -> Fraction:
    """The exact sum of fractions: pair by pair, so that the integers grow only as they must."""
    pairs = list(terms)
    while len(pairs) > 1:
        halves = zip(pairs[::2], pairs[1::2], strict=False)
        odd = pairs[-1:] if len(pairs) % 2 else []
        pairs = [(a * d + c * b, b * d) for (a, b), (c, d) in halves] + odd
    return Fraction(*pairs[0]) if pairs else Fraction(0)


_SCORERS = {
    "P": _precision,
    "R": _recall,
    "RR": _reciprocal_rank,
    "Success": _success,
    "nDCG": _ndcg,
    "AP": _average_precision,
    "Rprec": _r_precision,
    "Judged": _judged,
    "NumRel": _num_rel,
    "NumRet": _num_ret,
}

REFERENCE_MEASURES = frozenset(_SCORERS)
"""The measures that the reference computes."""
