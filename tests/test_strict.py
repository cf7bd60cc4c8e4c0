"""Under STRICT, whatever a convention would have to decide is an error that names the query."""

import pytest

from rageval_ir import STRICT, RejectedError, evaluate

QRELS = {"setup": {"d1"}, "export": {"d2", "d3"}}
RUN = {"setup": ["d5", "d1"], "export": ["d2", "d5"]}


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS | {"empty": set()}, RUN, "query 'empty' is listed without any judgment (an empty relevance set)"),
        (QRELS | {"none": {"d1": 0}}, RUN, "query 'none' has no relevant document for P@2"),
        (QRELS, RUN | {"setup": ["d1"]}, "system 'A', query 'setup': 1 results, fewer than the 2 of P@2"),
        (QRELS, RUN | {"setup": []}, "system 'A', query 'setup': 0 results, fewer than the 2 of P@2"),
        (QRELS, RUN | {"setup": ["d1", "d1"]}, "query 'setup', document 'd1' stands at ranks 1 and 2"),
        (QRELS, RUN | {"setup": {"d1": 1, "d5": 1}}, "query 'setup': documents 'd1' and 'd5' at ranks 1 and 2"),
        (QRELS, {"setup": ["d5", "d1"]}, "query 'export' is judged, but the run has no ranking for it"),
        (QRELS, RUN | {"export": None}, "query 'export' is judged, but its retrieval failed"),
        (QRELS, RUN | {"export": TimeoutError("10 s")}, "its retrieval failed (TimeoutError: 10 s)"),
        (QRELS, RUN | {"extra": ["d1", "d2"]}, "system 'A', query 'extra' is ranked, but has no judgments"),
    ],
)
def test_each_ambiguity_is_an_error(qrels, run, message):
    with pytest.raises(RejectedError) as caught:
        evaluate(qrels, {"A": run}, ["P@2", "R@2", "RR@2"], "STRICT")
    assert message in str(caught.value)
    assert caught.value.hint
    evaluate(qrels, {"A": run}, ["P@2"], STRICT.but(**_LENIENT))


_LENIENT = {
    "ties": "input_order",
    "precision_denominator": "k",
    "no_relevant": "zero",
    "no_judgments": "exclude",
    "missing_ranking": "exclude",
    "unjudged_query": "exclude",
    "duplicates": "first",
}
"""For each thing that STRICT rejects, the option under which it is evaluated; the hints name them."""


def test_data_without_ambiguity_pass():
    assert evaluate(QRELS, {"A": RUN}, ["P@2", "R@2", "RR@2"], "STRICT").mean("A", "R@2") == 0.75


def test_a_tie_that_cannot_reach_the_result_is_no_error():
    run = {"setup": {"d1": 3.0, "d5": 2.0, "x": 1.0, "y": 1.0}, "export": {"d2": 2.0, "d3": 1.0}}
    assert evaluate(QRELS, {"A": run}, ["P@2"], "STRICT").mean("A", "P@2") == 0.75
    with pytest.raises(RejectedError, match="'x' and 'y' at ranks 3 and 4 have the same score"):
        evaluate(QRELS, {"A": {"setup": run["setup"]}}, ["R@3"], "STRICT")
