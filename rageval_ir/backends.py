"""The only door to ir_measures and pytrec_eval.

The backends see what they can take and nothing else: distinct ids in one strict order,
scores 2^24, 2^24 - 1 and so on, and grades mapped to the least integers that give the same value
(0 and 1 for binary measures). Each mapping of grades is one evaluator for all systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from rageval_ir.conventions import Convention, PrecisionDenominator, RecallDenominator, RRCutoff
from rageval_ir.convert import Qrels
from rageval_ir.errors import BackendError, BackendMissingError, InputError
from rageval_ir.measures import EXPONENT_MAX, Measure
from rageval_ir.validate import Where

__all__ = ["GAIN_LIMIT", "RANKS_LIMIT", "Backends", "backend_versions"]

GAIN_LIMIT = 1024
"""The greatest gain that pytrec_eval is given: its time is quadratic in it (1,024 takes 0.2 ms a query)."""

RANKS_LIMIT = 2**24
"""The longest ranking that pytrec_eval is given: whole numbers are exact in its 32-bit floats up to here."""

_RBP_RANKS = 1000  # cwl_eval reads no further, and says nothing of it

Values = dict[Measure, dict[str, float]]


class _Request(NamedTuple):
    """How pytrec_eval is asked for a measure."""

    grades: tuple[int, ...]
    """What each distinct grade of the judgments, ascending, is mapped to."""
    names: tuple[str, ...]
    """trec_eval's names of what the value is made from."""


