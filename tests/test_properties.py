"""Properties that hold on any data: what the measures promise by definition, over generated judgments and rankings."""

import ir_measures
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval_ir import TREC_EVAL, Convention, evaluate, to_qrels, to_runs
from rageval_ir.conventions import AXES

DOCUMENTS = [f"d{i}" for i in range(14)]
CUTOFFS = [1, 2, 3, 5, 10, 100]
EXACT = [f"{name}@{k}" for name in ("P", "R", "RR", "Success") for k in CUTOFFS] + ["RR"]
SUMS = [f"{name}@{k}" for name in ("nDCG", "nDCG(dcg='exp-log2')", "AP") for k in CUTOFFS] + ["nDCG", "AP"]

documents = st.sampled_from(DOCUMENTS)
judgments = st.one_of(st.sets(documents, max_size=8), st.dictionaries(documents, st.integers(-2, 3), max_size=10))
scores = st.one_of(st.sampled_from([0.0, 1.0, 1.000000001, -1.0]), st.floats(allow_nan=False, allow_infinity=False))
listed = st.lists(documents, unique=True, max_size=14)
scored = st.dictionaries(documents, scores, max_size=14)
queries = st.lists(st.sampled_from(["q1", "q2", "q3", "q4"]), min_size=1, unique=True)


@st.composite
def collections(draw, rankings=st.one_of(listed, scored, st.none())):  # noqa: B008 -- a strategy is immutable
    """Judgments, and one system's rankings of some of the queries and of others."""
    qrels = {query_id: draw(judgments) for query_id in draw(queries)}
    run = {query_id: draw(rankings) for query_id in draw(queries)}
    return qrels, {"A": run}


def values(qrels, rankings, measures, convention=TREC_EVAL):
    result = evaluate(qrels, rankings, measures, convention)
    return {(row.query_id, row.measure): row.value for row in result.rows()}


@settings(max_examples=300, deadline=None)
@given(collections())
def test_backend_and_reference_agree(collection):
    """Bit for bit where the measure is one division, within 4 ulp where it is a sum; and both are ir_measures'."""
    qrels, rankings = collection
    exact = evaluate(qrels, rankings, EXACT).crosscheck
    assert (exact.equal, exact.largest_ulps) == (exact.compared, 0)
    assert exact.compared == len(EXACT) * sum(map(bool, qrels.values()))
    assert evaluate(qrels, rankings, SUMS).crosscheck.largest_ulps <= 4


@settings(max_examples=200, deadline=None)
@given(collections())
def test_the_values_are_those_of_ir_measures(collection):
    """On the converted run, bit for bit; ir_measures divides RR@k itself, and gives queries it lacks a 0."""
    qrels, rankings = collection
    names = ["P@5", "R@5", "RR@5", "RR", "Success@5", "nDCG@5", "AP@5", "Rprec"]
    # a query judged only below -1 would crash ir_measures here, see test_hostile
    judged = {q: g for q, g in to_qrels(qrels).judgments.items() if g and max(g.values()) > -2}
    (run,) = to_runs(rankings)
    if not judged:
        return
    asked = [ir_measures.parse_measure(name) for name in names]
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(asked, judged, run.to_dict())}
    ours = values(judged, run, names)
    assert ours == theirs


@settings(max_examples=200, deadline=None)
@given(collections(), st.data())
def test_what_every_convention_promises(collection, data):
    """No convention breaks the check, drops a query without a trace, or leaves [0, 1] but `count_each`."""
    qrels, rankings = collection
    options = {
        axis: data.draw(st.sampled_from([o for o in options if o != "reject" or axis == "duplicates"]))
        for axis, options in AXES.items()
    }
    convention = Convention(**options, relevance_level=data.draw(st.integers(1, 3)))
    result = evaluate(qrels, rankings, EXACT + SUMS + ["Judged@5", "Rprec"], convention)
    rows = list(result.rows())
    assert all(row.value is None or 0 <= row.value <= 1 for row in rows)
    asked = {row.query_id for row in rows}
    assert asked | set(result.systems["A"].affected.get("unjudged_queries", ())) == {*qrels, *rankings["A"]}
    for row in rows:
        if row.computed_by == "reference" and row.denominator:
            assert abs(row.value - row.numerator / row.denominator) < 1e-15


