"""The commands: each adds its arguments, and gives the text to print."""

from __future__ import annotations

import csv
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from io import StringIO
from typing import Any

from rageval_ir import conformance, handbook
from rageval_ir.audit import audit
from rageval_ir.conventions import AXES, Convention
from rageval_ir.convert import Qrels, Run
from rageval_ir.demo import demo
from rageval_ir.errors import ConformanceError, InputError, RagevalError
from rageval_ir.evaluation import Evaluator
from rageval_ir.explain import explain
from rageval_ir.figures import read_reported
from rageval_ir.formats import read_qrels, read_runs
from rageval_ir.formats.files import files_of
from rageval_ir.formats.source import lines, name_of
from rageval_ir.jobs import outcomes
from rageval_ir.measures import Measure, parse_measures
from rageval_ir.profiles import resolve_convention
from rageval_ir.reconcile import reconcile
from rageval_ir.report import Printed, Table, markdowns, texts
from rageval_ir.result import Evaluation
from rageval_ir.scale.partitioned import one_by_one
from rageval_ir.system import Row
from rageval_ir.terminal import Progress, print_data
from rageval_ir.verify import verify
from rageval_ir.what_if import what_if

__all__ = ["add_commands"]

_TABLES, _RECORDS = ("markdown", "text"), ("csv", "json", "markdown", "text")
_REPORTS = ("json", "junit", "markdown", "text")
_FILES = "Files are TREC or JSON, gzip or not, told apart by content; - is standard input."


def add_commands(commands: Any) -> None:
    """Add every command, each with its arguments and, as `run`, what it does."""
    command = _add(commands, "evaluate", _evaluate, "evaluate runs against relevance judgments", _RECORDS)
    _add_data(command)
    _add_measures(command)
    command.add_argument("--queries", metavar="FILE", help="evaluate only the queries listed in FILE, one a line")
    command.add_argument("-q", "--per-query", action="store_true", help="print every query's values too")
    command.add_argument(
        "-j", "--jobs", metavar="N", type=int, default=1, help="evaluate so many runs at once, each in a process; 1"
    )
    _add_axes(command)

    command = _add(commands, "audit", _audit, "what would move the values: every option, every provider", _RECORDS)
    _add_data(command)
    _add_measures(command)
    _add_axes(command)

    command = _add(commands, "verify", _verify, "make the audit of a record again, and compare")
    command.add_argument("record", metavar="RECORD", help="from audit --format json")
    _add_data(command)

    command = _add(commands, "reconcile", _reconcile, "which convention gives these figures", _TABLES)
    _add_data(command)
    command.add_argument(
        "--reported", metavar="FILE", required=True, help="CSV or TSV: a column system, and one for each measure"
    )

    command = _add(commands, "explain", _explain, "the working of one query's value", _TABLES)
    _add_data(command)
    _add_measures(command)
    command.add_argument("--query", metavar="ID", required=True, help="the query")
    _add_changes(command)
    _add_axes(command)

    command = _add(commands, "conformance", _conformance, "which conventions an implementation follows", _REPORTS)
    subject = command.add_mutually_exclusive_group(required=True)
    subject.add_argument(
        "--python", metavar="SUBJECT", help=f"module:function, or one of {', '.join(conformance.SUBJECTS)}"
    )
    subject.add_argument(
        "--command", metavar="COMMAND", help="a program that speaks the protocol of fixtures/README.md"
    )
    command.add_argument("--expect", metavar="NAME", help="a named convention; any departure makes the exit status 1")
    command.add_argument("--timeout", metavar="SECONDS", type=float, default=10.0, help="for one case; default 10")

    command = _add(commands, "conventions", _conventions, "list the named conventions, or explain one", _TABLES)
    command.add_argument("name", metavar="NAME", nargs="?", help="such as TREC_EVAL")
    command = _add(commands, "measures", _measures, "list the measures' definitions, or explain one", _TABLES)
    command.add_argument("name", metavar="NAME", nargs="?", help="such as nDCG")
    _add(commands, "demo", lambda _: demo(), "run the three-query example and show the working of one query")


# --- arguments ---


def _add(
    commands: Any, name: str, run: Callable[[Namespace], str], about: str, formats: Sequence[str] = ()
) -> ArgumentParser:
    command: ArgumentParser = commands.add_parser(
        name, help=about, description=f"{about[0].upper()}{about[1:]}. {_FILES}", allow_abbrev=False
    )
    command.set_defaults(run=run)
    if formats:
        command.add_argument("--format", choices=formats, default="text", help="default text")
    return command


def _add_data(command: ArgumentParser) -> None:
    command.add_argument("qrels", metavar="QRELS", help="the relevance judgments")
    command.add_argument("runs", metavar="RUN", nargs="+", help="a system's rankings; several files, several systems")


