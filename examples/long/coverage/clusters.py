"""Coverage of tasks with instances: how often results are right.

Systems are equal, so every decision is wrong and every interval should contain 0. Tasks have 5,
10 or 15 instances each, and their own strengths of the systems. Writes clusters.csv and prints
clusters.txt; rows that the file already has are kept.

    python examples/long/coverage/clusters.py > examples/long/coverage/clusters.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from cells import ALPHA, RESAMPLES, seed
from summary import marked

import rankagg as ra

FILE = Path(__file__).parent / "clusters.csv"
KEYS = ["scores", "tasks", "question", "method", "unit"]
SYSTEMS = 6
TASKS = (6, 12, 30)
SPREAD = 0.5  # of the strengths of a system over tasks; instances spread by 1


@dataclass(frozen=True)
class Tables:
    """What is drawn.

    Attributes
    ----------
    scores : {"normal", "right or wrong", "tasks alike"}
        Normal scores, the signs of these, or normal ones whose tasks do not differ.
    tasks : int
        How many there are.
    """

    scores: str
    tasks: int

    @property
    def sizes(self) -> np.ndarray:
        """The instances of each task."""
        return np.array([5, 10, 15])[np.arange(self.tasks) % 3]

    def strengths(self, rng: np.random.Generator) -> np.ndarray:
        """Return how good each system is at each task."""
        if self.scores == "tasks alike":
            return np.zeros((SYSTEMS, self.tasks))
        return SPREAD * rng.normal(size=(SYSTEMS, self.tasks))

    def draw(self, rng: np.random.Generator) -> ra.ScoreTable:
        """Draw a table."""
        tasks = np.repeat(np.arange(self.tasks), self.sizes)
        values = self.strengths(rng)[:, tasks] + rng.normal(size=(SYSTEMS, len(tasks)))
        if self.scores == "right or wrong":
            values = (values > 0).astype(float)
        return ra.ScoreTable(
            values, tasks=tasks.tolist(), instances=range(len(tasks)),
            higher_is_better=True,
        )  # fmt: skip


Right = Callable[[ra.ScoreTable, np.random.Generator], bool]


def ranks(unit: str, method: str) -> Right:
    """Decide about all pairs; right where none is decided."""
    return lambda table, rng: not ra.rank_intervals(
        table, of="mean", unit=unit, method=method, alpha=ALPHA, n_resamples=RESAMPLES, rng=rng,
    ).decisions.pairs  # fmt: skip


def pair(unit: str) -> Right:
    """Bound how often one system is above another; right where that is a half."""

    def right(table: ra.ScoreTable, rng: np.random.Generator) -> bool:
        two = table.drop(systems=table.systems[2:])
        found = ra.PairwiseIntervals.from_data(
            two, method="percentile", unit=unit, alpha=ALPHA, n_resamples=RESAMPLES, rng=rng
        )
        return bool(found.lower[0, 1] <= 0.5 <= found.upper[0, 1])

    return right


def paired(unit: str, method: str) -> Right:
    """Bound the difference of two systems; right where it may be none."""

    def right(table: ra.ScoreTable, rng: np.random.Generator) -> bool:
        found = ra.paired_test(
            table, 0, 1, method=method, unit=unit, alpha=ALPHA, n_resamples=RESAMPLES, rng=rng
        )
        return found.lower <= 0.0 <= found.upper and found.p_value > ALPHA

    return right


def ways(scores: str) -> Iterator[tuple[str, str, str, Right]]:
    """Yield what is asked, the method, the unit, and how."""
    for unit, method in (
        ("ranking", "sign-flips"), ("task", "sign-flips"), ("task", "max-t"),
    ):  # fmt: skip
        yield "ranks, other tasks", method, unit, ranks(unit, method)
    for unit in ("ranking", "task"):
        yield "one pair, other tasks", "percentile", unit, pair(unit)
    yield "two systems, other tasks", "sign-flips", "task", paired("task", "sign-flips")
    yield "two systems, other tasks", "wilcoxon", "task", paired("task", "wilcoxon")
    if scores == "right or wrong":
        mcnemar = paired("ranking", "mcnemar")
        yield "two systems, other tasks", "mcnemar", "ranking", mcnemar


def rows_of(scores: str, tasks: int, repetitions: int, have: dict) -> Iterator[dict[str, object]]:
    """Yield a row for each way, of tables of one kind."""
    for question, method, unit, right in ways(scores):
        key = (scores, tasks, question, method, unit)
        if key in have:
            yield have[key]
            continue
        tables = Tables(scores, tasks)
        data, rng = seed(scores, tasks, False, 1), seed(*key)
        results = [right(tables.draw(data), rng) for _ in range(repetitions)]
        named = dict(zip(KEYS, key, strict=True))
        yield {**named, "repetitions": repetitions, "right": np.mean(results)}


def summary(rows: pd.DataFrame) -> str:
    """Return the table of the study."""
    lines = [
        f"nominal 95 %; {SYSTEMS} equal systems; {rows['repetitions'].max()} tables a cell, which "
        f"leaves {100 * np.sqrt(0.05 * 0.95 / rows['repetitions'].max()):.1f} points of chance",
        "* less than 93 % right",
    ]
    for scores, some in rows.groupby("scores", sort=False):
        lines += [
            "",
            f"{scores}: tasks" + " " * (50 - len(scores)) + "".join(f"{t:>8}" for t in TASKS),
        ]
        names = ["question", "method", "unit"]
        wide = some.pivot_table(index=names, columns="tasks", values="right", sort=False)
        for name, shares in zip(wide.index, wide.to_numpy(), strict=True):
            question, method, unit = name
            label = f"  {question + ', ' + method:<42}{'unit ' + unit:<20}"
            lines.append(label + "".join(f"{marked(100 * share, 'right'):>8}" for share in shares))
    return "\n".join(line.rstrip() for line in lines)


def main(repetitions: int) -> None:
    """Compute what is missing, write it, and print the table."""
    have = {}
    if FILE.exists():
        have = {tuple(row[k] for k in KEYS): row for row in pd.read_csv(FILE).to_dict("records")}
    rows = []
    for scores in ("normal", "right or wrong", "tasks alike"):
        for tasks in TASKS:
            for row in rows_of(scores, tasks, repetitions, have):
                rows.append(row)
                pd.DataFrame(rows).to_csv(FILE, index=False, float_format="%.5g")
    print(summary(pd.read_csv(FILE)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=400, help="tables of a cell")
    main(parser.parse_args().repetitions)
