"""Sums of a scan equal those of the table exactly."""

import gzip
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankagg as ra
from rankagg.exceptions import DataWarning
from rankagg.io.scan import batches
from rankagg.io.scan import count as scan_count
from tests.io.scan.scan_files import LONG, NAN, drawn, long, scan, wide, write
from tests.strategies import POLICIES

FORMS = {"wide": (wide, None), "long": (long, LONG)}


def assert_says_the_same(summary, table):
    assert summary == ra.ScoreSummary.from_scores(table)
    assert summary.systems == table.systems
    profile = table.rankings()
    for policy in POLICIES:
        sums, scores = summary.with_unranked(policy), table.with_unranked(policy)
        assert sums.pairwise() == profile.with_unranked(policy).pairwise()
        for rule in (ra.Borda(), ra.TwoLevel(ra.Borda(), ra.Borda())):
            assert rule.aggregate(sums) == rule.aggregate(scores)


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_every_form_and_format_gives_the_same_sums(form, ending, seed, tmp_path):
    frame, names = FORMS[form]
    table = drawn(seed)
    path = write(frame(table), tmp_path / f"scores.{ending}", rows=7)
    assert_says_the_same(scan(path, table, names).summarize(), table)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("batch", "rows"), [(1, 5), (3, 1), (3, 1000), (2**16, 5)])
def test_any_batch_and_row_group_gives_the_same_sums(form, batch, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(scan_count, "BATCH_ROWS", batch)
    monkeypatch.setattr(scan_count, "LEAST_ROWS", 1)
    monkeypatch.setattr(scan_count, "ENOUGH", batch)
    monkeypatch.setattr(batches, "PART_ROWS", 10)
    frame, names = FORMS[form]
    table = drawn(2)
    path = write(frame(table), tmp_path / "scores.parquet", rows=rows)
    assert scan(path, table, names).summarize() == ra.ScoreSummary.from_scores(table)


@pytest.mark.parametrize("form", FORMS)
def test_small_blocks_of_text_give_the_same_sums(form, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "TEXT_BLOCK", 256)
    frame, names = FORMS[form]
    table = drawn(3)
    expected = ra.ScoreSummary.from_scores(table)
    for ending in ("csv", "tsv"):
        path = write(frame(table), tmp_path / f"scores.{ending}")
        packed = tmp_path / f"packed.{ending}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        for source in (path, packed):
            assert scan(source, table, names).summarize() == expected


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64(), pa.int32(), pa.int64(), pa.uint8()])
def test_numbers_of_any_type_are_read(kind, tmp_path):
    values = [[1, 2, None, 9], [2, 2, 3, None]]
    columns = {"A": pa.array(values[0], kind), "B": pa.array(values[1], kind)}
    path = tmp_path / "scores.parquet"
    pq.write_table(pa.table(columns), path)
    summary = ra.io.scan_scores(path, higher_is_better=True).summarize()
    table = ra.ScoreTable(
        [[1, 2, NAN, 9], [2, 2, 3, NAN]], systems="AB", tasks=["scores"] * 4, instances=range(4),
        higher_is_better=True,
    )  # fmt: skip
    assert summary == ra.ScoreSummary.from_scores(table)


def test_folders_may_name_the_task(tmp_path):
    table = drawn(6)
    frame = wide(table)
    for task, rows in frame.groupby("task"):
        (tmp_path / f"task={task}").mkdir()
        write(rows.drop(columns="task"), tmp_path / f"task={task}" / "part.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert scan(tmp_path, table).summarize() == ra.ScoreSummary.from_scores(table)


def test_columns_of_nulls_alone_have_no_type(tmp_path):
    table = drawn(6)
    frame = wide(table)
    empty = pa.table({name: pa.nulls(0) for name in frame.columns})
    typed = pa.Table.from_pandas(frame[:3].assign(s1=NAN), preserve_index=False)
    typed = typed.set_column(3, "s1", pa.nulls(3))
    for number, part in enumerate([empty, typed]):
        pq.write_table(part, tmp_path / f"{number}.parquet")
    write(frame[3:], tmp_path / "2.parquet")
    whole = tmp_path.parent / f"{tmp_path.name}.parquet"
    write(frame.assign(s1=frame["s1"].mask(frame.index < 3)), whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert scan(tmp_path, table).summarize() == scan(whole, table).summarize()
