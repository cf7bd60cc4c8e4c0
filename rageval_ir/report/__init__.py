"""Tables as text, Markdown and HTML: every result prints through these, none computes anything."""

from rageval_ir.report.printed import Printed, markdowns, texts
from rageval_ir.report.table import Heading, Table

__all__ = ["Heading", "Printed", "Table", "markdowns", "texts"]
