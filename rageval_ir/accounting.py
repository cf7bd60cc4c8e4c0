"""What becomes of each query: ranked, missing, failed or left out; nothing leaves silently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rageval_ir.conventions import (
    Convention,
    MissingRanking,
    NoJudgments,
    UnjudgedQuery,
)
from rageval_ir.convert import Run
from rageval_ir.errors import RejectedError, place
from rageval_ir.given import Failure
from rageval_ir.ranking import Ranking

__all__ = ["Account", "Status"]


Status = Literal[
    "scored",  # judged and ranked
    "empty",  # ranked, with no result
    "no_relevant",  # no document is relevant for the measure
    "no_judgments",  # listed without any judgment
    "missing",  # judged, but not in the run
    "failed",  # the retrieval failed
    "unjudged_query",  # in the run, but not judged
]
"""What a query is, in a row of the result; a row without a value was left out of the mean for it."""


class Account:
    """One system's queries, in order, and what became of each.

    Parameters
    ----------
    run : Run
    convention : Convention
    depth : int or None
        How many ranks are read; None for all.
    cutoff : int
        A ranking with fewer results than this is short; 0 for no cutoff.

    Attributes
    ----------
    statuses : dict of str to Status
        The judged queries taken, in order, then the unjudged ones that count, sorted.
    left_out : set of str
        Judged queries that leave every mean of this system.
    repeating : list of str
        Queries with a document counted more than once, which only the reference can do.
    affected : dict of str to list of str
        As in `SystemResult`.
    documents : dict of str to int
        As in `SystemResult`.
    failures : dict of str to str
        Failed queries, with the reason.
    """

    def __init__(self, run: Run, convention: Convention, *, depth: int | None, cutoff: int) -> None:
        self._run = run
        self._convention = convention
        self._depth = depth
        self._cutoff = cutoff
        self.statuses: dict[str, Status] = {}
        self.left_out: set[str] = set()
        self.repeating: list[str] = []
        self.affected: dict[str, list[str]] = {}
        self.documents = {"duplicates": 0, "condensed": 0}
        self.failures: dict[str, str] = {}

    def take(self, query_id: str, grades: Mapping[str, int]) -> Ranking | None:
        """One judged query's ranking, empty if there is none; None if the query is left out.

        Parameters
        ----------
        query_id : str
        grades : mapping of str to int
            The query's judgments; may be empty.

        Raises
        ------
        RejectedError
            A query that the convention rejects; or a tie, or a repeated document.
        InputError
            A document id that is not valid.
        """
        status = self._given(query_id)
        if not grades:
            self._note("no_judgments", query_id)
        elif max(grades.values()) < self._convention.relevance_level:
            self._note("no_relevant", query_id)
        if not grades and self._convention.no_judgments is NoJudgments.EXCLUDE:
            self._leave_out(query_id, "no_judgments")
            return None
        if status != "scored" and self._convention.missing_ranking is not MissingRanking.ZERO:
            self._reject_missing(query_id, status)
            self._leave_out(query_id, status)
            return None
        ranking = self._run.order(query_id, self._convention, depth=self._depth, judged=grades)
        if status == "scored":
            self._look_at(query_id, ranking)
            status = "no_judgments" if not grades else "scored" if ranking.doc_ids else "empty"
        self.statuses[query_id] = status
        return ranking

    def close(self, judgments: Mapping[str, object]) -> None:
        """Account for the queries that are ranked but not judged.

        Raises
        ------
        RejectedError
            There is one, and the convention rejects it.
        """
        unjudged = sorted(query_id for query_id in self._run.rankings if query_id not in judgments)
        if not unjudged:
            return
        if self._convention.unjudged_query is UnjudgedQuery.REJECT:
            raise RejectedError(
                f"{self._place(unjudged[0])} is ranked, but has no judgments.",
                hint="judge it, drop it, or choose unjudged_query=exclude.",
            )
        self.affected["unjudged_queries"] = unjudged
        if self._convention.unjudged_query is UnjudgedQuery.ZERO:
            self.statuses |= dict.fromkeys(unjudged, "unjudged_query")

    def _given(self, query_id: str) -> Status:
        given = self._run.rankings.get(query_id)
        if given is None:
            self._note("missing", query_id)
            return "missing"
        if isinstance(given, Failure):
            self._note("failed", query_id)
            self.failures[query_id] = given.reason
            return "failed"
        return "scored"

    def _leave_out(self, query_id: str, status: Status) -> None:
        self.statuses[query_id] = status
        self.left_out.add(query_id)

    def _reject_missing(self, query_id: str, status: Status) -> None:
        if self._convention.missing_ranking is MissingRanking.REJECT:
            reason = self.failures.get(query_id)
            failed = f"its retrieval failed{f' ({reason})' if reason else ''}"
            raise RejectedError(
                f"{self._place(query_id)} is judged, but "
                f"{'the run has no ranking for it' if status == 'missing' else failed}.",
                hint="an empty list says that nothing was found; or choose missing_ranking=zero or exclude.",
            )

    def _look_at(self, query_id: str, ranking: Ranking) -> None:
        doc_ids = ranking.doc_ids
        if not doc_ids:
            self._note("empty", query_id)
        if len(doc_ids) < self._cutoff:
            self._note("short", query_id)
        if query_id in doc_ids:
            self._note("self_retrieved", query_id)
        if ranking.tied:
            self._note("tied", query_id)
        if ranking.constant:
            self._note("constant_scores", query_id)
        if ranking.condensed:
            self._note("condensed", query_id)
            self.documents["condensed"] += ranking.condensed
        if ranking.duplicates:
            self._note("duplicates", query_id)
            self.documents["duplicates"] += ranking.duplicates
            if len(set(doc_ids)) < len(doc_ids):  # under count_each alone
                self.repeating.append(query_id)

    def _note(self, what: str, query_id: str) -> None:
        self.affected.setdefault(what, []).append(query_id)

    def _place(self, query_id: str) -> str:
        return place(system=self._run.name, query=query_id)
