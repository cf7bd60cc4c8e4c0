"""Bytes from a path or standard input, gzip or not; and bytes into a file that is whole or absent."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import cast

from rageval_ir.errors import InputError, shown

__all__ = ["PathLike", "lines", "name_of", "write"]

PathLike = str | os.PathLike[str]

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


def lines(path: PathLike) -> Iterator[bytes]:
    """The lines of a file, of any length, each with its end; "-" is standard input.

    gzip is known by its first two bytes, and a UTF-8 byte-order mark is dropped.

    Raises
    ------
    InputError
        The file cannot be read, or is damaged, or is UTF-16.
    """
    try:
        if str(path) == "-":
            if sys.stdin is None:
                raise InputError("Standard input is closed.", hint="name a file.")
            yield from _decoded(cast(BufferedReader, sys.stdin.buffer), path)
        else:
            with _path(path).open("rb") as file:
                yield from _decoded(file, path)
    except InputError:
        raise
    except (OSError, EOFError, ValueError, zlib.error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        hint = "the file is damaged or was cut off; copy it again." if isinstance(error, (EOFError, zlib.error)) else ""
        raise InputError(f"{path}: cannot be read: {why}.", hint=hint) from error


def _decoded(file: BufferedReader, path: PathLike) -> Iterator[bytes]:
    stream = gzip.GzipFile(fileobj=file) if file.peek(2).startswith(_GZIP) else file
    for first in stream:
        if first.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"{path}: is UTF-16; expected UTF-8.", hint="save it as UTF-8.")
        yield first.removeprefix(_BOM)
        break
    yield from stream


def name_of(path: PathLike) -> str:
    """A system's name from its file's: without the folder, `.gz` and one suffix.

    >>> name_of("runs/bm25.tuned.run.gz")
    'bm25.tuned'
    """
    if str(path) == "-":
        return "stdin"
    return Path(_path(path).name.removesuffix(".gz")).stem


def _path(path: PathLike) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise InputError(f"Found {shown(path)} of type {type(path).__name__}; expected the path of a file.") from None


def write(path: PathLike, data: bytes) -> None:
    """Write a whole file or none: under another name first, then renamed; `.gz` is compressed.

    Raises
    ------
    InputError
        The file cannot be written; what stood there before still does.
    """
    target = _path(path)
    data = gzip.compress(data, mtime=0) if target.suffix == ".gz" else data
    try:
        if target.exists() and not target.is_file():  # a device or a pipe has nothing to lose
            target.write_bytes(data)
            return
        target = target.resolve()
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
        try:
            unfinished.write_bytes(data)
            unfinished.replace(target)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{shown(str(path))}: cannot be written: {why}.") from error
