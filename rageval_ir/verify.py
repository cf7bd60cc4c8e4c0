"""Does an audit's record still hold for the data?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rageval_ir.audit import RECORD, Audit, audit, same
from rageval_ir.conventions import Convention
from rageval_ir.errors import InputError, RecordDiffersError, shown
from rageval_ir.shapes import to_qrels, to_runs

__all__ = ["verify"]


def verify(record: str, relevant: Any, rankings: Any) -> Audit:
    """Make the audit of a record again, and compare.

    Parameters
    ----------
    record : str
        JSON from `Audit.to_json`.
    relevant, rankings
        The data, as for `evaluate`; the systems in any order.

    Returns
    -------
    Audit
        Made anew, where everything but the versions is the same, values within 1e-12.

    Raises
    ------
    RecordDiffersError
        Something differs; what, in one line each.
    InputError
        No such record; or as `evaluate`.
    """
    try:
        old = json.loads(record)
        if old["format"] != RECORD:
            raise KeyError("format")
        convention, depth, measures = Convention(**old["convention"]), old["depth"], old["measures"]
        order = {system: i for i, system in enumerate(old["runs"])}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(f"This is not an audit's record: {type(error).__name__}: {error}.") from error
    qrels = to_qrels(relevant)
    runs = sorted(to_runs(rankings, qrels.judgments), key=lambda run: order.get(run.name, len(order)))
    again = audit(qrels, runs, measures, convention, depth)
    differences = list(_differences(old, json.loads(again.to_json()), "record"))
    if differences:
        more = f"\n... and {len(differences) - 10} more" if len(differences) > 10 else ""
        raise RecordDiffersError("The record differs from the data:\n" + "\n".join(differences[:10]) + more)
    return again


def _differences(old: Any, new: Any, where: str) -> Iterator[str]:
    if where == "record.versions":
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in {**old, **new}:
            if key not in old or key not in new:
                yield f"{where}.{key} is only in the {'record' if key in old else 'data'}"
            else:
                yield from _differences(old[key], new[key], f"{where}.{key}")
    elif isinstance(old, Sequence) and isinstance(new, Sequence) and not isinstance(old, str) and len(old) == len(new):
        for i, (one, two) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, two, f"{where}[{_label(one) or i}]")
    elif isinstance(old, (int, float)) and isinstance(new, (int, float)):
        if not same(old, new):
            yield f"{where}: {old!r} in the record, {new!r} from the data"
    elif old != new:
        yield f"{where}: {shown(old)} in the record, {shown(new)} from the data"


def _label(row: Any) -> str:
    """What a row of the record is about."""
    names = ("system", "measure", "axis", "option", "provider")
    return ", ".join(str(row[name]) for name in names if name in row) if isinstance(row, Mapping) else ""
