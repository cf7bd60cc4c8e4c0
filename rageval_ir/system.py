"""One system's values and what became of its queries, as plain lists; and the latter in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["AFFECTED", "Column", "Row", "SystemResult"]


class Row(NamedTuple):
    """One system, query and measure."""

    system: str
    query_id: str
    measure: str
    value: float | None
    numerator: float | None
    denominator: float | None
    status: str
    computed_by: str


@dataclass
class Column:
    """One system under one measure: lists along the system's queries."""

    values: list[float | None]
    numerators: list[float | None]
    denominators: list[float | None]
    statuses: list[str]
    computed_by: list[str]

    @property
    def counted(self) -> list[float]:
        """The values that the mean is over."""
        return [value for value in self.values if value is not None]


@dataclass
class SystemResult:
    """One system: its queries, a column a measure, and what happened on the way.

    Attributes
    ----------
    queries : list of str
        In the judgments' order, then unjudged ones that the convention counts, sorted.
    columns : dict of str to Column
        By the measure's printed name.
    judged : int
        How many judged queries were asked.
    affected : dict of str to list of str
        What happened, and to which queries: missing, failed, empty, short (fewer results than
        the greatest cutoff), no_relevant, no_judgments, tied, constant_scores, duplicates,
        condensed, self_retrieved; unjudged_queries, those in the run that are not judged; and what
        the reference alone computed: repeating (a document counts more than once) and averaged
        (over tied documents).
    documents : dict of str to int
        duplicates and condensed, in documents.
    failures : dict of str to str
        Failed queries, with the exception as text.
    bounds : dict of str to dict of str to list of float
        Under `ties=expected`: measure to query with ties to [least, greatest], over all orders
        of the tied documents.
    """

    queries: list[str]
    columns: dict[str, Column]
    judged: int
    affected: dict[str, list[str]]
    documents: dict[str, int]
    failures: dict[str, str]
    bounds: dict[str, dict[str, list[float]]]

    @property
    def counts(self) -> dict[str, int]:
        """How often each thing happened: in queries, but for duplicates and condensed, in documents."""
        queries = {what: len(self.affected.get(what, ())) for what in _PHRASES}
        return {"judged": self.judged, **queries, **self.documents}

    def apart(self, checked_under: object) -> str:
        """Why some queries are not cross-checked as they are computed; empty if all are.

        Parameters
        ----------
        checked_under : Ties
            The option that the cross-check ran under.
        """
        reasons = []
        if repeating := self.affected.get("repeating"):
            reasons.append(
                f"not cross-checked where a document counts more than once ({len(repeating)} of"
                f" {len(self.queries)} queries); the reference alone computed these"
            )
        if averaged := self.affected.get("averaged"):
            reasons.append(
                f"the reference alone averaged over tied documents ({len(averaged)} of {len(self.queries)}"
                f" queries); the cross-check ran under ties={checked_under}"
            )
        return "; ".join(reasons)

    def account(self, cutoff: int) -> Iterator[str]:
        """What happened to the queries, a phrase for each thing that did, with the first few queries.

        Parameters
        ----------
        cutoff : int
            The greatest of the measures, which short rankings fall short of.
        """
        counts = self.counts
        for what, phrase in _PHRASES.items():
            if queries := self.affected.get(what):
                more = ", ..." if len(queries) > 3 else ""
                yield phrase.format(counts[what], cutoff=cutoff) + f" ({', '.join(queries[:3])}{more})"


_PHRASES = {
    "failed": "{} failed",
    "missing": "{} missing",
    "empty": "{} with an empty ranking",
    "short": "{} with fewer than {cutoff} results",
    "no_relevant": "{} without relevant documents",
    "no_judgments": "{} without any judgment",
    "tied": "{} with tied scores",
    "constant_scores": "{} with all scores equal",
    "duplicates": "{} repeated documents",
    "condensed": "{} unjudged documents dropped",
    "self_retrieved": "{} whose id is also among their results",
    "unjudged_queries": "{} ranked but not judged",
}

AFFECTED = (*_PHRASES, "repeating", "averaged")
"""What can happen to a query, in the order in which it is told."""
