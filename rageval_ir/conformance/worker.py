"""The subject's side of the protocol, for a Python callable: `python -m rageval_ir.conformance.worker module:function`.

What the callable prints goes to standard error, so that it cannot be taken for an answer.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from rageval_ir.conformance.process import PROTOCOL

__all__ = ["main"]


def main(spec: str) -> None:
    """Answer until the stop message or the end of standard input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass")
    os.dup2(2, 1)
    questions = open(0, encoding="utf-8", errors="surrogatepass", closefd=False)  # noqa: SIM115
    function: Callable[..., Any] | None = None
    for line in questions:
        message = json.loads(line)
        if message["cmd"] == "stop":
            break
        if message["cmd"] == "start":
            function, answer = _load(spec)
        else:
            assert function is not None  # the runner starts first
            answer = {"seq": message["seq"], "results": _results(function, message["case"])}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _load(spec: str) -> tuple[Callable[..., Any] | None, dict[str, Any]]:
    """The callable, and the answer to the start message."""
    module_name, _, path = spec.partition(":")
    try:
        module: Any = importlib.import_module(module_name)
        found: Any = module
        for name in path.split("."):
            found = getattr(found, name)
        if not callable(found):
            raise TypeError(f"{spec} is no function")
    except Exception as error:
        return None, {"errored": True, "message": f"{type(error).__name__}: {error}"}
    about = {
        "name": getattr(module, "SUBJECT", spec),
        "version": str(getattr(module, "VERSION", getattr(module, "__version__", ""))),
        "tolerance": getattr(module, "TOLERANCE", 0.0),
    }
    return found, {"version": PROTOCOL, "implementation": about}


def _results(function: Callable[..., Any], case: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = json.dumps([case["qrels"], case["run"]])  # read anew for every call: a subject may change its input
    results = []
    for measure in case["measures"]:
        qrels, run = json.loads(given)
        results.append(_result(function, qrels, run, measure))
    return results


def _result(function: Callable[..., Any], qrels: Any, run: Any, measure: str) -> dict[str, Any]:
    run = {query_id: list(map(tuple, rows)) for query_id, rows in run.items()}
    try:
        value = function(qrels, run, measure)
    except NotImplementedError as error:
        return {"skipped": True, "message": str(error)}
    except (Exception, SystemExit) as error:
        return {"errored": True, "message": f"{type(error).__name__}: {error}"[:500]}
    if value is None:
        return {"skipped": True}
    try:
        if not isinstance(value, tuple):
            return {"per_query": _plain(value)}
        per_query, mean = value
        answer: dict[str, Any] = {"mean": None if mean is None else float(mean)}
        return answer if per_query is None else {"per_query": _plain(per_query), **answer}
    except (AttributeError, TypeError, ValueError):
        return {"no_answer": f"{value!r:.200}; expected {{query_id: value}}, or that and the mean"}


def _plain(values: Any) -> dict[str, float | None]:
    """Numbers of any library as floats."""
    return {str(key): None if value is None else float(value) for key, value in values.items()}


if __name__ == "__main__":
    main(sys.argv[1])
