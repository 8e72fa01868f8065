"""Frames of any types of columns say at once what they say cell by cell."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.table import read_table
from rankagg.io.tables.text import has_twice
from tests.io.test_arrow_text import by_columns, content

WHOLE = [0, 1, -3, 2**53 - 1, 2**53, 2**53 + 1, 2**62]
FLOATS = [0.5, -0.0, 0.1, 1e300, 5e-324, np.nan, np.inf]
TEXTS = ["A", " A", "", "1", "0.10000000000000001", "NA", "'=x", str(2**53 + 1)]
KINDS = {
    "int64": WHOLE, "uint64": [0, 1, 2**53 + 1, 2**64 - 1], "int8": [0, 1, -3],
    "Int64": [*WHOLE, None], "UInt8": [0, 1, None], "float64": FLOATS,
    "float32": [0.5, 0.1, np.nan, np.inf],
    "longdouble": [np.longdouble("0.1"), 0.5, np.nan], "Float64": [0.5, 0.1, None],
    "bool": [True, False], "boolean": [True, None], "str": TEXTS,
    "object": [*TEXTS, 1, 0.5, None, True], "category": [*TEXTS, None], "datetime64[ns]": [0, 1],
    "string": [*TEXTS, None],
}  # fmt: skip


@st.composite
def frames(draw):
    """Draw columns of a type each, most of them of plain values."""
    rows = draw(st.integers(1, 4))
    columns = {}
    for at in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(sorted(KINDS)))
        values = KINDS[kind][: draw(st.sampled_from([2, len(KINDS[kind])]))]
        cells = draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
        columns[f"c{at}"] = pd.Series(cells, dtype=object).astype(kind)
    return pd.DataFrame(columns)


@given(frames())
@settings(max_examples=150)
def test_frames_of_pandas_at_once_and_cell_by_cell(frame):
    table = read_table(frame)
    assert content(table) == content(table._explain(table.header))


@given(frames())
@settings(max_examples=100)
def test_tables_of_arrow_at_once_and_cell_by_cell(frame):
    kinds = [kind for kind in frame.dtypes if kind in ("longdouble", "object")]
    if not kinds:
        table = read_table(pa.Table.from_pandas(frame, preserve_index=False))
        assert content(table) == content(table.explain(table.header))


@pytest.mark.parametrize("kind", ["int64", "uint64", "Int64", "int64[pyarrow]"])
def test_a_whole_number_that_no_float_is(kind):
    frame = pd.DataFrame({"s": ["A", "B"], "x": pd.Series([1, 2**53 + 1], dtype=kind)})
    for given_frame in (frame, frame.assign(y=[0.5, 1.5])):
        with pytest.raises(DataFormatError, match=r"row 2, column 'x' is 9007199254740993, which"):
            ra.read_scores(given_frame, higher_is_better=True)


@pytest.mark.parametrize("kind", ["str", "object", "category", "string"])
def test_a_label_that_is_missing(kind):
    labels = pd.Series(["A", None, "B"], dtype=object).astype(kind)
    if kind == "str" and pd.__version__ < "3":
        labels = labels.mask([False, True, False])
    with pytest.raises(DataFormatError, match="row 2, column 's' is empty"):
        ra.read_scores(pd.DataFrame({"s": labels, "x": [1, 2, 3]}), higher_is_better=True)


def test_what_floats_do_not_hold_is_counted_over_all_columns():
    close = "0.10000000000000001"
    table = read_table(pa.table({"x": [1, 2], "y": ["0.5", close], "z": [close, "1"]}))
    assert sorted(table.stacked(["x", "y", "z"], "task").lost) == [3, 4]
    frame = read_table(pd.DataFrame({"x": [1, 2], "y": ["0.5", close], "z": [close, "1"]}))
    assert sorted(frame.stacked(["x", "y", "z"], "task").lost) == [3, 4]


def test_quoted_line_ends_in_a_file_of_many_blocks():
    rows = 60_000
    data = b'"s","x"\n' + b"".join(b'"two\nlines %d\n",%d\n' % (i % 3, i) for i in range(rows))
    codes, labels = by_columns(data).coded("s", "system")
    assert len(data) > 2**20
    assert len(codes) == rows
    assert labels == [f"two\nlines {i}" for i in range(3)]


def test_files_of_many_columns_and_few_rows_are_read_by_cells():
    header = b",".join(b"c%d" % i for i in range(300)) + b"\n"
    row = b",".join([b"1"] * 300) + b"\n"
    assert by_columns(header + 5 * row) is None
    assert by_columns(header + 50 * row).n_rows == 50


@pytest.mark.parametrize("size", [100, 2**40])
def test_a_cell_that_is_taken_twice(size):
    assert has_twice(np.array([5, 99, 5]), size)
    assert not has_twice(np.array([5, 99, 6]), size)
