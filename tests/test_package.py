"""The package as a whole: what importing it costs and brings, and that its public names are documented."""

import importlib.metadata
import importlib.util
import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rageval_ir

HEAVY = ("pandas", "numpy", "scipy", "ir_measures", "pytrec_eval")


def test_importing_loads_nothing_heavy():
    code = f"import sys, rageval_ir; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_frames_are_built_only_when_asked_for():
    code = (
        "import sys, rageval_ir\n"
        "result = rageval_ir.evaluate({'q': {'a'}}, {'A': {'q': ['a']}}, ['P@1', 'nDCG@1'])\n"
        "repr(result), result.to_json(), result.to_markdown()\n"
        "assert 'pandas' not in sys.modules; result.summary(); assert 'pandas' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_star_import_shadows_no_module():
    for name in rageval_ir.__all__:
        assert importlib.util.find_spec(name) is None, name


def test_the_version_is_the_distributions():
    metadata = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert metadata["project"]["dynamic"] == ["version"]
    assert importlib.metadata.version("rageval-ir") == rageval_ir.__version__


@pytest.mark.parametrize("name", sorted(rageval_ir.__all__))
def test_every_public_name_says_what_it_is(name):
    public = getattr(rageval_ir, name)
    if inspect.isfunction(public):
        text = inspect.getdoc(public)
        assert "Raises\n------" in text
        assert ">>>" in text or "Returns" in text
    elif inspect.isclass(public):
        assert inspect.getdoc(public)


def test_an_error_is_also_the_builtin_that_it_refines():
    with pytest.raises(ValueError, match="Unknown measure"):
        rageval_ir.parse_measure("nothing")
    for error in (rageval_ir.InputError, rageval_ir.MeasureError, rageval_ir.ConventionError):
        assert issubclass(error, rageval_ir.RagevalError)
        assert issubclass(error, ValueError)
    assert issubclass(rageval_ir.BackendMissingError, ImportError)
    assert str(rageval_ir.InputError("Found 3.", hint="give 4.")) == "Found 3. Hint: give 4."
