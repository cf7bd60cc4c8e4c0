"""`Qrels` and `Run`: judgments and rankings, validated, and out again in ir_measures' forms.

Both hold plain data keyed by query id, valid from the constructor on. A `Run` keeps each
ranking as it was given until `Run.order` puts it into the order that a convention says;
what comes out of it, and out of the converters, is strictly ordered, so that no backend
has a tie left to break.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rageval_ir.conventions import (
    TREC_EVAL,
    Convention,
    Duplicates,
    UnjudgedDocument,
)
from rageval_ir.errors import ConventionError, InputError, place, shown
from rageval_ir.given import Failure, Given, Scored, judged, keys, ranked
from rageval_ir.keep import ALL, Keep
from rageval_ir.profiles import resolve_convention
from rageval_ir.ranking import Ranking, order
from rageval_ir.validate import identifier, identifiers

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd

__all__ = ["Qrels", "Run"]


@dataclass(frozen=True, init=False)
class Qrels:
    """Relevance judgments.

    Parameters
    ----------
    judgments : mapping
        Query id to a set, list or tuple of relevant document ids, or to {document id: grade}.
    repeats : mapping of str to int, optional
        As below, where a reader has met them; those in a list of relevant documents are counted here.

    Attributes
    ----------
    judgments : dict of str to dict of str to int
        Query id to document id to grade; 1 and more is relevant, 0 and less judged not
        relevant. A query may have no judgment at all.
    repeats : dict of str to int
        For each query that has any: judgments given again, with the same grade.

    Raises
    ------
    InputError
        Another shape; an id or a grade that is not valid.

    Examples
    --------
    >>> Qrels({"q": {"d1", "d2"}, 2: {"d1": 2.0}}).judgments["2"]
    {'d1': 2}
    """

    judgments: dict[str, dict[str, int]]
    repeats: dict[str, int]

    def __init__(self, judgments: Mapping[Any, Any], repeats: Mapping[str, int] | None = None) -> None:
        _check_mapping(judgments, "judgments", "to_qrels")
        query_ids = keys(judgments, "query id", lambda: "judgments")
        valid: dict[str, dict[str, int]] = {}
        counted = dict(repeats or {})
        for query_id, documents in zip(query_ids, judgments.values(), strict=True):
            valid[query_id], repeated = judged(documents, query_id)
            if repeated:
                counted[query_id] = repeated
        object.__setattr__(self, "judgments", valid)
        object.__setattr__(self, "repeats", counted)

    def only(self, query_ids: Iterable[str]) -> Qrels:
        """The judgments of these queries, in their order.

        >>> Qrels({"q": {"d1"}, "p": {"d2"}}).only(["p"]).judgments
        {'p': {'d2': 1}}
        """
        asked = list(query_ids)
        return Qrels(
            {query_id: self.judgments[query_id] for query_id in asked},
            {query_id: self.repeats[query_id] for query_id in asked if query_id in self.repeats},
        )

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the sorted judgments: equal for equal judgments in any order."""
        lines = []
        for query_id in sorted(self.judgments):
            grades = self.judgments[query_id]
            lines.append(f"{len(query_id)} {query_id}")
            lines += [f"{len(doc_id)} {doc_id} {grades[doc_id]}" for doc_id in sorted(grades)]
        return hashlib.sha256("\n".join([*lines, ""]).encode()).hexdigest()

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


