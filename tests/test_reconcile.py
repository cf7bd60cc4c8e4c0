"""reconcile: the convention that made some figures is found again, and what cannot be told apart is said."""

import random

import pytest

from rageval_ir import (
    PROFILES,
    TREC_EVAL,
    InputError,
    MeasureError,
    RagevalError,
    evaluate,
    read_qrels,
    read_reported,
    read_run,
    reconcile,
)
from rageval_ir.figures import figures

MEASURES = ["P@3", "R@3", "RR@3", "nDCG@3"]


def collection(seed):
    """Ties, also in 32 bits only, short rankings, missing and unjudged queries, empty judgments, repeats in some."""
    draw = random.Random(seed)
    doc_ids = [f"d{i}" for i in range(12)]
    qrels = {f"q{i}": {d: draw.choice([0, 0, 1, 1, 2]) for d in draw.sample(doc_ids, 5)} for i in range(10)}
    qrels |= {"q8": {}, "q9": {"d1": 0}}
    run = {}
    for i in range(11):
        listed = draw.sample(doc_ids, draw.choice([1, 2, 5, 7]))
        listed += listed[:1] if seed % 3 == 0 else []
        run[f"q{i}"] = [(doc_id, draw.choice([1.0, 1.000000001, 0.5, 0.25])) for doc_id in listed]
    del run[f"q{draw.randint(0, 7)}"]
    return qrels, {"A": run}


def printed(result):
    return {system: {str(m): f"{result.mean(system, m):.4f}" for m in result.measures} for system in result.systems}


@pytest.mark.parametrize("seed", range(100))
def test_the_profile_that_made_the_figures_is_found_again(seed):
    qrels, runs = collection(seed)
    names = list(PROFILES)
    for name in names[seed % len(names) :] + names:  # the next profile that does not reject these data
        try:
            made = evaluate(qrels, runs, MEASURES, name)
        except RagevalError:
            continue
        break
    found = reconcile(qrels, runs, printed(made))
    assert name in {each for e in found.explanations for each in (e.profile, *e.same)}
    departures = [frozenset(e.departures.items()) for e in found.explanations]
    assert len(set(departures)) == len(departures)
    named = [len(e.departures) for e in found.explanations if e.profile]
    assert named == sorted(named)
    for explanation in found.explanations[:3]:
        as_ = [figure.computed_as for figure in explanation.figures]
        again = evaluate(qrels, runs, as_, explanation.convention)
        texts = [f"{again.mean('A', measure):.4f}" for measure in as_]
        assert texts == [figure.reported for figure in explanation.figures]
        assert explanation.distance <= 0.5e-4 + 1e-12


def test_published_figures_are_trec_evals(data):
    """nDCG@10 of TREC 2019 Deep Learning, as data/SOURCES.md has it."""
    published = {
        "bm25": ".5058", "bm25-rm3": ".5216", "tas-b": ".7210", "splade-pp-ed": ".7308", "openai-ada2": ".7035",
    }  # fmt: skip
    runs = [read_run(data / "dl19" / f"{name}.run") for name in published]
    table = {name: {"nDCG@10": figure} for name, figure in published.items()}
    found = reconcile(read_qrels(data / "dl19" / "qrels.txt"), runs, table)
    assert found.explanations[0].profile == "TREC_EVAL"
    assert found.explanations[0].departures == {}
    assert "relevance_level" in found.explanations[0].undetermined
    assert "nDCG gain" not in found.explanations[0].undetermined


QRELS = {"q": {"a": 1, "b": 2, "c": 1, "d": 3}, "p": {"a": 1, "b": 1}}
RUN = {"A": {"q": ["x", "a", "b", "y", "d"], "p": ["x", "y", "a", "b", "z"]}}


@pytest.mark.parametrize(
    ("made_as", "options", "reported_as", "departures"),
    [
        ("P@2", {}, "P@3", {"cutoff": -1}),
        ("P@3", {}, "P@2", {"cutoff": 1}),
        ("nDCG(dcg='exp-log2')@3", {}, "nDCG@3", {"nDCG gain": "the other"}),
        ("nDCG@3", {}, "nDCG(dcg='exp-log2')@3", {"nDCG gain": "the other"}),
        ("RR", {}, "RR@2", {"rr_cutoff": "ignored"}),
        ("Success@2", {}, "R@2", {"recall_denominator": "hit"}),
        ("AP", {"relevance_level": 2}, "AP", {"relevance_level": 2}),
        ("R@3", {"recall_denominator": "capped"}, "R@3", {"recall_denominator": "capped"}),
    ],
)
def test_what_reports_are_known_to_confuse(made_as, options, reported_as, departures):
    value = evaluate(QRELS, RUN, made_as, TREC_EVAL.but(**options)).mean("A", made_as)
    found = reconcile(QRELS, RUN, {"A": {reported_as: f"{value:.4f}"}})
    assert departures in [explanation.departures for explanation in found.explanations]


