"""Exact coverage of the interval for one pair: a sum over all that n comparisons can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import stats

import rankagg as ra

# Chances of the first item to be above the other where they are not tied.
PROPORTIONS = np.linspace(0.5, 0.98, 49)


@dataclass(frozen=True)
class Cell:
    """Intervals for the proportion in which one item is above another.

    Attributes
    ----------
    method : str
        Of `PairwiseIntervals`.
    units : int
        Independent comparisons.
    ties : float
        The chance that one is a tie.
    """

    method: str
    units: int
    ties: float = 0.0

    KEYS: ClassVar = ("method", "units", "ties")

    def key(self) -> tuple[object, ...]:
        """Return what names the cell."""
        return self.method, self.units, self.ties

    def coverage(self) -> np.ndarray:
        """Return the chance that the interval holds each of the true proportions."""
        outcomes = np.array([
            (wins, losses)
            for wins in range(self.units + 1)
            for losses in range(self.units + 1 - wins)
            if self.ties or wins + losses == self.units
        ])  # fmt: skip
        lower, upper = np.array([self.bounds(*map(int, outcome)) for outcome in outcomes]).T
        wins, losses = outcomes.T
        found = []
        for p in PROPORTIONS:
            cells = np.array([(1 - self.ties) * p, (1 - self.ties) * (1 - p), self.ties])
            counts = np.column_stack([wins, losses, self.units - wins - losses])
            chance = stats.multinomial.pmf(counts, self.units, cells)
            true = cells[0] + cells[2] / 2
            found.append(chance[(lower <= true + 1e-12) & (true <= upper + 1e-12)].sum())
        return np.array(found)

    def bounds(self, wins: int, losses: int) -> tuple[float, float]:
        """Return the interval after so many wins and losses."""
        ties = self.units - wins - losses
        rows = [
            (ranks, count)
            for ranks, count in (((1, 2), wins), ((2, 1), losses), ((1, 1), ties))
            if count
        ]
        profile = ra.Profile.from_ranks(
            [ranks for ranks, _ in rows], items="AB", counts=[count for _, count in rows]
        )
        found = ra.PairwiseIntervals.from_data(profile, method=self.method, rng=0)
        return float(found.lower[0, 1]), float(found.upper[0, 1])

    def row(self, _: int) -> dict[str, object]:
        """Return the least and the mean coverage over the proportions."""
        found = self.coverage()
        names = dict(zip(self.KEYS, self.key(), strict=True))
        return {**names, "least": found.min(), "mean": found.mean()}


STRICT = ("hoeffding", "clopper-pearson", "wilson", "percentile")
TIED = ("hoeffding", "percentile")
CELLS = tuple(
    Cell(method, units) for method in STRICT for units in (6, 9, 12, 20, 50, 100, 200, 500, 1000)
) + tuple(Cell(method, units, 0.6) for method in TIED for units in (6, 9, 12, 20, 50, 100))
