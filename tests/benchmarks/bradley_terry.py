"""A million battles of 100 items, 5 % ties: time of a fit beside that of evalica and choix.

    python tests/benchmarks/bradley_terry.py

needs both installed. All get positions in arrays, evalica its own codes of outcomes, choix a
matrix of wins with half a win for a tie (it knows no ties). Theirs have no standard errors. Every
number is the least of five runs, in turns, on one thread; the ratio is to the faster one of the
others, and only within a run of this program do times mean something.
"""

from __future__ import annotations

import os
import time

# Before numpy is imported, which reads it once.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["RAYON_NUM_THREADS"] = "1"

import choix
import evalica
import numpy as np
import pandas as pd

import rankagg as ra

BATTLES, ITEMS, ROUNDS = 1_000_000, 100, 5


def battles(rng):
    """Return positions on both sides, and outcomes 1, 0 and -1."""
    first = rng.integers(0, ITEMS, BATTLES)
    second = (first + rng.integers(1, ITEMS, BATTLES)) % ITEMS
    worths = rng.normal(size=ITEMS, scale=0.7)
    odds = worths[first] - worths[second] + 0.2
    weights = np.stack([np.exp(odds / 2), np.full(BATTLES, 0.12), np.exp(-odds / 2)])
    at = (rng.random(BATTLES) > (weights / weights.sum(axis=0)).cumsum(axis=0)).sum(axis=0)
    return first, second, 1 - np.minimum(at, 2)


def by_choix(first, second, outcomes):
    """Return worths, sum 0."""
    won = np.where(outcomes >= 0, first, second) * ITEMS + np.where(outcomes >= 0, second, first)
    size = ITEMS * ITEMS
    wins = np.bincount(won, np.where(outcomes == 0, 0.5, 1.0), size).reshape(ITEMS, ITEMS)
    half = np.bincount(won[outcomes == 0], minlength=size).reshape(ITEMS, ITEMS) / 2
    return choix.ilsr_pairwise_dense(wins + half.T)


def main() -> None:
    """Print times and ratios."""
    first, second, outcomes = battles(np.random.default_rng(1))
    print(f"{(outcomes == 0).mean():.1%} ties")  # noqa: T201
    data = ra.Comparisons(range(ITEMS), first, second, outcomes)
    index = pd.Index(range(ITEMS))
    winners = np.array([evalica.Winner.Draw, evalica.Winner.X, evalica.Winner.Y], dtype=np.uint8)
    codes = winners[outcomes]
    runs = {
        "evalica": lambda: np.log(
            evalica.bradley_terry(first, second, codes, index=index, tolerance=1e-9).scores.reindex(
                index
            )
        ),
        "choix": lambda: by_choix(first, second, outcomes),
        "half a win, robust errors": lambda: ra.fit_bradley_terry(data).log_worths,
        "half a win, errors by the model": lambda: (
            ra.fit_bradley_terry(data, cov_type="model").log_worths
        ),
        "davidson and side": lambda: (
            ra.fit_bradley_terry(data, ties="davidson", side=True).log_worths
        ),
        "rao-kupper and side": lambda: (
            ra.fit_bradley_terry(data, ties="rao-kupper", side=True).log_worths
        ),
    }
    best = dict.fromkeys(runs, np.inf)
    found = {}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begun = time.perf_counter()
            worths = np.asarray(run())
            best[name] = min(best[name], time.perf_counter() - begun)
            found[name] = worths - worths.mean()
    fastest = min(best["evalica"], best["choix"])
    for name, seconds in best.items():
        gap = np.abs(found[name] - found["half a win, robust errors"]).max()
        print(  # noqa: T201
            f"{name:34s} {1000 * seconds:7.1f} ms   ratio {seconds / fastest:5.2f}   "
            f"largest difference of a log worth {gap:.1e}"
        )


if __name__ == "__main__":
    main()
