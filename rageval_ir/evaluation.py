"""`evaluate()`: convert, delegate, cross-check, account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from rageval_ir.accounting import Account
from rageval_ir.backends import backend_versions
from rageval_ir.conventions import NoRelevant, PrecisionDenominator, Ties
from rageval_ir.convert import Qrels, Run
from rageval_ir.crosscheck import CrossCheck, compare
from rageval_ir.errors import ConventionError, InputError, RejectedError, place, shown
from rageval_ir.expected import extremes, look_tied
from rageval_ir.keep import Keep
from rageval_ir.measures import Measure, parse_measures
from rageval_ir.plan import Lens, Plan, undefined_without_relevant
from rageval_ir.profiles import resolve_convention
from rageval_ir.ranking import Ranking
from rageval_ir.reference import REFERENCE_MEASURES, Seen, judged_ranks, look, quotient, score
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
    """Evaluate rankings against relevance judgments; what backend and reference both know is computed twice.

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
    qrels = _only(given, queries)
    plan = Plan(qrels, parse_measures(measures), resolve_convention(convention), depth)
    runs = to_runs(rankings, given.judgments, Keep.of(plan.convention, plan.reach))
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
        repeated_judgments=sum(qrels.repeats.values()),
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
    return qrels.only(dict.fromkeys(asked))


def _asked(run: Run, given: Qrels, asked: Qrels) -> Run:
    """The run without the judged queries that were not asked for; they are not unjudged."""
    if asked is given:
        return run
    left = given.judgments.keys() - asked.judgments.keys()
    rankings = {query_id: ranking for query_id, ranking in run.rankings.items() if query_id not in left}
    return Run(run.name, rankings, run.kept)


class _Exact(NamedTuple):
    """The reference's answers under one measure, by query id."""

    lens: Lens
    values: dict[str, float]
    numerators: dict[str, float]
    denominators: dict[str, float]
    checked: dict[str, float]
    """What the backend must give: `values`, or those under the nearest convention that it knows."""
    bounds: dict[str, list[float]]
    """Under `ties=expected`, the least and the greatest value of a query with ties."""


