"""Every combination of options, against the README's tables written down a second time, as plainly as can be."""

import itertools
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
CUT = [f"{name}@{k}" for name in ("P", "R", "RR", "Success", "AP", "nDCG", "Judged") for k in (1, 2, 3, 4, 9)]
WHOLE = ["RR", "AP", "nDCG", "Judged", "Rprec", "NumRel", "NumRet", "Bpref"]
OTHERS = ["P(rel=2)@3", "R(rel=3)@2", "RR(rel=2)", "NumRet(rel=1)", "nDCG(dcg='exp-log2')@3", "nDCG(gains={0:2,2:5})@2"]

document = st.sampled_from(DOCUMENTS)
score = st.sampled_from([2.0, 1.0, 1.000000001, 0.5, 0.0, -0.0, 1e39, 2e39])
judged = st.dictionaries(document, st.integers(-1, 3), max_size=6)
ranking = st.one_of(
    st.none(),
    st.lists(document, max_size=8),
    st.lists(st.tuples(document, score), min_size=1, max_size=8),
)
options = {
    axis: st.sampled_from([o for o in axis_options if o not in ("reject", "expected")])
    for axis, axis_options in AXES.items()
}
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


def ndcg(measure, k, grades, ranked):
    gain = {d: max(grade, 0) for d, grade in grades.items()}
    if "exp-log2" in measure:
        gain = {d: 2**g - 1 for d, g in gain.items()}
    if "gains" in measure:
        gain = {d: {0: 2, 2: 5}.get(grade, max(grade, 0)) for d, grade in grades.items()}
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gain.values(), reverse=True)[:k]))
    return sum(gain.get(d, 0) / math.log2(i + 2) for i, d in enumerate(ranked[:k])) / ideal if ideal else None


def bpref(grades, level, ranked):
    """Buckley and Voorhees, as trec_eval has it; a negative grade is pooled, not judged."""
    relevant = {d for d, grade in grades.items() if grade >= level}
    against = {d for d, grade in grades.items() if 0 <= grade < level}
    bound = min(len(relevant), len(against))
    total = Fraction(0)
    for i, d in enumerate(ranked):
        if d in relevant:
            above = sum(x in against for x in ranked[:i])
            total += 1 - Fraction(min(above, bound), bound) if above else 1
    return total / len(relevant) if relevant else None


def level_of(measure, convention):
    return int(measure.split("rel=")[1][0]) if "rel=" in measure else convention.relevance_level


def by_hand(measure, grades, ranked, convention):
    """A query's value, or None for 0/0."""
    name, _, k = measure.partition("@")
    name, k = name.split("(")[0], int(k) if k else None
    relevant = {d for d, grade in grades.items() if grade >= level_of(measure, convention)}
    hits = [rank for rank, d in enumerate(ranked, 1) if d in relevant]
    within = [rank for rank in hits if k is None or rank <= k]
    if name == "P":
        below = {"k": k, "retrieved": min(k, len(ranked)), "relevant_capped": min(k, len(relevant))}
        below = below[convention.precision_denominator]
        return Fraction(len(within), below) if below else Fraction(0)
    if name == "Success" or (name == "R" and convention.recall_denominator == "hit"):
        return Fraction(bool(within))
    if name == "Judged":
        return Fraction(sum(d in grades for d in ranked[:k]), len(ranked[:k])) if ranked else Fraction(0)
    if name in ("NumRel", "NumRet"):
        return len(relevant) if name == "NumRel" else len(hits) if "rel" in measure else len(ranked)
    if name == "nDCG":
        return ndcg(measure, k, grades, ranked)
    if not relevant:
        return None
    if name == "R":
        below = {"relevant": len(relevant), "capped": min(k, len(relevant)), "relevant_retrieved": len(hits)}
        below = below[convention.recall_denominator]
        return Fraction(len(within), below) if below else Fraction(0)
    if name == "RR":
        counting = hits if convention.rr_cutoff == "ignored" else within
        return Fraction(1, counting[0]) if counting else Fraction(0)
    if name == "Rprec":
        return Fraction(sum(rank <= len(relevant) for rank in hits), len(relevant))
    if name == "Bpref":
        return bpref(grades, level_of(measure, convention), ranked)
    return sum((Fraction(i, rank) for i, rank in enumerate(within, 1)), Fraction(0)) / len(relevant)


