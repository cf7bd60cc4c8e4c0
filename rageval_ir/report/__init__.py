"""Tables as text, Markdown and HTML: every result prints through these, none computes anything."""

from collections.abc import Iterable

from rageval_ir.report.html import html
from rageval_ir.report.markdown import markdown
from rageval_ir.report.table import Table
from rageval_ir.report.text import text

__all__ = ["Table", "html", "htmls", "markdown", "markdowns", "text", "texts"]


def texts(tables: Iterable[Table]) -> str:
    """Several tables as plain text, a blank line between two."""
    return "\n\n".join(map(text, tables))


def markdowns(tables: Iterable[Table]) -> str:
    """Several tables as Markdown."""
    return "\n\n".join(map(markdown, tables))


def htmls(tables: Iterable[Table]) -> str:
    """Several tables as HTML."""
    return "".join(map(html, tables))
