"""One function on several inputs, in one process or more; an error is an outcome, so that the others still finish."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, TypeVar

from rageval_ir.errors import BackendError, RagevalError

__all__ = ["outcomes"]

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def outcomes(
    function: Callable[[Any, str, _In], _Out], shared: Any, inputs: Mapping[str, _In], jobs: int
) -> Iterator[_Out | RagevalError]:
    """`function(shared, name, input)` for each input, in order, or the error that it raised.

    Parameters
    ----------
    function : callable
        Of a module, so that other processes find it.
    shared : any
        Is sent to each process once.
    inputs : mapping
        Name to input, which should be small; what is large the function reads itself.
    jobs : int
        How many processes; 1 for this one.
    """
    if jobs == 1 or len(inputs) == 1:
        yield from (_outcome(function, shared, *each) for each in inputs.items())
        return
    # spawned and not forked, since numpy and pyarrow may have started threads
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(inputs)), context, _start, (function, shared))
    try:
        futures = {name: pool.submit(_outcome_here, name, each) for name, each in inputs.items()}
        for name, future in futures.items():
            try:
                yield future.result()
            except BrokenProcessPool:
                yield BackendError(
                    f"system {name!r}: its process, or another's, was killed.",
                    hint="perhaps memory ran out: ask for fewer --jobs.",
                )
    except BaseException:  # interrupted
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _outcome(function: Callable[[Any, str, _In], _Out], shared: Any, name: str, given: _In) -> _Out | RagevalError:
    try:
        return function(shared, name, given)
    except RagevalError as error:
        return error


_here: list[Callable[[str, Any], Any]] = []


def _start(function: Callable[[Any, str, Any], Any], shared: Any) -> None:
    """In a new process: keep what is shared, and die of an interrupt without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _here.append(partial(_outcome, function, shared))


def _outcome_here(name: str, given: Any) -> Any:
    return _here[-1](name, given)
