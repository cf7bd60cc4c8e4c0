"""A trec_eval program: the path stands in the environment variable TREC_EVAL. Run with -c and -q."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from rageval_ir.conformance.adapt import measure_of

_PROGRAM = os.environ.get("TREC_EVAL", "trec_eval")
TOLERANCE = 5.1e-5  # it prints four decimals
_NAMES = {
    "P@k": ("P.{}", "P_{}"),
    "R@k": ("recall.{}", "recall_{}"),
    "RR": ("recip_rank", "recip_rank"),
    "Success@k": ("success.{}", "success_{}"),
    "nDCG": ("ndcg", "ndcg"),
    "nDCG@k": ("ndcg_cut.{}", "ndcg_cut_{}"),
    "AP": ("map", "map"),
    "AP@k": ("map_cut.{}", "map_cut_{}"),
    "Rprec": ("Rprec", "Rprec"),
}


def _version() -> str:
    said = subprocess.run([_PROGRAM, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"\d+\.\d[\w.-]*", said.stdout + said.stderr)
    return found[0] if found else ""


SUBJECT, VERSION = "trec_eval -c", _version()


def score(qrels: Any, run: Any, measure: str) -> tuple[dict[str, float], float]:
    """The values per query and the mean, read from what the program prints."""
    asked = measure_of(measure)
    if asked.key not in _NAMES or asked.exponential:
        raise NotImplementedError(measure)
    if any(re.search(r"\s", each) for ids in (qrels, run) for q in ids for each in (q, *dict(ids[q]))):
        raise NotImplementedError("a TREC file cannot hold blank space in an id")
    name, key = (each.format(asked.cutoff) for each in _NAMES[asked.key])
    with tempfile.TemporaryDirectory() as folder:
        judged, ranked = Path(folder, "qrels"), Path(folder, "run")
        judged.write_text("".join(f"{q} 0 {d} {g}\n" for q in qrels for d, g in qrels[q].items()), "utf-8")
        ranked.write_text("".join(f"{q} Q0 {d} 0 {s!r} run\n" for q in run for d, s in run[q]), "utf-8")
        command = [_PROGRAM, "-q", "-c", "-l", str(asked.rel), "-m", name, str(judged), str(ranked)]
        printed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout  # noqa: S603
    *rows, (_, mean) = [(q, float(value)) for shown, q, value in map(str.split, printed.splitlines()) if shown == key]
    return dict(rows), mean  # the last row is the summary; a query may be called "all", as the summary is
