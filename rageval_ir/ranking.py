"""One strict order per query: ties, duplicates, condensing and cutting, by the convention.

What comes out is a list of distinct document ids, best first (`count_each` keeps
repeats), no longer than the depth, with a count of what each rule touched.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Sequence
from itertools import groupby, pairwise
from operator import gt, itemgetter
from typing import NamedTuple

from rageval_ir.conventions import Convention, Duplicates, ScorePrecision, Ties, UnjudgedDocument
from rageval_ir.errors import RejectedError, place

__all__ = ["Ranking", "order"]


class Ranking(NamedTuple):
    """One query's ranking as every measure sees it, and what the rules touched on the way."""

    doc_ids: list[str]
    tied: bool = False
    """A tie stands among the first `depth` ranks or across their end."""
    constant: bool = False
    """All scores are equal, so that the scores say nothing of the order."""
    duplicates: int = 0
    """Repeated documents found, within the depth where only that is read."""
    condensed: int = 0
    """Unjudged documents dropped."""
    groups: Sequence[Sequence[str]] = ()
    """Under `ties=expected`, where a tie can reach the result: all documents, grouped by equal scores."""


def order(
    doc_ids: Sequence[str],
    scores: Sequence[float] | None,
    convention: Convention,
    *,
    depth: int | None = None,
    judged: Container[str] = frozenset(),
    system: str | None = None,
    query: str | None = None,
) -> Ranking:
    """Put one query's documents into the one order that the convention says.

    Parameters
    ----------
    doc_ids : sequence of str, length n
        Best first where there are no scores, in the input's order where there are.
    scores : sequence of float, length n, or None
        Finite; greater is better.
    depth : int or None
        How many ranks are kept; None keeps all.
    judged : container of str
        The query's judged documents; read only by `unjudged_document=condense`.
    system, query : str, optional
        For error messages.

    Raises
    ------
    RejectedError
        A tie or a duplicate under `reject`.

    Source
    ------
    trec_eval 10.0, form_res_rels.c: score descending, then document id descending.

    Examples
    --------
    >>> order(["a", "b", "c"], [1.0, 1.0, 2.0], Convention()).doc_ids
    ['c', 'b', 'a']
    """
    reach = convention.reach(depth)
    tied = constant = False
    if scores is None:
        ranked = list(doc_ids) if reach is None or len(doc_ids) <= reach else list(doc_ids[:reach])
    else:
        ranked, tied, constant = _by_score(doc_ids, scores, convention, reach, system, query)
    duplicates = len(ranked) - len(set(ranked))
    if duplicates:
        ranked = _without_duplicates(ranked, convention.duplicates, system, query)
    before = len(ranked)
    if convention.unjudged_document is UnjudgedDocument.CONDENSE:
        ranked = [doc_id for doc_id in ranked if doc_id in judged]
    condensed = before - len(ranked)
    if depth is not None and len(ranked) > depth:
        ranked = ranked[:depth]
    groups: Sequence[Sequence[str]] = ()
    if scores is not None and tied and convention.ties is Ties.EXPECTED:
        groups = _groups(doc_ids, scores, convention, judged)
    return Ranking(ranked, tied, constant, duplicates, condensed, groups)


def _groups(
    doc_ids: Sequence[str],
    scores: Sequence[float],
    convention: Convention,
    judged: Container[str],
) -> list[list[str]]:
    """Documents of equal scores, best first, under the other rules; all of them, whatever the depth."""
    scores = array("f", scores) if convention.score_precision is ScorePrecision.FLOAT32 else scores
    pairs = sorted(zip(doc_ids, scores, strict=True), key=itemgetter(1), reverse=True)
    if convention.duplicates in (Duplicates.FIRST, Duplicates.LAST):  # of two scores, the last in a dict stays
        kept = dict(pairs if convention.duplicates is Duplicates.LAST else reversed(pairs))
        pairs = sorted(kept.items(), key=itemgetter(1), reverse=True)
    if convention.unjudged_document is UnjudgedDocument.CONDENSE:
        pairs = [pair for pair in pairs if pair[0] in judged]
    return [[doc_id for doc_id, _ in tied] for _, tied in groupby(pairs, key=itemgetter(1))]


def _by_score(
    doc_ids: Sequence[str],
    scores: Sequence[float],
    convention: Convention,
    reach: int | None,
    system: str | None,
    query: str | None,
) -> tuple[list[str], bool, bool]:
    """Documents by score, ties by the convention; and whether a tie stood within `reach`."""
    if convention.score_precision is ScorePrecision.FLOAT32:
        scores = array("f", scores)
    if all(map(gt, scores, scores[1:])):  # as most runs come
        return list(doc_ids), False, False
    positions = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    # one rank further than the reach: a tie across its end decides who is inside
    near = [scores[i] for i in positions[: None if reach is None else reach + 1]]
    tied = len(set(near)) < len(near)
    if tied and convention.ties is Ties.REJECT:
        _reject_tie(doc_ids, scores, positions, system, query)
    if tied and convention.ties is not Ties.INPUT_ORDER:
        ascending = convention.ties is Ties.DOCID_ASCENDING
        positions.sort(key=doc_ids.__getitem__, reverse=not ascending)
        positions.sort(key=scores.__getitem__, reverse=True)
    constant = tied and scores[positions[0]] == scores[positions[-1]]
    return [doc_ids[i] for i in positions], tied, constant


def _reject_tie(
    doc_ids: Sequence[str],
    scores: Sequence[float],
    positions: Sequence[int],
    system: str | None,
    query: str | None,
) -> None:
    rank, (first, second) = next(
        (rank, pair) for rank, pair in enumerate(pairwise(positions), 1) if scores[pair[0]] == scores[pair[1]]
    )
    raise RejectedError(
        f"{place(system=system, query=query)}: documents {doc_ids[first]!r} and {doc_ids[second]!r}"
        f" at ranks {rank} and {rank + 1} have the same score {scores[first]!r}.",
        hint="break the tie yourself, or choose ties=docid_descending, docid_ascending or input_order.",
    )


def _without_duplicates(ranked: list[str], rule: Duplicates, system: str | None, query: str | None) -> list[str]:
    if rule is Duplicates.FIRST:
        return list(dict.fromkeys(ranked))
    if rule is Duplicates.LAST:
        return list(dict.fromkeys(reversed(ranked)))[::-1]
    if rule is Duplicates.COUNT_EACH:
        return ranked
    seen: dict[str, int] = {}
    for rank, doc_id in enumerate(ranked, 1):
        if doc_id in seen:
            raise RejectedError(
                f"{place(system=system, query=query, document=doc_id)} stands at ranks {seen[doc_id]} and {rank}.",
                hint="a document has one rank; remove the repeat, or choose duplicates=first or last.",
            )
        seen[doc_id] = rank
    return ranked
