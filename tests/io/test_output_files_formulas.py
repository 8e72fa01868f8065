"""Labels that a spreadsheet would run as formulas are written harmless and read back."""

import csv
from io import StringIO

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.io.output_files import _guard, guard_frame, unguard

# The four signs have wide forms; a true minus sign begins no formula.
WIDE = "\uff1d\uff0b\uff0d\uff20"

FORMULAS = [
    "=1+1", "=cmd|'/C calc'!A0", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "=", "+-1",
    "-1-1", "-1.2.3", "-1e", "'=1", "''=1", "-1 ", "- 1", "-x1", *(f"{sign}1" for sign in WIDE),
]  # fmt: skip
HARMLESS = [
    "", "A", "a=1", "1", "-3", "+3", "-0.5", "+.5", "-1.", "-1e-3", "+2E+10", "'", "''", "'A",
    "'-3", "'1", " =1", "#1", "1-1", "\u22123",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe_and_loses_it(text):
    assert _guard(text) == "'" + text
    assert unguard(_guard(text)) == text


@pytest.mark.parametrize("value", [*HARMLESS, -3, 0.5, None, True, ("=",), float("inf")])
def test_cells_that_are_no_formula_are_unchanged(value):
    assert _guard(value) is value
    if isinstance(value, str):
        assert unguard(value) == value


@given(st.text(f"'=+-@\t\r1.eEa {WIDE}", max_size=8))
def test_every_text_is_read_back_and_no_formula_is_left(text):
    written = _guard(text)
    assert unguard(written) == text
    if written[:1] in tuple(f"=+-@\t\r{WIDE}"):
        float(written)  # a plain number


def test_formulas_are_guarded_in_all_cells_of_a_frame():
    frame = pd.DataFrame(
        {"=a": ["=x", "y", None], "b": [-1, 2, 3], "c": pd.Categorical(["-q", "-q", "r"])},
        index=pd.Index(["@i", "j", "k"], name="+n"),
    )
    before = frame.copy(deep=True)
    buffer = StringIO()
    guard_frame(frame).to_csv(buffer)
    rows = list(csv.reader(StringIO(buffer.getvalue())))
    assert rows == [
        ["'+n", "'=a", "b", "c"], ["'@i", "'=x", "-1", "'-q"], ["j", "y", "2", "'-q"],
        ["k", "", "3", "r"],
    ]  # fmt: skip
    pd.testing.assert_frame_equal(frame, before)

    numbers = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [0.5, 1.5]})
    pd.testing.assert_frame_equal(guard_frame(numbers), numbers)
    twice = pd.DataFrame([["=a", "=b"]], columns=["x", "x"])
    assert guard_frame(twice).to_numpy().tolist() == [["'=a", "'=b"]]


def cells_of(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return [cell for row in csv.reader(stream) for cell in row]


LABELS = ["=cmd()", "+a", "-b", "@c", "'=d", "-3", "e"]


def test_scores_are_read_without_the_apostrophe(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,'=x,k\n'=a,1,'-i\n'b,-2,j\n", encoding="utf-8")
    table = ra.read_scores(path, higher_is_better=True, instance="k")
    assert (table.tasks.labels, table.systems.labels) == (("=x",), ("=a", "'b"))
    assert (table.instances, table.values.tolist()[1][1]) == (("-i", "j"), -2)


def test_no_formula_leaves_the_command_line(tmp_path, run):
    rows = "".join(f"{_guard(label)},{i},{-i}\n" for i, label in enumerate(LABELS))
    path = tmp_path / "scores.csv"
    path.write_text(f"system,'=x,y\n{rows}", encoding="utf-8")
    run("rank --rule borda", path, "--csv", "ranks.csv")
    found = list(cells_of(tmp_path / "ranks.csv"))
    assert "'=cmd()" in found
    assert not [cell for cell in found if _guard(cell) != cell and cell[:1] != "'"]
