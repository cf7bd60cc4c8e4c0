"""Conventions: axes, options, profiles."""

import pytest

from rageval_ir import PROFILES, STRICT, TREC_EVAL, TREC_EVAL_9, Convention, ConventionError, RejectedError, evaluate
from rageval_ir.conventions import AXES
from rageval_ir.profiles import resolve_convention


def test_trec_eval_is_the_first_option_of_every_axis():
    assert Convention(**{axis: next(iter(options)) for axis, options in AXES.items()}) == TREC_EVAL
    assert TREC_EVAL.departures() == {}
    assert TREC_EVAL_9.departures() == {"score_precision": "float32"}


def test_every_axis_and_option_explains_itself():
    for options in AXES.values():
        assert options.__doc__.endswith("?")
        assert all(option.explanation for option in options)


def test_strict_rejects_on_every_axis_that_can():
    rejecting = {axis for axis, options in AXES.items() if "reject" in list(options)}
    assert {axis for axis in AXES if getattr(STRICT, axis) == "reject"} == rejecting


def test_names():
    ours = {"TREC_EVAL": TREC_EVAL, "TREC_EVAL_9": TREC_EVAL_9, "STRICT": STRICT}
    assert {convention.name: convention for convention in ours.values()} == ours
    assert {name: PROFILES[name].convention for name in ours} == ours
    assert STRICT.but(ties="input_order").name.startswith("TREC_EVAL with ties=input_order, precision_")
    for name in ("trec_eval_9", "TREC-EVAL-9", " Trec_Eval_9 ", TREC_EVAL_9):
        assert resolve_convention(name) is TREC_EVAL_9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "docid_descendin"}, "axis 'ties' has no option 'docid_descendin'. Did you mean 'docid_descending'"),
        ({"ties": None}, "has no option None"),
        ({"ties": 3}, "options: docid_descending, docid_ascending, input_order, expected, reject"),
        ({"relevance_level": 0}, "relevance_level must be an int in the range"),
        ({"relevance_level": True}, "Found True"),
        ({"relevance_level": 1.5}, "Found 1.5"),
        ({"tie": "reject"}, "Unknown axis 'tie'. Did you mean 'ties'"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ConventionError) as caught:
        TREC_EVAL.but(**options)
    assert message in str(caught.value)


@pytest.mark.parametrize("convention", ["STRIKT", "", 3, None, {"ties": "reject"}])
def test_no_convention(convention):
    with pytest.raises(ConventionError):
        resolve_convention(convention)


def test_a_convention_survives_its_dict():
    changed = TREC_EVAL.but(ties="input_order", relevance_level=2)
    assert Convention(**changed.to_dict()) == changed
    assert all(type(value) in (str, int) for value in changed.to_dict().values())


QRELS = {"a": {"d1", "d2", "d3", "d4"}, "b": {"d1": 0}, "c": {"d1"}, "missing": {"d1"}, "unjudged": {}}
LISTS = {"a": ["d1", "x", "d1", "y", "d2", "d3"], "b": ["d1"], "c": ["x", "d1"], "extra": ["d1"], "unjudged": ["d1"]}
SCORES = {"a": {"d1": 1.0, "x": 1.0, "d3": 1.0}, "c": {"a0": 1.000000001, "d1": 1.0}}


@pytest.mark.parametrize("axis", AXES)
def test_every_option_changes_a_number_or_rejects(axis):
    """No option is without effect: on data with every difficulty, no two of an axis give the same values."""
    base = TREC_EVAL.but(duplicates="first")
    run = {"A": SCORES if axis in ("ties", "score_precision") else LISTS}
    measures = ["P@3", "R@2", "RR@1", "RR"]
    outcomes = []
    for option in AXES[axis]:
        try:
            result = evaluate(QRELS, run, measures, base.but(**{axis: option}))
        except RejectedError as error:
            outcomes.append(str(error))
        else:
            outcomes.append([(row.query_id, row.measure, row.value) for row in result.rows()])
    assert len(outcomes) == len({str(outcome) for outcome in outcomes})
