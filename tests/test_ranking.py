"""One strict order: ties, 32-bit scores, duplicates, condensing, and what is counted."""

import itertools

import pytest
import pytrec_eval

from rageval_ir import TREC_EVAL, TREC_EVAL_9, RejectedError, Run
from rageval_ir.ranking import order

SCORES = [0.0, -0.0, 1.0, 1.0 + 2**-25, 1e39, 2e39, 1e-46]


def ranked(doc_ids, scores, **options):
    return order(doc_ids, scores, TREC_EVAL.but(**options))


def test_32_bit_order_is_pytrec_evals():
    """pytrec_eval tells each document's rank by 1 / recip_rank when it is the only relevant one."""
    doc_ids = ["a", "B", "é", "aa", "\u20ac", "\U0001f600", "Z"]
    for scores in itertools.permutations(SCORES, len(doc_ids)):
        if hash(scores) % 40 == 0:  # a sample of the 5,040; hashes of floats do not depend on the process
            ours = order(doc_ids, scores, TREC_EVAL_9).doc_ids
            run = {doc_id: dict(zip(doc_ids, scores, strict=True)) for doc_id in doc_ids}
            judged = pytrec_eval.RelevanceEvaluator({d: {d: 1} for d in doc_ids}, {"recip_rank"})
            ranks = {d: round(1 / values["recip_rank"]) for d, values in judged.evaluate(run).items()}
            assert ours == sorted(doc_ids, key=ranks.__getitem__)


def test_ties():
    doc_ids, scores = ["b", "c", "a", "z"], [1.0, 1.0, 1.0, 2.0]
    assert ranked(doc_ids, scores).doc_ids == ["z", "c", "b", "a"]
    assert ranked(doc_ids, scores, ties="docid_ascending").doc_ids == ["z", "a", "b", "c"]
    assert ranked(doc_ids, scores, ties="input_order").doc_ids == ["z", "b", "c", "a"]


def test_ids_tie_by_their_bytes():
    """U+FF5E is less than U+1F600 by its bytes in UTF-8, and greater in UTF-16."""
    assert ranked(["\U0001f600", "\uff5e"], [1.0, 1.0]).doc_ids == ["\U0001f600", "\uff5e"]


def test_zero_and_minus_zero_are_equal():
    assert ranked(["a", "b"], [0.0, -0.0]).tied


@pytest.mark.parametrize(("depth", "tied"), [(1, False), (2, True), (3, True)])
def test_a_tie_counts_where_it_can_reach_the_result(depth, tied):
    assert order(["a", "b", "c"], [3.0, 2.0, 2.0], TREC_EVAL, depth=depth).tied is tied


def test_duplicates():
    doc_ids = ["a", "b", "a", "c"]
    assert ranked(doc_ids, None, duplicates="first").doc_ids == ["a", "b", "c"]
    assert ranked(doc_ids, None, duplicates="last").doc_ids == ["b", "a", "c"]
    assert ranked(doc_ids, None, duplicates="count_each").doc_ids == doc_ids
    assert ranked(doc_ids, None, duplicates="first").duplicates == 1
    with pytest.raises(RejectedError, match="document 'a' stands at ranks 1 and 3"):
        ranked(doc_ids, None)


def test_a_document_that_a_repeat_kept_out_moves_up():
    kept = order(["a", "a", "b"], None, TREC_EVAL.but(duplicates="first"), depth=2)
    assert kept.doc_ids == ["a", "b"]


def test_condensed_lists_are_cut_after_condensing():
    convention = TREC_EVAL.but(unjudged_document="condense")
    condensed = order(["u", "n", "v", "a"], None, convention, depth=2, judged={"a", "n"})
    assert (condensed.doc_ids, condensed.condensed) == (["n", "a"], 2)


def test_depth_is_where_the_ranking_ends():
    for scores in (None, [4.0, 3.0, 2.0, 1.0]):
        for depth in (1, 3, 4, 9):
            assert order(["a", "b", "c", "d"], scores, TREC_EVAL, depth=depth).doc_ids == ["a", "b", "c", "d"][:depth]


def test_every_repeat_is_counted():
    doc_ids = ["a", "b", "a", "a", "b"]
    for rule in ("first", "last", "count_each"):
        assert ranked(doc_ids, None, duplicates=rule).duplicates == 3
        assert ranked(doc_ids, [5.0, 4.0, 3.0, 2.0, 1.0], duplicates=rule).duplicates == 3


def test_repeats_beyond_the_depth():
    """A scored ranking is looked at whole; a listed one, and what is counted each time, only within the depth."""
    doc_ids, scores = ["a", "b", "a"], [3.0, 2.0, 1.0]
    with pytest.raises(RejectedError):
        order(doc_ids, scores, TREC_EVAL, depth=2)
    assert order(doc_ids, None, TREC_EVAL, depth=2).doc_ids == ["a", "b"]
    assert order(doc_ids, scores, TREC_EVAL.but(duplicates="count_each"), depth=2).doc_ids == ["a", "b"]


def test_a_list_is_read_as_far_as_documents_can_move_up():
    for options in ({"duplicates": "first"}, {"unjudged_document": "condense"}):
        run = Run("A", {"q": ["a", "a", "x", "b"] if "duplicates" in options else ["u", "v", "a", "b"]})
        found = run.order("q", TREC_EVAL.but(**options), depth=2, judged={"a": 1, "b": 1})
        assert found.doc_ids == (["a", "x"] if "duplicates" in options else ["a", "b"])


def test_equal_scores_all_along():
    assert ranked(["a", "b", "c"], [1.0, 1.0, 1.0]).constant
    assert not ranked(["a", "b", "c"], [1.0, 1.0, 0.5]).constant
    assert not ranked(["a"], [1.0]).constant
