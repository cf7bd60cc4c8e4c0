"""`evaluate()`: convert, delegate, cross-check, account."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from rageval_ir.accounting import Account
from rageval_ir.backends import backend_versions
from rageval_ir.conventions import NoRelevant, PrecisionDenominator, resolve_convention
from rageval_ir.convert import Qrels, Run
from rageval_ir.crosscheck import CrossCheck, compare
from rageval_ir.errors import ConventionError, InputError, RejectedError, place, shown
from rageval_ir.measures import Measure, parse_measures
from rageval_ir.plan import Plan
from rageval_ir.reference import REFERENCE_MEASURES, judged_ranks, look, quotient, score
from rageval_ir.result import Evaluation
from rageval_ir.shapes import to_qrels, to_runs
from rageval_ir.system import Column, SystemResult
from rageval_ir.validate import identifiers
from rageval_ir.version import __version__

__all__ = ["evaluate"]


def evaluate(
    relevant: Any,
    rankings: Any,
    measures: Any,
    convention: Any = "TREC_EVAL",
    depth: int | None = None,
    *,
    queries: Iterable[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Evaluation:
    """Evaluate rankings against relevance judgments, each value computed twice.

    Parameters
    ----------
    relevant : mapping, Qrels, frame or rows
        Query id -> relevant document ids, or -> {document id: grade}; see `to_qrels`.
    rankings : mapping, Run, frame or rows
        System -> query id -> ranking, or one such ranking alone; see `to_runs`.
    measures : str, Measure, or iterable of them
        Such as ["P@10", "R@10", "RR@10"].
    convention : str or Convention
        What decides every open question; trec_eval 10's answers by default.
    depth : int, optional
        Read only this many results of each query (trec_eval -M).
    queries : iterable of str, optional
        Evaluate only these judged queries, so that one not asked is not one unanswered.
    progress : callable, optional
        Called with the name of each system before it is evaluated.

    Raises
    ------
    InputError
        Judgments or rankings that are not valid; RejectedError where the convention says reject.
    MeasureError, ConventionError
        An unknown measure, cutoff, parameter, convention, axis or option.
    BackendError
        A backend failed or is missing.
    DisagreementError
        Backend and reference differ.

    Examples
    --------
    >>> result = evaluate({"q": {"d2", "d3"}}, {"A": {"q": ["d2", "d5"]}}, ["P@2", "R@2", "RR@2"])
    >>> result.mean("A", "R@2")
    0.5
    """
    given = to_qrels(relevant)
    runs = to_runs(rankings, given.judgments)
    qrels = _only(given, queries)
    plan = Plan(qrels, parse_measures(measures), resolve_convention(convention), depth)
    check = CrossCheck(unchecked=plan.unchecked())
    systems: dict[str, SystemResult] = {}
    for run in runs:
        if progress is not None:
            progress(run.name)
        systems[run.name] = _System(_asked(run, given, qrels), plan, check).result()
    return Evaluation(
        systems=systems,
        measures=plan.measures,
        convention=plan.convention,
        depth=plan.depth,
        qrels_fingerprint=qrels.fingerprint,
        crosscheck=check,
        versions={"rageval_ir": __version__, **backend_versions()},
    )


def _only(qrels: Qrels, queries: Iterable[Any] | None) -> Qrels:
    if queries is None:
        return qrels
    if isinstance(queries, str) or not isinstance(queries, Iterable):
        queries = [queries]
    asked = identifiers(list(queries), "query id", lambda: "queries")
    if unknown := [query_id for query_id in asked if query_id not in qrels.judgments]:
        raise InputError(f"queries: {shown(unknown[0])} is not among the judged queries.")
    if not asked:
        raise InputError("queries: none is given.", hint="leave it out to evaluate all judged queries.")
    return Qrels({query_id: qrels.judgments[query_id] for query_id in dict.fromkeys(asked)}, qrels.repeats)


def _asked(run: Run, given: Qrels, asked: Qrels) -> Run:
    """The run without the judged queries that were not asked for; they are not unjudged."""
    if asked is given:
        return run
    left = given.judgments.keys() - asked.judgments.keys()
    return Run(run.name, {query_id: ranking for query_id, ranking in run.rankings.items() if query_id not in left})


class _Task(NamedTuple):
    """One measure's part of the work on a system."""

    measure: Measure
    lens: Hashable
    column: Column
    nearest: list[float | None] | None
    """The reference's values for the cross-check, where it cannot run under the convention itself."""


