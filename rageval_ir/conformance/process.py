"""A subject as a process: started, asked a line at a time, timed, and started again after it died."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rageval_ir.errors import InputError, shown

__all__ = ["PROTOCOL", "Implementation", "Process", "SubjectDied", "SubjectTimedOut"]

PROTOCOL = 1
"""The version of the protocol that `fixtures/README.md` describes."""

_LINE_MAX = 1 << 24


class SubjectDied(Exception):  # noqa: N818 -- caught by the runner, never a user's error
    """The process ended, or answered what is no line of JSON; the message says which."""


class SubjectTimedOut(Exception):  # noqa: N818
    """No answer came in time; the process has been killed."""


@dataclass(frozen=True)
class Implementation:
    """What a subject says of itself."""

    name: str
    version: str = ""
    tolerance: float = 0.0


class Process:
    """A program that answers the protocol on its standard input and output.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments; no shell is involved.
    timeout, start_timeout : float
        Seconds to wait for an answer to a case, and to the start.
    """

    def __init__(self, command: Sequence[str], *, timeout: float = 10.0, start_timeout: float = 120.0) -> None:
        self._command = list(command)
        self._timeout, self._start_timeout = timeout, start_timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._errors: IO[bytes] | None = None

    def start(self) -> Implementation:
        """Start it, and learn its name and version.

        Raises
        ------
        InputError
            It cannot be started, or does not answer the start message as the protocol says.
        """
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by `stop`
        try:
            self._process = subprocess.Popen(  # noqa: S603 -- running the user's command is the purpose
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self.stop()
            raise InputError(
                f"The subject {shown(' '.join(self._command))} cannot be started: {error}.",
                hint="give the program and its arguments as one string, such as --command 'node my_metrics.js'.",
            ) from error
        self._lines = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True).start()
        try:
            answer = self._exchange({"cmd": "start", "version": PROTOCOL}, self._start_timeout)
        except (SubjectDied, SubjectTimedOut) as error:
            raise InputError(f"The subject did not start: {error}.") from None
        return self._introduced(answer)

    def ask(self, seq: int, case: Mapping[str, Any]) -> list[Any]:
        """The `results` for one case.

        Raises
        ------
        SubjectDied, SubjectTimedOut
            The process is gone then; `start` makes a new one.
        """
        answer = self._exchange({"cmd": "run", "seq": seq, "case": case}, self._timeout)
        results = answer.get("results")
        if answer.get("seq") != seq or not isinstance(results, list) or len(results) != len(case["measures"]):
            self.stop()
            raise SubjectDied(
                f"to case {seq} with {len(case['measures'])} measures it answered {shown(answer)};"
                " expected seq and as many results"
            )
        return results

    def stop(self) -> None:
        """End it: with the stop message, and after a second by force."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None and process.stdout is not None:
            try:
                process.stdin.write(b'{"cmd": "stop"}\n')
                process.stdin.close()
                process.wait(timeout=1)
            except (OSError, subprocess.TimeoutExpired):
                pass
            finally:
                _kill(process)
                process.stdout.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _exchange(self, message: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        process = self._process
        assert process is not None  # started before
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
            process.stdin.flush()
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            _kill(process)
            self.stop()
            raise SubjectTimedOut(f"no answer within {timeout:g} s") from None
        except OSError:
            line = b""
        if not line:
            raise SubjectDied(self._last_words())
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self.stop()
            raise SubjectDied(f"it answered {shown(line.decode('utf-8', 'replace'))}; expected one JSON object a line")
        return answer

    def _introduced(self, answer: Mapping[str, Any]) -> Implementation:
        about = answer.get("implementation")
        if answer.get("errored") is True:
            self.stop()
            raise InputError(f"The subject did not start: {answer.get('message', '')}")
        if answer.get("version") != PROTOCOL or not isinstance(about, dict) or "name" not in about:
            self.stop()
            raise InputError(
                f"To the start message the subject answered {shown(answer)}.",
                hint=f'expected {{"version": {PROTOCOL}, "implementation": {{"name": ..., "version": ...}}}}.',
            )
        tolerance = about.get("tolerance", 0.0)
        if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 <= tolerance < 0.01:
            self.stop()
            raise InputError(f"The subject's tolerance must be a number from 0 to 0.01. Found {shown(tolerance)}.")
        return Implementation(str(about["name"]), str(about.get("version", "")), float(tolerance))

    def _last_words(self) -> str:
        """How the process ended, and the last line that it wrote to standard error."""
        process, errors = self._process, self._errors
        assert process is not None
        assert errors is not None
        try:
            status = process.wait(timeout=1)
            how = f"ended with status {status}" if status >= 0 else f"ended by {signal.Signals(-status).name}"
        except subprocess.TimeoutExpired:
            how = "closed its standard output"
        errors.seek(0, os.SEEK_END)
        errors.seek(max(0, errors.tell() - 2000))
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        self.stop()
        return f"it {how}" + (f" ({shown(lines[-1], 200)})" if lines else "")


def _pump(stream: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """Every line of the stream into the queue; an empty one at the end."""
    try:
        while line := stream.readline(_LINE_MAX):
            if line.strip():
                lines.put(line)
    except ValueError:  # closed meanwhile
        pass
    lines.put(b"")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and what it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
