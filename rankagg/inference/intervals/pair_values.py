"""What one ranking, or one column of scores, says of every pair of items.

A value is how far the first item is above the second: 1 all the way, 0 the reverse, 1/2 neither,
NaN nothing. Intervals, tests and bootstraps work on such values, whatever they mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Ranks, Unranked
from rankagg.aggregation.positional import points
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNLISTED, UNRANKED

# Numbers that are looked at one time.
BLOCK = 1_000_000

__all__ = ["Comparisons", "CompatibleShares", "Differences", "PairValues", "point_differences"]


@dataclass(frozen=True, eq=False)
class PairValues(ABC):
    """Rows of m observations of n items that tell of pairs."""

    # Shape (m, n). The observations.
    rows: NDArray[Any]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, index: NDArray[np.intp] | slice) -> Self:
        """Return some of the rows."""
        return replace(self, rows=self.rows[index])

    @property
    def is_bounded(self) -> bool:
        """True where no possible value is outside [0, 1]."""
        return True

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Positions of the first and the second item of each pair, first < second."""
        first, second = np.triu_indices(self.rows.shape[1], k=1)
        return first, second

    @abstractmethod
    def values(self) -> Floats:
        """Return the values of all rows and pairs, shape (m, p)."""

    def sizes(self, weights: Floats) -> Floats:
        """Return for each pair the weighted mean size of what values come from, 1 at least."""
        return np.ones(len(self.pairs[0]))


@dataclass(frozen=True, eq=False)
class Comparisons(PairValues):
    """Rankings that tell of the pairs they compare: above, tied or below."""

    rows: Ranks

    def values(self) -> Floats:
        """Return 1, 1/2 or 0; NaN where an item is unranked or both are unlisted."""
        first, second = self.pairs
        result = _above(self.rows, self.pairs)
        observed = self.rows != UNRANKED
        result[~_both(observed, self.pairs)] = np.nan
        result[_both(self.rows == UNLISTED, (first, second))] = np.nan
        return result


@dataclass(frozen=True, eq=False)
class CompatibleShares(PairValues):
    """Rankings that tell of every pair, by the share of their compatible permutations."""

    rows: Ranks

    def values(self) -> Floats:
        """Return the shares: between 0 and 1 where an item is unranked."""
        first, second = self.pairs
        result = _above(self.rows, self.pairs)
        observed = self.rows != UNRANKED
        # P(unobserved before observed) = (place + 1)/(k + 1).
        share = (places.mid_ranks(self.rows) + 1.0) / (observed.sum(axis=1, keepdims=True) + 1.0)
        only_first = observed[:, first] & ~observed[:, second]
        only_second = ~observed[:, first] & observed[:, second]
        result = np.where(only_first, 1.0 - share[:, first], result)
        result = np.where(only_second, share[:, second], result)
        result[_both(~observed, self.pairs) | _both(self.rows == UNLISTED, self.pairs)] = 0.5
        return result


@dataclass(frozen=True, eq=False)
class Differences(PairValues):
    """Numbers that tell of a pair by their difference, as a share of the largest possible."""

    # No difference exceeds it; those of the data only, where values are not bounded.
    scale: float
    # From rows to numbers, higher is better; the rows themselves by default.
    numbers: Callable[[NDArray[Any]], Floats] | None = None
    # True where the scale holds for all possible observations.
    is_bounded: bool = True

    @property
    def is_complete(self) -> bool:
        """True where every row tells of every pair."""
        size = max(1, BLOCK // max(self.rows.shape[1], 1))
        starts = range(0, len(self.rows), size)
        return not any(np.isnan(self._of(self.rows[at : at + size])).any() for at in starts)

    def _of(self, rows: NDArray[Any]) -> Floats:
        return rows if self.numbers is None else self.numbers(rows)

    def values(self) -> Floats:
        """Return (1 + difference/scale)/2; NaN where one of the numbers is."""
        first, second = self.pairs
        numbers = self._of(self.rows)
        result: Floats = 0.5 + (numbers[:, first] - numbers[:, second]) / (2.0 * self.scale)
        return result

    def sizes(self, weights: Floats) -> Floats:
        """Return 1 for points, which are exact; of scores what two weigh without their signs."""
        first, second = self.pairs
        if self.numbers is not None:
            return np.ones(len(first))
        told = ~np.isnan(self.rows)
        whole = (told * weights[:, None]).T
        both = (whole * np.abs(np.where(told, self.rows, 0.0) / self.scale).T) @ told
        with np.errstate(invalid="ignore"):
            means = (both + both.T) / (whole @ told)
        sizes: Floats = np.fmax(means[first, second], 1.0)
        return sizes


def point_differences(
    ranks: Ranks, unranked: Unranked, *, only_ranked: bool = False
) -> Differences:
    """Return the differences of Borda points as values of pairs.

    With `only_ranked` a ranking that does not rank an item tells nothing of its pairs, unless the
    policy is that it comes last.
    """
    largest = max(ranks.shape[1] - 1, 1) * (2.0 if unranked == "ignore" else 1.0)
    of = _ranked_points if only_ranked and unranked != "last" else points
    return Differences(ranks, largest, partial(of, unranked=unranked))


def _ranked_points(ranks: Ranks, unranked: Unranked) -> Floats:
    return np.where(ranks == UNRANKED, np.nan, points(ranks, unranked))


def _above(ranks: Ranks, pairs: tuple[NDArray[np.intp], NDArray[np.intp]]) -> Floats:
    first, second = pairs
    comparable = places.comparable(ranks)
    one, two = comparable[:, first], comparable[:, second]
    values: Floats = (one < two) + 0.5 * (one == two)
    return values


def _both(flags: Bools, pairs: tuple[NDArray[np.intp], NDArray[np.intp]]) -> Bools:
    both: Bools = flags[:, pairs[0]] & flags[:, pairs[1]]
    return both
