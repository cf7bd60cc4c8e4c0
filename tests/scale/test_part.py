"""The function that every engine calls, and Spark calling it."""

import os
import shutil

import pandas as pd
import pytest

from rageval_ir import InputError, evaluate
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


@pytest.mark.filterwarnings("ignore")  # Spark's own
def test_spark(tmp_path):
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed")
    FRAME.to_parquet(tmp_path / "run.parquet")
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        evaluator = PartEvaluator(QRELS, MEASURES)
        parts = (
            spark.read.parquet(str(tmp_path / "run.parquet"))
            .repartition(5, "query_id")
            .mapInArrow(evaluator.map_in_arrow, evaluator.schema)
            .collect()
        )
        result = evaluator.combine(row.part for row in parts)
    finally:
        spark.stop()
    assert len(parts) > 1
    assert result.to_json() == evaluate(QRELS, {"run": FRAME}, MEASURES).to_json()
