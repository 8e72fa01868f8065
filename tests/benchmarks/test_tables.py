"""Reading tables beside peers, as ratios within one run: pytest -o addopts='' -s tests/benchmarks

Nothing here fails for being slow but by far; the figures are there to be read.
"""

from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, json, parquet

import rankagg as ra

SYSTEMS, TASKS, INSTANCES, MISSING = 20, 10, 5_000, 0.218
NAMES = {"higher_is_better": True, "task": "task", "instance": "k", "score": "score"}


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of three runs."""
    runs = []
    for _ in range(3):
        start = process_time()
        work()
        runs.append(process_time() - start)
    return min(runs)


def said(name: str, ours: Callable[[], object], peer: Callable[[], object], limit: float) -> None:
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
    return folder


@pytest.mark.parametrize("name", ["long.csv", "short.csv", "quoted.csv", "long.csv.gz"])
def test_long_scores_beside_pandas(name: str, folder: Path) -> None:
    path = folder / name
    said(name, lambda: ra.read_scores(path, **NAMES), lambda: pivoted(pd.read_csv(path)), 4.5)


def test_long_scores_of_other_files_beside_pandas(folder: Path) -> None:
    path = folder / "long.parquet"
    said(
        path.name, lambda: ra.read_scores(path, **NAMES), lambda: pivoted(pd.read_parquet(path)), 3
    )
    path = folder / "long.jsonl"
    said(path.name, lambda: ra.read_scores(path, **NAMES),
         lambda: pivoted(json.read_json(path).to_pandas()), 6)  # fmt: skip


def test_long_frames_beside_pandas(folder: Path) -> None:
    frame = pd.read_parquet(folder / "long.parquet")
    said("frame of pandas", lambda: ra.read_scores(frame, **NAMES), lambda: pivoted(frame), 3)
    table = pa.Table.from_pandas(frame)
    said("table of Arrow", lambda: ra.read_scores(table, **NAMES), lambda: pivoted(frame), 4)


def test_parquet_is_no_slower_than_text(folder: Path) -> None:
    said("Parquet beside CSV", lambda: ra.read_scores(folder / "long.parquet", **NAMES),
         lambda: ra.read_scores(folder / "long.csv", **NAMES), 1)  # fmt: skip


def test_wide_scores_beside_pandas(folder: Path) -> None:
    path = folder / "wide.csv"
    said("wide by instance", lambda: ra.read_scores(path, higher_is_better=True, instance="k"),
         lambda: pd.read_csv(path).pivot(index="k", columns="system"), 8)  # fmt: skip
    path = folder / "columns.csv"
    said("16,000 columns", lambda: ra.read_scores(path, higher_is_better=True),
         lambda: pd.read_csv(path), 3)  # fmt: skip


def test_a_million_ballots_beside_a_bare_read_by_arrow(folder: Path) -> None:
    path = folder / "ballots.csv"
    said("ballots", lambda: ra.read_ballots(path), lambda: csv.read_csv(path), 4)
    file = path.with_suffix(".parquet")
    parquet.write_table(csv.read_csv(path), file)
    said("ballots of Parquet", lambda: ra.read_ballots(file), lambda: csv.read_csv(path), 4)


@pytest.mark.parametrize(("m", "n"), [(20_000, 10), (4_000, 50)])
def test_orders_beside_one_by_one(m: int, n: int) -> None:
    orders = np.argsort(np.random.default_rng(0).random((m, n)), axis=1)
    labels = [[f"item {i}" for i in order] for order in orders.tolist()]
    items = sorted({label for order in labels for label in order})

    def one_by_one(given: list[list[str]]) -> ra.Profile:
        return ra.Profile([ra.PartialRanking.from_order(order, items=items) for order in given])

    few = labels[: m // 20]
    ratio = seconds(lambda: ra.Profile.from_orders(labels)) / seconds(lambda: one_by_one(few)) / 20
    print(f"\norders of {n}: {1 / ratio:.1f} times as fast as one by one")  # noqa: T201
    assert ratio < 0.2
