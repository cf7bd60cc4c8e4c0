"""Tables in files: Parquet and Arrow by their first bytes, CSV and TSV by the names in their first line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from rageval_ir.convert import Qrels
from rageval_ir.errors import InputError, shown
from rageval_ir.formats.source import PathLike, Source
from rageval_ir.given import Scored
from rageval_ir.keep import Block, Keep, Segment
from rageval_ir.shapes import QRELS_COLUMNS, RUN_COLUMNS, pick, qrels_from_rows, to_qrels
from rageval_ir.validate import identifier, score

__all__ = ["Kind", "kind_of", "read_qrels_table", "run_blocks"]


class Kind(NamedTuple):
    """What kind of table a file is."""

    name: str
    delimiter: str = ""
    """Between the fields of CSV and TSV."""


_STARTS = {b"PAR1": Kind("Parquet"), b"ARROW1": Kind("Arrow"), b"\xff\xff\xff\xff": Kind("Arrow stream")}
_ROWS = 2**18

Row = tuple[int, Any, Any, Any]
"""Its number, counted from 1, and the three values asked for."""


def kind_of(head: bytes) -> Kind | None:
    """What kind of table a file is that begins so; None for no table.

    >>> kind_of(b"query-id,corpus-id,score")
    Kind(name='CSV', delimiter=',')
    """
    for start, kind in _STARTS.items():
        if head.startswith(start):
            return kind
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    for delimiter in "\t,":
        names = [name.strip('"') for name in first.split(delimiter)]
        if all(set(names) & set(known) for known in RUN_COLUMNS[:2]):
            return Kind("TSV" if delimiter == "\t" else "CSV", delimiter)
    return None


def run_blocks(source: Source, kind: Kind, keep: Keep) -> Iterator[Block]:
    """A run from a table with the columns query_id, doc_id and score, or others that `to_runs` knows.

    Raises
    ------
    InputError
        The file is damaged, a column is missing, or a value is null or not valid: the row, or the
        line, is named.
    """
    if kind.delimiter:
        names, lines = _csv_rows(source, kind, RUN_COLUMNS)
        while some := list(islice(lines, _ROWS)):
            yield _by_rows(((n, q, d, _number(s)) for n, q, d, s in some), names, partial(_line, source.path), keep)
        return
    from rageval_ir import columns

    number = 1
    for names, batch in _batches(source, kind, RUN_COLUMNS):
        queries, documents, scores = batch
        try:
            yield columns.block(columns.ids(queries), columns.ids(documents), columns.numbers(scores), keep)
        except columns.Irregular:
            rows = ((n, *row) for n, row in enumerate(zip(*(c.to_pylist() for c in batch), strict=True), number))
            yield _by_rows(rows, names, partial(_row, source.path), keep)
        number += len(scores)


def read_qrels_table(source: Source, kind: Kind) -> Qrels:
    """Judgments from a table with the columns query_id, doc_id and relevance, or others that `to_qrels` knows.

    Raises
    ------
    InputError
        As `run_blocks`; or two judgments of one document that contradict each other.
    """
    if not kind.delimiter:
        return to_qrels(_table(source, kind))
    _, lines = _csv_rows(source, kind, QRELS_COLUMNS)
    return qrels_from_rows((query, document, _number(grade)) for _, query, document, grade in lines)


def _by_rows(rows: Iterable[Row], names: Iterable[str], where: Callable[[int, str], str], keep: Keep) -> Block:
    """Row by row, so that an error can say in which."""
    in_query, in_document, in_score = names
    collected: dict[str, Scored] = {}
    for number, query, document, value in rows:
        query_id = identifier(query, "query id", partial(where, number, in_query))
        known = collected.setdefault(query_id, Scored([], []))
        known.doc_ids.append(identifier(document, "document id", partial(where, number, in_document)))
        known.scores.append(score(value, partial(where, number, in_score)))
    given = list(collected.values())
    segments = [
        Segment(query_id, Scored(*keep.cut(*scored)), len(set(scored.doc_ids)) < len(scored.doc_ids))
        for query_id, scored in collected.items()
    ]
    return Block(segments, lambda place: [doc_id.encode() for doc_id in given[place].doc_ids])


def _row(path: PathLike, number: int, column: str) -> str:
    return f"{path}, row {number}, column {column!r}"


def _line(path: PathLike, number: int, column: str) -> str:
    return f"{path}, line {number}, column {column!r}"


# --- Parquet and Arrow ---


def _batches(source: Source, kind: Kind, columns: tuple[tuple[str, ...], ...]) -> Iterator[tuple[list[str], list[Any]]]:
    """The names and the values of the columns asked for, some rows at a time."""
    pyarrow = _pyarrow(source.path, kind)
    with source.open() as file:
        if kind.name == "Parquet":
            from pyarrow.parquet import ParquetFile

            parquet = ParquetFile(file)
            names = _chosen(parquet.schema_arrow.names, columns, source.path)
            for batch in parquet.iter_batches(_ROWS, columns=names, use_threads=False):
                yield names, [batch.column(name) for name in names]
            return
        opened = pyarrow.ipc.open_file(file) if kind.name == "Arrow" else pyarrow.ipc.open_stream(file)
        names = _chosen(opened.schema.names, columns, source.path)
        batches = map(opened.get_batch, range(opened.num_record_batches)) if kind.name == "Arrow" else opened
        for batch in batches:
            for start in range(0, batch.num_rows, _ROWS):
                yield names, [batch.column(name).slice(start, _ROWS) for name in names]


def _table(source: Source, kind: Kind) -> Any:
    pyarrow = _pyarrow(source.path, kind)
    found = list(_batches(source, kind, QRELS_COLUMNS))
    chunks = zip(*(batch for _, batch in found), strict=True)
    return pyarrow.table({names[0]: pyarrow.chunked_array(c) for names, c in zip(QRELS_COLUMNS, chunks, strict=False)})


def _pyarrow(path: PathLike, kind: Kind) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise InputError(f"{path}: is a {kind.name} file.", hint="pip install 'rageval-ir[fast]'.") from None
    return pyarrow


def _chosen(found: list[str], columns: tuple[tuple[str, ...], ...], path: PathLike) -> list[str]:
    return [pick(found, names, str(path)) for names in columns]


# --- CSV and TSV ---


def _csv_rows(source: Source, kind: Kind, columns: tuple[tuple[str, ...], ...]) -> tuple[list[str], Iterator[Row]]:
    """The names of the columns asked for, and each line's number and values in them."""
    rows = csv.reader(_decoded(source), delimiter=kind.delimiter, strict=True)
    found = next(rows)
    names = _chosen(found, columns, source.path)
    return names, _values(rows, found, names, source.path, kind.delimiter)


def _values(rows: Any, found: list[str], names: list[str], path: PathLike, delimiter: str) -> Iterator[Row]:
    first, second, third = map(found.index, names)
    try:
        for row in rows:
            if len(row) == len(found):
                yield rows.line_num, row[first], row[second], row[third]
            elif row:
                raise InputError(
                    f"{path}, line {rows.line_num}: {shown(delimiter.join(row))}: expected {len(found)} fields"
                    f" ({delimiter.join(found)}), found {len(row)}."
                )
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}.") from None


def _decoded(source: Source) -> Iterator[str]:
    for number, line in enumerate(source.lines(), 1):
        try:
            yield line.decode()
        except UnicodeDecodeError:
            raise InputError(f"{source.path}, line {number}: is not UTF-8.", hint="save the file as UTF-8.") from None


def _number(text: str) -> float | str:
    """The text itself where it is no number: it is refused where it stands."""
    try:
        return text if "_" in text else float(text)
    except ValueError:
        return text
