"""Columns of query ids, document ids and scores into segments, by operations on whole columns.

The columns are numpy's or Arrow's; pandas' and polars' become one or the other without a
copy. What needs a closer look, such as a null or a score that is not finite, is left to
whoever can say where it stands: `Irregular` is raised.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np

from rageval_ir.given import Scored
from rageval_ir.keep import Block, Keep, Segment
from rageval_ir.validate import is_encodable

__all__ = ["ROWS", "Irregular", "block", "blocks", "ids", "numbers"]

ROWS = 2**17
"""How many rows are looked at together: what is done once for each block does not matter, and a cache holds one."""


class Irregular(Exception):  # noqa: N818  # no error yet
    """A column holds what has to be looked at value by value."""


class _Numpy:
    """Ids in a numpy array of strings or of integers."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self._values = values

    def __getitem__(self, rows: slice | np.ndarray[Any, Any]) -> _Numpy:
        return _Numpy(self._values[rows])

    def __len__(self) -> int:
        return len(self._values)

    def changes(self) -> np.ndarray[Any, Any]:
        """Where a value differs from the one before."""
        try:
            return np.flatnonzero(self._values[1:] != self._values[:-1]) + 1
        except (TypeError, ValueError):  # such as pandas' NA, which is neither
            raise Irregular from None

    def texts(self) -> list[str]:
        """The ids."""
        if self._values.dtype != object:
            return [str(number) for number in self.keys()]
        _check_strings(self._values)
        return _valid(self.keys())

    def keys(self) -> list[Any]:
        """Values that tell the ids apart, in this and in any other block."""
        keys: list[Any] = self._values.tolist()
        return keys

    def codes(self) -> np.ndarray[Any, Any] | list[Any]:
        """Values that are equal for equal ids of this block."""
        if self._values.dtype != object:
            return self._values
        _check_strings(self._values)
        return self.keys()


