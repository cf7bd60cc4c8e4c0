"""Named conventions: ours, and what implementations in use were seen to do, with what no axis can say.

Each was measured on small inputs with the version it names; a later version may differ.
Where an implementation does two things at once, the profile is what P and R do, and the note says the rest.
"""

from __future__ import annotations

import difflib
from typing import Any, NamedTuple

from rageval_ir.conventions import STRICT, TREC_EVAL, TREC_EVAL_9, Convention
from rageval_ir.errors import ConventionError, shown

__all__ = ["PROFILES", "Profile", "resolve_convention"]


class Profile(NamedTuple):
    """A convention that has a name."""

    convention: Convention
    software: str
    """Whose it is, with the version it was measured on."""
    notes: str = ""
    """What that software does that no axis can say."""


def _like(software: str, notes: str = "", **options: Any) -> Profile:
    return Profile(TREC_EVAL.but(**options), software, notes)


_LIST = "It reads ranked lists, not scores: equal scores stand as the caller put them."

PROFILES: dict[str, Profile] = {
    "TREC_EVAL": Profile(
        TREC_EVAL,
        "trec_eval 10.0 -c",
        "A qrels file cannot hold a query without judgments; here such a query has no relevant documents."
        " trec_eval itself has no RR with a cutoff, and stops at a query judged only with negative grades.",
    ),
    "TREC_EVAL_9": Profile(TREC_EVAL_9, "trec_eval 9.0.8 -c", "Scores are 32-bit floats."),
    "TREC_EVAL_INCOMPLETE": _like(
        "trec_eval 10.0 without -c", "It stops at a judged query that the run lacks.",
        missing_ranking="reject", no_judgments="exclude",
    ),
    "TREC_EVAL_9_INCOMPLETE": _like(
        "trec_eval 9.0.8 without -c", "The means are over the queries that the run holds.",
        score_precision="float32", missing_ranking="exclude", no_judgments="exclude",
    ),
    "STRICT": Profile(STRICT, "rageval_ir", "What would have to be decided about a query is an error."),
    "PYTREC_EVAL": _like(
        "pytrec_eval-terrier 0.5.11", "It gives values per query; the means are the caller's.",
        score_precision="float32", rr_cutoff="ignored", missing_ranking="exclude", no_judgments="exclude",
    ),
    "IR_MEASURES": _like(
        "ir_measures 0.4.3, its default providers",
        "RR with a cutoff and Judged come from other providers than the rest: ties by ascending document id, scores"
        " as 64-bit floats, queries without any judgment left out. Of a document's two rows the last counts, with its"
        " score. nDCG with 2^grade - 1 comes from gdeval, in five decimals.",
        score_precision="float32", duplicates="last",
    ),
    "IR_MEASURES_MSMARCO": _like(
        "ir_measures 0.4.3, provider msmarco", "RR with a cutoff only.",
        ties="docid_ascending", no_judgments="exclude", duplicates="last",
    ),
    "IR_MEASURES_JUDGED": _like(
        "ir_measures 0.4.3, provider judged", "Judged only. An empty ranking stops it.",
        ties="docid_ascending", duplicates="last",
    ),
    "IR_MEASURES_CWL": _like(
        "ir_measures 0.4.3, provider cwl_eval", "It reads no further than rank 1,000, and RR has no cutoff.",
        ties="input_order", rr_cutoff="ignored", no_judgments="exclude", duplicates="count_each",
    ),
    "IR_MEASURES_TRECTOOLS": _like(
        "ir_measures 0.4.3, provider trectools", "RR has no cutoff; any grade above 0 counts."
        " RR, AP and nDCG of a query without hits may be NaN.",
        ties="input_order", rr_cutoff="ignored", no_judgments="exclude", duplicates="count_each",
    ),
    "IR_MEASURES_PYNDEVAL": _like(
        "ir_measures 0.4.3, provider pyndeval", "P up to a cutoff of 20.",
        ties="docid_ascending", no_judgments="exclude", duplicates="first",
    ),
    "IR_MEASURES_GDEVAL": _like(
        "ir_measures 0.4.3, provider gdeval", "nDCG and ERR only; integer query ids.",
        no_judgments="exclude", duplicates="count_each",
    ),
    "IR_MEASURES_RANX": _like(
        "ir_measures 0.4.3, provider ranx",
        "Ties as ranx's Run has them; pandas below 3. A query on one side only stops it.",
        ties="input_order", rr_cutoff="ignored", no_judgments="reject", missing_ranking="reject",
        unjudged_query="reject", duplicates="last",
    ),
    "IR_MEASURES_ACCURACY": _like(
        "ir_measures 0.4.3, provider accuracy", "Accuracy only, which is not a measure here.",
        ties="input_order", no_relevant="exclude", no_judgments="exclude", missing_ranking="exclude",
        duplicates="count_each",
    ),
    "IR_MEASURES_COMPAT": _like(
        "ir_measures 0.4.3, provider compat", "Compat only, which is not a measure here; any grade above 0 counts.",
        ties="docid_ascending", no_judgments="exclude", duplicates="last",
    ),
    "MSMARCO": _like(
        "msmarco_eval.py",
        f"RR at 10 only. {_LIST} It divides by the queries of the reference file, which lists relevant passages only.",
        ties="input_order", no_relevant="exclude", no_judgments="exclude", duplicates="count_each",
    ),
    "RANX": _like(
        "ranx 0.3.21, Run",
        "The input's order holds for up to 15 tied documents. A query on one side only stops it; with"
        " make_comparable, a missing one counts 0 and an unjudged one is left out.",
        ties="input_order", missing_ranking="reject", unjudged_query="reject", duplicates="last",
    ),
    "RANX_DICTS": _like(
        "ranx 0.3.21, plain dicts",
        "Three tied documents stood in the reverse of the input's order, which is no option here.",
        ties="input_order", no_judgments="reject", missing_ranking="reject", unjudged_query="reject",
    ),
    "TORCHMETRICS": _like(
        "torchmetrics 1.9.0",
        "Tied documents stand in no fixed order, not even the same for P and R. A score of 0 or less never counts as"
        " relevant. With adaptive_k, P divides by the results retrieved. A query is what has rows: one without"
        " judgments counts, a missing one cannot be expressed.",
        ties="input_order", score_precision="float32", recall_denominator="relevant_retrieved",
        unjudged_query="zero", duplicates="count_each",
    ),
    "SENTENCE_TRANSFORMERS": _like(
        "sentence-transformers 6.3.0, InformationRetrievalEvaluator",
        "AP with a cutoff divides by min(k, relevant). It ranks the whole corpus, so that no query is missing.",
        ties="docid_ascending", no_relevant="exclude", no_judgments="exclude",
    ),
    "SENTENCE_TRANSFORMERS_RERANKING": _like(
        "sentence-transformers 6.3.0, RerankingEvaluator",
        "nDCG averages over ties, AP takes them at their worst; RR puts positives first in a tie, and no longer from"
        " about 17 documents on."
        " Queries without a positive or a result are dropped.",
        ties="expected", no_relevant="exclude", no_judgments="exclude", missing_ranking="exclude",
    ),
    "BEIR": _like(
        "beir 2.2.0",
        "MRR differs: ties in the input's order, 64-bit scores, a missing query counts 0. R_cap is R under"
        " recall_denominator=capped.",
        score_precision="float32", missing_ranking="exclude", no_judgments="exclude",
    ),
    "MTEB": _like(
        "mteb 2.26.24", "MRR compares scores as 64-bit floats. recall_cap is R under recall_denominator=capped.",
        score_precision="float32", missing_ranking="exclude", no_judgments="reject", unjudged_query="reject",
    ),
    "LLAMA_INDEX": _like(
        "llama-index-core 0.14.25",
        f"No cutoff: cut the lists. {_LIST} P and R are of the set of the documents in the cut list; RR, AP, nDCG and"
        " the granular hit rate count every copy. nDCG's ideal is not cut. An empty ranking stops it.",
        ties="input_order", precision_denominator="retrieved", no_relevant="reject", no_judgments="reject",
        missing_ranking="reject", duplicates="count_each",
    ),
    "HAYSTACK": _like(
        "haystack-ai 3.4.1",
        f"No cutoff: cut the lists. {_LIST} Recall is a hit unless multi_hit is asked for. nDCG and AP count a repeated"
        " document once; nDCG's ideal is not cut.",
        ties="input_order", recall_denominator="hit", duplicates="count_each",
    ),
    "RAGAS": _like(
        "ragas 0.4.3, ID-based", f"{_LIST} R without references and P of an empty ranking are NaN. P and R"
        " are of the set of the documents in the cut list. The non-LLM precision is AP.",
        ties="input_order", precision_denominator="retrieved", duplicates="first",
    ),
    "SCIKIT_LEARN": _like(
        "scikit-learn 1.9.1", "nDCG over the documents given; AP takes ties at their worst rank.", ties="expected",
    ),
    "IR_EVALUATION": _like(
        "ir-evaluation 1.1.0", f"{_LIST} R without relevant documents, and RR of a list shorter than k without a hit,"
        " stop it. P and R are of the set of the documents in the first k ranks; AP divides by those found.",
        ties="input_order", duplicates="count_each",
    ),
    "RANKKIT": _like(
        "rankkit 0.1.0", f"{_LIST} An empty ranking and a negative grade stop it.",
        ties="input_order", no_relevant="exclude", no_judgments="exclude", missing_ranking="exclude",
    ),
    "EVRET": _like(
        "evret 0.0.3", f"{_LIST} AP counts a repeated document again.", ties="input_order", duplicates="first",
    ),
    "TOOLKIT_RAG_QUALITY": _like(
        "toolkit-rag-quality 1.0.0", "A file with a repeated document stops it; the API takes the first.",
        no_judgments="exclude", duplicates="first",
    ),
    "RETRIEVAL_EVAL_GATE": _like(
        "retrieval-eval-gate 0.2.1", f"Recall at 5 and 10, RR of the first 10. {_LIST} A run file's rank decides, not"
        " its score.",
        ties="input_order", duplicates="first",
    ),
    "TIE_AWARE": _like(
        "tie-aware-retrieval-metrics 0.1.1",
        "Its tie-oblivious variants take the input's order, and divide P by the results retrieved.",
        ties="expected", recall_denominator="relevant_retrieved", duplicates="count_each",
    ),
    "RECTOOLS": _like(
        "rectools 0.19.0", "The rank column decides. A repeated document also counts twice among the relevant.",
        ties="input_order", no_relevant="exclude", no_judgments="exclude", duplicates="count_each",
    ),
    "RECBOLE": _like(
        "recbole 1.2.1, as its source says", "Ties as torch.topk leaves them; R without relevant documents is NaN.",
        ties="input_order",
    ),
}  # fmt: skip
"""Profile by name."""


def resolve_convention(convention: object) -> Convention:
    """A convention from itself or from its name, in any case.

    Raises
    ------
    ConventionError
        A name that is not known.

    Examples
    --------
    >>> resolve_convention("strict") is STRICT
    True
    """
    if isinstance(convention, Convention):
        return convention
    if isinstance(convention, str):
        name = convention.strip().upper().replace("-", "_")
        if name in PROFILES:
            return PROFILES[name].convention
        close = difflib.get_close_matches(name, PROFILES, n=1)
        raise ConventionError(
            f"Unknown convention {shown(convention)}." + (f" Did you mean {close[0]!r}?" if close else ""),
            hint=f"known: {', '.join(PROFILES)}.",
        )
    raise ConventionError(
        f"A convention is a name or a Convention; found {shown(convention)} of type {type(convention).__name__}."
    )