def lacks_relevant(measure, grades, convention):
    if "nDCG" in measure:
        return ndcg(measure, 99, grades, []) is None
    return not any(grade >= level_of(measure, convention) for grade in grades.values())


def expected(measure, query_id, grades, given, ranked, convention):
    """A row's value, status and who computed it; `given` is "none" for a query that the run lacks."""
    missing = given in ("none", None)
    status = {"none": "missing", None: "failed"}[given] if missing else "scored" if ranked else "empty"
    if not grades and (convention.no_judgments == "exclude" or not missing):
        status = "no_judgments"
    if (missing and convention.missing_ranking == "exclude") or (not grades and convention.no_judgments == "exclude"):
        return None, status, "convention"
    value = by_hand(measure, grades, ranked, convention)
    undefined, lacking = value is None, lacks_relevant(measure, grades, convention)
    status = "no_relevant" if lacking and status in ("scored", "empty") else status
    if lacking and convention.no_relevant == "exclude":
        return None, status, "convention"
    if undefined and convention.no_relevant == "one" and not missing:
        return 1, status, "convention"
    backend = "ir_measures judged" if "Judged" in measure else "pytrec_eval"
    departs = measure[:2] in ("R@", "R(") and convention.recall_denominator == "relevant_retrieved"
    if departs or len(set(ranked)) < len(ranked):
        backend = "reference"
    if not grades:
        backend = "convention" if measure == "Bpref" else "reference"
    return value or 0, status, backend


def cut(ranked, measures, depth, convention):
    """What is read: all that can reach a value, and no more."""
    for measure in measures:
        further = (measure[:2] == "RR" and convention.rr_cutoff == "ignored") or (
            measure[:2] in ("R@", "R(") and convention.recall_denominator == "relevant_retrieved"
        )
        if ("@" not in measure and measure != "NumRel") or further:
            return ranked[:depth]
    return ranked[:depth][: max(int(m.split("@")[1]) for m in [*measures, "P@1"] if "@" in m)]


@settings(max_examples=1000, deadline=None)
@given(
    st.dictionaries(st.sampled_from(QUERIES), judged, min_size=1),
    st.dictionaries(st.sampled_from([*QUERIES, "unjudged"]), ranking),
    conventions,
    st.lists(st.sampled_from(CUT + WHOLE + OTHERS), min_size=1, max_size=4, unique=True)
    | st.lists(st.sampled_from(CUT), min_size=1, max_size=4, unique=True),
    st.none() | st.integers(1, 9),
)
def test_any_data_under_any_convention(qrels, run, convention, measures, depth):
    if convention.duplicates == "count_each":
        measures = [measure for measure in measures if measure != "Bpref"] or ["RR"]
    result = evaluate(qrels, {"A": run}, measures, convention, depth)
    ordered_ = {
        q: cut(ordered(run.get(q) or [], grades, convention), measures, depth, convention)
        for q, grades in qrels.items()
    }
    right = {
        (q, measure): expected(measure, q, grades, run.get(q, "none"), ordered_[q], convention)
        for q, grades in qrels.items()
        for measure in measures
    }
    if convention.unjudged_query == "zero":
        unjudged = {
            (q, measure): (0, "unjudged_query", "convention") for q in run if q not in qrels for measure in measures
        }
        right |= unjudged
    found = {(row.query_id, row.measure): row for row in result.rows()}
    assert found.keys() == right.keys()
    for key, (value, status, computed_by) in right.items():
        row = found[key]
        assert row.value == (None if value is None else pytest.approx(float(value), rel=1e-14, abs=0)), key
        assert (row.status, row.computed_by) == (status, computed_by), key
        assert value is not None or (row.numerator, row.denominator) == (None, None)
        if row.denominator and value is not None and computed_by != "convention":
            assert row.value == pytest.approx(row.numerator / row.denominator, rel=1e-14, abs=0)
    check_means(result, measures, right)
    check_account(result, qrels, run, ordered_, measures, depth, convention)


