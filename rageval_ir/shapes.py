"""Which of the accepted shapes is this? Dicts, lists, rows and frames become `Qrels` and `Run`s.

Mappings are taken by their depth, frames by their columns, rows (named tuples such as
`ir_measures.Qrel`) by their fields; iterators are read once. Rankings keep their form:
lists are validated only where they are read, scores here and now.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from numbers import Number
from typing import Any

from rageval_ir.convert import Failure, Given, Qrels, Run, Scored
from rageval_ir.errors import InputError, place, shown
from rageval_ir.validate import grade, grades, identifier, identifiers, scores

__all__ = ["to_qrels", "to_runs"]

_QUERY = ("query_id", "qid", "q_id", "query-id")
_DOCUMENT = ("doc_id", "docno", "docid", "corpus-id")
_RELEVANCE = ("relevance", "label", "rel", "grade")
_SCORE = ("score",)


def to_qrels(relevant: Any) -> Qrels:
    """Judgments in any accepted shape.

    Parameters
    ----------
    relevant : Qrels, mapping, frame or iterable of rows
        query id -> set, frozenset, list or tuple of relevant document ids;
        query id -> {document id: integer grade};
        a frame with the columns query_id, doc_id, relevance (or qid, docno, label);
        an iterable of rows with those fields, such as `ir_measures.Qrel`, read once.

    Raises
    ------
    InputError
        Another shape; an id or a grade that is not valid; two grades for one document;
        no query at all.

    Examples
    --------
    >>> to_qrels({"q1": {"d1"}, "q2": {"d2": 2, "d3": 0}}).judgments
    {'q1': {'d1': 1}, 'q2': {'d2': 2, 'd3': 0}}
    """
    if isinstance(relevant, Qrels):  # validated again: it may have been made by hand
        qrels = Qrels(_qrels_from_mapping(relevant.judgments).judgments, relevant.repeats)
    elif isinstance(relevant, Mapping):
        qrels = _qrels_from_mapping(relevant)
    else:
        qrels = _qrels_from_rows(_rows(relevant, "judgments", (_QUERY, _DOCUMENT, _RELEVANCE)))
    if not qrels.judgments:
        raise InputError(
            "The judgments hold no query.", hint="expected query -> relevant documents, at least one query."
        )
    return qrels


def to_runs(rankings: Any, judged_queries: Collection[str] = ()) -> list[Run]:
    """Rankings in any accepted shape, a `Run` a system, in the order given.

    Parameters
    ----------
    rankings : mapping, Run, frame, or iterable of Runs or of rows
        system -> query id -> ranking, or query id -> ranking for one system named "run".
        A ranking is a list or tuple of document ids, best first; {document id: score}; or a
        list of (document id, score) pairs. `None` or an exception in its place is a failed query.
        A frame has the columns query_id, doc_id, score; a system may also map to a Run or a frame.
    judged_queries : collection of str
        Settles whether {x: {}} and {x: {y: None}} name systems or queries, which they do not say.

    Raises
    ------
    InputError
        Another shape, a set (it has no order), a generator, a score that is not finite,
        no system at all.

    Examples
    --------
    >>> [run.name for run in to_runs({"A": {"q": ["d1"]}, "B": {"q": {"d1": 0.5}}})]
    ['A', 'B']
    """
    if isinstance(rankings, Run):
        return [rankings]
    if isinstance(rankings, Mapping):
        runs = _runs_from_mapping(rankings, judged_queries)
    elif isinstance(rankings, (list, tuple)) and rankings and all(isinstance(r, Run) for r in rankings):
        runs = list(rankings)
    else:
        runs = [run for run in (_run_from_rows("run", rankings),) if run.rankings]
    if not runs:
        raise InputError("The rankings hold no system.", hint="expected system -> query -> ranking.")
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two systems are named {repeated!r}.", hint="rename one; 1 and '1' are the same.")
    return runs


# --- judgments ---


def _qrels_from_mapping(relevant: Mapping[Any, Any]) -> Qrels:
    query_ids = _keys(relevant, "query id", lambda: "judgments")
    repeats = 0
    judgments: dict[str, dict[str, int]] = {}
    for query_id, documents in zip(query_ids, relevant.values(), strict=True):
        where = _in_judgments(query_id)
        if isinstance(documents, Mapping):
            doc_ids = _keys(documents, "document id", where)
            given = grades(documents.values(), partial(_judged_at, query_id, doc_ids))
            judgments[query_id] = dict(zip(doc_ids, given, strict=True))
        elif isinstance(documents, (AbstractSet, list, tuple)):
            doc_ids = identifiers(documents, "document id", where)
            judgments[query_id] = dict.fromkeys(doc_ids, 1)
            repeated = len(doc_ids) - len(judgments[query_id])
            if repeated and isinstance(documents, AbstractSet):
                _refuse_repeated(doc_ids, "document id", where)
            repeats += repeated
        else:
            raise InputError(
                f"{where()}: found {shown(documents)} of type {type(documents).__name__}; expected a set or list"
                " of relevant document ids, or {document id: grade}.",
                hint=_wrap_hint(documents),
            )
    return Qrels(judgments, repeats)


def _qrels_from_rows(rows: Iterable[tuple[Any, Any, Any]]) -> Qrels:
    judgments: dict[str, dict[str, int]] = {}
    read = 0
    for read, (query, document, relevance) in enumerate(rows, 1):
        query_id = identifier(query, "query id", partial("judgments, row {}".format, read))
        where = _in_judgments(query_id, read)
        doc_id = identifier(document, "document id", where)
        given = grade(relevance, where)
        known = judgments.setdefault(query_id, {}).setdefault(doc_id, given)
        if known != given:
            raise InputError(
                f"{where()}: document {doc_id!r} is judged {given} here and {known} in an earlier row.",
                hint="keep one judgment a document.",
            )
    return Qrels(judgments, repeats=read - sum(map(len, judgments.values())))


# --- rankings ---


def _runs_from_mapping(rankings: Mapping[Any, Any], judged_queries: Collection[str]) -> list[Run]:
    if not rankings:
        return []
    if not _names_systems(rankings, judged_queries):
        return [_run_from_mapping("run", rankings)]
    runs = []
    for system, given in rankings.items():
        name = identifier(system, "system name", lambda: "rankings")
        if isinstance(given, Run):
            runs.append(Run(name, given.rankings))
        elif isinstance(given, Mapping):
            runs.append(_run_from_mapping(name, given))
        else:
            runs.append(_run_from_rows(name, given))
    return runs


def _names_systems(rankings: Mapping[Any, Any], judged_queries: Collection[str]) -> bool:
    """Whether the outer keys are systems; decided by the first value that can decide."""
    judged = set(judged_queries)
    for key, value in rankings.items():
        if isinstance(value, Run) or _is_frame(value) or _holds_rows(value):
            return True
        if isinstance(value, Mapping):
            for inner in value.values():
                if isinstance(inner, (Mapping, list, tuple, BaseException, AbstractSet)) or _is_vector(inner):
                    return True
                if isinstance(inner, Number):
                    return False
        elif isinstance(value, Iterator):  # of rows, since no query's ranking may be one
            return str(key) not in judged
        elif value is not None:
            return False
    if any(value is None for value in rankings.values()):
        return False
    return not any(str(key) in judged for key in rankings)


def _run_from_mapping(system: str, rankings: Mapping[Any, Any]) -> Run:
    query_ids = _keys(rankings, "query id", lambda: place(system=system))
    given = {
        query_id: _ranking(ranking, system, query_id)
        for query_id, ranking in zip(query_ids, rankings.values(), strict=True)
    }
    return Run(system, given)


def _ranking(ranking: Any, system: str, query_id: str) -> Given:
    """One query's ranking, by its shape."""
    if type(ranking) is list and ranking and type(ranking[0]) is str:  # the common case, first
        return ranking
    if ranking is None or isinstance(ranking, BaseException):
        return Failure("" if ranking is None else _reason(ranking))
    where = _in_ranking(system, query_id)
    if isinstance(ranking, Mapping):
        return _scored(_keys(ranking, "document id", where), ranking.values(), system, query_id)
    if _is_vector(ranking):
        ranking = ranking.tolist()
    if isinstance(ranking, (list, tuple)):
        if not ranking or not isinstance(ranking[0], (list, tuple)):
            return ranking
        for position, pair in enumerate(ranking, 1):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise InputError(
                    f"{where()}: item {position} is {shown(pair)}; expected a (document id, score) pair like the first."
                )
        doc_ids, given = zip(*ranking, strict=True)
        return _scored(identifiers(doc_ids, "document id", where), given, system, query_id)
    raise InputError(
        f"{where()}: found {shown(ranking)} of type {type(ranking).__name__}; expected a list of document ids,"
        " best first, {document id: score}, or a list of (document id, score) pairs.",
        hint=_wrap_hint(ranking),
    )


