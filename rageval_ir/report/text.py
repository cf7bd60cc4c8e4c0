"""A table as plain text, in columns."""

from __future__ import annotations

from rageval_ir.report.table import Table

__all__ = ["text"]


def text(table: Table) -> str:
    r"""The table in aligned columns, then its notes; no final newline.

    >>> from rageval_ir.report.table import Heading
    >>> print(text(Table((Heading("system", False), Heading("P@2")), (("A", "0.3333"),))))
    system     P@2
    A       0.3333
    """
    title = [f"{_visible(table.title)}:"] if table.title else []
    notes = [_visible(note) for note in table.notes]
    return "\n".join([*title, *_body(table), *(["", *notes] if notes else [])])


def _body(table: Table) -> list[str]:
    """The rows below their headings; a table without rows is nothing to look at."""
    if not table.rows:
        return ["(nothing)"]
    lines = [tuple(heading.name for heading in table.headings), *table.rows]
    lines = [tuple(map(_visible, cells)) for cells in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numeric = [heading.is_number for heading in table.headings]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ).rstrip()
        for cells in lines
    ]


def _visible(cell: str) -> str:
    """The cell on one line: control characters, which could break the table, are spelled out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cell)
