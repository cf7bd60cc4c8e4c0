"""Tables in files: what is read, and where an error stands."""

import gzip

import pytest

from rageval_ir import InputError, evaluate, read_qrels, read_run
from rageval_ir.given import Scored
from rageval_ir.scale import evaluate_partitioned

RANKINGS = {"q1": Scored(["a", "b"], [1.0, 2.0]), "q2": Scored(["c"], [3.0])}
COLUMNS = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]}

CSV = {
    "BEIR's": "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t2\nq2\tc\t3\n",
    "PyTerrier's": "qid,docno,rank,score\nq1,a,1,1.0\nq1,b,0,2.0\nq2,c,0,3.0\n",
    "quotes, CRLF, blank lines, no last end": '"query_id","doc_id","score"\r\nq1,"a",1\r\n\r\nq1,b,2\r\nq2,c,"3"',
    "a byte-order mark": "\ufeffquery_id,doc_id,score\nq1,a,1e0\nq1,b,2\nq2,c,3\n",
}


@pytest.fixture
def file(tmp_path):
    def written(content, name="a.txt"):
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
        return path

    return written


@pytest.fixture
def parquet(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow.parquet import write_table

    def written(columns, name="a.parquet", **kinds):
        path = tmp_path / name
        write_table(pa.table({name: pa.array(values, kinds.get(name)) for name, values in columns.items()}), path)
        return path

    return written


@pytest.mark.parametrize("kind", CSV)
def test_csv_and_tsv_by_their_headers(file, kind):
    assert read_run(file(CSV[kind])).rankings == RANKINGS
    assert read_run(file(gzip.compress(CSV[kind].encode()))).rankings == RANKINGS


def test_judgments(file, parquet):
    judged = {"q1": {"a": 1, "b": 2}, "q2": {"c": 3}}
    assert read_qrels(file(CSV["BEIR's"])).judgments == judged
    assert read_qrels(file("qid,docno,label\nq1,a,1\nq1,b,2.0\nq2,c,3\n")).judgments == judged
    assert read_qrels(parquet(COLUMNS)).judgments == judged
    assert read_qrels(parquet({**COLUMNS, "relevance": [0, 0, -1]})).judgments["q2"] == {"c": -1}


def test_a_line_that_names_columns_is_no_judgment_of_trec(file):
    """It has four fields, as a line of TREC's has."""
    assert read_qrels(file("query_id\titer\tdoc_id\trelevance\nq1\t0\ta\t1\n")).judgments == {"q1": {"a": 1}}
    assert read_qrels(file("q1\t0\ta\t1\n")).judgments == {"q1": {"a": 1}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("qid,docno,score\nq1,a,1\nq1,b,x\n", "line 3, column 'score': score 'x' is of type str; expected a number"),
        ("qid,docno,score\nq1,a,1_0\n", "line 2, column 'score': score '1_0'"),
        ("qid,docno,score\nq1,a,nan\n", "line 2, column 'score': score nan is not finite"),
        ("qid,docno,score\nq1,,1\n", "line 2, column 'docno': a document id is an empty string"),
        ("qid,docno,score\n\n,a,1\n", "line 3, column 'qid': a query id is an empty string"),
        ("qid,docno,score\nq1,a\n", "line 2: 'q1,a': expected 3 fields (qid,docno,score), found 2"),
        ('qid,docno,score\nq1,"a,1\n', "line 2: unexpected end of data"),
        ("qid,docno,score\nq1,\udcff,1\n", "line 2: is not UTF-8"),
        ("qid,docno\nq1,a\n", "no column 'score'; found the columns 'qid', 'docno'"),
        ("qid,docno,score\n", "holds no result"),
    ],
)
def test_csv_refused(file, content, message):
    path = file(content)
    with pytest.raises(InputError) as error:
        read_run(path)
    assert error.value.message.removeprefix(f"{path}, ").removeprefix(f"{path}: ").startswith(message)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query_id": ["q1", "q1", None]}, ", row 3, column 'query_id': query id None is of type NoneType"),
        ({"doc_id": ["a", None, "c"]}, ", row 2, column 'doc_id': document id None is of type NoneType"),
        ({"doc_id": [1.0, 2.0, 3.0]}, ", row 1, column 'doc_id': document id 1.0 is of type float"),
        ({"doc_id": [b"a", b"b", b"c"]}, ", row 1, column 'doc_id': document id b'a' is of type bytes"),
        ({"score": [1.0, 2.0, None]}, ", row 3, column 'score': score None is of type NoneType"),
        ({"score": [1.0, float("inf"), 2.0]}, ", row 2, column 'score': score inf is not finite"),
        ({"score": ["1", "2", "3"]}, ", row 1, column 'score': score '1' is of type str"),
        ({"doc_id": ["a", "b\0", "c"]}, ", row 2, column 'doc_id': document id 'b\\x00' holds a NUL character"),
        ({"query_id": ["q1", "q1", ""]}, ", row 3, column 'query_id': a query id is an empty string"),
    ],
)
def test_a_row_that_is_not_valid_is_named(parquet, changed, message):
    path = parquet({**COLUMNS, **changed})
    with pytest.raises(InputError) as error:
        read_run(path, depth=10)
    assert error.value.message.startswith(f"{path}{message}")


