"""Tables read by columns are what they are cell by cell, and plain ones are read by columns."""

import csv
from io import StringIO

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankagg.exceptions import RankaggError
from rankagg.io.tables.arrow_table import numbers_of_text
from rankagg.io.tables.arrow_text import parse_text
from rankagg.io.tables.cells import CellTable
from rankagg.io.tables.table import read_cells

CELLS = [
    "", " ", "A", " A ", "A b", "'=x", "'A", "''=1", "-x", "NA", "nan", "NaN", "N/A", "null",
    "nUll", "None", "NONE", "-nan", "nan(1)", "inf", "-Infinity", "1", "-1", "+1", "01", " 1",
    "1 ", "1.", ".5", ".", "-", "1e5", "1E-5", "1e999", "1e-400", "1e-300", "-0", "0.0", "00",
    "1_0", "0x1", "1d5", "٣", "0.1", "0.10000000000000001", "0.30000000000000004",
    "0.1000000000000000000", "1e23", "9007199254740992", "9007199254740993", "9007199254740993.0",
    "9007199254740993e0", "1e22", "1.2345678901234567e-05", "1.7976931348623157e308", "1.8e308",
    "4.9e-324", "2.5e-324", "123456789012345678901234567890", "1.0000000000000000", "é", "\u2028",
    "\x85", "\x1c", "\x00", "\ufeff", "a\xa0", "'", '""', "#1",
]  # fmt: skip
QUOTED = [
    '"A"',
    '"a,b"',
    '"a;b"',
    '"a\tb"',
    '"a""b"',
    '""',
    '"two\nlines"',
    '"x\r\ny"',
    '"1"',
    '" "',
]
BROKEN = ['"A', 'A"', 'a"b', '"A"b', '"A" ', ' "A"', '"', '"""', "a,b", "a;b", "a\tb", "a\rb"]
ENDS = ["\n", "\r\n", "\r", "\n\n", "\n \n", "\n,\n", "\n\r", ""]


def by_columns(data):
    return parse_text("a.csv", data, lambda _: read_cells("a.csv", data.decode()))


def outcome(call):
    try:
        return call()
    except RankaggError as error:
        return type(error), str(error)


def content(table):
    """Return all that readers can see of a table."""
    columns = []
    for name in table.header:
        labels = outcome(lambda name=name: table.labels(name, "label"))
        counts = outcome(lambda name=name: np.asarray(table.counts(name, "count")).tolist())
        numbers = outcome(lambda name=name: table.measured(name, "number"))
        if not isinstance(numbers[1], str):
            numbers = [v.hex() for v in numbers[0].tolist()], sorted(numbers[1].items())
        coded = outcome(lambda name=name: table.coded(name, "label"))
        if not isinstance(coded[1], str):
            coded = coded[0].tolist(), coded[1]
        columns.append((name, labels, counts, numbers, coded))
    both = outcome(lambda: table.stacked(table.header, "item"))
    if not isinstance(both[1], str):
        both = [v.hex() for v in both[0].tolist()], sorted(both[1].items())
    return columns, both, table.n_rows, [table.line(row) for row in range(table.n_rows)]


@st.composite
def files(draw):
    """Draw a file: most cells of a kind, some odd ones, one line end or several."""
    delimiter = draw(st.sampled_from(",;\t"))
    cells = draw(
        st.sampled_from([["1", "2.5"], ["A", "b"], CELLS, CELLS + QUOTED, CELLS + QUOTED + BROKEN])
    )
    width = draw(st.integers(1, 4))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ENDS]))
    header = [f"c{i}" for i in range(width)]
    if draw(st.integers(0, 4)) == 0:
        header = draw(st.lists(st.sampled_from(cells), min_size=width, max_size=width))
    text = delimiter.join(header) + draw(st.sampled_from(ends))
    for _ in range(draw(st.integers(0, 5))):
        length = draw(st.sampled_from([width] * 12 + [width + 1, width - 1]))
        row = draw(st.lists(st.sampled_from(cells), min_size=length, max_size=length))
        text += delimiter.join(row) + draw(st.sampled_from(ends))
    return text.encode()


@given(data=files())
@example(data=b"a,b\n1,2\n\n,\n \n3,4")
@example(data=b'a,b\n"",""\n"1",2\n')
@example(data=b"a,b\n\xc2\x85,\x1c\n1,2\n")
@settings(max_examples=400)
def test_a_file_by_columns_and_cell_by_cell(data):
    found = by_columns(data)
    if found is not None:
        expected = read_cells("a.csv", data.decode())
        assert found.header == expected.header
        assert content(found) == content(expected)


