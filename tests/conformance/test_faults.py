"""The suite against measures with a seeded fault: each is caught, and the intact ones pass."""

from pathlib import Path

import pytest
from broken import FAULTS

from rageval_ir.conformance import run


@pytest.fixture(autouse=True)
def _broken_can_be_imported(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def test_the_intact_measures_pass(monkeypatch):
    monkeypatch.delenv("FAULT", raising=False)
    result = run("broken:score", expect="TREC_EVAL")
    assert result.verdict == ""
    assert result.required["skipped"] == 0
    assert {axis: found.option for axis, found in result.axes.items()} == result.expected.to_dict()


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_caught(monkeypatch, fault):
    monkeypatch.setenv("FAULT", fault)
    assert run("broken:score", expect="TREC_EVAL").verdict
