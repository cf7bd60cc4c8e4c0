"""Which results a reader keeps: of each query those that can come to stand among the first ranks, and the last one.

A run of any length thus takes the memory of its first ranks. What stays is chosen by score
alone and never splits a tie, so that `ranking.order` puts it into the same order, and finds
the same ties, as if nothing had been dropped.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Hashable, Iterator
from itertools import compress
from typing import NamedTuple, TypeVar

from rageval_ir.conventions import Convention, Duplicates, ScorePrecision
from rageval_ir.errors import InputError, shown
from rageval_ir.given import Scored
from rageval_ir.measures import CUTOFF_MAX
from rageval_ir.pause import collector_paused
from rageval_ir.validate import whole as whole_number

__all__ = ["ALL", "Block", "Keep", "Reader", "Segment", "checked_depth", "gather", "whole"]

_Id = TypeVar("_Id")
_FLOAT32_MAX = 3.4028234663852886e38


class Keep(NamedTuple):
    """How many ranks of each query are kept, None for all; and whether scores are compared as 32-bit floats.

    >>> Keep.of(Convention(), 10)
    Keep(ranks=11, float32=False)
    """

    ranks: int | None
    float32: bool = False

    @classmethod
    def of(cls, convention: Convention, depth: int | None) -> Keep:
        """What the first `depth` ranks need: one rank more shows whether a tie stands across their end."""
        reach = convention.reach(depth)
        if reach is None or convention.duplicates is not Duplicates.REJECT:
            return ALL
        return cls(reach + 1, convention.score_precision is ScorePrecision.FLOAT32)

    def covers(self, other: Keep) -> bool:
        """Whether what this keeps holds all that the other does.

        >>> Keep(11).covers(Keep(6)), Keep(11).covers(ALL)
        (True, False)
        """
        if self.ranks is None:
            return True
        return other.ranks is not None and other.ranks <= self.ranks and other.float32 <= self.float32

    def below(self, score: float) -> float:
        """The lowest score that can stand beside this one, which holds the last rank that is kept."""
        return _lowest_equal(score) if self.float32 else score

    def cut(self, doc_ids: list[_Id], scores: list[float]) -> tuple[list[_Id], list[float]]:
        """The results that stay, in the order given.

        >>> Keep(2).cut(["a", "b", "c", "d", "e"], [1.0, 0.5, 0.9, 0.9, 0.6])
        (['a', 'b', 'c', 'd'], [1.0, 0.5, 0.9, 0.9])
        """
        if self.ranks is None or len(scores) <= self.ranks:
            return doc_ids, scores
        floor = self.below(sorted(scores, reverse=True)[self.ranks - 1])
        stays = [score >= floor for score in scores]
        stays[scores.index(min(scores))] = True  # if it equals the first, all scores are equal
        return [*compress(doc_ids, stays)], [*compress(scores, stays)]


ALL = Keep(None)


def checked_depth(depth: object) -> int | None:
    """How many results of each query are read; None for all.

    Raises
    ------
    InputError
        It is not an int in the range of cutoffs.
    """
    if depth is None:
        return None
    number = whole_number(depth)
    if number is None or not 1 <= number <= CUTOFF_MAX:
        raise InputError(f"The depth must be an int in the range [1, 2^31 - 1]. Found {shown(depth)}.")
    return number


def _lowest_equal(score: float) -> float:
    """A score no higher than any that equals this one as a 32-bit float, and not much lower."""
    if score <= -_FLOAT32_MAX:
        return -math.inf
    score = min(score, _FLOAT32_MAX)
    return score - abs(score) * 2**-22 - 2**-148


class Segment(NamedTuple):
    """Some of one query's results, as one block of the input has them."""

    query_id: str
    scored: Scored
    """Those that stay."""
    repeats: bool
    """Whether a document is among them all more than once."""


class Block(NamedTuple):
    """A part of the input, with a segment for each of its queries."""

    segments: list[Segment]
    doc_ids: Callable[[int], Collection[Hashable]]
    """All documents of the segment at this place, kept or not, in any form that tells them apart."""


Reader = Callable[[Keep], Iterator[Block]]
"""Reads the input from its start, block by block."""


@collector_paused()
def gather(read: Reader, keep: Keep) -> dict[str, Scored]:
    """Each query's results, of which those beyond `keep` are dropped; a query that repeats a document is kept whole.

    The input is read once where queries stand together, twice where they are scattered, and
    once more where a document is repeated.
    """
    if keep.ranks is None:
        return whole(read, None)
    try:
        found, repeating = _together(read, keep)
    except _ScatteredError:
        found, repeating = _scattered(read, keep)
    if repeating:
        found.update(whole(read, repeating))
    return found


class _ScatteredError(Exception):
    """A query came back after others."""


def _together(read: Reader, keep: Keep) -> tuple[dict[str, Scored], set[str]]:
    """Each query from one block, or from several on end; and the queries that repeat a document."""
    found: dict[str, Scored] = {}
    repeating: set[str] = set()
    last, seen = "", set[Hashable]()  # the last query of the block before, and its documents
    for segments, doc_ids in read(keep):
        for place, (query_id, scored, repeats) in enumerate(segments):
            if query_id not in found:
                found[query_id] = scored
            elif query_id == last:
                repeats = repeats or not seen.isdisjoint(doc_ids(place))
                found[query_id] = _joined(found[query_id], scored, keep)
            else:
                raise _ScatteredError
            if repeats:
                repeating.add(query_id)
        if segments:
            end = segments[-1].query_id
            seen = {*doc_ids(len(segments) - 1), *(seen if end == last else ())}
            last = end
    return found, repeating


def _scattered(read: Reader, keep: Keep) -> tuple[dict[str, Scored], set[str]]:
    """The same from queries in any order, at eight bytes a result to know repeated documents by."""
    assert keep.ranks is not None
    found: dict[str, Scored] = {}
    limits: dict[str, int] = {}
    hashes: dict[str, array[int]] = {}
    for segments, doc_ids in read(keep):
        for place, (query_id, scored, _) in enumerate(segments):
            known = found.setdefault(query_id, Scored([], []))
            known.doc_ids.extend(scored.doc_ids)
            known.scores.extend(scored.scores)
            if len(known.scores) > limits.setdefault(query_id, 2 * keep.ranks):
                found[query_id] = Scored(*keep.cut(*known))
                limits[query_id] = 2 * len(found[query_id].scores)
            hashes.setdefault(query_id, array("q")).extend(map(hash, doc_ids(place)))
    for query_id, scored in found.items():
        found[query_id] = Scored(*keep.cut(*scored))
    return found, {query_id for query_id, each in hashes.items() if len(set(each)) < len(each)}


def whole(read: Reader, only: Collection[str] | None) -> dict[str, Scored]:
    """All results of these queries, or of all; nothing is dropped."""
    found: dict[str, Scored] = {}
    for segments, _ in read(ALL):
        for query_id, scored, _ in segments:
            if only is None or query_id in only:
                known = found.setdefault(query_id, Scored([], []))
                known.doc_ids.extend(scored.doc_ids)
                known.scores.extend(scored.scores)
    return found


def _joined(before: Scored, after: Scored, keep: Keep) -> Scored:
    return Scored(*keep.cut(before.doc_ids + after.doc_ids, before.scores + after.scores))
