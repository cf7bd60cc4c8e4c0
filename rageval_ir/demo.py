"""The tutorial's three queries and two systems, evaluated, with one query's working."""

from __future__ import annotations

from collections.abc import Iterator

from rageval_ir.evaluation import evaluate
from rageval_ir.result import Evaluation

__all__ = ["RANKINGS", "RELEVANT", "demo"]

RELEVANT = {"setup": {"d1"}, "export": {"d2", "d3"}, "sharing": {"d4"}}
RANKINGS = {
    "A": {"setup": ["d5", "d1"], "export": ["d2", "d5"], "sharing": ["d5", "d6"]},
    "B": {"setup": ["d1", "d5"], "export": ["d2", "d3"], "sharing": ["d4", "d5"]},
}
_QUERY = "export"


def demo() -> str:
    """Evaluate the example; the table, then how the values of query export come about.

    >>> print(demo().splitlines()[1])
    A       0.3333  0.5000  0.5000  3
    """
    result = evaluate(RELEVANT, RANKINGS, ["P@2", "R@2", "RR@2"])
    return "\n".join([repr(result), "", *_working(result)])


def _working(result: Evaluation) -> Iterator[str]:
    relevant = RELEVANT[_QUERY]
    yield f"query {_QUERY}: relevant are {', '.join(sorted(relevant))}"
    for system, rankings in RANKINGS.items():
        marked = (
            f"{rank}. {doc_id} ({'relevant' if doc_id in relevant else 'not'})"
            for rank, doc_id in enumerate(rankings[_QUERY], 1)
        )
        yield f"{system} returned {', '.join(marked)}"
        for row in result.rows():
            if (row.system, row.query_id) == (system, _QUERY):
                yield f"  {row.measure:<4} = {row.numerator}/{row.denominator} = {row.value:.4f}"
