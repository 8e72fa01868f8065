"""Whole numbers that no float is are refused; fractions are rounded."""

from decimal import Decimal
from fractions import Fraction
from io import StringIO

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.sources import read_table
from tests.io.tables.test_table import every_table_reader

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
    assert read_table(pd.DataFrame({"x": [2**53, 3]})).numbers("x", "task").tolist() == [2**53, 3]


@pytest.mark.parametrize(
    ("text", "names", "values"),
    [
        ("s,x\nA,0.1\nB,0.10000000000000001\n", {}, [0.1, 0.1]),
        ("s,t,v\nA,x,1e-400\nB,x,0\n", {"task": "t", "score": "v"}, [0, 0]),
    ],
)
def test_fractions_beyond_the_digits_of_floats_are_rounded(text, names, values):
    table = ra.read_scores(StringIO(text), higher_is_better=True, **names)
    assert table.values.ravel().tolist() == values