@dataclass(frozen=True, init=False, repr=False)
class Run:
    """One system's rankings.

    Parameters
    ----------
    name : str
    rankings : mapping
        Query id to ranking: a list or tuple of document ids, best first; {document id: score};
        a list of (document id, score) pairs; None or an exception for a failed query.
    kept : Keep, optional
        As below, where a reader dropped results.

    Attributes
    ----------
    name : str
        The system's name.
    kept : Keep
        How many ranks there are of each query, where a reader dropped those beyond; all by default.
    rankings : dict of str to list, tuple, Scored or Failure
        Query id to ranking, as given: a plain list or tuple holds document ids, best first,
        and is validated where it is read.

    Raises
    ------
    InputError
        Another shape; an id or a score that is not valid.

    Examples
    --------
    >>> run = Run("A", {"q": {"d1": 0.5, "d2": 0.5}})
    >>> run.order("q").doc_ids
    ['d2', 'd1']
    """

    name: str
    rankings: dict[str, Given]
    kept: Keep

    def __init__(self, name: str = "run", rankings: Mapping[Any, Any] | None = None, kept: Keep = ALL) -> None:
        rankings = {} if rankings is None else rankings
        name = identifier(name, "system name", lambda: "rankings")
        _check_mapping(rankings, place(system=name), "to_runs")
        query_ids = keys(rankings, "query id", lambda: place(system=name))
        valid = {q: ranked(given, name, q) for q, given in zip(query_ids, rankings.values(), strict=True)}
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "rankings", valid)
        object.__setattr__(self, "kept", kept)

    @classmethod
    def of_scored(cls, name: str, rankings: dict[str, Scored], kept: Keep) -> Run:
        """From rankings whose documents and scores are valid already, as a reader gives them."""
        run = cls(name)
        for query_id in rankings:
            identifier(query_id, "query id", lambda: place(system=name))
        object.__setattr__(run, "rankings", rankings)
        object.__setattr__(run, "kept", kept)
        return run

    def named(self, name: str) -> Run:
        """The same rankings under another name."""
        if name == self.name:
            return self
        run = copy(self)
        object.__setattr__(run, "name", identifier(name, "system name", lambda: "rankings"))
        return run

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the rankings as given, queries sorted: equal for equal rankings under any name."""
        digest = hashlib.sha256()
        for query_id in sorted(self.rankings):
            given = self.rankings[query_id]
            ranking = list(given) if isinstance(given, (Scored, Failure)) else [str(doc_id) for doc_id in given]
            digest.update(f"{query_id!r} {type(given) is Failure} {ranking!r}\n".encode("utf-8", "backslashreplace"))
        return digest.hexdigest()

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
            A document id that is not valid, among those that are read; or results are needed that were not kept.
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
        if self.kept is not ALL:
            self.require(Keep.of(convention, depth))
        if isinstance(given, Scored):
            doc_ids, scores = given
        else:
            listed = given[: convention.reach(depth)]
            doc_ids = identifiers(listed, "document id", lambda: place(system=self.name, query=query_id))
            scores = None
        return order(
            doc_ids,
            scores,
            convention,
            depth=depth,
            judged=judged or {},
            system=self.name,
            query=query_id,
        )

    def require(self, needed: Keep = ALL) -> None:
        """Refuse a run that was read for fewer ranks, or for another convention.

        Raises
        ------
        InputError
            Results are needed that were not kept.
        """
        kept = self.kept
        if kept.covers(needed):
            return
        assert kept.ranks is not None
        if needed.ranks is None:
            wanted, hint = "every result is needed", "read the run again without a depth."
        elif needed.ranks > kept.ranks:
            wanted, hint = (
                f"{needed.ranks - 1} are needed",
                f"read the run again with depth={needed.ranks - 1} or more.",
            )
        else:
            wanted, hint = "another convention needs others", "read the run again with this convention=."
        raise InputError(f"{place(system=self.name)}: was read with depth={kept.ranks - 1}; {wanted}.", hint=hint)

    def __repr__(self) -> str:
        scored = (
            len(r.doc_ids if isinstance(r, Scored) else r) for r in self.rankings.values() if type(r) is not Failure
        )
        depth = "" if self.kept.ranks is None else f", read with depth={self.kept.ranks - 1}"
        return f"Run({self.name!r}: {len(self.rankings):,} queries, {sum(scored):,} results{depth})"

    def to_dict(self, convention: object = TREC_EVAL) -> dict[str, dict[str, float]]:
        """Query id to document id to score, as ir_measures and pytrec_eval take it.

        Scores are n, n-1, ..., 1 in the convention's order, so that every backend sees the
        same strict order. Failed queries are left out, as from a run file.

        Raises
        ------
        InputError
            A document id that is not valid.
        ConventionError
            A convention that needs the judgments, or keeps repeated documents: no backend takes those.

        Examples
        --------
        >>> Run("A", {"q": {"d1": 0.5, "d2": 0.5}}).to_dict()
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
        if convention.duplicates is Duplicates.COUNT_EACH:
            raise ConventionError(
                "duplicates=count_each keeps repeated documents, which no backend takes.",
                hint="convert with duplicates=first, last or reject.",
            )
        for query_id in self.rankings:
            doc_ids = self.order(query_id, convention).doc_ids
            for score, doc_id in zip(range(len(doc_ids), 0, -1), doc_ids, strict=True):
                yield query_id, doc_id, float(score)


def _check_mapping(given: object, what: str, other: str) -> None:
    if not isinstance(given, Mapping):
        raise InputError(
            f"{what}: found {shown(given)} of type {type(given).__name__}; expected a mapping by query id.",
            hint=f"{other}() takes frames and rows too.",
        )
