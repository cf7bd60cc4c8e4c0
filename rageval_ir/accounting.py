"""What becomes of each query: ranked, missing, failed or left out; nothing leaves silently."""

from __future__ import annotations

from collections.abc import Mapping

from rageval_ir.conventions import (
    Convention,
    Duplicates,
    MissingRanking,
    NoJudgments,
    UnjudgedQuery,
)
from rageval_ir.convert import Failure, Run
from rageval_ir.errors import RejectedError, place
from rageval_ir.ranking import Ranking

__all__ = ["Account"]

_COUNTS = (
    "judged", "missing", "failed", "empty", "short", "no_relevant", "no_judgments",
    "tied", "constant_scores", "duplicates", "condensed", "self_retrieved",
)  # fmt: skip


class Account:
    """One system's queries, in order, and what became of each.

    Parameters
    ----------
    run : Run
    convention : Convention
    depth : int or None
        How many ranks are read; None for all.
    cutoff : int
        A ranking with fewer results than this is counted as short; 0 for no cutoff.

    Attributes
    ----------
    statuses : dict of str to str
        Query id to status, for the judged queries taken and the unjudged ones that count.
    repeating : set of str
        Queries whose rankings hold a document twice, which only the reference can take.
    unjudged : list of str
        Ranked queries without judgments.
    failures : dict of str to str
        Failed queries, with the reason.
    counts : dict of str to int
        As in `SystemResult.counts`.
    """

    def __init__(self, run: Run, convention: Convention, *, depth: int | None, cutoff: int) -> None:
        self._run = run
        self._convention = convention
        self._depth = depth
        self._cutoff = cutoff
        self.statuses: dict[str, str] = {}
        self.repeating: set[str] = set()
        self.unjudged: list[str] = []
        self.failures: dict[str, str] = {}
        self.counts = dict.fromkeys(_COUNTS, 0)

    def take(self, query_id: str, grades: Mapping[str, int]) -> list[str] | None:
        """One judged query's ranking in order, empty if there is none; None if the query is left out.

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
        given = self._run.rankings.get(query_id)
        failed = isinstance(given, Failure)
        status = "missing" if given is None else "failed" if failed else "scored"
        if isinstance(given, Failure):
            self.failures[query_id] = given.reason
        doc_ids = None
        if not self._leaves_out(query_id, status, grades):
            ranking = self._run.order(query_id, self._convention, depth=self._depth, judged=grades)
            doc_ids = ranking.doc_ids
            if status == "scored":
                status = "scored" if doc_ids else "empty"
                self._count(query_id, ranking)
        if not grades and status in ("scored", "empty"):
            status = "no_judgments"
        self.statuses[query_id] = status
        if status in ("missing", "failed", "empty"):
            self.counts[status] += 1
        self.counts["judged"] += 1
        if not grades:
            self.counts["no_judgments"] += 1
        elif max(grades.values()) < self._convention.relevance_level:
            self.counts["no_relevant"] += 1
        return doc_ids

    def close(self, judgments: Mapping[str, Mapping[str, int]]) -> None:
        """Account for the queries that are ranked but not judged.

        Raises
        ------
        RejectedError
            There is one, and the convention rejects it.
        """
        self.unjudged = [query_id for query_id in self._run.rankings if query_id not in judgments]
        if self.unjudged and self._convention.unjudged_query is UnjudgedQuery.REJECT:
            raise RejectedError(
                f"{self._place(self.unjudged[0])} is ranked, but has no judgments.",
                hint="judge it, drop it, or choose unjudged_query=exclude.",
            )
        if self._convention.unjudged_query is UnjudgedQuery.ZERO:
            self.statuses |= dict.fromkeys(self.unjudged, "unjudged_query")

    def _leaves_out(self, query_id: str, status: str, grades: Mapping[str, int]) -> bool:
        if not grades and self._convention.no_judgments is NoJudgments.EXCLUDE:
            return True
        if status == "scored":
            return False
        if self._convention.missing_ranking is MissingRanking.REJECT:
            reason = self.failures.get(query_id)
            failed = f"its retrieval failed{f' ({reason})' if reason else ''}"
            raise RejectedError(
                f"{self._place(query_id)} is judged, but "
                f"{'the run has no ranking for it' if status == 'missing' else failed}.",
                hint="an empty list says that nothing was found; or choose missing_ranking=zero or exclude.",
            )
        return self._convention.missing_ranking is MissingRanking.EXCLUDE

    def _count(self, query_id: str, ranking: Ranking) -> None:
        counts = self.counts
        if len(ranking.doc_ids) < self._cutoff:
            counts["short"] += 1
        if query_id in ranking.doc_ids:
            counts["self_retrieved"] += 1
        if ranking.tied:
            counts["tied"] += 1
            counts["constant_scores"] += ranking.constant
        counts["condensed"] += ranking.condensed
        if ranking.duplicates:
            counts["duplicates"] += ranking.duplicates
            if self._convention.duplicates is Duplicates.COUNT_EACH:
                self.repeating.add(query_id)

    def _place(self, query_id: str) -> str:
        return place(system=self._run.name, query=query_id)
