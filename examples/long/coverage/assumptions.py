"""Coverage where what a test assumes is not so, and how often a note says it.

All systems are equal by mean scores, so every decision is wrong. Writes assumptions.csv and prints
what assumptions.txt holds; rows that the file holds already are kept.

    python examples/long/coverage/assumptions.py > examples/long/coverage/assumptions.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from cells import ALPHA, RESAMPLES, completed, seed

import rankagg as ra

FILE = Path(__file__).parent / "assumptions.csv"
KEYS = ["tables", "method", "tasks"]
SYSTEMS = 5
TASKS = (6, 8, 12, 30)
INSTANCES = 8

Draw = Callable[[np.random.Generator, int], np.ndarray]
# Returns of a table whether a pair is decided, and the notes.
Method = Callable[[ra.ScoreTable, np.random.Generator], tuple[bool, tuple[str, ...]]]


def failures(noise: float, depth: float) -> Draw:
    """Let the first two systems fail in one task of ten, and lead in the others."""

    def draw(rng: np.random.Generator, tasks: int) -> np.ndarray:
        scores = rng.normal(scale=noise, size=(SYSTEMS, tasks))
        scores[:2] += depth / 10 - depth * (rng.random((2, tasks)) < 0.1)
        return scores

    return draw


def skewed(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Take an exponential loss from the first two systems, less its mean."""
    scores = rng.normal(scale=0.2, size=(SYSTEMS, tasks))
    scores[:2] += 1.0 - rng.exponential(size=(2, tasks))
    return scores


def families(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Give three tasks each the same strengths of the systems, and noise half as large."""
    strengths = rng.normal(size=(SYSTEMS, tasks))[:, np.arange(tasks) // 3]
    return strengths + 0.5 * rng.normal(size=(SYSTEMS, tasks))


def instances(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Give each task its strengths, and instances as much noise."""
    strengths = rng.normal(size=(SYSTEMS, tasks))
    return np.repeat(strengths, INSTANCES, axis=1) + rng.normal(size=(SYSTEMS, tasks * INSTANCES))


DRAWS: dict[str, Draw] = {
    "normal": lambda rng, tasks: rng.normal(size=(SYSTEMS, tasks)),
    "tasks on scales": lambda rng, tasks: (
        rng.normal(size=(SYSTEMS, tasks)) * np.exp(rng.normal(size=tasks))
    ),
    "all skewed alike": lambda rng, tasks: -rng.exponential(size=(SYSTEMS, tasks)),
    "rare failures": failures(0.2, 10.0),
    "rare failures, noise": failures(1.0, 5.0),
    "skewed": skewed,
    "families of three": families,
    "8 instances a task": instances,
}


def ranks(of: str, method: str = "sign-flips", unit: str = "ranking") -> Method:
    """Decide about all pairs."""

    def decide(table: ra.ScoreTable, rng: np.random.Generator) -> tuple[bool, tuple[str, ...]]:
        found = ra.rank_intervals(
            table, of=of, method=method, unit=unit, alpha=ALPHA, n_resamples=RESAMPLES, rng=rng
        )
        return bool(found.decisions.pairs), found.notes

    return decide


def paired(table: ra.ScoreTable, rng: np.random.Generator) -> tuple[bool, tuple[str, ...]]:
    """Test the first system against the last one."""
    found = ra.paired_test(
        table, 0, SYSTEMS - 1, method="sign-flips", n_resamples=RESAMPLES, rng=rng
    )
    return found.p_value <= ALPHA, found.notes


FLIPS, TWO = {"ranks by mean, sign flips": ranks("mean")}, {"two systems, sign flips": paired}
BORDA = {"ranks by Borda, sign flips": ranks("borda")}
WAYS: dict[str, dict[str, Method]] = {
    "normal": FLIPS | BORDA | TWO,
    "tasks on scales": FLIPS | TWO,
    "all skewed alike": FLIPS | TWO,
    "rare failures": FLIPS | TWO,
    "rare failures, noise": FLIPS | TWO,
    "skewed": FLIPS | TWO,
    "families of three": FLIPS
    | BORDA
    | {"the same, a family being a task": ranks("mean", unit="task")},
    "8 instances a task": FLIPS
    | {
        "ranks by mean, sign flips of tasks": ranks("mean", unit="task"),
        "ranks by mean, max-t of tasks": ranks("mean", "max-t", "task"),
    },
}


def table_of(name: str, method: str, tasks: int, rng: np.random.Generator) -> ra.ScoreTable:
    """Draw a table."""
    scores = DRAWS[name](rng, tasks)
    more: dict[str, object] = {}
    if name == "8 instances a task":
        more = {"tasks": np.repeat(range(tasks), INSTANCES).tolist()}
    elif method == "the same, a family being a task":
        more = {"tasks": [task // 3 for task in range(tasks)]}
    if more:
        more["instances"] = range(scores.shape[1])
    return ra.ScoreTable(scores, higher_is_better=True, **more)


def row_of(name: str, method: str, tasks: int, repetitions: int) -> dict[str, object]:
    """Return how often something is decided, and how often a note says that it may be wrong."""
    data, rng = seed(name, tasks), seed(name, method, tasks)
    decide = WAYS[name][method]
    found = [decide(table_of(name, method, tasks, data), rng) for _ in range(repetitions)]
    wrong = np.array([decided for decided, _ in found])
    noted = np.array([any(map(is_warning, notes)) for _, notes in found])
    return {
        **dict(zip(KEYS, (name, method, tasks), strict=True)), "repetitions": repetitions,
        "wrong": wrong.mean(), "noted": noted.mean(), "wrong_noted": (wrong & noted).mean(),
    }  # fmt: skip


def is_warning(note: str) -> bool:
    """Say whether a note is about symmetry, or about units that are not independent."""
    return "not symmetric" in note or "taken for independent" in note or "were measured" in note


CELLS = [(name, method, tasks) for name in DRAWS for method in WAYS[name] for tasks in TASKS]


def summary(rows: pd.DataFrame) -> str:
    """Return the table of the study."""
    most = int(rows["repetitions"].max())
    lines = [
        f"nominal 5 % wrong; {SYSTEMS} systems of equal means; {most} tables a cell",
        "% of the tables wrong, with a note / % of the wrong ones with a note",
        "",
        " " * 38 + "tasks" + "".join(f"{tasks:>20}" for tasks in TASKS),
    ]
    for name, some in rows.groupby("tables", sort=False):
        lines.append(name)
        for method, cells in some.groupby("method", sort=False):
            parts = [_cell(row) for row in cells.to_dict("records")]
            lines.append(f"  {method:<41}" + "".join(f"{part:>20}" for part in parts))
    return "\n".join(lines)


def _cell(row: dict[str, float]) -> str:
    wrong, noted, both = (100 * row[key] for key in ("wrong", "noted", "wrong_noted"))
    share = f"{100 * both / wrong:.0f}" if wrong else "-"
    return f"{wrong:.1f}, {noted:.1f} / {share}"


def main(repetitions: int, jobs: int) -> None:
    """Complete the rows, write them, and print the tables."""
    print(summary(completed(FILE, KEYS, CELLS, partial(row_of, repetitions=repetitions), jobs)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=200, help="tables of a cell")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    main(options.repetitions, options.jobs)
