"""A run in partitions: one after the other here, or all over a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any

from rageval_ir.errors import InputError, RejectedError, shown
from rageval_ir.evaluation import Evaluator
from rageval_ir.formats.files import check_one_run, files_of, read_run
from rageval_ir.formats.source import Source
from rageval_ir.result import Evaluation
from rageval_ir.scale.on_dask import evaluate_on_dask, reduced

__all__ = ["evaluate_partitioned", "one_by_one"]


def evaluate_partitioned(
    relevant: Any,
    partitions: Any,
    measures: Any,
    convention: Any = "TREC_EVAL",
    depth: int | None = None,
    *,
    name: str = "run",
    client: Any = None,
    retries: int = 2,
) -> Evaluation:
    """Evaluate a partitioned run; bit for bit what `evaluate` gives on the whole.

    Parameters
    ----------
    relevant, measures, convention, depth
        As for `evaluate`; the judgments are sent to each worker once.
    partitions : str, path, list of them, or dask DataFrame
        A pattern such as "runs/*.parquet", a folder, or paths, of any kind that `read_run` reads;
        every worker must be able to read them. Or a frame with the columns query_id, doc_id, score.
        Queries may be split between partitions: what their best results are is then settled in a
        second pass, for which the split queries' best results are brought together here.
    name : str
        The system's.
    client : distributed.Client, optional
        Without one, the files are read here, one after the other.
    retries : int
        How often Dask tries a partition again where a machine fails; bad data are not tried again.

    Raises
    ------
    InputError, RejectedError
        As `evaluate`; the partition is named.
    BackendError
        A partition failed on every try; BackendMissingError where Dask is not installed.

    Examples
    --------
    >>> from rageval_ir import read_qrels
    >>> qrels = read_qrels("fixtures/tutorial/qrels.txt")
    >>> evaluate_partitioned(qrels, "fixtures/tutorial/A.run", ["R@2"]).mean("run", "R@2")
    0.5
    """
    evaluator = Evaluator(relevant, measures, convention, depth)
    if hasattr(partitions, "to_delayed"):
        if client is None:
            raise InputError("A dask DataFrame needs a client.", hint="client=distributed.Client() makes one here.")
        frames = {f"partition {number}": each for number, each in enumerate(partitions.to_delayed())}
        return evaluate_on_dask(evaluator, name, frames, client, retries)
    paths = _paths(partitions)
    if client is None:
        return one_by_one(evaluator, name, paths)
    return evaluate_on_dask(evaluator, name, {path: path for path in paths}, client, retries)


def one_by_one(evaluator: Evaluator, name: str, paths: Sequence[str]) -> Evaluation:
    """The evaluation of one run from its files, each forgotten before the next is read.

    Where files share a query, it can be evaluated only when all of it is there: the run is
    then read as a whole.
    """
    check_one_run([Source(path) for path in paths])
    parts, seen = [], set[str]()
    for path in paths:
        run = reduced(evaluator, name, path)
        if not seen.isdisjoint(run.rankings):
            break
        seen.update(run.rankings)
        try:
            parts.append(evaluator.part(run))
        except RejectedError:  # perhaps only of a part of a query
            break
    else:
        return evaluator.join(name, parts)
    plan = evaluator.plan
    return evaluator.evaluate(read_run(list(paths), name, convention=plan.convention, depth=plan.reach))


def _paths(given: Any) -> list[str]:
    if isinstance(given, (str, os.PathLike)):
        if Path(given).exists():
            return [str(path) for path in files_of(given)]
        paths = sorted(glob(str(given)))  # noqa: PTH207  # Path.glob takes no absolute pattern
    elif isinstance(given, (list, tuple)) and all(isinstance(path, (str, os.PathLike)) for path in given):
        paths = [str(path) for path in given]
    else:
        raise InputError(
            f"partitions: found {shown(given)} of type {type(given).__name__}; expected a pattern, paths, or a"
            " dask DataFrame."
        )
    if not paths:
        raise InputError(
            f"partitions: {shown(str(given))} names no file.", hint=f"a relative path begins at {Path.cwd()}."
        )
    return paths
