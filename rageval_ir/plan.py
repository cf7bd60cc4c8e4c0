"""What is the same for every system: judgments prepared for each measure, backends, and how deep to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rageval_ir.backends import Backends
from rageval_ir.conventions import (
    Convention,
    NoJudgments,
    NoRelevant,
    PrecisionDenominator,
    RecallDenominator,
    RRCutoff,
    Ties,
)
from rageval_ir.convert import Qrels
from rageval_ir.errors import InputError, RejectedError, place
from rageval_ir.keep import checked_depth
from rageval_ir.measures import Measure
from rageval_ir.reference import REFERENCE_MEASURES, Targets, targets
from rageval_ir.validate import GRADE_MIN

__all__ = ["Lens", "Plan", "reach_of", "undefined_without_relevant"]


class Lens(NamedTuple):
    """What decides which documents count for a measure, and their gains; several measures may share one."""

    level: int
    """The least grade that counts."""
    dcg: str = "log2"
    gains: tuple[tuple[int, int], ...] = ()


class Plan:
    """What is the same for all systems.

    Attributes
    ----------
    judgments : dict of str to dict of str to int
        Query id to document id to grade.
    measures : tuple of Measure
    convention, nearest : Convention
        What was asked for, and the nearest one whose every value a backend computes.
    depth : int or None
        How many ranks the caller wants read.
    reach : int or None
        How many ranks can matter; None for all.
    full : int
        A ranking with fewer results than this is short: the greatest cutoff, or the depth if that is less.
    backends : Backends
    lenses : dict of Measure to Lens
    counting : dict of Lens to dict of str to Targets
        For each lens and query, the documents that count.
    """

    def __init__(self, qrels: Qrels, measures: tuple[Measure, ...], convention: Convention, depth: int | None) -> None:
        self.judgments = qrels.judgments
        self.measures = measures
        self.convention = convention
        self.nearest = _nearest(convention)
        self.depth = checked_depth(depth)
        self.reach = reach_of(measures, convention, self.depth)
        longest = max((m.cutoff for m in measures if m.cutoff), default=0)
        self.full = longest if self.depth is None else min(longest, self.depth)
        self.backends = Backends(qrels, measures, convention)
        self.lenses = {measure: self._lens(measure) for measure in measures}
        self.counting: dict[Lens, dict[str, Targets]] = {
            lens: {q: targets(measure, g, convention.relevance_level) for q, g in self.judgments.items()}
            for lens, measure in self._looking().items()
        }
        self._without_relevant: dict[Lens, dict[str, None]] = {}
        self._reject_depth()
        self._reject_judgments()

    def without_relevant(self, measure: Measure) -> dict[str, None]:
        """The queries without a relevant document, as keys in order: what `no_relevant` asks about."""
        lens = Lens(self.convention.relevance_level) if measure.name == "Judged" else self.lenses[measure]
        if lens not in self._without_relevant:
            bare = (query_id for query_id, counting in self.counting[lens].items() if not counting)
            self._without_relevant[lens] = dict.fromkeys(bare)
        return self._without_relevant[lens]

    def _lens(self, measure: Measure) -> Lens:
        if measure.is_graded:  # a gain above 0 is a grade of 1 and more, where gains do not say otherwise
            return Lens(1, measure.dcg, measure.gains)
        if measure.name == "Judged":
            return Lens(GRADE_MIN)
        return Lens(measure.level(self.convention.relevance_level))

    def _looking(self) -> dict[Lens, Measure]:
        """One measure for each lens; Judged also needs to know the relevant documents."""
        looking = {lens: measure for measure, lens in self.lenses.items()}
        if Lens(GRADE_MIN) in looking:
            looking.setdefault(Lens(self.convention.relevance_level), Measure("NumRel"))
        return looking

    def _reject_depth(self) -> None:
        """Refuse a depth that makes every ranking too short for a precision that may not be short."""
        if self.depth is None or self.convention.precision_denominator is not PrecisionDenominator.REJECT:
            return
        for measure in self.measures:
            if measure.name == "P" and (measure.cutoff or 0) > self.depth:
                raise InputError(
                    f"The depth {self.depth} leaves no ranking with the {measure.cutoff} results of {measure}.",
                    hint=f"set a depth of {measure.cutoff} or more, or choose precision_denominator=k or retrieved.",
                )

    def _reject_judgments(self) -> None:
        """Refuse the queries whose judgments the convention rejects, before any system is looked at."""
        bare = [query_id for query_id, grades in self.judgments.items() if not grades]
        if bare and self.convention.no_judgments is NoJudgments.REJECT:
            raise RejectedError(
                f"{place(query=bare[0])} is listed without any judgment (an empty relevance set).",
                hint="judge it, drop it, or choose no_judgments=as_no_relevant or exclude.",
            )
        if self.convention.no_relevant is not NoRelevant.REJECT:
            return
        left_out = set(bare) if self.convention.no_judgments is NoJudgments.EXCLUDE else set()
        for measure in self.measures:
            for query_id in self.without_relevant(measure):
                if query_id not in left_out:
                    raise RejectedError(
                        f"{place(query=query_id)} has no relevant document for {measure}.",
                        hint="judge more, drop it, or choose no_relevant=zero or exclude.",
                    )

    def unchecked(self) -> dict[str, str]:
        """Why a measure is computed once only, or checked under a neighbouring convention."""
        reasons = {}
        for measure in self.measures:
            if measure.name not in REFERENCE_MEASURES:
                reasons[str(measure)] = "not cross-checked; the backend alone computes it"
            elif measure in self.backends.beyond:
                reasons[str(measure)] = "not cross-checked; gains too large for the backend, the reference computed it"
            elif not self.backend_follows(measure):
                reasons[str(measure)] = (
                    f"recall_denominator={self.convention.recall_denominator} is computed by the reference alone;"
                    f" the cross-check ran under {self.nearest.recall_denominator}"
                )
        return reasons

    def backend_follows(self, measure: Measure) -> bool:
        """Whether a backend computes the measure under this very convention."""
        return measure.name != "R" or self.convention.recall_denominator is not RecallDenominator.RELEVANT_RETRIEVED


def undefined_without_relevant(measure: Measure, convention: Convention) -> bool:
    """Whether the measure is 0/0 for a query without relevant documents."""
    if measure.name == "R":
        return convention.recall_denominator is not RecallDenominator.HIT
    return measure.name in ("RR", "nDCG", "AP", "Rprec", "Bpref", "infAP")


def _nearest(convention: Convention) -> Convention:
    """The nearest convention whose every value a backend computes."""
    if convention.ties is Ties.EXPECTED:
        convention = convention.but(ties=Ties.DOCID_DESCENDING)
    if convention.recall_denominator is RecallDenominator.RELEVANT_RETRIEVED:
        convention = convention.but(recall_denominator=RecallDenominator.RELEVANT)
    return convention


def reach_of(measures: Sequence[Measure], convention: Convention, depth: int | None) -> int | None:
    """How many ranks can matter: the greatest cutoff, or the depth; None where the measures know no end."""
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
