"""The cases of the conformance suite, read from `fixtures/cases` and `fixtures/published`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from rageval_ir.conformance.answer import Answer, difference

__all__ = ["Case", "Expectation", "Source", "cases", "folder"]

Judgments = Mapping[str, Mapping[str, int]]
Rows = Mapping[str, Sequence[tuple[str, float]]]


@dataclass(frozen=True)
class Source:
    """Where a case's definition was published, and what it says there."""

    cite: str
    where: str
    says: str
    url: str = ""


@dataclass(frozen=True)
class Expectation:
    """One `test` of a case: the exact value of a measure, and under what it holds."""

    measure: str
    result: str
    """"valid", "undefined" (0/0: null, or what an option of `no_relevant` gives) or "invalid" (refused)."""
    per_query: Mapping[str, Fraction | None]
    """Query id to value; None where the query has none, so that it is left out of the mean."""
    mean: Fraction | None
    axis: str | None
    """The axis whose option the value shows; None where every implementation must give it."""
    option: str | int | None
    given: Mapping[str, str | int]
    """The options on other axes that the value also needs."""
    working: Mapping[str, str]
    """Query id to the value as it is written: a rational, or an expression with logarithms."""

    @property
    def family(self) -> str:
        """The measure without parameters, and k for its cutoff, such as P@k."""
        name, _, cutoff = self.measure.partition("@")
        return name.partition("(")[0] + ("@k" if cutoff else "")

    def difference(self, answer: Answer, tolerance: float = 0.0) -> str:
        """How an answer differs from what is expected; empty where it does not."""
        return difference(self, answer, tolerance)


@dataclass(frozen=True, eq=False)
class Case:
    """One small input, and what is expected of it.

    Attributes
    ----------
    id : str
        Unique in the suite, and stable.
    qrels : {query id: {document id: grade}}
    run : {query id: rows of (document id, score)}
        In the input's order; where the case gives a ranked list, scores are n, n - 1, ..., 1.
    tests : tuple of Expectation
    """

    id: str
    suite: str
    description: str
    source: tuple[Source, ...]
    flags: Mapping[str, str]
    """Name to what an implementation with that fault does, and would print."""
    qrels: Judgments
    run: Rows
    derivation: str
    tests: tuple[Expectation, ...]

    def __str__(self) -> str:
        return self.id

    @property
    def measures(self) -> list[str]:
        """The measures asked, each once."""
        return list(dict.fromkeys(test.measure for test in self.tests))

    @property
    def required(self) -> tuple[Expectation, ...]:
        """What every implementation must give, whatever it does on the axes."""
        return tuple(test for test in self.tests if test.axis is None)

    @property
    def axes(self) -> list[str]:
        """The axes on which the case tells options apart."""
        return list(dict.fromkeys(test.axis for test in self.tests if test.axis is not None))

    @property
    def size(self) -> int:
        """How many judgments and rows it has: the smaller, the better an example."""
        return sum(map(len, self.qrels.values())) + sum(map(len, self.run.values()))


def folder() -> Path:
    """Where the fixtures are: beside this file in a wheel, at the top in a checkout."""
    packed = Path(__file__).parent / "fixtures"
    return packed if packed.is_dir() else Path(__file__).parents[2] / "fixtures"


@cache
def cases() -> tuple[Case, ...]:
    """Every case of the suite, by file and in the file's order.

    Examples
    --------
    For pytest: ``@pytest.mark.parametrize("case", cases(), ids=str)``.

    >>> case = next(case for case in cases() if case.id == "p-hit-at-the-cutoff")
    >>> case.run["q"], case.tests[0].measure, case.tests[0].per_query["q"]
    ((('n', 2.0), ('a', 1.0)), 'P@2', Fraction(1, 2))
    """
    files = sorted(folder().glob("cases/*.json")) + sorted(folder().glob("published/*.json"))
    return tuple(case for path in files for case in _file(json.loads(path.read_text("utf-8"))))


def _file(suite: Mapping[str, Any]) -> list[Case]:
    notes = {name: f"{note['description']} {note['effect']}" for name, note in suite["notes"].items()}
    return [_case(suite["suite"], notes, case) for case in suite["cases"]]


def _case(suite: str, notes: Mapping[str, str], case: Mapping[str, Any]) -> Case:
    return Case(
        id=case["id"],
        suite=suite,
        description=case["description"],
        source=tuple(Source(**source) for source in case["source"]),
        flags={flag: notes[flag] for flag in case["flags"]},
        qrels=case["input"]["qrels"],
        run=_run(case["input"]),
        derivation=case["derivation"],
        tests=tuple(_expectation(test) for test in case["tests"]),
    )


def _run(given: Mapping[str, Any]) -> Rows:
    """Rows in the input's order, whichever way the case writes them."""
    if "rankings" in given:
        return {
            query_id: tuple((doc_id, float(len(ranking) - i)) for i, doc_id in enumerate(ranking))
            for query_id, ranking in given["rankings"].items()
        }
    return {
        query_id: tuple((doc_id, float(score)) for doc_id, score in (rows.items() if isinstance(rows, dict) else rows))
        for query_id, rows in given["scores"].items()
    }


def _expectation(test: Mapping[str, Any]) -> Expectation:
    per_query = test.get("per_query", {})
    return Expectation(
        measure=test["measure"],
        result=test["result"],
        per_query={query_id: _value(value) for query_id, value in per_query.items()},
        mean=_value(test.get("mean")),
        axis=test.get("axis"),
        option=test.get("option"),
        given=test.get("given", {}),
        working={query_id: _written(value) for query_id, value in per_query.items()},
    )


def _value(value: Any) -> Fraction | None:
    if value is None:
        return None
    return Fraction(value["digits"] if isinstance(value, dict) else value)


def _written(value: Any) -> str:
    if value is None:
        return "left out"
    return f"{value['expression']} = {value['digits'][:8]}" if isinstance(value, dict) else str(value)
