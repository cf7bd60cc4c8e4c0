"""What several test files share."""

import os
from pathlib import Path

import pytest

_DATA = Path(os.environ.get("RAGEVAL_IR_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """Published runs, judgments and outputs; they are not ours to ship, so they may be absent."""
    if not _DATA.is_dir():
        absent = f"published data not found in {_DATA}; set RAGEVAL_IR_DATA to its folder"
        if os.environ.get("CI"):
            pytest.fail(absent)
        pytest.skip(absent)
    return _DATA


@pytest.fixture
def tutorial() -> Path:
    """The example that ships with the repository."""
    return Path(__file__).parents[1] / "fixtures" / "tutorial"
