"""`evaluate()`: convert, delegate, cross-check, account."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rageval_ir.backends import Backends, backend_versions
from rageval_ir.conventions import (
    Convention,
    Duplicates,
    MissingRanking,
    NoJudgments,
    NoRelevant,
    PrecisionDenominator,
    RecallDenominator,
    RRCutoff,
    UnjudgedQuery,
    resolve_convention,
)
from rageval_ir.convert import Failure, Qrels, Run
from rageval_ir.crosscheck import CrossCheck, compare
from rageval_ir.errors import InputError, RejectedError, place, shown
from rageval_ir.measures import CUTOFF_MAX, Measure, parse_measures
from rageval_ir.ranking import Ranking
from rageval_ir.reference import REFERENCE_MEASURES, Score, Targets, View, look, score, targets
from rageval_ir.result import Column, Evaluation, SystemResult
from rageval_ir.shapes import to_qrels, to_runs
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
    qrels = to_qrels(relevant)
    runs = to_runs(rankings, qrels.judgments)
    plan = _Plan(qrels, parse_measures(measures), resolve_convention(convention), _depth(depth), queries)
    check = CrossCheck(unchecked=plan.unchecked())
    systems: dict[str, SystemResult] = {}
    for run in runs:
        if progress is not None:
            progress(run.name)
        systems[run.name] = _evaluate_system(run, plan, check)
    return Evaluation(
        systems=systems,
        measures=plan.measures,
        convention=plan.convention,
        depth=depth,
        qrels_fingerprint=plan.qrels.fingerprint,
        crosscheck=check,
        versions={"rageval_ir": __version__, **backend_versions()},
    )


def _depth(depth: object) -> int | None:
    if depth is None:
        return None
    if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= CUTOFF_MAX:
        raise InputError(f"The depth must be an int in the range [1, 2^31 - 1]. Found {shown(depth)}.")
    return depth


class _Plan:
    """What is the same for all systems: the judgments prepared for each measure, and the backends."""

    def __init__(
        self, qrels: Qrels, measures: tuple[Measure, ...], convention: Convention, depth: int | None
    ) -> None:
        self.judgments = qrels.judgments
        self.measures = measures
        self.convention = convention
        self.nearest = _nearest(convention)
        self.reach = _reach(measures, convention, depth)
        self.longest_cutoff = max((m.cutoff for m in measures if m.cutoff), default=0)
        self.backends = Backends(qrels, measures, convention)
        self._targets: dict[Hashable, dict[str, Targets]] = {}

    def lens(self, measure: Measure) -> Hashable:
        """What decides which documents count: measures with the same lens see the same."""
        if measure.is_graded:
            return (measure.dcg, measure.gains)
        return "judged" if measure.name == "Judged" else measure.level(self.convention.relevance_level)

    def targets(self, measure: Measure) -> dict[str, Targets]:
        """The documents that count for the measure, per query; made once per lens."""
        lens = self.lens(measure)
        if lens not in self._targets:
            level = self.convention.relevance_level
            self._targets[lens] = {q: targets(measure, g, level) for q, g in self.judgments.items()}
        return self._targets[lens]

    def relevant(self, measure: Measure) -> dict[str, Targets]:
        """The relevant documents per query: what `no_relevant` asks about."""
        return self.targets(Measure("NumRel") if measure.name == "Judged" else measure)

    def unchecked(self) -> dict[str, str]:
        """Why a measure is computed once only, or checked under a neighbouring convention."""
        reasons = {}
        for measure in self.measures:
            if measure.name not in REFERENCE_MEASURES:
                reasons[str(measure)] = "not cross-checked; the backend alone computes it"
            elif measure in self.backends.beyond:
                reasons[str(measure)] = "not cross-checked; gains too large for the backend, the reference computed it"
            elif not _backend_follows(measure, self.convention):
                axis = "precision_denominator" if measure.name == "P" else "recall_denominator"
                reasons[str(measure)] = (
                    f"{axis}={getattr(self.convention, axis)} is computed by the reference alone;"
                    f" the cross-check ran under {getattr(self.nearest, axis)}"
                )
        return reasons


def _only(qrels: Qrels, queries: Iterable[Any] | None) -> Qrels:
    if queries is None:
        return qrels
    asked = identifiers([queries] if isinstance(queries, str) else list(queries), "query id", lambda: "queries")
    if unknown := [query_id for query_id in asked if query_id not in qrels.judgments]:
        raise InputError(f"queries: {shown(unknown[0])} is not among the judged queries.")
    if not asked:
        raise InputError("queries: none is given.", hint="leave it out to evaluate all judged queries.")
    return Qrels({query_id: qrels.judgments[query_id] for query_id in dict.fromkeys(asked)}, qrels.repeats)


def _nearest(convention: Convention) -> Convention:
    """The nearest convention whose every value a backend computes."""
    hit = convention.recall_denominator is RecallDenominator.HIT
    return convention.but(
        precision_denominator=PrecisionDenominator.K,
        recall_denominator=RecallDenominator.HIT if hit else RecallDenominator.RELEVANT,
    )


def _backend_follows(measure: Measure, convention: Convention) -> bool:
    if measure.name == "P":
        return convention.precision_denominator in (PrecisionDenominator.K, PrecisionDenominator.REJECT)
    if measure.name == "R":
        return convention.recall_denominator in (RecallDenominator.RELEVANT, RecallDenominator.HIT)
    return True


def _reach(measures: Sequence[Measure], convention: Convention, depth: int | None) -> int | None:
    """How many ranks can matter: the greatest cutoff, where every measure has one."""
    for measure in measures:
        unbounded = (
            (measure.cutoff is None and measure.name != "NumRel")
            or (measure.name == "RR" and convention.rr_cutoff is RRCutoff.IGNORED)
            or (measure.name == "R" and convention.recall_denominator is RecallDenominator.RELEVANT_RETRIEVED)
        )
        if unbounded:
            return depth
    greatest = max((m.cutoff for m in measures if m.cutoff is not None), default=1)
    return greatest if depth is None else min(depth, greatest)


@dataclass
class _Asked:
    """One system's queries, ordered and accounted for; `rankings` lacks those left out."""

    queries: list[str]
    statuses: list[str]
    rankings: dict[str, list[str]]
    repeating: set[str]
    unjudged: list[str]
    failures: dict[str, str]
    counts: dict[str, int]


