"""A partitioned data set on Dask: each partition reduced to its best, evaluated where it is, and put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from rageval_ir.convert import Run
from rageval_ir.errors import BackendError, BackendMissingError, InputError, RagevalError, shown
from rageval_ir.evaluation import Evaluator
from rageval_ir.formats.files import reader
from rageval_ir.given import Scored
from rageval_ir.keep import ALL, Keep, gather, whole
from rageval_ir.result import Evaluation
from rageval_ir.shapes import run_from_table

__all__ = ["evaluate_on_dask", "reduced"]


class _Piece(NamedTuple):
    """What one partition has of a query that others have too."""

    scored: Scored
    hashes: Any
    """Of all its documents, kept or not."""


def evaluate_on_dask(
    evaluator: Evaluator, name: str, partitions: dict[str, Any], client: Any, retries: int
) -> Evaluation:
    """The evaluation of a run from its partitions, paths or lazy frames, by their names.

    Raises
    ------
    RagevalError
        As `evaluate_partitioned`.
    """
    cluster = _Cluster(client, evaluator, name, partitions, retries)
    runs = cluster.compute(reduced)
    queries = cluster.gather(cluster.submit(_queries, runs))
    times = Counter(query_id for each in queries for query_id in each)
    split = [[query_id for query_id in each if times[query_id] > 1] for each in queries]
    parts = cluster.gather(cluster.submit(_part, runs, split))
    if any(split):
        parts.append(evaluator.part(_merged(cluster, split)))
    return evaluator.join(name, parts)


class _Cluster:
    """The partitions by name, the same tasks on each, and their results or the first error."""

    def __init__(self, client: Any, evaluator: Evaluator, name: str, partitions: dict[str, Any], retries: int) -> None:
        try:
            from dask import config as dask_config
            from distributed import Client
        except ImportError:
            raise BackendMissingError("Dask is not installed.", hint="pip install 'rageval-ir[dask]'.") from None
        if not isinstance(client, Client):
            raise InputError(
                f"client: found {shown(client)} of type {type(client).__name__}; expected a distributed.Client.",
                hint='distributed.Client() makes one here, Client("tcp://...") for a cluster that is there.',
            )
        self.client: Any = client
        self.evaluator = evaluator
        self.name = name
        self.partitions = partitions
        self.retries = retries
        # a task and not scattered data, so that it is there again when all workers that had it are lost
        with dask_config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            self.sent = client.submit(_itself, evaluator, pure=False)

    def compute(self, task: Callable[..., Any], *arguments: Sequence[Any]) -> list[Any]:
        """A future of `task(evaluator, name, partition, ...)` for each partition."""
        from dask.delayed import delayed as later

        delayed = later(_guarded, pure=False)
        tasks = [
            delayed(task, self.sent, self.name, partition, *each)
            for partition, *each in zip(self.partitions.values(), *arguments, strict=True)
        ]
        futures: list[Any] = self.client.compute(tasks, retries=self.retries)
        return futures

    def submit(self, task: Callable[..., Any], futures: Sequence[Any], *arguments: Sequence[Any]) -> list[Any]:
        """A future of `task(evaluator, result, ...)` for each of these futures' results."""
        return [
            self.client.submit(_guarded, task, self.sent, *each, retries=self.retries, pure=False)
            for each in zip(futures, *arguments, strict=True)
        ]

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """All results, or an error that names the partition."""
        import distributed

        wait: Any = distributed.wait
        wait(futures)
        for partition, future in zip(self.partitions, futures, strict=True):
            if future.status != "finished":
                error = future.exception() if future.status == "error" else None
                if isinstance(error, RagevalError):
                    raise type(error)(error.message, hint="every worker must be able to read it.") from error
                raise BackendError(
                    f"{partition}: failed on every try: {type(error).__name__}: {str(error).rstrip('.')}.",
                    hint="see the workers' logs.",
                ) from error
        results: list[Any] = self.client.gather(futures)
        for partition, result in zip(self.partitions, results, strict=True):
            if isinstance(result, RagevalError):
                if partition not in result.message:
                    result.message = f"{partition}: {result.message}"
                raise result
        return results


# --- what a worker does ---


def _itself(evaluator: Evaluator) -> Evaluator:
    return evaluator


def _guarded(task: Callable[..., Any], evaluator: Evaluator, *arguments: Any) -> Any:
    """Bad data make an error that is a result, since to try again would not help; a machine's failure is raised."""
    for argument in arguments:
        if isinstance(argument, RagevalError):  # of the task before
            return argument
    try:
        return task(evaluator, *arguments)
    except RagevalError as error:
        if isinstance(error.__cause__, OSError):
            raise
        return error


def reduced(evaluator: Evaluator, name: str, partition: Any) -> Run:
    """A partition as a run of what the measures can reach."""
    if isinstance(partition, str):
        return Run.of_scored(name, gather(reader(partition), evaluator.keep), evaluator.keep)
    return run_from_table(name, partition, evaluator.keep)


def _queries(_: Evaluator, run: Run) -> list[str]:
    return list(run.rankings)


def _part(evaluator: Evaluator, run: Run, split: Collection[str]) -> Evaluation:
    """The evaluation of the queries that no other partition has."""
    elsewhere = set(split)
    left = {query_id: ranking for query_id, ranking in run.rankings.items() if query_id not in elsewhere}
    return evaluator.part(Run(run.name, left, run.kept))


def _pieces(evaluator: Evaluator, name: str, partition: Any, split: Collection[str], keep: Keep) -> dict[str, _Piece]:
    """The best of each split query here, and what tells whether a document comes again elsewhere."""
    import pyarrow as pa

    from rageval_ir import columns

    if isinstance(partition, str):
        found = whole(reader(partition), set(split))
    else:
        rankings = run_from_table(name, partition, ALL).rankings
        found = {query_id: rankings[query_id] for query_id in split}  # type: ignore[misc]  # a frame has only these
    return {
        query_id: _Piece(Scored(*keep.cut(*scored)), columns.ids(pa.array(scored.doc_ids)).codes())
        for query_id, scored in found.items()
    }


# --- what is done here ---


def _merged(cluster: _Cluster, split: Sequence[Sequence[str]]) -> Run:
    """The split queries from their pieces; whole where a document seems to be repeated, so that it can be told."""
    import numpy as np

    keep = cluster.evaluator.keep
    pieces = _brought(cluster, split, keep)
    repeating = {
        query_id
        for query_id, each in pieces.items()
        if len(np.unique(hashes := np.concatenate([piece.hashes for piece in each]))) < len(hashes)
    }
    if repeating and keep is not ALL:
        again = [[query_id for query_id in each if query_id in repeating] for each in split]
        pieces |= _brought(cluster, again, ALL)
    rankings = {}
    for query_id, each in pieces.items():
        doc_ids = [doc_id for piece in each for doc_id in piece.scored.doc_ids]
        scores = [score for piece in each for score in piece.scored.scores]
        rankings[query_id] = Scored(doc_ids, scores) if query_id in repeating else Scored(*keep.cut(doc_ids, scores))
    return Run.of_scored(cluster.name, rankings, keep)


def _brought(cluster: _Cluster, split: Sequence[Sequence[str]], keep: Keep) -> dict[str, list[_Piece]]:
    """Each query's pieces, in the order of the partitions."""
    pieces: dict[str, list[_Piece]] = {}
    for found in cluster.gather(cluster.compute(_pieces, split, [keep] * len(split))):
        for query_id, piece in found.items():
            pieces.setdefault(query_id, []).append(piece)
    return pieces
