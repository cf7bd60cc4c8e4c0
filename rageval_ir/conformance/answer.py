"""What a subject answers for one measure of one case, and how it differs from what is expected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from rageval_ir.errors import shown

__all__ = ["Answer", "difference", "parse_answer"]

_ULPS = 4
"""How far a float may be from the correctly rounded value: one rounding each for a quotient and a few sums."""

_MESSAGE_MAX = 100


@dataclass(frozen=True)
class Answer:
    """One answer.

    `status` is "valued" (`per_query`, `mean` or both), "errored" (the subject refused, and said so), "skipped"
    (it does not have the measure), "crashed" (it died, or answered what is no answer) or "timed_out".
    """

    status: str
    per_query: Mapping[str, float | None] | None = None
    mean: float | None = None
    has_mean: bool = False
    message: str = field(default="", compare=False)

    def __str__(self) -> str:
        if self.status != "valued":
            message = self.message if len(self.message) <= _MESSAGE_MAX else self.message[: _MESSAGE_MAX - 3] + "..."
            return f"{self.status}: {message}" if message else self.status
        values = [f"{query_id}: {_short(value)}" for query_id, value in (self.per_query or {}).items()]
        if self.has_mean:
            values.append(f"mean: {_short(self.mean)}")
        return ", ".join(values) or "no query"


class Expected(Protocol):
    """What is asked of an expectation; `Expectation` is the one there is."""

    @property
    def result(self) -> str: ...
    @property
    def axis(self) -> str | None: ...
    @property
    def per_query(self) -> Mapping[str, Fraction | None]: ...
    @property
    def mean(self) -> Fraction | None: ...


def parse_answer(result: Any) -> Answer:
    """An answer from one entry of the protocol's `results`; what is none counts as a crash.

    >>> parse_answer({"per_query": {"q": 0.5}}).per_query
    {'q': 0.5}
    >>> print(parse_answer({"per_query": {"q": "0.5"}}))
    crashed: no answer: {'per_query': {'q': '0.5'}}
    """
    try:
        message = str(result.get("message", ""))
        if result.get("skipped") is True:
            return Answer("skipped", message=message)
        if result.get("errored") is True:
            return Answer("errored", message=message)
        per_query, has_mean = result.get("per_query"), "mean" in result
        if per_query is None and not has_mean:
            return Answer("crashed", message=f"no answer: {shown(result)}")
        values = None if per_query is None else {str(k): _number(v) for k, v in per_query.items()}
        return Answer("valued", values, _number(result.get("mean")), has_mean)
    except (AttributeError, TypeError):
        return Answer("crashed", message=f"no answer: {shown(result)}")


def difference(expected: Expected, answer: Answer, tolerance: float = 0.0) -> str:
    """How an answer differs from what is expected; empty where it does not.

    Parameters
    ----------
    expected : Expectation
    answer : Answer
    tolerance : float
        How far a value may be off where the subject rounds or has 32 bits; otherwise 4 ulp, and for a mean
        4 ulp for each query.
    """
    if expected.result == "invalid":
        return _not_refused(expected, answer)
    if answer.status != "valued":
        undefined = expected.result == "undefined" and answer.status == "errored"
        return "" if undefined else str(answer)
    if answer.per_query is not None and (found := _other_values(expected, answer.per_query, tolerance)):
        return found
    if answer.has_mean and expected.result == "valid":
        queries = max(1, len(expected.per_query))
        if not _same(answer.mean, expected.mean, queries * _ULPS, tolerance):
            return f"mean {_short(answer.mean)}"
    return ""


def _not_refused(expected: Expected, answer: Answer) -> str:
    """On an axis, `reject` is an error; elsewhere giving no value is as good."""
    if answer.status == "errored":
        return ""
    values = [*(answer.per_query or {}).values(), answer.mean]
    if expected.axis is None and answer.status == "valued" and all(value is None for value in values):
        return ""
    return str(answer)


def _other_values(expected: Expected, per_query: Mapping[str, float | None], tolerance: float) -> str:
    for query_id in dict.fromkeys([*expected.per_query, *per_query]):
        found, value = per_query.get(query_id), expected.per_query.get(query_id)
        if expected.result == "undefined" and value is None and found in (0, 1):
            continue
        if not _same(found, value, _ULPS, tolerance):
            return f"{query_id}: {_short(found)}"
    return ""


def _same(found: float | None, value: Fraction | None, ulps: int, tolerance: float) -> bool:
    if found is None or value is None:
        return found is None and value is None
    if not math.isfinite(found):
        return False
    allowed = max(ulps * math.ulp(float(value)), tolerance)
    return found == float(value) or abs(Fraction(found) - value) <= Fraction(allowed)


def _number(value: Any) -> float | None:
    """A float; NaN is no value."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return None if math.isnan(value) else float(value)


def _short(value: float | None) -> str:
    return "no value" if value is None else f"{value:.6g}"
