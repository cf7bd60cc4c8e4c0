"""TREC qrels and runs, as trec_eval 10 reads them: fields between any blanks, `#` comments, LF or CRLF.

Lines are read as bytes and split where C's `isspace` says, so that a no-break space in an
id is part of the id here as it is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from math import isfinite
from typing import NamedTuple

from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import InputError, shown
from rageval_ir.given import Scored
from rageval_ir.keep import Block, Keep, Segment
from rageval_ir.validate import Where, grade, score

__all__ = ["RUN_FIELDS", "qrels_text", "read_qrels_lines", "run_block", "run_blocks", "run_id_of", "run_text"]

_QRELS = "query_id iteration doc_id relevance"
RUN_FIELDS = "query_id Q0 doc_id rank score run_id"


class _Lines(NamedTuple):
    """One query's lines: document ids and scores."""

    documents: list[bytes]
    scores: list[float]


def read_qrels_lines(lines: Iterable[bytes], path: object) -> Qrels:
    r"""Judgments from lines of four fields: query_id, iteration (not read), doc_id, relevance.

    Raises
    ------
    InputError
        A line of another shape, or two lines that contradict each other; both are named.

    Examples
    --------
    >>> read_qrels_lines([b"q1 0 d1 1\n", b"q1 0 d2 -1\n"], "qrels.txt").judgments
    {'q1': {'d1': 1, 'd2': -1}}
    """
    judgments: dict[str, dict[str, int]] = {}
    first_lines: dict[tuple[str, str], int] = {}
    repeats: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        where = partial(_where, path, number, line)
        if len(fields) != 4:
            raise InputError(
                f"{where()} expected 4 fields ({_QRELS}), found {len(fields)}.",
                hint="is this a run? The judgments come first." if len(fields) >= 6 else _table_hint(line),
            )
        query_id, doc_id = _text(fields[0], where), _text(fields[2], where)
        given = _grade(fields[3], where)
        known = judgments.setdefault(query_id, {}).setdefault(doc_id, given)
        earlier = first_lines.setdefault((query_id, doc_id), number)
        if known != given:
            raise InputError(
                f"{where()} document {doc_id!r} of query {query_id!r} is judged {given} here and {known}"
                f" in line {earlier}.",
                hint="keep one of the two lines.",
            )
        if earlier != number:
            repeats[query_id] = repeats.get(query_id, 0) + 1
    if not judgments:
        raise InputError(f"{path}: holds no judgment.", hint=f"expected lines of {_QRELS}.")
    return Qrels(judgments, repeats)


def run_blocks(content: Iterable[bytes], path: object, keep: Keep) -> Iterator[Block]:
    r"""A run from lines of six fields: query_id, Q0, doc_id, rank (not read), score, run_id, and any more.

    Queries may be interleaved and ranks are not looked at: the score gives the order, as in
    trec_eval.

    Parameters
    ----------
    content : iterable of bytes
        Blocks of whole lines.

    Raises
    ------
    InputError
        A line of another shape, or a score that is not a finite number.

    Examples
    --------
    >>> [block] = run_blocks([b"q1 Q0 d1 1 0.5 tag\n"], "a.run", Keep(10))
    >>> block.segments
    [Segment(query_id='q1', scored=Scored(doc_ids=['d1'], scores=[0.5]), repeats=False)]
    """
    number = 1
    for lines in content:
        yield run_block(lines, path, number, keep)
        number += lines.count(b"\n")


def run_block(lines: bytes, path: object, number: int, keep: Keep) -> Block:
    """What `run_blocks` makes of whole lines, of which the first has this number."""
    try:
        collected = _regular(lines)
    except ValueError:  # also UnicodeDecodeError
        collected = _irregular(lines.split(b"\n"), path, number)
    documents = [given.documents for given in collected.values()]
    return Block([_segment(query, given, keep) for query, given in collected.items()], documents.__getitem__)


def run_id_of(head: bytes) -> str | None:
    """The run_id in the first line of a run that begins so; None for what is no such line."""
    for line in head.split(b"\n"):
        fields = line.split(None, 6)
        if fields and not fields[0].startswith(b"#"):
            return fields[5].decode("utf-8", "replace") if len(fields) >= 6 else None
    return None