def _reason(error: BaseException) -> str:
    """The exception as text that any file can hold."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # whatever its own __str__ raises
        text = type(error).__name__
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _scored(doc_ids: list[str], given: Iterable[Any], system: str, query_id: str) -> Scored:
    def where(index: int) -> str:
        return place(system=system, query=query_id, document=doc_ids[index])

    return Scored(doc_ids, scores(given, where))


def _run_from_rows(system: str, rows: Any) -> Run:
    collected: dict[Any, tuple[list[Any], list[Any]]] = {}
    for query, document, score in _rows(rows, place(system=system), (_QUERY, _DOCUMENT, _SCORE)):
        try:
            documents, given = collected.setdefault(query, ([], []))
        except TypeError:  # unhashable, so neither str nor int
            identifier(query, "query id", lambda: place(system=system))
            raise
        documents.append(document)
        given.append(score)
    query_ids = _keys(collected, "query id", lambda: place(system=system))
    rankings: dict[str, Given] = {}
    for query_id, (documents, given) in zip(query_ids, collected.values(), strict=True):
        doc_ids = identifiers(documents, "document id", _in_ranking(system, query_id))
        rankings[query_id] = _scored(doc_ids, given, system, query_id)
    return Run(system, rankings)


# --- shapes ---


def _rows(data: Any, what: str, columns: tuple[tuple[str, ...], ...]) -> Iterator[tuple[Any, Any, Any]]:
    """Three values a row, from a frame's columns or from named tuples."""
    if _is_frame(data):
        found = [str(column) for column in data.columns]
        chosen = [_pick(found, names, what) for names in columns]
        return zip(*(data.iloc[:, found.index(name)].tolist() for name in chosen), strict=True)
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise InputError(
            f"{what}: found {shown(data)} of type {type(data).__name__}; expected a mapping, a frame,"
            " or rows such as ir_measures gives.",
            hint="read_qrels(path) and read_run(path) read files." if isinstance(data, (str, bytes)) else "",
        )
    return _named_rows(data, what, columns)


