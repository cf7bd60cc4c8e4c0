"""What a valid identifier, grade and score is: the one place that says so.

Valid input is normalised (an id 7 is "7", a grade 2.0 is 2, a score is a 64-bit
float); anything else raises an `InputError` that says where it stands. Whole lists
are checked by a few operations in C, and walked one by one only when those object.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from numbers import Integral, Real
from typing import Any

from rageval_ir.errors import InputError, shown

__all__ = [
    "GRADE_MAX",
    "GRADE_MIN",
    "Where",
    "grade",
    "grades",
    "identifier",
    "identifiers",
    "is_encodable",
    "score",
    "scores",
    "whole",
]

GRADE_MIN, GRADE_MAX = -(2**31), 2**31 - 1

Where = Callable[[], str]
"""Says where a value stands; called only to build an error message."""


def identifier(value: Any, kind: str, where: Where) -> str:
    """One query or document id as a string.

    Parameters
    ----------
    value : str or int
        numpy integers count as int; float, bool, None, bytes and tuples are refused.
    kind : str
        "query id" or "document id", for the message.

    Raises
    ------
    InputError
        Another type, an empty string, or a NUL or lone surrogate in the text.

    Examples
    --------
    >>> identifier(7, "document id", lambda: "query 'q'")
    '7'
    """
    if isinstance(value, str):
        if not value:
            raise InputError(f"{where()}: a {kind} is an empty string; expected at least one character.")
        if "\0" in value:
            raise InputError(
                f"{where()}: {kind} {shown(value)} holds a NUL character.",
                hint="trec_eval's strings end at NUL, so two ids would become one; remove it.",
            )
        if not is_encodable(value):
            raise InputError(
                f"{where()}: {kind} {shown(value)} holds a lone surrogate, which is not a character.",
                hint="decode the ids with the encoding they were written in.",
            )
        return str.__str__(value)  # plain, whatever a subclass such as an Enum prints
    if (number := whole(value)) is not None:
        return str(number)
    raise InputError(
        f"{where()}: {kind} {shown(value)} is of type {type(value).__name__}; expected str or int.",
        hint=_ID_HINTS.get(type(value).__name__, "convert ids to str, the same way on both sides."),
    )


_ID_HINTS = {
    "float": "a float id is often an integer column with gaps; convert it to str or int.",
    "float64": "a float id is often an integer column with gaps; convert it to str or int.",
    "bytes": "decode it: value.decode('utf-8').",
    "NoneType": "drop the row, or give it an id.",
    "NAType": "drop the row, or give it an id.",
}


def whole(value: Any) -> int | None:
    """The int that an int or a numpy integer is; None for anything else, bool included.

    >>> whole(5), whole(5.0), whole(True)
    (5, None, None)
    """
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


def identifiers(values: Collection[Any], kind: str, where: Where) -> list[str]:
    """Many ids at once, as `identifier` gives them, in the same order; a list that is valid comes back itself."""
    try:
        joined = "".join(values)
    except TypeError:
        pass
    else:
        is_plain = type(next(iter(values), "")) is str  # a subclass, such as an Enum, may hash unlike its text
        if is_plain and "\0" not in joined and all(values) and is_encodable(joined):
            return values if isinstance(values, list) else list(values)
    return [identifier(value, kind, where) for value in values]


def is_encodable(text: str) -> bool:
    """Whether it is free of lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def grade(value: Any, where: Where) -> int:
    """One relevance grade as an int: 2, 2.0, True and numpy's integers are integers.

    Raises
    ------
    InputError
        Fractional, NaN, not a number, or outside 32 bits.
    """
    value = _plain(value)
    if not isinstance(value, Real):
        raise InputError(
            f"{where()}: relevance {shown(value)} is of type {type(value).__name__}; expected an integer grade.",
            hint="0 or less is judged not relevant, 1 and more is relevant.",
        )
    try:
        number = int(value)  # type: ignore[call-overload]  # what typeshed's Real does not promise, each Real has
    except (OverflowError, ValueError):  # infinite, NaN
        number = None
    if number is None or number != value:
        raise InputError(
            f"{where()}: relevance {shown(value)} is not an integer grade.",
            hint="trec_eval's measures take integer grades; scale or round them yourself.",
        )
    if not GRADE_MIN <= number <= GRADE_MAX:
        raise InputError(f"{where()}: relevance {shown(value)} does not fit into 32 bits.")
    return int(number)


def grades(values: Collection[Any], where: Callable[[int], str]) -> list[int]:
    """Many grades at once; `where(i)` says where the i-th stands."""
    if set(map(type, values)) <= {int} and (not values or (min(values) >= GRADE_MIN and max(values) <= GRADE_MAX)):
        return list(values)
    return [grade(value, lambda i=i: where(i)) for i, value in enumerate(values)]  # type: ignore[misc]


def score(value: Any, where: Where) -> float:
    """One retrieval score as a finite 64-bit float.

    Raises
    ------
    InputError
        NaN, infinite, too large for a float, a bool, or not a real number.
    """
    value = _plain(value)
    if not isinstance(value, Real) or isinstance(value, bool):
        raise InputError(
            f"{where()}: score {shown(value)} is of type {type(value).__name__}; expected a number.",
            hint="a ranking without scores is a list of document ids, best first.",
        )
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{where()}: score {shown(value)} is too large for a 64-bit float.") from None
    if not math.isfinite(number):
        raise InputError(
            f"{where()}: score {shown(number)} is not finite, so it has no place in an order.",
            hint="drop the document, or give it the score that puts it where it belongs.",
        )
    return number


def scores(values: Iterable[Any], where: Callable[[int], str]) -> list[float]:
    """Many scores at once; `where(i)` says where the i-th stands."""
    values = list(values)
    if set(map(type, values)) <= {float} and math.isfinite(sum(values)):
        return values
    return [score(value, lambda i=i: where(i)) for i, value in enumerate(values)]  # type: ignore[misc]


def _plain(value: Any) -> Any:
    """A Python scalar for what only looks like one: numpy's bool, an array or tensor of one number."""
    if isinstance(value, Real) or not hasattr(value, "item"):
        return value
    try:
        return value.item()
    except (TypeError, ValueError, RuntimeError):
        return value
