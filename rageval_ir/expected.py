"""Tied documents under `ties=expected`: exact means over all their orders, in closed form, and the extremes.

Source: McSherry and Najork, Computing Information Retrieval Performance Measures
Efficiently in the Presence of Tied Scores, ECIR 2008.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

from rageval_ir.conventions import Convention, RecallDenominator
from rageval_ir.measures import Measure
from rageval_ir.reference import Score, Targets, View, exact_sum, quotient, score

__all__ = ["TiedView", "extremes", "look_tied"]


class _Group(NamedTuple):
    """Documents of one score."""

    before: int
    """How many documents have a higher score."""
    size: int
    gains: Sequence[int]
    """The gains of those that count, descending."""

    def within(self, end: int) -> int:
        """How many of its ranks are not beyond `end`."""
        return min(max(end - self.before, 0), self.size)


class TiedView(NamedTuple):
    """What a measure sees of one query on average over the orders of its tied documents; see `View`."""

    groups: Sequence[_Group]
    counting: Targets
    retrieved: int

    def hits(self, k: int | None) -> Fraction:
        """The mean number of documents that count in the first k ranks."""
        end = self._end(k)
        return exact_sum((len(group.gains) * group.within(end), group.size) for group in self.groups)

    def success(self, k: int | None) -> Fraction:
        """The probability that one of them is in the first k ranks."""
        end = self._end(k)
        missed = Fraction(1)
        for group in self.groups:
            inside = group.within(end)
            missed *= Fraction(comb(group.size - len(group.gains), inside), comb(group.size, inside))
        return 1 - missed

    def reciprocal_rank(self, k: int | None) -> Score:
        """The mean of 1 / the rank of the first of them, 0 beyond rank k."""
        group = next((group for group in self.groups if group.gains), None)
        if group is None:
            return 0, 1
        relevant, orders = len(group.gains), comb(group.size, len(group.gains))
        inside = min(group.within(self._end(k)), group.size - relevant + 1)
        # the first is the i-th of the group in so many of its orders
        terms = [(comb(group.size - i, relevant - 1), group.before + i) for i in range(1, inside + 1)]
        return exact_sum(terms) / orders, 1

    def precisions(self, k: int | None) -> Fraction:
        """The mean of the sum of P@rank over their ranks up to k."""
        end, total, above = self._end(k), Fraction(0), 0
        for group in self.groups:
            relevant, size = len(group.gains), group.size
            # the i-th of the group is relevant with probability relevant / size; then, of the i - 1
            # before it, each is with probability (relevant - 1) / (size - 1)
            others = max(size - 1, 1)
            terms = [
                ((above + 1) * others + (i - 1) * (relevant - 1), others * (group.before + i))
                for i in range(1, group.within(end) + 1 if relevant else 1)
            ]
            total += exact_sum(terms) * Fraction(relevant, size)
            above += relevant
        return total

    def dcg(self, k: int | None) -> float:
        """The mean of the sum of gain / log2(rank + 1) over the first k ranks."""
        end = self._end(k)
        return math.fsum(
            sum(group.gains) / (group.size * math.log2(rank + 1))
            for group in self.groups
            if group.gains
            for rank in range(group.before + 1, group.before + group.within(end) + 1)
        )

    def share(self, k: int) -> Score:
        """The mean part of those retrieved that is in the first k ranks; 0 where none is retrieved."""
        outcomes = list(self.outcomes(k))
        if not any(retrieved for _, _, retrieved in outcomes):
            return 0, 0
        return sum((p * Fraction(hits, all_) for p, hits, all_ in outcomes if all_), Fraction(0)), 1

    def outcomes(self, k: int) -> Iterator[tuple[Fraction, int, int]]:
        """Every (probability, hits in the first k ranks, hits among the retrieved) that the orders can give."""
        end = self._end(k)
        certain = sum(len(group.gains) for group in self.groups if group.within(self.retrieved) == group.size)
        below = sum(len(group.gains) for group in self.groups if group.within(end) == group.size)
        last = next((group for group in self.groups if group.within(self.retrieved) < group.size), None)
        cut = next((group for group in self.groups if 0 < group.within(end) < group.size), None)
        for chance, more in _drawn(last, self.retrieved) if last else [(Fraction(1), 0)]:
            if cut is None:
                yield chance, below, certain + more
            elif cut is not last:
                for other, hits in _drawn(cut, end):
                    yield chance * other, below + hits, certain + more
            else:  # of the `more` that are retrieved, some are in the first k
                inside = _Group(cut.before, cut.within(self.retrieved), cut.gains[:more])
                for other, hits in _drawn(inside, end):
                    yield chance * other, below + hits, certain + more

    def _end(self, k: int | None) -> int:
        return self.retrieved if k is None else min(k, self.retrieved)


def look_tied(groups: Iterable[Sequence[str]], retrieved: int, counting: Targets) -> TiedView:
    """Groups of tied documents as a measure sees them, through the documents that count for it.

    Parameters
    ----------
    groups : iterable of sequences of document ids
        Best first; they may reach beyond what is retrieved.
    retrieved : int
        How many documents are retrieved.
    counting : Targets

    Examples
    --------
    >>> look_tied([["a", "b"]], 2, {"a": 1}).hits(1)
    Fraction(1, 2)
    """
    found = []
    before = 0
    for group in groups:
        gains = sorted((counting[doc_id] for doc_id in group if doc_id in counting), reverse=True)
        found.append(_Group(before, len(group), gains))
        before += len(group)
    return TiedView(found, counting, retrieved)


def extremes(measure: Measure, seen: TiedView, convention: Convention) -> tuple[float, float]:
    """The least and the greatest value that an order of the tied documents can give; 0/0 is 0.

    >>> from rageval_ir.conventions import TREC_EVAL
    >>> extremes(Measure("RR", 10), look_tied([["a", "b"]], 2, {"a": 1}), TREC_EVAL)
    (0.5, 1.0)
    """
    if measure.name == "R" and convention.recall_denominator is RecallDenominator.RELEVANT_RETRIEVED:
        values = [hits / all_ if all_ else 0.0 for _, hits, all_ in seen.outcomes(measure.cutoff or 0)]
    else:
        values = [quotient(*score(measure, _ordered(seen, best), convention)) or 0.0 for best in (False, True)]
    return min(values), max(values)


def _ordered(seen: TiedView, best: bool) -> View:
    """The ranking with the documents that count first, or last, in every group."""
    found: list[tuple[int, int]] = []
    for before, size, gains in seen.groups:
        start = before + 1 if best else before + 1 + size - len(gains)
        found += enumerate(gains if best else reversed(gains), start)
    found = [(rank, gain) for rank, gain in found if rank <= seen.retrieved]
    return View([rank for rank, _ in found], [gain for _, gain in found], seen.counting, seen.retrieved)


def _drawn(group: _Group, end: int) -> Iterator[tuple[Fraction, int]]:
    """How many that count are among the group's ranks up to `end`, with its probability (hypergeometric)."""
    size, relevant, inside = group.size, len(group.gains), group.within(end)
    for hits in range(max(0, inside - (size - relevant)), min(relevant, inside) + 1):
        yield Fraction(comb(relevant, hits) * comb(size - relevant, inside - hits), comb(size, inside)), hits
