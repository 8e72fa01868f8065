"""Level and power of ranks by means and Borda points, from 4 tasks to 100.

Draws tables whose true order is known, and counts in how many of them a decision at 95 % is wrong,
which share of the true differences is decided, and how often a note says that the method need not
hold. Writes grid.csv, and prints what grid.txt holds; rows that the file holds already are kept.

    python examples/long/coverage/grid.py --jobs 2 > examples/long/coverage/grid.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from cells import ALPHA, completed, seed
from scipy import stats

import rankagg as ra
from rankagg.inference.ranks import rank_intervals as module

FILE = Path(__file__).parent / "grid.csv"
KEYS = ["tables", "method", "tasks"]
TASKS = (4, 5, 6, 8, 12, 30, 100)
VECTORS = RESAMPLES = 1000

# From a generator and a number of tasks to scores, shape (systems, tasks); higher is better.
Draw = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class Design:
    """What tables are drawn from: scores, and the true means of the systems."""

    draw: Draw
    level: Sequence[float]
    # Where they differ from the means: of Borda points and of majorities. None: not asked.
    level_of_ranks: Sequence[float] | None = ()
    in_families: bool = False
    is_complete: bool = True

    def truth(self, method: str) -> np.ndarray | None:
        """Return which row is truly above which column."""
        by_mean = method not in ("Borda", "majorities")
        level = self.level if by_mean or self.level_of_ranks == () else self.level_of_ranks
        return None if level is None else np.subtract.outer(level, level) > 0

    def table(self, rng: np.random.Generator, tasks: int) -> ra.ScoreTable:
        """Draw a table."""
        scores = self.draw(rng, tasks)
        families = {task: task // 3 for task in range(scores.shape[1])}
        more = {"task_families": families} if self.in_families else {}
        return ra.ScoreTable(scores, tasks=range(tasks), higher_is_better=True, **more)


def normal(
    rng: np.random.Generator, tasks: int, *, level: Sequence[float], spread: object = 1.0
) -> np.ndarray:
    """Draw normal scores about the levels."""
    centers, spreads = np.reshape(level, (-1, 1)), np.reshape(spread, (-1, 1))
    return centers + spreads * rng.normal(size=(len(level), tasks))


def scales(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Give each task its scale."""
    return rng.normal(size=(5, tasks)) * np.exp(rng.normal(size=tasks))


