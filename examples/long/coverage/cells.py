"""How often decisions about pairs, and the ranks that follow from them, are right."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
from distributions import Distribution
from joblib import Parallel, delayed

import rankagg as ra

ALPHA = 0.05
RESAMPLES = 400
BATCH = 250
# More than 7 % wrong where 5 % are promised is called a miss: a method that just holds its level
# is wrong in more of 1000 tables by chance in one of 400 cells.
LIMIT = 0.07


def seed(*parts: object) -> np.random.Generator:
    """Return a generator that depends on nothing but the name of a cell."""
    return np.random.default_rng(zlib.crc32("|".join(map(str, parts)).encode()))


@dataclass(frozen=True)
class Cell:
    """One way to bound ranks, on tables of so many units drawn from one distribution.

    Attributes
    ----------
    distribution : Distribution
        What is drawn.
    units : int
        Independent units of a table.
    of, method : str
        Of `rank_intervals`.
    unit : str
        What is taken to be independent; what is so, by default.
    """

    distribution: Distribution
    units: int
    of: str
    method: str
    unit: str = ""

    KEYS: ClassVar = ("distribution", "systems", "units", "of", "method", "unit")

    def key(self) -> tuple[object, ...]:
        """Return what names the cell."""
        source, unit = self.distribution, self.unit or self.distribution.unit
        return source.name, source.systems, self.units, self.of, self.method, unit

    def row(self, repetitions: int) -> dict[str, object]:
        """Return how often the results of a table are right.

        Looks after every 250 tables, and ends where the share of wrong ones is three standard
        errors from `LIMIT`.
        """
        distribution, truth = self.distribution, self.distribution.truth(self.of)
        # All methods see the same tables.
        data = seed(distribution.name, distribution.systems, self.units)
        name = " ".join(filter(None, (self.of, self.method, self.unit)))
        rng = seed(distribution.name, distribution.systems, self.units, name)
        found: list[dict[str, object]] = []
        while len(found) < repetitions:
            now = min(BATCH, repetitions - len(found))
            found += [
                right(self.bound(table, rng), truth)
                for table in distribution.tables(data, now, self.units)
            ]
            off = abs(np.mean([one["wrong"] for one in found]) - LIMIT)
            if off > 3 * np.sqrt(LIMIT * (1 - LIMIT) / len(found)):
                break
        names = dict(zip(self.KEYS, self.key(), strict=True))
        shares = {name: np.mean([one[name] for one in found], axis=0).min() for name in found[0]}
        return {**names, "repetitions": len(found), **shares}

    def bound(self, table: ra.ScoreTable, rng: np.random.Generator) -> ra.inference.RankIntervals:
        """Bound the places."""
        return ra.rank_intervals(
            table, of=self.of, method=self.method, alpha=ALPHA,
            unit=self.unit or self.distribution.unit, n_resamples=RESAMPLES, rng=rng,
        )  # fmt: skip


def right(ranks: ra.inference.RankIntervals, truth: np.ndarray) -> dict[str, object]:
    """Return which results are right; an array holds one answer for each item.

    Parameters
    ----------
    ranks : RankIntervals
        The intervals of the ranks.
    truth : ndarray of bool, shape (n, n)
        Row is truly above column.
    """
    above = ranks.decisions.above
    place = 1 + truth.sum(axis=0)
    inside = (ranks.best <= place) & (place <= ranks.worst)
    alone = (ranks.marginal_best <= place) & (place <= ranks.marginal_worst)
    first = [item in ranks.first for item in np.flatnonzero(place == 1)]
    return {
        "wrong": (above & ~truth).any(),
        "ranks": inside.all(),
        "rank": alone,
        "first": np.array(first),
        **{f"top_{k}": set(np.flatnonzero(place <= k)) <= set(ranks.top(k)) for k in (1, 3)},
        "power": above[truth].mean() if truth.any() else np.nan,
    }


def completed(
    path: Path, keys: list[str], cells: Sequence[tuple], row_of: Callable[..., dict], jobs: int
) -> pd.DataFrame:
    """Compute the rows that a file does not hold, write them, and return all in order."""
    kept = pd.read_csv(path).to_dict("records") if path.exists() else []
    have = {tuple(row[key] for key in keys): row for row in kept}
    pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for row in pool(delayed(row_of)(*cell) for cell in cells if cell not in have):
        have[tuple(row[key] for key in keys)] = row
        # Kept at once, so that a stopped study can continue.
        rows = pd.DataFrame([have[cell] for cell in cells if cell in have])
        rows.to_csv(path, index=False, float_format="%.5g")
    return pd.read_csv(path)