@pytest.mark.slow
@given(data=files())
@settings(max_examples=10_000)
def test_many_files_by_columns_and_cell_by_cell(data):
    test_a_file_by_columns_and_cell_by_cell.hypothesis.inner_test(data)


PLAIN = st.sampled_from(["A", "b c", "'=x", "1", "-2.5", "1e-3", "0.30000000000000004", "NA", ""])


@given(
    rows=st.lists(st.lists(PLAIN, min_size=3, max_size=3), min_size=1, max_size=5),
    delimiter=st.sampled_from(",;\t"),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
@settings(max_examples=50)
def test_plain_files_are_read_by_columns(rows, delimiter, end, quoting):
    stream = StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([["x", "y", "z"], ["s", *rows[0][1:]], *rows])
    assert by_columns(stream.getvalue().encode()) is not None


@pytest.mark.parametrize(
    "data",
    [
        b"", b"a,b", b"a,b\n", b"a\n1\n", b"a,b;c\n1,2\n", b"a,a\n1,2\n", b"a,b\n1\n",
        b"a,b\n1,2,3\n",
        b'a,b\n"1,2\n', b'a,b\n"1"x,2\n', b'a,b\n1 "x",2\n', b"a,b\n,\n", b"\n\na,b\n1,2\n",
        b"a,b\n\xff,1\n", b"a,\xff\n1,2\n", b"a,b\n" + b"1" * 2**17 + b",2\n", b"a,b\n1,2\n \n",
    ],
    ids=lambda data: repr(data[:20]),
)  # fmt: skip
def test_what_is_left_to_the_reader_of_cells(data):
    assert by_columns(data) is None


@given(st.lists(st.sampled_from([cell for cell in CELLS if cell != '""']), min_size=1, max_size=6))
@settings(max_examples=400)
def test_texts_as_numbers_at_once_and_one_by_one(texts):
    found = numbers_of_text(pa.array(texts, type=pa.string()))
    table = CellTable("a", ["x"], [[text] for text in texts], list(range(len(texts))), is_text=True)
    expected = outcome(lambda: table.measured("x", "number"))
    if found is None:
        assert isinstance(expected[1], str)
    else:
        assert [v.hex() for v in found.values.tolist()] == [v.hex() for v in expected[0].tolist()]
        assert found.lost == expected[1]


@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=20), st.booleans())
@settings(max_examples=200)
def test_floats_in_their_shortest_form_lose_nothing(floats, is_short):
    texts = [repr(x) if is_short else f"{x:.25g}" for x in floats]
    found = numbers_of_text(pa.array(texts))
    whole = [abs(x) >= 2**53 for x in floats]
    if found is None:
        assert any(whole)
        return
    np.testing.assert_array_equal(found.values, floats)
    assert not is_short or not found.lost


def test_a_row_may_be_longer_than_a_block():
    cell = b"x" * 100_000
    data = b"s," + b",".join(b"c%d" % i for i in range(30)) + b"\n"
    data += (b"A," + b",".join([cell] * 30) + b"\n") * 3
    assert by_columns(data).n_rows == 3
    quoted = b'"s",' + b",".join(b'"c%d"' % i for i in range(30)) + b"\n" + b'"A\nb"' + b",1" * 30
    assert by_columns(quoted).labels("s", "system") == ["A\nb"]


def test_labels_that_become_equal_have_one_code():
    codes, labels = by_columns(b"s,x\n A,1\nB,2\nA ,3\n'=c,4\n").coded("s", "system")
    assert (codes.tolist(), labels) == ([0, 1, 0, 2], ["A", "B", "=c"])


def test_columns_of_many_chunks():
    rows = 200_000
    data = b"s,x,y\n" + b"".join(b"s%d,%d.25,\n" % (i % 7, i) for i in range(rows))
    table = by_columns(data)
    assert len(table.columns[0].chunks) > 1
    codes, labels = table.coded("s", "system")
    assert labels == [f"s{i}" for i in range(7)]
    assert np.array_equal(codes, np.arange(rows) % 7)
    values, lost, _ = table.stacked(["x", "y"], "task")
    assert np.array_equal(values[:rows], np.arange(rows) + 0.25)
    assert np.isnan(values[rows:]).all()
    assert not lost
