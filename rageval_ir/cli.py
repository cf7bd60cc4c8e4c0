"""The command `rageval-ir`: parses, calls one function, prints.

Data go to standard output, all else to standard error; the exit status is the error's `exit_code`.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from io import StringIO
from typing import Any, NoReturn

from rageval_ir import report
from rageval_ir.backends import backend_versions
from rageval_ir.conventions import AXES
from rageval_ir.convert import Run
from rageval_ir.demo import demo
from rageval_ir.errors import InputError, RagevalError
from rageval_ir.evaluation import evaluate
from rageval_ir.formats import read_qrels, read_runs
from rageval_ir.formats.source import lines
from rageval_ir.measures import parse_measures
from rageval_ir.profiles import PROFILES, resolve_convention
from rageval_ir.result import Evaluation
from rageval_ir.system import Row
from rageval_ir.version import __version__

__all__ = ["main"]

_INTERRUPTED, _PIPE_CLOSED = 130, 141  # 128 + SIGINT, 128 + SIGPIPE: what a shell expects


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0 fine, 2 bad usage or input, 3 a backend failed or is missing, 4 backend and reference
    disagree, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = _parser().parse_args(arguments)
        _print(options.run(options))
    except RagevalError as error:
        _Progress.clear()
        _tell(f"rageval-ir: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
        return error.exit_code
    except KeyboardInterrupt:
        _Progress.clear()
        _tell("rageval-ir: interrupted")
        return _INTERRUPTED
    except BrokenPipeError:  # such as `| head`
        return _PIPE_CLOSED
    return 0


def _print(text: str) -> None:
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


def _tell(text: str, end: str = "\n") -> None:
    if sys.stderr is not None:
        print(text, end=end, file=sys.stderr, flush=True)


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
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    _add_evaluate(commands)
    shown = commands.add_parser("demo", help="run the three-query example and show the working of one query")
    shown.set_defaults(run=lambda _: demo())
    return parser


class _Version(argparse.Action):
    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        backends = ", ".join(f"{name} {version}" for name, version in backend_versions().items())
        print(f"rageval-ir {__version__} ({backends})")
        parser.exit()


def _add_evaluate(commands: Any) -> None:
    command = commands.add_parser(
        "evaluate",
        help="evaluate runs against relevance judgments",
        description="Evaluate runs against relevance judgments. Files are TREC or JSON, gzip or not, told apart by"
        " content; - is standard input.",
        allow_abbrev=False,
    )
    command.add_argument("qrels", metavar="QRELS", help="the relevance judgments")
    command.add_argument("runs", metavar="RUN", nargs="+", help="a system's rankings; several files, several systems")
    command.add_argument(
        "-m", "--measure", metavar="NAME", action="append", help="such as P@10, R(rel=2)@100, nDCG@10; default P, R, RR"
    )
    command.add_argument(
        "-k", "--cutoff", metavar="K", type=int, help="the cutoff of measures named without one; 10 for P, R, RR"
    )
    command.add_argument("-d", "--depth", metavar="N", type=int, help="read only the first N results of each query")
    command.add_argument("--queries", metavar="FILE", help="evaluate only the queries listed in FILE, one a line")
    command.add_argument("-q", "--per-query", action="store_true", help="print every query's values too")
    command.add_argument("--format", choices=sorted(_FORMATS), default="text", help="default text")
    _add_axes(command.add_argument_group("conventions", "the first of each list is TREC_EVAL's."))
    command.set_defaults(run=_evaluate)


def _add_axes(group: Any) -> None:
    group.add_argument("--convention", metavar="NAME", default="TREC_EVAL", help=f"{', '.join(PROFILES)}")
    for axis, options in AXES.items():
        explained = "; ".join(f"{option}: {option.explanation}" for option in options)
        group.add_argument(
            f"--{axis.replace('_', '-')}", metavar="OPTION", help=f"{options.__doc__} {explained}".replace("%", "%%")
        )
    group.add_argument("--relevance-level", metavar="GRADE", type=int, help="the least grade that is relevant; 1")


def _evaluate(options: argparse.Namespace) -> str:
    """`rageval-ir evaluate`, as the text to print."""
    chosen = {axis: getattr(options, axis) for axis in (*AXES, "relevance_level")}
    convention = resolve_convention(options.convention).but(**{a: o for a, o in chosen.items() if o is not None})
    cutoff = 10 if options.cutoff is None and options.measure is None else options.cutoff
    measures = parse_measures(options.measure or ["P", "R", "RR"], cutoff)
    if [options.qrels, *options.runs, options.queries].count("-") > 1:
        raise InputError("Standard input (-) is given twice.", hint="it can be read only once; use files.")
    _Progress.show(f"reading {options.qrels}")
    qrels = read_qrels(options.qrels)
    result = evaluate(
        qrels,
        _read_systems(options.runs, qrels.judgments),
        measures,
        convention,
        options.depth,
        queries=None if options.queries is None else _read_queries(options.queries),
        progress=lambda system: _Progress.show(f"evaluating {system}"),
    )
    _Progress.clear()
    return _FORMATS[options.format](result, options.per_query)


def _read_systems(paths: Sequence[str], judged_queries: Collection[str]) -> list[Run]:
    """All runs, each under a name of its own: the file's or its own; where names are equal, the path says which."""
    read: list[tuple[str, list[Run]]] = []
    for path in paths:
        _Progress.show(f"reading {path}")
        read.append((path, read_runs(path, judged_queries=judged_queries)))
    names = Counter(run.name for _, runs in read for run in runs)
    seen: Counter[str] = Counter()
    named = []
    for path, runs in read:
        for run in runs:
            name = run.name if names[run.name] == 1 else path if len(runs) == 1 else f"{path}:{run.name}"
            seen[name] += 1
            name = name if seen[name] == 1 else f"{name}#{seen[name]}"
            named.append(run if name == run.name else Run(name, run.rankings))
    return named


def _read_queries(path: str) -> list[str]:
    listed = (line.decode("utf-8", "backslashreplace").strip() for line in lines(path))
    return [query_id for query_id in listed if query_id]


def _tables(result: Evaluation, per_query: bool, render: Callable[[Iterable[report.Table]], str]) -> str:
    return render([*([result.table(per_query=True)] if per_query else []), result.table()])


def _csv(result: Evaluation, per_query: bool) -> str:
    if per_query:
        return _csv_text([Row._fields, *result.rows()])
    names = [str(measure) for measure in result.measures]
    rows = [[s, *(result.mean(s, name) for name in names), result.n(s)] for s in result.systems]
    return _csv_text([["system", *names, "n"], *rows])


def _csv_text(rows: Iterable[Sequence[object]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().rstrip("\n")


_FORMATS: dict[str, Callable[[Evaluation, bool], str]] = {
    "text": partial(_tables, render=report.texts),
    "markdown": partial(_tables, render=report.markdowns),
    "json": lambda result, _: result.to_json(),
    "csv": _csv,
}


class _Progress:
    """One line on standard error that is overwritten, only where it is a terminal."""

    @staticmethod
    def show(text: str) -> None:
        """Put the text in place of the last."""
        if sys.stderr is not None and sys.stderr.isatty():
            _tell(f"\r\033[K{text}", end="")

    @staticmethod
    def clear() -> None:
        """Leave the line empty."""
        _Progress.show("")
