"""Delimited text: Arrow splits the cells of plain files as the csv module does."""

import csv
from io import StringIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankagg.exceptions import RankaggError
from rankagg.io.tables import reading
from rankagg.io.tables.reading import _read_delimited

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
    '"A"', '"a,b"', '"a;b"', '"a\tb"', '"a""b"', '""', '"two\nlines"', '"x\r\ny"', '"1"', '" "',
]  # fmt: skip
BROKEN = ['"A', 'A"', 'a"b', '"A"b', '"A" ', ' "A"', '"', '"""', "a,b", "a;b", "a\tb", "a\rb"]
ENDS = ["\n", "\r\n", "\r", "\n\n", "\n \n", "\n,\n", "\n\r", ""]


def cells_of(table):
    """Return all that readers can see of a table."""
    rows = [table.cells(name, "item") for name in table.header]
    return table.header, rows, [table.place(row) for row in range(table.n_rows)]


def outcome(data, **options):
    try:
        return cells_of(_read_delimited("a.csv", data, **options))
    except RankaggError as error:
        return type(error), str(error)


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


@given(data=files(), blank_rows=st.booleans())
@example(data=b"a,b\n1,2\n\n,\n \n3,4", blank_rows=False)
@example(data=b'a,b\n"",""\n"1",2\n', blank_rows=False)
@settings(max_examples=80)
def test_arrow_and_the_csv_module_split_the_same_cells(data, blank_rows):
    found = outcome(data, blank_rows=blank_rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_parse_by_arrow", lambda data, blank_rows: None)
        assert outcome(data, blank_rows=blank_rows) == found


def by_arrow(data):
    return reading._parse_by_arrow(data, blank_rows=False)


PLAIN = st.sampled_from(["A", "b c", "'=x", "1", "-2.5", "1e-3", "0.30000000000000004", "NA", ""])


@given(
    rows=st.lists(st.lists(PLAIN, min_size=3, max_size=3), min_size=1, max_size=5),
    delimiter=st.sampled_from(",;\t"),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
@settings(max_examples=50)
def test_plain_files_are_read_by_arrow(rows, delimiter, end, quoting):
    stream = StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([["x", "y", "z"], ["s", *rows[0][1:]], *rows])
    assert by_arrow(stream.getvalue().encode()) is not None


@pytest.mark.parametrize(
    "data",
    [
        b"", b"a,b", b"a,b\n", b"a\n1\n", b"a,b;c\n1,2\n", b"a,b\n1\n", b"a,b\n1,2,3\n",
        b'a,b\n"1,2\n', b'a,b\n"1"x,2\n', b'a,b\n1 "x",2\n', b"a,b\n,\n", b"\n\na,b\n1,2\n",
        b"a,b\n\xff,1\n", b"a,\xff\n1,2\n", b"a,b\n1,2\n \n",
    ],
    ids=lambda data: repr(data[:20]),
)  # fmt: skip
def test_quoted_and_irregular_files_are_left_to_the_csv_module(data):
    assert by_arrow(data) is None


def test_a_row_may_be_longer_than_a_block():
    cell = b"x" * 100_000
    data = b"s," + b",".join(b"c%d" % i for i in range(30)) + b"\n"
    data += (b"A," + b",".join([cell] * 30) + b"\n") * 3
    assert _read_delimited("a", data).n_rows == 3
    quoted = b'"s",' + b",".join(b'"c%d"' % i for i in range(30)) + b"\n" + b'"A\nb"' + b",1" * 30
    assert _read_delimited("a", quoted).labels("s", "system") == ["A\nb"]


def test_labels_that_become_equal_have_one_code():
    codes, labels = _read_delimited("a", b"s,x\n A,1\nB,2\nA ,3\n'=c,4\n").coded("s", "system")
    assert (codes.tolist(), labels) == ([0, 1, 0, 2], ["A", "B", "=c"])


def test_quoted_line_ends_are_read_across_blocks():
    rows = 60_000
    data = b'"s","x"\n' + b"".join(b'"two\nlines %d\n",%d\n' % (i % 3, i) for i in range(rows))
    codes, labels = _read_delimited("a", data).coded("s", "system")
    assert len(data) > 2**20
    assert len(codes) == rows
    assert labels == [f"two\nlines {i}" for i in range(3)]
