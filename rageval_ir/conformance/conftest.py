"""The subject of `pytest --pyargs rageval_ir.conformance --subject SUBJECT`, running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rageval_ir.conformance.runner import Runner, python_command

collect_ignore_glob = ["subjects/*"]  # each needs its library


@pytest.fixture(scope="session")
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """The subject, running."""
    with Runner(python_command(request.config.getoption("--subject"))) as running:
        yield running
