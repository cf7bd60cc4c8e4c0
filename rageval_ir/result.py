"""What an evaluation says: values, their denominators, who was left out, and the checks.

`Evaluation` holds plain lists; frames, tables and JSON are made from them when asked for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from types import NoneType
from typing import TYPE_CHECKING, Any

from rageval_ir.conventions import Convention, Ties
from rageval_ir.crosscheck import CrossCheck
from rageval_ir.errors import InputError, place
from rageval_ir.measures import Measure, parse_measure
from rageval_ir.report import Heading, Printed, Table
from rageval_ir.system import Column, Row, SystemResult

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evaluation"]

_FORMAT = "rageval_ir evaluation 1"


@dataclass(repr=False)
class Evaluation(Printed):
    """Several systems under several measures, on one set of judgments and one convention.

    Attributes
    ----------
    systems : dict of str to SystemResult
        In the caller's order.
    measures : tuple of Measure
        In the caller's order, each once.
    convention : Convention
    depth : int or None
        How many results of each query were read; None where measures alone decide.
    qrels_fingerprint : str
        SHA-256 of the judgments that were used.
    repeated_judgments : int
        How many judgments were given more than once, with the same grade; each counts once.
    crosscheck : CrossCheck
    versions : dict of str to str
        The package's and the backends' versions.
    """

    systems: dict[str, SystemResult]
    measures: tuple[Measure, ...]
    convention: Convention
    depth: int | None
    qrels_fingerprint: str
    repeated_judgments: int
    crosscheck: CrossCheck
    versions: dict[str, str]

    def mean(self, system: str, measure: str | Measure) -> float | None:
        """The mean over the queries that count, or the sum for NumRel and NumRet; None over none.

        Raises
        ------
        InputError
            A system or measure that is not in the evaluation.
        """
        column, parsed = self._column(system, measure)
        counted = column.counted
        if not counted:
            return None
        total = math.fsum(counted)
        return total if parsed.definition.aggregate == "sum" else total / len(counted)

    def bounds(self, system: str, measure: str | Measure) -> tuple[float, float] | None:
        """The least and the greatest mean that the orders of tied documents can give, under `ties=expected`.

        Both are the mean itself where no tie matters, and None where that is None.

        Raises
        ------
        InputError
            A system or measure that is not in the evaluation.
        """
        column, parsed = self._column(system, measure)
        if not column.counted:
            return None
        bounds = self.systems[system].bounds.get(str(parsed), {})
        counted = [(q, v) for q, v in zip(self.systems[system].queries, column.values, strict=True) if v is not None]
        divisor = 1 if parsed.definition.aggregate == "sum" else len(counted)
        least, greatest = (math.fsum(bounds[q][end] if q in bounds else v for q, v in counted) for end in (0, 1))
        return least / divisor, greatest / divisor

    def n(self, system: str, measure: str | Measure | None = None) -> int:
        """How many queries the mean is over; without a measure, the greatest such number.

        Raises
        ------
        InputError
            A system or measure that is not in the evaluation.
        """
        if measure is None:
            return max(self.n(system, each) for each in self.measures)
        return len(self._column(system, measure)[0].counted)

    def summary(self) -> pd.DataFrame:
        """A frame indexed by system: a column a measure (means), then n.

        n is the number of queries in the means; where measures differ in it, n is the
        greatest and `accounting` has each.
        """
        import pandas as pd

        names = [str(measure) for measure in self.measures]
        rows = [[self.mean(s, name) for name in names] for s in self.systems]
        frame = pd.DataFrame(rows, columns=names, dtype="float64")
        frame["n"] = [self.n(s) for s in self.systems]
        frame.index = pd.Index(list(self.systems), name="system")
        return frame

    @property
    def per_query(self) -> pd.DataFrame:
        """A tidy frame: system, query_id, measure, value, numerator, denominator, status, computed_by.

        A row for every query that was asked, in the caller's order; value is NaN where the
        convention leaves the query out, and status says why. Under `ties=expected`, least and
        greatest are the values that the orders of tied documents can give.
        """
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(Row._fields))
        frame = frame.astype(dict.fromkeys(("value", "numerator", "denominator"), "float64"))
        if self.convention.ties is Ties.EXPECTED:
            for end, name in enumerate(("least", "greatest")):
                bounds = {s: result.bounds for s, result in self.systems.items()}
                ends = [bounds[r.system].get(r.measure, {}).get(r.query_id, [r.value] * 2)[end] for r in self.rows()]
                frame[name] = pd.Series(ends, dtype="float64")
        return frame

    def rows(self) -> Iterator[Row]:
        """The rows of `per_query`, without pandas; what is left out has the value None."""
        for system, result in self.systems.items():
            for i, query_id in enumerate(result.queries):
                for measure, column in result.columns.items():
                    yield Row(
                        system,
                        query_id,
                        measure,
                        column.values[i],
                        column.numerators[i],
                        column.denominators[i],
                        column.statuses[i],
                        column.computed_by[i],
                    )

    def accounting(self) -> pd.DataFrame:
        """A frame indexed by system: who was judged, evaluated, left out, and each mean's denominator.

        The columns are `SystemResult.counts` with evaluated (n), unjudged_queries, failure_rate
        (failed / judged), and "n MEASURE" for every measure.
        """
        import pandas as pd

        rows = {system: self._account(system) for system in self.systems}
        frame = pd.DataFrame(list(rows.values()))
        frame.index = pd.Index(list(rows), name="system")
        return frame

    def left_out(self) -> pd.DataFrame:
        """A frame of what no mean counts: system, query_id, measure ("all" for every one), reason."""
        import pandas as pd

        rows = [(r.system, r.query_id, r.measure, r.status) for r in self.rows() if r.value is None]
        for system, result in self.systems.items():
            counted = set(result.queries)
            unjudged = result.affected.get("unjudged_queries", [])
            rows += [(system, q, "all", "unjudged_query") for q in unjudged if q not in counted]
        return pd.DataFrame(rows, columns=["system", "query_id", "measure", "reason"])

    def combine(self, other: Evaluation) -> Evaluation:
        """Both evaluations' systems in one.

        Raises
        ------
        InputError
            Another convention, depth, judgments or measures; or a system in both.
        """
        self.check_same(other)
        if shared := self.systems.keys() & other.systems.keys():
            raise InputError(f"Both evaluations have the system {min(shared)!r}.", hint="rename one.")
        check = self.crosscheck.joined(other.crosscheck)
        return replace(self, systems=self.systems | other.systems, crosscheck=check)

    def check_same(self, other: Evaluation) -> None:
        """Refuse an evaluation by another convention, or of other judgments or measures.

        Raises
        ------
        InputError
            It differs, and in what.
        """
        for what in ("convention", "depth", "qrels_fingerprint", "measures", "versions"):
            if getattr(self, what) != getattr(other, what):
                raise InputError(
                    f"The evaluations differ in {what}, so their figures cannot stand in one table.",
                    hint="evaluate both the same way.",
                )

    def named(self, names: Mapping[str, str]) -> Evaluation:
        """The same evaluation with other names for some systems: old name to new."""
        places = {place(system=old): place(system=new) for old, new in names.items()}
        check = replace(
            self.crosscheck, unchecked={places.get(what, what): why for what, why in self.crosscheck.unchecked.items()}
        )
        systems = {names.get(name, name): result for name, result in self.systems.items()}
        return replace(self, systems=systems, crosscheck=check)

    def table(self, *, per_query: bool = False) -> Table:
        """The summary as a printable table with its accounting; or every query's values."""
        if per_query:
            return Table(_PER_QUERY, tuple(map(_cells, self.rows())))
        headings = [Heading("system", False), *(Heading(str(m)) for m in self.measures), Heading("n")]
        rows = tuple(
            (system, *(_shown(self.mean(system, m), m) for m in self.measures), str(self.n(system)))
            for system in self.systems
        )
        return Table(tuple(headings), rows, tuple(self._notes()))

    def tables(self) -> list[Table]:
        """What is printed: `table`."""
        return [self.table()]

    def to_json(self) -> str:
        """The whole evaluation as JSON, losslessly: `from_json` gives an equal one."""
        record = asdict(self)
        record["measures"] = [str(measure) for measure in self.measures]
        record["convention"] = self.convention.to_dict()
        return json.dumps({"format": _FORMAT, **record}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Evaluation:
        """The evaluation that `to_json` wrote.

        Raises
        ------
        InputError
            Not JSON, or not an evaluation of this format.
        """
        try:
            record = json.loads(text)
            if record.pop("format") != _FORMAT:
                raise KeyError("format")
            record["measures"] = tuple(map(parse_measure, record["measures"]))
            names = list(map(str, record["measures"]))
            record["systems"] = {name: _system(result, names) for name, result in record["systems"].items()}
            record["convention"] = Convention(**record["convention"])
            record["crosscheck"] = CrossCheck(**record["crosscheck"])
            return cls(**record)
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            raise InputError(
                f"This is not an evaluation as to_json writes it: {type(error).__name__}: {error}.",
                hint=f'expected an object with "format": "{_FORMAT}".',
            ) from error

    def _column(self, system: str, measure: str | Measure) -> tuple[Column, Measure]:
        parsed = parse_measure(measure)
        if system not in self.systems:
            raise InputError(f"No system {system!r}.", hint=f"there are {', '.join(map(repr, self.systems))}.")
        columns = self.systems[system].columns
        if str(parsed) not in columns:
            raise InputError(f"{parsed} was not evaluated.", hint=f"there are {', '.join(columns)}.")
        return columns[str(parsed)], parsed

    def _account(self, system: str) -> dict[str, float]:
        counts = self.systems[system].counts
        return {
            "evaluated": self.n(system),
            **counts,
            "failure_rate": counts["failed"] / counts["judged"],
            **{f"n {measure}": self.n(system, measure) for measure in self.measures},
        }

    def _notes(self) -> Iterator[str]:
        yield f"convention: {self.convention.name}" + (f"; depth {self.depth}" if self.depth else "")
        if self.repeated_judgments:
            yield f"judgments: {self.repeated_judgments} given more than once, each counted once"
        cutoff = max((measure.cutoff or 0) for measure in self.measures)
        for system, result in self.systems.items():
            account = result.account(cutoff if self.depth is None else min(cutoff, self.depth))
            yield "; ".join([f"{system}: {self._in_the_mean(system)}", *account])
            missing, unjudged = (result.affected.get(what, []) for what in ("missing", "unjudged_queries"))
            if unjudged and len(missing) == result.judged:
                apart = f"judged (such as {missing[0]}) and ranked (such as {unjudged[0]})"
                yield f"{system}: no query is both {apart}; are the ids written alike?"
            yield from self._unequal_denominators(system)
            yield from self._tie_bounds(system)
        yield self.crosscheck.sentence()
        for what, reason in self.crosscheck.unchecked.items():
            yield f"{what}: {reason}"

    def _in_the_mean(self, system: str) -> str:
        result = self.systems[system]
        unjudged = len(result.queries) - result.judged  # those that the convention counts
        sentence = f"{self.n(system) - unjudged} of {result.judged} judged queries in the mean"
        return f"{sentence}, and {unjudged} not judged" if unjudged else sentence

    def _tie_bounds(self, system: str) -> Iterator[str]:
        bounds = [(m, self.bounds(system, m)) for m in self.measures if self.systems[system].bounds.get(str(m))]
        apart = [f"{m} {_shown(b[0], m)} to {_shown(b[1], m)}" for m, b in bounds if b and b[0] < b[1]]
        if apart:
            yield f"{system}: by the order of tied documents " + ", ".join(apart)

    def _unequal_denominators(self, system: str) -> Iterator[str]:
        ns = {str(measure): self.n(system, measure) for measure in self.measures}
        if len(set(ns.values())) > 1:
            yield f"{system}: n differs: " + ", ".join(f"{name} over {n}" for name, n in ns.items())


_PER_QUERY = tuple(Heading(name, name in ("value", "numerator", "denominator")) for name in Row._fields)


def _system(record: dict[str, Any], measures: list[str]) -> SystemResult:
    """One system from its JSON, its columns as long as its queries."""
    columns = {measure: Column(**record["columns"].pop(measure)) for measure in measures}
    if record["columns"]:
        raise ValueError(f"unknown column {min(record['columns'])!r}")
    for measure, column in columns.items():
        for name, cells in vars(column).items():
            kinds = (str,) if name in ("statuses", "computed_by") else (int, float, NoneType)
            if len(cells) != len(record["queries"]) or not all(isinstance(cell, kinds) for cell in cells):
                raise ValueError(f"{name} of {measure} are not {len(record['queries'])} of the expected type")
    return SystemResult(**{**record, "columns": columns})


def _shown(value: float | None, measure: Measure) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if measure.definition.aggregate == "sum" else f"{value:.4f}"


def _cells(row: Row) -> tuple[str, ...]:
    numbers: list[Any] = [row.value, row.numerator, row.denominator]
    return (
        row.system,
        row.query_id,
        row.measure,
        *("-" if x is None else f"{x:.4f}" if isinstance(x, float) else str(x) for x in numbers),
        row.status,
        row.computed_by,
    )
