"""The measures once more, with one fault at a time: the environment variable FAULT names it."""

import math
import os
import struct
from fractions import Fraction

from rageval_ir.conformance.adapt import measure_of

FAULT = os.environ.get("FAULT", "")
FAULTS = [
    "cutoff exclusive",
    "cutoff one too far",
    "ranks from zero",
    "precision by retrieved",
    "precision by relevant",
    "recall by cutoff",
    "recall by found",
    "reciprocal rank of the last",
    "reciprocal rank without cutoff",
    "ties reversed",
    "ties by relevance",
    "scores in 32 bits",
    "last duplicate wins",
    "duplicate counted twice",
    "missing query skipped",
    "unjudged query counted",
    "empty relevance is one",
    "negative grade is relevant",
    "level two",
    "ideal not cut",
    "ideal of the retrieved",
    "discount of rank",
    "average precision by found",
    "mean pooled over ranks",
    "zero cutoff accepted",
    "ids trimmed",
]


def fault(name):
    assert name in FAULTS
    return name == FAULT


def score(qrels, run, measure):
    asked = measure_of(measure)
    k = asked.cutoff
    if k is not None and (not isinstance(k, int) or k < 1):
        if fault("zero cutoff accepted"):
            return dict.fromkeys(qrels, 0.0)
        raise ValueError(f"cutoff {k}")
    queries = [q for q in qrels if q in run] if fault("missing query skipped") else list(qrels)
    if fault("unjudged query counted"):
        queries += [q for q in run if q not in qrels]
    values = {q: value(asked, qrels.get(q, {}), run.get(q, [])) for q in queries}
    mean = math.fsum(values.values()) / len(values) if values else None
    if fault("mean pooled over ranks") and values:
        rows = {q: len(run.get(q, [])) or 1 for q in values}
        mean = math.fsum(v * rows[q] for q, v in values.items()) / sum(rows.values())
    return values, mean


def value(asked, judged, rows):
    k, level = asked.cutoff, max(asked.rel, 2) if fault("level two") else asked.rel
    if fault("ids trimmed"):
        judged, rows = {d.strip().lower(): g for d, g in judged.items()}, [(d.strip().lower(), s) for d, s in rows]
    relevant = {d for d, g in judged.items() if g >= level or (fault("negative grade is relevant") and g < 0)}
    ranking = order(rows, relevant)
    depth = len(ranking) if k is None else k - fault("cutoff exclusive") + fault("cutoff one too far")
    if fault("reciprocal rank without cutoff") and asked.name == "RR":
        depth = len(ranking)
    top = ranking[: max(depth, 0)]
    ranks = [rank for rank, d in enumerate(top, 0 if fault("ranks from zero") else 1) if d in relevant]
    if asked.name == "P":
        divisor = (
            len(top) if fault("precision by retrieved") else len(relevant) if fault("precision by relevant") else k
        )
        return float(Fraction(len(ranks), divisor)) if divisor else 0.0
    if asked.name == "Success":
        return float(bool(ranks))
    gains = {d: 2**g - 1 if asked.exponential else g for d, g in judged.items() if g > 0}
    if not (gains if asked.name == "nDCG" else relevant):
        return 1.0 if fault("empty relevance is one") else 0.0
    return float(VALUES[asked.name](asked, ranks, top, ranking, relevant, gains))


def recall(asked, ranks, top, ranking, relevant, gains):
    found = sum(d in relevant for d in ranking)
    divisor = asked.cutoff if fault("recall by cutoff") else found if fault("recall by found") else len(relevant)
    return Fraction(len(ranks), divisor) if divisor else 0


def reciprocal_rank(asked, ranks, *_):
    return 1 / ranks[-1 if fault("reciprocal rank of the last") else 0] if ranks else 0


def average_precision(asked, ranks, top, ranking, relevant, gains):
    divisor = len(ranks) if fault("average precision by found") else len(relevant)
    return sum(Fraction(i, rank) for i, rank in enumerate(ranks, 1)) / divisor if divisor else 0


def ndcg(asked, ranks, top, ranking, relevant, gains):
    of = [gains.get(d, 0) for d in ranking] if fault("ideal of the retrieved") else gains.values()
    ideal = sorted(of, reverse=True)
    if asked.cutoff is not None and not fault("ideal not cut"):
        ideal = ideal[: asked.cutoff]
    return dcg([gains.get(d, 0) for d in top]) / dcg(ideal) if any(ideal) else 0


def r_precision(asked, ranks, top, ranking, relevant, gains):
    return Fraction(sum(d in relevant for d in ranking[: len(relevant)]), len(relevant))


VALUES = {"R": recall, "RR": reciprocal_rank, "AP": average_precision, "nDCG": ndcg, "Rprec": r_precision}


def dcg(gains):
    shift = 2 if fault("discount of rank") else 1
    return math.fsum(gain / math.log2(rank + shift) for rank, gain in enumerate(gains, 1))


def order(rows, relevant):
    if len(dict(rows)) < len(rows):
        if fault("last duplicate wins"):
            rows = list(dict(rows).items())
        elif not fault("duplicate counted twice"):
            raise ValueError("a document stands twice")
    if fault("scores in 32 bits"):
        rows = [(d, single(s)) for d, s in rows]
    rows = sorted(rows, key=lambda row: row[0].encode(), reverse=not fault("ties reversed"))
    if fault("ties by relevance"):
        rows.sort(key=lambda row: row[0] not in relevant)
    return [d for d, _ in sorted(rows, key=lambda row: -row[1])]


def single(number):
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
