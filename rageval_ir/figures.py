"""Reported figures: numbers as printed, whose digits say how exactly they are known."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any, NamedTuple

from rageval_ir.errors import InputError, place, shown
from rageval_ir.formats.source import PathLike, lines
from rageval_ir.measures import Measure, parse_measure

__all__ = ["Figure", "figures", "read_reported"]

_NUMBER = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE](?P<exponent>[+-]?[0-9]{1,6}))?\s*(?P<percent>%?)"
)


class Figure(NamedTuple):
    """One number of a table."""

    system: str
    measure: Measure
    text: str
    """As it was printed."""
    value: float
    """In the measure's own unit: a percentage is divided by 100."""
    tolerance: float
    """Half a unit of the last printed digit, and what floats may be off."""

    def fits(self, mean: float | None) -> bool:
        """Whether the mean prints as this figure, however a half is rounded."""
        return mean is not None and abs(mean - self.value) <= self.tolerance


def figures(reported: Mapping[str, Mapping[str, Any]]) -> list[Figure]:
    """The figures of a table.

    Parameters
    ----------
    reported : mapping
        System -> measure's name -> number: text as printed (".8241", "82.4", "82.41 %"), or an int or float,
        which is taken as it prints. More than 1 is a percentage, but for counts.

    Raises
    ------
    InputError
        Another shape, no figure, or a text that is no number.
    MeasureError
        As `parse_measure`.

    Examples
    --------
    >>> (figure,) = figures({"bm25": {"MRR@10": "82.4"}})
    >>> str(figure.measure), round(figure.value, 6), round(figure.tolerance, 6)
    ('RR@10', 0.824, 0.0005)
    """
    if not isinstance(reported, Mapping) or not all(isinstance(row, Mapping) for row in reported.values()):
        raise InputError(
            f"reported: found {shown(reported)}; expected system -> measure -> number.",
            hint='for example {"bm25": {"MRR@10": ".8241"}}.',
        )
    found = [_figure(str(s), parse_measure(name), given) for s, row in reported.items() for name, given in row.items()]
    if not found:
        raise InputError("reported: holds no figure.", hint='for example {"bm25": {"MRR@10": ".8241"}}.')
    return found


def _figure(system: str, measure: Measure, given: Any) -> Figure:
    text = str(given).strip()
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise InputError(f"reported, {place(system=system)}, {measure}: {shown(given)} is no number.")
    exponent = match["exponent"] or "0"
    value = float(f"{match['number']}e{exponent}")
    half = float(f"5e{int(exponent) - len(match['number'].partition('.')[2]) - 1}")
    if not math.isfinite(value):
        raise InputError(f"reported, {place(system=system)}, {measure}: {shown(given)} is too large.")
    if match["percent"] or (value > 1 and measure.definition.aggregate == "mean"):
        value, half = value / 100, half / 100
    return Figure(system, measure, text, value, half + 1e-12 * max(1.0, abs(value)))


def read_reported(path: PathLike) -> dict[str, dict[str, str]]:
    """A table of figures from a CSV or TSV file: columns system and each measure; empty cells and n are skipped.

    Parameters
    ----------
    path : str or path
        "-" is standard input.

    Returns
    -------
    dict of str to dict of str to str
        System -> measure's name -> number as printed, which `reconcile` takes.

    Raises
    ------
    InputError
        The file cannot be read, has no header, no column "system", or a row of another length.
    """
    text = b"".join(lines(path)).decode("utf-8", "replace")
    header, *rows = list(_rows(text)) or [[]]
    names = [name.strip() for name in header]
    if "system" not in names or len(set(names)) < len(names):
        raise InputError(
            f"{path}: found the columns {', '.join(map(repr, names))}; expected system, and each measure once.",
            hint="for example system,P@10,MRR@10.",
        )
    reported: dict[str, dict[str, str]] = {}
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise InputError(f"{path}, row {number}: {len(row)} cells, but {len(names)} columns.")
        cells = dict(zip(names, map(str.strip, row), strict=True))
        system = cells.pop("system")
        if system in reported:
            raise InputError(f"{path}, row {number}: the system {system!r} is there twice.")
        reported[system] = {name: cell for name, cell in cells.items() if cell and name != "n"}
    return reported


def _rows(text: str) -> Iterator[list[str]]:
    first = text.partition("\n")[0]
    for row in csv.reader(StringIO(text), delimiter="\t" if "\t" in first else ","):
        if any(cell.strip() for cell in row):
            yield row
