"""The vocabulary: what a measure is, and how its name is read and printed.

Names are ir_measures' own (`P@10`, `R(rel=2)@100`, `nDCG(dcg='exp-log2')@10`); the
usual aliases (`MRR@10`, `recall_5`, `map_cut_100`, `hit_rate@5`) are read and never printed.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rageval_ir.catalogue import CATALOGUE, Definition
from rageval_ir.errors import MeasureError, shown
from rageval_ir.validate import whole

__all__ = ["CUTOFF_MAX", "EXPONENT_MAX", "Measure", "parse_measure", "parse_measures"]

CUTOFF_MAX = 2**31 - 1

EXPONENT_MAX = 1000
"""The greatest grade for which sums of 2^grade - 1 are sure to fit into a float."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure with its cutoff and parameters.

    Attributes
    ----------
    name : str
        A key of `CATALOGUE`.
    cutoff : int or None
        k, in ranks, from 1 to 2^31 - 1; None where the measure reads the whole ranking.
    rel : int or None
        The least grade that counts as relevant; None leaves it to the convention.
    dcg : str
        "log2" (gain is the grade) or "exp-log2" (gain is 2^grade - 1); nDCG only.
    gains : mapping of int to int, or tuple of (grade, gain)
        The gain of a grade, where it is not the grade itself; nDCG only. Kept as a tuple of
        those that differ, by grade, so that equal measures are equal.
    p : float or None
        Persistence, in (0, 1); RBP only, where None is 0.8.

    Examples
    --------
    >>> str(Measure("P", 10, rel=2))
    'P(rel=2)@10'
    """

    name: str
    cutoff: int | None = None
    rel: int | None = None
    dcg: str = "log2"
    gains: tuple[tuple[int, int], ...] = ()
    p: float | None = None

    def __post_init__(self) -> None:
        definition = CATALOGUE.get(self.name)
        if definition is None:
            raise _unknown(self.name)
        for parameter in ("cutoff", "rel"):  # numpy's integers are as good as Python's
            if (number := whole(getattr(self, parameter))) is not None:
                object.__setattr__(self, parameter, number)
        object.__setattr__(self, "gains", _gains(self.name, self.gains))
        _check_cutoff(self.name, self.cutoff, definition.cutoff)
        for parameter, default in (("rel", None), ("dcg", "log2"), ("gains", ()), ("p", None)):
            if getattr(self, parameter) != default and parameter not in definition.parameters:
                raise MeasureError(f"{self.name} takes no parameter {parameter!r}.", hint=_takes(self.name))
        _check_parameters(self)

    def __str__(self) -> str:
        given = [
            ("dcg", None if self.dcg == "log2" else repr(self.dcg)),
            ("gains", "{" + ",".join(f"{g}:{v}" for g, v in self.gains) + "}" if self.gains else None),
            ("p", None if self.p is None else repr(self.p)),
            ("rel", self.rel),
        ]
        inside = ",".join(f"{key}={value}" for key, value in given if value is not None)
        parameters = f"({inside})" if inside else ""
        return f"{self.name}{parameters}" + (f"@{self.cutoff}" if self.cutoff is not None else "")

    @property
    def definition(self) -> Definition:
        """The catalogue's entry for this measure."""
        return CATALOGUE[self.name]

    @property
    def is_graded(self) -> bool:
        """Whether it uses grades as gains, so that no relevance level applies."""
        return self.name == "nDCG"

    def level(self, relevance_level: int) -> int:
        """The least grade that counts: the measure's own `rel`, else the convention's."""
        return self.rel if self.rel is not None else relevance_level

    def gain(self, grade: int) -> int:
        """The gain of a grade under nDCG's variant: the grade, 2^grade - 1, or as `gains` says.

        Source
        ------
        Järvelin and Kekäläinen (2002) for the grade itself; Burges et al., Learning to Rank
        using Gradient Descent, ICML 2005, for 2^grade - 1.

        >>> Measure("nDCG", 10, dcg="exp-log2").gain(3)
        7
        """
        for known, value in self.gains:
            if known == grade:
                return value
        if grade <= 0:
            return 0
        return 2**grade - 1 if self.dcg == "exp-log2" else grade


