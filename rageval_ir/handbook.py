"""The definitions and conventions, as tables and as a page: what `rageval-ir measures` and `conventions` print."""

from __future__ import annotations

from rageval_ir.catalogue import CATALOGUE, EXAMPLE_JUDGMENTS, EXAMPLE_RANKING, Definition
from rageval_ir.conventions import AXES
from rageval_ir.measures import parse_measure
from rageval_ir.profiles import PROFILES
from rageval_ir.report import Heading, Table

__all__ = ["convention", "conventions", "measure", "measures", "measures_page"]


def measures() -> Table:
    """Every measure with its formula."""
    rows = tuple((name, each.title, each.formula, each.backend) for name, each in CATALOGUE.items())
    return Table(_headings("measure", "name", "value of a query", "computed by"), rows)


def measure(name: str) -> Table:
    """All that the catalogue says of one measure.

    Raises
    ------
    MeasureError
        There is no such measure.
    """
    bare = name if name in CATALOGUE else parse_measure(name, 10).name
    return Table(_headings("", bare), tuple(_facts(bare, CATALOGUE[bare])))


def measures_page() -> str:
    """All measures as a page of Markdown.

    >>> measures_page().splitlines()[0]
    '# Measures'
    """
    judged = ", ".join(f"{doc_id}: {grade}" for doc_id, grade in EXAMPLE_JUDGMENTS.items())
    parts = [
        "# Measures",
        "Written by `rageval-ir measures --format markdown`; a test computes every example.",
        f"The examples are of one query with the judgments {judged}, and the ranking {', '.join(EXAMPLE_RANKING)}.",
    ]
    parts.append(
        "Means over the orders of tied documents (`ties=expected`) follow F. McSherry and M. Najork, Computing"
        " Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores, ECIR 2008."
    )
    for name, definition in CATALOGUE.items():
        parts += [
            f"## {name}: {definition.title}",
            "\n".join(f"- {key}: {text}" for key, text in _facts(name, definition)),
        ]
    return "\n\n".join(parts)


def conventions() -> Table:
    """Every profile with its departures from `TREC_EVAL`."""
    rows = tuple((name, profile.software, _departures(name)) for name, profile in PROFILES.items())
    return Table(_headings("name", "software", "departures from TREC_EVAL"), rows)


def convention(name: str) -> Table:
    """One profile: its option on every axis, with what the option means."""
    profile = PROFILES[name]
    rows = []
    for axis in AXES:
        option = getattr(profile.convention, axis)
        rows.append((axis, str(option), option.explanation))
    rows.append(("relevance_level", str(profile.convention.relevance_level), "the least grade that is relevant"))
    notes = (f"{name}: {profile.software}", *([profile.notes] if profile.notes else []))
    return Table(_headings("axis", "option", "meaning"), tuple(rows), notes)


def _facts(name: str, definition: Definition) -> list[tuple[str, str]]:
    cutoff = {"required": f"{name}@k", "optional": f"{name} or {name}@k", "none": name}[definition.cutoff]
    trec = definition.trec_name or "none"
    return [
        ("formula", definition.formula),
        ("written", cutoff + (f"; parameters {', '.join(definition.parameters)}" if definition.parameters else "")),
        ("cutoff", definition.cutoff_rule),
        ("range", definition.range),
        ("computed by", definition.backend),
        ("in trec_eval", trec if definition.cutoff == "none" or not definition.trec_name else _trec_cut(definition)),
        ("in ir_measures", cutoff),
        ("source", definition.source),
        ("example", f"{definition.example}: {definition.working}"),
    ]


def _trec_cut(definition: Definition) -> str:
    names = {"map": "map, map_cut_k", "ndcg_cut": "ndcg, ndcg_cut_k", "recip_rank": "recip_rank, which takes no cutoff"}
    return names.get(definition.trec_name, f"{definition.trec_name}_k")


def _departures(name: str) -> str:
    departures = PROFILES[name].convention.departures()
    return ", ".join(f"{axis}={option}" for axis, option in departures.items()) or "none"


def _headings(*names: str) -> tuple[Heading, ...]:
    return tuple(Heading(name, False) for name in names)
