"""The search behind reconcile: its means are evaluate's, and what it leaves out cannot matter."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rageval_ir import TREC_EVAL, ConventionError, RejectedError, evaluate, parse_measure, to_qrels, to_runs
from rageval_ir.conventions import AXES
from rageval_ir.search import Space

documents = st.sampled_from("abcde")
scores = st.sampled_from([1.0, 1.000000001, 0.5])
rankings = st.none() | st.lists(documents, max_size=6) | st.lists(st.tuples(documents, scores), min_size=1, max_size=6)
collections = st.tuples(
    st.dictionaries(st.sampled_from("pqr"), st.dictionaries(documents, st.integers(-1, 3), max_size=4), min_size=1),
    st.fixed_dictionaries({"A": st.dictionaries(st.sampled_from("pqrs"), rankings)}),
)
measures = st.lists(
    st.sampled_from(
        ["P@2", "P(rel=2)@3", "R@2", "RR@2", "RR", "Success@2", "AP", "nDCG@2", "nDCG(dcg='exp-log2')", "Rprec",
         "Judged@2", "NumRel", "NumRet", "NumRet(rel=1)"]
    ),
    min_size=1, max_size=3, unique=True,
)  # fmt: skip


def space(collection, names):
    qrels, rankings_ = collection
    judgments = to_qrels(qrels)
    return Space(judgments, to_runs(rankings_, judgments.judgments), [parse_measure(name) for name in names])


@settings(max_examples=300, deadline=None)
@given(collections, measures, st.data())
def test_every_mean_is_the_one_that_evaluate_gives(collection, names, data):
    found = space(collection, names)
    assignment = {axis: data.draw(st.sampled_from(options)) for axis, options in found.options.items()}
    convention = TREC_EVAL.but(**{a: o for a, o in assignment.items() if a in AXES or a == "relevance_level"})
    for name in names:
        measure = found.computed_as(parse_measure(name), assignment)
        expected = evaluate(*collection, measure, convention).mean("A", measure)
        mean = found.mean("A", parse_measure(name), assignment)
        assert mean == (None if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-15))


def test_a_query_without_relevant_documents_may_have_judged_ones():
    """Judged leaves it out under no_relevant=exclude, as every measure does."""
    found = space(({"p": {"a": 0}, "q": {"a": 1}}, {"A": {"p": ["a"], "q": ["x"]}}), ["Judged@1"])
    means = {rule: found.mean("A", parse_measure("Judged@1"), {"no_relevant": rule}) for rule in ("zero", "exclude")}
    assert means == {"zero": 0.5, "exclude": 0.0}


@settings(max_examples=150, deadline=None)
@given(collections, measures)
def test_all_means_are_those_of_one_assignment_each(collection, names):
    found = space(collection, names)
    for means, _ in zip(found.means(), range(20), strict=False):
        for group in means.own:
            for own, values in group:
                for (system, measure), value in values.items():
                    assert value == found.mean(system, measure, {**means.common, **own})
        assert {measure for group in means.own for _, values in group for _, measure in values} == {
            parse_measure(name) for name in names
        }


@settings(max_examples=200, deadline=None)
@given(collections, measures, st.data())
def test_an_axis_that_is_left_out_cannot_matter(collection, names, data):
    """Under any assignment of the others, no option of it changes a mean."""
    found = space(collection, names)
    left_out = [axis for axis in AXES if axis not in found.options]
    assume(left_out)
    assignment = {axis: data.draw(st.sampled_from(options)) for axis, options in found.options.items()}
    convention = TREC_EVAL.but(**{a: o for a, o in assignment.items() if a in AXES or a == "relevance_level"})
    axis = data.draw(st.sampled_from(left_out))
    as_it_is = evaluate(*collection, names, convention)
    for option in AXES[axis]:
        if option == "reject":
            continue
        other = evaluate(*collection, names, convention.but(**{axis: option}))
        assert [other.mean("A", name) for name in names] == [
            None if (mean := as_it_is.mean("A", name)) is None else pytest.approx(mean, rel=1e-12) for name in names
        ]


@settings(max_examples=150, deadline=None)
@given(collections, measures, st.data())
def test_a_convention_is_projected_where_it_does_not_reject(collection, names, data):
    found = space(collection, names)
    convention = TREC_EVAL.but(**{axis: data.draw(st.sampled_from(list(options))) for axis, options in AXES.items()})
    projected = found.projected(convention)
    try:
        result = evaluate(*collection, names, convention)
    except RejectedError:
        assert projected is None
        return
    except ConventionError:  # no measure here depends on it
        assert convention.duplicates == "count_each"
        return
    for name in names:
        mean, expected = found.mean("A", parse_measure(name), projected), result.mean("A", name)
        assert mean == (None if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-15))
