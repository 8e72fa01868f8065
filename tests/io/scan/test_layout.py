"""Columns of files are compared before the first row is read."""

import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from tests.io.scan.scan_files import scan, wide, write


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.drop(columns="s2"), r"b\.parquet has no column 's2'.*a\.parquet"),
        (lambda rows: rows.assign(s9=1.0), r"a\.parquet has no column 's9'"),
        (
            lambda rows: rows.assign(s2=rows["s2"].astype("float32")),
            r"b\.parquet holds float in .*'s2'.*double",
        ),
    ],
)
def test_other_columns_in_the_last_file_are_refused(change, message, two_files, table):
    paths, rows = two_files
    write(change(rows), paths[1])
    with pytest.raises(DataFormatError, match=message):
        scan(paths, table)


def test_another_order_of_columns_is_accepted(two_files, table):
    paths, rows = two_files
    write(rows[rows.columns[::-1]], paths[1])
    assert scan(paths, table).summarize() == ra.ScoreSummary.from_scores(table)


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("A,B,A\n1,2,3\n", encoding="utf-8")
    with pytest.raises(DataFormatError, match="columns named A"):
        ra.io.scan_scores(path, higher_is_better=True)


def scored(**columns):
    return pd.DataFrame({"A": [1.0, 2.0], **columns})


@pytest.mark.parametrize(
    ("frame", "names", "message"),
    [
        (scored(note=["x", "y"]), {}, r"'note'.*systems="),
        (scored(note=[True, False]), {}, r"'note'.*systems="),
        (scored(id=[0.5, 1.5]), {"instance": "id"}, "double in the column 'id'"),
        (None, {"task": "tusk"}, "Did you mean 'task'"),
        (None, {"systems": ["s1", "s7"]}, "systems"),
        (None, {"task": "id", "instance": "id"}, "different columns"),
        (None, {"system": "s1"}, "given together"),
    ],
)
def test_columns_that_do_not_match_the_names_are_refused(frame, names, message, table, tmp_path):
    error = InvalidInputError if frame is None else DataFormatError
    path = write(wide(table) if frame is None else frame, tmp_path / "a.parquet")
    with pytest.raises(error, match=message):
        ra.io.scan_scores(path, higher_is_better=True, **names)
