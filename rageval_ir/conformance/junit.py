"""A result as JUnit XML, which continuous integration shows: a test case for each case and each axis."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from rageval_ir.conformance.result import Conformance, Outcome

__all__ = ["junit"]

_ELEMENTS: Mapping[str, str] = {"failed": "failure", "crashed": "error", "timed_out": "error", "skipped": "skipped"}


def junit(result: Conformance) -> str:
    """The XML; a departure from what was expected is a failure of its axis."""
    suites = ElementTree.Element("testsuites")
    by_file: dict[str, list[Outcome]] = {}
    for outcome in result.outcomes:
        by_file.setdefault(outcome.case.suite, []).append(outcome)
    for name, outcomes in by_file.items():
        _suite(suites, name, [(each.case.id, each.status, _text(each)) for each in outcomes])
    departures = {axis: f"expected {option}, found {found}" for axis, option, found in result.departures}
    rows = [
        (axis, "failed" if axis in departures else "passed" if followed.by_measure else "skipped",
         departures.get(axis, followed.text))
        for axis, followed in result.axes.items()
    ]  # fmt: skip
    _suite(suites, "axes", rows)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=False)


def _suite(suites: ElementTree.Element, name: str, rows: Sequence[tuple[str, str, str]]) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name=name, tests=str(len(rows)))
    for kind in ("failure", "error", "skipped"):
        plural = {"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]
        suite.set(plural, str(sum(_ELEMENTS.get(status) == kind for _, status, _ in rows)))
    for case, status, text in rows:
        element = ElementTree.SubElement(suite, "testcase", classname=f"conformance.{name}", name=case)
        if status in _ELEMENTS:
            ElementTree.SubElement(element, _ELEMENTS[status], message=_printable(text))


def _text(outcome: Outcome) -> str:
    failures = [f"{each.measure}: found {each.found}, required {each.expected}" for each in outcome.failures]
    return outcome.message or "\n".join(failures)


def _printable(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return re.sub("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\N{REPLACEMENT CHARACTER}", text)
