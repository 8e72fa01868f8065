"""A fault of a file is named with its place, and never read as something else."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError
from rankagg.io.scan import batches
from rankagg.io.scan import count as scan_count
from tests.io.scan.scan_files import LONG, NAN, drawn, long, scan, wide, write


class TestSources:
    @pytest.mark.parametrize("source", ["none.parquet", "*.parquet", "folder"])
    def test_missing_files_and_empty_folders_are_refused(self, source, tmp_path):
        (tmp_path / "folder").mkdir()
        with pytest.raises(InvalidInputError, match="`source` must be"):
            ra.io.scan_scores(tmp_path / source, higher_is_better=True)

    def test_repeated_and_unsuitable_files_are_refused(self, two_files, table):
        paths, _ = two_files
        folder = paths[0].parent
        (folder / "notes.txt").write_text("x", encoding="utf-8")
        twice = [paths[0], folder / "*.parquet"]
        for sources, message in ((twice, "It is twice"), (folder, r"notes\.txt")):
            with pytest.raises(InvalidInputError, match=message):
                scan(sources, table)

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("a.parquet", "A,B\n1,2\n", r"a\.parquet cannot be read"),
            ("a.csv", "", "is empty"),
            ("a.csv", "A,B\n", "a score"),
            ("a.jsonl", '{"A": 1}\n', r"files that end in \.parquet.*write it as Parquet"),
            ("a.csv", "name,A\nx,1\n", "string in the column 'name', where scores should be"),
            ("a.csv", "A,B\n1,2\n9007199254740993,3\n", r"row 2, column 'A' is \S+, and floats"),
        ],
    )  # fmt: skip
    def test_files_with_bad_content_are_refused(self, name, text, message, tmp_path):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        with pytest.raises((DataFormatError, InvalidInputError), match=message):
            ra.io.scan_scores(path, higher_is_better=True).summarize()


class TestDamage:
    def damaged(self, tmp_path, change, **options):
        table = drawn(m=2000)
        path = write(wide(table), tmp_path / "a.parquet", rows=500, **options)
        made = scan(path, table)
        path.write_bytes(change(bytearray(path.read_bytes())))
        return path, table, made

    def test_changed_or_truncated_files_are_refused(self, tmp_path):
        *_, made = self.damaged(tmp_path, lambda data: data + b" ")
        with pytest.raises(DataFormatError, match="has changed since the scan began"):
            made.summarize()
        path, table, _ = self.damaged(tmp_path, lambda data: data[: len(data) // 2])
        with pytest.raises(DataFormatError, match="cannot be read"):
            scan(path, table)

    @pytest.mark.parametrize("compression", ["none", "zstd"])
    def test_flipped_bytes_are_refused_with_their_place(self, compression, tmp_path):
        table = drawn(m=2000)
        path = write(
            wide(table), tmp_path / "a.parquet", rows=500, compression=compression,
            use_dictionary=False, write_page_checksum=True,
        )  # fmt: skip
        scores = pq.read_metadata(path).row_group(2).column(4)
        assert scores.path_in_schema == "s2"
        data = bytearray(path.read_bytes())
        middle = scores.data_page_offset + scores.total_compressed_size // 2
        for at in range(middle, middle + 40):
            data[at] ^= 0x15
        path.write_bytes(data)
        with pytest.raises(DataFormatError, match=r"a\.parquet, row group 2, .* cannot"):
            scan(path, table).summarize()


class TestRows:
    """Row groups hold 4 rows, batches 3."""

    @pytest.fixture(autouse=True)
    def _small(self, monkeypatch):
        monkeypatch.setattr(scan_count, "BATCH_ROWS", 3)
        monkeypatch.setattr(scan_count, "LEAST_ROWS", 3)
        monkeypatch.setattr(batches, "PART_ROWS", 8)

    def refuse(self, frame, tmp_path, message, names=None, *, ending="parquet", rows=4):
        table = drawn()
        path = write(frame, tmp_path / f"a.{ending}", rows=rows)
        with pytest.raises((DataFormatError, InvalidInputError), match=message):
            scan(path, table, names).summarize()

    @pytest.mark.parametrize(
        ("value", "ending", "message"),
        [
            (float("inf"), "parquet", r"a\.parquet, row group 1, row 3, column 's2' must be"),
            (-float("inf"), "parquet", r"a\.parquet, row group 1, row 3, column 's2' must be"),
            (float("inf"), "csv", r"a\.csv, row 7, column 's2'"),
            ("good", "csv", r"a\.csv holds string in the column 's2', where scores should be"),
        ],
    )
    def test_cells_that_are_no_scores_are_refused(self, value, ending, message, table, tmp_path):
        frame = wide(table).astype({"s2": object})
        frame.loc[6, "s2"] = value
        self.refuse(frame, tmp_path, message, ending=ending)

    REFUSED = (
        (wide, 9, "s2", 2**53 + 1, "row group 2, row 2, column 's2' is 9007199254740993"),
        (wide, 6, "task", "w", "higher_is_better.*'w'"),
        (long, 6, "system", "s9", "row 3, column 'system' is 's9'"),
    )

    @pytest.mark.parametrize("cell", REFUSED)
    def test_bad_cells_are_refused(self, cell, table, tmp_path):
        form, row, column, value, message = cell
        frame = form(table)
        if column == "s2":
            frame = frame.assign(s2=range(40)).astype({"s2": "int64"})
        frame.loc[row, column] = value
        self.refuse(frame, tmp_path, message, LONG if form is long else None)

    @pytest.mark.parametrize("column", ["task", "id"])
    @pytest.mark.parametrize("ending", ["parquet", "csv"])
    def test_missing_labels_are_refused(self, column, ending, table, tmp_path):
        frame = wide(table)
        frame.loc[6, column] = None
        self.refuse(frame, tmp_path, f"row [37], column '{column}' is missing", ending=ending)

    @pytest.mark.parametrize("gap", [1, 2, 30])
    @pytest.mark.parametrize("ids", ["text", "numbers"])
    def test_an_instance_given_twice_is_refused(self, gap, ids, table, tmp_path):
        frame = wide(table).assign(task="x")
        if ids == "numbers":
            frame["id"] = range(40)
        frame.loc[4 + gap, "id"] = frame.loc[4, "id"]
        where = {
            1: "row group 1, row 1 and a.parquet, row group 1, row 2",
            2: "row group 1, row 1 and a.parquet, row group 1, row 3",
            30: "row group 1, row 1 and a.parquet, row group 8, row 3",
        }[gap]
        self.refuse(frame, tmp_path, where)

    def test_one_instance_of_two_tasks_is_two(self, table, tmp_path):
        firsts = wide(table).assign(id="same").groupby("task").head(1)
        assert scan(write(firsts, tmp_path / "a.parquet"), table).summarize().n_units == 3

    def test_an_instance_in_two_files_is_refused(self, two_files, table):
        paths, rows = two_files
        rows = rows.assign(task="x")
        first = wide(table)[:20].assign(task="x")
        write(first, paths[0])
        rows.iloc[3, 1] = first.iloc[5, 1]
        write(rows, paths[1])
        with pytest.raises(DataFormatError, match=r"a\.parquet.* and .*b\.parquet.*same instance"):
            scan(paths, table).summarize()

    def test_rows_of_one_instance_that_lie_apart_or_are_there_twice(self, table, tmp_path):
        frame = long(table)
        apart = pd.concat([frame[1:], frame[:1]])
        self.refuse(apart, tmp_path, "(?s)must be consecutive.*scattered", LONG, rows=1000)
        again = pd.concat([frame[:2], frame[1:]])
        self.refuse(again, tmp_path, "row 3 is the second score of", LONG, ending="csv")

    def test_units_without_scores_are_reported(self, table, tmp_path):
        frame = wide(table)
        frame.loc[[6, 9], list(table.systems)] = NAN
        path = write(frame, tmp_path / "a.parquet")
        with pytest.warns(DataWarning, match="2 instances have no score of any system"):
            summary = scan(path, table).summarize()
        assert (summary.n_units, summary.n_empty) == (38, 2)
