"""What a change to one query's data would make of its values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rageval_ir.convert import Run
from rageval_ir.errors import InputError, shown
from rageval_ir.evaluation import evaluate
from rageval_ir.explain import one_query
from rageval_ir.measures import parse_measures
from rageval_ir.profiles import resolve_convention
from rageval_ir.report import Heading, Printed, Table
from rageval_ir.validate import identifier, whole

__all__ = ["WhatIf", "what_if"]


@dataclass(frozen=True, repr=False)
class WhatIf(Printed):
    """What a change would make of a query's values.

    Attributes
    ----------
    query_id : str
    changes : tuple of str
        What was changed, in words.
    values : tuple of (measure, measure after, before, after)
        The measure after differs where the cutoff was changed; None where the query is left out.
    """

    query_id: str
    changes: tuple[str, ...]
    values: tuple[tuple[str, str, float | None, float | None], ...]

    def tables(self) -> list[Table]:
        """What `repr` prints."""
        headings = (Heading("measure", False), Heading("before"), Heading("after"), Heading("change"))
        rows = tuple(
            (
                measure if measure == then else f"{measure} -> {then}",
                _shown(before),
                _shown(after),
                "-" if before is None or after is None else f"{after - before:+.4f}",
            )
            for measure, then, before, after in self.values
        )
        return [Table(headings, rows, title=f"query {self.query_id}, {'; '.join(self.changes)}")]


def what_if(
    relevant: Any,
    ranking: Any,
    query_id: str,
    measures: Any,
    convention: Any = "TREC_EVAL",
    *,
    move: tuple[str, int] | None = None,
    add_judgment: Mapping[str, int] | None = None,
    remove_judgment: Collection[str] = (),
    cutoff: int | None = None,
) -> WhatIf:
    """Change one query's data, and see each measure's change.

    Parameters
    ----------
    relevant, ranking, query_id, convention
        As for `explain`.
    measures
        As for `evaluate`.
    move : (document id, rank), optional
        Put the document there; one that is not ranked is added.
    add_judgment : mapping of document id to grade, optional
    remove_judgment : collection of document ids, optional
    cutoff : int, optional
        In place of every cutoff.

    Raises
    ------
    InputError
        As `explain`; nothing to change; a rank beyond the ranking, or no judgment to remove.
    MeasureError
        As `evaluate`.

    Examples
    --------
    >>> what_if({"q": {"d1"}}, ["d5", "d1"], "q", ["P@1", "RR"], move=("d1", 1))
    query q, d1 moved to rank 1:
    measure  before   after   change
    P@1      0.0000  1.0000  +1.0000
    RR       0.5000  1.0000  +0.5000
    """
    parsed, chosen = parse_measures(measures), resolve_convention(convention)
    qrels, run = one_query(relevant, ranking, query_id)
    (query_id,) = qrels.judgments
    grades, changes = dict(qrels.judgments[query_id]), []
    ordered = list(run.order(query_id, chosen, judged=grades).doc_ids)
    for given, grade in (add_judgment or {}).items():
        doc_id = identifier(given, "document id", lambda: "add_judgment")
        grades[doc_id] = grade
        changes.append(f"{doc_id} judged {grade}")
    for given in [remove_judgment] if isinstance(remove_judgment, str) else remove_judgment:
        doc_id = identifier(given, "document id", lambda: "remove_judgment")
        if grades.pop(doc_id, None) is None:
            raise InputError(f"query {query_id!r}: {shown(doc_id)} has no judgment to remove.")
        changes.append(f"{doc_id} not judged")
    moved = ordered
    if move is not None:
        moved, told = _moved(ordered, move, query_id)
        changes.append(told)
    then = tuple(replace(m, cutoff=cutoff) if cutoff is not None and m.cutoff else m for m in parsed)
    if cutoff is not None:
        changes.append(f"cutoff {cutoff}")
    if not changes:
        raise InputError("Nothing is changed.", hint="give move, add_judgment, remove_judgment or cutoff.")
    before = evaluate(qrels, Run(run.name, {query_id: ordered}), parsed, chosen)
    after = evaluate({query_id: grades}, Run(run.name, {query_id: moved}), then, chosen)
    values = tuple(
        (str(one), str(two), before.mean(run.name, one), after.mean(run.name, two))
        for one, two in zip(parsed, then, strict=True)
    )
    return WhatIf(query_id, tuple(changes), values)


def _moved(doc_ids: list[str], move: tuple[str, int], query_id: str) -> tuple[list[str], str]:
    """The ranking with the document at its new rank, and that in words."""
    try:
        given, rank = move
    except (TypeError, ValueError):
        raise InputError(f"move: found {shown(move)}; expected (document id, rank).") from None
    doc_id = identifier(given, "document id", lambda: "move")
    rest = [each for each in doc_ids if each != doc_id]
    if not 1 <= (whole(rank) or 0) <= len(rest) + 1:
        raise InputError(f"query {query_id!r}: no rank {shown(rank)}.", hint=f"ranks are 1 to {len(rest) + 1}.")
    return [*rest[: rank - 1], doc_id, *rest[rank - 1 :]], f"{doc_id} moved to rank {rank}"


def _shown(value: float | None) -> str:
    return "left out" if value is None else f"{value:.4f}"
