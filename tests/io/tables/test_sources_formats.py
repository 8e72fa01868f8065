"""Tables in Parquet, JSON Lines, gzip and Excel, and frames of others: the same as in CSV."""

import gzip
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.reading import _read_json, read_table

nan = float("nan")
LONG = {"higher_is_better": True, "task": "t", "instance": "k", "score": "v"}
ROWS = [
    ("A", "x", "1", 0.5), ("B", "x", "1", 0.1 + 0.2), ("A", "y", "2", nan), ("B", "y", "2", -3.0),
]  # fmt: skip
FRAME = pd.DataFrame(ROWS, columns=["s", "t", "k", "v"])
TABLE = ra.ScoreTable(
    [[0.5, nan], [0.1 + 0.2, -3]], systems="AB", tasks="xy", instances="12", higher_is_better=True
)


def as_json_lines(frame):
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_parquet(path, frame=FRAME, **options):
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, **options)
    return path


class Speaks:
    """Hands on one protocol of a frame and nothing else."""

    def __init__(self, frame, *names):
        for name in names:
            setattr(self, name, getattr(frame, name))


# -- files ----------------------------------------------------------------------------------------


def test_every_kind_of_file_gives_the_same_table(tmp_path):
    text = FRAME.to_csv(index=False)
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "b.tsv.GZ").write_bytes(gzip.compress(text.replace(",", "\t").encode()))
    (tmp_path / "a.jsonl").write_text(as_json_lines(FRAME), encoding="utf-8-sig")
    (tmp_path / "a.ndjson.gz").write_bytes(gzip.compress(as_json_lines(FRAME).encode()))
    write_parquet(tmp_path / "a.parquet")
    write_parquet(tmp_path / "b.pq", use_dictionary=False, compression="gzip", row_group_size=1)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 7
    for path in files:
        assert ra.read_scores(path, **LONG) == ra.read_scores(str(path), **LONG) == TABLE, path


def test_other_readers_read_gzip(tmp_path):
    path = tmp_path / "a.soc.gz"
    path.write_bytes(gzip.compress(b"# NUMBER ALTERNATIVES: 2\n3: 2,1\n"))
    assert ra.read_preflib(path).counts.tolist() == [3]
    path = tmp_path / "a.lop.gz"
    path.write_bytes(gzip.compress(b"2\n0 3\n1 0\n"))
    assert ra.io.read_matrix(path).wins.tolist() == [[0, 3], [1, 0]]


@pytest.mark.parametrize("names", [None, ["model"], ["s", "k"]])
def test_the_index_of_pandas_goes_first_in_a_parquet_file(names, tmp_path):
    path = tmp_path / "a.parquet"
    frame = FRAME.drop(columns="t").drop_duplicates(["s", "k"])
    if names is None:
        frame.index = [f"row {i}" for i in range(len(frame))]
    else:
        frame = frame.rename(columns={"s": names[0]}).set_index(names)
    frame.to_parquet(path)
    assert read_table(path).header == list(frame.reset_index().columns)
    assert read_table(path).header == read_table(frame).header


def test_a_shuffled_range_is_no_column_of_a_parquet_file(tmp_path):
    FRAME.sort_values("v").to_parquet(tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet").header == ["s", "t", "k", "v"]


# -- frames ---------------------------------------------------------------------------------------


def frames_of(frame):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    yield table
    yield table.to_batches()[0]
    yield Speaks(table, "__arrow_c_stream__")
    yield Speaks(table.to_batches()[0], "__arrow_c_array__")
    yield Speaks(table, "__dataframe__")


def test_frames_of_other_libraries_are_read_as_those_of_pandas():
    for frame in frames_of(FRAME):
        assert ra.read_scores(frame, **LONG) == TABLE
    assert ra.read_scores(FRAME, **LONG) == TABLE


def test_frames_of_polars_are_read():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(ROWS, schema=["s", "t", "k", "v"], orient="row")
    for given_frame in (
        frame,
        frame.with_columns(polars.col("s").cast(polars.Categorical)),
        frame.with_columns(polars.col("v").fill_nan(None)),
    ):
        assert ra.read_scores(given_frame, **LONG) == TABLE
    wide = polars.DataFrame({"s": ["A", "B"], "x": [1, None], "y": [0.5, 2**53]})
    assert ra.read_scores(wide, higher_is_better=True).values.tolist()[0] == [1, 0.5]
    with pytest.raises(DataFormatError, match=r"the DataFrame, row 2, column 'x'.*inf"):
        ra.read_scores(wide.with_columns(x=polars.Series([1.0, np.inf])), higher_is_better=True)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([1, 2**53 + 1]), r"row 2, column 'x' is 9007199254740993, which no 64-bit float"),
        (pa.array([1.0, float("-inf")]), r"row 2, column 'x' must be a finite number.*-inf"),
        (pa.array([True, False]), r"row 1, column 'x' must be a finite number.*True"),
        (pa.array(["1", "one"]), r"row 2, column 'x' must be a finite number.*'one'"),
        (pa.array([[1], [2]]), r"row 1, column 'x' must be a finite number.*\[1\]"),
        (pa.array([b"1", b"2"]), r"row 1, column 'x' must be a finite number"),
        (pa.array([1, 2], pa.timestamp("s")), r"row 1, column 'x' must be a finite number"),
    ],
)
def test_arrow_cells_that_are_no_numbers_are_refused(column, message, tmp_path):
    table = pa.table({"s": ["A", "B"], "x": column})
    with pytest.raises(DataFormatError, match=message):
        ra.read_scores(table, higher_is_better=True)
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataFormatError, match=rf"a\.parquet, {message}"):
        ra.read_scores(tmp_path / "a.parquet", higher_is_better=True)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["A", None], "row 2, column 's' is empty"), (["A", " "], "row 2, column 's' is empty"),
        ([None, None], "row 1, column 's' is empty"), ([b"A", b"B"], "row 1.*must hold a label"),
    ],
)  # fmt: skip
def test_arrow_cells_that_are_no_labels_are_refused(labels, message):
    with pytest.raises(DataFormatError, match=message):
        ra.read_scores(pa.table({"s": pa.array(labels), "x": [1, 2]}), higher_is_better=True)


