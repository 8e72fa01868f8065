"""Numbers with decimal commas, percent signs, errors and words for missing ones."""

import warnings
from io import StringIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError


def read(text, **options):
    return ra.read_scores(StringIO(text), higher_is_better=True, **options)


def quiet(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read(text, **options).values.tolist()


GERMAN = "system;x;y\nA;1,5;-,25\nB;2;1,5e3\n"


def test_decimal_commas_are_read():
    assert quiet(GERMAN, decimal=",") == [[1.5, -0.25], [2.0, 1500.0]]
    quoted = 'system,x,y\nA,"1,5","-,25"\nB,2,"1,5e3"\n'
    assert quiet(quoted, decimal=",") == quiet(GERMAN, decimal=",")
    text = "A;B;C\n1;2,5;2,5\n1;2;-\n1;2;3\n2;1;3\n"
    with pytest.warns(DataWarning, match="1 cell with '-'"):
        ballots = ra.read_ballots(StringIO(text), decimal=",", missing="-")
    assert ballots.ranks.tolist() == [[0, 1, 1], [0, 1, -2], [0, 1, 2], [1, 0, 2]]


@pytest.mark.parametrize("header", ["s;f,1", "s;f,1,2", "s,t;f", "s;f"])
def test_a_decimal_comma_does_not_split_cells(header):
    assert quiet(f"{header}\nA;1,5\nB;2,5\n", decimal=",") == [[1.5], [2.5]]
    assert quiet(f"{header}\nA;1,5,\nB;2,5,\n".replace(";", "\t").replace(",\n", "\n"), decimal=",")


@pytest.mark.parametrize("cell", ["1.234,5", "1.234", "1,2,3", "1.5"])
def test_separators_of_thousands_are_refused(cell):
    with pytest.raises(DataFormatError, match="row 2, column 'x' must be a finite number"):
        read(f"system;x\nA;{cell}\nB;1\n", decimal=",")


def test_percent_is_divided_exactly():
    cells = ["86.1%", "0.1 %", "+7%", "-.5%", "100%"]
    text = "system\tx\n" + "".join(f"{k}\t{cell}\n" for k, cell in enumerate(cells))
    # 86.1 / 100 is another float than 0.861.
    assert quiet(text, percent=True) == [[0.861], [0.001], [0.07], [-0.005], [1.0]]
    assert quiet(text.replace(".", ","), percent=True, decimal=",") == quiet(text, percent=True)


def test_columns_with_some_percent_signs_are_refused_or_noted():
    with pytest.raises(DataFormatError, match=r"column 'x' has .* a percent sign \(2\) and .* \(1"):
        read("system,x,y\nA,86%,5\nB,85%,6\nC,0.5,7\nD,,8\n", percent=True)
    long = "s,t,v\nA,acc,86%\nB,acc,80%\nA,ppl,7\nB,ppl,9\n"
    with pytest.warns(DataWarning, match="2 of 4 numbers have a percent sign"):
        table = read(long, task="t", score="v", percent=True)
    assert table.values.tolist() == [[0.86, 7], [0.8, 9]]


def test_words_for_missing_scores_are_counted_as_spelled():
    text = "system,x,y\nA,-,1\nB, - ,n.a.\nC,1,-\n"
    with pytest.warns(DataWarning, match=r"4 cells with '-' \(3\) or 'n\.a\.' \(1\) read as mis"):
        table = read(text, missing=["-", "n.a."])
    assert np.isnan(table.values).sum() == 4
    with pytest.raises(DataFormatError, match=r"'n\.a\.'"):
        read(text, missing=["-", "N.A."])
    # A word is none in a column of labels.
    with pytest.warns(DataWarning, match="no cell holds '-', given as missing"):
        assert read("system,x\n-,1\nB,2\n", missing="-").systems.labels == ("-", "B")


ERRORS = [
    "1.2 ± 0.3", "1.2±.3", "1.2 +- 0.3", "1.2+/-0.3", "1.2 (0.3)", "1.2(3)", r"1.2 \pm 0.3",
    " 1.2 ( 0.3 ) ", "12e-1 ± 3E-1",
]  # fmt: skip


@pytest.mark.parametrize("cell", ERRORS)
def test_errors_of_values_are_dropped_on_request(cell):
    with pytest.warns(DataWarning, match="1 number with an error behind: the errors were left out"):
        table = read(f"system\tx\nA\t{cell}\nB\t-3\n", errors="drop")
    assert table.values.tolist() == [[1.2], [-3.0]]
    with pytest.raises(DataFormatError, match="`errors`"):
        read(f"system\tx\nA\t{cell}\nB\t-3\n")


@pytest.mark.parametrize(
    "cell", ["12% ± 3%", "12 ± 3%", "12% ± 3", "12 (3%)", "12% (3)", "12 (3)%"]
)
def test_percent_signs_may_follow_a_value_or_its_error(cell):
    text = f"system\tx\nA\t{cell}\nB\t9%\n"
    assert quiet(text, errors="drop", percent=True) == [[0.12], [0.09]]


NO_ERRORS = ["1.2 ± -0.3", "± 0.3", "1.2 ±", "1.2 ± x", "(1.2)", "1.2 (0.3", "1 ± 2 ± 3"]
NO_PERCENT = ["1e400%", "1e2%", "%", "5 % %", "nan%", "inf%", "\u0661%"]


@pytest.mark.parametrize("cell", NO_ERRORS + NO_PERCENT)
def test_malformed_errors_and_percentages_are_refused(cell):
    options = {"percent": True} if cell in NO_PERCENT else {"errors": "drop"}
    with pytest.raises(DataFormatError, match="must be a finite number"):
        read(f"system\tx\nA\t{cell}\nB\t{9 if cell in NO_ERRORS else '9%'}\n", **options)


@settings(max_examples=20)
@given(st.lists(st.sampled_from(["1,5", "2,5 ± 1", "-", "3", ""]), min_size=2, max_size=5))
def test_all_kinds_of_tables_give_the_same_values_and_messages(texts):
    frame = pd.DataFrame({"s": [f"s{k}" for k in range(len(texts))], "x": texts, "y": 1.5})
    csv = frame.assign(y="1,5").to_csv(index=False, sep=";")
    options = {"decimal": ",", "missing": ["-"], "errors": "drop"}
    values = []
    quoted = csv.replace("s;x", '"s\t";x', 1)  # read cell by cell
    for source in (frame, pa.Table.from_pandas(frame), StringIO(csv), StringIO(quoted)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                table = ra.read_scores(source, higher_is_better=True, **options)
            except InvalidInputError:
                assert set(texts) <= {"-", ""}
                return
        messages = sorted(str(one.message).partition(":")[2] for one in caught)
        values.append((table.values.tolist(), messages))
    assert all(repr(one) == repr(values[0]) for one in values)


# -- refusals and remedies ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "options", "remedy"),
    [
        ("1,5", {}, "`decimal`, `percent`, `errors` and `missing` say how numbers are written"),
        ("1.5", {"decimal": ","}, "With decimal commas no number has a point"),
        ("good", {}, "`drop` leaves the column out."),
    ],
)
def test_remedies_name_the_options(cell, options, remedy):
    with pytest.raises(DataFormatError) as error:
        read(f"system;x\nA;{cell}\nB;1\n", **options)
    assert remedy in str(error.value)
    assert repr(cell) in str(error.value)