def parse_measure(text: object, cutoff: int | None = None) -> Measure:
    """Read a measure's name.

    Parameters
    ----------
    text : str, Measure or ir_measures measure
        "P@10", "R(rel=2)@100", "nDCG(dcg='exp-log2')@10", or an alias such as "MRR@10",
        "recall_5", "map_cut_100", "hit_rate@5", "ndcg_at_10".
    cutoff : int, optional
        The cutoff of a name that has none and can have one.

    Raises
    ------
    MeasureError
        An unknown name (with the closest known one), a cutoff that is not an int from 1 to
        2^31 - 1 or is missing or not taken, a parameter that is unknown or not valid.

    Examples
    --------
    >>> str(parse_measure("hit_rate@5")), str(parse_measure("map_cut_100"))
    ('Success@5', 'AP@100')
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        if not (hasattr(text, "NAME") and hasattr(text, "params")):
            raise MeasureError(
                f"A measure is a name such as 'P@10'; found {shown(text)} of type {type(text).__name__}."
            )
        text = str(text)
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise MeasureError(f"{shown(text)} is not a measure's name.", hint="write it as P@10 or P(rel=2)@10.")
    parameters = _parse_parameters(match["parameters"] or "", text)
    name, implied = _look_up(match["name"], text)
    written = match["at"] if match["at"] is not None else match["cut"]
    if written is not None:
        parameters["cutoff"] = _parse_cutoff(written.strip(), text)
    elif cutoff is not None and CATALOGUE[name].cutoff != "none":
        parameters["cutoff"] = cutoff
    return Measure(name, **{**implied, **parameters})


def parse_measures(measures: object, cutoff: int | None = None) -> tuple[Measure, ...]:
    """Read several names (or one), in order, each once.

    Raises
    ------
    MeasureError
        As `parse_measure`; or no measure at all.

    Examples
    --------
    >>> [str(m) for m in parse_measures(["P@10", "MRR@10", "precision@10"])]
    ['P@10', 'RR@10']
    """
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        measures = [measures]
    parsed = tuple(dict.fromkeys(parse_measure(measure, cutoff) for measure in measures))
    if not parsed:
        raise MeasureError("No measure was given.", hint="for example ['P@10', 'R@10', 'RR@10'].")
    return parsed


# name, then (parameters), then the cutoff after @, _, . or the words "at" and "cut"
_NAME = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z]+)*?)"
    r"(?:\((?P<parameters>.*)\))?"
    r"(?:@(?P<at>[^@()]*)|(?:[_.]|[_.-](?:at|cut)[_.-])(?P<cut>[0-9.]+))?"
)

_ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name.lower(): (name, {}) for name in CATALOGUE},
    "precision": ("P", {}),
    "recall": ("R", {}),
    "mrr": ("RR", {}),
    "reciprank": ("RR", {}),
    "reciprocalrank": ("RR", {}),
    "meanreciprocalrank": ("RR", {}),
    "hit": ("Success", {}),
    "hits": ("Success", {}),
    "hitrate": ("Success", {}),
    "map": ("AP", {}),
    "mapcut": ("AP", {}),
    "averageprecision": ("AP", {}),
    "meanaverageprecision": ("AP", {}),
    "ndcgcut": ("nDCG", {}),
    "rprecision": ("Rprec", {}),
    "numrelret": ("NumRet", {"rel": 1}),
}


def _fold(name: str) -> str:
    return re.sub(r"[ _-]", "", name).lower()


def _look_up(name: str, text: str) -> tuple[str, dict[str, Any]]:
    found = _ALIASES.get(_fold(name))
    if found is None:
        raise _unknown(text, name)
    return found


def _unknown(text: str, name: str | None = None) -> MeasureError:
    close = difflib.get_close_matches(_fold(name or text), _ALIASES, n=1, cutoff=0.6)
    hint = f"did you mean {_ALIASES[close[0]][0]}? " if close else ""
    return MeasureError(f"Unknown measure {shown(text)}.", hint=f"{hint}known: {', '.join(CATALOGUE)}.")


def _takes(name: str) -> str:
    parameters = CATALOGUE[name].parameters
    return f"it takes {', '.join(parameters)}." if parameters else "it takes none."


def _parse_cutoff(text: str, whole: str) -> int:
    if re.fullmatch(r"[+-]?[0-9]{1,20}", text):
        return int(text)
    raise MeasureError(
        f"The cutoff of {shown(whole)} must be an int in the range [1, 2^31 - 1]. Found {shown(text)}.",
        hint="for example P@10.",
    )


def _parse_parameters(text: str, whole: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)  # for the type checker: f(...) parses to nothing else
        if call.args:
            raise ValueError
        parameters = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, AssertionError):
        raise MeasureError(
            f"The parameters of {shown(whole)} cannot be read.", hint="write them as P(rel=2)@10."
        ) from None
    for key in parameters:
        if key not in ("rel", "dcg", "gains", "p", "cutoff"):
            hint = (
                "drop unjudged documents with the convention's unjudged_document='condense'."
                if (key == "judged_only")
                else "known: rel; dcg and gains for nDCG; p for RBP."
            )
            raise MeasureError(f"Unknown parameter {key!r} in {shown(whole)}.", hint=hint)
    return parameters


def _check_cutoff(name: str, cutoff: object, rule: str) -> None:
    if cutoff is None:
        if rule == "required":
            raise MeasureError(f"{name} needs a cutoff.", hint=f"write {name}@10.")
    elif rule == "none":
        raise MeasureError(f"{name} takes no cutoff; found {shown(cutoff)}.", hint=f"write {name}, and set a depth.")
    elif not 1 <= (whole(cutoff) or 0) <= CUTOFF_MAX:
        raise MeasureError(
            f"The cutoff of {name} must be an int in the range [1, 2^31 - 1]. Found {shown(cutoff)}.",
            hint=f"for example {name}@10.",
        )


def _check_parameters(measure: Measure) -> None:
    name = measure.name
    if measure.rel is not None and not 1 <= (whole(measure.rel) or 0) <= CUTOFF_MAX:
        raise MeasureError(
            f"The 'rel' parameter of {name} must be an int in the range [1, 2^31 - 1]. Found {shown(measure.rel)}.",
            hint="grades of 0 and less are judged not relevant.",
        )
    if measure.dcg not in ("log2", "exp-log2"):
        raise MeasureError(f"The 'dcg' parameter of {name} must be 'log2' or 'exp-log2'. Found {shown(measure.dcg)}.")
    if measure.gains and measure.dcg != "log2":
        raise MeasureError(f"{name} takes gains or dcg='exp-log2', not both.")
    p = measure.p
    if p is not None and not (isinstance(p, float) and 0 < p < 1):
        raise MeasureError(f"The 'p' parameter of {name} must be a float between 0 and 1. Found {shown(p)}.")


def _gains(name: str, given: Any) -> tuple[tuple[int, int], ...]:
    """The gains that differ from what a grade gives anyway, by grade, as plain ints."""
    found: dict[int, int] = {}
    try:
        pairs = [
            (whole(grade), whole(gain)) for grade, gain in (given.items() if isinstance(given, Mapping) else given)
        ]
    except (TypeError, ValueError):
        pairs = [(None, None)]
    for grade, gain in pairs:
        if grade is None or gain is None or grade in found or not 0 <= gain <= CUTOFF_MAX:
            raise MeasureError(
                f"The 'gains' parameter of {name} must map integer grades, each once, to integer gains of 0 and more."
                f" Found {shown(given)}.",
                hint="for example nDCG(gains={1:3,2:9}).",
            )
        found[grade] = gain
    return tuple(sorted((grade, gain) for grade, gain in found.items() if gain != max(grade, 0)))
