"""Neither the order of rows, files and parts nor the number of workers changes anything."""

import pickle

import pandas as pd
import pyarrow as pa
import pytest

import rankagg as ra
from rankagg.core.items import ItemSet
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.scan import count as scan_count
from rankagg.io.scan.batches import ScanPart
from rankagg.io.scan.count import _count_part
from tests.io.scan.scan_files import LONG, drawn, long, scan, wide, write


def test_summaries_of_files_add_up(tmp_path):
    table = drawn(3)
    frame = wide(table)
    parts = [
        scan(write(rows, tmp_path / f"{at}.parquet"), Directed(table, rows)).summarize()
        for at, rows in enumerate((frame[:13], frame[13:20], frame[20:]))
    ]
    one, other, third = (pickle.loads(pickle.dumps(part)) for part in parts)
    whole = ra.ScoreSummary.from_scores(table)
    assert third + (one + other) == (one + third) + other == whole
    assert (one + other + third).fingerprint == whole.fingerprint


class Directed:
    """The directions and weights of the tasks that occur."""

    def __init__(self, table, rows):
        tasks = set(rows["task"])
        self.higher_is_better = {t: table.higher_is_better[t] for t in tasks}
        self.task_weights = {t: table.task_weights[t] for t in tasks}


def test_systems_are_in_the_order_of_their_first_rows(tmp_path):
    frame = pd.DataFrame({"system": list("baca"), "id": [1, 1, 2, 2], "score": [1.0, 2, 3, 4]})
    path = write(frame, tmp_path / "a.parquet")
    names = {"system": "system", "instance": "id", "score": "score"}
    found = ra.io.scan_scores(path, higher_is_better=True, **names).summarize()
    assert found.systems == ItemSet("bac")


@pytest.mark.parametrize(("seed", "ending"), [(0, "parquet"), (1, "csv")])
def test_scattered_rows_are_sorted_on_disk(seed, ending, tmp_path):
    pytest.importorskip("duckdb", reason="the extra `big` is not installed")
    table = drawn(seed)
    frame = long(table).sample(frac=1, random_state=seed)
    for at, rows in enumerate((frame[:30], frame[30:])):
        write(rows, tmp_path / f"{at}.{ending}")
    with pytest.raises(DataFormatError, match="scattered"):
        scan(tmp_path, table, LONG).summarize()
    made = scan(tmp_path, table, LONG, scattered="sort")
    assert made.summarize() == ra.ScoreSummary.from_scores(table)
    broken = {
        rf"^1\.{ending}.*row 1, column 'score' must be": frame[30:].assign(score=float("inf")),
        rf"^1\.{ending}, .*is the second score of": pd.concat([frame[30:], frame[:1]]),
    }
    for message, rows in broken.items():
        write(rows, tmp_path / f"1.{ending}")
        with pytest.raises(DataFormatError, match=message):
            scan(tmp_path, table, LONG, scattered="sort").summarize()


@pytest.mark.parametrize("scattered", ["refuse", "sort"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_labels_are_those_of_read_scores(ending, scattered, tmp_path):
    pytest.importorskip("duckdb", reason="the extra `big` is not installed")
    # Labels may be called like a missing number.
    frame = pd.DataFrame({"s": ["NA ", "None", "NA", " None"], "t": ["x", "x ", "x", " x"]})
    frame["i"], frame["v"] = ["7", "7 ", " 7b", "7b"], [1.0, 2.0, 3.0, 1.0]
    path = write(frame[:: 1 if scattered == "refuse" else -1], tmp_path / f"a.{ending}")
    columns = {"system": "s", "task": "t", "instance": "i", "score": "v"}
    made = ra.io.scan_scores(path, higher_is_better=True, scattered=scattered, **columns)
    table = ra.read_scores(path, higher_is_better=True, **columns)
    assert made.summarize() == ra.ScoreSummary.from_scores(table)


def test_sorting_wide_tables_is_refused(tmp_path):
    table = drawn(0)
    with pytest.raises(InvalidInputError, match="scattered"):
        scan(write(wide(table), tmp_path / "a.parquet"), table, scattered="sort")


@pytest.mark.parametrize("form", ["wide", "long"])
def test_memory_does_not_grow_with_the_rows(form, tmp_path, monkeypatch):
    monkeypatch.setattr(scan_count, "BATCH_ROWS", 2000)
    monkeypatch.setattr(scan_count, "ENOUGH", 1000)
    table = drawn(0, m=20_000)
    frame, names = {"wide": (wide, None), "long": (long, LONG)}[form]
    path = write(frame(table).assign(pad="x" * 50), tmp_path / "a.parquet")
    made = scan(path, table, names, systems=list(table.systems))
    held = []
    (part,) = ScanPart.of(made._files, whole=True)
    _count_part(made._layout, part, lambda rows: held.append(pa.total_allocated_bytes()))
    assert len(held) > 8
    assert max(held[4:]) < 2 * max(held[:4])


def test_tasks_are_in_order_of_occurrence_or_sorted_on_request(tmp_path):
    table = drawn(2, tasks="zxy")
    write(long(table), tmp_path / "long.csv")
    found = scan(tmp_path / "long.csv", table, LONG)
    assert tuple(found.find_tasks()) == tuple(table.tasks) == ("y", "z", "x")
    summary = found.summarize()
    assert tuple(summary.tasks) == ("y", "z", "x")
    ordered = summary.sorted_by_task()
    assert tuple(ordered.tasks) == ("x", "y", "z")
    assert ordered == summary
    assert (ordered.higher_is_better, ordered.task_weights) == (
        dict(table.higher_is_better), dict(table.task_weights),
    )  # fmt: skip
