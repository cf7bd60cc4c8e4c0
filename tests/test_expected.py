"""Means over the orders of tied documents, against every order there is."""

import itertools
from fractions import Fraction

import pytest

from rageval_ir import TREC_EVAL, Measure
from rageval_ir.expected import extremes, look_tied
from rageval_ir.reference import judged_ranks, look, quotient, score

DOCUMENTS = "abcd"
GAINS = {"a": 1, "b": 2, "c": 3, "d": 1}


def groupings():
    """Every way to cut four documents into groups of equal scores."""
    for cuts in itertools.product([False, True], repeat=len(DOCUMENTS) - 1):
        groups = [[DOCUMENTS[0]]]
        for doc_id, cut in zip(DOCUMENTS[1:], cuts, strict=True):
            groups.append([doc_id]) if cut else groups[-1].append(doc_id)
        yield groups


def cases():
    for groups in groupings():
        orders = [list(itertools.chain(*each)) for each in itertools.product(*map(itertools.permutations, groups))]
        for counts in itertools.product([False, True], repeat=len(DOCUMENTS)):
            counting = {d: GAINS[d] for d, counted in zip(DOCUMENTS, counts, strict=True) if counted}
            for retrieved in range(1, len(DOCUMENTS) + 1):
                views = [look(judged_ranks(o[:retrieved], counting), retrieved, counting) for o in orders]
                yield look_tied(groups, retrieved, counting), views


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def ratio(exact):
    return Fraction(exact[0]) / exact[1] if exact[1] else Fraction(0)


def test_every_quantity_is_the_mean_over_every_order():
    for tied, views in cases():
        for k in (1, 2, 3, 4, 9, None):
            assert tied.hits(k) == mean(Fraction(view.hits(k)) for view in views)
            assert tied.success(k) == mean(Fraction(view.success(k)) for view in views)
            assert tied.precisions(k) == mean(view.precisions(k) for view in views)
            assert ratio(tied.reciprocal_rank(k)) == mean(ratio(view.reciprocal_rank(k)) for view in views)
            assert tied.dcg(k) == pytest.approx(sum(view.dcg(k) for view in views) / len(views), rel=1e-15)
            if k:
                assert ratio(tied.share(k)) == mean(ratio(view.share(k)) for view in views)
                assert (tied.share(k)[1] == 0) == all(view.share(k)[1] == 0 for view in views)


def test_extremes_are_those_of_every_order():
    conventions = [TREC_EVAL, TREC_EVAL.but(recall_denominator="relevant_retrieved")]
    measures = [Measure(name, k) for name in ("P", "R", "RR", "Success", "nDCG", "AP") for k in (1, 2, 4)]
    for tied, views in cases():
        for measure, convention in itertools.product([*measures, Measure("Rprec")], conventions):
            values = [quotient(*score(measure, view, convention)) or 0.0 for view in views]
            assert extremes(measure, tied, convention) == (min(values), max(values)), (measure, convention)
