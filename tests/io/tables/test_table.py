"""Text files and frames as tables of cells: encodings, delimiters, and the place of faults."""

from decimal import Decimal
from io import StringIO

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.reading import read_table
from rankagg.io.tables.sources import text_lines
from tests.io.tables.workbooks import rows_of

READERS = {
    "read_scores": lambda source: ra.read_scores(source, higher_is_better=True),
    "read_ballots": ra.read_ballots,
}
every_table_reader = pytest.mark.parametrize("read", READERS.values(), ids=READERS)


def table_of(text):
    return read_table(StringIO(text))


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


# -- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_delimiters_and_line_ends_are_read(delimiter, end):
    lines = [["system", "x", "y"], ["A", "1", "2"], ["B", "3", ""]]
    table = table_of("".join(delimiter.join(line) + end for line in lines))
    assert table.header == lines[0]
    assert rows_of(table) == lines[1:]


def test_empty_lines_are_skipped_and_still_counted():
    table = table_of("\n\nsystem,x\n\nA,1\n,\n  \nB,2\n\n")
    assert rows_of(table) == [["A", "1"], ["B", "2"]]
    assert table.lines() == [5, 8]


def test_quoted_cells_are_read():
    table = table_of('system,x\n"Doe, J.",1\n"a ""b"" c",2\n"two\nlines",3\n')
    assert table.labels("system", "system") == ["Doe, J.", 'a "b" c', "two\nlines"]


def test_names_and_labels_lose_the_blanks_around_them():
    table = table_of(" system , x y\n A , 1\n")
    assert table.header == ["system", "x y"]
    assert table.labels("system", "system") == ["A"]
    assert table.numbers("x y", "task").tolist() == [1]


@pytest.mark.parametrize(
    "text",
    ['system;"x, y, z"\nA;1\n', '"system; its name; its team",x\nA,1\n', '"a\tb\tc",x\nA,1\n',
     '"one\ntwo",x\nA,1\n'],
)  # fmt: skip
def test_a_delimiter_inside_a_quoted_name_is_ignored(text):
    table = table_of(text)
    assert len(table.header) == 2
    assert rows_of(table) == [["A", "1"]]


MARKERS = ["", " ", "NA", "na", "N/A", "NaN", "nan", "null", "NULL", "None", "none"]


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1", 1), (" -0.5 ", -0.5), ("1e-3", 0.001), ("+2.", 2), (".5", 0.5),
        *((marker, np.nan) for marker in MARKERS),
    ],
)  # fmt: skip
def test_markers_of_missing_numbers_may_be_labels(cell, number):
    table = table_of(f"system,x\n{cell.strip() or 'A'},{cell}\n")
    np.testing.assert_array_equal(table.numbers("x", "task"), [number])
    assert table.labels("system", "system") == [cell.strip()] or not cell.strip()


@pytest.mark.parametrize(
    "cell", ["abc", "1.2.3", "-", "12%", "1 000", "1_000", "1\x00", "-Infinity", "1e999", "0x1F"]
)
def test_a_cell_that_is_no_number_is_named(cell):
    table = table_of(f"system,x,acc\nA,1,2\n\nB,1,{cell}\n")
    with pytest.raises(
        DataFormatError, match="row 4, column 'acc' must be a finite number"
    ) as error:
        table.numbers("acc", "task")
    assert repr(cell) in str(error.value)


# -- shapes ---------------------------------------------------------------------------------------


@every_table_reader
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  \n\n", "is empty"),
        ("system,x\n", "has a header and no rows"),
        ("system,x,x\nA,1,2\n", "two columns 'x'"),
        ("system,x, x\nA,1,2\n", "two columns 'x'"),
        ("system,x,y\nA,1,2\nB,1\n", "row 3 has 2 cells where the header has 3"),
        ("system,x\nA,1\n\nB,1,2\n", "row 4 has 3 cells where the header has 2"),
        ('system,x\nA,1\n"B,2\n', "line 3: .*may be cut off"),
        ('system,x\nA,1\n"B"b,2\n', "line 3: .*may be cut off"),
    ],
)
def test_text_that_is_no_table_is_refused(read, text, message, tmp_path):
    path = write(tmp_path / "table.csv", text)
    with pytest.raises(DataFormatError, match=message) as error:
        read(path)
    assert str(error.value).startswith("table.csv")


# -- frames ---------------------------------------------------------------------------------------


def test_the_index_of_a_frame_is_its_first_column():
    frame = pd.DataFrame({"x": [1.0, None]}, index=["A", "B"])
    for index_name in (None, "model"):
        table = read_table(frame.rename_axis(index_name))
        assert len(table.header) == 2
        assert table.labels(table.header[0], "system") == ["A", "B"]
        assert table.numbers("x", "task").tolist() == pytest.approx([1, np.nan], nan_ok=True)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, "", "n/a"])
