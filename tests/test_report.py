"""Tables as text, Markdown and HTML."""

from rageval_ir.report.html import html
from rageval_ir.report.markdown import markdown
from rageval_ir.report.table import Heading, Table
from rageval_ir.report.text import text

TABLE = Table(
    (Heading("system", False), Heading("P@2")),
    (("A", "0.3333"), ("long name", "1.0000")),
    ("a note | with <markup> and *stars*",),
)


def test_text():
    assert text(TABLE) == (
        "system        P@2\nA          0.3333\nlong name  1.0000\n\na note | with <markup> and *stars*"
    )


def test_markdown():
    assert markdown(TABLE) == (
        "| system | P@2 |\n| :--- | ---: |\n| A | 0.3333 |\n| long name | 1.0000 |\n\n"
        "- a note \\| with \\<markup\\> and \\*stars\\*"
    )


def test_html():
    assert html(TABLE).endswith("</tbody></table><p>a note | with &lt;markup&gt; and *stars*</p>")


def test_without_rows():
    assert text(Table((Heading("n"),), (), title="what moves")) == "what moves:\n(nothing)"
    assert markdown(Table((Heading("n"),), (), ("a note",))) == "(nothing)\n\n- a note"
