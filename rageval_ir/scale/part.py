"""The one function underneath every engine: a table of whole queries to the evaluation of that part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rageval_ir.evaluation import Evaluator
from rageval_ir.result import Evaluation
from rageval_ir.shapes import run_from_table

__all__ = ["PartEvaluator"]


class PartEvaluator:
    """Evaluates the parts of one run; can be sent to other processes.

    Parameters
    ----------
    relevant, measures, convention, depth
        As for `evaluate`.
    name : str
        The system's.

    Raises
    ------
    RagevalError
        As `evaluate`, for what can be said before any run is seen.

    Examples
    --------
    >>> import pandas as pd
    >>> evaluator = PartEvaluator({"q": {"d1"}, "p": {"d2"}}, "RR@5")
    >>> part = evaluator.part(pd.DataFrame({"query_id": ["q"], "doc_id": ["d1"], "score": [0.5]}))
    >>> evaluator.combine([part]).mean("run", "RR@5")
    0.5
    """

    schema = "part string"
    """Of what `map_in_arrow` gives, as Spark writes it."""

    def __init__(
        self,
        relevant: Any,
        measures: Any,
        convention: Any = "TREC_EVAL",
        depth: int | None = None,
        *,
        name: str = "run",
    ) -> None:
        self.evaluator = Evaluator(relevant, measures, convention, depth)
        self.name = name

    def part(self, table: Any) -> Evaluation:
        """The evaluation of a table of whole queries, on those that are judged.

        Parameters
        ----------
        table : Arrow table or any frame that `to_runs` takes
            With the columns query_id, doc_id, score; may be empty.

        Raises
        ------
        RagevalError
            As `evaluate`.
        """
        return self.evaluator.part(run_from_table(self.name, table, self.evaluator.keep))

    def map_in_arrow(self, batches: Iterable[Any]) -> Iterator[Any]:
        """For Spark's `mapInArrow`: record batches that hold whole queries to one with the column `part`, as JSON."""
        import pyarrow as pa

        if given := list(batches):
            yield pa.record_batch({"part": [self.part(pa.Table.from_batches(given)).to_json()]})

    def combine(self, parts: Iterable[Evaluation | str]) -> Evaluation:
        """The evaluation of the whole run from all its parts, in any order; bit for bit what `evaluate` gives.

        Parameters
        ----------
        parts : iterable of Evaluation or str
            From `part`, or as JSON from `map_in_arrow`; judged queries in none of them are missing.

        Raises
        ------
        InputError
            A query that is in two parts, or parts of another evaluation.
        """
        read = (Evaluation.from_json(part) if isinstance(part, str) else part for part in parts)
        return self.evaluator.join(self.name, read)
