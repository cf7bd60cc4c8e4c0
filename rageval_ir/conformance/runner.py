"""`run()`: every case through one subject."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rageval_ir.conformance.answer import Answer, parse_answer
from rageval_ir.conformance.process import Implementation, Process, SubjectDied, SubjectTimedOut
from rageval_ir.conformance.result import Conformance
from rageval_ir.conformance.suite import Case, cases
from rageval_ir.errors import InputError, shown
from rageval_ir.profiles import resolve_convention

__all__ = ["SUBJECTS", "Runner", "python_command", "run"]

SUBJECTS = tuple(
    sorted(path.stem for path in (Path(__file__).parent / "subjects").glob("*.py") if path.stem != "__init__")
)
"""The implementations that come with the suite; each needs its library installed."""

_CRASHES_MAX = 10


def run(
    python: str | None = None,
    *,
    command: str | Sequence[str] | None = None,
    expect: Any = None,
    timeout: float = 10.0,
    progress: Callable[[str], None] | None = None,
) -> Conformance:
    """Run the whole suite on one subject, in a process of its own.

    Parameters
    ----------
    python : str
        "package.module:function", a callable `(qrels, run, measure) -> {query_id: value}`; or the name of a
        subject that comes with the suite, such as "pytrec_eval" (`SUBJECTS`). `qrels` is {query_id: {doc_id: grade}},
        `run` {query_id: [(doc_id, score), ...]} in the input's order, `measure` a name such as "P@10". It may
        give `({query_id: value}, mean)`, and raise NotImplementedError for a measure that it does not have.
    command : str or sequence of str
        A program that speaks the protocol of `fixtures/README.md`, instead.
    expect : str or Convention, optional
        The convention that it should follow.
    timeout : float
        Seconds for one case.
    progress : callable, optional
        Called with the id of each case.

    Raises
    ------
    InputError
        The subject cannot be started, or does not speak the protocol.
    ConventionError
        `expect` is not known.

    Examples
    --------
    >>> result = run("reference", expect="TREC_EVAL")
    >>> result.axes["ties"].option, result.required["failed"], result.departures
    ('docid_descending', 0, [])
    """
    expected = None if expect is None else resolve_convention(expect)
    with Runner(_command(python, command), timeout) as runner:
        answered = []
        for case in cases():
            if progress is not None:
                progress(case.id)
            answered.append((case, runner.answers(case)))
        return Conformance(runner.implementation, answered, expected)


class Runner:
    """A subject that is asked case by case, and started again when it died: use it in a `with`."""

    def __init__(self, command: Sequence[str], timeout: float = 10.0) -> None:
        if not 0 < timeout < float("inf"):
            raise InputError(f"The time-out must be a number of seconds above 0. Found {shown(timeout)}.")
        self._process = Process(command, timeout=timeout)
        self._running = False
        self._crashes = self._asked = 0
        self.implementation = Implementation("")

    def __enter__(self) -> Runner:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stop()

    def answers(self, case: Case) -> Mapping[str, Answer]:
        """The subject's answer for each measure of a case."""
        measures = case.measures
        if self._crashes >= _CRASHES_MAX:
            return dict.fromkeys(measures, Answer("skipped", message=f"not run after {_CRASHES_MAX} crashes in a row"))
        if not self._running:
            self._start()
        self._asked += 1
        question = {"id": case.id, "qrels": case.qrels, "run": case.run, "measures": measures}
        try:
            results = self._process.ask(self._asked, question)
        except (SubjectDied, SubjectTimedOut) as error:
            self._running = False
            self._crashes += 1
            status = "crashed" if isinstance(error, SubjectDied) else "timed_out"
            return dict.fromkeys(measures, Answer(status, message=str(error)))
        self._crashes = 0
        return dict(zip(measures, map(parse_answer, results), strict=True))

    def _start(self) -> None:
        self.implementation = self._process.start()
        self._running = True


def python_command(spec: str) -> list[str]:
    """The command that asks a Python callable, or a subject that comes with the suite.

    >>> python_command("my_metrics:score")[1:]
    ['-m', 'rageval_ir.conformance.worker', 'my_metrics:score']
    """
    if ":" not in spec:
        name = spec.strip().lower().replace("-", "_")
        if name not in SUBJECTS:
            raise InputError(
                f"Found {shown(spec)}; expected module:function, or one of {', '.join(SUBJECTS)}.",
                hint="the function takes (qrels, run, measure) and gives {query_id: value}.",
            )
        spec = f"rageval_ir.conformance.subjects.{name}:score"
    return [sys.executable, "-m", "rageval_ir.conformance.worker", spec]


def _command(python: str | None, command: str | Sequence[str] | None) -> list[str]:
    if (python is None) == (command is None):
        raise InputError("Give one subject: a Python callable or a command.")
    if python is not None:
        return python_command(python)
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command or ())
    except ValueError as error:
        raise InputError(f"The command {shown(command)} cannot be split into words: {error}.") from None
    if not words:
        raise InputError("The command is empty.")
    return words
