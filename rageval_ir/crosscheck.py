"""Backend against reference, value by value: equal to the bit, or within the rounding of a sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rageval_ir.errors import Disagreement, DisagreementError, place
from rageval_ir.measures import Measure

__all__ = ["CrossCheck", "compare"]

_SUMS = frozenset({"AP", "nDCG"})
"""Measures that a backend adds up in floats; all others are one division, which IEEE 754 fixes."""

_ULPS = 4


@dataclass
class CrossCheck:
    """What was compared, and how far apart it was; a disagreement is no entry here but an error.

    Attributes
    ----------
    compared : int
        Values that both a backend and the reference computed.
    equal : int
        Of those, how many are equal to the last bit.
    largest_ulps : float
        The largest difference, in units in the last place.
    largest_difference : float
        The largest absolute difference.
    unchecked : dict of str to str
        What only one side computed, and why: measures, or a system's queries; and measures
        whose check ran under another convention than the result.
    """

    compared: int = 0
    equal: int = 0
    largest_ulps: float = 0.0
    largest_difference: float = 0.0
    unchecked: dict[str, str] = field(default_factory=dict)

    def joined(self, other: CrossCheck) -> CrossCheck:
        """Both checks in one."""
        return CrossCheck(
            self.compared + other.compared,
            self.equal + other.equal,
            max(self.largest_ulps, other.largest_ulps),
            max(self.largest_difference, other.largest_difference),
            self.unchecked | other.unchecked,
        )

    def sentence(self) -> str:
        """The check in a line of text.

        >>> CrossCheck(compared=8, equal=8).sentence()
        'cross-check: 8 values computed twice, 8 equal to the last bit'
        """
        line = f"cross-check: {self.compared:,} values computed twice, {self.equal:,} equal to the last bit"
        if self.equal < self.compared:
            line += f", the rest within {self.largest_ulps:g} ulp"
        return line


def compare(
    check: CrossCheck,
    system: str,
    measure: Measure,
    backend: Mapping[str, float],
    reference: Mapping[str, float],
    terms: Callable[[str], int],
) -> None:
    """Compare one measure's values, query by query, and count the comparisons into `check`.

    Parameters
    ----------
    backend, reference : mapping of str to float
        Query id to value; what the backend lacks is not compared.
    terms : callable
        Query id to how many terms the backend added up; n additions of positive floats are
        off by less than n ulp (Higham, Accuracy and Stability of Numerical Algorithms,
        section 4.2), so a sum may differ by the greater of 4 and n.

    Raises
    ------
    DisagreementError
        Two values differ by more than arithmetic can explain.
    """
    for query_id, value in backend.items():
        check.compared += 1
        expected = reference[query_id]
        if value == expected:
            check.equal += 1
            continue
        difference = abs(value - expected)
        ulps = difference / math.ulp(max(abs(value), abs(expected)))
        allowed = max(_ULPS, terms(query_id)) if measure.name in _SUMS else 0
        if not ulps <= allowed:  # NaN included
            raise DisagreementError(
                f"{place(system=system, query=query_id)}: {measure} is {value!r} by the backend"
                f" and {expected!r} by the reference, {ulps:g} ulp apart; at most {allowed} are expected.",
                Disagreement(system, query_id, str(measure), value, expected),
                hint="one of the two is wrong; please report it with this query's judgments and ranking.",
            )
        check.largest_ulps = max(check.largest_ulps, ulps)
        check.largest_difference = max(check.largest_difference, difference)
