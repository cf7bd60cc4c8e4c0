"""Evaluation: frames, accounting, JSON and what is printed."""

import json

import pandas as pd
import pytest

from rageval_ir import TREC_EVAL, Evaluation, InputError, Measure, evaluate

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 0}, "q4": set(), "q5": {"e": 1}}
RUN = {"q1": {"a": 2.0, "x": 2.0, "b": 1.0}, "q2": [], "q3": ["d"], "q4": ["x"], "q9": ["a"]}


@pytest.fixture
def result() -> Evaluation:
    return evaluate(QRELS, {"A": RUN, "B": {"q1": ["b"]}}, ["P@2", "AP(rel=2)@100", "NumRet"])


def test_summary(result):
    frame = result.summary()
    assert frame.columns.tolist() == ["P@2", "AP(rel=2)@100", "NumRet", "n"]
    assert frame.index.name == "system"
    assert frame.loc["A"].tolist() == [0.1, pytest.approx(1 / 15), 5.0, 5.0]
    assert frame["n"].dtype == "int64"


def test_per_query(result):
    frame = result.per_query
    assert frame.columns.tolist() == [
        "system", "query_id", "measure", "value", "numerator", "denominator", "status", "computed_by",
    ]  # fmt: skip
    assert all(isinstance(value, str) for column in ("query_id", "measure") for value in frame[column])
    assert frame.value.dtype == frame.numerator.dtype == "float64"
    rows = frame[(frame.system == "A") & (frame.measure == "P@2")]
    assert rows.status.tolist() == ["scored", "empty", "no_relevant", "no_judgments", "missing"]
    assert rows.value.tolist() == [0.5, 0, 0, 0, 0]


def test_accounting(result):
    account = result.accounting().loc["A"].to_dict()
    assert account == {
        "evaluated": 5, "judged": 5, "missing": 1, "failed": 0, "empty": 1, "short": 4, "no_relevant": 1,
        "no_judgments": 1, "tied": 1, "constant_scores": 0, "duplicates": 0, "condensed": 0, "self_retrieved": 0,
        "unjudged_queries": 1, "failure_rate": 0, "n P@2": 5, "n AP(rel=2)@100": 5, "n NumRet": 5,
    }  # fmt: skip


def test_left_out_lists_each_query_with_its_reason():
    convention = TREC_EVAL.but(no_relevant="exclude", missing_ranking="exclude")
    result = evaluate(QRELS, {"A": RUN}, ["P@2", "nDCG@2"], convention)
    left = result.left_out()
    assert list(left[left.measure != "nDCG@2"].itertuples(index=False, name=None)) == [
        ("A", "q3", "P@2", "no_relevant"), ("A", "q4", "P@2", "no_judgments"),
        ("A", "q5", "P@2", "missing"), ("A", "q9", "all", "unjudged_query"),
    ]  # fmt: skip
    assert result.n("A") + len(left[left.measure == "P@2"]) == len(QRELS)


def test_json_keeps_everything(result):
    again = Evaluation.from_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()
    assert pd.testing.assert_frame_equal(again.per_query, result.per_query) is None
    assert json.loads(result.to_json())["versions"].keys() >= {"rageval_ir", "ir_measures", "pytrec-eval-terrier"}


@pytest.mark.parametrize(
    "text", ["", None, "[" * 100_000, "[]", "3", "{}", '{"format": "other"}', '{"format": "rageval_ir evaluation 1"}']
)
def test_other_json_is_refused(text):
    with pytest.raises(InputError, match="not an evaluation as to_json writes it"):
        Evaluation.from_json(text)