def _add_measures(command: ArgumentParser) -> None:
    command.add_argument(
        "-m", "--measure", metavar="NAME", action="append", help="such as P@10, R(rel=2)@100, nDCG@10; default P, R, RR"
    )
    command.add_argument(
        "-k", "--cutoff", metavar="K", type=int, help="the cutoff of measures named without one; 10 for P, R, RR"
    )
    command.add_argument("-d", "--depth", metavar="N", type=int, help="read only the first N results of each query")


def _add_changes(command: ArgumentParser) -> None:
    group = command.add_argument_group("what if", "Change the query's data, and see each measure's change instead.")
    group.add_argument("--move", metavar=("DOC", "RANK"), nargs=2, help="put the document at this rank")
    group.add_argument(
        "--add-judgment", metavar=("DOC", "GRADE"), nargs=2, action="append", default=[], help="judge the document so"
    )
    group.add_argument("--remove-judgment", metavar="DOC", action="append", default=[], help="take its judgment away")
    group.add_argument("--change-cutoff", metavar="K", type=int, help="in place of every cutoff")


def _add_axes(command: ArgumentParser) -> None:
    group = command.add_argument_group("conventions", "The first of each list is TREC_EVAL's.")
    group.add_argument(
        "--convention", metavar="NAME", default="TREC_EVAL", help="TREC_EVAL, STRICT, ...; rageval-ir conventions"
    )
    for axis, options in AXES.items():
        explained = "; ".join(f"{option}: {option.explanation}" for option in options)
        group.add_argument(
            f"--{axis.replace('_', '-')}", metavar="OPTION", help=f"{options.__doc__} {explained}".replace("%", "%%")
        )
    group.add_argument("--relevance-level", metavar="GRADE", type=int, help="the least grade that is relevant; 1")


def _chosen(options: Namespace) -> Convention:
    chosen = {axis: getattr(options, axis) for axis in (*AXES, "relevance_level")}
    return resolve_convention(options.convention).but(**{a: o for a, o in chosen.items() if o is not None})


def _asked(options: Namespace) -> tuple[Measure, ...]:
    cutoff = 10 if options.cutoff is None and options.measure is None else options.cutoff
    return parse_measures(options.measure or ["P", "R", "RR"], cutoff)


def _check_standard_input(options: Namespace, *others: str | None) -> None:
    if [options.qrels, *options.runs, *others].count("-") > 1:
        raise InputError("Standard input (-) is given twice.", hint="it can be read only once; use files.")


def _read(options: Namespace) -> tuple[Qrels, list[Run]]:
    """The judgments and all runs, each under a name of its own."""
    _check_standard_input(options)
    Progress.show(f"reading {options.qrels}")
    qrels = read_qrels(options.qrels)
    read: list[tuple[str, list[Run]]] = []
    for path in options.runs:
        Progress.show(f"reading {path}")
        read.append((path, read_runs(path, None, qrels.judgments)))
    names = _unique_names([(path, [run.name for run in runs]) for path, runs in read])
    return qrels, [
        run.named(name)
        for (_, runs), each in zip(read, names, strict=True)
        for run, name in zip(runs, each, strict=True)
    ]


