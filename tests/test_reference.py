"""The exact scorer: hand-worked fractions."""

import ast
import math
from fractions import Fraction
from pathlib import Path

import pytest

import rageval_ir.reference
from rageval_ir import TREC_EVAL, Measure, parse_measure
from rageval_ir.reference import REFERENCE_MEASURES, judged_ranks, look, quotient, score, targets

GRADES = {"a": 1, "b": 2, "c": 0, "d": 3, "e": -1}
RANKING = ["x", "b", "c", "a", "y"]  # relevant at ranks 2 and 4 of five, three relevant in all


def scored(name, ranking=RANKING, grades=GRADES, **options):
    measure = parse_measure(name)
    convention = TREC_EVAL.but(**options)
    counting = targets(measure, grades, convention.relevance_level)
    return score(measure, look(judged_ranks(ranking, grades), len(ranking), counting), convention)


@pytest.mark.parametrize(
    ("name", "numerator", "denominator"),
    [
        ("P@1", 0, 1), ("P@2", 1, 2), ("P@10", 2, 10), ("P(rel=2)@5", 1, 5), ("R@2", 1, 3), ("R@10", 2, 3),
        ("RR", 1, 2), ("RR@1", 0, 1), ("RR@2", 1, 2), ("RR(rel=3)", 0, 1), ("Success@1", 0, 1), ("Success@2", 1, 1),
        ("AP", Fraction(1, 2) + Fraction(2, 4), 3), ("AP@3", Fraction(1, 2), 3), ("AP(rel=2)", Fraction(1, 2), 2),
        ("Rprec", 1, 3), ("Rprec(rel=2)", 1, 2), ("Judged@3", 2, 3), ("Judged@10", 3, 5), ("Judged", 3, 5),
        ("NumRel", 3, 1), ("NumRel(rel=2)", 2, 1), ("NumRet", 5, 1), ("NumRet(rel=1)", 2, 1),
    ],
)  # fmt: skip
def test_values(name, numerator, denominator):
    assert scored(name) == (numerator, denominator)


def test_ndcg_by_hand():
    discounted = 2 / math.log2(3) + 1 / math.log2(5)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert scored("nDCG@5") == (pytest.approx(discounted), pytest.approx(ideal))
    assert scored("nDCG@2") == (pytest.approx(2 / math.log2(3)), pytest.approx(3 + 2 / math.log2(3)))
    burges = scored("nDCG(dcg='exp-log2')@2")
    assert burges == (pytest.approx(3 / math.log2(3)), pytest.approx(7 + 3 / math.log2(3)))


@pytest.mark.parametrize(
    ("name", "options", "numerator", "denominator"),
    [
        ("P@10", {"precision_denominator": "retrieved"}, 2, 5),
        ("P@2", {"precision_denominator": "retrieved"}, 1, 2),
        ("P@10", {"precision_denominator": "relevant_capped"}, 2, 3),
        ("R@2", {"recall_denominator": "capped"}, 1, 2),
        ("R@10", {"recall_denominator": "capped"}, 2, 3),
        ("R@2", {"recall_denominator": "hit"}, 1, 1),
        ("R@2", {"recall_denominator": "relevant_retrieved"}, 1, 2),
        ("RR@1", {"rr_cutoff": "ignored"}, 1, 2),
        ("R@10", {"relevance_level": 2}, 1, 2),
    ],
)
def test_conventions(name, options, numerator, denominator):
    assert scored(name, **options) == (numerator, denominator)


@pytest.mark.parametrize("name", ["R@5", "RR", "RR@5", "nDCG@5", "AP", "Rprec"])
def test_without_relevant_documents_the_value_is_undefined(name):
    assert scored(name, grades={"c": 0}) == (0, 0)
    assert quotient(0, 0) is None


@pytest.mark.parametrize("name", ["P@5", "Success@5"])
def test_precision_and_success_are_defined_all_the_same(name):
    assert quotient(*scored(name, grades={})) == 0


def test_a_quotient_is_correctly_rounded():
    third = Fraction(1, 3) + Fraction(2, 7) + Fraction(3, 11)
    assert quotient(third, 3) == float(third / 3)
    assert quotient(1, 10) == 0.1


def test_many_terms_are_summed_exactly():
    ranks = range(1, 3000, 7)
    grades = {f"d{rank}": 1 for rank in ranks}
    exact = sum(Fraction(i, rank) for i, rank in enumerate(ranks, 1))
    assert scored("AP", [f"d{rank}" for rank in range(1, 3000)], grades) == (exact, len(ranks))


def test_repeats_count_each_time():
    assert scored("P@3", ["a", "a", "b"], duplicates="count_each") == (3, 3)
    assert scored("R@3", ["a", "a", "b"], grades={"a": 1, "b": 1}, duplicates="count_each") == (3, 2)


def test_it_imports_no_backend():
    tree = ast.parse(Path(rageval_ir.reference.__file__).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported == {
        "__future__", "math", "bisect", "collections.abc", "fractions", "itertools", "typing",
        "rageval_ir.conventions", "rageval_ir.measures",
    }  # fmt: skip


def test_it_computes_what_the_catalogue_promises():
    assert {"P", "R", "RR", "Success", "AP", "nDCG", "Rprec", "Judged"} <= REFERENCE_MEASURES
    assert Measure("P", 1).definition.backend == "pytrec_eval"
