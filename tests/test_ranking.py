"""One strict order: ties, 32-bit scores, duplicates, condensing, and what is counted."""

import itertools

import pytest
import pytrec_eval

from rageval_ir import TREC_EVAL, TREC_EVAL_9, RejectedError
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
