"""Several processes: the outcomes of one, in the order given; errors, and processes that are killed."""

import os
import signal

import pytest

from rageval_ir.errors import BackendError, Disagreement, DisagreementError, InputError
from rageval_ir.jobs import outcomes


def work(shared, name, given):
    if given == "bad":
        raise InputError(f"{name} is bad", hint="make it good")
    if given == "disagree":
        raise DisagreementError("differ", Disagreement("A", "q", "P@1", 0.1, 0.2), hint="report it")
    if given == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{shared} {name} {given}"


@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_outcomes_are_in_order_and_errors_are_some(jobs):
    a, b, c, d = outcomes(work, "shared", {"a": "1", "b": "bad", "c": "3", "d": "disagree"}, jobs)
    assert (a, c) == ("shared a 1", "shared c 3")
    assert (type(b), str(b)) == (InputError, "b is bad Hint: make it good")
    assert (d.exit_code, d.hint, d.disagreement.query_id) == (4, "report it", "q")


def test_a_killed_process_is_an_error():
    found = list(outcomes(work, "shared", {"a": "die", "b": "die"}, 2))
    assert [type(each) for each in found] == [BackendError, BackendError]
    assert str(found[0]).startswith("system 'a': its process, or another's, was killed.")
