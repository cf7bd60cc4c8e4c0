"""What a result does to be printed: text, HTML in notebooks, Markdown, all from its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rageval_ir.report.html import html
from rageval_ir.report.markdown import markdown
from rageval_ir.report.table import Table
from rageval_ir.report.text import text

__all__ = ["Printed", "markdowns", "texts"]


class Printed(Protocol):
    """A result that prints as its tables."""

    def tables(self) -> Sequence[Table]:
        """What is printed, in order."""

    def __repr__(self) -> str:
        return texts(self.tables())

    def _repr_html_(self) -> str:
        return "".join(map(html, self.tables()))

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        return markdowns(self.tables())


def texts(tables: Sequence[Table]) -> str:
    """Several tables as plain text, a blank line between two."""
    return "\n\n".join(map(text, tables))


def markdowns(tables: Sequence[Table]) -> str:
    """Several tables as Markdown."""
    return "\n\n".join(map(markdown, tables))
