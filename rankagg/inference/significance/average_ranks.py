"""Average ranks of independent rankings, Kendall's W, and Nemenyi's comparison of all pairs.

Average ranks of independent rankings, and how far these agree: Kendall's W.

Everything comes from sums of whole numbers: twice the distance of a mid-rank from the middle.
Counts multiply them, so repeated rankings take no memory, and sums are exact.

Nemenyi's comparison of all pairs of average ranks, as numbers; `FriedmanTest` gives them names.

Two items differ where their average ranks differ by more than the largest of all differences would
with probability alpha if all items ranked alike. It is a studentized range, for many rankings.
Nothing is corrected for ties, which makes the comparison more careful and not less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Integers, Ranks
from rankagg._validation import as_numbers
from rankagg.core.arithmetic.exact import INT64_SAFE
from rankagg.core.rankings import places
from rankagg.core.value import frozen_array
from rankagg.exceptions import Described, InvalidInputError

__all__ = [
    "AverageRanks",
    "alike",
    "average_ranks",
    "check_average_ranks",
    "concordance_without_ties",
    "critical_difference",
    "pair_p_values",
    "rank_units",
]

# Cells looked at in one go.
BLOCK = 1_000_000
# Printed average ranks are off by this at most: one decimal.
ROUNDING = 0.05


@dataclass(frozen=True, eq=False)
class AverageRanks:
    """What Friedman's test needs to know of some rankings."""

    # Shape (n,). The average mid-rank of each item, from 1; read-only.
    values: Floats
    # How many rankings, repeated ones included.
    n_rankings: int
    # Kendall's W with its correction for ties; NaN where every ranking ties all items.
    kendall_w: float


def average_ranks(ranks: Ranks, counts: NDArray[np.int64]) -> AverageRanks:
    """Average the mid-ranks of complete rankings."""
    n = ranks.shape[1]
    sums, squares = np.zeros(n, dtype=object), 0
    for rows in _blocks(ranks):
        # Twice the distance from the middle; its squares hold the correction for ties.
        offsets = np.rint(2 * places.mid_ranks(ranks[rows])).astype(np.int64) - (n - 1)
        sums += _weighted_sum(counts[rows], offsets)
        squares += int(_weighted_sum(counts[rows], (offsets**2).sum(axis=1)))
    size = int(counts.sum(dtype=object))
    # Python's integers divide without overflow and round once.
    values = np.array([(size * (n + 1) + int(s)) / (2 * size) for s in sums])
    between = sum(int(s) ** 2 for s in sums)
    concordance = between / (size * squares) if squares else float("nan")
    return AverageRanks(cast(Floats, frozen_array(values)), size, concordance)


def rank_units(ranks: Ranks, counts: NDArray[np.int64], units: NDArray[np.intp]) -> Ranks:
    """Rank the items of each unit by their average rank in its rankings."""
    sums = np.zeros((int(units.max()) + 1, ranks.shape[1]))
    for rows in _blocks(ranks):
        # Halves add up without rounding, so equal averages are tied.
        np.add.at(sums, units[rows], counts[rows, None] * places.mid_ranks(ranks[rows]))
    return places.competition_ranks(sums)


def check_average_ranks(given: ArrayLike) -> Floats:
    """Return average ranks that strict rankings can have, as far as these are rounded."""
    values = as_numbers(given, "average_ranks")
    number = np.arange(1, len(values) + 1)
    if len(values) < 2 or np.isnan(values).any():
        raise InvalidInputError("average_ranks", "two finite numbers or more", values.tolist())
    sums, least = np.cumsum(np.sort(values)), np.cumsum(number)
    if abs(sums[-1] - least[-1]) > ROUNDING * len(values):
        raise InvalidInputError(
            "average_ranks", f"average ranks from 1, which sum to n(n + 1)/2 = {least[-1]}",
            Described(f"the sum {sums[-1]:g}"),
        )  # fmt: skip
    low = sums < least - ROUNDING * number
    if low.any():
        best = int(np.argmax(low))
        raise InvalidInputError(
            "average_ranks",
            f"average ranks from 1, the {best + 1} smallest of which sum to {least[best]} at least",
            Described(f"the sum {sums[best]:g} of these"),
        )
    return cast(Floats, frozen_array(values))


def concordance_without_ties(values: Floats) -> float:
    """Return Kendall's W of rankings without ties from their average ranks."""
    n = len(values)
    # Rounded average ranks have another mean than (n + 1)/2.
    between = float(((values - values.mean()) ** 2).sum())
    return min(12.0 * between / (n**3 - n), 1.0)


def _blocks(ranks: Ranks) -> Iterator[slice]:
    size = max(1, BLOCK // ranks.shape[1])
    return (slice(start, start + size) for start in range(0, len(ranks), size))


def _weighted_sum(counts: NDArray[np.int64], values: NDArray[np.int64]) -> Integers:
    """Return `counts @ values` as Python integers where int64 might end."""
    largest = int(np.abs(values).max(initial=0))
    if int(counts.sum(dtype=object)) * largest < INT64_SAFE:
        small: NDArray[np.int64] = counts @ values
        return small
    large: NDArray[np.object_] = counts.astype(object) @ values.astype(object)
    return large


def critical_difference(n_items: int, n_rankings: int, alpha: float) -> float:
    """Return the difference of average ranks that is exceeded with probability alpha."""
    quantile = float(scipy.stats.studentized_range.ppf(1.0 - alpha, n_items, np.inf))
    return quantile * _scale(n_items, n_rankings)


def pair_p_values(average_ranks: Floats, n_rankings: int) -> Floats:
    """Return the adjusted p-value of each pair, shape (n, n); 1 on the diagonal."""
    n = len(average_ranks)
    gaps = np.abs(average_ranks[:, None] - average_ranks) / _scale(n, n_rankings)
    distinct, where = np.unique(gaps, return_inverse=True)
    tails = np.clip(scipy.stats.studentized_range.sf(distinct, n, np.inf), 0.0, 1.0)
    values: Floats = tails[where].reshape(n, n)
    np.fill_diagonal(values, 1.0)
    return values


def alike(average_ranks: Floats, difference: float) -> list[list[int]]:
    """Return the largest sets of neighbors by average rank that differ by no more, best first."""
    order = np.argsort(average_ranks, kind="stable")
    ranks = average_ranks[order]
    ends = np.searchsorted(ranks, ranks + difference, side="right")
    # A set that ends where the one before it ends is part of that one.
    starts = np.flatnonzero(np.diff(ends, prepend=0))
    return [order[start : ends[start]].tolist() for start in starts]


def _scale(n_items: int, n_rankings: int) -> float:
    """Return the standard deviation of an average rank without ties, times sqrt(k/(k - 1)).

    Average ranks sum to a constant; this is what they would have as independent numbers.
    """
    return float(np.sqrt(n_items * (n_items + 1) / (12.0 * n_rankings)))
