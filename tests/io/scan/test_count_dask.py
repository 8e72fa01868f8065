"""A Dask cluster gives the same sums, even if workers are lost."""

import os
import signal
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError, WorkerError
from rankagg.io.scan import batches, count
from rankagg.io.scan.count import _count_part
from tests.io.scan.scan_files import LONG, drawn, long, scan, wide, write

distributed = pytest.importorskip("distributed", reason="the extra `big` is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # what the cluster says of itself
]


@pytest.fixture
def client():
    """Return a client of two worker processes that listen to this machine only."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as workers,
        distributed.Client(workers, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(batches, "PART_ROWS", 5)


def folder_of(table, form, path):
    frame = form(table)
    half = frame["id"].isin(table.instances[:20])
    path.mkdir()
    for number, rows in enumerate((frame[half], frame[~half])):
        write(rows, path / f"{number}.parquet", rows=5)
    return path


@pytest.mark.parametrize(("form", "names"), [(wide, None), (long, LONG)])
@pytest.mark.parametrize("seed", [0, 1])
def test_dask_gives_the_result_of_this_machine(form, names, seed, client, tmp_path):
    table = drawn(seed)
    made = scan(folder_of(table, form, tmp_path / "data"), table, names)
    found = made.summarize(client=client)
    assert found == ra.ScoreSummary.from_scores(table)
    assert found.to_dict() == made.summarize().to_dict()


def test_errors_are_those_of_this_machine(client, tmp_path):
    table = drawn(4)
    broken = wide(table)
    broken.loc[17, "s1"] = float("inf")
    twice = wide(table).assign(task="x")
    twice.loc[38, "id"] = twice.loc[1, "id"]
    for name, frame, message in (("a", broken, None), ("b", twice, "same instance")):
        made = scan(write(frame, tmp_path / f"{name}.parquet", rows=5), table)
        with pytest.raises(DataFormatError) as here:
            made.summarize()
        with pytest.raises(DataFormatError, match=message) as there:
            made.summarize(client=client)
        assert message or str(here.value) == str(there.value)


def count_slowly(layout, part):
    """Count a part, and leave time to kill who does."""
    time.sleep(0.1)
    return _count_part(layout, part)


def test_a_killed_worker_changes_no_result(client, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    for number in range(4):
        values = rng.normal(size=(5, 2000)).round(1)
        values[1:][rng.random((4, 2000)) < 0.2] = np.nan
        columns = {f"s{i}": row for i, row in enumerate(values)}
        pq.write_table(pa.table(columns), tmp_path / f"{number}.parquet", row_group_size=250)
    monkeypatch.setattr(batches, "PART_ROWS", 250)
    made = ra.io.scan_scores(tmp_path, higher_is_better=True)
    expected = made.summarize().to_dict()
    monkeypatch.setattr(count, "_count_part", count_slowly)
    processes = client.run(os.getpid)
    real = count._counted_parts
    done = []

    def killing(*given):
        for counts in real(*given):
            done.append(counts)
            if len(done) == 6:
                os.kill(min(processes.values()), signal.SIGKILL)
            yield counts

    monkeypatch.setattr(count, "_counted_parts", killing)
    assert made.summarize(client=client).to_dict() == expected
    assert len(done) == 32


def die(*given):
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_killed_repeatedly_end_in_an_error(client, tmp_path, monkeypatch):
    table = drawn(0)
    made = scan(write(wide(table), tmp_path / "a.parquet", rows=20), table)
    monkeypatch.setattr(count, "_count_part", die)
    with pytest.raises(WorkerError, match="killed or lost"):
        made.summarize(client=client)


def test_bad_clients_are_refused(client, tmp_path):
    made = scan(write(wide(drawn(0)), tmp_path / "a.parquet"), drawn(0))
    for options in ({"client": 3}, {"client": client, "n_jobs": 2}):
        with pytest.raises(InvalidInputError, match=r"distributed\.Client, without"):
            made.summarize(**options)