class Backends:
    """The backends for one set of judgments and measures; `values` serves any number of systems.

    Attributes
    ----------
    beyond : frozenset of Measure
        Measures whose gains exceed `GAIN_LIMIT`, which the backend is not asked for.
    """

    def __init__(self, qrels: Qrels, measures: Iterable[Measure], convention: Convention) -> None:
        self._judgments = {query_id: grades for query_id, grades in qrels.judgments.items() if grades}
        self._grades = sorted({g for grades in self._judgments.values() for g in set(grades.values())})
        self._convention = convention
        wanted = tuple(measures)
        self.beyond = frozenset(m for m in wanted if m.is_graded and self._max_gain(m) > GAIN_LIMIT)
        self._others = [m for m in wanted if m.definition.backend != "pytrec_eval"]
        asked = [m for m in wanted if m not in self.beyond and m not in self._others]
        self._requests = {m: _Request(self._mapping(m), self._trec_names(m)) for m in asked}
        self._scores: list[float] = []
        self._evaluators: dict[tuple[int, ...], Any] | None = None

    def strict(self, doc_ids: Sequence[str], where: Where) -> dict[str, float]:
        """A ranking as the backends take it: document id to score, 2^24, 2^24 - 1, and so on.

        Raises
        ------
        BackendError
            More than 2^24 documents; beyond, trec_eval's 32-bit scores are no longer distinct.
        """
        if len(doc_ids) > RANKS_LIMIT:
            raise BackendError(
                f"{where()}: {len(doc_ids):,} results; pytrec_eval keeps at most {RANKS_LIMIT:,} in order.",
                hint="set a depth.",
            )
        for rank in range(len(self._scores), len(doc_ids)):
            self._scores.append(float(RANKS_LIMIT - rank))
        return dict(zip(doc_ids, self._scores, strict=False))

    def values(self, run: Mapping[str, dict[str, float]]) -> Values:
        """Every backend's value for every judged query of a run.

        Parameters
        ----------
        run : mapping of str to dict of str to float
            Query id to a ranking from `strict`; an empty one is evaluated as empty.

        Returns
        -------
        dict of Measure to dict of str to float
            What the backend returned, per query; a query without judgments is absent.

        Raises
        ------
        BackendError
            A backend failed, or a ranking is longer than it can take.
        BackendMissingError
            A measure's backend is not installed.
        """
        run = {query_id: scores for query_id, scores in run.items() if query_id in self._judgments}
        values: Values = {}
        for grades, evaluator in self._trec_evaluators().items():
            with _failures("pytrec_eval"):
                results = evaluator.evaluate(run) if run else {}
            for measure, request in self._requests.items():
                if request.grades == grades:
                    values[measure] = self._read(measure, request.names, results, run)
        for measure in self._others:
            values[measure] = self._ir_measures(measure, run)
        return values

    def _trec_evaluators(self) -> dict[tuple[int, ...], Any]:
        """One pytrec_eval evaluator for each way of mapping grades, made on first use."""
        if self._evaluators is None:
            names: dict[tuple[int, ...], set[str]] = {}
            for request in self._requests.values():
                names.setdefault(request.grades, set()).update(request.names)
            with _installed("pytrec-eval-terrier"):
                import pytrec_eval
            with _failures("pytrec_eval"):
                # until it has seen a document, pytrec_eval gives 0 for all of an empty ranking, num_rel too
                pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, {"num_rel"}).evaluate({"q": {"d": 1.0}})
                self._evaluators = {
                    grades: pytrec_eval.RelevanceEvaluator(self._mapped(grades), asked)
                    for grades, asked in names.items()
                }
        return self._evaluators

    def _read(
        self,
        measure: Measure,
        names: tuple[str, ...],
        results: Mapping[str, Mapping[str, float]],
        run: Mapping[str, Mapping[str, float]],
    ) -> dict[str, float]:
        """A measure's values from those that pytrec_eval gave under the names asked for."""
        name, k = names[0], measure.cutoff
        if measure.name == "RR" and k and self._convention.rr_cutoff is RRCutoff.AT_K:
            # recip_rank takes no cutoff: 1 / rank is below 1 / k exactly where rank is beyond k
            least = 1.0 / k
            return {q: value if (value := row[name]) >= least else 0.0 for q, row in results.items()}
        if len(names) == 1:
            return {query_id: row[name] for query_id, row in results.items()}
        other = names[1]
        if other == "set_P":  # hits / k, or hits / results where these are fewer
            return {q: row[name] if len(run[q]) >= (k or 0) else row[other] for q, row in results.items()}
        # hits over the lesser of k and the number of relevant documents
        return {q: max(row[name], row[other]) for q, row in results.items()}

    def _trec_names(self, measure: Measure) -> tuple[str, ...]:
        name, k = measure.definition.trec_name, measure.cutoff
        if measure.name == "P" and self._convention.precision_denominator is PrecisionDenominator.RETRIEVED:
            return f"P_{k}", "set_P"
        capped_precision = self._convention.precision_denominator is PrecisionDenominator.RELEVANT_CAPPED
        capped_recall = self._convention.recall_denominator is RecallDenominator.CAPPED
        if (measure.name == "P" and capped_precision) or (measure.name == "R" and capped_recall):
            return f"P_{k}", f"recall_{k}"
        if measure.name == "R" and self._convention.recall_denominator is RecallDenominator.HIT:
            name = "success"
        elif measure.name == "NumRet" and measure.rel is not None:
            name = "num_rel_ret"
        elif measure.name == "nDCG" and k is None:
            name = "ndcg"
        elif measure.name == "AP" and k is not None:
            name = "map_cut"
        return (name if k is None or measure.name == "RR" else f"{name}_{k}",)

    def _mapping(self, measure: Measure) -> tuple[int, ...]:
        """Each distinct grade as the backend gets it: gains, or 1 for relevant and 0 for not."""
        if measure.is_graded:
            return tuple(measure.gain(grade) for grade in self._grades)
        level = measure.level(self._convention.relevance_level)
        # trec_eval takes every negative grade for "pooled, not judged", which only these two read
        floor = -1 if measure.name in ("Bpref", "infAP") else 0
        return tuple(1 if grade >= level else max(floor, min(grade, 0)) for grade in self._grades)

    def _mapped(self, grades: tuple[int, ...]) -> dict[str, dict[str, int]]:
        if list(grades) == self._grades:
            return self._judgments
        new = dict(zip(self._grades, grades, strict=True))
        mapped = {}
        for query_id, judged in self._judgments.items():
            row = {doc_id: new[grade] for doc_id, grade in judged.items()}
            if min(grades) < 0 and max(row.values()) < 0:
                # only negative grades: trec_eval would size an array by the greatest one plus 1
                row = dict.fromkeys(row, 0)
            mapped[query_id] = row
        return mapped

    def _max_gain(self, measure: Measure) -> int:
        if measure.dcg == "exp-log2" and self._grades and self._grades[-1] > EXPONENT_MAX:
            raise InputError(
                f"{measure}: the gain 2^{self._grades[-1]} - 1 of the greatest grade is too large; sums of such gains"
                " overflow a float.",
                hint=f"use nDCG with linear gains, or rescale the grades to {EXPONENT_MAX:,} at most.",
            )
        return max((measure.gain(grade) for grade in self._grades), default=0)

    def _ir_measures(self, measure: Measure, run: dict[str, dict[str, float]]) -> dict[str, float]:
        """A measure that ir_measures computes by another provider than pytrec_eval."""
        with _installed("ir-measures"):
            import ir_measures
        level = measure.level(self._convention.relevance_level)
        if measure.name == "Judged":
            asked = ir_measures.Judged if measure.cutoff is None else ir_measures.Judged @ measure.cutoff
            judgments = self._judgments
        else:
            asked = ir_measures.RBP(rel=1, p=0.8 if measure.p is None else measure.p)
            judgments = self._mapped(tuple(int(grade >= level) for grade in self._grades))
            _check_rbp(run)
        provider = ir_measures.providers.registry[measure.definition.backend.split()[-1]]
        if not provider.is_available():
            raise BackendMissingError(
                f"{measure} is computed by {provider.NAME}, which is not installed.",
                hint="pip install 'rageval-ir[cwl]'.",
            )
        # the judged provider divides by the number of results
        filled = {query_id: scores for query_id, scores in run.items() if scores}
        with _failures(f"ir_measures, on {measure},"):
            found = list(provider.iter_calc([asked], {q: judgments[q] for q in filled}, filled))
        return dict.fromkeys(run, 0.0) | {row.query_id: float(row.value) for row in found}


def _check_rbp(run: Mapping[str, Mapping[str, float]]) -> None:
    for query_id, scores in run.items():
        if len(scores) > _RBP_RANKS:
            raise BackendError(
                f"RBP, query {query_id!r}: {len(scores):,} results; cwl_eval reads only {_RBP_RANKS:,}.",
                hint=f"set depth={_RBP_RANKS} to say so.",
            )


@contextmanager
def _installed(distribution: str) -> Iterator[None]:
    """An import that fails, as a `BackendMissingError` that says what to install."""
    try:
        yield
    except ImportError as error:
        raise BackendMissingError(
            f"A backend cannot be imported: {error}.", hint=f"pip install {distribution}."
        ) from error


@contextmanager
def _failures(backend: str) -> Iterator[None]:
    """Whatever a backend raises, as a `BackendError`."""
    try:
        yield
    except Exception as error:
        raise BackendError(f"{backend} failed: {type(error).__name__}: {error}") from error


@cache
def backend_versions() -> dict[str, str]:
    """The installed version of each backend, by its distribution's name; absent ones are left out."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and seldom needed

    versions = {}
    for name in ("ir_measures", "pytrec-eval-terrier", "cwl-eval"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
