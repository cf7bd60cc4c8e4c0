"""What would move this number: every axis, one option at a time, and every provider in its own convention."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rageval_ir.conventions import AXES, Convention
from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import RagevalError
from rageval_ir.evaluation import evaluate
from rageval_ir.idle import why_idle
from rageval_ir.measures import Measure
from rageval_ir.profiles import PROFILES
from rageval_ir.providers import DEFAULT, PROVIDERS, provide
from rageval_ir.report import Heading, Printed, Table
from rageval_ir.result import Evaluation
from rageval_ir.shapes import to_qrels, to_runs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RECORD", "Audit", "Backend", "Change", "Flip", "audit", "moves", "same"]

RECORD = "rageval_ir audit 1"
"""The format of the record that `to_json` writes and `verify` reads."""

Move = tuple[str, str | int]
"""An axis and the option that it is moved to."""


class Change(NamedTuple):
    """One option's effect on one value."""

    system: str
    measure: str
    axis: str
    option: str | int
    value: float | None
    change: float | None
    queries_changed: int
    queries: tuple[str, ...]
    """Those queries, the greatest change first."""


class Flip(NamedTuple):
    """An option that changes which system wins."""

    measure: str
    axis: str
    option: str | int
    before: tuple[str, ...]
    """The best system, or several that share the best value."""
    after: tuple[str, ...]


class Backend(NamedTuple):
    """What a provider of ir_measures gives on the same data, and which axes make the difference."""

    system: str
    measure: str
    provider: str
    value: float | None
    change: float | None
    because: str


@dataclass(frozen=True, repr=False)
class Audit(Printed):
    """What would move the values of an evaluation.

    Attributes
    ----------
    evaluation : Evaluation
        Under the chosen convention.
    changes : tuple of Change
        For every system, measure and option that was evaluated, also where nothing changes.
    flips : tuple of Flip
    refused : dict of (axis, option) to str
        Options under which the data cannot be evaluated, and why.
    idle : dict of str to str
        Axes that cannot matter on these data, each with the reason.
    backends : tuple of Backend
    runs : dict of str to str
        System to the fingerprint of its run.
    """

    evaluation: Evaluation
    changes: tuple[Change, ...]
    flips: tuple[Flip, ...]
    refused: dict[Move, str]
    idle: dict[str, str]
    backends: tuple[Backend, ...]
    runs: dict[str, str]

    @property
    def frame(self) -> pd.DataFrame:
        """A tidy frame: system, measure, axis, option, value, change, queries_changed."""
        import pandas as pd

        frame = pd.DataFrame(self.changes, columns=list(Change._fields)).drop(columns="queries")
        return frame.astype({"value": "float64", "change": "float64"})

    def tables(self) -> list[Table]:
        """What `repr` prints: who else wins, the evaluation, what moves a value, and providers that differ."""
        flips = tuple((f.measure, f.axis, str(f.option), ", ".join(f.before), ", ".join(f.after)) for f in self.flips)
        headings = _headings("measure", "axis", "option", "best now", "best then")
        tables = [Table(headings, flips, title="another system wins")] if flips else []
        return [*tables, self.evaluation.table(), self._changes_table(), self._backends_table()]

    def _changes_table(self) -> Table:
        rows = tuple(
            (c.system, c.measure, c.axis, str(c.option), _shown(c.value), _shown(c.change, "+"), _queries(c))
            for c in self.changes
            if c.queries_changed
        )
        notes = [f"{axis} cannot matter: {reason}" for axis, reason in self.idle.items()]
        notes += [f"{axis}={option} is refused: {reason}" for (axis, option), reason in self.refused.items()]
        headings = (*_headings("system", "measure", "axis", "option"), *map(Heading, ("value", "change", "queries")))
        return Table(headings, rows, tuple(notes), "what moves a value")

    def _backends_table(self) -> Table:
        differing = [backend for backend in self.backends if backend.because]
        rows = tuple(
            (b.system, b.measure, b.provider, _shown(b.value), _shown(b.change, "+"), b.because) for b in differing
        )
        agreeing = sorted({b.provider for b in self.backends} - {b.provider for b in differing})
        notes = (f"the same values as here, on all measures they have: {', '.join(agreeing)}",) if agreeing else ()
        headings = (*_headings("system", "measure", "provider"), Heading("value"), Heading("change"))
        return Table((*headings, Heading("because", False)), rows, notes, "ir_measures by itself, and its providers")

    def to_json(self) -> str:
        """A record with data fingerprints, versions and all values, which `verify` compares with the data."""
        result = self.evaluation
        record = {
            "format": RECORD,
            "versions": result.versions,
            "convention": result.convention.to_dict(),
            "depth": result.depth,
            "measures": [str(measure) for measure in result.measures],
            "qrels": result.qrels_fingerprint,
            "runs": self.runs,
            "values": {
                s: {str(m): [result.mean(s, m), result.n(s, m)] for m in result.measures} for s in result.systems
            },
            "changes": [change._asdict() for change in self.changes],
            "flips": [flip._asdict() for flip in self.flips],
            "refused": [{"axis": axis, "option": option, "reason": r} for (axis, option), r in self.refused.items()],
            "idle": self.idle,
            "backends": [backend._asdict() for backend in self.backends],
        }
        return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1)


