"""The suite as pytest's tests: what every case requires of the subject that `--subject` names."""

from __future__ import annotations

import pytest

from rageval_ir.conformance.result import Conformance
from rageval_ir.conformance.runner import Runner
from rageval_ir.conformance.suite import cases


@pytest.fixture(scope="session")
def result(runner: Runner) -> Conformance:
    """All answers: which values a case requires may depend on the options found in others."""
    answered = [(case, runner.answers(case)) for case in cases()]
    return Conformance(runner.implementation, answered)


@pytest.mark.parametrize("position", range(len(cases())), ids=[case.id for case in cases()])
def test_case(result: Conformance, position: int) -> None:
    """The subject gives what the case requires."""
    outcome = result.outcomes[position]
    if outcome.status == "skipped":
        pytest.skip(outcome.message)
    problems = [f"{each.measure}: found {each.found}, required {each.expected}" for each in outcome.failures]
    problems += [f"{outcome.status}: {outcome.message}"] if outcome.status in ("crashed", "timed_out") else []
    assert not problems, "\n".join([outcome.case.description, *problems, *outcome.case.flags.values()])
