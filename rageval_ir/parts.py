"""One system's result from the results of its parts, as if it had never been divided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any

from rageval_ir.errors import InputError, place
from rageval_ir.system import AFFECTED, Column, SystemResult

__all__ = ["joined"]


def joined(system: str, parts: Sequence[SystemResult], judged: Iterable[str]) -> SystemResult:
    """One result from parts that have the queries between them.

    Parameters
    ----------
    system : str
        For error messages.
    parts : sequence of SystemResult
        At least one, under the same measures, in any order.
    judged : iterable of str
        The judged queries in order, which becomes the result's; unjudged ones come after, sorted.

    Raises
    ------
    InputError
        A query that is in two parts.
    """
    rank = {query_id: number for number, query_id in enumerate(judged)}
    queries = _chained(part.queries for part in parts)
    _reject_repeated(system, queries)
    _reject_repeated(system, _chained(part.affected.get("unjudged_queries", ()) for part in parts))
    order = sorted(range(len(queries)), key=lambda row: (rank.get(queries[row], len(rank)), queries[row]))
    measures = list(parts[0].columns)
    columns = {}
    for measure in measures:
        cells = {field.name: _chained(getattr(p.columns[measure], field.name) for p in parts) for field in _CELLS}
        columns[measure] = Column(**{name: [given[row] for row in order] for name, given in cells.items()})
    affected = {what: _chained(part.affected.get(what, ()) for part in parts) for what in AFFECTED}
    for what, found in affected.items():
        found.sort(key=None if what == "unjudged_queries" else rank.__getitem__)
    bounds = {measure: _merged((part.bounds.get(measure, {}) for part in parts), rank) for measure in measures}
    return SystemResult(
        queries=[queries[row] for row in order],
        columns=columns,
        judged=sum(part.judged for part in parts),
        affected={what: found for what, found in affected.items() if found},
        documents={what: sum(part.documents[what] for part in parts) for what in parts[0].documents},
        failures=_merged((part.failures for part in parts), rank),
        bounds={measure: found for measure, found in bounds.items() if found},
    )


_CELLS = fields(Column)


def _chained(given: Iterable[Iterable[Any]]) -> list[Any]:
    return [*chain.from_iterable(given)]


def _merged(given: Iterable[Mapping[str, Any]], rank: Mapping[str, int]) -> dict[str, Any]:
    """By query, in order."""
    return dict(sorted(_chained(each.items() for each in given), key=lambda entry: rank[entry[0]]))


def _reject_repeated(system: str, queries: Sequence[str]) -> None:
    for query_id, times in Counter(queries).items():
        if times > 1:
            raise InputError(
                f"{place(system=system, query=query_id)} is in {times} parts.",
                hint="a part has whole queries; put a query's rows into one.",
            )