def audit(
    relevant: Any,
    rankings: Any,
    measures: Any,
    convention: Any = "TREC_EVAL",
    depth: int | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Audit:
    """Move one axis at a time away from a convention, and ask every provider of ir_measures that is installed.

    Parameters
    ----------
    relevant, rankings, measures, convention, depth
        As for `evaluate`.
    progress : callable, optional
        Called with each option, "axis=option", before it is evaluated.

    Raises
    ------
    RagevalError
        As `evaluate` under the chosen convention; what another option refuses is in `refused`.

    Examples
    --------
    >>> tied = audit({"q": {"a"}}, {"A": {"q": {"a": 1.0, "b": 1.0}}}, "P@1")
    >>> {c.option: c.value for c in tied.changes if c.axis == "ties"}
    {'docid_ascending': 1.0, 'input_order': 1.0, 'expected': 0.5}
    """
    qrels = to_qrels(relevant)
    runs = to_runs(rankings, qrels.judgments)
    for run in runs:
        run.require()
    base = evaluate(qrels, runs, measures, convention, depth)
    changes: list[Change] = []
    flips: list[Flip] = []
    refused: dict[Move, str] = {}
    moved: dict[Move, Evaluation] = {}
    for axis, option in moves(base.convention, qrels):
        if progress is not None:
            progress(f"{axis}={option}")
        try:
            moved[axis, option] = evaluate(qrels, runs, base.measures, base.convention.but(**{axis: option}), depth)
        except RagevalError as error:
            refused[axis, option] = error.message
            continue
        changes += _changes(base, moved[axis, option], (axis, option))
        flips += _flips(base, moved[axis, option], (axis, option))
    return Audit(
        evaluation=base,
        changes=tuple(changes),
        flips=tuple(flips),
        refused=refused,
        idle=why_idle(base, moved, {change.axis for change in changes if change.queries_changed}, qrels),
        backends=tuple(backend for run in runs for backend in _backends(base, qrels, run, depth)),
        runs={run.name: run.fingerprint for run in runs},
    )


def moves(convention: Convention, qrels: Qrels) -> Iterator[Move]:
    """Every option but the chosen ones and `reject`, which moves nothing; and every level in the judgments."""
    for axis, options in AXES.items():
        yield from ((axis, str(o)) for o in options if o != "reject" and o is not getattr(convention, axis))
    levels = {1} | {grade for grades in qrels.judgments.values() for grade in grades.values() if grade > 0}
    yield from (("relevance_level", level) for level in sorted(levels - {convention.relevance_level})[:10])


def _changes(base: Evaluation, other: Evaluation, move: Move) -> Iterator[Change]:
    for system in base.systems:
        for measure in base.measures:
            before, after = _values(base, system, measure), _values(other, system, measure)
            size = {
                query_id: abs((before.get(query_id) or 0.0) - (after.get(query_id) or 0.0))
                for query_id in before | after
                if not same(before.get(query_id), after.get(query_id))
            }
            old, new = base.mean(system, measure), other.mean(system, measure)
            change = None if old is None or new is None else 0.0 if same(old, new) else new - old
            worst = sorted(size, key=lambda q, size=size: -size[q])  # type: ignore[misc]
            yield Change(system, str(measure), *move, new, change, len(size), tuple(worst))


def _values(result: Evaluation, system: str, measure: Measure) -> dict[str, float | None]:
    found = result.systems[system]
    return dict(zip(found.queries, found.columns[str(measure)].values, strict=True))


def _flips(base: Evaluation, other: Evaluation, move: Move) -> Iterator[Flip]:
    for measure in base.measures if len(base.systems) > 1 else ():
        before, after = _best(base, measure), _best(other, measure)
        if before != after:
            yield Flip(str(measure), *move, before, after)


def _best(result: Evaluation, measure: Measure) -> tuple[str, ...]:
    means = {s: mean for s in result.systems if (mean := result.mean(s, measure)) is not None}
    return tuple(s for s, mean in means.items() if same(mean, max(means.values())))


def _backends(base: Evaluation, qrels: Qrels, run: Run, depth: int | None) -> Iterator[Backend]:
    """Each provider's values; what makes the difference is sought among the departures of its profile."""
    for found in provide(qrels, run, base.measures, base.convention.relevance_level):  # whole: a provider has no depth
        measure, mean = found.measure, base.mean(run.name, found.measure)
        if found.value is None:
            yield Backend(run.name, str(measure), found.provider, None, None, f"it fails: {found.problem}")
            continue
        because, change = "", None if mean is None else 0.0
        if not same(found.value, mean):
            change = None if mean is None else found.value - mean
            profile = _profile(found.provider, measure)

            def mean_under(convention: Convention, measure: Measure = measure) -> float | None:
                try:
                    return evaluate(qrels, run, measure, convention).mean(run.name, measure)
                except RagevalError:
                    return None

            if depth is not None and same(mean_under(base.convention), found.value):
                because = "it reads beyond the depth"
            else:
                because = _because(base.convention, profile, found.value, mean_under)
        yield Backend(run.name, str(measure), found.provider, found.value, change, because)


def _profile(provider: str, measure: Measure) -> Convention:
    """What describes the provider; ir_measures takes another for RR with a cutoff and for Judged."""
    if provider == DEFAULT and measure.name == "Judged":
        provider = "judged"
    elif provider == DEFAULT and measure.name == "RR" and measure.cutoff:
        provider = "msmarco"
    return PROFILES[PROVIDERS[provider]].convention


def _because(
    base: Convention, profile: Convention, value: float, mean_under: Callable[[Convention], float | None]
) -> str:
    """The least departures towards the profile that give the value."""
    profile = profile.but(relevance_level=base.relevance_level)
    chosen, theirs = base.to_dict(), profile.to_dict()
    departures = {axis: option for axis, option in theirs.items() if option != chosen[axis]}
    for axis, option in departures.items():
        if same(mean_under(base.but(**{axis: option})), value):
            return f"{axis}={option}"
    if same(mean_under(profile), value):
        needed = dict(departures)
        for axis in departures:  # leave out what is not needed
            fewer = {a: o for a, o in needed.items() if a != axis}
            if same(mean_under(base.but(**fewer)), value):
                needed = fewer
        return ", ".join(f"{axis}={option}" for axis, option in needed.items())
    return "no axis explains it"


def same(one: float | None, two: float | None) -> bool:
    """Whether two values are equal but for rounding."""
    if one is None or two is None:
        return one is two
    return math.isclose(one, two, rel_tol=1e-12, abs_tol=1e-15)


def _headings(*names: str) -> tuple[Heading, ...]:
    return tuple(Heading(name, False) for name in names)


def _shown(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.4f}"


def _queries(change: Change) -> str:
    more = ", ..." if change.queries_changed > 3 else ""
    return f"{change.queries_changed} ({', '.join(change.queries[:3])}{more})" if change.queries else "0"
