"""Backend against reference: what passes, what does not."""

import math

import pytest

from rageval_ir import DisagreementError, Measure
from rageval_ir.crosscheck import CrossCheck, compare


def ulps(value, n):
    for _ in range(n):
        value = math.nextafter(value, 2)
    return value


@pytest.mark.parametrize(
    ("name", "apart", "terms", "passes"),
    [("P", 0, 1, True), ("P", 1, 9, False), ("nDCG", 4, 1, True), ("nDCG", 5, 1, False), ("AP", 9, 9, True),
     ("AP", 10, 9, False), ("RR", 1, 1, False), ("R", 1, 1, False), ("Success", 1, 1, False),
     ("Judged", 1, 9, False)],
)  # fmt: skip
def test_how_far_apart_two_values_may_be(name, apart, terms, passes):
    check = CrossCheck()
    compared = (check, "A", Measure(name, 10), {"q": ulps(0.3, apart)}, {"q": 0.3, "p": 0.1}, lambda _: terms)
    if passes:
        compare(*compared)
        assert (check.compared, check.equal, check.largest_ulps) == (1, apart == 0, apart)
        return
    with pytest.raises(DisagreementError, match=f"system 'A', query 'q': {name}@10 is .* by the backend") as caught:
        compare(*compared)
    assert caught.value.disagreement == ("A", "q", f"{name}@10", ulps(0.3, apart), 0.3)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.3, 0.0])
def test_no_value_that_is_plainly_wrong_passes(value):
    with pytest.raises(DisagreementError):
        compare(CrossCheck(), "A", Measure("nDCG", 10), {"q": value}, {"q": 0.3}, lambda _: 4)
