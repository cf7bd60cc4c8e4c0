"""A table as an HTML fragment, for notebooks."""

from __future__ import annotations

from html import escape

from rageval_ir.report.table import Table

__all__ = ["html"]


def html(table: Table) -> str:
    """The table as `<table>`, then its notes as `<p>`; all text is escaped.

    >>> from rageval_ir.report.table import Heading
    >>> html(Table((Heading("system", False),), (("<b>",),)))
    '<table><thead><tr><th>system</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(heading.name)}</th>" for heading in table.headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>" for cells in table.rows)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