def clones(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Draw three pairs with a correlation of .999."""
    common = np.repeat(rng.normal(size=(3, tasks)), 2, axis=0)
    return np.sqrt(0.999) * common + np.sqrt(0.001) * rng.normal(size=(6, tasks))


def variants(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Draw three systems, and of each four variants that are much like it."""
    bases = np.repeat(rng.normal(size=(3, tasks)), 4, axis=0)
    return bases + np.reshape(VARIANTS, (-1, 1)) + 0.3 * rng.normal(size=(12, tasks))


def failing(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Let the first two of five fail in one task of ten, and lead in the others."""
    scores = rng.normal(scale=0.2, size=(5, tasks))
    scores[:2] += 1.0 - 10.0 * (rng.random((2, tasks)) < 0.1)
    return scores


def skewed(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Take an exponential loss from the first two of five, less its mean."""
    scores = rng.normal(scale=0.2, size=(5, tasks))
    scores[:2] += 1.0 - rng.exponential(size=(2, tasks))
    return scores


def families(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Give three tasks each the same strengths, and noise half as large."""
    strengths = rng.normal(size=(5, tasks))[:, np.arange(tasks) // 3]
    return strengths + 0.5 * rng.normal(size=(5, tasks))


def missing(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Drop three scores in ten, whatever they are."""
    scores = rng.normal(size=(6, tasks))
    return but(scores, rng.random(scores.shape) < 0.3, rng)


def hidden(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Let four of eight hide their scores in most tasks in which they are low."""
    scores = rng.normal(size=tasks) + rng.normal(size=(8, tasks))
    low = (scores < -0.7) & (np.arange(8)[:, None] < 4)
    return but(scores, low & (rng.random(low.shape) < 0.8), rng)


def but(scores: np.ndarray, gone: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Drop scores, but of each system, and in each task, a random one."""
    systems, tasks = scores.shape
    gone[np.arange(systems), rng.integers(tasks, size=systems)] = False
    gone[rng.integers(systems, size=tasks), np.arange(tasks)] = False
    return np.where(gone, np.nan, scores)


EQUAL = (0.0,) * 5
VARIANTS = (0.0, 0.2, 0.4, 0.6) * 3
GROUPS, TEN = (1.5, 1.5, 1.5, 0.0, 0.0, 0.0), tuple(np.linspace(3.0, 0.0, 10))
SPREADS = np.geomspace(1.0, 30.0, 5)
SYMMETRIC = {
    "equal": Design(partial(normal, level=EQUAL), EQUAL),
    "equal, other spreads": Design(partial(normal, level=EQUAL, spread=SPREADS), EQUAL),
    "tasks on scales": Design(scales, EQUAL),
    "t, 2 degrees": Design(lambda rng, tasks: rng.standard_t(2, size=(5, tasks)), EQUAL),
    "coins": Design(lambda rng, tasks: rng.choice([-1.0, 1.0], size=(5, tasks)), EQUAL),
    "clones": Design(clones, (0.0,) * 6),
    "one noisy of three": Design(
        partial(normal, level=(1.0, 0.0, 0.0), spread=(0.3, 0.3, 5.0)), (1.0, 0.0, 0.0), None
    ),
    "variants of three": Design(variants, VARIANTS, None),
    "two groups": Design(partial(normal, level=GROUPS), GROUPS),
    "ten over three": Design(partial(normal, level=TEN), TEN),
    "3 of 10 missing": Design(missing, (0.0,) * 6, is_complete=False),
}
OTHERS = {
    "families of three": Design(families, EQUAL, in_families=True),
    "rare failures": Design(failing, EQUAL, None),
    "skewed": Design(skewed, EQUAL, None),
    "low scores hidden": Design(hidden, (0.0,) * 8, is_complete=False),
}
DESIGNS = SYMMETRIC | OTHERS

# From a table to which row is decided to be above which column, and the notes.
Decide = Callable[[ra.ScoreTable, np.random.Generator], tuple[np.ndarray, Sequence[str]]]


def ranked(table: ra.ScoreTable, rng: np.random.Generator, **options: object) -> tuple:
    """Decide by `rank_intervals`."""
    found = ra.rank_intervals(table, alpha=ALPHA, rng=rng, **options)
    return found.decisions.above, found.notes


def plain(table: ra.ScoreTable, rng: np.random.Generator) -> tuple:
    """Decide by sums as they are, and never by scaled ones."""

    def unscaled(*parts: object, **_: object) -> object:
        return module_flips(*parts, scaled=False)

    module_flips = module.sign_flips
    with mock.patch.object(module, "sign_flips", unscaled):
        return ranked(table, rng, of="mean", n_resamples=VECTORS)


def normal_max_t(table: ra.ScoreTable, rng: np.random.Generator) -> tuple:
    """Decide by means, their covariance and the largest of normal differences, in steps.

    What csranks (Mogstad, Romano, Shaikh and Wilhelm 2024) does with means and their covariance.
    """
    scores = table.values
    n, tasks = scores.shape
    covariance = np.cov(scores) / tasks
    first, second = np.nonzero(~np.eye(n, dtype=bool))
    errors = np.sqrt(covariance.diagonal()[:, None] + covariance.diagonal() - 2 * covariance)
    errors = np.fmax(errors[first, second], 1e-300)
    means = scores.mean(axis=1)
    drawn = rng.multivariate_normal(np.zeros(n), covariance, size=RESAMPLES, method="svd")
    ts, seen = (drawn[:, first] - drawn[:, second]) / errors, (means[first] - means[second])
    open_ = np.ones(len(first), dtype=bool)
    while open_.any():
        bar = np.quantile(ts[:, open_].max(axis=1), 1 - ALPHA)
        passed = open_ & (seen / errors > bar)
        if not passed.any():
            break
        open_ &= ~passed
    above = np.zeros((n, n), dtype=bool)
    above[first, second] = ~open_
    return above, ()


METHODS: dict[str, Decide] = {
    "means": partial(ranked, of="mean", n_resamples=VECTORS),
    "means, plain sums": plain,
    "Borda": partial(ranked, of="borda", n_resamples=VECTORS),
    "majorities": partial(ranked, of="pairwise"),
    "max-t of means": partial(ranked, of="mean", method="max-t", n_resamples=RESAMPLES),
    "normal max-t, as csranks": normal_max_t,
}


def is_asked(name: str, method: str) -> bool:
    """Say whether a method has an answer in a design."""
    design = DESIGNS[name]
    return (design.is_complete or "max-t" not in method) and design.truth(method) is not None


def row_of(name: str, method: str, tasks: int, repetitions: int) -> dict[str, object]:
    """Return how often something is wrong, decided and noted in the tables of a cell."""
    design, decide = DESIGNS[name], METHODS[method]
    truth = design.truth(method)
    data, rng = seed(name, tasks), seed(name, method, tasks)
    wrong, power, noted = np.zeros((3, repetitions))
    for number in range(repetitions):
        above, notes = decide(design.table(data, tasks), rng)
        wrong[number] = (above & ~truth).any()
        power[number] = above[truth].mean() if truth.any() else np.nan
        noted[number] = any(map(is_warning, notes))
    return {
        **dict(zip(KEYS, (name, method, tasks), strict=True)), "repetitions": repetitions,
        "wrong": wrong.mean(), "power": power.mean(), "noted": noted.mean(),
        "wrong_noted": (wrong * noted).mean(),
    }  # fmt: skip


def is_warning(note: str) -> bool:
    """Say whether a note tells that decisions may be wrong more often than they say."""
    return any(part in note for part in ("not symmetric", "measured", "do worse"))


CELLS = [
    (name, method, tasks)
    for name in DESIGNS
    for method in METHODS
    if is_asked(name, method)
    for tasks in TASKS
    if not (DESIGNS[name].in_families and tasks < 6)
]


def summary(rows: pd.DataFrame) -> str:
    """Return the tables of the study."""
    most = int(rows["repetitions"].max())
    high = stats.binom.ppf(0.999, most, ALPHA) / most
    lines = [
        f"% of {most} tables with a wrong decision at 95 %; * above {100 * high:.1f}, which a",
        "method at its level passes in one of 1000 cells",
    ]
    for title, names in (("symmetric differences", SYMMETRIC), ("what is not", OTHERS)):
        lines += ["", _head(title)]
        for name, some in rows[rows["tables"].isin(names)].groupby("tables", sort=False):
            lines.append(name)
            for method, cells in some.groupby("method", sort=False):
                marks = {
                    row.tasks: f"{100 * row.wrong:.1f}{'*' if row.wrong > high else ' '}"
                    for row in cells.itertuples()
                }
                lines.append(_line(method, marks))
    lines += ["", _head("% of true differences decided")]
    for name, some in rows[rows["power"].notna()].groupby("tables", sort=False):
        lines.append(name)
        for method, cells in some.groupby("method", sort=False):
            marks = {row.tasks: f"{100 * row.power:.1f} " for row in cells.itertuples()}
            lines.append(_line(method, marks))
    lines += ["", _head("% of tables, and % of wrong ones, with a note")]
    for name, some in rows[rows["tables"].isin(OTHERS) & (rows["noted"] > 0)].groupby(
        "tables", sort=False
    ):
        lines.append(name)
        for method, cells in some.groupby("method", sort=False):
            marks = {
                row.tasks: f"{100 * row.noted:.0f}, {100 * row.wrong_noted / row.wrong:.0f} "
                if row.wrong
                else f"{100 * row.noted:.0f}, - "
                for row in cells.itertuples()
            }
            lines.append(_line(method, marks))
    return "\n".join(line.rstrip() for line in lines)


def _head(title: str) -> str:
    return f"{title:<40}" + "".join(f"{tasks:>9} " for tasks in TASKS)


def _line(method: str, marks: dict[int, str]) -> str:
    return f"  {method:<38}" + "".join(f"{marks.get(tasks, ''):>10}" for tasks in TASKS)


def main(repetitions: int, jobs: int) -> None:
    """Complete the rows, write them, and print the tables."""
    print(summary(completed(FILE, KEYS, CELLS, partial(row_of, repetitions=repetitions), jobs)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=1000, help="tables of a cell")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    main(options.repetitions, options.jobs)