def _named_rows(data: Iterable[Any], what: str, columns: tuple[tuple[str, ...], ...]) -> Iterator[tuple[Any, Any, Any]]:
    for number, row in enumerate(data, 1):
        if not hasattr(row, "_fields"):
            raise InputError(
                f"{what}, row {number}: found {shown(row)} of type {type(row).__name__}; expected a named tuple"
                f" with the fields {', '.join(names[0] for names in columns)}.",
                hint="or give a mapping: query -> documents.",
            )
        first, second, third = (getattr(row, _pick(row._fields, names, what)) for names in columns)
        yield first, second, third


def _pick(found: Sequence[str], names: tuple[str, ...], what: str) -> str:
    for name in names:
        if name in found:
            if list(found).count(name) > 1:
                raise InputError(f"{what}: two columns are named {name!r}.", hint="drop or rename one of them.")
            return name
    raise InputError(
        f"{what}: no column {names[0]!r}; found the columns {', '.join(map(repr, found))}.",
        hint=f"rename it; {' or '.join(names)} is read.",
    )


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "iloc")


def _is_vector(value: Any) -> bool:
    """A one-dimensional array, such as numpy's; a pandas Series says too little of its index."""
    return getattr(value, "ndim", None) == 1 and hasattr(value, "tolist") and not hasattr(value, "iloc")


def _holds_rows(value: Any) -> bool:
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return not set(_QUERY).isdisjoint(getattr(value[0], "_fields", ()))


def _keys(mapping: Mapping[Any, Any], kind: str, where: Callable[[], str]) -> list[str]:
    """The keys as ids; 1 and "1" in one mapping are refused."""
    keys = identifiers(mapping.keys(), kind, where)
    if len(set(keys)) != len(keys):
        _refuse_repeated(keys, kind, where)
    return keys


def _refuse_repeated(ids: list[str], kind: str, where: Callable[[], str]) -> None:
    seen: set[str] = set()
    for given in ids:
        if given in seen:
            raise InputError(
                f"{where()}: {kind} {given!r} is there twice, as text or as a number.",
                hint="an id 1 is the same as '1'; convert ids to str before you group by them.",
            )
        seen.add(given)


def _wrap_hint(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return f"put a single id into a list: [{shown(value)}]."
    if isinstance(value, AbstractSet):
        return "a set has no order; give a list, best first."
    if isinstance(value, Iterator):
        return "an iterator can be read only once; give list(...)."
    return ""


def _in_judgments(query_id: str, row: int | None = None) -> Callable[[], str]:
    return lambda: f"judgments, {place(query=query_id)}" + (f", row {row}" if row else "")


def _judged_at(query_id: str, doc_ids: Sequence[str], index: int) -> str:
    return f"judgments, {place(query=query_id, document=doc_ids[index])}"


def _in_ranking(system: str, query_id: str) -> Callable[[], str]:
    return lambda: place(system=system, query=query_id)
