"""Every error of the package, and the exit status that each one stands for.

::

    RagevalError                                    status
    ├── InputError (ValueError)                     2   judgments, rankings, ids, scores, files
    │   └── RejectedError                           2   an option `reject` met what it rejects
    ├── MeasureError (ValueError)                   2   unknown measure, bad cutoff or parameter
    ├── ConventionError (ValueError)                2   unknown convention, axis or option
    ├── BackendError (RuntimeError)                 3   a backend failed
    │   └── BackendMissingError (ImportError)       3   a backend is not installed
    ├── DisagreementError (RuntimeError)            4   backend and reference give two values
    ├── RecordDiffersError (ValueError)             1   a verified record is not what the data give
    └── ConformanceError (ValueError)               1   an implementation is not as required or expected

A message names the system, the query, the document, or the file and line, as far
as known; says what was expected and what was found; and `hint` says how to go on.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "BackendError",
    "BackendMissingError",
    "ConformanceError",
    "ConventionError",
    "Disagreement",
    "DisagreementError",
    "InputError",
    "MeasureError",
    "RagevalError",
    "RecordDiffersError",
    "RejectedError",
    "place",
    "shown",
]


class RagevalError(Exception):
    """The root of all errors; `hint` says what to do, `exit_code` is the command's status."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} Hint: {self.hint}" if self.hint else self.message


class InputError(RagevalError, ValueError):
    """Judgments, rankings or files that cannot be evaluated as they are."""


class RejectedError(InputError):
    """The convention rejects this data: one of its axes is set to `reject`."""


class MeasureError(RagevalError, ValueError):
    """A measure that does not exist, or one with a cutoff or parameter it cannot have."""


class ConventionError(RagevalError, ValueError):
    """A convention, an axis or an option that does not exist."""


class BackendError(RagevalError, RuntimeError):
    """A backend failed, or cannot compute what was asked."""

    exit_code = 3


class BackendMissingError(BackendError, ImportError):
    """A backend is not installed; the hint gives the line that installs it."""


class Disagreement(NamedTuple):
    """Two values for the same thing."""

    system: str
    query_id: str
    measure: str
    backend: float
    reference: float


class DisagreementError(RagevalError, RuntimeError):
    """Backend and reference give different values for the same query and measure: `disagreement`."""

    exit_code = 4

    def __init__(self, message: str, disagreement: Disagreement, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.disagreement = disagreement

    def __reduce__(self) -> tuple[object, ...]:
        """What another process makes it from; by itself, pickle knows of the message alone."""
        return type(self), (self.message, self.disagreement), vars(self)


class RecordDiffersError(RagevalError, ValueError):
    """A record that is verified differs from what the data give."""

    exit_code = 1


class ConformanceError(RagevalError, ValueError):
    """An implementation under test fails what is required, or departs from what was expected of it."""

    exit_code = 1


def place(*, system: str | None = None, query: object = None, document: object = None) -> str:
    """Where in the data something stands, as error messages say it.

    >>> place(system="A", query="export")
    "system 'A', query 'export'"
    """
    parts = (("system", system), ("query", query), ("document", document))
    return ", ".join(f"{name} {shown(value)}" for name, value in parts if value is not None)


def shown(value: object, limit: int = 80) -> str:
    """`repr(value)` as one line that any terminal takes, cut to `limit` characters.

    >>> shown("a" * 100, limit=10)
    "'aaaaaa..."
    """
    try:
        text = repr(value).replace("\n", " ").encode("utf-8", "backslashreplace").decode("utf-8")
    except ValueError:  # Python refuses to print an int of more than 4,300 digits
        text = f"(a {type(value).__name__} too long to print)"
    return text if len(text) <= limit else text[: limit - 3] + "..."
