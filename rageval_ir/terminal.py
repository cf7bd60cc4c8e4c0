"""What goes to standard output and standard error, and how it fails."""

from __future__ import annotations

import os
import sys

from rageval_ir.errors import InputError

__all__ = ["Progress", "print_data", "tell"]


def print_data(text: str) -> None:
    """Print to standard output.

    Raises
    ------
    InputError
        It is closed, or cannot be written.
    BrokenPipeError
        Whoever read it has gone.
    """
    if sys.stdout is None:
        raise InputError("Standard output is closed.")
    try:
        print(text, flush=True)
    except OSError as error:
        # what is still in the buffer would fail again when the interpreter ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(f"Standard output cannot be written: {error.strerror or error}.") from error


def tell(text: str, end: str = "\n") -> None:
    """Print to standard error, where there is one."""
    if sys.stderr is not None:
        print(text, end=end, file=sys.stderr, flush=True)


class Progress:
    """One line on standard error that is overwritten, only where it is a terminal."""

    @staticmethod
    def show(text: str) -> None:
        """Put the text in place of the last."""
        if sys.stderr is not None and sys.stderr.isatty():
            tell(f"\r\033[K{text}", end="")

    @staticmethod
    def clear() -> None:
        """Leave the line empty."""
        Progress.show("")
