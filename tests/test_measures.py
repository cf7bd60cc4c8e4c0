"""Names of measures: read, printed, refused."""

import re

import ir_measures
import pytest

from rageval_ir import CATALOGUE, Measure, MeasureError, parse_measure, parse_measures


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("P@10", "P@10"), ("precision@5", "P@5"), ("P_5", "P@5"), ("Recall@5", "R@5"), ("recall_5", "R@5"),
        ("recall_at_5", "R@5"), ("recall-at-5", "R@5"), ("MRR@10", "RR@10"), ("mrr", "RR"), ("recip_rank", "RR"),
        ("recip_rank_cut_10", "RR@10"), ("map", "AP"), ("MAP@100", "AP@100"), ("map_cut_100", "AP@100"),
        ("ndcg_cut.10", "nDCG@10"), ("NDCG@10", "nDCG@10"), ("ndcg_at_10", "nDCG@10"), ("hit_rate@5", "Success@5"),
        ("hits@1", "Success@1"), ("success_1", "Success@1"), ("Rprec", "Rprec"), ("r-precision", "Rprec"),
        ("num_rel", "NumRel"), ("num_rel_ret", "NumRet(rel=1)"), ("bpref", "Bpref"), ("infAP", "infAP"),
        (" P(rel=2)@10 ", "P(rel=2)@10"), ("P( rel = 2 )@10", "P(rel=2)@10"), ("P(rel=2,cutoff=10)", "P(rel=2)@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"), ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(gains={2: 9, 1: 3})@10", "nDCG(gains={1:3,2:9})@10"), ("nDCG(gains={1:1})", "nDCG"),
        ("RBP(p=0.9,rel=1)", "RBP(p=0.9,rel=1)"), ("P@2147483647", "P@2147483647"),
    ],
)  # fmt: skip
def test_names_and_aliases(alias, name):
    assert str(parse_measure(alias)) == name
    assert str(parse_measure(name)) == name


@pytest.mark.parametrize(
    "name", ["P@10", "R(rel=2)@100", "RR", "RR@10", "nDCG@10", "nDCG(dcg='exp-log2')@10", "AP(rel=2)@100", "Judged@10",
             "nDCG(gains={1:3,2:9})@10", "Success(rel=3)@1", "Rprec(rel=2)", "NumRet(rel=1)", "RBP(p=0.9,rel=1)"]
)  # fmt: skip
def test_names_are_ir_measures_own(name):
    assert parse_measure(ir_measures.parse_measure(name)) == parse_measure(name)
    assert ir_measures.parse_measure(str(parse_measure(name))) == ir_measures.parse_measure(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "is not a measure's name"), ("P@", "Found ''"), ("P@@10", "is not a measure's name"),
        ("P@ten", "Found 'ten'"), ("P@1e3", "Found '1e3'"), ("P@2.5", "Found '2.5'"), ("P@0", "Found 0"),
        ("P@-1", "Found -1"), ("P@1_0", "Found '1_0'"),
        ("P@\u0661", "Found"), ("P-1", "not a measure's name"), (f"P@{2**31}", f"Found {2**31}"),
        ("P@" + "9" * 5000, "must be an int"),
        ("P", "P needs a cutoff. Hint: write P@10"), ("Rprec@5", "takes no cutoff"),
        ("Precison@5", "did you mean P?"), ("ndgc@10", "did you mean nDCG?"), ("MRRR@10", "did you mean RR?"),
        ("F1@10", "Unknown measure"), ("P(rel=0)@5", "'rel' parameter of P must be"), ("P(rel=True)@5", "Found True"),
        ("P(rel=1.5)@5", "Found 1.5"),
        ("P(level=2)@5", "Unknown parameter 'level'"), ("nDCG(rel=2)@5", "no parameter 'rel'"),
        ("P(judged_only=True)@5", "unjudged_document='condense'"), ("P(rel=__import__('os'))@5", "cannot be read"),
        ("P(2)@5", "cannot be read"),
        ("P(rel=2", "is not a measure's name"), ("nDCG(dcg='ln')@5", "must be 'log2' or 'exp-log2'"),
        ("nDCG(gains={1:4.5})@5", "integer gains"),
        ("nDCG(gains={1:-1})@5", "integer gains"), ("nDCG(gains=3)@5", "integer gains"),
        ("nDCG(dcg='exp-log2',gains={1:3})@5", "not both"),
        ("RBP(p=1.5)", "between 0 and 1"), ("RBP(p='x')", "between 0 and 1"),
        (None, "found None of type NoneType"), (5, "found 5 of type int"), ({"P": 5}, "of type dict"),
    ],
)  # fmt: skip
def test_what_is_refused(name, message):
    with pytest.raises(MeasureError, match=re.escape(message)) as caught:
        parse_measure(name)
    assert len(str(caught.value)) < 400


def test_a_cutoff_for_those_without():
    assert [str(m) for m in parse_measures(["P", "RR", "P@5", "Rprec"], cutoff=10)] == ["P@10", "RR@10", "P@5", "Rprec"]


def test_several_each_once_in_order():
    assert [str(m) for m in parse_measures(["MRR@10", "P@5", "RR@10", Measure("P", 5)])] == ["RR@10", "P@5"]
    assert parse_measures("P@5") == parse_measures(Measure("P", 5)) == (Measure("P", 5),)


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "Q"},
        {"name": "P", "cutoff": "5"},
        {"name": "P", "cutoff": True},
        {"name": "nDCG", "gains": (1, 2)},
        {"name": "nDCG", "gains": ((1, 2, 3),)},
        {"name": "nDCG", "gains": ((1, "2"),)},
        {"name": "nDCG", "gains": ((1, 2), (1, 3))},
        {"name": "nDCG", "gains": "12"},
        {"name": "nDCG", "gains": {1: True}},
    ],
)
def test_a_measure_cannot_be_made_wrong(arguments):
    with pytest.raises(MeasureError):
        Measure(**arguments)


def test_gains():
    burges = Measure("nDCG", 10, dcg="exp-log2")
    assert [burges.gain(grade) for grade in (-2, 0, 1, 2, 3)] == [0, 0, 1, 3, 7]
    assert Measure("nDCG", gains=((2, 9), (1, 3), (5, 5))) == parse_measure("nDCG(gains={1:3,2:9})")
    assert Measure("nDCG", gains={-1: 0, 0: 0, 3: 3}) == Measure("nDCG")
    assert [Measure("nDCG", gains=((1, 3), (0, 1))).gain(grade) for grade in (-1, 0, 1, 2)] == [0, 1, 3, 2]


def test_the_catalogue_says_where_each_definition_is_from():
    for name, definition in CATALOGUE.items():
        assert definition.source, name
        assert definition.formula, name