def _regular(block: bytes) -> dict[bytes, _Lines]:
    """Lines that all have six fields and a finite score, and ids in UTF-8; ValueError for any other."""
    if b"\0" in block:
        raise ValueError
    if not block.isascii():
        block.decode()
    number = _number if b"_" in block else float
    collected: dict[bytes, _Lines] = {}
    last = None
    for line in block.removesuffix(b"\n").split(b"\n"):
        query, _, document, _, score, _ = line.split(None, 5)
        if query != last:
            documents, scores = collected.setdefault(query, _Lines([], []))
            last = query
        documents.append(document)
        scores.append(number(score))
    for query, (_, scores) in collected.items():
        if query.startswith(b"#") or not isfinite(sum(scores)):
            raise ValueError
    return collected


def _irregular(lines: Iterable[bytes], path: object, first: int) -> dict[bytes, _Lines]:
    """Lines of any shape, one by one: blank lines and comments are passed over, malformed ones named."""
    collected: dict[bytes, _Lines] = {}
    for number, line in enumerate(lines, first):
        fields = line.split(None, 6)
        if not fields or fields[0].startswith(b"#"):
            continue
        where = partial(_where, path, number, line)
        if len(fields) < 6:
            raise InputError(
                f"{where()} expected 6 fields ({RUN_FIELDS}), found {len(fields)}.",
                hint="is this a qrels file? The judgments come first." if len(fields) == 4 else _table_hint(line),
            )
        _text(fields[0], where)
        _text(fields[2], where)
        documents, scores = collected.setdefault(fields[0], _Lines([], []))
        documents.append(fields[2])
        scores.append(_score(fields[4], where))
    return collected


def _segment(query: bytes, given: _Lines, keep: Keep) -> Segment:
    documents = given.documents
    stay, scores = keep.cut(documents, given.scores)
    scored = Scored([document.decode() for document in stay], scores)
    return Segment(query.decode(), scored, len(set(documents)) < len(documents))


def qrels_text(qrels: Qrels) -> str:
    """Judgments as qrels lines; a query without judgments has none.

    Raises
    ------
    InputError
        An id with white space in it, which a reader would take for two fields.
    """
    return "".join(
        f"{_field(query_id, 'query id')} 0 {_field(doc_id, 'document id')} {given}\n"
        for query_id, grades in qrels.judgments.items()
        for doc_id, given in grades.items()
    )


def run_text(run: Run, convention: object) -> str:
    """A run as run lines, best first; scores are n to 1, so that every reader sees the same order.

    Raises
    ------
    InputError
        An id or the run's name with white space in it; or as `Run.to_dict`.
    """
    tag = _field(run.name, "system name")
    return "".join(
        f"{_field(query_id, 'query id')} Q0 {_field(doc_id, 'document id')} {rank} {score:.0f} {tag}\n"
        for query_id, scores in run.to_dict(convention).items()
        for rank, (doc_id, score) in enumerate(scores.items(), 1)
    )


def _where(path: object, number: int, line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace").strip()
    return f"{path}, line {number}: {shown(text)}:"


def _table_hint(line: bytes) -> str:
    if re.search(rb"[,;\t]", line):
        return "is it a table? Its first line names the columns, such as query_id,doc_id,score or qid,docno,label."
    return ""


def _text(field: bytes, where: Where) -> str:
    try:
        text = field.decode()
    except UnicodeDecodeError:
        raise InputError(f"{where()} an id is not UTF-8.", hint="save the file as UTF-8.") from None
    if "\0" in text:
        raise InputError(f"{where()} an id holds a NUL character.", hint="trec_eval's strings end at NUL; remove it.")
    return text


def _grade(field: bytes, where: Where) -> int:
    try:
        return grade(int(field) if field.lstrip(b"+-").isdigit() else _number(field), where)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where()} the relevance is not an integer.", hint="0, 1, 2 and so on.") from None


def _score(field: bytes, where: Where) -> float:
    try:
        return score(_number(field), where)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where()} the score is not a number.") from None


def _number(field: bytes) -> float:
    if b"_" in field:  # Python reads 1_000, no other tool does
        raise ValueError
    return float(field)


def _field(text: str, kind: str) -> str:
    if re.search(r"[ \t\n\v\f\r]", text):
        raise InputError(
            f"The {kind} {text!r} holds white space, which separates fields in a TREC file.",
            hint="write JSON, or replace the white space.",
        )
    if kind == "query id" and text.startswith(("#", "{", "\ufeff")):
        raise InputError(
            f"The {kind} {text!r} at the start of a line in a TREC file would be taken for a comment, for JSON,"
            " or for a byte-order mark.",
            hint="write JSON.",
        )
    return text
