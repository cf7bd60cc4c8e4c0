"""Bytes from a path or standard input, compressed or not; and bytes into a file that is whole or absent."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, cast

from rageval_ir.errors import InputError, shown

__all__ = ["BLOCK", "PathLike", "Source", "lines", "name_of", "write"]

PathLike = str | os.PathLike[str]

BLOCK = 2**20
"""How many bytes are read at once: enough that what is done once for each block does not matter."""

_BOM = b"\xef\xbb\xbf"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_IN_MEMORY = 2**26


class Source:
    """One file's bytes, as often as they are asked for; gzip and zstd are known by their first bytes.

    Standard input and pipes are copied first, into a temporary file where they are long, so
    that they too can be read twice.

    Parameters
    ----------
    path : str or path
        "-" is standard input.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = path

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes, from the start.

        Raises
        ------
        InputError
            The file cannot be read, or is damaged; also for what the reader meets while it is open.
        """
        try:
            with self._raw() as file:
                yield _decompressed(file, self.path)
        except InputError:
            raise
        except (OSError, EOFError, ValueError, zlib.error) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error).rstrip(".")
            damaged = isinstance(error, (EOFError, zlib.error)) or (isinstance(error, OSError) and error.errno is None)
            damaged = damaged or type(error).__module__.startswith("pyarrow")
            hint = "the file is damaged or was cut off; copy it again." if damaged else ""
            if isinstance(error, FileNotFoundError) and re.search(r"[*?[]", str(self.path)):
                hint = "patterns are not expanded here; name the files, or their folder."
            raise InputError(f"{self.path}: cannot be read: {why}.", hint=hint) from error

    def lines(self) -> Iterator[bytes]:
        """The lines of any length, each with its end; a UTF-8 byte-order mark is dropped.

        Raises
        ------
        InputError
            As `open`; or the text is UTF-16.
        """
        with self.open() as file:
            yield _without_bom(file.readline(), self.path)
            yield from file

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The same text in blocks of whole lines, each of `size` bytes or one line that is longer."""
        with self.open() as file:
            parts = [_without_bom(file.read(4), self.path)]
            while block := file.read(size):
                end = block.rfind(b"\n") + 1
                if end:
                    yield b"".join([*parts, memoryview(block)[:end]])
                    parts = []
                parts.append(block[end:])
            if last := b"".join(parts):
                yield last

    def head(self, size: int = BLOCK) -> bytes:
        """The first bytes that are not blank, with those before them; a byte-order mark is dropped."""
        with self.open() as file:
            head = _without_bom(file.read(size), self.path)
            while not head.strip() and (more := file.read(size)):
                head = head[-1:] + more
            return head

    @contextmanager
    def _raw(self) -> Iterator[BufferedReader]:
        if str(self.path) == "-" or not _path(self.path).is_file():
            self._copied.seek(0)
            yield self._copied
        else:
            with _path(self.path).open("rb") as file:
                yield file

    @cached_property
    def _copied(self) -> BufferedReader:
        """What can be read only once, as a file."""
        if str(self.path) != "-":
            with _path(self.path).open("rb") as pipe:
                return _copy(pipe)
        if sys.stdin is None:
            raise InputError("Standard input is closed.", hint="name a file.")
        return _copy(sys.stdin.buffer)


def _copy(stream: IO[bytes]) -> BufferedReader:
    copy = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # as long as the source stands
    shutil.copyfileobj(stream, copy)
    return BufferedReader(cast(Any, copy))


def lines(path: PathLike) -> Iterator[bytes]:
    """The lines of a file, of any length, each with its end; as `Source.lines`."""
    return Source(path).lines()


def _decompressed(file: BufferedReader, path: PathLike) -> IO[bytes]:
    first = file.peek(4)
    if first.startswith(_GZIP):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file, mode="rb"))
    if first.startswith(_ZSTD):
        try:
            from pyarrow import CompressedInputStream
        except ImportError:
            raise InputError(
                f"{path}: is compressed with zstd.", hint="pip install 'rageval-ir[fast]', or decompress it."
            ) from None
        return cast(IO[bytes], BufferedReader(CompressedInputStream(file, "zstd")))
    return file


def _without_bom(first: bytes, path: PathLike) -> bytes:
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path}: is UTF-16; expected UTF-8.", hint="save it as UTF-8.")
    return first.removeprefix(_BOM)


def name_of(path: PathLike) -> str:
    """A system's name from its file's: without the folder, `.gz` or `.zst`, and one suffix.

    >>> name_of("runs/bm25.tuned.run.gz")
    'bm25.tuned'
    """
    if str(path) == "-":
        return "stdin"
    return Path(_path(path).name.removesuffix(".gz").removesuffix(".zst")).stem


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
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error).rstrip(".")
        raise InputError(f"{shown(str(path))}: cannot be written: {why}.") from error