def test_one_explanation_fits_the_whole_table():
    """R@2 alone may be Success; beside a second figure that a hit cannot give, it may not."""
    alone = reconcile(QRELS, RUN, {"A": {"Recall@3": "1.0000"}})
    assert any(e.departures == {"recall_denominator": "hit"} for e in alone.explanations)
    both = reconcile(QRELS, RUN, {"A": {"Recall@3": "1.0000", "Recall@2": "0.1250"}})
    assert both.explanations == ()
    assert both.nearest.distance > 0
    assert "nothing known gives these figures; nearest: " in repr(both)


@pytest.mark.parametrize("seed", range(0, 100, 9))
def test_explanations_are_told_once_each_and_none_goes_further_than_another(seed):
    qrels, runs = collection(seed)
    made = evaluate(qrels, runs, ["R@3"], TREC_EVAL.but(duplicates="first"))
    found = reconcile(qrels, runs, printed(made)).explanations
    departures = [frozenset(e.departures.items()) for e in found]
    assert len(set(departures)) == len(departures)
    named = [d for e, d in zip(found, departures, strict=True) if e.profile]
    others = departures[len(named) :]
    assert all(e.profile for e in found[: len(named)])
    assert [len(d) for d in named] == sorted(len(d) for d in named)
    assert [len(d) for d in others] == sorted(len(d) for d in others)
    assert not any(one < two for one in others for two in others)


def test_the_nearest_is_near_in_all_figures():
    """At level 2, P@1 is 0 as reported and RR is off; at level 1 both are off, and RR by less than P@1."""
    qrels, run = {"q": {"a": 1, "b": 2}}, {"A": {"q": ["a", "x", "b"]}}
    found = reconcile(qrels, run, {"A": {"P@1": "0.1000", "RR@5": "0.9000"}})
    assert found.explanations == ()
    assert found.nearest.distance == pytest.approx(0.4)  # P@2 = 1/2 for P@1, 1 for RR@5
    assert found.nearest.departures == {"cutoff": 1}


def test_queries_that_the_report_left_out():
    """Two of three judged queries are ranked: 1/2 over those two, 1/3 over all."""
    qrels, run = {"q": {"a"}, "p": {"a"}, "r": {"a"}}, {"A": {"q": ["a"], "p": ["x"]}}
    over_two = reconcile(qrels, run, {"A": {"RR@10": "50.00"}}).explanations[0]
    assert over_two.departures == {"missing_ranking": "exclude"}
    assert over_two.profile == "TREC_EVAL_9_INCOMPLETE"
    assert reconcile(qrels, run, {"A": {"RR@10": "33.3 %"}}).explanations[0].profile == "TREC_EVAL"


def test_a_profile_that_rejects_the_data_explains_nothing():
    short = {"q": {"a", "b"}}, {"A": {"q": ["a"]}}
    found = reconcile(*short, {"A": {"P@2": "0.5", "R@2": "0.5"}})
    names = {each for e in found.explanations for each in (e.profile, *e.same)}
    assert "TREC_EVAL" in names
    assert "STRICT" not in names
    full = reconcile({"q": {"a", "b"}}, {"A": {"q": ["a", "c"]}}, {"A": {"P@2": "0.5"}})
    assert "STRICT" in (full.explanations[0].profile, *full.explanations[0].same)


@pytest.mark.parametrize(
    ("given", "value", "tolerance"),
    [
        (".8241", 0.8241, 0.5e-4), ("0.8", 0.8, 0.05), ("82.41", 0.8241, 0.5e-4), ("82.41 %", 0.8241, 0.5e-4),
        ("0.9%", 0.009, 0.5e-3), ("1", 1, 0.5), ("8.24e-1", 0.824, 0.5e-3), (0.8241, 0.8241, 0.5e-4), (1, 1, 0.5),
    ],
)  # fmt: skip
def test_digits_say_how_exact_a_figure_is(given, value, tolerance):
    (figure,) = figures({"A": {"P@10": given}})
    assert (figure.value, figure.tolerance) == (pytest.approx(value), pytest.approx(tolerance, rel=1e-6))


