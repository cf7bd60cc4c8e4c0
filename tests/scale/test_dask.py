"""A partitioned run on a real cluster of two processes: bit for bit what one machine gives."""

import os
import random
import signal
import warnings
from pathlib import Path

import pandas as pd
import pytest

from rageval_ir import TREC_EVAL, BackendError, InputError, RejectedError, evaluate, read_run
from rageval_ir.scale import evaluate_partitioned
from rageval_ir.scale.on_dask import reduced

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
dd = pytest.importorskip("dask.dataframe")
parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, of many kinds

MEASURES = ["P@10", "R@100", "RR@10", "nDCG@10"]
QUERIES, RESULTS = 1_000, 1_000


@pytest.fixture(scope="module")
def client():
    with (
        warnings.catch_warnings(action="ignore"),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def collection():
    """Judgments, some of queries that the run lacks, and a run with ties and with queries that are not judged."""
    draw = random.Random(5)
    qrels, rows = {}, []
    for number in range(QUERIES):
        doc_ids = [f"d{n}" for n in draw.sample(range(100_000), RESULTS)]
        if number % 50:
            rows += [(f"q{number}", doc_id, round(draw.random(), 3)) for doc_id in doc_ids]
        if number % 40 != 1:
            qrels[f"q{number}"] = {doc_id: draw.choice([0, 1, 2]) for doc_id in draw.sample(doc_ids, 20)}
    return qrels, pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def write(folder, frames):
    for number, frame in enumerate(frames):
        parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / f"part-{number:02}.parquet")
    return f"{folder}/*.parquet"


def cut(frame, size):
    return [frame.iloc[start : start + size] for start in range(0, len(frame), size)]


def whole(collection, convention=TREC_EVAL):
    qrels, frame = collection
    return evaluate(qrels, {"run": frame}, MEASURES, convention).to_json()


PARTITIONS = {
    "whole queries": lambda frame: [f for _, f in frame.groupby(frame["query_id"].str[:3], sort=False)],
    "cut anywhere": lambda frame: cut(frame, 77_777),
    "shuffled": lambda frame: cut(frame.sample(frac=1, random_state=1), 200_000),
    "an empty one": lambda frame: [frame.iloc[:50_000], frame.iloc[:0], frame.iloc[50_000:]],
}


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_files(client, collection, tmp_path, partitions):
    pattern = write(tmp_path, PARTITIONS[partitions](collection[1]))
    result = evaluate_partitioned(collection[0], pattern, MEASURES, client=client)
    assert result.to_json() == whole(collection)
    assert evaluate(collection[0], {"run": read_run(tmp_path)}, MEASURES).to_json() == result.to_json()
    assert evaluate_partitioned(collection[0], pattern, MEASURES).to_json() == result.to_json()


def test_a_dask_frame_and_a_list_of_paths(client, collection, tmp_path):
    qrels, frame = collection
    lazy = dd.from_pandas(frame, npartitions=5, sort=False)
    assert evaluate_partitioned(qrels, lazy, MEASURES, client=client).to_json() == whole(collection)
    write(tmp_path, cut(frame, 300_000))
    paths = sorted(tmp_path.iterdir())
    assert evaluate_partitioned(qrels, paths, MEASURES, client=client).to_json() == whole(collection)


def test_a_convention_that_needs_every_result(client, collection, tmp_path):
    convention = TREC_EVAL.but(unjudged_document="condense", unjudged_query="zero", missing_ranking="exclude")
    pattern = write(tmp_path, cut(collection[1], 99_999))
    result = evaluate_partitioned(collection[0], pattern, MEASURES, convention, client=client)
    assert result.to_json() == whole(collection, convention)


def test_a_malformed_row_is_named_and_there_is_no_result(client, collection, tmp_path):
    frames = cut(collection[1], 250_000)
    frames[2] = frames[2].assign(doc_id=[None if n == 17 else d for n, d in enumerate(frames[2]["doc_id"])])
    pattern = write(tmp_path, frames)
    with pytest.raises(InputError, match=r"part-02\.parquet, row 18, column 'doc_id': document id None"):
        evaluate_partitioned(collection[0], pattern, MEASURES, client=client)
    lazy = dd.from_pandas(frames[2], npartitions=1, sort=False)
    with pytest.raises(
        InputError, match=r"^partition 0: system 'run', query 'q\d+': document id <NA> is of type NAType"
    ):
        evaluate_partitioned(collection[0], lazy, MEASURES, client=client)


