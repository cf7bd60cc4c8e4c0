"""The command `rageval-ir`: parses, calls one function, prints.

Data go to standard output, all else to standard error; the exit status is the error's `exit_code`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rageval_ir.backends import backend_versions
from rageval_ir.commands import add_commands
from rageval_ir.errors import RagevalError
from rageval_ir.terminal import Progress, print_data, tell
from rageval_ir.version import __version__

__all__ = ["main"]

_INTERRUPTED, _PIPE_CLOSED = 130, 141  # 128 + SIGINT, 128 + SIGPIPE: what a shell expects


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0 fine, 1 a verified record differs or an implementation does not conform, 2 bad usage or input,
    3 a backend failed or is missing, 4 backend and reference disagree, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = _parser().parse_args(arguments)
        print_data(options.run(options))
    except RagevalError as error:
        return _tell(error)
    except ExceptionGroup as several:
        return max(map(_tell, several.exceptions))
    except KeyboardInterrupt:
        Progress.clear()
        tell("rageval-ir: interrupted")
        return _INTERRUPTED
    except BrokenPipeError:  # such as `| head`
        return _PIPE_CLOSED
    return 0


def _tell(error: Exception) -> int:
    """Say what went wrong, and give the exit status."""
    assert isinstance(error, RagevalError)
    Progress.clear()
    tell(f"rageval-ir: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
    return error.exit_code


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are two lines, not a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where help is."""
        self.exit(2, f"{self.prog}: {message}\nhint: {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rageval-ir",
        description="Evaluate retrievers: the standard measures, computed twice, with every denominator.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="print the versions and exit")
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser))
    return parser


class _Version(argparse.Action):
    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        backends = ", ".join(f"{name} {version}" for name, version in backend_versions().items())
        print(f"rageval-ir {__version__} ({backends})")
        parser.exit()