def test_text_says_who_is_in_the_mean(result):
    assert (
        repr(result)
        == """\
system     P@2  AP(rel=2)@100  NumRet  n
A       0.1000         0.0667       5  5
B       0.1000         0.2000       1  5

convention: TREC_EVAL
A: 5 of 5 judged queries in the mean; 1 missing (q5); 1 with an empty ranking (q2); \
4 with fewer than 100 results (q1, q2, q3, ...); 1 without relevant documents (q3); 1 without any judgment (q4); \
1 with tied scores (q1); 1 ranked but not judged (q9)
B: 5 of 5 judged queries in the mean; 4 missing (q2, q3, q4, ...); 1 with fewer than 100 results (q1); \
1 without relevant documents (q3); 1 without any judgment (q4)
cross-check: 24 values computed twice, 24 equal to the last bit"""
    )


def test_markup_in_names_is_shown_not_run():
    result = evaluate({"q": {"a"}}, {"<b>|x_y*": {"q": ["a"]}}, "P@1")
    assert "&lt;b&gt;|x_y*" in result._repr_html_()
    assert "\\<b\\>\\|x\\_y\\*" in result.to_markdown()


def test_control_characters_cannot_break_the_table():
    result = evaluate({"q": {"a"}}, {"a\nb\x1b[31m": {"q": ["a"]}}, "P@1")
    assert repr(result).splitlines()[1].startswith(r"a\nb\x1b[31m")


def test_systems_of_one_evaluation_can_join_another(result):
    more = evaluate(QRELS, {"C": RUN}, ["P@2", "AP(rel=2)@100", "NumRet"])
    both = result.combine(more)
    assert list(both.systems) == ["A", "B", "C"]
    assert both.crosscheck.compared == result.crosscheck.compared + more.crosscheck.compared
    with pytest.raises(InputError, match="Both evaluations have the system 'C'"):
        both.combine(more)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"convention": "TREC_EVAL_9"}, "convention"),
        ({"relevant": {**QRELS, "q2": {"other"}}}, "qrels_fingerprint"),
        ({"depth": 5}, "depth"),
        ({"measures": ["P@2"]}, "measures"),
    ],
)
def test_figures_made_in_two_ways_cannot_stand_in_one_table(result, change, what):
    other = {"relevant": QRELS, "rankings": {"C": {"q2": ["c", "d"]}}, "measures": ["P@2", "AP(rel=2)@100", "NumRet"]}
    with pytest.raises(InputError, match=f"differ in {what}"):
        result.combine(evaluate(**{**other, **change}))


def test_asking_for_what_is_not_there(result):
    with pytest.raises(InputError, match=r"No system 'X'. Hint: there are 'A', 'B'"):
        result.mean("X", "P@2")
    with pytest.raises(InputError, match=r"P@3 was not evaluated. Hint: there are P@2, AP\(rel=2\)@100, NumRet"):
        result.mean("A", "P@3")


def test_combined_checks_add_up():
    """Four values a system, of which the check of one was under another convention."""
    convention = TREC_EVAL.but(recall_denominator="relevant_retrieved", duplicates="count_each")
    one = evaluate({"q": {"a", "b"}}, {"A": {"q": ["a"]}}, ["P@2", "R@2"], convention)
    two = evaluate({"q": {"a", "b"}}, {"B": {"q": ["a", "a"]}}, ["P@2", "R@2"], convention)
    one.crosscheck.largest_ulps, two.crosscheck.largest_ulps = 1.0, 3.0
    one.crosscheck.largest_difference, two.crosscheck.largest_difference = 2e-16, 1e-16
    for both in (one.combine(two), two.combine(one)):
        check = both.crosscheck
        assert (check.compared, check.equal, check.largest_ulps, check.largest_difference) == (2, 2, 3.0, 2e-16)
        assert check.unchecked.keys() == {"R@2", "system 'B'"}
    two.versions = {"rageval_ir": "another"}
    with pytest.raises(InputError, match="differ in versions"):
        one.combine(two)


def test_unjudged_queries_that_count_are_told_apart():
    result = evaluate({"q": {"a"}}, {"A": {"q": ["a"], "u": ["a"]}}, "P@1", TREC_EVAL.but(unjudged_query="zero"))
    assert "A: 1 of 1 judged queries in the mean, and 1 not judged; 1 ranked but not judged (u)" in repr(result)
    assert (result.n("A"), result.mean("A", "P@1")) == (2, 0.5)
    assert result.left_out().empty
    assert evaluate({"q": {"a"}}, {"A": {"q": ["a"], "u": ["a"]}}, "P@1").left_out().query_id.tolist() == ["u"]


