"""MS MARCO's script, as ir_measures carries it; lists as a candidate file would give them.

The copy leaves the mean to its caller. The original divides by all queries of the reference file, which lists
relevant passages only; so does this.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from ir_measures.bin.msmarco_eval import compute_metrics

from rageval_ir.conformance.adapt import as_list, measure_of, relevant

SUBJECT, VERSION = "msmarco_eval.py", f"in ir_measures {version('ir-measures')}"


def score(qrels: Any, run: Any, measure: str) -> tuple[None, float]:
    """The mean."""
    asked = measure_of(measure)
    if asked.key != "RR@k":
        raise NotImplementedError(measure)
    reference = {query_id: ids for query_id in qrels if (ids := relevant(qrels[query_id], asked.rel))}
    candidates = {query_id: as_list(rows) for query_id, rows in run.items()}
    result = compute_metrics(reference, candidates, max_rank=asked.cutoff)
    return None, sum(result[f"MRR @{asked.cutoff} by query"].values()) / len(reference)
