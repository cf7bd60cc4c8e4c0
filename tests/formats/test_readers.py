"""Every way of reading one run gives what a reader gives that keeps every line and is obviously right."""

import gzip
import sys

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval_ir import STRICT, TREC_EVAL, InputError, Run, columns, evaluate, read_run, to_runs
from rageval_ir.formats import trec, trec_columns
from rageval_ir.given import Scored
from rageval_ir.keep import Keep, gather

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

DOCUMENTS = [
    "a",
    "b",
    "B",
    "é",
    "ab",
    "abcdefgh",
    "abcdefgH",
    "abcdefgh1",
    "abcdefgh2",
    "a-document-id-of-24-bytes",
    "7",
]
JUDGED = {"q1": {"a": 1, "é": 2, "abcdefgh1": 0}, "q2": {"b": 1, "7": 1}, "Ünïcode": {"B": 3, "ab": 1}}
DEPTH = 2
MEASURES = ["P@2", "R@1", "RR@2", "nDCG@2"]
CONVENTIONS = [
    TREC_EVAL,
    STRICT,
    *(TREC_EVAL.but(**{axis: option}) for axis, option in [
        ("ties", "docid_ascending"), ("ties", "input_order"), ("ties", "expected"), ("ties", "reject"),
        ("score_precision", "float32"), ("duplicates", "first"), ("unjudged_document", "condense"),
    ]),
]  # fmt: skip
SCORES = [
    "1",
    "1.0",
    "1.000000001",
    "1.0000000000000002",
    ".5",
    "5.",
    "-0",
    "0",
    "1e-9",
    "+2",
    "3.5e38",
    "-7",
    "1e-320",
]

queries = st.sampled_from(["q1", "q2", "Ünïcode", "unjudged"])
scores = st.one_of(st.sampled_from(SCORES), st.floats(allow_nan=False, allow_infinity=False, width=32).map(str))
row = st.tuples(queries, st.sampled_from(DOCUMENTS), scores)
rows = st.one_of(st.lists(row, max_size=44, unique_by=lambda row: row[:2]), st.lists(row, max_size=20))
JUNK = [
    "\n",
    "# q1 Q0 a 1 1 t\n",
    "#q1 Q0 a 1 1 t\n",
    " \t\r\n",
    "q1 Q0 a 1 1 t and more\n",
    "  q1\tQ0  a 1 1 t\n",
    "q2 Q0 b 1 2 t\r\n",
]
MALFORMED = [
    "q1 Q0 a 1 x t\n", "q1 Q0 a 1 nan t\n", "q1 Q0 a 1 inf t\n", "q1 Q0 a 1 1e999 t\n", "q1 Q0 a 1 1_0 t\n",
    "q1 Q0 a 1 1\n", "q1  a 1 1 t\n", "q1 Q0  1 1 t\n", "q1 Q0 a\0 1 1 t\n", "q1 Q0 \udcff 1 1 t\n",
]  # fmt: skip


def outcome(make, convention):
    """What an evaluation gives, or what it says."""
    try:
        result = evaluate(JUDGED, make(), MEASURES, convention)
        return [list(result.rows()), result.systems["run"].affected, result.systems["run"].documents]
    except InputError as error:
        return str(error)


def naive(text):
    """Every line kept, in the order given."""
    rankings = {}
    for line in text.splitlines():
        fields = line.split()
        if fields and not fields[0].startswith("#"):
            known = rankings.setdefault(fields[0], Scored([], []))
            known.doc_ids.append(fields[2])
            known.scores.append(float(fields[4]))
    return Run("run", rankings)


def blocks(text, size):
    """Blocks of whole lines."""
    block = b""
    for line in text.encode("utf-8", "surrogateescape").splitlines(keepends=True):
        block += line
        if len(block) >= size:
            yield block
            block = b""
    yield block


def by_blocks(module, text, convention, size=64):
    keep = Keep.of(convention, DEPTH)
    return Run("run", gather(lambda keep: module.run_blocks(blocks(text, size), "a.run", keep), keep), keep)


@pytest.fixture(scope="module", autouse=True)
def small_blocks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_columns, "BLOCK", 64)
        patch.setattr(columns, "ROWS", 12)
        yield


def line(row):
    query_id, doc_id, score = row
    return f"{query_id} Q0 {doc_id} 1 {score} t\n"


def texts(*others):
    """Run lines, by query or not, with other lines among them, and with an end to the last or not."""

    def text(rows, others, by_query, ended):
        lines = [line(row) for row in (sorted(rows, key=lambda row: row[0]) if by_query else rows)]
        for place, other in others:
            lines.insert(place, other)
        return "".join(lines) if ended else "".join(lines).removesuffix("\n")

    among = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(others)), max_size=3)
    return st.builds(text, rows, among, st.booleans(), st.booleans())


@settings(max_examples=500, deadline=None)
@given(texts(*JUNK), st.sampled_from(CONVENTIONS), st.sampled_from([64, 256, 4096]))
def test_run_lines(text, convention, size):
    expected = outcome(lambda: naive(text), convention)
    assert outcome(lambda: by_blocks(trec, text, convention, size), convention) == expected
    assert outcome(lambda: by_blocks(trec_columns, text, convention, size), convention) == expected