class _System:
    """One system under the plan: first the reference, query by query, then the backends, all at once."""

    def __init__(self, run: Run, plan: Plan, check: CrossCheck) -> None:
        self.name = run.name
        self.plan = plan
        self.check = check
        self.account = Account(run, plan.convention, depth=plan.reach, cutoff=plan.longest_cutoff)
        self.run: dict[str, dict[str, float]] = {}
        self.tasks = [
            _Task(measure, plan.lenses[measure], Column(), None if plan.backend_follows(measure) else [])
            for measure in plan.measures
        ]

    def result(self) -> SystemResult:
        """Every measure's column, checked, and the account."""
        account, judgments = self.account, self.plan.judgments
        for query_id, grades in judgments.items():
            ranking = account.take(query_id, grades)
            if ranking is None:
                self._leave_out()
            else:
                self._refer(query_id, ranking)
                if query_id not in account.repeating:
                    self.run[query_id] = self.plan.backends.strict(ranking, partial(self._place, query_id))
        account.close(judgments)
        self._check_repeating()
        values = self.plan.backends.values(self.run)
        for task in self.tasks:
            found = values.get(task.measure, {})
            self._compare(task, found)
            self._complete(task, found if task.nearest is None else {})
        columns = {str(task.measure): task.column for task in self.tasks}
        return SystemResult(list(account.statuses), columns, account.unjudged, account.failures, account.counts)

    def _leave_out(self) -> None:
        for _, _, column, nearest in self.tasks:
            column.add(None, None, None)
            if nearest is not None:
                nearest.append(None)

    def _refer(self, query_id: str, ranking: list[str]) -> None:
        """Add the reference's values for one query to the columns."""
        plan = self.plan
        if plan.convention.precision_denominator is PrecisionDenominator.REJECT:
            self._check_full(query_id, ranking)
        judged = judged_ranks(ranking, plan.judgments[query_id])
        views = {lens: look(judged, len(ranking), counting[query_id]) for lens, counting in plan.counting.items()}
        for measure, lens, column, nearest in self.tasks:
            if measure.name not in REFERENCE_MEASURES:
                column.add(0.0, None, None)
                continue
            numerator, denominator = score(measure, views[lens], plan.convention)
            column.add(quotient(numerator, denominator) or 0.0, numerator, denominator)
            if nearest is not None:
                nearest.append(quotient(*score(measure, views[lens], plan.nearest)) or 0.0)

    def _compare(self, task: _Task, found: Mapping[str, float]) -> None:
        """The backend's values against the reference's, under the nearest convention that both know."""
        if task.measure.name not in REFERENCE_MEASURES:
            return
        ours = task.column.values if task.nearest is None else task.nearest
        reference = {q: value for q, value in zip(self.plan.judgments, ours, strict=True) if value is not None}

        def terms(query_id: str) -> int:
            return sum(doc_id in self.plan.judgments[query_id] for doc_id in self.run[query_id])

        compare(self.check, self.name, task.measure, found, reference, terms)

    def _complete(self, task: _Task, found: Mapping[str, float]) -> None:
        """Turn the reference's column into the result's: the backend's values, and what the convention overrides."""
        measure, column = task.measure, task.column
        alone = "reference" if measure.name in REFERENCE_MEASURES else "convention"
        relevant = self.plan.relevant(measure)
        for i, (query_id, status) in enumerate(self.account.statuses.items()):
            by = alone
            if query_id in found:
                column.values[i] = found[query_id]
                by = measure.definition.backend
            elif status == "unjudged_query":
                column.add(0.0, None, None)
                by = "convention"
            elif column.values[i] is None:
                by = "convention"
            if column.values[i] is not None and not relevant.get(query_id, True):
                status = "no_relevant" if status in ("scored", "empty") else status
                by = self._without_relevant(task, i, status) or by
            column.statuses.append(status)
            column.computed_by.append(by)

    def _without_relevant(self, task: _Task, i: int, status: str) -> str:
        """What the convention makes of a query without relevant documents; empty if it changes nothing."""
        column, rule = task.column, self.plan.convention.no_relevant
        if rule is NoRelevant.EXCLUDE:
            column.values[i] = column.numerators[i] = column.denominators[i] = None
            return "convention"
        undefined = self.plan.is_undefined_without_relevant(task.measure)
        if rule is NoRelevant.ONE and undefined and status not in ("missing", "failed"):
            column.values[i] = 1.0
            return "convention"
        return ""

    def _check_full(self, query_id: str, ranking: Sequence[str]) -> None:
        for measure in self.plan.measures:
            short = measure.name == "P" and len(ranking) < (measure.cutoff or 0)
            if short and self.account.statuses[query_id] not in ("missing", "failed"):
                raise RejectedError(
                    f"{self._place(query_id)}: {len(ranking)} results, fewer than the {measure.cutoff} of {measure}.",
                    hint="retrieve more, or choose precision_denominator=k or retrieved.",
                )

    def _check_repeating(self) -> None:
        for measure in self.plan.measures:
            if self.account.repeating and measure.name not in REFERENCE_MEASURES:
                raise ConventionError(
                    f"{self._place(min(self.account.repeating))}: {measure} cannot count a repeated"
                    " document each time; no backend does.",
                    hint="choose duplicates=first or last.",
                )

    def _place(self, query_id: str) -> str:
        return place(system=self.name, query=query_id)
