"""One system's values and its account: what one run makes of the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from rageval_ir.accounting import Account
from rageval_ir.conventions import NoRelevant, PrecisionDenominator, Ties
from rageval_ir.convert import Run
from rageval_ir.crosscheck import CrossCheck, compare
from rageval_ir.errors import ConventionError, RejectedError, place
from rageval_ir.expected import extremes, look_tied
from rageval_ir.measures import Measure
from rageval_ir.plan import Lens, Plan, undefined_without_relevant
from rageval_ir.ranking import Ranking
from rageval_ir.reference import REFERENCE_MEASURES, Seen, judged_ranks, look, quotient, score
from rageval_ir.system import AFFECTED, Column, SystemResult

__all__ = ["Scoring"]


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


class Scoring:
    """One system under the plan: first the reference, query by query, then the backends, all at once.

    Parameters
    ----------
    run : Run
    plan : Plan
    check : CrossCheck
        Counts what is compared, and says what is not.
    """

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

    def result(self, queries: Mapping[str, Mapping[str, int]]) -> SystemResult:
        """Every measure's column, checked, and the account, of these judged queries and all unjudged ones.

        Raises
        ------
        RejectedError, InputError
            As `Account.take` and `Account.close`.
        ConventionError
            A measure that only a backend has, where the convention needs the reference.
        BackendError, DisagreementError
        """
        account = self.account
        for query_id, grades in queries.items():
            ranking = account.take(query_id, grades)
            if ranking is not None:
                self._refer(query_id, ranking)
                self.run[query_id] = self.plan.backends.strict(ranking.doc_ids, partial(self._place, query_id))
        account.close(self.plan.judgments)
        self._set_apart()
        values = self.plan.backends.values(self.run)
        for measure, exact in self.exact.items():
            compare(self.check, self.name, measure, values.get(measure, {}), exact.checked, self._terms)
        columns = {str(measure): self._column(measure, values.get(measure, {})) for measure in self.plan.measures}
        bounds = {str(measure): exact.bounds for measure, exact in self.exact.items() if exact.bounds}
        return SystemResult(
            list(account.statuses),
            columns,
            len(queries),
            {what: account.affected[what] for what in AFFECTED if what in account.affected},
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
        without = self.plan.without_relevant(measure)
        lacking = {q: "no_relevant" for q, status in queries.items() if status in ("scored", "empty") and q in without}
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
        without = self.plan.without_relevant(measure)
        for query_id, status in self.account.statuses.items():
            if query_id not in without:
                continue
            if rule is NoRelevant.EXCLUDE:
                decided[query_id] = None
            elif one and query_id not in decided and status not in ("missing", "failed"):
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
        apart = {"repeating": repeating, "averaged": averaged}
        self.account.affected |= {what: queries for what, queries in apart.items() if queries}

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
