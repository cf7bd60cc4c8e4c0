"""pytest's option `--subject`: what `pytest --pyargs rageval_ir.conformance` puts to the test."""

from __future__ import annotations

import pytest

__all__ = ["pytest_addoption"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option, which a conftest in an installed package would add too late."""
    group = parser.getgroup("rageval_ir", "conformance of retrieval measures")
    group.addoption("--subject", default="reference", help="module:function, or a subject that comes with the suite")