def test_missing_numbers_of_a_frame_are_read(missing):
    frame = pd.DataFrame({"model": ["A", "B"], "x": pd.Series([1, missing], dtype=object)})
    assert np.isnan(read_table(frame).numbers("x", "task")).tolist() == [False, True]


def framed(index=None, **columns):
    return pd.DataFrame({"model": ["A"], "x": [1], **columns}, index=index)


TWO_LEVELS = pd.MultiIndex.from_tuples([("a", "b")], names=["x", "y"])
NAMED = pd.DataFrame([["A", 1, 2]], columns=["model", "index", "level_0"], index=["a"])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"model": [], "x": []}), "no rows"),
        (pd.DataFrame(index=[1, 2]), "no columns"),
        (pd.DataFrame({"model": [Decimal("sNaN")], "x": [1]}), "signaling NaN"),
        (pd.DataFrame([["A", 1, 2]], columns=["model", "x", "x"]), "two columns 'x'"),
        (framed(pd.Index(["a"], name="model")), "index and columns of one name.*model"),
        (framed(TWO_LEVELS), "index and columns of one name"),
        (NAMED, "index and columns of one name"),
    ],
)
def test_a_frame_that_is_no_table_is_refused(frame, message):
    with pytest.raises(DataFormatError, match=message):
        read_table(frame)


def test_an_empty_label_is_refused_with_what_to_do():
    frame = pd.DataFrame({"category": ["x", None]})
    message = "row 2, column 'category' is empty; it must hold a label. Fill it in"
    with pytest.raises(DataFormatError, match=message):
        read_table(frame).labels("category", "cluster")


def test_cells_of_a_frame_that_are_no_labels_are_refused():
    for cell in ([1], {"a": 1}, np.array([1, 2]), b"A", 1j):
        frame = pd.DataFrame({"model": pd.Series([cell], dtype=object), "x": [1]})
        with pytest.raises(DataFormatError, match=r"row 1, column 'model' must hold a label"):
            read_table(frame).labels("model", "system")


# -- limits ----------------------------------------------------------------------------------------


def test_mixed_line_ends_are_read():
    table = table_of("system,x\rA,1\nB,2\r\nC,3")
    assert rows_of(table) == [["A", "1"], ["B", "2"], ["C", "3"]]
    assert table.lines() == [2, 3, 4]
    assert text_lines("a\rb\nc\r\nd\n") == ["a", "b", "c", "d", ""]


def test_an_unclosed_quote_is_named_before_other_faults():
    with pytest.raises(DataFormatError, match="line 3: unexpected end of data"):
        table_of('system,x,y\nA,",0.5\nB,,1e-3\n')
    with pytest.raises(DataFormatError, match="line 2: field larger than field limit"):
        table_of("system\n" + "1" * 200_000 + "\n")


def test_many_columns_are_not_all_named():
    header = ",".join(f"column{i}" for i in range(500))
    table = table_of(f"{header}\n{','.join('1' * 500)}\n")
    with pytest.raises(InvalidInputError, match=r"column5 and 494 more\)") as error:
        table.cells("x", "system")
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("name", [["x"], {"x"}, None, 5])
def test_bad_names_of_columns_are_refused(name):
    with pytest.raises(InvalidInputError, match="`system` must be a column"):
        table_of("system,x\nA,1\n").cells(name, "system")


@pytest.mark.parametrize("drop", [None, 5, [["x"]], [None]])
def test_dropping_unknown_columns_is_refused(drop):
    for read in (
        lambda: ra.read_scores(StringIO("s,x,y\nA,1,2\n"), higher_is_better=True, drop=drop),
        lambda: ra.read_ballots(StringIO("A,B\n1,2\n"), drop=drop),
    ):
        with pytest.raises(InvalidInputError, match="`drop` must be"):
            read()


# -- integers beyond floats, and fractions ------------------------------------------------

ODD = 2**53 + 1


@every_table_reader
@pytest.mark.parametrize("cell", [ODD, -ODD, 2**63 + 1, 10**23, f"{ODD}.0", f"+{ODD}"])
def test_integers_that_floats_cannot_hold_are_refused(read, cell):
    message = r"row 3, column 'B' is -?\d+, which no 64-bit float holds: subtract"
    with pytest.raises(DataFormatError, match=message):
        read(StringIO(f"id,B\n1,2\n2,{cell}\n"))


@pytest.mark.parametrize("cell", [2**53, 2**53 + 2, 2**60, "1e23", "9007199254740993e0", "0.1"])
def test_numbers_in_all_notations_are_read(cell):
    text, number = f"id,B\n1,2\n2,{cell}\n", float(cell)
    table = ra.read_scores(StringIO(text), higher_is_better=True)
    assert table.values.tolist() == [[2.0], [number]]
    ballots = ra.read_ballots(StringIO(f"A,B,x\n1,2,\n2,{cell},\n"), drop="x")
    assert ballots.ranks.tolist() == [[0, 1], [0, 1] if number > 2 else [1, 0]]
