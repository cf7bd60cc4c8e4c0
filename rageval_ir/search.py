"""The space of conventions that some data and figures can tell apart, and every mean in it.

Per-query values are computed once for each order of the documents, level, cutoff and
measure's own option; which queries count is decided afterwards, from sums.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from rageval_ir.backends import Backends
from rageval_ir.conventions import TREC_EVAL, Convention
from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import MeasureError, RejectedError
from rageval_ir.evaluation import evaluate
from rageval_ir.expected import look_tied
from rageval_ir.given import Failure, Scored
from rageval_ir.measures import EXPONENT_MAX, Measure
from rageval_ir.plan import undefined_without_relevant
from rageval_ir.ranking import Ranking
from rageval_ir.reference import REFERENCE_MEASURES, Seen, judged_ranks, look, quotient, score, targets

__all__ = ["CUTOFF", "GAIN", "STANDARD", "Assignment", "Means", "Space"]

GAIN, CUTOFF = "nDCG gain", "cutoff"

Assignment = Mapping[str, str | int]
"""Axis to option; beside a convention's axes, nDCG's gain and how far a cutoff is off."""

STANDARD: Assignment = {**TREC_EVAL.to_dict(), GAIN: "as named", CUTOFF: 0}

_ORDER = ("ties", "score_precision", "unjudged_document", "duplicates")
_QUERIES = ("no_relevant", "no_judgments", "missing_ranking", "unjudged_query")
_OWN = {"P": "precision_denominator", "R": "recall_denominator", "RR": "rr_cutoff", "nDCG": GAIN}
"""The axis that concerns only one measure."""

Values = Mapping[tuple[str, Measure], float | None]
"""System and reported measure to mean."""


_AS_GIVEN = TREC_EVAL.but(duplicates="count_each")


class Means(NamedTuple):
    """Every mean under one assignment of what concerns all measures."""

    common: Assignment
    own: list[list[tuple[Assignment, Values]]]
    """For each group of measures that share an axis of their own: each option of it, with the means."""


class _Kind(NamedTuple):
    """What an axis may leave out a query for, or give it a value of its own for."""

    is_missing: bool
    is_bare: bool
    """Without any judgment."""
    lacks_relevant: bool


class _Sum(NamedTuple):
    """Queries of one kind under one measure."""

    total: float
    queries: int
    undefined: int
    """How many of them are 0/0."""


_Sums = dict[_Kind, _Sum]


class _Rule(NamedTuple):
    """Which queries count."""

    without_bare: bool
    without_missing: bool
    without_lacking: bool
    undefined_is_one: bool
    unjudged_count: bool

    @classmethod
    def of(cls, full: Assignment) -> _Rule:
        return cls(
            full["no_judgments"] == "exclude",
            full["missing_ranking"] == "exclude",
            full["no_relevant"] == "exclude",
            full["no_relevant"] == "one",
            full["unjudged_query"] == "zero",
        )


class Space:
    """All assignments that can matter for these data and measures.

    Parameters
    ----------
    qrels : Qrels
    runs : sequence of Run
    measures : sequence of Measure
        As reported.

    Attributes
    ----------
    options : dict of str to list
        Each axis that can matter, with its options, the standard one first where it is possible.

    Raises
    ------
    MeasureError
        A measure that the reference does not compute.
    """

    def __init__(self, qrels: Qrels, runs: Sequence[Run], measures: Sequence[Measure]) -> None:
        self._qrels = qrels
        self._judgments = qrels.judgments
        self._runs = {run.name: run for run in runs}
        self._unjudged = {run.name: sum(q not in qrels.judgments for q in run.rankings) for run in runs}
        self._measures = list(dict.fromkeys(measures))
        for measure in self._measures:
            if measure.name not in REFERENCE_MEASURES:
                known = ", ".join(sorted(REFERENCE_MEASURES))
                raise MeasureError(f"{measure} cannot be reconciled.", hint=f"the reference computes {known}.")
        Backends(qrels, self._measures, TREC_EVAL)  # refuses gains that no float holds
        self.options = {axis: options for axis, options in self._possible() if len(options) > 1}
        self._rankings: dict[Assignment | tuple[object, ...], int] = {}
        self._orders: list[dict[str, dict[str, Ranking]]] = []
        self._sums: dict[tuple[object, ...], _Sums] = {}

    def means(self) -> Iterator[Means]:
        """Every mean, one assignment of the common axes at a time."""
        common = [axis for axis in self.options if axis not in (*_OWN.values(), *_QUERIES)]
        for chosen in self._assignments(common):
            groups = [
                [({**own}, self._summed_all(group, {**STANDARD, **chosen, **own})) for own in self._assignments([axis])]
                for axis, group in self._groups()
            ]
            for rule in self._assignments([axis for axis in _QUERIES if axis in self.options]):
                deciding = _Rule.of({**STANDARD, **rule})
                yield Means(
                    {**chosen, **rule},
                    [
                        [
                            (own, {key: self._mean(*key, each, deciding) for key, each in sums.items()})
                            for own, sums in group
                        ]
                        for group in groups
                    ],
                )

    def mean(self, system: str, measure: Measure, assignment: Assignment) -> float | None:
        """One reported measure's mean under an assignment."""
        full = {**STANDARD, **assignment}
        return self._mean(system, measure, self._summed(system, measure, full), _Rule.of(full))

    def computed_as(self, measure: Measure, assignment: Assignment) -> Measure:
        """The measure that is computed where this one is reported: another gain, or a cutoff off by one."""
        shift = int(assignment.get(CUTOFF, 0))
        if shift and measure.cutoff:
            measure = replace(measure, cutoff=measure.cutoff + shift)
        if measure.is_graded and assignment.get(GAIN, STANDARD[GAIN]) != STANDARD[GAIN]:
            measure = replace(measure, dcg="log2" if measure.dcg == "exp-log2" else "exp-log2")
        return measure

    def projected(self, convention: Convention) -> Assignment | None:
        """A convention's options on the axes that matter here; None if it would reject the data.

        Where it does not, `reject` has met nothing, and is as good as any other option.
        """
        chosen = {axis: option for axis, option in convention.to_dict().items() if axis in self.options}
        if "reject" in chosen.values():
            try:
                evaluate(self._qrels, list(self._runs.values()), self._measures, convention)
            except RejectedError:
                return None
        return {axis: self.options[axis][0] if option == "reject" else option for axis, option in chosen.items()}

    # --- what can matter ---

    def _possible(self) -> Iterator[tuple[str, list[str | int]]]:
        """Every axis with the options that the data allow; a single one where it cannot matter."""
        graded = [grades for grades in self._judgments.values() if grades]
        levels = sorted({1} | {g for grades in graded for g in grades.values() if g > 1})[:10]
        names = {measure.name for measure in self._measures}
        tied, close, repeats, unjudged = self._seen()
        yield "ties", ["docid_descending", "docid_ascending", "input_order", "expected"] if tied or close else []
        yield "score_precision", ["float64", "float32"] if close else []
        yield "unjudged_document", ["not_relevant", "condense"] if unjudged else []
        yield "duplicates", ["first", "last", "count_each"] if repeats else []
        yield "relevance_level", list(levels)
        cutoffs = [measure.cutoff for measure in self._measures if measure.cutoff]
        yield CUTOFF, [0, 1] if 1 in cutoffs else [0, -1, 1] if cutoffs else []
        yield "precision_denominator", ["k", "retrieved", "relevant_capped"] if "P" in names else []
        yield "recall_denominator", ["relevant", "capped", "hit", "relevant_retrieved"] if "R" in names else []
        yield "rr_cutoff", ["at_k", "ignored"] if any(m.name == "RR" and m.cutoff for m in self._measures) else []
        plain = any(measure.is_graded and not measure.gains for measure in self._measures)
        greatest = max((g for grades in graded for g in grades.values()), default=0)
        yield GAIN, ["as named", "the other"] if plain and 1 < greatest <= EXPONENT_MAX else []
        highest = max([*levels, *(measure.rel or 0 for measure in self._measures)])
        lacking = any(max(grades.values(), default=0) < highest for grades in self._judgments.values())
        yield "no_relevant", ["zero", "exclude", "one"] if lacking else []
        yield "no_judgments", ["as_no_relevant", "exclude"] if len(graded) < len(self._judgments) else []
        runs = [run.rankings for run in self._runs.values()]
        lost = any(_is_missing(rankings.get(q)) for rankings in runs for q in self._judgments)
        yield "missing_ranking", ["zero", "exclude"] if lost else []
        extra = any(query_id not in self._judgments for rankings in runs for query_id in rankings)
        yield "unjudged_query", ["exclude", "zero"] if extra else []

    def _seen(self) -> tuple[bool, bool, bool, bool]:
        """Whether scores tie, whether more tie in 32 bits, whether a document repeats, and whether one is unjudged."""
        tied = close = repeats = unjudged = False
        for run in self._runs.values():
            for query_id, grades in self._judgments.items():
                given = run.rankings.get(query_id)
                if given is None or isinstance(given, Failure):
                    continue
                doc_ids = run.order(query_id, _AS_GIVEN).doc_ids
                if isinstance(given, Scored):
                    distinct = len(set(given.scores))
                    tied |= distinct < len(given.scores)
                    close |= len(set(array("f", given.scores))) < distinct
                repeats |= len(set(doc_ids)) < len(doc_ids)
                unjudged |= not grades.keys() >= set(doc_ids)
        return tied, close, repeats, unjudged

    # --- values ---

    def _assignments(self, axes: Sequence[str]) -> list[dict[str, str | int]]:
        """Every assignment of these axes, of those that can matter."""
        known = [axis for axis in axes if axis in self.options]
        return [dict(zip(known, chosen, strict=True)) for chosen in product(*(self.options[axis] for axis in known))]

    def _groups(self) -> Iterator[tuple[str, list[Measure]]]:
        """The measures that share an axis of their own, with it; the others in one group without."""
        for name in dict.fromkeys(m.name if m.name in _OWN else "" for m in self._measures):
            yield _OWN.get(name, ""), [m for m in self._measures if m.name == name or not (name or m.name in _OWN)]

    def _summed_all(self, measures: Sequence[Measure], full: Assignment) -> dict[tuple[str, Measure], _Sums]:
        return {(s, measure): self._summed(s, measure, full) for s in self._runs for measure in measures}

    def _mean(self, system: str, measure: Measure, sums: _Sums, rule: _Rule) -> float | None:
        total, queries = 0.0, self._unjudged[system] if rule.unjudged_count else 0
        for (missing, bare, lacking), (values, count, undefined) in sums.items():
            if (bare and rule.without_bare) or (missing and rule.without_missing) or (lacking and rule.without_lacking):
                continue
            total += values + (undefined if rule.undefined_is_one and not missing else 0)
            queries += count
        if not queries:
            return None
        return total if measure.definition.aggregate == "sum" else total / queries

    def _summed(self, system: str, measure: Measure, full: Assignment) -> _Sums:
        order = self._order({axis: full[axis] for axis in _ORDER})
        measure = self.computed_as(measure, full)
        own = _OWN.get(measure.name)
        key = (order, system, measure, full["relevance_level"], own and full[own])
        if key not in self._sums:
            axes = {a: o for a, o in full.items() if a in (own, "relevance_level") and a not in (GAIN, CUTOFF)}
            self._sums[key] = self._sum(self._orders[order][system], measure, TREC_EVAL.but(**axes))
        return self._sums[key]

    def _order(self, axes: Assignment) -> int:
        """The index of the rankings under these axes; equal ones, which are many, are kept once."""
        key = tuple(axes.items())
        if key not in self._rankings:
            convention = TREC_EVAL.but(**axes)
            rankings = {
                s: {
                    q: run.order(q, convention, judged=grades)
                    for q, grades in self._judgments.items()
                    if not _is_missing(run.rankings.get(q))
                }
                for s, run in self._runs.items()
            }
            signature = tuple(
                (tuple(r.doc_ids), tuple(map(tuple, r.groups))) for each in rankings.values() for r in each.values()
            )
            if signature not in self._rankings:
                self._rankings[signature] = len(self._orders)
                self._orders.append(rankings)
            self._rankings[key] = self._rankings[signature]
        return self._rankings[key]

    def _sum(self, rankings: Mapping[str, Ranking], measure: Measure, convention: Convention) -> _Sums:
        is_undefined = undefined_without_relevant(measure, convention)
        sums: _Sums = {}
        for query_id, grades in self._judgments.items():
            counting = targets(measure, grades, convention.relevance_level)
            relevant = (
                counting if measure.name != "Judged" else targets(Measure("NumRel"), grades, convention.relevance_level)
            )
            ranking = rankings.get(query_id, Ranking([]))
            kind = _Kind(query_id not in rankings, not grades, not relevant)
            seen: Seen = look(judged_ranks(ranking.doc_ids, grades), len(ranking.doc_ids), counting)
            if ranking.groups:
                seen = look_tied(ranking.groups, len(ranking.doc_ids), counting)
            value = quotient(*score(measure, seen, convention)) or 0.0
            total, queries, undefined = sums.get(kind, _Sum(0.0, 0, 0))
            sums[kind] = _Sum(total + value, queries + 1, undefined + (is_undefined and not relevant))
        return sums


def _is_missing(given: object) -> bool:
    return given is None or isinstance(given, Failure)
