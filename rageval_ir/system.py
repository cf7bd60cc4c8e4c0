"""One system's values and what became of its queries, as plain lists; and the latter in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from types import NoneType
from typing import NamedTuple

__all__ = ["STATUSES", "Column", "Row", "SystemResult"]

STATUSES = {
    "scored": "evaluated",
    "empty": "an empty ranking",
    "no_relevant": "no relevant document is judged",
    "no_judgments": "listed without any judgment",
    "missing": "judged, but not in the run",
    "failed": "the retrieval failed",
    "unjudged_query": "in the run, but not judged",
}
"""What the status of a row means. A row without a value was left out of the mean for it."""


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

    values: list[float | None] = field(default_factory=list)
    numerators: list[float | None] = field(default_factory=list)
    denominators: list[float | None] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    computed_by: list[str] = field(default_factory=list)

    def add(self, value: float | None, numerator: float | Fraction | None, denominator: float | None) -> None:
        """Append one value with its fraction; the numerator is kept as a number that JSON has."""
        self.values.append(value)
        self.numerators.append(numerator if isinstance(numerator, (int, float, NoneType)) else float(numerator))
        self.denominators.append(denominator)

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
        In the judgments' order, then unjudged ones that the convention counts.
    columns : dict of str to Column
        By the measure's printed name.
    unjudged : list of str
        Queries in the run that are not judged.
    failures : dict of str to str
        Failed queries, with the exception as text.
    counts : dict of str to int
        judged, missing, empty, failed, short (fewer results than the greatest cutoff),
        no_relevant, no_judgments, tied, constant_scores, duplicates, condensed,
        self_retrieved: in queries, but for duplicates and condensed, which count documents.
    """

    queries: list[str]
    columns: dict[str, Column]
    unjudged: list[str]
    failures: dict[str, str]
    counts: dict[str, int]

    def account(self, cutoff: int) -> Iterator[str]:
        """What became of the queries, a phrase for each thing that happened, with the first few queries.

        Parameters
        ----------
        cutoff : int
            The greatest of the measures, which short rankings fall short of.
        """
        statuses = next(iter(self.columns.values())).statuses
        for name, phrase in _COUNTED.items():
            if count := self.counts.get(name):
                queries = [query_id for query_id, status in zip(self.queries, statuses, strict=True) if status == name]
                yield phrase.format(count, cutoff=cutoff) + _examples(queries)
        if self.unjudged:
            yield f"{len(self.unjudged)} ranked but not judged" + _examples(self.unjudged)


_COUNTED = {
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
}


def _examples(query_ids: list[str], most: int = 3) -> str:
    if not query_ids:
        return ""
    more = ", ..." if len(query_ids) > most else ""
    return f" ({', '.join(query_ids[:most])}{more})"
