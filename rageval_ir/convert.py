"""`Qrels` and `Run`: judgments and rankings, validated, and out again in ir_measures' forms.

Both hold plain data keyed by query id. A `Run` keeps each ranking as it was given until
`Run.order` puts it into the order that a convention says; what comes out of it, and out
of the converters, is strictly ordered, so that no backend has a tie left to break.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from rageval_ir.conventions import (
    TREC_EVAL,
    Convention,
    UnjudgedDocument,
    resolve_convention,
)
from rageval_ir.errors import ConventionError, place
from rageval_ir.ranking import Ranking, order
from rageval_ir.validate import identifiers

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd

__all__ = ["Failure", "Given", "Qrels", "Run", "Scored"]


class Scored(NamedTuple):
    """A ranking by scores: document ids and finite scores, validated, in the input's order."""

    doc_ids: list[str]
    scores: list[float]


class Failure(NamedTuple):
    """A query whose retrieval failed; `reason` is the exception as text, or empty."""

    reason: str


Given = list[Any] | tuple[Any, ...] | Scored | Failure
"""One query's ranking as it was given: a plain list or tuple holds document ids, best first, not yet validated."""


@dataclass(frozen=True)
class Qrels:
    """Relevance judgments.

    Attributes
    ----------
    judgments : dict of str to dict of str to int
        Query id to document id to grade; 1 and more is relevant, 0 and less judged not
        relevant. A query may have no judgment at all.
    repeats : int
        Judgments that were given more than once, each time with the same grade.

    Examples
    --------
    >>> Qrels({"q": {"d1": 1, "d2": 0}}).to_dict()
    {'q': {'d1': 1, 'd2': 0}}
    """

    judgments: dict[str, dict[str, int]]
    repeats: int = 0

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the sorted judgments: equal for equal judgments in any order."""
        digest = hashlib.sha256()
        for query_id in sorted(self.judgments):
            grades = self.judgments[query_id]
            lines = [f"{len(query_id)} {query_id}"]
            lines += [f"{len(doc_id)} {doc_id} {grades[doc_id]}" for doc_id in sorted(grades)]
            digest.update("\n".join([*lines, ""]).encode())
        return digest.hexdigest()

    def to_dict(self) -> dict[str, dict[str, int]]:
        """A copy as ir_measures and pytrec_eval take it: query id to document id to grade."""
        return {query_id: dict(grades) for query_id, grades in self.judgments.items()}

    def to_tuples(self) -> list[ir_measures.Qrel]:
        """A list of `ir_measures.Qrel`; a query without judgments has none.

        >>> Qrels({"q": {"d1": 1}}).to_tuples()
        [Qrel(query_id='q', doc_id='d1', relevance=1, iteration='0')]
        """
        import ir_measures

        return [ir_measures.Qrel(*row) for row in self._rows()]

    def to_frame(self) -> pd.DataFrame:
        """A frame with ir_measures' columns query_id, doc_id, relevance; a row a judgment."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=["query_id", "doc_id", "relevance"])

    def _rows(self) -> Iterator[tuple[str, str, int]]:
        for query_id, grades in self.judgments.items():
            for doc_id, grade in grades.items():
                yield query_id, doc_id, grade


@dataclass(frozen=True)
class Run:
    """One system's rankings.

    Attributes
    ----------
    name : str
        The system's name.
    rankings : dict of str to list, tuple, Scored or Failure
        Query id to ranking, as given: a plain list or tuple holds document ids, best first.

    Examples
    --------
    >>> run = Run("A", {"q": Scored(["d1", "d2"], [0.5, 0.5])})
    >>> run.order("q").doc_ids
    ['d2', 'd1']
    """

    name: str = "run"
    rankings: dict[str, Given] = field(default_factory=dict)

    def order(
        self,
        query_id: str,
        convention: Convention = TREC_EVAL,
        *,
        depth: int | None = None,
        judged: Mapping[str, int] | None = None,
    ) -> Ranking:
        """One query's ranking in the convention's order, cut to `depth`.

        A missing or failed query gives an empty ranking. `judged` are the query's
        judgments, which `unjudged_document=condense` needs.

        Raises
        ------
        InputError
            A document id that is not valid, among those that are read.
        RejectedError
            A tie or a duplicate that the convention rejects.
        """
        if judged is None and convention.unjudged_document is UnjudgedDocument.CONDENSE:
            raise ConventionError(
                "unjudged_document=condense needs the judgments.",
                hint="evaluate() has them; a run alone is converted with another option.",
            )
        given = self.rankings.get(query_id)
        if given is None or isinstance(given, Failure):
            return Ranking([])
        if isinstance(given, Scored):
            doc_ids, scores = given
        else:
            doc_ids, scores = self._listed(given, query_id, convention, depth), None
        return order(
            doc_ids,
            scores,
            convention,
            depth=depth,
            judged=judged or {},
            system=self.name,
            query=query_id,
        )

    def _listed(self, given: Sequence[Any], query_id: str, convention: Convention, depth: int | None) -> list[str]:
        """The listed ids, validated; only those that can reach the first `depth` ranks."""
        reach = None if convention.moves_up else depth
        return identifiers(given[:reach], "document id", lambda: place(system=self.name, query=query_id))

    def to_dict(self, convention: object = TREC_EVAL) -> dict[str, dict[str, float]]:
        """Query id to document id to score, as ir_measures and pytrec_eval take it.

        Scores are n, n-1, ..., 1 in the convention's order, so that every backend sees the
        same strict order. Failed queries are left out, as from a run file.

        >>> Run("A", {"q": Scored(["d1", "d2"], [0.5, 0.5])}).to_dict()
        {'q': {'d2': 2.0, 'd1': 1.0}}
        """
        result: dict[str, dict[str, float]] = {
            query_id: {} for query_id, given in self.rankings.items() if not isinstance(given, Failure)
        }
        for query_id, doc_id, score in self._rows(resolve_convention(convention)):
            result[query_id][doc_id] = score
        return result

    def to_tuples(self, convention: object = TREC_EVAL) -> list[ir_measures.ScoredDoc]:
        """A list of `ir_measures.ScoredDoc`, with `to_dict`'s scores, best first."""
        import ir_measures

        return [ir_measures.ScoredDoc(*row) for row in self._rows(resolve_convention(convention))]

    def to_frame(self, convention: object = TREC_EVAL) -> pd.DataFrame:
        """A frame with ir_measures' columns query_id, doc_id, score, with `to_dict`'s scores."""
        import pandas as pd

        rows = self._rows(resolve_convention(convention))
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])

    def _rows(self, convention: Convention) -> Iterator[tuple[str, str, float]]:
        for query_id in self.rankings:
            doc_ids = self.order(query_id, convention).doc_ids
            for score, doc_id in zip(range(len(doc_ids), 0, -1), doc_ids, strict=True):
                yield query_id, doc_id, float(score)
