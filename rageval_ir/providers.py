"""ir_measures and each of its providers on the data as they are, in their own conventions.

`backends` sees to it that a backend has nothing left to decide; here each decides for itself.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rageval_ir.backends import GAIN_LIMIT
from rageval_ir.convert import Qrels, Run
from rageval_ir.errors import InputError, place
from rageval_ir.given import Failure, Scored
from rageval_ir.measures import Measure
from rageval_ir.validate import identifiers

__all__ = ["DEFAULT", "PROVIDERS", "Provided", "provide"]

DEFAULT = "ir_measures"
"""ir_measures itself, which chooses a provider for each measure."""

PROVIDERS = {
    DEFAULT: "IR_MEASURES",
    "pytrec_eval": "TREC_EVAL_9",
    "msmarco": "IR_MEASURES_MSMARCO",
    "judged": "IR_MEASURES_JUDGED",
    "cwl_eval": "IR_MEASURES_CWL",
    "trectools": "IR_MEASURES_TRECTOOLS",
    "ranx": "IR_MEASURES_RANX",
}
"""Each provider, with the profile that describes it."""


class Provided(NamedTuple):
    """What a provider gave."""

    provider: str
    measure: Measure
    value: float | None
    """The mean; None where the provider failed."""
    problem: str
    """Why there is no value."""


def provide(qrels: Qrels, run: Run, measures: Iterable[Measure], relevance_level: int) -> Iterator[Provided]:
    """Every provider's mean of every measure that it supports, where it is installed.

    Scores go in as they were given, lists as n to 1; missing and failed queries are absent.
    Grades go in as -1 and `GAIN_LIMIT` where they are beyond, since such kill a provider; measures
    for which that would matter are left out.

    Parameters
    ----------
    qrels : Qrels
    run : Run
    measures : iterable of Measure
    relevance_level : int
        The level of measures that do not name their own.
    """
    import ir_measures

    judgments = {
        q: {d: min(max(g, -1), GAIN_LIMIT) for d, g in grades.items()} for q, grades in qrels.judgments.items()
    }
    try:
        rankings = {q: _scores(given, run, q) for q, given in run.rankings.items() if not isinstance(given, Failure)}
    except InputError as error:  # beyond what the measures read, and lethal to a provider
        yield from (Provided(DEFAULT, measure, None, error.message) for measure in measures)
        return
    greatest = max((g for grades in qrels.judgments.values() for g in grades.values()), default=0)
    asked = {
        measure: _translated(measure, relevance_level)
        for measure in measures
        if (measure.gain(greatest) if measure.is_graded else measure.level(relevance_level)) <= GAIN_LIMIT
    }
    found: dict[tuple[str, Any], tuple[float | None, str]] = {}
    for name in PROVIDERS:
        provider = ir_measures if name == DEFAULT else ir_measures.providers.registry[name]
        if name == DEFAULT or provider.is_available():
            supported = [each for each in set(asked.values()) if name == DEFAULT or provider.supports(each)]
            for each, value, problem in _calculated(provider, supported, judgments, rankings):
                found[name, each] = value, problem
    for measure, translated in asked.items():
        for name in PROVIDERS:
            if (name, translated) in found:
                yield Provided(name, measure, *found[name, translated])


def _calculated(
    provider: Any, asked: list[Any], judgments: dict[str, dict[str, int]], rankings: dict[str, dict[str, float]]
) -> Iterator[tuple[Any, float | None, str]]:
    """Each measure's mean, or why there is none; all at once, and alone where that fails."""
    try:
        with warnings.catch_warnings():  # of a provider to its developers
            warnings.simplefilter("ignore")
            means = provider.calc_aggregate(asked, judgments, rankings) if asked else {}
    except Exception as error:  # a provider fails in its own ways, and that is what is to be shown
        if len(asked) == 1:
            yield asked[0], None, f"{type(error).__name__}: {error}".splitlines()[0]
            return
        for measure in asked:
            yield from _calculated(provider, [measure], judgments, rankings)
        return
    for measure in asked:
        value = float(means[measure])
        yield (measure, value, "") if math.isfinite(value) else (measure, None, f"it gives {value}")


def _scores(given: Any, run: Run, query_id: str) -> dict[str, float]:
    if isinstance(given, Scored):
        return dict(zip(given.doc_ids, given.scores, strict=True))
    doc_ids = identifiers(given, "document id", lambda: place(system=run.name, query=query_id))
    return {doc_id: float(len(doc_ids) - i) for i, doc_id in enumerate(doc_ids)}


def _translated(measure: Measure, relevance_level: int) -> Any:
    """The measure as an object of ir_measures, made without its parser, which fails on Python 3.14."""
    import ir_measures

    parameters: dict[str, Any] = {}
    if "rel" in measure.definition.parameters and not (measure.name == "NumRet" and measure.rel is None):
        parameters["rel"] = measure.level(relevance_level)
    if measure.is_graded:
        parameters["dcg"] = measure.dcg
        if measure.gains:
            parameters["gains"] = dict(measure.gains)
    if measure.p is not None:
        parameters["p"] = measure.p
    asked = getattr(ir_measures, measure.name)
    if parameters:
        asked = asked(**parameters)
    return asked if measure.cutoff is None else asked @ measure.cutoff
