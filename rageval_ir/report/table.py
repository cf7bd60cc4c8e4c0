"""A table ready to print: headings, cells as text, and lines of notes below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Heading", "Table"]


class Heading(NamedTuple):
    """A column's name, and whether its cells are numbers (and so stand to the right)."""

    name: str
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """What a renderer needs: cells are printed as they are, one line each."""

    headings: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    title: str = ""