@settings(max_examples=200, deadline=None)
@given(collections())
def test_identities_between_measures(collection):
    qrels, rankings = collection
    found = values(qrels, rankings, [*EXACT, *SUMS, "NumRel"])
    for query_id in qrels:

        def value(measure, query_id=query_id):
            return found[query_id, measure]

        relevant = value("NumRel")
        assert value("P@1") == value("RR@1") == value("Success@1")
        for k in CUTOFFS:
            assert 0 <= value(f"P@{k}") <= 1
            assert value(f"RR@{k}") <= value("RR")
            assert (value(f"RR@{k}") > 0) == (value(f"Success@{k}") == 1) == (value(f"nDCG@{k}") > 0)
            assert round(k * value(f"P@{k}"), 9) == round(relevant * value(f"R@{k}"), 9)
            if relevant == 1:
                assert value(f"R@{k}") == value(f"Success@{k}")
        for measure in ("R", "RR", "Success"):
            rising = [value(f"{measure}@{k}") for k in CUTOFFS]
            assert rising == sorted(rising)
        if relevant == 1:
            assert value("AP") == value("RR")


MEASURES = ["P@3", "R@3", "RR@3", "Success@3", "nDCG@3", "AP", "RR", "Judged@3"]


@settings(max_examples=150, deadline=None)
@given(collections(scored), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(collection, random):
    qrels, rankings = collection
    shuffled = {q: dict(random.sample(list(run.items()), len(run))) for q, run in reversed(rankings["A"].items())}
    assert values(qrels, {"A": shuffled}, MEASURES) == values(qrels, rankings, MEASURES)


@settings(max_examples=150, deadline=None)
@given(collections(st.dictionaries(documents, st.integers(-50, 50))))
def test_only_the_order_of_scores_matters(collection):
    qrels, rankings = collection
    transformed = {q: {d: s**3 / 7 - 1e6 for d, s in run.items()} for q, run in rankings["A"].items()}
    assert values(qrels, {"other name": transformed}, MEASURES) == values(qrels, rankings, MEASURES)


@settings(max_examples=150, deadline=None)
@given(collections())
def test_queries_do_not_touch_each_other(collection):
    """Removing a judged query, or adding an unjudged one, changes nothing else."""
    qrels, rankings = collection
    whole = values(qrels, rankings, MEASURES)
    assert values(qrels, {"A": {**rankings["A"], "unjudged": ["d1"]}}, MEASURES) == whole
    for query_id in qrels:
        if len(qrels) > 1:
            fewer = {q: judged for q, judged in qrels.items() if q != query_id}
            assert values(fewer, rankings, MEASURES) == {k: v for k, v in whole.items() if k[0] != query_id}


@settings(max_examples=150, deadline=None)
@given(collections(listed))
def test_documents_below_the_cutoff_change_nothing(collection):
    qrels, rankings = collection
    at_3 = [measure for measure in MEASURES if measure.endswith("@3")]
    longer = {q: [*ids, *(f"new{i}" for i in range(5))] if len(ids) >= 3 else ids for q, ids in rankings["A"].items()}
    assert values(qrels, {"A": longer}, at_3) == values(qrels, rankings, at_3)


@settings(max_examples=150, deadline=None)
@given(collections())
def test_negative_grades_are_judged_not_relevant(collection):
    qrels, rankings = collection
    at_zero = {q: {d: max(g, 0) for d, g in grades.items()} for q, grades in to_qrels(qrels).judgments.items()}
    assert values(at_zero, rankings, MEASURES) == values(qrels, rankings, MEASURES)
