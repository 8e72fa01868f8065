"""The memetic search by itself against best known values: python -m tests.benchmarks.incumbent

One thread; seconds of the processor, so that what else runs on the machine counts little. The
first order is that of Borda's rule; values are those of the linear ordering problem (sums above
the diagonal). A search ends at the best known value, and what it has by then stands for all later
times. "numba" is printed where the extra `fast` is installed; its loops are compiled before.

Needs the folder `lolib` of the optional data, see `kemeny_table`.
"""

from __future__ import annotations

import os

# Before numpy is imported, which reads it once.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import csv
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from time import process_time

import click
import numpy as np

from rankagg.aggregation.kemeny.incumbent import Memetic
from rankagg.kernels import backend
from rankagg.kernels.local_search import Searches

CHECKOUT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("RANKAGG_DATA") or CHECKOUT.parent / "shared" / "data")

SECONDS = 1.0, 3.0, 10.0
#: Margins between two looks at the clock.
CHUNK = 300_000


@dataclass(frozen=True, eq=False)
class Instance:
    """A matrix whose sum above the diagonal is to be large, and the largest known."""

    name: str
    matrix: np.ndarray
    best_known: int

    @property
    def margins(self) -> np.ndarray:
        return self.matrix.T - self.matrix

    def value(self, order: np.ndarray) -> int:
        return int(np.triu(self.matrix[np.ix_(order, order)], k=1).sum())


def instances(pattern: str) -> list[Instance]:
    """Return the instances whose names fit, by size."""
    folder = DATA / "lolib"
    with (folder / "optima.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if fnmatch(row["instance"], pattern)]
    found = []
    for row in sorted(rows, key=lambda row: (int(row["n"]), row["instance"])):
        numbers = np.array((folder / row["instance"]).read_text().split(), dtype=np.int64)
        n = int(numbers[0])
        matrix = numbers[1 : 1 + n * n].reshape(n, n).copy()
        np.fill_diagonal(matrix, 0)
        found.append(Instance(row["instance"], matrix, int(row["best_known"])))
    return found


def differences(instance: Instance, seconds: list[float], seed: int) -> list[int]:
    """Return how far the search is from the best known value after so many seconds each."""
    margins, n = instance.margins, len(instance.matrix)
    began = process_time()
    first = np.argsort(margins.sum(axis=1), kind="stable")
    search = Memetic(margins, first[None], np.random.default_rng(seed))
    steps = max(1, CHUNK // (n * search.size))
    told = []
    for end in seconds:
        left = instance.value(search.order) - instance.best_known
        while left < 0 and process_time() - began < end:
            search.advance(steps)
            left = instance.value(search.order) - instance.best_known
        told.append(left)
    return told


def choose(compiled: bool) -> None:
    """Let everything run compiled, or nothing."""
    backend.is_wanted = lambda: compiled
    backend.loading_seconds = lambda: 0.0
    if compiled:
        tiny = np.array([[0, 1], [-1, 0]])
        Searches(tiny, np.arange(2)[None], np.random.default_rng(0)).advance(1)


@click.command()
@click.option("--only", default="*", help="Instances whose names fit this pattern.")
@click.option("--seconds", multiple=True, type=float, default=SECONDS, help="When to look.")
@click.option("--seeds", default=1, help="How many runs of each.")
@click.option(
    "--kernels", type=click.Choice(["numpy", "numba", "both"]), default="both", help="What runs."
)
def main(only: str, seconds: tuple[float, ...], seeds: int, kernels: str) -> None:
    """Print what the search reaches."""
    names = ["numba", "numpy"] if kernels == "both" else [kernels]
    names = [name for name in names if name == "numpy" or find_spec("numba") is not None]
    times = "  ".join(f"{second:>7g} s" for second in sorted(seconds))
    click.echo(f"{'instance':14} {'N':>4} {'best known':>10}  kernels seed  {times}  per cent")
    for instance in instances(only):
        for name in names:
            choose(name == "numba")
            for seed in range(seeds):
                told = differences(instance, sorted(seconds), seed)
                figures = "  ".join(f"{number:9d}" for number in told)
                off = 100 * told[-1] / instance.best_known
                click.echo(
                    f"{instance.name:14} {len(instance.matrix):4} {instance.best_known:10}  "
                    f"{name:7} {seed:4}  {figures}  {off:8.4f}"
                )


if __name__ == "__main__":
    main()