@pytest.mark.parametrize("columns", [{"s": []}, {"s": [], "x": []}])
def test_other_frames_that_are_no_tables_are_refused(columns):
    with pytest.raises(DataFormatError, match="the DataFrame has a header and no rows"):
        ra.read_scores(pa.table(columns), higher_is_better=True)


def test_frames_that_arrow_cannot_represent_are_refused():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise TypeError("not today")

    for source in (Broken(), Speaks(pa.array([1, 2]), "__arrow_c_array__")):
        with pytest.raises(InvalidInputError, match="`source` must be a frame whose columns"):
            ra.read_scores(source, higher_is_better=True)


def test_json_lines_are_read_cell_by_cell():
    data = '{"s": "A", "x": 0.5, "z": {"k": 1}}\r\n\n{"x": 1e400, "s": "2020-01-02", "y": null}\n'
    table = _read_json("a.jsonl", data, 2**30, is_array=False)
    assert table.header == ["s", "x", "z", "y"]
    assert table.columns[0] == ["A", "2020-01-02"]
    assert table.columns[2:] == [[{"k": 1}, None], [None, None]]
    assert table.place(1) == "a.jsonl, row 3"
    many = "".join(f'{{"s": {i}}}\n' for i in range(5000)) + '{"t": 1}\n'
    table = _read_json("a.jsonl", many, 2**30, is_array=False)
    assert table.columns == [[*range(5000), None], [None] * 5000 + [1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"s": "A", "x": 1}\n\n{"s": "B", "x": 1\n', "line 3 is not JSON"),
        ('{"s": "A"}\n[1, 2]\n', r"holds \[1, 2\] as line 2, which must be an object"),
        ('{"s": "A", "x": 1, "x": 2}\n', "line 1 has the key 'x' twice"),
        ('{"s": ' + "[" * 100_000, "line 1 is nested too deep|line 1 is not JSON"),
        ('{"s": "A", "x": ' + "9" * 5000 + "}", "line 1 has an integer of thousands"),
        ('{"s": "A", "x": 1}\n\n{"s": "B", "x": "high"}\n', "row 3, column 'x'.*'high'"),
        ('{"s": "A", "x": 9007199254740993}\n', "row 1, column 'x' is 9007199254740993, which no"),
        ('{"s": "A", "x": 1, " x": 2}\n', "two columns 'x'"),
    ],
    ids=lambda text: text[:30],
)
def test_bad_json_lines_are_refused(text, message, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataFormatError, match=message) as caught:
        ra.read_scores(path, higher_is_better=True)
    assert str(caught.value).startswith("a.jsonl")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"s": "A", "x": 1}, 5]', "a.json holds 5 as element 2, which must be an object"),
        ('[{"s": "A", "x": 1}', "a.json is not JSON: .*line 1.* cut off"),
        ('[{"s": "A", "x": 1}, {"s": "B", "x": "high"}]', "a.json, row 2, column 'x'.*'high'"),
        ('[[{"s": 1}]]', "a.json is JSON, no plain table"),
    ],
)
def test_bad_json_arrays_are_refused(text, message, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataFormatError, match=message):
        ra.read_scores(path, higher_is_better=True)


def test_json_files_may_have_arrays_or_lines(tmp_path):
    rows = [json.dumps(row) for row in ({"s": "A", "x": 1}, {"s": "B", "y": 2, "x": None})]
    for name in ("a.json", "a.json.gz", "a.jsonl"):
        for text in (f"\ufeff[ {rows[0]},\n{rows[1]}]", "\n".join(rows)):
            data = text.encode()
            (tmp_path / name).write_bytes(gzip.compress(data) if "gz" in name else data)
            table = ra.read_scores(tmp_path / name, higher_is_better=True)
            assert (table.tasks.labels, table.systems.labels) == (("x", "y"), ("A", "B"))
