"""Which of the accepted shapes is this? Dicts, rows and frames become `Qrels` and `Run`s.

Mappings are taken by their depth, frames by their columns, rows (named tuples such as
`ir_measures.Qrel`) by their fields; iterators are read once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from numbers import Number
from typing import Any, NamedTuple

from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import InputError, place, shown
from rageval_ir.given import Scored, is_vector
from rageval_ir.keep import ALL, Keep, gather
from rageval_ir.validate import grade, identifier

__all__ = ["QRELS_COLUMNS", "RUN_COLUMNS", "pick", "qrels_from_rows", "run_from_table", "to_qrels", "to_runs"]

_QUERY = ("query_id", "qid", "q_id", "query-id")
_DOCUMENT = ("doc_id", "docno", "docid", "corpus-id")
QRELS_COLUMNS = (_QUERY, _DOCUMENT, ("relevance", "label", "rel", "grade", "score"))
"""The names by which each column of judgments is known, the first that is found; a score is BEIR's relevance."""
RUN_COLUMNS = (_QUERY, _DOCUMENT, ("score",))
"""The same for rankings."""


def to_qrels(relevant: Any) -> Qrels:
    """Judgments in any accepted shape.

    Parameters
    ----------
    relevant : Qrels, mapping, frame or iterable of rows
        query id -> set, frozenset, list or tuple of relevant document ids;
        query id -> {document id: integer grade};
        a frame (pandas, polars, pyarrow or any with the Arrow C interface) with the columns
        query_id, doc_id, relevance (or qid, docno, label);
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
    if isinstance(relevant, Qrels):
        qrels = relevant
    elif isinstance(relevant, Mapping):
        qrels = Qrels(relevant)
    else:
        qrels = qrels_from_rows(_rows(relevant, "judgments", QRELS_COLUMNS))
    if not qrels.judgments:
        raise InputError(
            "The judgments hold no query.", hint="expected query -> relevant documents, at least one query."
        )
    return qrels


def to_runs(rankings: Any, judged_queries: Collection[str] = (), keep: Keep = ALL) -> list[Run]:
    """Rankings in any accepted shape, a `Run` a system, in the order given.

    Parameters
    ----------
    rankings : mapping, Run, frame, or iterable of Runs or of rows
        system -> query id -> ranking, or query id -> ranking for one system named "run".
        A ranking is a list or tuple of document ids, best first; {document id: score}; or a
        list of (document id, score) pairs. `None` or an exception in its place is a failed query.
        A frame, as for `to_qrels`, has the columns query_id, doc_id, score; a system may also map
        to a Run or a frame.
    judged_queries : collection of str
        Settles whether {x: {}} and {x: {y: None}} name systems or queries, which they do not say.
    keep : Keep, optional
        Which results of a frame are kept; all by default.

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
        runs = _runs_from_mapping(rankings, judged_queries, keep)
    elif isinstance(rankings, (list, tuple)) and rankings and all(isinstance(r, Run) for r in rankings):
        runs = list(rankings)
    else:
        runs = [run for run in (run_from_table("run", rankings, keep),) if run.rankings]
    if not runs:
        raise InputError("The rankings hold no system.", hint="expected system -> query -> ranking.")
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two systems are named {repeated!r}.", hint="rename one; 1 and '1' are the same.")
    return runs


def qrels_from_rows(rows: Iterable[tuple[Any, Any, Any]]) -> Qrels:
    """Judgments from rows of query id, document id and relevance; errors as `to_qrels`."""
    judgments: dict[str, dict[str, int]] = {}
    repeats: dict[str, int] = {}
    for number, (query, document, relevance) in enumerate(rows, 1):
        query_id = identifier(query, "query id", partial("judgments, row {}".format, number))
        where = partial("judgments, {}, row {}".format, place(query=query_id), number)
        doc_id = identifier(document, "document id", where)
        given = grade(relevance, where)
        known = judgments.setdefault(query_id, {})
        if doc_id in known:
            if known[doc_id] != given:
                raise InputError(
                    f"{where()}: document {doc_id!r} is judged {given} here and {known[doc_id]} in an earlier row.",
                    hint="keep one judgment a document.",
                )
            repeats[query_id] = repeats.get(query_id, 0) + 1
        known[doc_id] = given
    return Qrels(judgments, repeats)


