"""Recorded profiles: what each implementation was found to do, in `fixtures/profiles`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from rageval_ir.conformance.followed import Followed
from rageval_ir.conformance.result import Conformance
from rageval_ir.conformance.suite import folder

__all__ = ["followed", "record", "records"]


def record(name: str, result: Conformance, measured: str) -> dict[str, Any]:
    """The profile that a result shows; `fixtures/schema/profile.json` describes it."""
    return {
        "schema_version": 1,
        "profile": name,
        "subject": result.implementation.name,
        "version": result.implementation.version,
        "measured": measured,
        "axes": {axis: found.option for axis, found in result.axes.items()},
        "by_measure": {
            axis: {measure: sorted(options, key=str) for measure, options in found.by_measure.items()}
            for axis, found in result.axes.items()
        },
        "shown_by": {axis: found.shown_by[0] if found.shown_by else None for axis, found in result.axes.items()},
        "required": result.required,
        "failed": [each._asdict() for each in result.failures],
        "no_answer": {each.case.id: each.status for each in result.outcomes if each.status in ("crashed", "timed_out")},
    }


@cache
def records() -> tuple[Mapping[str, Any], ...]:
    """Every recorded profile, by name."""
    return tuple(json.loads(path.read_text("utf-8")) for path in sorted(folder().glob("profiles/*.json")))


def followed(profile: Mapping[str, Any], axis: str) -> Followed:
    """What a recorded profile says of one axis."""
    by_measure = {measure: frozenset(options) for measure, options in profile["by_measure"][axis].items()}
    return Followed(axis, by_measure)
