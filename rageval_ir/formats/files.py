"""Read and write judgments and runs; what a file holds is told by its content, not by its name."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from rageval_ir.conventions import TREC_EVAL
from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import InputError, shown
from rageval_ir.formats.json_dicts import qrels_json, read_json, run_json
from rageval_ir.formats.source import PathLike, Source, name_of, write
from rageval_ir.formats.tables import kind_of, read_qrels_table
from rageval_ir.formats.tables import run_blocks as table_blocks
from rageval_ir.formats.trec import RUN_FIELDS, qrels_text, read_qrels_lines, run_blocks, run_id_of, run_text
from rageval_ir.given import Failure, Given, Scored
from rageval_ir.keep import ALL, Keep, Reader, checked_depth, gather
from rageval_ir.profiles import resolve_convention
from rageval_ir.shapes import to_qrels, to_runs

__all__ = ["read_qrels", "read_run", "read_runs", "reader", "write_qrels", "write_run"]


def read_qrels(path: PathLike) -> Qrels:
    """Judgments from a TREC qrels file, a JSON object, or a table; compressed or not.

    Parameters
    ----------
    path : str or path
        "-" is standard input; gzip and zstd are known by their content. JSON has the shapes that
        `to_qrels` takes. Tables are CSV or TSV with a header, such as BEIR's, Parquet or Arrow,
        with the columns of `to_qrels`.

    Raises
    ------
    InputError
        The file cannot be read; a malformed line (file, line number and line are named);
        two judgments of one document that contradict each other.

    Examples
    --------
    >>> read_qrels("fixtures/tutorial/qrels.txt").judgments["export"]
    {'d2': 1, 'd3': 1}
    """
    source = Source(path)
    head = source.head()
    try:
        if kind := kind_of(head):
            return read_qrels_table(source, kind)
        if not _is_json(head):
            return read_qrels_lines(source.lines(), path)
        return to_qrels(read_json(source.lines(), path))
    except InputError as error:
        raise _in_file(path, error) from None


def read_run(
    path: PathLike | Sequence[PathLike],
    name: str | None = None,
    *,
    convention: Any = "TREC_EVAL",
    depth: int | None = None,
) -> Run:
    """One system's rankings from a file, as `read_runs`.

    Raises
    ------
    InputError
        As `read_runs`; or the file holds several systems.

    Examples
    --------
    >>> read_run("fixtures/tutorial/A.run").order("export").doc_ids
    ['d2', 'd5']
    """
    runs = read_runs(path, name, convention=convention, depth=depth)
    if len(runs) > 1:
        raise InputError(
            f"{path}: holds {len(runs)} systems: {', '.join(run.name for run in runs)}.",
            hint="read_runs(path) reads them all.",
        )
    return runs[0]


def read_runs(
    path: PathLike | Sequence[PathLike],
    name: str | None = None,
    judged_queries: Collection[str] = (),
    *,
    convention: Any = "TREC_EVAL",
    depth: int | None = None,
) -> list[Run]:
    """All systems of a file: one of a TREC run or a table, one or more of a JSON object.

    Parameters
    ----------
    path : str or path, or list of them
        "-" is standard input; gzip and zstd are known by their content. Tables are CSV or TSV with
        a header, Parquet or Arrow, with the columns of `to_runs`. A folder or a list of files is one run.
    name : str, optional
        The system's name; by default that of the file, of the folder or of the first file, without
        its suffix. Systems that the file names keep their names.
    judged_queries : collection of str, optional
        As for `to_runs`: what settles whether {x: {}} names systems or queries.
    convention : str or Convention
    depth : int, optional
        Keep of each query only what its first `depth` ranks can need under the convention, so
        that memory grows with them and not with the file; `Run.order` refuses to go deeper.

    Raises
    ------
    InputError
        As `read_qrels`.

    Examples
    --------
    >>> [run.name for run in read_runs("fixtures/tutorial/A.run")]
    ['A']
    """
    parts = [Source(each) for each in files_of(path)]
    default = name_of(path if isinstance(path, (str, os.PathLike)) else parts[0].path) if name is None else name
    if len(parts) == 1 and _is_json(parts[0].head()):
        return _json_runs(parts[0], default, judged_queries)
    depth = checked_depth(depth)
    keep = ALL if depth is None else Keep.of(resolve_convention(convention), depth)
    rankings = gather(_chained(parts), keep)
    if not rankings:
        raise InputError(f"{_shown(path)}: holds no result.", hint=f"expected lines of {RUN_FIELDS}.")
    return [Run.of_scored(default, rankings, keep)]


def reader(path: PathLike | Sequence[PathLike]) -> Reader:
    """Reads one run, block by block, from what `read_run` takes but JSON; a file may hold no result.

    Raises
    ------
    InputError
        As `read_run`, here or when it reads.
    """
    return _chained([Source(each) for each in files_of(path)])


def _chained(parts: Sequence[Source]) -> Reader:
    check_one_run(parts)
    readers = [_reader(part) for part in parts]
    return lambda keep: (block for read in readers for block in read(keep))


def check_one_run(parts: Sequence[Source]) -> None:
    """Refuse files of run lines that name different runs: several systems in one folder are not one.

    Raises
    ------
    InputError
        Two files' first lines have different run_ids; or a file cannot be read.
    """
    if len(parts) == 1:
        return
    heads = ((part, part.head(2**12)) for part in parts)
    lines = [(part, head) for part, head in heads if not kind_of(head) and not _is_json(head)]
    named = [(part, run_id) for part, head in lines if (run_id := run_id_of(head)) is not None]
    for part, run_id in named:
        if run_id != named[0][1]:
            raise InputError(
                f"{part.path}: is of the run {run_id!r}, and {named[0][0].path} of the run {named[0][1]!r}.",
                hint="several systems are several runs: name each file; parts of one run have one run_id.",
            )


def files_of(path: PathLike | Sequence[PathLike]) -> list[PathLike]:
    """The files of one run: one, those of a list, or those of a folder and of its folders in the order of their names.

    Raises
    ------
    InputError
        There is none.
    """
    files: list[PathLike]
    if isinstance(path, (list, tuple)):
        files = list(path)
    elif isinstance(path, (str, os.PathLike)) and str(path) != "-" and Path(path).is_dir():
        files = [each for each in sorted(Path(path).rglob("*")) if each.is_file() and _is_shown(each.relative_to(path))]
    else:
        return [cast(PathLike, path)]  # or nothing that Source takes
    if not files:
        raise InputError(f"{_shown(path)}: holds no file.", hint="expected the files of one run.")
    return files


def _is_shown(path: Path) -> bool:
    """Whether neither the file nor a folder is hidden, or an engine's own, such as `_SUCCESS`."""
    return not any(part.startswith((".", "_")) for part in path.parts)


