"""Why an axis cannot matter on some data, in a sentence that the data bear out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from rageval_ir.conventions import Convention
from rageval_ir.convert import Qrels
from rageval_ir.result import Evaluation

__all__ = ["why_idle"]


def why_idle(
    base: Evaluation, moved: Mapping[tuple[str, str | int], Evaluation], moving: Collection[str], qrels: Qrels
) -> dict[str, str]:
    """A reason for each axis of which every option leaves every value of every query as it is.

    Parameters
    ----------
    base : Evaluation
    moved : mapping of (axis, option) to Evaluation
        The same under each other option.
    moving : collection of str
        The axes that do change a value.
    qrels : Qrels
    """
    reasons = {}
    for axis in base.convention.to_dict():
        others = [other for (moved_axis, _), other in moved.items() if moved_axis == axis]
        if axis not in moving and (others or axis == "relevance_level"):
            reasons[axis] = _REASONS[axis](_Facts(base, others, qrels))
    return reasons


class _Facts:
    """What is true of the data; a reason is given only where it is."""

    def __init__(self, base: Evaluation, others: list[Evaluation], qrels: Qrels) -> None:
        self.base = base
        self.others = others
        self.names = {measure.name for measure in base.measures}
        self.judged = [grades for grades in qrels.judgments.values() if grades]

    def count(self, *happened: str) -> int:
        """How many queries something of this happened to, in all systems."""
        return sum(len(result.affected.get(what, ())) for result in self.base.systems.values() for what in happened)

    def unless(self, what: str, *happened: str, then: str) -> str:
        """The reason `then` if nothing of this happened, else how often it did without an effect."""
        count = self.count(*happened)
        return f"{count} {what}, but no value depends on them" if count else then

    def greatest_cutoff(self, name: str) -> int:
        return max((m.cutoff or 0 for m in self.base.measures if m.name == name), default=0)


def _ties(facts: _Facts) -> str:
    cutoffs = [measure.cutoff for measure in facts.base.measures]
    where = f"in or across the first {max(filter(None, cutoffs))} ranks" if all(cutoffs) else "in a ranking"
    return facts.unless("rankings hold tied scores", "tied", then=f"no two scores tie {where}")


def _score_precision(facts: _Facts) -> str:
    tied = [{s: result.affected.get("tied") for s, result in e.systems.items()} for e in [facts.base, *facts.others]]
    if all(each == tied[0] for each in tied):
        return "the same rankings hold ties in 32 and in 64 bits"
    return "scores tie in 32 bits that do not in 64, but no value depends on it"


def _precision_denominator(facts: _Facts) -> str:
    if "P" not in facts.names:
        return "no P@k is asked for"
    k = facts.greatest_cutoff("P")
    least = min((_relevant(grades, facts.base.convention) for grades in facts.judged), default=0)
    if not facts.count("short") and least >= k:
        return f"every ranking has {k} or more results, and every query {k} or more relevant documents"
    return "no ranking or query with fewer than k results or relevant documents has a hit"


def _recall_denominator(facts: _Facts) -> str:
    return "each R@k is 0 or 1, whatever it is divided by" if "R" in facts.names else "no R@k is asked for"


def _rr_cutoff(facts: _Facts) -> str:
    if not any(measure.name == "RR" and measure.cutoff for measure in facts.base.measures):
        return "no RR@k is asked for"
    return "no ranking has its first relevant document beyond the cutoff"


def _unjudged_document(facts: _Facts) -> str:
    if any(result.documents["condensed"] for other in facts.others for result in other.systems.values()):
        return "documents without a judgment are ranked, but no value depends on it"
    return "every document that is read is judged"


def _relevance_level(facts: _Facts) -> str:
    if facts.others:
        return "no value depends on the level"
    return "no other grade stands in the judgments"


def _relevant(grades: Mapping[str, int], convention: Convention) -> int:
    return sum(grade >= convention.relevance_level for grade in grades.values())


_REASONS: dict[str, Callable[[_Facts], str]] = {
    "ties": _ties,
    "score_precision": _score_precision,
    "precision_denominator": _precision_denominator,
    "recall_denominator": _recall_denominator,
    "rr_cutoff": _rr_cutoff,
    "no_relevant": lambda facts: facts.unless(
        "queries have no relevant document", "no_relevant", "no_judgments",
        then="every judged query has a relevant document",
    ),
    "no_judgments": lambda facts: facts.unless(
        "queries have no judgment", "no_judgments", then="no query is listed without a judgment"
    ),
    "missing_ranking": lambda facts: facts.unless(
        "judged queries are missing or failed", "missing", "failed", then="every judged query has a ranking"
    ),
    "unjudged_query": lambda facts: facts.unless(
        "ranked queries are not judged", "unjudged_queries", then="every ranked query is judged"
    ),
    "unjudged_document": _unjudged_document,
    "duplicates": lambda facts: facts.unless(
        "rankings hold a document twice", "duplicates", then="no document stands twice in a ranking"
    ),
    "relevance_level": _relevance_level,
}  # fmt: skip