def test_numbers_of_other_kinds(parquet):
    import pyarrow as pa

    for kind in (pa.int8(), pa.uint64(), pa.float16(), pa.float32()):
        assert read_run(parquet(COLUMNS, score=kind)).rankings == RANKINGS


@pytest.mark.parametrize("cut", [20, 100, 300])
def test_a_file_cut_short(file, parquet, cut):
    path = parquet({name: values * 100 for name, values in COLUMNS.items()})
    damaged = file(path.read_bytes()[:-cut], "cut.parquet")
    with pytest.raises(InputError, match=r"cut\.parquet: cannot be read: .* Hint: the file is damaged"):
        read_run(damaged)


@pytest.mark.parametrize("cut", [8, 100, 500])
def test_compressed_lines_cut_short(file, tmp_path, cut):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with pa.output_stream(str(tmp_path / "a.zst"), compression="zstd") as whole:
        whole.write("".join(f"q{n} Q0 d{n * n} 1 {n} t\n" for n in range(1000)).encode())
    assert len(read_run(tmp_path / "a.zst").rankings) == 1000
    with pytest.raises(InputError, match=r"cut: cannot be read: .* Hint: the file is damaged or was cut off"):
        read_run(file((tmp_path / "a.zst").read_bytes()[:-cut], "cut"), depth=5)


def test_folders_and_lists_of_files_are_one_run(file, parquet, tmp_path):
    folder = tmp_path / "bm25"
    folder.mkdir()
    first = parquet({name: values[:1] for name, values in COLUMNS.items()}, "bm25/part-0.parquet")
    second = file("q1 Q0 b 1 2 t\nq2 Q0 c 1 3 t\n", "bm25/part-1.run")
    file("", "bm25/_SUCCESS")
    file("", "bm25/.part-0.crc")
    assert (read_run(folder).name, read_run(folder).rankings) == ("bm25", RANKINGS)
    assert (read_run([first, second]).name, read_run([first, second]).rankings) == ("part-0", RANKINGS)
    again = parquet(COLUMNS, "bm25/part-2.parquet")
    with pytest.raises(InputError, match=r"system 'bm25', query 'q1', document 'b' stands at ranks 1 and 2"):
        evaluate({"q1": {"a"}}, read_run(folder, depth=1), "P@1")
    again.write_text('{"q1": ["a"]}')
    with pytest.raises(InputError, match=r"part-2\.parquet: is JSON"):
        read_run(folder)


def test_folders_in_folders_are_read_too(parquet, tmp_path):
    """As engines write them, by day or by hash; nothing in them leaves silently."""
    for place, only in (("run/x.parquet", 0), ("run/day=1/x.parquet", 1), ("run/_temporary/x.parquet", 1)):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        parquet({name: values[2 * only : 2 + only] for name, values in COLUMNS.items()}, place)
    assert read_run(tmp_path / "run").rankings == RANKINGS


def test_files_of_two_systems_are_not_one_run(file, tmp_path):
    (tmp_path / "runs").mkdir()
    a, b = file("q1 Q0 a 1 2 bm25\n", "runs/a.run"), file("# of\n\nq2 Q0 a 1 2 dense\n", "runs/b.run")
    with pytest.raises(InputError, match=r"b\.run: is of the run 'dense', and .*a\.run of the run 'bm25'"):
        read_run(tmp_path / "runs")
    with pytest.raises(InputError, match="several systems are several runs"):
        evaluate_partitioned({"q1": {"a"}}, [a, b], "P@1")


@pytest.mark.parametrize("names", ["query_id,document,score", "q;d;s", "1102\t77\t1"])
def test_a_table_that_is_not_known_as_one(file, names):
    with pytest.raises(InputError, match=r"line 1: .* Hint: is it a table\? Its first line names the columns"):
        read_run(file(names + "\nq1,a,1\n"))
    with pytest.raises(InputError, match=r"line 1: .* Hint: is it a table\?"):
        read_qrels(file(names + "\nq1,a,1\n"))


def test_a_rank_is_no_score(file):
    with pytest.raises(InputError, match=r"no column 'score'; .* Hint: a greater score is better, .* score = -rank"):
        read_run(file("qid,docno,rank\nq1,a,1\n"))


def test_a_pattern_is_no_path(tmp_path):
    with pytest.raises(InputError, match=r"Hint: patterns are not expanded here; name the files, or their folder"):
        read_run(tmp_path / "*.run")


def test_a_folder_without_files(tmp_path):
    with pytest.raises(InputError, match="holds no file"):
        read_run(tmp_path)
    with pytest.raises(InputError, match="holds no file"):
        read_run([])


def test_parquet_without_pyarrow(file, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"is a Parquet file\. Hint: pip install 'rageval-ir\[fast\]'"):
        read_run(file(b"PAR1"))
    with pytest.raises(InputError, match=r"is compressed with zstd\. Hint: pip install"):
        read_run(file(b"\x28\xb5\x2f\xfd"))