def _unique_names(found: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """The systems' names, for each path; where some are equal, the path says which."""
    times = Counter(name for _, names in found for name in names)
    seen: Counter[str] = Counter()
    unique: list[list[str]] = []
    for path, names in found:
        unique.append([])
        for name in names:
            name = name if times[name] == 1 else path if len(names) == 1 else f"{path}:{name}"
            seen[name] += 1
            unique[-1].append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique


# --- what they do ---


def _evaluate(options: Namespace) -> str:
    convention, measures = _chosen(options), _asked(options)
    _check_standard_input(options, options.queries)
    if options.jobs < 1:
        raise InputError(f"--jobs: found {options.jobs}; expected 1 or more.")
    Progress.show(f"reading {options.qrels}")
    queries = None if options.queries is None else _read_queries(options.queries)
    evaluator = Evaluator(read_qrels(options.qrels), measures, convention, options.depth, queries=queries)
    result, errors = _evaluated(evaluator, options)
    if result is None:
        raise _all_of(errors)
    if errors:
        print_data(_evaluation(result, options))
        raise _all_of(errors)
    return _evaluation(result, options)


def _evaluated(evaluator: Evaluator, options: Namespace) -> tuple[Evaluation | None, list[RagevalError]]:
    """All runs that can be evaluated, and what is wrong with the others."""
    jobs = 1 if "-" in options.runs else options.jobs  # another process has another standard input
    labels = [name for (name,) in _unique_names([(path, [name_of(path)]) for path in options.runs])]
    files = dict(zip(labels, options.runs, strict=True))
    results: list[tuple[str, Evaluation]] = []
    errors: list[RagevalError] = []
    for path, outcome in zip(options.runs, outcomes(_evaluate_file, evaluator, files, jobs), strict=True):
        if isinstance(outcome, RagevalError):
            errors.append(outcome)
        else:
            results.append((path, outcome))
    names = _unique_names([(path, list(result.systems)) for path, result in results])
    named = [r.named(dict(zip(r.systems, each, strict=True))) for (_, r), each in zip(results, names, strict=True)]
    Progress.clear()
    return (reduce(Evaluation.combine, named) if named else None), errors


def _evaluate_file(evaluator: Evaluator, name: str, path: str) -> Evaluation:
    plan = evaluator.plan
    Progress.show(f"reading {path}")
    if len(files := files_of(path)) > 1:
        return one_by_one(evaluator, name, [str(each) for each in files])
    runs = read_runs(path, name, evaluator.given.judgments, convention=plan.convention, depth=plan.reach)
    return evaluator.evaluate(runs, progress=lambda system: Progress.show(f"evaluating {system}"))


def _all_of(errors: list[RagevalError]) -> RagevalError | ExceptionGroup[RagevalError]:
    return errors[0] if len(errors) == 1 else ExceptionGroup("several runs", errors)


def _evaluation(result: Evaluation, options: Namespace) -> str:
    if options.format == "json":
        return result.to_json()
    if options.format == "csv":
        return _csv(result, options.per_query)
    return _printed([*([result.table(per_query=True)] if options.per_query else []), result.table()], options)


def _audit(options: Namespace) -> str:
    convention, measures = _chosen(options), _asked(options)
    qrels, runs = _read(options)
    result = audit(
        qrels, runs, measures, convention, options.depth, progress=lambda move: Progress.show(f"trying {move}")
    )
    Progress.clear()
    if options.format == "json":
        return result.to_json()
    if options.format == "csv":
        fields = ("system", "measure", "axis", "option", "value", "change", "queries_changed")
        return _csv_text([fields, *(change[:-1] for change in result.changes)])
    return _printed(result.tables(), options)


def _verify(options: Namespace) -> str:
    _check_standard_input(options, options.record)
    record = b"".join(lines(options.record)).decode("utf-8", "replace")
    qrels, runs = _read(options)
    result = verify(record, qrels, runs)
    values = len(result.changes) + len(result.evaluation.measures) * len(result.evaluation.systems)
    return f"the record holds: {values} values are the same as from the data"


def _reconcile(options: Namespace) -> str:
    _check_standard_input(options, options.reported)
    reported = read_reported(options.reported)
    qrels, runs = _read(options)
    return _printed(reconcile(qrels, runs, reported).tables(), options)


def _explain(options: Namespace) -> str:
    convention, measures = _chosen(options), _asked(options)
    qrels, runs = _read(options)
    changes: dict[str, Any] = {}
    if options.move:
        changes["move"] = (options.move[0], _whole(options.move[1], "--move"))
    if options.add_judgment:
        changes["add_judgment"] = {doc_id: _whole(grade, "--add-judgment") for doc_id, grade in options.add_judgment}
    if options.remove_judgment:
        changes["remove_judgment"] = options.remove_judgment
    if options.change_cutoff is not None:
        changes["cutoff"] = options.change_cutoff
    shown: list[Printed] = []
    for run in runs:
        if changes:
            shown.append(what_if(qrels, run, options.query, measures, convention, **changes))
        else:
            shown += [explain(qrels, run, options.query, m, convention, options.depth) for m in measures]
    return _printed([table for each in shown for table in each.tables()], options)


def _conformance(options: Namespace) -> str:
    result = conformance.run(
        options.python,
        command=options.command,
        expect=options.expect,
        timeout=options.timeout,
        progress=lambda case: Progress.show(f"asking {case}"),
    )
    Progress.clear()
    printers = {"json": result.to_json, "junit": result.to_junit, "markdown": result.to_markdown}
    text = printers.get(options.format, result.__repr__)()
    if verdict := result.verdict:
        print_data(text)
        raise ConformanceError(f"{result.implementation.name}: {verdict}.")
    return text


def _conventions(options: Namespace) -> str:
    if options.name is None and options.format == "markdown":
        return conformance.page()
    if options.name is None:
        return _printed([handbook.conventions()], options)
    resolve_convention(options.name)
    return _printed([handbook.convention(options.name.strip().upper().replace("-", "_"))], options)


def _measures(options: Namespace) -> str:
    if options.name is None and options.format == "markdown":
        return handbook.measures_page()
    return _printed([handbook.measures() if options.name is None else handbook.measure(options.name)], options)


def _whole(text: str, flag: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{flag}: found {text!r}; expected an int.") from None


def _read_queries(path: str) -> list[str]:
    listed = (line.decode("utf-8", "backslashreplace").strip() for line in lines(path))
    return [query_id for query_id in listed if query_id]


def _printed(tables: Sequence[Table], options: Namespace) -> str:
    return markdowns(tables) if options.format == "markdown" else texts(tables)


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
