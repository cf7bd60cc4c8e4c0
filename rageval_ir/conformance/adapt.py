"""What subjects written in Python share: a measure's parts, and judgments and rows as sets, lists and dictionaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Measure", "as_dict", "as_list", "lists", "measure_of", "relevant"]

Rows = Sequence[tuple[str, float]]


class Measure(NamedTuple):
    """The parts of a measure's name, unchecked: what a cutoff of 0 does is the subject's to show."""

    name: str
    cutoff: Any
    """An int or None; a fraction, where one is written, stays one."""
    rel: int
    """The least grade that is relevant; 1 unless the name says another."""
    exponential: bool
    """Whether nDCG's gain is 2^grade - 1."""

    @property
    def key(self) -> str:
        """The name, with @k where there is a cutoff: "P@k", "RR"."""
        return self.name if self.cutoff is None else f"{self.name}@k"


def measure_of(text: str) -> Measure:
    """Take a measure's name apart.

    >>> measure_of("P(rel=2)@10")
    Measure(name='P', cutoff=10, rel=2, exponential=False)
    """
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(.+))?", text)
    if match is None:
        raise NotImplementedError(text)
    name, parameters, cutoff = match.groups()
    rel = re.search(r"rel=(\d+)", parameters or "")
    number = None if cutoff is None else float(cutoff) if "." in cutoff else int(cutoff)
    return Measure(name, number, int(rel[1]) if rel else 1, "exp-log2" in (parameters or ""))


def as_list(rows: Rows) -> list[str]:
    """Document ids, best first, by a stable sort: equal scores stay in the input's order.

    >>> as_list([("a", 1.0), ("b", 2.0), ("c", 1.0)])
    ['b', 'a', 'c']
    """
    return [doc_id for doc_id, _ in sorted(rows, key=lambda row: -row[1])]


def as_dict(rows: Rows) -> dict[str, float]:
    """Document id to score.

    Raises
    ------
    NotImplementedError
        A document stands there twice: a subject that reads dictionaries can never be given that.
    """
    scores = dict(rows)
    if len(scores) < len(rows):
        raise NotImplementedError("a dictionary holds a document once")
    return scores


def relevant(judgments: Mapping[str, int], rel: int = 1) -> list[str]:
    """The ids of the documents whose grade is `rel` or more.

    >>> relevant({"a": 1, "b": 0, "c": 2})
    ['a', 'c']
    """
    return [doc_id for doc_id, grade in judgments.items() if grade >= rel]


def lists(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Rows],
    measure: Measure,
    value: Callable[[list[str], list[str]], float],
) -> dict[str, float]:
    """The values of a function of two lists, relevant and retrieved, for every judged query.

    A query that the run lacks is given as an empty list. Who calls such a function decides which queries he
    gives it, so that queries without any judgment cannot be asked about.
    """
    if run.keys() - qrels.keys():
        raise NotImplementedError("which queries are evaluated is the caller's choice")
    return {
        query_id: value(relevant(judgments, measure.rel), as_list(run.get(query_id, ())))
        for query_id, judgments in qrels.items()
    }
