"""The definitions as a page, and every worked example computed."""

import re
from fractions import Fraction
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval

from rageval_ir import PROFILES, MeasureError, evaluate, handbook
from rageval_ir.catalogue import CATALOGUE, EXAMPLE_JUDGMENTS, EXAMPLE_RANKING
from rageval_ir.conventions import AXES

PAGE = Path(__file__).parents[1] / "docs" / "measures.md"


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_worked_example(name):
    measure, _, value = CATALOGUE[name].example.partition(" = ")
    found = evaluate({"q": EXAMPLE_JUDGMENTS}, {"q": EXAMPLE_RANKING}, measure).mean("run", measure)
    if "." in value:
        assert f"{found:.4f}" == value
    else:
        assert found == float(Fraction(value))


def test_the_page_is_what_the_command_prints():
    assert PAGE.read_text(encoding="utf-8") == handbook.measures_page() + "\n"


def test_names_elsewhere_are_those_that_others_know():
    for name, definition in CATALOGUE.items():
        assert hasattr(ir_measures, name)
        if definition.trec_name:
            assert definition.trec_name in pytrec_eval.supported_measures
        assert bool(definition.trec_name) == (definition.backend == "pytrec_eval")


def test_every_source_says_who_where_and_when():
    for definition in CATALOGUE.values():
        assert re.search(r"(19|20)\d\d", definition.source) or re.match(r"trec_eval|ir_measures", definition.source)


def test_a_measure_by_any_of_its_names():
    assert handbook.measure("MRR") == handbook.measure("RR") == handbook.measure("recip_rank")
    with pytest.raises(MeasureError, match="did you mean nDCG"):
        handbook.measure("nDGC")


def test_conventions_are_listed_and_explained():
    assert [row[0] for row in handbook.conventions().rows] == list(PROFILES)
    for name in PROFILES:
        assert [row[0] for row in handbook.convention(name).rows] == [*AXES, "relevance_level"]
        assert all(row[2] for row in handbook.convention(name).rows)
