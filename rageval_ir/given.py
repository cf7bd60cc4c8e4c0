"""One query's judgments or its ranking, in any accepted shape, as plain data that is valid.

A ranking by scores is validated here and now; a listed one keeps its form, and is
validated where it is read, so that nothing is spent on ranks that no measure reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, NamedTuple

from rageval_ir.errors import InputError, place, shown
from rageval_ir.validate import Where, grades, identifiers, scores

__all__ = ["Failure", "Given", "Scored", "is_vector", "judged", "keys", "ranked"]


class Scored(NamedTuple):
    """A ranking by scores: document ids and finite scores, in the input's order."""

    doc_ids: list[str]
    scores: list[float]


class Failure(NamedTuple):
    """A query whose retrieval failed; `reason` is the exception as text, or empty."""

    reason: str


Given = list[Any] | tuple[Any, ...] | Scored | Failure
"""One query's ranking as it was given: a plain list or tuple holds document ids, best first, not yet validated."""


def judged(documents: Any, query_id: str) -> tuple[dict[str, int], int]:
    """One query's judgments: document id to grade, and how many were given more than once.

    Parameters
    ----------
    documents : set, frozenset, list, tuple or mapping
        Relevant document ids, or {document id: integer grade}.
    query_id : str

    Raises
    ------
    InputError
        Another shape, or an id or a grade that is not valid.

    Examples
    --------
    >>> judged(["d1", "d2", "d1"], "q")
    ({'d1': 1, 'd2': 1}, 1)
    """

    def where() -> str:
        return f"judgments, {place(query=query_id)}"

    if isinstance(documents, Mapping):
        doc_ids = keys(documents, "document id", where)
        return dict(zip(doc_ids, grades(documents.values(), partial(_judged_at, query_id, doc_ids)), strict=True)), 0
    if isinstance(documents, AbstractSet):
        return dict.fromkeys(keys(documents, "document id", where), 1), 0
    if isinstance(documents, (list, tuple)):
        doc_ids = identifiers(documents, "document id", where)
        binary = dict.fromkeys(doc_ids, 1)
        return binary, len(doc_ids) - len(binary)
    raise InputError(
        f"{where()}: found {shown(documents)} of type {type(documents).__name__}; expected a set or list"
        " of relevant document ids, or {document id: grade}.",
        hint=_hint(documents),
    )


def ranked(given: Any, system: str, query_id: str) -> Given:
    """One query's ranking, by its shape.

    Parameters
    ----------
    given : list, tuple, array, mapping, Scored, Failure, exception or None
        Document ids, best first; {document id: score}; (document id, score) pairs; `None` or
        an exception for a failed query.
    system, query_id : str
        For error messages.

    Raises
    ------
    InputError
        Another shape; a set (it has no order) or an iterator (it can be read only once); an id
        or a score that is not valid, where there are scores.

    Examples
    --------
    >>> ranked({"d1": 2, "d2": 1}, "A", "q")
    Scored(doc_ids=['d1', 'd2'], scores=[2.0, 1.0])
    """
    if type(given) is list and given and type(given[0]) is str:  # the common case, first
        return given
    if given is None or isinstance(given, BaseException):
        return Failure("" if given is None else _reason(given))
    if isinstance(given, Failure):
        return Failure(str(given.reason).encode("utf-8", "backslashreplace").decode())

    def where() -> str:
        return place(system=system, query=query_id)

    if isinstance(given, Mapping):
        return _scored(keys(given, "document id", where), given.values(), system, query_id)
    if isinstance(given, Scored):
        return _scored(identifiers(given.doc_ids, "document id", where), given.scores, system, query_id)
    if is_vector(given):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        raise InputError(
            f"{where()}: found {shown(given)} of type {type(given).__name__}; expected a list of document ids,"
            " best first, {document id: score}, or a list of (document id, score) pairs.",
            hint=_hint(given),
        )
    if not given or not isinstance(given[0], (list, tuple)):
        return given
    for position, pair in enumerate(given, 1):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise InputError(
                f"{where()}: item {position} is {shown(pair)}; expected a (document id, score) pair like the first."
            )
    doc_ids, values = zip(*given, strict=True)
    return _scored(identifiers(doc_ids, "document id", where), values, system, query_id)


def keys(ids: Mapping[Any, Any] | AbstractSet[Any], kind: str, where: Where) -> list[str]:
    """The ids of a mapping or a set, in its order; 1 and "1" in one are refused.

    >>> keys({"q1": 1, 2: 0}, "query id", lambda: "judgments")
    ['q1', '2']
    """
    found = identifiers(ids.keys() if isinstance(ids, Mapping) else ids, kind, where)
    if len(set(found)) != len(found):
        repeated = next(each for each, count in Counter(found).items() if count > 1)
        raise InputError(
            f"{where()}: {kind} {repeated!r} is there twice, as text or as a number.",
            hint="an id 1 is the same as '1'; convert ids to str before you group by them.",
        )
    return found


def is_vector(value: Any) -> bool:
    """Whether it is a one-dimensional array, such as numpy's; a pandas Series says too little of its index."""
    return getattr(value, "ndim", None) == 1 and hasattr(value, "tolist") and not hasattr(value, "iloc")


def _scored(doc_ids: list[str], values: Iterable[Any], system: str, query_id: str) -> Scored:
    def where(index: int) -> str:
        return place(system=system, query=query_id, document=doc_ids[index] if index < len(doc_ids) else None)

    found = scores(values, where)
    if len(found) != len(doc_ids):
        raise InputError(
            f"{place(system=system, query=query_id)}: {len(doc_ids)} documents, but {len(found)} scores.",
            hint="expected a score for each document.",
        )
    return Scored(doc_ids, found)


def _reason(error: BaseException) -> str:
    """The exception as text that any file can hold."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # whatever its own __str__ raises
        text = type(error).__name__
    return text.encode("utf-8", "backslashreplace").decode()


def _judged_at(query_id: str, doc_ids: Sequence[str], index: int) -> str:
    return f"judgments, {place(query=query_id, document=doc_ids[index])}"


def _hint(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return f"put a single id into a list: [{shown(value)}]."
    if isinstance(value, AbstractSet):
        return "a set has no order; give a list, best first."
    if isinstance(value, Iterator):
        return "an iterator can be read only once; give list(...)."
    return ""
