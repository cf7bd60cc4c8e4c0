"""Seeded judgments and runs without ties, on which the peers would differ.

`python -m benchmarks.data KIND FOLDER NUMBER...` makes a folder in a process of its own.
"""

import random
import sys
from pathlib import Path

CORPUS = 8_841_823  # documents, as many as MS MARCO's passages; ids are drawn from them
QRELS, RUN = "qrels.txt", "run.txt"


def queries(count, results, seed=6_980):
    """Query id, document ids best first, relevant ones (1.1 on average), strictly descending scores; per query."""
    draw = random.Random(seed)
    for number in range(count):
        doc_ids = [str(n) for n in draw.sample(range(CORPUS), results)]
        found = doc_ids[min(int(draw.expovariate(10 / results)), results - 1)]
        relevant = [found] if draw.random() < 0.9 else [found, "missed"]
        yield (
            str(100_000 + number),
            doc_ids,
            relevant,
            [30 - rank * 0.015 - draw.random() / 100 for rank in range(results)],
        )


def trec(folder: Path, count, results):
    """A TREC run and its qrels in this new folder."""
    folder.mkdir(parents=True)
    with (folder / RUN).open("w") as run, (folder / "unfinished").open("w") as qrels:
        for query_id, doc_ids, relevant, scores in queries(count, results):
            run.writelines(
                f"{query_id} Q0 {doc_id} {rank} {score:.9f} bm25\n"
                for rank, (doc_id, score) in enumerate(zip(doc_ids, scores, strict=True), 1)
            )
            qrels.writelines(f"{query_id} 0 {doc_id} 1\n" for doc_id in relevant)
    (folder / "unfinished").rename(folder / QRELS)


def parquet(folder: Path, count, results, files):
    """The like in a folder of Parquet files of whole queries, by numpy."""
    import numpy as np
    import pyarrow as pa
    from pyarrow.parquet import write_table

    (folder / "run").mkdir(parents=True)
    draw = np.random.default_rng(6_980)
    with (folder / "unfinished").open("w") as qrels:
        for number, part in enumerate(np.array_split(np.arange(count), files)):
            doc_ids = np.concatenate([draw.choice(CORPUS, results, replace=False, shuffle=False) for _ in part])
            scores = np.sort(draw.random((len(part), results)))[:, ::-1].ravel()
            table = {
                "query_id": pa.array(np.repeat(part + 100_000, results)).cast(pa.string()),
                "doc_id": pa.array(doc_ids).cast(pa.string()),
                "score": scores,
            }
            write_table(pa.table(table), folder / "run" / f"part-{number:03}.parquet")
            found = np.minimum(draw.exponential(results / 10, len(part)).astype(int), results - 1)
            qrels.writelines(
                f"{query + 100_000} 0 {doc_ids[place * results + rank]} 1\n"
                for place, (query, rank) in enumerate(zip(part, found, strict=True))
            )
    (folder / "unfinished").rename(folder / QRELS)


if __name__ == "__main__":
    _, kind, folder, *numbers = sys.argv
    {"trec": trec, "parquet": parquet}[kind](Path(folder), *map(int, numbers))
