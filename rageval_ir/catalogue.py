"""The measures' definitions: formula, cutoff, range, published source, names elsewhere, and a worked example."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CATALOGUE", "EXAMPLE_JUDGMENTS", "EXAMPLE_RANKING", "Definition"]

EXAMPLE_JUDGMENTS = {"a": 2, "b": 1, "c": 0, "e": 1}
EXAMPLE_RANKING = ["c", "a", "x", "b"]
"""What the worked examples are computed on: a, b and e are relevant, x is not judged, e is not retrieved."""


class Definition(NamedTuple):
    """What is to be known of a measure."""

    title: str
    formula: str
    cutoff: str
    """"required", "optional" or "none"."""
    cutoff_rule: str
    parameters: tuple[str, ...]
    range: str
    backend: str
    """Who computes it."""
    trec_name: str
    """trec_eval's name, empty where it does not have the measure; with a cutoff, `_k` follows."""
    source: str
    example: str
    """A measure's name, and its value on the example, as fractions or numbers: "P@3 = 1/3"."""
    working: str
    """How that comes about."""
    aggregate: str = "mean"


_UNIT = "0 to 1"
_VAN_RIJSBERGEN = "C. J. van Rijsbergen, Information Retrieval, 2nd edition, Butterworths, 1979"
_BUCKLEY = "C. Buckley and E. M. Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004"
_PADDED = "Ranks beyond the end of a ranking hold nothing relevant; rank k itself counts."

CATALOGUE: dict[str, Definition] = {
    "P": Definition(
        "precision",
        "relevant in the first k / k",
        "required", _PADDED, ("rel",), _UNIT, "pytrec_eval", "P", _VAN_RIJSBERGEN,
        "P@3 = 1/3", "of c, a, x only a is relevant",
    ),
    "R": Definition(
        "recall",
        "relevant in the first k / all judged relevant",
        "required", "The first k ranks count, rank k itself too.", ("rel",), _UNIT, "pytrec_eval", "recall",
        f"{_VAN_RIJSBERGEN}; capped at k: N. Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021",
        "R@3 = 1/3", "of a, b, e only a is in the first 3",
    ),
    "RR": Definition(
        "reciprocal rank",
        "1 / rank of the first relevant document, 0 if there is none (in the first k)",
        "optional", "A first relevant document at rank k counts, beyond it does not.", ("rel",), _UNIT,
        "pytrec_eval", "recip_rank",
        "P. B. Kantor and E. M. Voorhees, The TREC-5 Confusion Track, Information Retrieval 2, 2000;"
        " E. M. Voorhees, The TREC-8 Question Answering Track Report, TREC 1999",
        "RR@3 = 1/2", "a, the first relevant one, is at rank 2",
    ),
    "Success": Definition(
        "success",
        "1 if a relevant document is in the first k, else 0",
        "required", "The first k ranks count, rank k itself too.", ("rel",), "0 or 1", "pytrec_eval", "success",
        "trec_eval, m_success.c", "Success@1 = 0", "c, at rank 1, is not relevant",
    ),
    "nDCG": Definition(
        "normalised discounted cumulative gain",
        "DCG / ideal DCG; DCG = sum of gain / log2(rank + 1) over the first k ranks",
        "optional", "Both DCGs end at rank k; the ideal is over all judged documents, retrieved or not.",
        ("dcg", "gains"), _UNIT, "pytrec_eval", "ndcg_cut",
        "K. Järvelin and J. Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4), 2002; gain"
        " 2^grade - 1: C. Burges et al., Learning to Rank using Gradient Descent, ICML 2005",
        "nDCG@3 = 0.4030", "(2 / log2 3) / (2 / log2 2 + 1 / log2 3 + 1 / log2 4)",
    ),
    "AP": Definition(
        "average precision",
        "sum of P@rank over the ranks of relevant documents (in the first k) / all judged relevant",
        "optional", "Relevant documents beyond rank k add nothing, and still count in the denominator.",
        ("rel",), _UNIT, "pytrec_eval", "map", _BUCKLEY,
        "AP = 1/3", "(1/2 + 2/4) / 3",
    ),
    "Rprec": Definition(
        "R-precision",
        "relevant in the first R / R, where R is the number judged relevant",
        "none", "The number of relevant documents is the cutoff.", ("rel",), _UNIT, "pytrec_eval", "Rprec", _BUCKLEY,
        "Rprec = 1/3", "of the first 3, as many as are relevant, only a is",
    ),
    "Judged": Definition(
        "share judged",
        "judged in the first k / min(k, retrieved)",
        "optional", "Absent ranks do not count as unjudged.", (), _UNIT, "ir_measures judged", "",
        "ir_measures, judged provider", "Judged@3 = 2/3", "c and a are judged, x is not",
    ),
    "NumRel": Definition(
        "number of relevant documents",
        "documents judged relevant",
        "none", "It reads no ranking.", ("rel",), "0 and more; summed, not averaged", "pytrec_eval", "num_rel",
        "trec_eval, m_num_rel.c", "NumRel = 3", "a, b and e", "sum",
    ),
    "NumRet": Definition(
        "number of retrieved documents",
        "documents retrieved; with rel, those judged relevant",
        "none", "It reads the whole ranking, or to the depth.", ("rel",), "0 and more; summed, not averaged",
        "pytrec_eval", "num_ret", "trec_eval, m_num_ret.c", "NumRet = 4", "c, a, x and b", "sum",
    ),
    "Bpref": Definition(
        "binary preference",
        "mean over the R relevant documents, if ranked, of 1 - min(n, m) / m; n: judged nonrelevant ranked above,"
        " m = min(R, all judged nonrelevant)",
        "none", "It reads the whole ranking, or to the depth.", ("rel",), _UNIT, "pytrec_eval", "bpref", _BUCKLEY,
        "Bpref = 0", "c, the one judged nonrelevant, is above both that are retrieved: (1 - 1/1) twice",
    ),
    "infAP": Definition(
        "inferred average precision",
        "AP estimated from sampled judgments; a negative grade is pooled, not judged",
        "none", "It reads the whole ranking, or to the depth.", ("rel",), _UNIT, "pytrec_eval", "infAP",
        "E. Yilmaz and J. A. Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006",
        "infAP = 0.3333", "(1/2 + (1/4 + 3/4 * 2/3 * 1/2)) / 3, and 0.00001 of smoothing",
    ),
    "RBP": Definition(
        "rank-biased precision",
        "(1 - p) * sum of p^(rank - 1) over the ranks of relevant documents",
        "none", "It reads the whole ranking, or to the depth, at most 1,000 ranks.", ("p", "rel"), _UNIT,
        "ir_measures cwl_eval", "",
        "A. Moffat and J. Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 27(1), 2008",
        "RBP(p=0.5) = 0.3125", "0.5 * (0.5^1 + 0.5^3)",
    ),
}  # fmt: skip
