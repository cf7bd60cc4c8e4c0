"""Tables as text, Markdown and HTML: every result prints through these, none computes anything."""

from rageval_ir.report.html import html
from rageval_ir.report.markdown import markdown
from rageval_ir.report.table import Table
from rageval_ir.report.text import text

__all__ = ["Table", "html", "markdown", "text"]
