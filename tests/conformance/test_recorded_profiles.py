"""Recorded profiles: as their schema says, as the named ones say, as the page says, and still true."""

import json
from pathlib import Path

import jsonschema
import pytest

from rageval_ir import PROFILES
from rageval_ir.conformance import cases, page, run
from rageval_ir.conformance.followed import AXIS_NAMES
from rageval_ir.conformance.recorded import followed, record, records
from rageval_ir.conformance.runner import SUBJECTS
from rageval_ir.conformance.suite import folder
from rageval_ir.errors import InputError

NAMES = [profile["profile"] for profile in records()]
LIVE = [name for name in NAMES if name not in ("RANX", "MTEB")]  # half a minute each; the rest take a few seconds


def test_every_subject_is_recorded_but_the_one_that_needs_a_path():
    assert {name.lower() for name in NAMES} == set(SUBJECTS) - {"trec_eval"}


@pytest.mark.parametrize("profile", records(), ids=NAMES)
def test_a_profile_is_as_its_schema_says(profile):
    schema = json.loads((folder() / "schema" / "profile.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(profile)
    known = {case.id for case in cases()}
    assert {each["case"] for each in profile["failed"]} | set(profile["no_answer"]) <= known
    assert {case for case in profile["shown_by"].values() if case} <= known


@pytest.mark.parametrize("profile", records(), ids=NAMES)
def test_the_named_profile_is_the_measured_one(profile):
    """On every axis the named option is what P or R was seen to follow, or where neither was seen, some measure."""
    named = PROFILES["TREC_EVAL" if profile["profile"] == "REFERENCE" else profile["profile"]]
    for axis in AXIS_NAMES:
        option, found = named.convention.to_dict()[axis], followed(profile, axis)
        if found.option is not None:
            assert option == found.option, axis
            continue
        seen = [options for options in found.by_measure.values() if options]
        main = [found.by_measure[each] for each in ("P@k", "R@k") if found.by_measure.get(each)]
        assert any(option in options for options in main or seen) or not seen, (axis, found.text)
        if found.by_measure and not found.possible:
            assert named.notes, axis  # what no option can say is said in words


def test_the_page_is_in_step():
    written = Path(__file__).parents[2] / "docs" / "conventions.md"
    assert written.read_text("utf-8") == page() + "\n"


@pytest.mark.parametrize("name", LIVE)
def test_a_recorded_profile_still_holds(name):
    recorded = next(profile for profile in records() if profile["profile"] == name)
    try:
        result = run(name)
    except InputError as error:
        if "ModuleNotFoundError" not in str(error) and "PackageNotFoundError" not in str(error):
            raise
        pytest.skip(f"not installed: {error}")
    if result.implementation.version != recorded["version"]:
        pytest.skip(f"recorded for {recorded['version']}, found {result.implementation.version}")
    assert record(name, result, recorded["measured"]) == recorded