def test_examples_are_those_of_what_happened_not_of_a_measure():
    run = {"A": {query_id: ["a"] for query_id in ("q1", "q2", "q3")}}
    result = evaluate({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}, run, ["P(rel=2)@1", "P@1"])
    assert "1 without relevant documents (q3)" in repr(result)


def test_what_ties_leave_open_is_told():
    tied = {"q": {"a": 1.0, "b": 1.0}, "p": {"a": 1.0, "b": 1.0}}
    result = evaluate({"q": {"a"}, "p": {"c": 0}}, {"A": tied}, ["P@1", "P@2"], TREC_EVAL.but(ties="expected"))
    assert "A: by the order of tied documents P@1 0.0000 to 0.5000\n" in repr(result)
    assert "averaged over tied documents (2 of 2 queries); the cross-check ran under ties=docid_descending" in repr(
        result
    )
    assert result.bounds("A", "P@2") == (0.25, 0.25)


def test_ties_leave_nothing_open_where_the_convention_decides():
    convention = TREC_EVAL.but(ties="expected", no_relevant="one")
    result = evaluate({"q": {"c": 0}}, {"A": {"q": {"a": 1.0, "b": 1.0}}}, ["RR", "P@1"], convention)
    assert (result.bounds("A", "RR"), result.bounds("A", "P@1")) == ((1, 1), (0, 0))
    left = evaluate({"q": {"c": 0}}, {"A": {"q": {"a": 1.0, "b": 1.0}}}, "RR", convention.but(no_relevant="exclude"))
    assert left.bounds("A", "RR") is None


def test_a_depth_is_told():
    result = evaluate({"q": {"a"}}, {"A": {"q": ["a", "b"]}}, "P@2", depth=1)
    assert "convention: TREC_EVAL; depth 1\n" in repr(result)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda column: column["values"].pop(), "values of P@2 are not 5"),
        (lambda column: column["values"].__setitem__(0, "0.5"), "values of P@2 are not 5 of the expected type"),
        (lambda column: column["statuses"].__setitem__(0, None), "statuses of P@2"),
        (lambda column: column.pop("computed_by"), "required positional argument: .computed_by."),
        (lambda column: column.__setitem__("more", []), "unexpected keyword argument 'more'"),
    ],
)
def test_json_that_was_tampered_with(result, change, message):
    record = json.loads(result.to_json())
    change(record["systems"]["A"]["columns"]["P@2"])
    with pytest.raises(InputError, match=message):
        Evaluation.from_json(json.dumps(record))


def test_json_with_a_column_too_many_or_too_few(result):
    for change in (lambda columns: columns.pop("P@2"), lambda columns: columns.update({"P@3": columns["P@2"]})):
        record = json.loads(result.to_json())
        change(record["systems"]["A"]["columns"])
        with pytest.raises(InputError, match="not an evaluation as to_json writes it"):
            Evaluation.from_json(json.dumps(record))


def test_gains_in_any_order_are_kept_in_json():
    measure = Measure("nDCG", 2, gains=((2, 9), (1, 3)))
    result = evaluate({"q": {"a": 1}}, {"A": {"q": ["a"]}}, measure)
    assert Evaluation.from_json(result.to_json()) == result
    assert result.mean("A", measure) == result.mean("A", "nDCG(gains={1:3,2:9})@2") == 1


def test_ids_that_are_never_alike_are_pointed_out():
    text = repr(evaluate({"01": {"d"}}, {"A": {"1": ["d"]}}, "P@1"))
    assert "A: no query is both judged (such as 01) and ranked (such as 1); are the ids written alike?" in text
    assert "alike" not in repr(evaluate({"01": {"d"}}, {"A": {}}, "P@1"))
