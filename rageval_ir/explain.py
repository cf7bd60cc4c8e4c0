"""The working of one value, as a person would write it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Number
from typing import Any, NamedTuple

from rageval_ir.audit import moves
from rageval_ir.conventions import Convention, RRCutoff, Ties
from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import InputError, RagevalError, shown
from rageval_ir.evaluation import evaluate
from rageval_ir.expected import look_tied
from rageval_ir.measures import Measure, parse_measure
from rageval_ir.plan import Plan
from rageval_ir.profiles import resolve_convention
from rageval_ir.ranking import Ranking
from rageval_ir.reference import REFERENCE_MEASURES, Score, Targets, judged_ranks, look, quotient, score, targets
from rageval_ir.report import Heading, Printed, Table
from rageval_ir.result import Evaluation
from rageval_ir.shapes import to_qrels, to_runs
from rageval_ir.system import Row
from rageval_ir.validate import identifier

__all__ = ["Explained", "Rank", "explain", "one_query"]

_RANKS = 20
"""Ranks that are printed in any case; further down, only those that count."""


class Rank(NamedTuple):
    """One rank of the ranking as the measure reads it."""

    rank: int
    doc_id: str
    grade: int | None
    """None where the document is not judged."""
    counts: bool
    """Whether it counts for the measure, and its rank is within the cutoff."""


@dataclass(frozen=True, repr=False)
class Explained(Printed):
    """How one query's value comes about.

    Attributes
    ----------
    row : Row
        The value, its status and who computed it.
    measure : Measure
    convention : Convention
    ranks : tuple of Rank
        Those that the measure reads, in the order that the convention makes.
    missed : tuple of str
        Documents that count for the measure and are not among them.
    exact : (numerator, denominator) or None
        By the reference, as the definition has them; None where it does not have the measure.
    touched : dict of str to dict of str to float or None
        Axis to the options that would give this query another value, with it.
    """

    row: Row
    measure: Measure
    convention: Convention
    ranks: tuple[Rank, ...]
    missed: tuple[str, ...]
    exact: Score | None
    touched: dict[str, dict[str, float | None]]

    @property
    def fraction(self) -> Fraction | None:
        """The value in lowest terms; None for nDCG, 0/0, and what only a backend computes."""
        if self.exact is None or not self.exact[1] or self.measure.is_graded:
            return None
        return Fraction(self.exact[0]) / Fraction(self.exact[1])

    def tables(self) -> list[Table]:
        """What `repr` prints: the ranked list, and the working below it."""
        headings = (Heading("rank"), Heading("doc_id", False), Heading("grade"), Heading("counts", False))
        shown_ = [rank for rank in self.ranks if rank.rank <= _RANKS or rank.counts]
        rows = tuple(
            (str(r.rank), r.doc_id, "-" if r.grade is None else str(r.grade), "yes" if r.counts else "") for r in shown_
        )
        title = f"{self.measure} of query {self.row.query_id}, system {self.row.system}"
        return [Table(headings, rows, tuple(self._notes(len(self.ranks) - len(shown_))), title)]

    def _notes(self, hidden: int) -> Iterator[str]:
        if hidden:
            yield f"{hidden} further ranks, where nothing counts, are not shown"
        yield f"{self.measure} = {self.measure.definition.formula}"
        if self.missed:
            more = f", ... ({len(self.missed)} in all)" if len(self.missed) > 5 else ""
            yield f"counting, but not retrieved: {', '.join(self.missed[:5])}{more}"
        yield self._value()
        yield self._by()
        yield f"convention: {self.convention.name}"
        if self.convention.ties is Ties.EXPECTED:
            yield "documents of equal scores are listed in one of their orders; the value is the mean over all"
        for axis, values in self.touched.items():
            yield f"{axis}: " + ", ".join(
                f"{option} would leave it out" if value is None else f"{option} would give {value:.4f}"
                for option, value in values.items()
            )
        if not self.touched:
            yield "no other option of any axis would give this query another value"

    def _value(self) -> str:
        row = self.row
        if row.value is None:
            return f"left out of the mean: {row.status}"
        if self.exact is None or row.computed_by == "convention":
            return f"= {row.value:.4f}"
        numerator, denominator = self.exact
        if not denominator:
            return f"= 0/0, which counts as {row.value:g}"
        if self.measure.is_graded:
            return f"= {numerator:.4f}/{denominator:.4f} = {row.value:.4f}"
        plain = f"{numerator}/{denominator}" if isinstance(numerator, int) else f"({numerator})/{denominator}"
        lowest = "" if f"{self.fraction}" == plain else f" = {self.fraction}"
        return f"= {plain}{lowest} = {row.value:.4f}"

    def _by(self) -> str:
        by, value = self.row.computed_by, self.row.value
        if by == "convention":
            return f"decided by the convention ({self.row.status})"
        if self.exact is None:
            return f"by {by} {value!r}, which alone computes it"
        reference = quotient(*self.exact) or 0.0
        return f"by {by} {value!r}, by the reference {reference!r}" if by != "reference" else "by the reference alone"


def explain(
    relevant: Any, ranking: Any, query_id: str, measure: Any, convention: Any = "TREC_EVAL", depth: int | None = None
) -> Explained:
    """Show the working of one query's value.

    Parameters
    ----------
    relevant
        As for `evaluate`.
    ranking
        One system's rankings as for `evaluate`, or this query's ranking alone.
    query_id : str
    measure : str or Measure
    convention, depth
        As for `evaluate`.

    Raises
    ------
    InputError
        As `evaluate`; several systems; a query that is not judged.

    Examples
    --------
    >>> explain({"q": {"d2", "d3"}}, ["d2", "d5"], "q", "Rprec")
    Rprec of query q, system run:
    rank  doc_id  grade  counts
       1  d2          1  yes
       2  d5          -
    <BLANKLINE>
    Rprec = relevant in the first R / R, where R is the number judged relevant
    counting, but not retrieved: d3
    = 1/2 = 0.5000
    by pytrec_eval 0.5, by the reference 0.5
    convention: TREC_EVAL
    no other option of any axis would give this query another value
    """
    parsed, chosen = parse_measure(measure), resolve_convention(convention)
    qrels, run = one_query(relevant, ranking, query_id)
    (query_id,) = qrels.judgments
    result = evaluate(qrels, run, parsed, chosen, depth)
    row = next(result.rows())
    grades = qrels.judgments[query_id]
    counting = targets(parsed, grades, chosen.relevance_level)
    plan = Plan(qrels, (parsed,), chosen, depth)
    ordered = run.order(query_id, chosen, depth=plan.reach, judged=grades)
    exact = _exact(ordered, grades, counting, parsed, chosen)
    end = len(counting) if parsed.name == "Rprec" else parsed.cutoff
    if parsed.name == "RR" and chosen.rr_cutoff is RRCutoff.IGNORED:
        end = None
    ranks = tuple(
        Rank(rank, doc_id, grades.get(doc_id), doc_id in counting and (end is None or rank <= end))
        for rank, doc_id in enumerate(ordered.doc_ids, 1)
    )
    return Explained(
        row=row,
        measure=parsed,
        convention=chosen,
        ranks=ranks,
        missed=tuple(doc_id for doc_id in counting if doc_id not in set(ordered.doc_ids)),
        exact=exact,
        touched=_touched(result, qrels, run, depth),
    )


def one_query(relevant: Any, ranking: Any, query_id: str) -> tuple[Qrels, Run]:
    """The judgments and the ranking of the one query, of the one system."""
    qrels = to_qrels(relevant)
    query_id = identifier(query_id, "query id", lambda: "explain")
    if query_id not in qrels.judgments:
        close = difflib.get_close_matches(str(query_id), qrels.judgments, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "explain shows queries that are judged."
        raise InputError(f"The query {shown(query_id)} is not judged.", hint=hint)
    if _is_alone(ranking):
        ranking = {query_id: ranking}
    runs = to_runs(ranking, qrels.judgments)
    if len(runs) > 1:
        names = ", ".join(run.name for run in runs)
        raise InputError(f"There are several systems: {names}.", hint="give one of them.")
    rankings = {query_id: runs[0].rankings[query_id]} if query_id in runs[0].rankings else {}
    return qrels.only([query_id]), Run(runs[0].name, rankings, runs[0].kept)


def _is_alone(ranking: Any) -> bool:
    """Whether it is one query's ranking: documents, pairs, or documents with scores."""
    if isinstance(ranking, (list, tuple)):
        return not ranking or not (isinstance(ranking[0], Run) or hasattr(ranking[0], "_fields"))
    return isinstance(ranking, Mapping) and any(isinstance(value, Number) for value in ranking.values())


def _exact(
    ordered: Ranking, grades: Mapping[str, int], counting: Targets, measure: Measure, convention: Convention
) -> Score | None:
    if measure.name not in REFERENCE_MEASURES:
        return None
    if ordered.groups:
        return score(measure, look_tied(ordered.groups, len(ordered.doc_ids), counting), convention)
    return score(measure, look(judged_ranks(ordered.doc_ids, grades), len(ordered.doc_ids), counting), convention)


def _touched(result: Evaluation, qrels: Qrels, run: Run, depth: int | None) -> dict[str, dict[str, float | None]]:
    """The other options that would give this query another value, with the value."""
    (measure,), now = result.measures, next(result.rows()).value
    touched: dict[str, dict[str, float | None]] = {}
    for axis, option in moves(result.convention, qrels):
        try:
            other = evaluate(qrels, run, measure, result.convention.but(**{axis: option}), depth)
        except RagevalError:  # no value under this option
            continue
        value = next(other.rows()).value
        if value != now:
            touched.setdefault(axis, {})[str(option)] = value
    return touched
