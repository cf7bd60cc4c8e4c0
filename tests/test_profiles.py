"""Each profile gives what its software was measured to give, on the inputs that tell them apart."""

import pytest

from rageval_ir import PROFILES, ConventionError, RejectedError, evaluate
from rageval_ir.profiles import resolve_convention

SHORT = ({"q": {"d1", "d2"}}, {"q": ["d1", "x", "y"]})  # P@10: by k 1/10, over the retrieved 1/3
HALF = ({"q": {"a", "b", "c", "d"}}, {"q": ["a", "b", "x"]})  # R@3: 2 of 4 relevant are found
PERFECT = {"q1": ["a"], "q2": ["a"]}
BARE = ({"q1": {"a"}, "q2": {}}, PERFECT)  # mean P@1: 1 where q2 is skipped, 1/2 where it counts
NONE = ({"q1": {"a"}, "q2": {"a": 0}}, PERFECT)
MISSING = ({"q1": {"a"}, "q2": {"a"}}, {"q1": ["a"]})

# name: P@10 of SHORT, R@3 of HALF, mean P@1 of BARE, NONE and MISSING; None where the software stops
MEASURED = {
    "TREC_EVAL": (1 / 10, 1 / 2, 1 / 2, 1 / 2, 1 / 2),
    "TREC_EVAL_INCOMPLETE": (1 / 10, 1 / 2, 1, 1 / 2, None),
    "TREC_EVAL_9_INCOMPLETE": (1 / 10, 1 / 2, 1, 1 / 2, 1),
    "PYTREC_EVAL": (1 / 10, 1 / 2, 1, 1 / 2, 1),
    "IR_MEASURES": (1 / 10, 1 / 2, 1 / 2, 1 / 2, 1 / 2),
    "IR_MEASURES_CWL": (1 / 10, 1 / 2, 1, 1 / 2, 1 / 2),
    "IR_MEASURES_TRECTOOLS": (1 / 10, 1 / 2, 1, 1 / 2, 1 / 2),
    "RANX": (1 / 10, 1 / 2, 1 / 2, 1 / 2, None),
    "RANX_DICTS": (1 / 10, 1 / 2, None, 1 / 2, None),
    "IR_MEASURES_RANX": (1 / 10, 1 / 2, None, 1 / 2, None),
    "IR_MEASURES_JUDGED": (1 / 10, 1 / 2, 1 / 2, 1 / 2, 1 / 2),
    "IR_MEASURES_ACCURACY": (1 / 10, 1 / 2, 1, 1, 1),
    "IR_MEASURES_COMPAT": (1 / 10, 1 / 2, 1, 1 / 2, 1 / 2),
    "TORCHMETRICS": (1 / 10, 1, 1 / 2, 1 / 2, 1 / 2),
    "SENTENCE_TRANSFORMERS": (1 / 10, 1 / 2, 1, 1, 1 / 2),
    "BEIR": (1 / 10, 1 / 2, 1, 1 / 2, 1),
    "MTEB": (1 / 10, 1 / 2, None, 1 / 2, 1),
    "LLAMA_INDEX": (1 / 3, 1 / 2, None, None, None),
    "HAYSTACK": (1 / 10, 1, 1 / 2, 1 / 2, 1 / 2),
    "RAGAS": (1 / 3, 1 / 2, 1 / 2, 1 / 2, 1 / 2),
    "RANKKIT": (1 / 10, 1 / 2, 1, 1, 1),
    "EVRET": (1 / 10, 1 / 2, 1 / 2, 1 / 2, 1 / 2),
    "TOOLKIT_RAG_QUALITY": (1 / 10, 1 / 2, 1, 1 / 2, 1 / 2),
    "RETRIEVAL_EVAL_GATE": (1 / 10, 1 / 2, 1 / 2, 1 / 2, 1 / 2),
    "RECTOOLS": (1 / 10, 1 / 2, 1, 1, 1 / 2),
}


@pytest.mark.parametrize("name", MEASURED)
def test_what_was_measured(name):
    for (qrels, run), measure, value in zip(
        (SHORT, HALF, BARE, NONE, MISSING), ("P@10", "R@3", "P@1", "P@1", "P@1"), MEASURED[name], strict=True
    ):
        if value is None:
            with pytest.raises(RejectedError):
                evaluate(qrels, {"A": run}, measure, name)
        else:
            assert evaluate(qrels, {"A": run}, measure, name).mean("A", measure) == value


@pytest.mark.parametrize(
    ("name", "scores", "relevant", "value"),
    [
        ("IR_MEASURES", {"a": 1.0, "b": 1.0}, "a", 0), ("IR_MEASURES_MSMARCO", {"a": 1.0, "b": 1.0}, "a", 1),
        ("IR_MEASURES", {"a": 1.0, "b": 1.0}, "b", 1), ("IR_MEASURES_MSMARCO", {"a": 1.0, "b": 1.0}, "b", 0),
        ("SENTENCE_TRANSFORMERS", {"b": 1.0, "a": 1.0}, "a", 1), ("RANX", {"b": 1.0, "a": 1.0}, "b", 1),
        ("TREC_EVAL_9", {"a": 1 + 1e-9, "z": 1.0}, "a", 0), ("TREC_EVAL", {"a": 1 + 1e-9, "z": 1.0}, "a", 1),
        ("MTEB", {"a": 1 + 1e-9, "z": 1.0}, "a", 0), ("TIE_AWARE", {"a": 1.0, "b": 1.0}, "a", 1 / 2),
    ],
)  # fmt: skip
def test_ties_as_they_were_measured(name, scores, relevant, value):
    assert evaluate({"q": {relevant}}, {"A": {"q": scores}}, "P@1", name).mean("A", "P@1") == value


@pytest.mark.parametrize(
    ("name", "measure", "value"),
    [
        ("TORCHMETRICS", "P@3", 2 / 3), ("IR_MEASURES_CWL", "P@3", 2 / 3), ("RECTOOLS", "P@3", 2 / 3),
        ("EVRET", "P@3", 1 / 3), ("MSMARCO", "RR@4", 1 / 3), ("HAYSTACK", "RR@4", 1 / 3),
        ("LLAMA_INDEX", "RR@4", 1 / 3),
    ],
)  # fmt: skip
def test_a_document_twice_as_it_was_measured(name, measure, value):
    ranking = ["a", "x", "a"] if measure == "P@3" else ["x", "x", "a"]
    assert evaluate({"q": {"a"}}, {"A": {"q": ranking}}, measure, name).mean("A", measure) == value


def test_names_in_any_case():
    assert resolve_convention(" ir-measures ") == PROFILES["IR_MEASURES"].convention
    with pytest.raises(ConventionError, match=r"Unknown convention 'BIER'\. Did you mean 'BEIR'"):
        resolve_convention("BIER")