def _runs_from_mapping(rankings: Mapping[Any, Any], judged_queries: Collection[str], keep: Keep) -> list[Run]:
    if not _names_systems(rankings, judged_queries):
        return [Run("run", rankings)] if rankings else []
    runs = []
    for system, given in rankings.items():
        name = identifier(system, "system name", lambda: "rankings")
        if isinstance(given, Run):
            runs.append(given.named(name))
        elif isinstance(given, Mapping):
            runs.append(Run(name, given))
        else:
            runs.append(run_from_table(name, given, keep))
    return runs


def _names_systems(rankings: Mapping[Any, Any], judged_queries: Collection[str]) -> bool:
    """Whether the outer keys are systems; decided by the first value that can decide."""
    judged = set(judged_queries)
    for key, value in rankings.items():
        if isinstance(value, Run) or _frame(value) or _holds_rows(value):
            return True
        if isinstance(value, Mapping):
            for inner in value.values():
                if isinstance(inner, (Mapping, list, tuple, BaseException, AbstractSet)) or is_vector(inner):
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


def run_from_table(system: str, data: Any, keep: Keep) -> Run:
    """One run from a frame, by whole columns, or from rows; errors as `to_runs`."""
    frame = _frame(data)
    if frame is None:
        return _run_from_rows(system, data)
    from rageval_ir import columns  # numpy is there where frames are

    chosen = _chosen(frame, place(system=system), RUN_COLUMNS)
    try:
        return Run.of_scored(
            system, gather(lambda keep: columns.blocks(chosen[0], chosen[1], chosen[2], keep), keep), keep
        )
    except columns.Irregular:  # what it is can be said row by row
        return _run_from_rows(system, data)


def _run_from_rows(system: str, data: Any) -> Run:
    collected: dict[Any, Scored] = {}
    for query, document, score in _rows(data, place(system=system), RUN_COLUMNS):
        try:
            doc_ids, scores = collected.setdefault(query, Scored([], []))
        except TypeError:  # unhashable, so neither str nor int
            identifier(query, "query id", lambda: place(system=system))
            raise
        doc_ids.append(document)
        scores.append(score)
    return Run(system, collected)


def _rows(data: Any, what: str, columns: tuple[tuple[str, ...], ...]) -> Iterator[tuple[Any, Any, Any]]:
    """Three values a row, from a frame's columns or from named tuples."""
    if frame := _frame(data):
        return zip(*map(_values, _chosen(frame, what, columns)), strict=True)
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
        first, second, third = (getattr(row, pick(row._fields, names, what)) for names in columns)
        yield first, second, third


def pick(found: Sequence[str], names: tuple[str, ...], what: str) -> str:
    """The first of these names that is among the columns found.

    Raises
    ------
    InputError
        None is, or two columns have it; `what` says of which table.
    """
    for name in names:
        if name in found:
            if list(found).count(name) > 1:
                raise InputError(f"{what}: two columns are named {name!r}.", hint="drop or rename one of them.")
            return name
    hint = f"rename it; {' or '.join(names)} is read."
    if names == RUN_COLUMNS[2] and "rank" in found:
        hint = "a greater score is better, so that a rank is none: add score = -rank."
    raise InputError(f"{what}: no column {names[0]!r}; found the columns {', '.join(map(repr, found))}.", hint=hint)


class _Frame(NamedTuple):
    """A table of any library, by its columns."""

    names: list[str]
    column: Callable[[int], Any]


def _frame(data: Any) -> _Frame | None:
    """A table of pandas, polars or pyarrow, or any that speaks the Arrow C interface; None for anything else."""
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        return _Frame([str(column) for column in data.columns], lambda index: data.iloc[:, index])
    if hasattr(data, "column_names") and hasattr(data, "column"):
        return _Frame(data.column_names, data.column)
    if hasattr(data, "__arrow_c_stream__") and (pyarrow := _pyarrow()):
        return _frame(pyarrow.table(data))
    if hasattr(data, "get_columns"):  # polars, which needs no pyarrow
        series = data.get_columns()
        return _Frame([each.name for each in series], series.__getitem__)
    return None


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def _chosen(frame: _Frame, what: str, columns: tuple[tuple[str, ...], ...]) -> list[Any]:
    return [frame.column(frame.names.index(pick(frame.names, names, what))) for names in columns]


def _values(column: Any) -> list[Any]:
    values: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return values


def _holds_rows(value: Any) -> bool:
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return not set(_QUERY).isdisjoint(getattr(value[0], "_fields", ()))
