"""Run lines as columns, by pyarrow; what its CSV reader may see otherwise than trec_eval is left to `trec`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rageval_ir import columns
from rageval_ir.formats import trec
from rageval_ir.keep import Block, Keep

__all__ = ["BLOCK", "run_blocks"]

BLOCK = 2**23
"""How many bytes are read at once."""

_FIELDS = ["query_id", "Q0", "doc_id", "rank", "score", "run_id"]
_BLANKS_AND_NUL = (b"\r", b"\v", b"\f", b"\0")


def run_blocks(content: Iterable[bytes], path: object, keep: Keep) -> Iterator[Block]:
    """As `trec.run_blocks`, to the last bit and word."""
    number = 1
    for lines in content:
        # for less than half a block, loading pyarrow would cost more than it saves
        block = None if len(lines) < BLOCK // 2 else _block(lines, keep)
        yield block or trec.run_block(lines, path, number, keep)
        number += lines.count(b"\n")


def _block(lines: bytes, keep: Keep) -> Block | None:
    """None where a closer look is needed."""
    import pyarrow as pa
    from pyarrow import csv

    blank = b"\t" if b"\t" in lines else b" "
    if not _is_plain(lines, blank):
        return None
    types = {"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()}
    try:
        table = csv.read_csv(
            pa.py_buffer(lines),
            csv.ReadOptions(use_threads=False, block_size=len(lines) + 1, column_names=_FIELDS),
            csv.ParseOptions(delimiter=blank.decode(), quote_char=False),
            csv.ConvertOptions(include_columns=[*types], column_types=types, check_utf8=False),
        )
        queries, documents, scores = table.columns
        block = columns.block(columns.ids(queries), columns.ids(documents), columns.numbers(scores), keep)
    except (pa.ArrowInvalid, columns.Irregular):
        return None
    return None if any(segment.query_id.startswith("#") for segment in block.segments) else block


def _is_plain(lines: bytes, blank: bytes) -> bool:
    """Whether fields stand between single blanks of one kind, and all text is UTF-8."""
    if (b"\t" in lines and b" " in lines) or any(other in lines for other in _BLANKS_AND_NUL):
        return False
    content = np.frombuffer(lines, np.uint8)
    between = (content == blank[0]) | (content == b"\n"[0])
    if between[0] or (between[1:] & between[:-1]).any():
        return False
    try:
        return lines.isascii() or bool(lines.decode())
    except UnicodeDecodeError:
        return False