def test_counts_are_no_percentages():
    (figure,) = figures({"A": {"num_rel_ret": "6"}})
    assert figure.value == 6


@pytest.mark.parametrize(
    ("reported", "error", "message"),
    [
        ({}, InputError, "holds no figure"),
        ({"A": {}}, InputError, "holds no figure"),
        ({"A": "0.5"}, InputError, "expected system -> measure -> number"),
        ({"A": {"P@2": "half"}}, InputError, "system 'A', P@2: 'half' is no number"),
        ({"A": {"P@2": True}}, InputError, "True is no number"),
        ({"A": {"P@2": False}}, InputError, "False is no number"),
        ({"A": {"P@2": None}}, InputError, "None is no number"),
        ({"A": {"P@2": float("nan")}}, InputError, "nan is no number"),
        ({"A": {"P@2": "1e400"}}, InputError, "'1e400' is too large"),
        ({"B": {"P@2": "0.5"}}, InputError, "no run is named 'B'. Hint: there are 'A'"),
        ({"A": {"Precission@2": "0.5"}}, MeasureError, "did you mean P"),
        ({"A": {"Bpref": "0.5"}}, MeasureError, "Bpref cannot be reconciled"),
    ],
)
def test_what_cannot_be_reconciled(reported, error, message):
    with pytest.raises(error, match=message):
        reconcile(QRELS, RUN, reported)


def test_ids_are_told_before_anything_is_computed():
    with pytest.raises(InputError, match="document id"):
        reconcile(QRELS, {"A": {"q": ["a", ["x"]]}}, {"A": {"P@2": "0.5"}})
    numbers = reconcile({1: {7, 8}}, {"A": {1: [7, 8]}}, {"A": {"P@2": "1.000"}})
    assert "unjudged_document" in numbers.explanations[0].undetermined


def test_gains_that_no_float_holds_are_not_tried():
    huge = {"q": {"a": 5000, "b": 1}}
    found = reconcile(huge, {"A": {"q": ["a", "b"]}}, {"A": {"nDCG@2": "1.0000"}})
    assert found.explanations[0].profile == "TREC_EVAL"
    assert "nDCG gain" in found.explanations[0].undetermined
    with pytest.raises(InputError, match=r"the gain 2\^5000 - 1 of the greatest grade is too large"):
        reconcile(huge, {"A": {"q": ["a", "b"]}}, {"A": {"nDCG(dcg='exp-log2')@2": "1.0000"}})


def test_figures_from_a_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("system,P@2,MRR@10,n\nA,.5,,2\nB, 0.25 ,0.5,2\n\n")
    assert read_reported(path) == {"A": {"P@2": ".5"}, "B": {"P@2": "0.25", "MRR@10": "0.5"}}
    path.write_text("P@2\tsystem\n0.5\tA\n")
    assert read_reported(path) == {"A": {"P@2": "0.5"}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected system, and each measure once"),
        ("P@2\n0.5\n", "found the columns 'P@2'"),
        ("system,P@2,P@2\nA,1,1\n", "each measure once"),
        ("system,P@2\nA\n", "row 2: 1 cells, but 2 columns"),
        ("system,P@2\nA,1\nA,1\n", "row 3: the system 'A' is there twice"),
    ],
)
def test_a_file_that_holds_no_table(tmp_path, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_reported(path)


def test_how_it_prints():
    found = reconcile({"q": {"a"}}, {"A": {"q": {"a": 1.0, "b": 1.0}}}, {"A": {"P@1": "0.5"}})
    first = found.explanations[0]
    assert "SCIKIT_LEARN" in (first.profile, *first.same)
    assert f"\n{first.profile} and {len(first.same)} more  ties=expected\n" in repr(found)
    assert "undetermined: the first fits as well with another score_precision, precision_denominator," in repr(found)
    assert "A       P@1           0.5  0.500000\n" in repr(found) + "\n"
    assert "**explanations, best first**" in found.to_markdown()
    assert "<caption>the figures</caption>" in found._repr_html_()
