"""`evaluate()`: convert, delegate, cross-check, account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, reduce
from threading import Lock
from typing import Any

from rageval_ir.backends import backend_versions
from rageval_ir.convert import Qrels, Run
from rageval_ir.crosscheck import CrossCheck
from rageval_ir.errors import InputError, place, shown
from rageval_ir.keep import Keep
from rageval_ir.measures import parse_measures
from rageval_ir.parts import joined
from rageval_ir.pause import collector_paused
from rageval_ir.plan import Plan
from rageval_ir.profiles import resolve_convention
from rageval_ir.result import Evaluation
from rageval_ir.scoring import Scoring
from rageval_ir.shapes import to_qrels, to_runs
from rageval_ir.system import SystemResult
from rageval_ir.validate import identifiers
from rageval_ir.version import __version__

__all__ = ["Evaluator", "evaluate"]


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
    return Evaluator(relevant, measures, convention, depth, queries=queries).evaluate(rankings, progress=progress)


class Evaluator:
    """What is the same for every run; evaluates runs, and parts of one that are put together.

    Parameters
    ----------
    relevant, measures, convention, depth, queries
        As for `evaluate`.

    Raises
    ------
    RagevalError
        As `evaluate`, for what can be said before any run is seen.

    Examples
    --------
    >>> evaluator = Evaluator({"q": {"d1"}, "p": {"d2"}}, "RR@5")
    >>> parts = [evaluator.part(Run("A", {"q": ["d1"]})), evaluator.part(Run("A", {"p": ["x", "d2"]}))]
    >>> evaluator.join("A", parts).mean("A", "RR@5")
    0.75
    """

    def __init__(
        self,
        relevant: Any,
        measures: Any,
        convention: Any = "TREC_EVAL",
        depth: int | None = None,
        *,
        queries: Iterable[str] | None = None,
    ) -> None:
        self.given = to_qrels(relevant)
        self.qrels = _only(self.given, queries)
        self._asked = parse_measures(measures), resolve_convention(convention), depth
        self._lock = Lock()
        self.keep = Keep.of(self.plan.convention, self.plan.reach)
        """What a reader must keep of each query."""

    @cached_property
    def plan(self) -> Plan:
        """Judgments prepared for the measures; made again where this was sent to, since backends cannot be sent."""
        return Plan(self.qrels, *self._asked)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("plan", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    def evaluate(self, rankings: Any, *, progress: Callable[[str], None] | None = None) -> Evaluation:
        """Systems in any shape that `to_runs` takes, each on all judged queries; errors as `evaluate`."""
        check = CrossCheck(unchecked=self.plan.unchecked())
        systems: dict[str, SystemResult] = {}
        for run in to_runs(rankings, self.given.judgments, self.keep):
            if progress is not None:
                progress(run.name)
            systems[run.name] = self._scored(run, self.plan.judgments, check)
        return self._evaluation(systems, check)

    def part(self, run: Run) -> Evaluation:
        """A run that has some of the queries, on those alone; the others are in other parts, or missing.

        Raises
        ------
        RagevalError
            As `evaluate`.
        """
        check = CrossCheck(unchecked=self.plan.unchecked())
        judgments = self.plan.judgments
        queries = {query_id: judgments[query_id] for query_id in run.rankings if query_id in judgments}
        return self._evaluation({run.name: self._scored(run, queries, check)}, check)

    def join(self, name: str, parts: Iterable[Evaluation]) -> Evaluation:
        """The one evaluation of a run whose parts have each query once; the rest of the judged queries are missing.

        Bit for bit what `evaluate` gives on the whole run.

        Parameters
        ----------
        name : str
            The system's name, which the parts have too.
        parts : iterable of Evaluation
            From `part`, in any order.

        Raises
        ------
        InputError
            A query that is in two parts; or parts of another evaluation.
        RejectedError
            A judged query is in no part, and the convention rejects it.
        """
        judgments = self.plan.judgments
        results, checks = [], []
        for part in parts:
            self._evaluation({}, CrossCheck()).check_same(part)
            results.append(part.systems[name])
            checks.append(part.crosscheck)
        present = {query_id for result in results for query_id in result.queries}
        rest = CrossCheck(unchecked=self.plan.unchecked())
        missing = {query_id: grades for query_id, grades in judgments.items() if query_id not in present}
        results.append(self._scored(Run(name), missing, rest))
        return self._evaluation({name: joined(name, results, judgments)}, reduce(CrossCheck.joined, checks, rest))

    def _scored(self, run: Run, queries: Mapping[str, Mapping[str, int]], check: CrossCheck) -> SystemResult:
        with collector_paused(), self._lock:  # backends are not made for two threads
            return Scoring(_asked(run, self.given, self.qrels), self.plan, check).result(queries)

    def _evaluation(self, systems: dict[str, SystemResult], check: CrossCheck) -> Evaluation:
        for name, result in systems.items():
            if reason := result.apart(self.plan.nearest.ties):
                check.unchecked[place(system=name)] = reason
        return Evaluation(
            systems=systems,
            measures=self.plan.measures,
            convention=self.plan.convention,
            depth=self.plan.depth,
            qrels_fingerprint=self.qrels.fingerprint,
            repeated_judgments=sum(self.qrels.repeats.values()),
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
