"""A table as Markdown (GitHub's pipes), with its notes as a list."""

from __future__ import annotations

import re

from rageval_ir.report.table import Table

__all__ = ["markdown"]


def markdown(table: Table) -> str:
    r"""The table as Markdown; no final newline. Cells are shown, never taken for markup.

    >>> from rageval_ir.report.table import Heading
    >>> print(markdown(Table((Heading("system", False), Heading("P@2")), (("A|B", "0.3333"),))))
    | system | P@2 |
    | :--- | ---: |
    | A\|B | 0.3333 |
    """
    head = [_line(heading.name for heading in table.headings)]
    rule = ["| " + " | ".join("---:" if h.is_number else ":---" for h in table.headings) + " |"]
    body = [_line(cells) for cells in table.rows]
    notes = ["", *(f"- {_escape(note)}" for note in table.notes)] if table.notes else []
    title = [f"**{_escape(table.title)}**", ""] if table.title else []
    return "\n".join(title + (head + rule + body if body else ["(nothing)"]) + notes)


def _line(cells: object) -> str:
    return "| " + " | ".join(_escape(cell) for cell in cells) + " |"  # type: ignore[attr-defined]


def _escape(cell: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|~#])", r"\\\1", " ".join(cell.split()))