class _Arrow:
    """Ids in an Arrow array of strings or of integers."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __getitem__(self, rows: slice | np.ndarray[Any, Any]) -> _Arrow:
        return _Arrow(self._values[rows] if isinstance(rows, slice) else self._values.take(_as_arrow(rows)))

    def __len__(self) -> int:
        return len(self._values)

    def changes(self) -> np.ndarray[Any, Any]:
        """Where a value differs from the one before."""
        import pyarrow.compute as pc

        differs = pc.not_equal(self._values[1:], self._values[:-1])
        return np.flatnonzero(differs.to_numpy(zero_copy_only=False)) + 1

    def texts(self) -> list[str]:
        """The ids."""
        values: list[Any] = self._values.to_pylist()
        return _valid(values) if values and isinstance(values[0], str) else [str(number) for number in values]

    def keys(self) -> list[Any]:
        """Values that tell the ids apart, in this and in any other block."""
        keys: list[Any] = self._values.cast("large_string").cast("large_binary").to_pylist()
        return keys

    def codes(self) -> np.ndarray[Any, Any]:
        """Numbers that are equal for equal ids of this block, and seldom for others."""
        return np.asarray(self._values) if len(self._values.buffers()) == 2 else _hashes(self._values)


def ids(column: Any) -> _Numpy | _Arrow:
    """A column of ids, from a numpy or pandas array, or an Arrow array or chunked array.

    Raises
    ------
    Irregular
        It holds something else than strings, or than integers; of objects, this is seen where they are used.
    """
    pa = sys.modules.get("pyarrow")
    values = column
    if not isinstance(values, np.ndarray) and hasattr(values, "__arrow_array__") and pa is not None:
        values = values.__arrow_array__() if _is_arrow_backed(values) else values
    if pa is not None and isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _Arrow(_plain(values, pa))
    values = np.asarray(values)
    if values.dtype != object and values.dtype.kind not in "iu":
        raise Irregular
    return _Numpy(values)


def numbers(column: Any) -> np.ndarray[Any, Any]:
    """A column of scores as 64-bit floats.

    Raises
    ------
    Irregular
        It is not a column of finite numbers.
    """
    values = np.asarray(column)  # a null is a NaN in it
    if values.dtype.kind not in "iuf" or values.dtype.itemsize > 8:
        raise Irregular
    values = values.astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        raise Irregular
    return values


def blocks(queries: Any, documents: Any, scores: Any, keep: Keep) -> Iterator[Block]:
    """Columns of any length, block by block.

    Raises
    ------
    Irregular
        As `ids` and `numbers`.
    """
    queries, documents, scores = (getattr(each, "array", each) for each in (queries, documents, scores))
    for start in range(0, len(scores), ROWS):
        rows = slice(start, start + ROWS)
        yield block(ids(queries[rows]), ids(documents[rows]), numbers(scores[rows]), keep)


def block(queries: _Numpy | _Arrow, documents: _Numpy | _Arrow, scores: np.ndarray[Any, Any], keep: Keep) -> Block:
    """One block, its queries in the order of first appearance."""
    if not len(scores):
        return Block([], lambda _: [])
    starts = np.concatenate([[0], queries.changes()])
    names = queries[starts].texts()
    order: np.ndarray[Any, Any] | None = None
    codes = documents.codes()
    if len(set(names)) < len(names):  # interleaved
        names, starts, order = _sorted(names, starts, len(scores))
        scores = scores[order]
        codes = [codes[row] for row in order.tolist()] if isinstance(codes, list) else codes[order]
    ends = [*starts[1:].tolist(), len(scores)]
    bounds = list(zip(starts.tolist(), ends, strict=True))
    rows = _staying(scores, starts, bounds, keep)
    kept, values = documents[rows if order is None else order[rows]].texts(), scores[rows].tolist()
    until = np.searchsorted(rows, ends).tolist()

    def doc_ids(place: int) -> list[Any]:
        rows = slice(*bounds[place])
        return documents[rows if order is None else order[rows]].keys()

    repeating = {
        place for place in _suspects(codes, starts, bounds) if len({*(all_of := doc_ids(place))}) < len(all_of)
    }
    segments = [
        Segment(name, Scored(kept[first:last], values[first:last]), place in repeating)
        for place, (name, (first, last)) in enumerate(zip(names, pairwise([0, *until]), strict=True))
    ]
    return Block(segments, doc_ids)


def _sorted(
    names: list[str], starts: np.ndarray[Any, Any], rows: int
) -> tuple[list[str], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Queries that come back, put together: their names, where each starts, and the rows in that order."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    lengths = np.diff(starts, append=rows)
    of_row = np.repeat(np.array([places[name] for name in names]), lengths)
    order = np.argsort(of_row, kind="stable")
    counts = np.bincount(of_row, minlength=len(places))
    return list(places), np.concatenate([[0], np.cumsum(counts)[:-1]]), order


def _staying(
    scores: np.ndarray[Any, Any], starts: np.ndarray[Any, Any], bounds: list[tuple[int, int]], keep: Keep
) -> np.ndarray[Any, Any]:
    """The rows that stay: of each query those that `Keep.cut` keeps."""
    if keep.ranks is None:
        return np.arange(len(scores))
    lengths = np.diff(starts, append=len(scores))
    falls = np.concatenate([[True], scores[1:] <= scores[:-1]])
    falls[starts] = True
    in_order = np.logical_and.reduceat(falls, starts)
    floors = np.where(lengths > keep.ranks, scores[np.minimum(starts + keep.ranks, starts + lengths) - 1], -math.inf)
    for place in np.flatnonzero(~in_order & (lengths > keep.ranks)).tolist():
        start, end = bounds[place]
        last = end - start - keep.ranks
        floors[place] = np.partition(scores[start:end], last)[last]
    if keep.float32:
        floors = np.array([keep.below(floor) for floor in floors.tolist()])
    stays = scores >= np.repeat(floors, lengths)
    lowest = np.flatnonzero(scores == np.repeat(np.minimum.reduceat(scores, starts), lengths))
    stays[lowest[np.searchsorted(lowest, starts)]] = True
    return np.flatnonzero(stays)


def _suspects(
    codes: np.ndarray[Any, Any] | list[Any], starts: np.ndarray[Any, Any], bounds: list[tuple[int, int]]
) -> set[int]:
    """The queries in which two documents have one code: those that repeat a document, and a few more."""
    if isinstance(codes, list):
        rest = iter(codes)
        return {place for place, (start, end) in enumerate(bounds) if len({*islice(rest, end - start)}) < end - start}
    ordered = codes.copy()
    for start, end in bounds:
        ordered[start:end].sort()
    again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
    places = np.searchsorted(starts, again, side="right") - 1
    return set(places[again != starts[places]].tolist())


_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, and odd
_MASKS = np.array([2 ** (8 * length) - 1 for length in range(9)], np.uint64)


def _hashes(values: Any) -> np.ndarray[Any, Any]:
    """A number of 32 bits for each text, from its length, its first 64 bytes and its last eight."""
    _, offsets, data = values.buffers()
    wide = np.int64 if "large" in str(values.type) else np.int32
    bounds = np.frombuffer(offsets, wide)[values.offset : values.offset + len(values) + 1].astype(np.int64)
    content = np.zeros(bounds[-1] - bounds[0] + 8, np.uint8)
    if data is not None:
        content[:-8] = np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]]
    words = np.ndarray((len(content) - 7,), np.uint64, content, strides=(1,))  # the eight bytes from every byte on
    starts, lengths = bounds[:-1] - bounds[0], np.diff(bounds)
    hashes = lengths.astype(np.uint64) * _MIX
    longest = int(lengths.max())
    firsts: list[Any] = list(range(0, min(longest, 64), 8))
    for done in firsts if longest <= 64 else [*firsts, np.maximum(lengths - 8, 0)]:
        rest = np.clip(lengths - done, 0, 8)
        word = words[np.where(rest, starts + done, 0)] & _MASKS[rest]
        hashes = (hashes ^ word) * _MIX
        hashes ^= hashes >> np.uint64(29)
    return (hashes >> np.uint64(32)).astype(np.uint32)


def _check_strings(values: np.ndarray[Any, Any]) -> None:
    from pandas.api.types import infer_dtype

    if infer_dtype(values, skipna=False) != "string":
        raise Irregular


def _valid(texts: list[str]) -> list[str]:
    joined = "".join(texts)
    if not all(texts) or "\0" in joined or not is_encodable(joined):
        raise Irregular
    return texts


def _as_arrow(rows: np.ndarray[Any, Any]) -> Any:
    import pyarrow as pa

    return pa.array(rows)


def _is_arrow_backed(values: Any) -> bool:
    """Whether a pandas array holds an Arrow array inside, so that taking it out copies nothing."""
    return "pyarrow" in str(getattr(values, "dtype", "")) or getattr(values.dtype, "storage", "") == "pyarrow"


def _plain(values: Any, pa: Any) -> Any:
    """One Arrow array without nulls, of texts or integers."""
    if pa.types.is_dictionary(values.type):  # whose entries need not differ
        values = values.cast(values.type.value_type)
    kind = values.type
    if pa.types.is_string_view(kind):
        values = values.cast(pa.large_string())
    elif not any(check(kind) for check in _kinds(pa)):
        raise Irregular
    if isinstance(values, pa.ChunkedArray):
        values = values.chunk(0) if values.num_chunks == 1 else pa.concat_arrays(values.chunks)
    if values.null_count:
        raise Irregular
    return values


def _kinds(pa: Any) -> list[Callable[[Any], bool]]:
    types = pa.types
    return [types.is_string, types.is_large_string, types.is_integer]
