"""Reading tables: ratios to peers within one run: pytest -o addopts='' -s tests/benchmarks

Nothing here fails for being slow but by far; the figures are there to be read.
"""

from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, json

import rankagg as ra

SYSTEMS, TASKS, INSTANCES, MISSING = 20, 10, 5_000, 0.218
NAMES = {"task": "task", "instance": "k", "score": "score"}


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of three runs."""
    runs = []
    for _ in range(3):
        start = process_time()
        work()
        runs.append(process_time() - start)
    return min(runs)


def check(name: str, ours: Callable[[], object], peer: Callable[[], object], limit: float) -> None:
    ratio = seconds(ours) / seconds(peer)
    print(f"\n{name}: {ratio:.2f} times the peer")  # noqa: T201
    assert ratio < limit


def pivoted(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.pivot(index=["task", "k"], columns="system", values="score")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("tables")
    there = rng.random((TASKS, INSTANCES, SYSTEMS)) >= MISSING
    task, k, system = np.nonzero(there)
    long = pd.DataFrame({
        "system": np.array([f"system {i}" for i in range(SYSTEMS)])[system],
        "task": np.array([f"task {i}" for i in range(TASKS)])[task],
        "k": k,
        "score": rng.normal(size=len(k)),
    })  # fmt: skip
    long.to_csv(folder / "long.csv", index=False)
    long.round(4).to_csv(folder / "short.csv", index=False)
    long.to_csv(folder / "long.csv.gz", index=False)
    long.to_csv(folder / "quoted.csv", index=False, quoting=2)
    long.to_parquet(folder / "long.parquet", index=False)
    long.to_json(folder / "long.jsonl", orient="records", lines=True)
    wide = pd.DataFrame(rng.normal(size=(SYSTEMS * INSTANCES, TASKS)))
    wide = wide.mask(rng.random(wide.shape) < MISSING).add_prefix("task ")
    wide.insert(0, "k", np.tile(np.arange(INSTANCES), SYSTEMS))
    wide.insert(0, "system", np.repeat([f"system {i}" for i in range(SYSTEMS)], INSTANCES))
    wide.to_csv(folder / "wide.csv", index=False)
    columns = pd.DataFrame(rng.random((10, 16_000)).round(4)).add_prefix("t").rename_axis("s")
    columns.rename(index="s{}".format).to_csv(folder / "columns.csv")
    ballots = pd.DataFrame(
        np.argsort(rng.random((10**6, 10)), axis=1) + 1, columns=list("ABCDEFGHIJ")
    )
    ballots.to_csv(folder / "ballots.csv", index=False)
    ballots.to_parquet(folder / "ballots.parquet", index=False)
    return folder


def scores_of(source: object, **names: object) -> ra.ScoreTable:
    return ra.read_scores(source, **(names or NAMES), higher_is_better=True)


#: What is read of a folder, by us and by a peer, and how many times the peer's seconds it may take.
READ = {
    **{
        name: (lambda at, name=name: scores_of(at / name),
               lambda at, name=name: pivoted(pd.read_csv(at / name)), 4.5)
        for name in ("long.csv", "short.csv", "quoted.csv", "long.csv.gz")
    },
    "long.parquet": (lambda at: scores_of(at / "long.parquet"),
                     lambda at: pivoted(pd.read_parquet(at / "long.parquet")), 3),
    "long.jsonl": (lambda at: scores_of(at / "long.jsonl"),
                   lambda at: pivoted(json.read_json(at / "long.jsonl").to_pandas()), 6),
    "Parquet beside CSV": (lambda at: scores_of(at / "long.parquet"),
                           lambda at: scores_of(at / "long.csv"), 1),
    "wide by instance": (lambda at: scores_of(at / "wide.csv", instance="k"),
                         lambda at: pd.read_csv(at / "wide.csv").pivot(index="k", columns="system"),
                         8),
    "16,000 columns": (lambda at: scores_of(at / "columns.csv", system="s"),
                       lambda at: pd.read_csv(at / "columns.csv"), 3),
    "ballots": (lambda at: ra.read_ballots(at / "ballots.csv"),
                lambda at: csv.read_csv(at / "ballots.csv"), 4),
    "ballots of Parquet": (lambda at: ra.read_ballots(at / "ballots.parquet"),
                           lambda at: csv.read_csv(at / "ballots.csv"), 4),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_reading_files_keeps_its_ratio_to_peers(name: str, folder: Path) -> None:
    ours, peer, limit = READ[name]
    check(name, lambda: ours(folder), lambda: peer(folder), limit)


def test_reading_long_frames_keeps_its_ratio_to_pandas(folder: Path) -> None:
    frame = pd.read_parquet(folder / "long.parquet")
    check("frame of pandas", lambda: scores_of(frame), lambda: pivoted(frame), 3)
    table = pa.Table.from_pandas(frame)
    check("table of Arrow", lambda: scores_of(table), lambda: pivoted(frame), 4)