@settings(max_examples=300, deadline=None)
@given(texts(*JUNK, *MALFORMED), st.sampled_from(CONVENTIONS))
def test_a_malformed_line_is_named_alike(text, convention):
    expected = outcome(lambda: by_blocks(trec, text, convention), convention)
    assert outcome(lambda: by_blocks(trec_columns, text, convention), convention) == expected


@pytest.mark.parametrize("bad", MALFORMED)
def test_every_malformed_line_is_refused_by_its_number(bad):
    text = "".join(map(line, [("q1", "a", 2), ("q1", "b", 1)])) * 20 + bad
    for module in (trec, trec_columns):
        with pytest.raises(InputError, match=r"^a\.run, line 41: "):
            by_blocks(module, text, TREC_EVAL)


def frames(rows):
    """The same rows as every kind of frame."""
    names = ["query_id", "doc_id", "score"]
    plain = pd.DataFrame([(q, d, float(s)) for q, d, s in rows], columns=names)
    objects = plain.astype({"query_id": object, "doc_id": object})
    table = pa.table({name: pa.array(objects[name].to_list(), kind) for name, kind in zip(
        names, [pa.string(), pa.string(), pa.float64()], strict=True)})  # fmt: skip
    chunks = [table.slice(start, 3) for start in range(0, len(rows), 3)]
    return {
        "pandas": plain,
        "objects": objects,
        "arrow": objects.astype({"query_id": "string[pyarrow]", "doc_id": pd.ArrowDtype(pa.large_string())}),
        "python": objects.astype({"query_id": "string[python]", "doc_id": "string[python]"}),
        "categories": objects.astype({"query_id": "category", "doc_id": "category"}),
        "a table": table,
        "chunks": pa.concat_tables(chunks) if chunks else table,
        "dictionaries": table.set_column(1, "doc_id", table["doc_id"].dictionary_encode()),
        "views": table.set_column(1, "doc_id", table["doc_id"].cast(pa.string_view())),
        "batches": table.to_reader(max_chunksize=2),
        "polars": pl.from_arrow(table),
    }


@settings(max_examples=100, deadline=None)
@given(rows.filter(bool), st.sampled_from(CONVENTIONS), st.booleans())
def test_frames(rows, convention, by_query):
    rows = sorted(rows, key=lambda row: row[0]) if by_query else rows
    expected = outcome(lambda: naive("".join(map(line, rows))), convention)
    for kind, frame in frames(rows).items():
        assert (kind, outcome(lambda frame=frame: frame, convention)) == (kind, expected)


@settings(max_examples=50, deadline=None)
@given(rows.filter(bool), st.sampled_from(CONVENTIONS), st.integers(1, 7))
def test_files(tmp_path_factory, rows, convention, rows_in_a_group):
    folder = tmp_path_factory.mktemp("runs")
    expected = outcome(lambda: naive("".join(map(line, rows))), convention)
    table = frames(rows)["a table"]
    parquet.write_table(table, folder / "a.parquet", row_group_size=rows_in_a_group)
    parquet.write_table(frames(rows)["dictionaries"], folder / "dictionaries.parquet")
    with pa.ipc.new_file(str(folder / "a.arrow"), table.schema) as file:
        file.write_table(table, max_chunksize=rows_in_a_group)
    with pa.ipc.new_stream(str(folder / "a.stream"), table.schema) as file:
        file.write_table(table, max_chunksize=rows_in_a_group)
    lines = [[*map(str, row)] for row in rows]
    (folder / "a.csv").write_text("".join(",".join(row) + "\n" for row in [["qid", "docno", "score"], *lines]), "utf-8")
    (folder / "a.tsv").write_text(
        "".join("\t".join(row[::-1]) + "\n" for row in [["query-id", "corpus-id", "score"], *lines]), "utf-8"
    )
    (folder / "a.gz").write_bytes(gzip.compress("".join(map(line, rows)).encode()))
    with pa.output_stream(str(folder / "a.zst"), compression="zstd") as file:
        file.write("".join(map(line, rows)).encode())
    parts = folder / "parts"
    parts.mkdir()
    for number, start in enumerate(range(0, len(rows), 5)):
        parquet.write_table(table.slice(start, 5), parts / f"{number}.parquet")
    for path in folder.iterdir():
        read = outcome(lambda path=path: read_run(path, "run", convention=convention, depth=DEPTH), convention)
        assert (path.name, read) == (path.name, expected)


def test_without_pyarrow(monkeypatch):
    """Polars needs none, and pandas' strings are then Python's."""
    rows = [("q1", "a", "1"), ("q1", "b", "2"), ("q2", "b", "3")]
    expected = outcome(lambda: naive("".join(map(line, rows))), TREC_EVAL)
    given = frames(rows)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for kind in ("objects", "python", "polars"):
        assert outcome(lambda kind=kind: given[kind], TREC_EVAL) == expected


def test_integers_are_ids():
    frame = pd.DataFrame({"query_id": [1, 1, 2], "doc_id": [7, 8, 7], "score": [1, 2, 3]})
    (run,) = to_runs(frame)
    assert run.rankings == {"1": Scored(["7", "8"], [1.0, 2.0]), "2": Scored(["7"], [3.0])}
    assert to_runs(pa.table(frame))[0].rankings == run.rankings
    with pytest.raises(InputError, match=r"system 'run', query '1', document '7' stands at ranks 1 and 2"):
        evaluate({"1": {"7"}}, frame.assign(doc_id=7), "P@1")
