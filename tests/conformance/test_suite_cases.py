"""The cases: well formed, exact, held by the reference and the backends, and enough to tell every option."""

import ast
import itertools
import json
import struct
from decimal import Decimal, localcontext
from fractions import Fraction

import jsonschema
import pytest

from rageval_ir import TREC_EVAL, RagevalError, evaluate
from rageval_ir.conformance import cases
from rageval_ir.conformance.answer import Answer
from rageval_ir.conformance.followed import AXIS_NAMES
from rageval_ir.conformance.matrix import examples, told_apart
from rageval_ir.conformance.suite import folder
from rageval_ir.conventions import AXES

FILES = sorted([*folder().glob("cases/*.json"), *folder().glob("published/*.json")])
NO_MEAN = "empty-recall-all-queries"  # under `exclude` no query is left: to refuse is as good as to give nothing


def read(path):
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_as_its_schema_says(path):
    suite = read(path)
    jsonschema.Draft202012Validator(read(folder() / "schema" / "case.json")).validate(suite)
    assert suite["suite"] == path.stem
    used = {flag for case in suite["cases"] for flag in case["flags"]}
    assert used == set(suite["notes"])


def test_there_are_enough_cases_and_ids_are_unique():
    assert len(cases()) >= 150
    assert len({case.id for case in cases()}) == len(cases())
    named = {path.stem for path in FILES}
    assert named >= {"precision", "recall", "reciprocal-rank", "success", "ndcg", "average-precision", "ties"}
    assert named >= {"short-rankings", "empty-relevance", "missing-and-unjudged", "duplicates", "grades"}
    assert named >= {"score-precision", "identifiers", "cutoffs", "aggregation"}


def exact(node):
    """An expression's value in decimals, by nothing but the four operations and logarithms."""
    if isinstance(node, ast.Constant):
        return Decimal(node.value)
    if isinstance(node, ast.Call):
        assert node.func.id == "log2"
        return exact(node.args[0]).ln() / Decimal(2).ln()
    left, right = exact(node.left), exact(node.right)
    operations = {ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__"}
    return getattr(left, operations[type(node.op)])(right)


def number(value):
    if isinstance(value, dict):
        return Fraction(value["digits"])
    return None if value is None else Fraction(value)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_values_are_written_exactly(path):
    for case in read(path)["cases"]:
        for test in case["tests"]:
            values = [*test.get("per_query", {}).values(), *([test["mean"]] if test.get("mean") else [])]
            for value in values:
                if isinstance(value, str):
                    assert str(Fraction(value)) == value, case["id"]  # lowest terms
                elif value is not None:
                    with localcontext(prec=60):
                        right = exact(ast.parse(value["expression"], mode="eval").body)
                        assert abs(right - Decimal(value["digits"])) <= Decimal("5e-31"), case["id"]
            counted = [number(value) for value in test.get("per_query", {}).values() if value is not None]
            if counted and test["result"] == "valid":
                assert abs(number(test["mean"]) - sum(counted) / len(counted)) < Fraction(1, 10**29), case["id"]


def test_scores_are_exact_in_32_bits_unless_flagged():
    for case in cases():
        if "Float32Ties" not in case.flags:
            for _, score in itertools.chain(*case.run.values()):
                assert struct.unpack("f", struct.pack("f", score))[0] == score, case.id


def test_a_case_fits_into_a_pipe():
    for case in cases():
        assert len(json.dumps([case.qrels, case.run])) < 60_000, case.id


def answer(case, measure, convention):
    try:
        result = evaluate(case.qrels, {"run": case.run}, measure, convention)
    except RagevalError as error:
        return Answer("errored", message=str(error))
    mean = result.mean("run", str(result.measures[0]))
    return Answer("valued", {row.query_id: row.value for row in result.rows()}, mean, True)


def conventions(test):
    own = {} if test.axis is None else {test.axis: test.option}
    return TREC_EVAL.but(**test.given, **own)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_reference_and_backends_hold_every_value(case):
    """`evaluate` computes with the backend and the reference, and raises where they differ."""
    for test in case.tests:
        if case.id == NO_MEAN and (test.option, test.result) == ("exclude", "invalid"):
            continue
        given = answer(case, test.measure, conventions(test))
        assert not test.difference(given), (test.measure, test.axis, test.option, given.message)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_a_value_depends_on_nothing_that_it_does_not_name(case):
    for test in case.tests:
        if test.result == "undefined" or case.id == NO_MEAN:
            continue
        convention = conventions(test)
        for axis, options in AXES.items():
            if axis == test.axis or axis in test.given:
                continue
            for option in options:
                given = answer(case, test.measure, convention.but(**{axis: option}))
                assert given.status == "errored" or not test.difference(given), (
                    test.measure,
                    test.option,
                    axis,
                    option,
                )


def test_a_case_says_what_every_option_of_its_axis_gives():
    for case in cases():
        for axis, measure in itertools.product(case.axes, case.measures):
            options = {test.option for test in case.tests if (test.axis, test.measure) == (axis, measure)}
            assert not options or axis == "relevance_level" or options == set(AXES[axis]), (case.id, axis, measure)


@pytest.mark.parametrize("axis", AXIS_NAMES)
def test_every_option_is_told_from_every_other(axis):
    told = set().union(*(told_apart(tests) for _, tests in examples(axis)))
    options = AXES.get(axis, (1, 2, 3))
    assert told >= {frozenset(pair) for pair in itertools.combinations(options, 2)}