def _ask(run: Run, plan: _Plan) -> _Asked:
    """Put every judged query's ranking in order, and say what became of each."""
    convention = plan.convention
    asked = _Asked(list(plan.judgments), [], {}, set(), [], {}, dict.fromkeys(_COUNTS, 0))
    for query_id, grades in plan.judgments.items():
        status = _status(run, query_id, grades, asked)
        if _is_left_out(status, run.name, query_id, asked.failures.get(query_id, ""), convention):
            asked.statuses.append(status)
            continue
        ranking = run.order(query_id, convention, depth=plan.reach, judged=grades)
        if status == "scored" and not ranking.doc_ids:
            status = "empty"
        _count(asked, query_id, status, ranking, plan.longest_cutoff)
        asked.statuses.append(status)
        asked.rankings[query_id] = ranking.doc_ids
    for status in asked.statuses:
        if status in asked.counts:
            asked.counts[status] += 1
    asked.counts["judged"] = len(plan.judgments)
    asked.unjudged = [query_id for query_id in run.rankings if query_id not in plan.judgments]
    if asked.unjudged and convention.unjudged_query is UnjudgedQuery.REJECT:
        raise RejectedError(
            f"{place(system=run.name, query=asked.unjudged[0])} is ranked, but has no judgments.",
            hint="judge it, drop it, or choose unjudged_query=exclude.",
        )
    if convention.unjudged_query is UnjudgedQuery.ZERO:
        asked.queries += asked.unjudged
        asked.statuses += ["unjudged_query"] * len(asked.unjudged)
    return asked


_COUNTS = (
    "judged", "missing", "empty", "failed", "short", "no_relevant", "no_judgments",
    "tied", "constant_scores", "duplicates", "condensed", "self_retrieved",
)  # fmt: skip


def _status(run: Run, query_id: str, grades: Mapping[str, int], asked: _Asked) -> str:
    given = run.rankings.get(query_id)
    if isinstance(given, Failure):
        asked.failures[query_id] = given.reason
        return "failed"
    if given is None:
        return "missing"
    return "scored" if grades else "no_judgments"
