"""Every combination of options, against the README's tables written down a second time, as plainly as can be."""

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval_ir import TREC_EVAL, evaluate
from rageval_ir.conventions import AXES

DOCUMENTS = ["a", "b", "c", "d", "e", "f", "g"]
QUERIES = ["q1", "q2", "q3"]
MEASURES = [f"{name}@{k}" for name in ("P", "R", "RR", "Success", "AP", "nDCG") for k in (1, 2, 4, 9)]

document = st.sampled_from(DOCUMENTS)
score = st.sampled_from([2.0, 1.0, 1.000000001, 0.5, 0.0, -0.0, 1e39, 2e39])
judged = st.dictionaries(document, st.integers(-1, 3), max_size=6)
ranking = st.one_of(
    st.none(),
    st.lists(document, max_size=8),
    st.lists(st.tuples(document, score), min_size=1, max_size=8),
)
options = {axis: st.sampled_from([o for o in axis_options if o != "reject"]) for axis, axis_options in AXES.items()}
conventions = st.builds(TREC_EVAL.but, **options, relevance_level=st.integers(1, 3))


def single(value):
    """The nearest 32-bit float; C makes an infinity of what is too large."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def ordered(given, grades, convention):
    """Best first: by score, ties by the rule; then without repeats; then without unjudged documents."""
    if given and isinstance(given[0], tuple):
        given = [(d, single(s) if convention.score_precision == "float32" else s) for d, s in given]
        if convention.ties == "docid_descending":
            given = sorted(given, key=lambda pair: pair[0], reverse=True)
        if convention.ties == "docid_ascending":
            given = sorted(given, key=lambda pair: pair[0])
        given = [d for d, _ in sorted(given, key=lambda pair: -pair[1])]
    if convention.duplicates == "first":
        given = [d for i, d in enumerate(given) if d not in given[:i]]
    if convention.duplicates == "last":
        given = [d for i, d in enumerate(given) if d not in given[i + 1 :]]
    return [d for d in given if d in grades] if convention.unjudged_document == "condense" else list(given)


def by_hand(measure, grades, ranked, convention):
    """A query's value, or None for 0/0."""
    name, k = measure.split("@")
    k = int(k)
    relevant = {d for d, grade in grades.items() if grade >= convention.relevance_level}
    hits = [rank for rank, d in enumerate(ranked, 1) if d in relevant]
    within = [rank for rank in hits if rank <= k]
    if name == "P":
        below = {"k": k, "retrieved": min(k, len(ranked)), "relevant_capped": min(k, len(relevant))}
        below = below[convention.precision_denominator]
        return Fraction(len(within), below) if below else Fraction(0)
    if name == "Success" or (name == "R" and convention.recall_denominator == "hit"):
        return Fraction(bool(within))
    if name == "nDCG":
        gain = {d: max(grade, 0) for d, grade in grades.items()}
        ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gain.values(), reverse=True)[:k]))
        return sum(gain.get(d, 0) / math.log2(i + 2) for i, d in enumerate(ranked[:k])) / ideal if ideal else None
    if not relevant:
        return None
    if name == "R":
        below = {"relevant": len(relevant), "capped": min(k, len(relevant)), "relevant_retrieved": len(hits)}
        below = below[convention.recall_denominator]
        return Fraction(len(within), below) if below else Fraction(0)
    if name == "RR":
        counting = hits if convention.rr_cutoff == "ignored" else within
        return Fraction(1, counting[0]) if counting else Fraction(0)
    return sum((Fraction(i, rank) for i, rank in enumerate(within, 1)), Fraction(0)) / len(relevant)


def expected(measure, qrels, run, convention):
    """Query to value; None where it is left out."""
    values = {}
    for query_id, grades in qrels.items():
        given = run.get(query_id)
        value = by_hand(measure, grades, ordered(given or [], grades, convention), convention)
        name = measure.split("@")[0]
        lacking = not any(g >= (1 if name == "nDCG" else convention.relevance_level) for g in grades.values())
        if value is None:
            value = int(convention.no_relevant == "one" and given is not None)
        if (
            (not grades and convention.no_judgments == "exclude")
            or (given is None and convention.missing_ranking == "exclude")
            or (lacking and convention.no_relevant == "exclude")
        ):
            value = None
        values[query_id] = value
    if convention.unjudged_query == "zero":
        values |= {query_id: 0 for query_id in run if query_id not in qrels}
    return values


@settings(max_examples=400, deadline=None)
@given(
    st.dictionaries(st.sampled_from(QUERIES), judged, min_size=1),
    st.dictionaries(st.sampled_from([*QUERIES, "unjudged"]), ranking),
    conventions,
)
def test_any_data_under_any_convention(qrels, run, convention):
    result = evaluate(qrels, {"A": run}, MEASURES, convention)
    for measure in MEASURES:
        right = expected(measure, qrels, run, convention)
        found = {row.query_id: row.value for row in result.rows() if row.measure == measure}
        assert found.keys() == right.keys()
        for query_id, value in right.items():
            assert found[query_id] == (None if value is None else pytest.approx(float(value), rel=1e-14, abs=0))
        counted = [float(value) for value in right.values() if value is not None]
        mean = result.mean("A", measure)
        assert mean == (pytest.approx(sum(counted) / len(counted), rel=1e-14, abs=0) if counted else None)
