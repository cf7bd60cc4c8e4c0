"""A convention: one option on each axis that could change a number, and the named ones.

An axis is a question about cutoffs that the definitions leave open; an option is an
answer that some tool in use gives. The first option of every axis is `TREC_EVAL`'s.
"""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Self

from rageval_ir.errors import ConventionError, shown
from rageval_ir.validate import whole

__all__ = [
    "AXES",
    "STRICT",
    "TREC_EVAL",
    "TREC_EVAL_9",
    "Convention",
    "Duplicates",
    "MissingRanking",
    "NoJudgments",
    "NoRelevant",
    "Option",
    "PrecisionDenominator",
    "RRCutoff",
    "RecallDenominator",
    "ScorePrecision",
    "Ties",
    "UnjudgedDocument",
    "UnjudgedQuery",
]


class Option(StrEnum):
    """An answer on one axis; the docstring of the class is the axis' question."""

    explanation: str

    def __new__(cls, value: str, explanation: str) -> Self:
        """A member equal to its string, carrying a sentence that explains it."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.explanation = explanation
        return member


class Ties(Option):
    """Equal scores: which document comes first?"""

    DOCID_DESCENDING = "docid_descending", "the greater document id, by its bytes (trec_eval)"
    DOCID_ASCENDING = "docid_ascending", "the smaller document id, by its bytes (ir_measures' msmarco provider)"
    INPUT_ORDER = "input_order", "the one that the input names first"
    EXPECTED = "expected", "none: the mean over all orders of the tied documents"
    REJECT = "reject", "a tie that can reach the result is an error"


class ScorePrecision(Option):
    """What counts as an equal score?"""

    FLOAT64 = "float64", "scores equal as 64-bit floats (trec_eval 10)"
    FLOAT32 = "float32", "scores equal as 32-bit floats (trec_eval 9, pytrec_eval)"


class PrecisionDenominator(Option):
    """P@k with fewer than k results: divided by what?"""

    K = "k", "k; absent results count as not relevant (trec_eval)"
    RETRIEVED = "retrieved", "the number of results, if that is less than k"
    RELEVANT_CAPPED = "relevant_capped", "the number of relevant documents, if that is less than k"
    REJECT = "reject", "P@k with fewer than k results is an error"


class RecallDenominator(Option):
    """R@k with more than k relevant documents: divided by what?"""

    RELEVANT = "relevant", "the number judged relevant (trec_eval)"
    CAPPED = "capped", "the number judged relevant, or k if that is less"
    HIT = "hit", "1 if any relevant document is in the first k: Success@k under another name"
    RELEVANT_RETRIEVED = "relevant_retrieved", "the relevant documents that were ranked at all"


class RRCutoff(Option):
    """RR@k and a first relevant document beyond rank k: what is its value?"""

    AT_K = "at_k", "0; rank k itself still counts"
    IGNORED = "ignored", "1 / rank all the same (trec_eval's recip_rank takes no cutoff)"


class NoRelevant(Option):
    """A judged query without relevant documents: what do R, RR, nDCG and AP (0/0) give?"""

    ZERO = "zero", "0"
    EXCLUDE = "exclude", "the query leaves every mean"
    ONE = "one", "1, where the measure is 0/0; P and Success stay 0"
    REJECT = "reject", "an error"


class NoJudgments(Option):
    """A query listed without any judgment (an empty set): is it judged?"""

    AS_NO_RELEVANT = "as_no_relevant", "yes, as one without relevant documents (ir_measures)"
    EXCLUDE = "exclude", "no; a qrels file could not hold it (the trec programs)"
    REJECT = "reject", "an error"


class MissingRanking(Option):
    """A judged query that the run lacks, or whose retrieval failed: what counts?"""

    ZERO = "zero", "it counts as an empty ranking (trec_eval -c, ir_measures)"
    EXCLUDE = "exclude", "the query leaves this system's means (trec_eval 9 without -c)"
    REJECT = "reject", "an error"


class UnjudgedQuery(Option):
    """A ranked query without judgments: what counts?"""

    EXCLUDE = "exclude", "it is left out, and counted as left out"
    ZERO = "zero", "it counts as 0"
    REJECT = "reject", "an error"


class UnjudgedDocument(Option):
    """A retrieved document without a judgment: what is it?"""

    NOT_RELEVANT = "not_relevant", "not relevant (trec_eval)"
    CONDENSE = "condense", "dropped before the cutoff; later ones move up"


class Duplicates(Option):
    """The same document twice in a ranking: which counts?"""

    REJECT = "reject", "an error (trec_eval)"
    FIRST = "first", "its best rank"
    LAST = "last", "its last rank"
    COUNT_EACH = "count_each", "every one, so that values above 1 are possible"


@dataclass(frozen=True, kw_only=True)
class Convention:
    """One option on each axis; strings are taken for options, and checked.

    Attributes are the axes, in the order of the README's table; `relevance_level` is the
    least grade that counts as relevant wherever a measure does not say (`P(rel=2)@10` does).

    Raises
    ------
    ConventionError
        An option that its axis does not have, or a relevance level that is not an int of 1 or more.

    Examples
    --------
    >>> Convention(ties="docid_ascending").departures()
    {'ties': 'docid_ascending'}
    """

    ties: Ties = Ties.DOCID_DESCENDING
    score_precision: ScorePrecision = ScorePrecision.FLOAT64
    precision_denominator: PrecisionDenominator = PrecisionDenominator.K
    recall_denominator: RecallDenominator = RecallDenominator.RELEVANT
    rr_cutoff: RRCutoff = RRCutoff.AT_K
    no_relevant: NoRelevant = NoRelevant.ZERO
    no_judgments: NoJudgments = NoJudgments.AS_NO_RELEVANT
    missing_ranking: MissingRanking = MissingRanking.ZERO
    unjudged_query: UnjudgedQuery = UnjudgedQuery.EXCLUDE
    unjudged_document: UnjudgedDocument = UnjudgedDocument.NOT_RELEVANT
    duplicates: Duplicates = Duplicates.REJECT
    relevance_level: int = 1

    def __post_init__(self) -> None:
        for axis, options in AXES.items():
            object.__setattr__(self, axis, _option(axis, options, getattr(self, axis)))
        level = whole(self.relevance_level)
        if level is None or not 1 <= level < 2**31:
            raise ConventionError(
                f"relevance_level must be an int in the range [1, 2^31 - 1]. Found {shown(self.relevance_level)}.",
                hint="grades of 0 and less are judged not relevant.",
            )
        object.__setattr__(self, "relevance_level", level)

    @property
    def name(self) -> str:
        """TREC_EVAL, TREC_EVAL_9 or STRICT, or how it departs from the first."""
        for name, profile in _NAMED.items():
            if profile == self:
                return name
        changes = ", ".join(f"{axis}={option}" for axis, option in self.departures().items())
        return f"TREC_EVAL with {changes}"

    def reach(self, depth: int | None) -> int | None:
        """How many documents can come to stand in the first `depth` ranks; None for all.

        More than `depth` only where a rule drops documents, so that later ones move up.

        >>> TREC_EVAL.reach(10), TREC_EVAL.but(duplicates="first").reach(10)
        (10, None)
        """
        return None if self._drops else depth

    @cached_property
    def _drops(self) -> bool:
        condense = self.unjudged_document is UnjudgedDocument.CONDENSE
        return condense or self.duplicates in (Duplicates.FIRST, Duplicates.LAST)

    def departures(self) -> dict[str, str | int]:
        """The axes on which this differs from `TREC_EVAL`, and its options there."""
        return {axis: value for axis, value in self.to_dict().items() if value != _STANDARD[axis]}

    def to_dict(self) -> dict[str, str | int]:
        """Axis to option, as plain strings (and the level as int)."""
        return {k: v if isinstance(v, int) else str(v) for k, v in asdict(self).items()}

    def but(self, **options: Any) -> Convention:
        """The same convention with other options on some axes.

        >>> STRICT.but(ties="input_order").ties
        <Ties.INPUT_ORDER: 'input_order'>
        """
        known = {field.name for field in fields(self)}
        for axis in options:
            if axis not in known:
                raise ConventionError(
                    f"Unknown axis {axis!r}." + _suggestion(axis, known), hint=f"known: {', '.join(sorted(known))}."
                )
        return replace(self, **options)


AXES: dict[str, type[Option]] = {
    "ties": Ties,
    "score_precision": ScorePrecision,
    "precision_denominator": PrecisionDenominator,
    "recall_denominator": RecallDenominator,
    "rr_cutoff": RRCutoff,
    "no_relevant": NoRelevant,
    "no_judgments": NoJudgments,
    "missing_ranking": MissingRanking,
    "unjudged_query": UnjudgedQuery,
    "unjudged_document": UnjudgedDocument,
    "duplicates": Duplicates,
}
"""Axis name to its options; `relevance_level`, the twelfth axis, is an integer."""


def _option(axis: str, options: type[Option], value: object) -> Option:
    try:
        return options(value)  # type: ignore[call-arg,arg-type]
    except ValueError:
        known = [str(option) for option in options]
        raise ConventionError(
            f"The axis {axis!r} has no option {shown(value)}." + _suggestion(str(value), known),
            hint=f"options: {', '.join(known)}.",
        ) from None


def _suggestion(text: str, known: Any) -> str:
    close = difflib.get_close_matches(text, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


TREC_EVAL = Convention()
"""trec_eval 10 with -c: the default, and what published TREC figures follow."""

_STANDARD = TREC_EVAL.to_dict()

TREC_EVAL_9 = TREC_EVAL.but(score_precision=ScorePrecision.FLOAT32)
"""trec_eval 9 with -c, and pytrec_eval: scores are compared as 32-bit floats."""

STRICT = TREC_EVAL.but(
    ties=Ties.REJECT,
    precision_denominator=PrecisionDenominator.REJECT,
    no_relevant=NoRelevant.REJECT,
    no_judgments=NoJudgments.REJECT,
    missing_ranking=MissingRanking.REJECT,
    unjudged_query=UnjudgedQuery.REJECT,
)
"""Every axis that can reject does: what it would have to decide about a query is an error that names it."""

_NAMED = {"TREC_EVAL": TREC_EVAL, "TREC_EVAL_9": TREC_EVAL_9, "STRICT": STRICT}