class _System:
    """One system under the plan: first the reference, query by query, then the backends, all at once."""

    def __init__(self, run: Run, plan: Plan, check: CrossCheck) -> None:
        self.name = run.name
        self.plan = plan
        self.check = check
        self.account = Account(run, plan.convention, depth=plan.reach, cutoff=plan.full)
        self.run: dict[str, dict[str, float]] = {}
        self.averages = plan.convention.ties is Ties.EXPECTED
        self.averaged: list[str] = []
        self.exact: dict[Measure, _Exact] = {}
        for measure in plan.measures:
            if measure.name in REFERENCE_MEASURES:
                values: dict[str, float] = {}
                checked = values if plan.backend_follows(measure) and not self.averages else {}
                self.exact[measure] = _Exact(plan.lenses[measure], values, {}, {}, checked, {})

    def result(self) -> SystemResult:
        """Every measure's column, checked, and the account."""
        account, judgments = self.account, self.plan.judgments
        for query_id, grades in judgments.items():
            ranking = account.take(query_id, grades)
            if ranking is not None:
                self._refer(query_id, ranking)
                self.run[query_id] = self.plan.backends.strict(ranking.doc_ids, partial(self._place, query_id))
        account.close(judgments)
        self._set_apart()
        values = self.plan.backends.values(self.run)
        for measure, exact in self.exact.items():
            compare(self.check, self.name, measure, values.get(measure, {}), exact.checked, self._terms)
        columns = {str(measure): self._column(measure, values.get(measure, {})) for measure in self.plan.measures}
        bounds = {str(measure): exact.bounds for measure, exact in self.exact.items() if exact.bounds}
        return SystemResult(
            list(account.statuses),
            columns,
            len(judgments),
            account.affected,
            account.documents,
            account.failures,
            bounds,
        )

    def _refer(self, query_id: str, ranking: Ranking) -> None:
        """One query by the reference, under every measure that it has."""
        plan, doc_ids = self.plan, ranking.doc_ids
        if plan.convention.precision_denominator is PrecisionDenominator.REJECT:
            self._reject_short(query_id, doc_ids)
        judged = judged_ranks(doc_ids, plan.judgments[query_id])
        views = {lens: look(judged, len(doc_ids), counting[query_id]) for lens, counting in plan.counting.items()}
        if ranking.groups:
            self.averaged.append(query_id)
        for measure, (lens, values, numerators, denominators, checked, bounds) in self.exact.items():
            view = views[lens]
            seen: Seen = view
            if ranking.groups:
                seen = look_tied(ranking.groups, len(doc_ids), plan.counting[lens][query_id])
                bounds[query_id] = list(extremes(measure, seen, plan.convention))
            numerator, denominator = score(measure, seen, plan.convention)
            values[query_id] = quotient(numerator, denominator) or 0.0
            numerators[query_id] = numerator if isinstance(numerator, (int, float)) else float(numerator)
            denominators[query_id] = denominator
            if checked is not values:
                checked[query_id] = quotient(*score(measure, view, plan.nearest)) or 0.0

    def _column(self, measure: Measure, found: Mapping[str, float]) -> Column:
        """One measure's values: the reference's, over them the backend's, over them what the convention decides."""
        queries = self.account.statuses
        exact = self.exact.get(measure) or _Exact(self.plan.lenses[measure], {}, {}, {}, {}, {})
        theirs = found if self.plan.backend_follows(measure) else {}
        if self.averaged:
            theirs = {query_id: value for query_id, value in theirs.items() if query_id not in exact.bounds}
        decided = self._decided(measure)
        left_out = dict.fromkeys(query_id for query_id, value in decided.items() if value is None)
        lacking = {q: "no_relevant" for q in self.plan.without_relevant(measure) if queries[q] in ("scored", "empty")}
        by = {**dict.fromkeys(exact.values, "reference"), **dict.fromkeys(theirs, measure.definition.backend)}
        for query_id in decided:
            exact.bounds.pop(query_id, None)
        return Column(
            values=[*{**dict.fromkeys(queries, 0.0), **exact.values, **theirs, **decided}.values()],
            numerators=[*{**dict.fromkeys(queries), **exact.numerators, **left_out}.values()],
            denominators=[*{**dict.fromkeys(queries), **exact.denominators, **left_out}.values()],
            statuses=[*{**queries, **lacking}.values()],
            computed_by=[
                *{**dict.fromkeys(queries, "convention"), **by, **dict.fromkeys(decided, "convention")}.values()
            ],
        )

    def _decided(self, measure: Measure) -> dict[str, float | None]:
        """The values that the convention decides: None where it leaves a query out of the mean."""
        rule = self.plan.convention.no_relevant
        decided: dict[str, float | None] = dict.fromkeys(self.account.left_out)
        one = rule is NoRelevant.ONE and undefined_without_relevant(measure, self.plan.convention)
        for query_id in self.plan.without_relevant(measure):
            if rule is NoRelevant.EXCLUDE:
                decided[query_id] = None
            elif one and query_id not in decided and self.account.statuses[query_id] not in ("missing", "failed"):
                decided[query_id] = 1.0
        return decided

    def _terms(self, query_id: str) -> int:
        """How many documents a backend can have added up."""
        return sum(doc_id in self.plan.judgments[query_id] for doc_id in self.run[query_id])

    def _set_apart(self) -> None:
        """Say which queries the reference alone computes; those with repeated documents no backend may see at all."""
        repeating, averaged = self.account.repeating, self.averaged
        self._reject_alone(repeating, "count a repeated document each time")
        self._reject_alone(averaged, "be averaged over tied documents")
        for query_id in repeating:
            self.run.pop(query_id)
        reasons = []
        if repeating:
            reasons.append(
                f"not cross-checked where a document counts more than once ({len(repeating)} of"
                f" {len(self.account.statuses)} queries); the reference alone computed these"
            )
        if averaged:
            reasons.append(
                f"the reference alone averaged over tied documents ({len(averaged)} of {len(self.account.statuses)}"
                f" queries); the cross-check ran under ties={self.plan.nearest.ties}"
            )
        if reasons:
            self.check.unchecked[place(system=self.name)] = "; ".join(reasons)

    def _reject_alone(self, queries: Sequence[str], what: str) -> None:
        """Refuse the measures that only a backend has, where only the reference could compute them."""
        for measure in self.plan.measures if queries else ():
            if measure not in self.exact:
                raise ConventionError(
                    f"{self._place(queries[0])}: {measure} cannot {what}; only its backend has it.",
                    hint="choose another option, or leave the measure out.",
                )

    def _reject_short(self, query_id: str, ranking: Sequence[str]) -> None:
        """Refuse a ranking with fewer results than a precision's cutoff; a missing one is not short."""
        if self.account.statuses[query_id] in ("missing", "failed"):
            return
        for measure in self.plan.measures:
            if measure.name == "P" and len(ranking) < (measure.cutoff or 0):
                raise RejectedError(
                    f"{self._place(query_id)}: {len(ranking)} results, fewer than the {measure.cutoff} of {measure}.",
                    hint="retrieve more, or choose precision_denominator=k or retrieved.",
                )

    def _place(self, query_id: str) -> str:
        return place(system=self.name, query=query_id)
