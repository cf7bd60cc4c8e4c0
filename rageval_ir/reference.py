"""The exact scorer: each measure as its definition reads, in rational arithmetic.

It shares no code with a backend. A measure is a numerator over a denominator: integers
and fractions throughout, and correctly rounded sums of floats where logarithms leave no
choice (nDCG). 0/0 is undefined, and said to be: a convention decides what it counts as.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import compress
from typing import NamedTuple, Protocol

from rageval_ir.conventions import (
    Convention,
    PrecisionDenominator,
    RecallDenominator,
    RRCutoff,
)
from rageval_ir.measures import Measure

__all__ = [
    "REFERENCE_MEASURES",
    "Score",
    "Seen",
    "Targets",
    "View",
    "exact_sum",
    "judged_ranks",
    "look",
    "quotient",
    "score",
    "targets",
]


Score = tuple[int | float | Fraction, int | float]
"""A value as (numerator, denominator); undefined where the denominator is 0."""


Targets = Mapping[str, int]
"""The documents that count for a measure, each with its grade, or for nDCG its gain."""


class View(NamedTuple):
    """What a measure sees of one query."""

    ranks: Sequence[int]
    """Ranks of the retrieved documents that count, from 1, ascending."""
    gains: Sequence[int]
    """Their gains."""
    counting: Targets
    """All documents that count, retrieved or not."""
    retrieved: int
    """How many documents are retrieved."""

    def hits(self, k: int | None) -> int:
        """How many documents that count are in the first k ranks."""
        return len(self.ranks) if k is None else bisect_right(self.ranks, k)

    def success(self, k: int | None) -> int:
        """1 if there is one in the first k ranks, else 0."""
        return min(1, self.hits(k))

    def reciprocal_rank(self, k: int | None) -> Score:
        """1 / the rank of the first of them, 0 beyond rank k."""
        return (1, self.ranks[0]) if self.hits(k) else (0, 1)

    def precisions(self, k: int | None) -> Fraction:
        """The sum of P@rank over their ranks up to k."""
        return exact_sum(enumerate(self.ranks[: self.hits(k)], 1))

    def dcg(self, k: int | None) -> float:
        """The sum of gain / log2(rank + 1) over their ranks up to k."""
        return _dcg(self.ranks[: self.hits(k)], self.gains)

    def share(self, k: int) -> Score:
        """The part of those retrieved that is in the first k ranks."""
        return self.hits(k), len(self.ranks)


class Seen(Protocol):
    """What the measures ask of a ranking: `View`, or `TiedView` for means over the orders of tied documents."""

    @property
    def counting(self) -> Targets: ...  # noqa: D102 -- each as in View
    @property
    def retrieved(self) -> int: ...  # noqa: D102
    def hits(self, k: int | None) -> int | Fraction: ...  # noqa: D102
    def success(self, k: int | None) -> int | Fraction: ...  # noqa: D102
    def reciprocal_rank(self, k: int | None) -> Score: ...  # noqa: D102
    def precisions(self, k: int | None) -> Fraction: ...  # noqa: D102
    def dcg(self, k: int | None) -> float: ...  # noqa: D102
    def share(self, k: int) -> Score: ...  # noqa: D102


def targets(measure: Measure, grades: Mapping[str, int], relevance_level: int) -> Targets:
    """The judged documents that count: relevant ones, ones with a gain, or all for Judged.

    >>> targets(Measure("P", 5, rel=2), {"a": 3, "b": 1, "c": 2}, 1)
    {'a': 3, 'c': 2}
    """
    if measure.is_graded:
        gains = {doc_id: measure.gain(grade) for doc_id, grade in grades.items()}
        return {doc_id: gain for doc_id, gain in gains.items() if gain > 0}
    if measure.name == "Judged":
        return grades
    level = measure.level(relevance_level)
    return {doc_id: grade for doc_id, grade in grades.items() if grade >= level}


def judged_ranks(ranking: Sequence[str], grades: Mapping[str, int]) -> list[tuple[int, str]]:
    """The judged documents among those retrieved, each with its rank, best first.

    >>> judged_ranks(["d2", "d5", "d3"], {"d2": 1, "d3": 0})
    [(1, 'd2'), (3, 'd3')]
    """
    return [*compress(enumerate(ranking, 1), map(grades.__contains__, ranking))]


def look(judged: Sequence[tuple[int, str]], retrieved: int, counting: Targets) -> View:
    """A ranking as a measure sees it, through the documents that count for it.

    Parameters
    ----------
    judged : sequence of (rank, document id)
        From `judged_ranks`; no other document can count.
    retrieved : int
        How many documents are retrieved.
    counting : Targets

    Examples
    --------
    >>> look([(2, "b")], 2, {"a": 3, "b": 1}).ranks
    [2]
    """
    found = [(rank, doc_id) for rank, doc_id in judged if doc_id in counting]
    return View([rank for rank, _ in found], [counting[doc_id] for _, doc_id in found], counting, retrieved)


def score(measure: Measure, seen: Seen, convention: Convention) -> Score:
    """The exact value of a measure for one query, under the convention's denominators.

    Parameters
    ----------
    measure : Measure
        One of `REFERENCE_MEASURES`.
    seen : View or TiedView
        Through the measure's own `targets`.
    convention : Convention
        Its denominators and its RR cutoff; the other axes have acted before.

    Returns
    -------
    Score
        Undefined (denominator 0) where the definition is 0/0.

    Examples
    --------
    >>> score(Measure("R", 2), View([1], [1], {"d2": 1, "d3": 1}, 2), Convention())
    (1, 2)
    """
    return _SCORERS[measure.name](measure, seen, convention)


def quotient(numerator: float | Fraction, denominator: float) -> float | None:
    """The value of a score, correctly rounded; None for 0/0.

    >>> quotient(1, 3)
    0.3333333333333333
    """
    return float(numerator / denominator) if denominator else None


def exact_sum(terms: Iterable[tuple[int, int]]) -> Fraction:
    """The exact sum of fractions: pair by pair, so that the integers grow only as they must.

    >>> exact_sum([(1, 2), (1, 3)])
    Fraction(5, 6)
    """
    pairs = list(terms)
    while len(pairs) > 1:
        halves = zip(pairs[::2], pairs[1::2], strict=False)
        odd = pairs[-1:] if len(pairs) % 2 else []
        pairs = [(a * d + c * b, b * d) for (a, b), (c, d) in halves] + odd
    return Fraction(*pairs[0]) if pairs else Fraction(0)


def _precision(measure: Measure, seen: Seen, convention: Convention) -> Score:
    rule = convention.precision_denominator
    k = measure.cutoff or 0  # never None here: P and R require one, `Measure` has seen to it
    if rule is PrecisionDenominator.RETRIEVED:
        return seen.hits(k), min(k, seen.retrieved)
    if rule is PrecisionDenominator.RELEVANT_CAPPED:
        return seen.hits(k), min(k, len(seen.counting))
    return seen.hits(k), k


def _recall(measure: Measure, seen: Seen, convention: Convention) -> Score:
    rule = convention.recall_denominator
    k = measure.cutoff or 0
    if rule is RecallDenominator.HIT:
        return seen.success(k), 1
    if rule is RecallDenominator.CAPPED:
        return seen.hits(k), min(k, len(seen.counting))
    if rule is RecallDenominator.RELEVANT_RETRIEVED:
        return seen.share(k)
    return seen.hits(k), len(seen.counting)


def _reciprocal_rank(measure: Measure, seen: Seen, convention: Convention) -> Score:
    if not seen.counting:
        return 0, 0
    return seen.reciprocal_rank(None if convention.rr_cutoff is RRCutoff.IGNORED else measure.cutoff)


def _success(measure: Measure, seen: Seen, _: Convention) -> Score:
    return seen.success(measure.cutoff), 1


def _average_precision(measure: Measure, seen: Seen, _: Convention) -> Score:
    return seen.precisions(measure.cutoff), len(seen.counting)


def _r_precision(_: Measure, seen: Seen, __: Convention) -> Score:
    return seen.hits(len(seen.counting)), len(seen.counting)


def _judged(measure: Measure, seen: Seen, _: Convention) -> Score:
    k = measure.cutoff
    return seen.hits(k), seen.retrieved if k is None else min(k, seen.retrieved)


def _num_rel(_: Measure, seen: Seen, __: Convention) -> Score:
    return len(seen.counting), 1


def _num_ret(measure: Measure, seen: Seen, _: Convention) -> Score:
    return seen.retrieved if measure.rel is None else seen.hits(None), 1


def _ndcg(measure: Measure, seen: Seen, _: Convention) -> Score:
    ideal = sorted(seen.counting.values(), reverse=True)[: measure.cutoff]
    return seen.dcg(measure.cutoff), _dcg(range(1, len(ideal) + 1), ideal)


def _dcg(ranks: Sequence[int], gains: Sequence[int]) -> float:
    return math.fsum([gain / math.log2(rank + 1) for rank, gain in zip(ranks, gains, strict=False)])


_SCORERS: dict[str, Callable[[Measure, Seen, Convention], Score]] = {
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
