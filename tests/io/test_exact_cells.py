"""Whole numbers that no float is, and ties that a file does not hold."""

from decimal import Decimal
from fractions import Fraction
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning
from rankagg.io.tables.table import read_table

READERS = {
    "read_scores": lambda source: ra.read_scores(source, higher_is_better=True),
    "read_ballots": ra.read_ballots,
}
every_table_reader = pytest.mark.parametrize("read", READERS.values(), ids=READERS)

ODD = 2**53 + 1


@every_table_reader
@pytest.mark.parametrize("cell", [ODD, -ODD, 2**63 + 1, 10**23, f"{ODD}.0", f"+{ODD}"])
def test_a_whole_number_that_no_float_is(read, cell):
    with pytest.raises(
        DataFormatError, match=r"row 3, column 'B' is -?\d+, which no 64-bit float holds: subtract"
    ):
        read(StringIO(f"A,B\n1,2\n2,{cell}\n"))


@pytest.mark.parametrize("cell", [2**53, 2**53 + 2, 2**60, "1e23", "9007199254740993e0", "0.1"])
def test_numbers_that_are_read(cell):
    text, number = f"A,B\n1,2\n2,{cell}\n", float(cell)
    table = ra.read_scores(StringIO(text), higher_is_better=True)
    assert table.values.tolist() == [[2.0], [number]]
    ballots = ra.read_ballots(StringIO(text))
    assert ballots.ranks.tolist() == [[0, 1], [0, 1] if number > 2 else [1, 0]]


@pytest.mark.parametrize(
    "cell", [ODD, np.int64(ODD), np.uint64(2**64 - 1), Decimal(ODD), Fraction(ODD), str(ODD)]
)
def test_a_whole_number_in_a_frame(cell):
    frame = pd.DataFrame({"model": ["A"], "x": pd.Series([cell], dtype=object)})
    with pytest.raises(DataFormatError, match=r"row 1, column 'x' is \d+, which no 64-bit"):
        read_table(frame).numbers("x", "task")
    column = read_table(pd.DataFrame({"x": [2**53, 3]})).measured("x", "task")
    assert column.values.tolist() == [2**53, 3]
    assert column.lost == {}


@pytest.mark.parametrize(
    ("cells", "lost"),
    [
        (["0.1", "0.10000000000000001", "1"], {1: Decimal("0.10000000000000001")}),
        (["0.30000000000000004", "0.3", "1"], {}),
        (["1e-400", "0", "0.000"], {0: Decimal("1e-400")}),
        ([Fraction(1, 3), Decimal("0.5"), Decimal("NaN")], {0: Fraction(1, 3)}),
        (["", None, "NaN"], {}),
    ],
)
def test_what_floats_do_not_hold_of_a_column(cells, lost):
    frame = pd.DataFrame({"m": ["A", "B", "C"], "x": pd.Series(cells, dtype=object)})
    assert read_table(frame).measured("x", "task").lost == lost


CLOSE = ("0.1", "0.10000000000000001")


@pytest.mark.parametrize(
    ("text", "names", "place"),
    [
        ("s,x,y\nA,{},1\nB,{},2\n", {}, "system 'B', task 'x'"),
        ("s,k,x\nA,1,{}\nB,1,{}\n", {"instance": "k"}, "system 'B', instance '1', task 'x'"),
        ("s,t,v\nA,x,{}\nB,y,1\nB,x,{}\n", {"task": "t", "score": "v"}, "system 'B', task 'x'"),
        (
            "s,t,v\nA,w,1\nA,x,{}\nB,x,{}\n",
            {"task": "t", "score": "v", "drop": "w"},
            "system 'B', task 'x'",
        ),
    ],
)
@pytest.mark.parametrize("cells", [CLOSE, CLOSE[::-1]])
def test_a_tie_that_the_file_does_not_hold_is_said(text, names, place, cells):
    said = rf"the stream: .*in 1 of.* the first is {cells[0]} and {cells[1]} \({place}\)\. Subtract"
    with pytest.warns(DataWarning, match=said) as caught:
        table = ra.read_scores(StringIO(text.format(*cells)), higher_is_better=True, **names)
    assert [Path(warning.filename).name for warning in caught] == ["test_exact_cells.py"]
    assert not table.rankings()[0].is_strict


def test_a_tie_is_said_in_one_sentence():
    with pytest.warns(DataWarning) as caught:
        ra.read_ballots(StringIO("A,B,C\n1,1e-400,0\n0.1,0.10000000000000001,3\n"))
    (warning,) = caught
    assert str(warning.message) == (
        "the stream: 64-bit floats hold about 16 digits, and rounding to them tied what differs in "
        "2 of the cases compared; the first is 1E-400 and 0.0 (row 2). Subtract a common number to "
        "keep them apart."
    )


def test_a_tie_between_ballots_ranks_is_said():
    with pytest.warns(DataWarning, match=r"in 2 of.*0\.1 and 0\.10000000000000001 \(row 3\)") as c:
        profile = ra.read_ballots(
            StringIO("A,B,C\n1,2,3\n0.1,0.10000000000000001,0.1\n1e-400,0,1\n2,0.1,0.2\n")
        )
    assert [Path(warning.filename).name for warning in c] == ["test_exact_cells.py"]
    assert profile.ranks.tolist() == [[0, 1, 2], [0, 0, 0], [0, 0, 2], [2, 0, 1]]


@pytest.mark.parametrize(
    ("text", "names", "present"),
    [
        ("s,x,y\nA,0.1,1\nB,0.2,0.10000000000000001\n", {}, [0.1, 1, 0.2, 0.1]),
        ("s,x\nA,0.10000000000000001\nB,0.10000000000000001\n", {}, [0.1, 0.1]),
        ("s,x\nA,0.10000000000000001\nB,0.100000000000000010\n", {}, [0.1, 0.1]),
        ("s,k,x\nA,1,0.1\nB,2,0.10000000000000001\n", {"instance": "k"}, [0.1, 0.1]),
        (
            "s,t,v\nA,w,0.1\nB,w,0.10000000000000001\nA,x,2\n",
            {"task": "t", "score": "v", "drop": "w"},
            [2],
        ),
    ],
)
def test_numbers_that_are_not_compared_may_be_rounded(text, names, present):
    table = ra.read_scores(StringIO(text), higher_is_better=True, **names)
    assert table.values[~table.missing].tolist() == present