def test_a_document_twice_in_a_query_that_is_split(client, collection, tmp_path):
    """Far below what the measures reach, where no partition alone can see it."""
    rows = [("q1", f"d{n}", 1000.0 - n) for n in range(500)]
    frame = pd.DataFrame([*rows, ("q1", "d400", 0.0)], columns=["query_id", "doc_id", "score"])
    pattern = write(tmp_path, cut(frame, 300))
    for cluster in (client, None):
        with pytest.raises(
            RejectedError, match="system 'run', query 'q1', document 'd400' stands at ranks 401 and 501"
        ):
            evaluate_partitioned({"q1": {"d1"}}, pattern, "P@5", client=cluster)


def test_what_is_rejected_only_of_a_part_is_not_rejected(client, tmp_path):
    """A tie within the first part's best that is below the whole's best; results too few in each part."""
    rows = [("q1", "a", 1.0), ("q1", "b", 1.0), ("q1", "c", 3.0), ("q1", "d", 2.0)]
    pattern = write(tmp_path, cut(pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]), 2))
    convention = TREC_EVAL.but(ties="reject", precision_denominator="reject")
    for cluster in (client, None):
        result = evaluate_partitioned({"q1": {"c"}}, pattern, "P@2", convention, client=cluster)
        assert result.mean("run", "P@2") == 0.5


def killing(evaluator, name, partition, marker):
    """As `reduced`, but kills its process the first time."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return reduced(evaluator, name, partition)


def failing(evaluator, name, partition):
    if partition.endswith("part-01.parquet"):
        raise OSError("the disk is gone")
    return reduced(evaluator, name, partition)


def test_a_killed_worker_changes_nothing(client, collection, tmp_path, monkeypatch):
    pattern = write(tmp_path, cut(collection[1], 120_000))
    marker = tmp_path / "killed"
    monkeypatch.setattr("rageval_ir.scale.on_dask.reduced", Killing(marker))
    result = evaluate_partitioned(collection[0], pattern, MEASURES, client=client)
    assert marker.exists()
    assert result.to_json() == whole(collection)


class Killing:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __call__(self, *arguments):
        return killing(*arguments, self.marker)


def test_a_partition_that_keeps_failing_is_named(client, collection, tmp_path, monkeypatch):
    pattern = write(tmp_path, cut(collection[1], 500_000))
    monkeypatch.setattr("rageval_ir.scale.on_dask.reduced", failing)
    with pytest.raises(BackendError, match=r"part-01\.parquet: failed on every try: OSError: the disk is gone"):
        evaluate_partitioned(collection[0], pattern, MEASURES, client=client)


def test_what_is_no_partitions(client, tmp_path):
    with pytest.raises(InputError, match="names no file"):
        evaluate_partitioned({"q": {"d"}}, tmp_path / "*.parquet", "P@1", client=client)
    with pytest.raises(InputError, match="A dask DataFrame needs a client"):
        evaluate_partitioned({"q": {"d"}}, dd.from_pandas(pd.DataFrame({"a": [1]}), npartitions=1), "P@1")
    with pytest.raises(InputError, match="expected a pattern, paths, or a dask DataFrame"):
        evaluate_partitioned({"q": {"d"}}, 5, "P@1", client=client)


def test_what_is_no_client_and_no_path_here(client, tmp_path):
    with pytest.raises(
        InputError, match=r"client: found 'tcp://localhost:1' of type str; expected a distributed\.Client"
    ):
        evaluate_partitioned({"q": {"d"}}, ["a.run"], "P@1", client="tcp://localhost:1")
    with pytest.raises(
        InputError, match=r"nowhere\.run: cannot be read: .* Hint: every worker must be able to read it"
    ):
        evaluate_partitioned({"q": {"d"}}, [str(tmp_path / "nowhere.run")], "P@1", client=client)
    with pytest.raises(InputError, match="expected a pattern, paths, or a dask"):
        evaluate_partitioned({"q": {"d"}}, [pd.DataFrame()], "P@1", client=client)
