"""The dicts and lists of the Python interface as a JSON file; `null` is a failed query."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import InputError, place, shown
from rageval_ir.given import Failure, Scored
from rageval_ir.validate import identifiers

__all__ = ["qrels_json", "read_json", "run_json"]


def read_json(lines: Iterable[bytes], path: object) -> Any:
    """The one object of a JSON file.

    Raises
    ------
    InputError
        Not JSON (line and column are named), a name twice in one object, NaN or Infinity.
    """
    data = b"".join(lines)
    try:
        return json.loads(data, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        line = data.decode(errors="backslashreplace").split("\n")[error.lineno - 1]
        raise InputError(
            f"{path}, line {error.lineno}, column {error.colno}: not JSON: {error.msg}: {shown(line)}."
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8.", hint="save the file as UTF-8.") from None
    except RecursionError:
        raise InputError(f"{path}: objects are nested too deeply.") from None
    except InputError as error:
        raise InputError(f"{path}: {error.message}", hint=error.hint) from None
    except ValueError:  # an int of more than 4,300 digits
        raise InputError(f"{path}: holds a number that is too long.") from None


def qrels_json(qrels: Qrels) -> str:
    """Judgments as {query id: {document id: grade}}."""
    return _text(qrels.judgments)


def run_json(run: Run) -> str:
    """A run as {query id: ranking}: a list of ids, a list of [id, score] pairs, or null if it failed."""
    given: dict[str, Any] = {}
    for query_id, ranking in run.rankings.items():
        if isinstance(ranking, Failure):
            given[query_id] = None
        elif isinstance(ranking, Scored):
            given[query_id] = list(zip(ranking.doc_ids, ranking.scores, strict=True))
        else:
            where = place(system=run.name, query=query_id)
            given[query_id] = identifiers(ranking, "document id", lambda where=where: where)  # type: ignore[misc]
    return _text(given)


def _text(given: Any) -> str:
    return json.dumps(given, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the name {shown(repeated)} is there twice in one object.", hint="keep one of the two.")
    return found


def _no_constant(name: str) -> Any:
    raise InputError(f"holds {name}, which is not JSON and has no place in an order.")
