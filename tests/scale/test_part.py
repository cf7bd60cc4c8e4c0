"""The function that every engine calls, and Spark calling it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from rageval_ir import InputError, evaluate, write_qrels
from rageval_ir.scale import PartEvaluator

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

QRELS = {f"q{n}": {f"d{n}": 2, f"d{n + 1}": 1} for n in range(40)}
FRAME = pd.DataFrame(
    [(f"q{n}", f"d{(n + rank) % 50}", 1.0 - rank / 10) for n in range(1, 42) for rank in range(8)],
    columns=["query_id", "doc_id", "score"],
)
MEASURES = ["P@3", "R@3", "RR@3", "nDCG@3"]


def batches(frame, size=10):
    return pa.Table.from_pandas(frame, preserve_index=False).to_batches(max_chunksize=size)


def test_batches_to_json_and_together():
    evaluator = PartEvaluator(QRELS, MEASURES)
    several = [FRAME[FRAME["query_id"] < "q2"], FRAME[FRAME["query_id"] >= "q2"], FRAME[:0]]
    given = [
        row
        for frame in several
        for batch in evaluator.map_in_arrow(batches(frame))
        for row in batch["part"].to_pylist()
    ]
    whole = evaluate(QRELS, {"run": FRAME}, MEASURES).to_json()
    assert evaluator.combine(given).to_json() == whole
    assert evaluator.combine(reversed(given)).to_json() == whole
    assert evaluator.combine([evaluator.part(FRAME)]).to_json() == whole


def test_a_split_query_is_an_error_not_two():
    evaluator = PartEvaluator(QRELS, MEASURES)
    parts = [evaluator.part(FRAME[:12]), evaluator.part(FRAME[12:])]
    with pytest.raises(InputError, match="system 'run', query 'q2' is in 2 parts"):
        evaluator.combine(parts)


def readme(name):
    text = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    return re.search(rf"<!-- script: {name} -->\n```python\n(.*?)```", text, re.DOTALL)[1]


def printed(name, folder):
    """What the README's script prints where its files are."""
    write_qrels(QRELS, folder / "qrels.txt")
    (folder / "run").mkdir()
    for number, start in enumerate(range(0, len(FRAME), 100)):
        FRAME[start : start + 100].to_parquet(folder / "run" / f"part-{number}.parquet")
    (folder / "script.py").write_text(readme(name))
    command = [sys.executable, "-W", "ignore", "script.py"]
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True).stdout.strip()


def test_the_readmes_script_for_dask(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    expected = evaluate(QRELS, {"run": FRAME}, ["nDCG@10", "R@100"])
    assert printed("dask", tmp_path) == repr(expected)


def test_the_readmes_script_for_spark(tmp_path):
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed")
    expected = evaluate(QRELS, {"run": FRAME}, ["nDCG@10", "R@100"])
    assert printed("spark", tmp_path) == repr(expected)


@pytest.mark.filterwarnings("ignore")  # Spark's own
def test_spark_in_many_parts(tmp_path, monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed")
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    FRAME.to_parquet(tmp_path / "run.parquet")
    try:
        evaluator = PartEvaluator(QRELS, MEASURES)
        run = spark.read.parquet(str(tmp_path / "run.parquet")).repartition(5, "query_id")
        parts = run.mapInArrow(evaluator.map_in_arrow, evaluator.schema).collect()
    finally:
        spark.stop()
    assert len(parts) > 1
    whole = evaluate(QRELS, {"run": FRAME}, MEASURES)
    assert evaluator.combine(row.part for row in parts).to_json() == whole.to_json()
