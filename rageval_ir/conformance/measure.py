"""Measures subjects and writes their profiles: `python -m rageval_ir.conformance.measure NAME ...`, in a checkout."""

from __future__ import annotations

import datetime
import json
import sys

from rageval_ir.conformance.recorded import record
from rageval_ir.conformance.runner import run
from rageval_ir.conformance.suite import folder

__all__ = ["main"]

_TIMEOUT = 120.0  # some libraries compile on first use


def main(names: list[str]) -> None:
    """Measure and write each."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    for name in names:
        result = run(name, timeout=_TIMEOUT)
        text = json.dumps(record(name.upper(), result, today), indent=1, ensure_ascii=False)
        (folder() / "profiles" / f"{name.upper()}.json").write_text(text + "\n", "utf-8")
        print(f"{name.upper()}: {result.implementation.version}, {result.required}")


if __name__ == "__main__":
    main(sys.argv[1:])
