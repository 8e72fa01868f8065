"""Columns of files are compared before the first row is read."""

import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from tests.io.scan.scan_files import scan, wide, write


class TestSchemas:
    """They are compared before the first row is read."""

    def test_a_column_that_the_last_file_lacks(self, two_files, table):
        paths, rows = two_files
        write(rows.drop(columns="s2"), paths[1])
        with pytest.raises(DataFormatError, match=r"b\.parquet has no column 's2'.*a\.parquet"):
            scan(paths, table)

    def test_a_column_that_only_the_last_file_has(self, two_files, table):
        paths, rows = two_files
        write(rows.assign(s9=1.0), paths[1])
        with pytest.raises(DataFormatError, match=r"a\.parquet has no column 's9'"):
            scan(paths, table)

    def test_another_type_in_the_last_file(self, two_files, table):
        paths, rows = two_files
        write(rows.assign(s2=rows["s2"].astype("float32")), paths[1])
        with pytest.raises(DataFormatError, match=r"b\.parquet holds float in .*'s2'.*double"):
            scan(paths, table)

    def test_another_order_of_columns_is_none_of_its_faults(self, two_files, table):
        paths, rows = two_files
        write(rows[rows.columns[::-1]], paths[1])
        assert scan(paths, table).summarize() == ra.ScoreSummary.from_scores(table)

    @pytest.mark.parametrize("values", [["x", "y"], [True, False]])
    def test_columns_that_hold_no_scores(self, values, tmp_path):
        path = write(pd.DataFrame({"A": [1.0, 2.0], "note": values}), tmp_path / "a.parquet")
        with pytest.raises(DataFormatError, match=r"'note'.*systems="):
            ra.scan_scores(path, higher_is_better=True)

    def test_two_columns_of_one_name(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("A,B,A\n1,2,3\n", encoding="utf-8")
        with pytest.raises(DataFormatError, match="two columns 'A'"):
            ra.scan_scores(path, higher_is_better=True)

    def test_labels_that_are_floats(self, tmp_path):
        path = write(pd.DataFrame({"id": [0.5, 1.5], "A": [1.0, 2.0]}), tmp_path / "a.parquet")
        with pytest.raises(DataFormatError, match="double in the column 'id'"):
            ra.scan_scores(path, higher_is_better=True, instance="id")

    @pytest.mark.parametrize(
        ("names", "message"),
        [
            ({"task": "tusk"}, "Did you mean 'task'"),
            ({"systems": ["s1", "s7"]}, "systems"),
            ({"task": "id", "instance": "id"}, "different columns"),
            ({"system": "s1"}, "given together"),
        ],
    )
    def test_names_that_do_not_fit(self, names, message, table, tmp_path):
        path = write(wide(table), tmp_path / "a.parquet")
        with pytest.raises(InvalidInputError, match=message):
            ra.scan_scores(path, higher_is_better=True, **names)
