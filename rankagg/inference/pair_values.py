"""Values of every pair of items from one ranking, or from one column of scores.

A value measures how far the first item is above the second, from 1 (fully above) to 0 (fully
below), with 1/2 for a tie and NaN for no information. Intervals, tests and bootstraps use them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Positions, Ranks
from rankagg.aggregation import points
from rankagg.core import UNLISTED, UNRANKED, Profile, places

#: Positions of the first and of the second item of each pair.
Pairs = tuple[Positions, Positions]


@dataclass(frozen=True, eq=False)
class PairValues(ABC):
    """Values of the pairs of n items from m rows of observations."""

    # Shape (m, n). The observations.
    rows: NDArray[Any]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, index: Positions | slice) -> Self:
        """Return some of the rows."""
        return replace(self, rows=self.rows[index])

    @property
    def is_bounded(self) -> bool:
        """True if no possible value is outside [0, 1]."""
        return True

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.rows.shape[1])

    @cached_property
    def pairs(self) -> Pairs:
        """Positions of the first and the second item of each pair, first < second."""
        first, second = np.triu_indices(self.n_items, k=1)
        return first, second

    @abstractmethod
    def values(self) -> Floats:
        """Return the values of all rows and pairs, shape (m, p)."""

    def sizes(self, weights: Floats) -> Floats:
        """Return for each pair the weighted mean size of the terms of its values, at least 1."""
        return np.ones(len(self.pairs[0]))


class _OrderShares(NamedTuple):
    """Shares of the compatible orders with the first and with the second item above, and ties."""

    # Shape (m, p).
    first: Floats
    second: Floats
    tied: Bools


def order_shares(ranks: Ranks, pairs: Pairs, *, shared: bool) -> _OrderShares:
    """Return the shares of the compatible orders with either item of each pair above.

    Unranked items have shares only if `shared`, and two unlisted items never have.
    """
    (one, two), place = pairs, places.comparable(ranks)
    seen, off = ranks != UNRANKED, ranks == UNLISTED
    both = seen[:, one] & seen[:, two] & ~(off[:, one] & off[:, two])
    first = ((place[:, one] < place[:, two]) & both).astype(np.float64)
    second = ((place[:, one] > place[:, two]) & both).astype(np.float64)
    if shared:
        # P(unobserved before observed) = (place + 1)/(k + 1).
        ahead = (places.mid_ranks(ranks) + 1.0) / (seen.sum(axis=1, keepdims=True) + 1.0)
        level = ~(seen[:, one] | seen[:, two])
        for mine, other, share, rest in ((one, two, first, second), (two, one, second, first)):
            alone = seen[:, mine] & ~seen[:, other]
            share[alone], rest[alone] = 1.0 - ahead[:, mine][alone], ahead[:, mine][alone]
            share[level] = 0.5
    return _OrderShares(first, second, both & (place[:, one] == place[:, two]))


@dataclass(frozen=True, eq=False)
class Differences(PairValues):
    """Differences of the numbers of two items, as shares of the largest possible one."""

    # The largest difference: possible, or in the data if values are not bounded.
    scale: float
    # From rows to numbers, higher is better; the rows themselves by default.
    numbers: Callable[[NDArray[Any]], Floats] | None = None
    # True if the scale holds for all possible observations.
    is_bounded: bool = True

    @classmethod
    def of_points(cls, profile: Profile, *, only_ranked: bool = False) -> Differences:
        """Return the differences of Borda points.

        With `only_ranked` a ranking that does not rank an item has no values for its pairs.
        """
        ignoring = profile.unranked == "ignore"
        largest = max(profile.n_items - 1, 1) * (2.0 if ignoring else 1.0)

        def numbers(rows: Ranks) -> Floats:
            is_silent = (rows == UNRANKED) & only_ranked
            return np.where(is_silent, np.nan, points(rows, ignoring=ignoring))

        return cls(profile.ranks, largest, numbers)

    @property
    def is_complete(self) -> bool:
        """True if every row has a value for every pair."""
        # A million numbers at a time.
        size = max(1, 10**6 // max(self.rows.shape[1], 1))
        starts = range(0, len(self.rows), size)
        return not any(np.isnan(self._of(self.rows[at : at + size])).any() for at in starts)

    def _of(self, rows: NDArray[Any]) -> Floats:
        return rows if self.numbers is None else self.numbers(rows)

    def values(self) -> Floats:
        """Return (1 + difference/scale)/2; NaN if one of the numbers is NaN."""
        first, second = self.pairs
        numbers = self._of(self.rows)
        return 0.5 + (numbers[:, first] - numbers[:, second]) / (2.0 * self.scale)

    def sizes(self, weights: Floats) -> Floats:
        """Return 1 for points, which are exact; for scores the mean sum of absolute scores."""
        first, second = self.pairs
        if self.numbers is not None:
            return np.ones(len(first))
        present = ~np.isnan(self.rows)
        mass = (present * weights[:, None]).T
        both = (mass * np.abs(np.where(present, self.rows, 0.0) / self.scale).T) @ present
        with np.errstate(invalid="ignore"):
            means = (both + both.T) / (mass @ present)
        return np.asarray(np.fmax(means[first, second], 1.0))


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of the values of each pair over all units; arrays of shape (p,)."""

    # Units with a value of the pair.
    n: Floats
    # Weighted mean value; NaN where n is 0.
    mean: Floats
    # Sum of the squared shares of the units in the mean: 1/n for equal weights.
    shares: Floats


class PairSums(NamedTuple):
    """Sums over the units of each stratum; arrays of shape (s, p)."""

    # Number, weight and squared weight of the units with a value of each pair.
    n: Floats
    mass: Floats
    squared_mass: Floats
    # Weighted sums of their values.
    first: Floats

    def moments(self, stratum_weights: Floats) -> Moments:
        """Return the moments from the sums."""
        share = stratum_weights[:, None] * (self.n > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = share / share.sum(axis=0)
            mean = (share * np.where(self.n > 0, self.first / self.mass, 0.0)).sum(axis=0)
            squares = np.where(self.n > 0, self.squared_mass / self.mass**2, 0.0)
            shares = (share**2 * squares).sum(axis=0)
        return Moments(self.n.sum(axis=0), mean, shares)