def _reader(source: Source) -> Reader:
    """By what the file holds, and for TREC's lines the fastest that is installed."""
    head = source.head()
    if kind := kind_of(head):
        return lambda keep: table_blocks(source, kind, keep)
    if _is_json(head):
        raise InputError(f"{source.path}: is JSON.", hint="a run of several files is in TREC's format or in tables.")
    if find_spec("pyarrow") is None:
        return lambda keep: run_blocks(source.blocks(), source.path, keep)
    from rageval_ir.formats import trec_columns as fast

    return lambda keep: fast.run_blocks(source.blocks(fast.BLOCK), source.path, keep)


def _json_runs(source: Source, default: str, judged_queries: Collection[str]) -> list[Run]:
    given = read_json(source.lines(), source.path)
    try:
        runs = to_runs(given, judged_queries)
    except InputError as error:
        raise _in_file(source.path, error) from None
    named = isinstance(given, dict) and set(given) == {run.name for run in runs}
    return runs if named else [run.named(default) for run in runs]


def write_qrels(qrels: Any, path: PathLike, format: str = "trec") -> list[str]:  # noqa: A002
    """Write judgments as a TREC qrels file or as JSON.

    Parameters
    ----------
    qrels : Qrels or anything that `to_qrels` takes
    path : str or path
        A name that ends in `.gz` is compressed. The file is whole or untouched.
    format : {"trec", "json"}

    Returns
    -------
    list of str
        The queries that the file cannot hold: in TREC's format, those without any judgment.

    Raises
    ------
    InputError
        White space in an id (TREC); the file cannot be written; an unknown format.
    """
    qrels = to_qrels(qrels)
    is_trec = _is_trec(format)
    write(path, (qrels_text(qrels) if is_trec else qrels_json(qrels)).encode())
    return [query_id for query_id, grades in qrels.judgments.items() if not grades] if is_trec else []


def write_run(run: Any, path: PathLike, format: str = "trec", convention: object = TREC_EVAL) -> list[str]:  # noqa: A002
    """Write one system's rankings as a TREC run, in the convention's order, or as JSON, as given.

    Parameters
    ----------
    run : Run or anything that `to_runs` takes for one system
    path, format
        As `write_qrels`.
    convention : str or Convention
        Whose order a TREC run is written in; its scores are n to 1.

    Returns
    -------
    list of str
        The queries that the file cannot hold: in TREC's format, empty and failed ones.

    Raises
    ------
    InputError
        White space in an id or the name (TREC); the file cannot be written; several systems.
    """
    runs = to_runs(run)
    if len(runs) > 1:
        raise InputError(f"A run file holds one system; found {', '.join(r.name for r in runs)}.")
    is_trec = _is_trec(format)
    text = run_text(runs[0], resolve_convention(convention)) if is_trec else run_json(runs[0])
    write(path, text.encode())
    return [q for q, given in runs[0].rankings.items() if _is_empty(given)] if is_trec else []


def _is_empty(given: Given) -> bool:
    return isinstance(given, Failure) or not (given.doc_ids if isinstance(given, Scored) else given)


def _is_json(head: bytes) -> bool:
    return head.lstrip().startswith(b"{")


def _is_trec(format: str) -> bool:  # noqa: A002
    if format not in ("trec", "json"):
        raise InputError(f"Unknown format {shown(format)}.", hint='expected "trec" or "json".')
    return format == "trec"


def _in_file(path: PathLike, error: InputError) -> InputError:
    """The error with the file's name, where it does not begin with it."""
    if error.message.startswith(str(path)):
        return error
    return InputError(f"{path}: {error.message}", hint=error.hint)


def _shown(path: PathLike | Sequence[PathLike]) -> str:
    return ", ".join(map(str, path)) if isinstance(path, (list, tuple)) else str(path)