def check_means(result, measures, right):
    for measure in measures:
        counted = [float(value) for (_, name), (value, _, _) in right.items() if name == measure and value is not None]
        total = sum(counted) / (1 if measure.startswith("Num") else len(counted)) if counted else None
        assert result.mean("A", measure) == (None if total is None else pytest.approx(total, rel=1e-14, abs=0))
        assert result.n("A", measure) == len(counted)


def check_account(result, qrels, run, ordered_, measures, depth, convention):
    """Who is counted as what, whatever the convention makes of it; and how much was checked."""
    taken = {
        q for q, grades in qrels.items()
        if (grades or convention.no_judgments != "exclude")
        and (run.get(q) is not None or convention.missing_ranking != "exclude")
    }  # fmt: skip
    full = min([max([int(m.split("@")[1]) for m in measures if "@" in m], default=0)] + ([depth] if depth else []))
    looked_at = [q for q in qrels if q in taken and run.get(q) is not None]
    right = {
        "missing": [q for q in qrels if q not in run],
        "failed": [q for q in qrels if q in run and run[q] is None],
        "no_judgments": [q for q in qrels if not qrels[q]],
        "no_relevant": [q for q in qrels if qrels[q] and max(qrels[q].values()) < convention.relevance_level],
        "empty": [q for q in looked_at if not ordered_[q]],
        "short": [q for q in looked_at if len(ordered_[q]) < full],
        "unjudged_queries": sorted(q for q in run if q not in qrels),
    }
    affected = result.systems["A"].affected
    assert {what: affected.get(what, []) for what in right} == right
    assert result.systems["A"].judged == len(qrels)
    assert result.accounting().loc["A"].to_dict().items() >= {what: len(ids) for what, ids in right.items()}.items()
    checked = [q for q in taken if qrels[q] and len(set(ordered_[q])) == len(ordered_[q])]
    assert result.crosscheck.compared == len(checked) * sum(measure != "Bpref" for measure in measures)
    repeating = {q for q in taken if len(set(ordered_[q])) < len(ordered_[q])}
    assert ("system 'A'" in result.crosscheck.unchecked) == bool(repeating)


tied = st.lists(st.tuples(document, st.sampled_from([1.0, 1.000000001, 0.5])), min_size=1, max_size=5)


@settings(max_examples=500, deadline=None)
@given(
    judged, tied, conventions, st.sampled_from([m for m in CUT + WHOLE + OTHERS if m != "Bpref"]),
    st.none() | st.integers(1, 5),
)  # fmt: skip
def test_expected_is_the_mean_over_all_orders_of_tied_documents(grades, given_, convention, measure, depth):
    """All orders of the input, each with ties as the input has them; a repeat at the same score is no document more."""
    if convention.duplicates != "count_each":
        exact = convention.score_precision == "float64"
        given_ = list({(d, s if exact else single(s)): (d, s) for d, s in given_}.values())
    result = evaluate({"q": grades}, {"A": {"q": given_}}, [measure], convention.but(ties="expected"), depth)
    orders = [
        ordered(list(order), grades, convention.but(ties="input_order"))[:depth]
        for order in itertools.permutations(given_)
    ]
    values = [by_hand(measure, grades, order, convention) for order in orders]
    (row,) = result.rows()
    if row.computed_by == "convention":  # 0/0 or left out, whatever the order
        return
    values = [float(value or 0) for value in values]
    assert row.value == pytest.approx(math.fsum(values) / len(values), rel=1e-13, abs=1e-15)
    assert result.bounds("A", measure) == (
        pytest.approx(min(values), rel=1e-14, abs=0), pytest.approx(max(values), rel=1e-14, abs=0)
    )  # fmt: skip
    least, greatest = result.per_query[["least", "greatest"]].iloc[0]
    assert (least, greatest) == result.bounds("A", measure)
