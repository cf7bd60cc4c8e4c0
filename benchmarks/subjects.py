"""What is measured, each in a process of its own: `python -m benchmarks.subjects NAME ARGUMENT...` prints JSON.

A file's subject prints the mean nDCG@10, so that all can be seen to compute the same; the
subjects in memory time themselves in turn and print each one's CPU seconds.
"""

import gc
import json
import sys
import time
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from benchmarks.data import queries

MEASURES = ["P@10", "R@10", "R@100", "RR@10", "nDCG@10"]
TREC_NAMES = {"P.10", "recall.10,100", "recip_rank", "ndcg_cut.10"}


def ours(qrels, run):
    """The command, with pyarrow where it is installed."""
    from contextlib import redirect_stdout
    from io import StringIO

    from rageval_ir.cli import main

    asked = [argument for measure in MEASURES for argument in ("-m", measure)]
    with redirect_stdout(StringIO()) as printed:
        assert main(["evaluate", qrels, run, *asked, "--format", "csv"]) == 0
    return float(printed.getvalue().splitlines()[1].split(",")[len(MEASURES)])


def ours_core(qrels, run):
    """With the core's dependencies alone."""
    sys.modules["pyarrow"] = None
    return ours(qrels, run)


def pytrec_eval(qrels, run):
    """Its own parser and evaluator."""
    import pytrec_eval

    with Path(qrels).open() as judged, Path(run).open() as ranked:
        judgments, rankings = pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(ranked)
    found = pytrec_eval.RelevanceEvaluator(judgments, TREC_NAMES).evaluate(rankings)
    return sum(values["ndcg_cut_10"] for values in found.values()) / len(found)


def ir_measures(qrels, run):
    import ir_measures

    asked = [ir_measures.parse_measure(name) for name in MEASURES]
    found = ir_measures.calc_aggregate(asked, ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run))
    return found[ir_measures.nDCG @ 10]


def ranx(qrels, run):
    import ranx

    asked = ["precision@10", "recall@10", "recall@100", "mrr@10", "ndcg@10"]
    found = ranx.evaluate(
        ranx.Qrels.from_file(qrels, kind="trec"), ranx.Run.from_file(run, kind="trec"), asked, make_comparable=True
    )
    return float(found["ndcg@10"])


def prototype(qrels, folder):
    """The straightforward way with pyarrow: file by file, the best of each query, pytrec_eval on those."""
    import numpy as np
    import pytrec_eval
    from pyarrow.parquet import ParquetFile

    with Path(qrels).open() as judged:
        judgments = pytrec_eval.parse_qrel(judged)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, TREC_NAMES)
    total = 0.0
    for path in sorted(Path(folder).iterdir()):
        run = {}
        for batch in ParquetFile(path).iter_batches(2**18):
            names, scores = batch.column("query_id"), batch.column("score").to_numpy()
            runs = names.dictionary_encode().indices.to_numpy()
            edges = [0, *(np.flatnonzero(runs[1:] != runs[:-1]) + 1).tolist(), len(runs)]
            for start, end in pairwise(edges):
                query_id = names[start].as_py()
                best = start + np.argsort(-scores[start:end], kind="stable")[:100]
                ranked = dict(zip(batch.column("doc_id").take(best).to_pylist(), scores[best].tolist(), strict=True))
                if query_id in run:  # cut by the batch
                    ranked = dict(sorted({**run[query_id], **ranked}.items(), key=lambda each: -each[1])[:100])
                run[query_id] = ranked
        total += sum(values["ndcg_cut_10"] for values in evaluator.evaluate(run).values())
    return total / len(judgments)


def on_dask(qrels, folder):
    """On a cluster of two processes, made here."""
    from distributed import Client, LocalCluster

    from rageval_ir import read_qrels
    from rageval_ir.scale import evaluate_partitioned

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        result = evaluate_partitioned(read_qrels(qrels), folder, MEASURES, client=client)
    return result.mean("run", "nDCG@10")


def imports(module):
    __import__(module)


def in_memory(count, results, rounds):
    """CPU seconds, round by round, of everything that takes what is in memory."""
    functions = _in_memory(int(count), int(results))
    times = {name: [] for name in functions}
    for _ in range(int(rounds)):
        for name, function in functions.items():
            gc.collect()
            start = time.process_time()
            function()
            times[name].append(time.process_time() - start)
    return times


def _in_memory(count, results):
    import ir_measures
    import pandas as pd
    import pytrec_eval

    from rageval_ir import evaluate

    lists, scores, judgments = {}, {}, {}
    for query_id, doc_ids, relevant, values in queries(count, results):
        lists[query_id], scores[query_id] = doc_ids, values
        judgments[query_id] = dict.fromkeys(relevant, 1)
    run = {query_id: dict(zip(doc_ids, scores[query_id], strict=True)) for query_id, doc_ids in lists.items()}
    rows = [(q, d, s) for q, ranked in run.items() for d, s in ranked.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    objects = frame.astype({"query_id": object, "doc_id": object})
    asked = [ir_measures.parse_measure(name) for name in MEASURES]
    qrels_rows = [(q, d, g) for q, grades in judgments.items() for d, g in grades.items()]
    qrels_frame = pd.DataFrame(qrels_rows, columns=["query_id", "doc_id", "relevance"])
    del rows

    def trec(rankings):
        return pytrec_eval.RelevanceEvaluator(judgments, TREC_NAMES).evaluate(rankings)

    functions = {
        "pytrec_eval, ready dicts": lambda: trec(run),
        "pytrec_eval, dicts from lists": lambda: trec(
            {q: {d: -float(rank) for rank, d in enumerate(doc_ids)} for q, doc_ids in lists.items()}
        ),
        "rageval_ir, lists": lambda: evaluate(judgments, {"A": lists}, MEASURES),
        "rageval_ir, ten systems of lists": lambda: evaluate(judgments, {f"{n}": lists for n in range(10)}, MEASURES),
        "rageval_ir, dicts of scores": lambda: evaluate(judgments, {"A": run}, MEASURES),
        "rageval_ir, pandas frame": lambda: evaluate(judgments, frame, MEASURES),
        "rageval_ir, pandas frame of objects": lambda: evaluate(judgments, objects, MEASURES),
        "rageval_ir, AP, lists": lambda: evaluate(judgments, {"A": lists}, ["AP"]),
        "ir_measures, dicts": lambda: ir_measures.calc_aggregate(asked, judgments, run),
        "ir_measures, frame": lambda: ir_measures.calc_aggregate(asked, qrels_frame, frame),
    }
    if find_spec("pyarrow"):
        import pyarrow as pa

        table = pa.Table.from_pandas(frame, preserve_index=False)
        functions["rageval_ir, Arrow table"] = lambda: evaluate(judgments, table, MEASURES)
    return functions


if __name__ == "__main__":
    _, name, *arguments = sys.argv
    print(json.dumps(globals()[name](*arguments)))
