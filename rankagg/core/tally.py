"""Counting votes: from the places of m rankings to pairwise integer counts.

No loop runs over rankings: strict wins come from one comparison per item and block of rankings,
everything about missing and unlisted items from products of small 0/1 matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankagg._typing import Floats, Integers, Ranks, Unranked
from rankagg.core import exact, places
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.core.shares import share_denominator, undecided
from rankagg.kernels.counting import above

__all__ = ["Tally", "sum_squares", "tally"]

# Cells looked at in one go: bounds the memory, and stays near the cache.
BLOCK = 500_000


@dataclass(frozen=True)
class Tally:
    """Votes for row above column: integers over one denominator.

    Attributes
    ----------
    wins, ties, comparisons : ndarray of int, shape (n, n)
        Numerators; `comparisons` counts rankings that compare the two items.
    denominator : int
        What the numerators are divided by.
    rounded : int
        The weight of the rankings with rounded shares: so many halves of a unit may a numerator
        in `wins` be off.
    """

    wins: Integers
    ties: Integers
    comparisons: Integers
    denominator: int
    rounded: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            exact.combine(self.wins, 1, other.wins, 1),
            exact.combine(self.ties, 1, other.ties, 1),
            exact.combine(self.comparisons, 1, other.comparisons, 1),
            self.denominator,
            self.rounded + other.rounded,
        )


def tally(ranks: Ranks, weights: Integers, unranked: Unranked) -> Tally:
    """Count the votes of all rankings, each with its integer weight."""
    denominator = share_denominator(ranks) if unranked == "uniform" else 1
    # Nothing is to be said of what is missing, and blocks are the kernel's own affair.
    size = len(ranks) if places.all_listed(ranks) else max(1, BLOCK // ranks.shape[1])
    blocks = [slice(start, start + size) for start in range(0, len(ranks), size)]
    total = _count(ranks[blocks[0]], weights[blocks[0]], unranked, denominator)
    for block in blocks[1:]:
        total += _count(ranks[block], weights[block], unranked, denominator)
    return total


def sum_squares(ranks: Ranks, squares: Floats) -> Floats:
    """Return the sum of `squares` over the rankings that compare row and column."""
    n = ranks.shape[1]
    if places.all_listed(ranks):
        return np.full((n, n), squares.sum())
    observed = (ranks != UNRANKED).astype(np.float64)
    total: Floats = (squares[:, None] * observed).T @ observed
    unlisted = (ranks == UNLISTED).astype(np.float64)
    if unlisted.any():
        total -= (squares[:, None] * unlisted).T @ unlisted
    return total


def _count(ranks: Ranks, weights: Integers, unranked: Unranked, denominator: int) -> Tally:
    n = ranks.shape[1]
    whole = int(weights.sum())
    # The sums below hold at most four times the weight of all rankings.
    small = whole * denominator * max(n * n, 8) < exact.INT64_SAFE
    kind = np.int64 if small else object

    def product(left: Floats, right: Floats) -> Integers:
        return exact.exact_product(weights, left, right).astype(kind)

    above = _strictly_above(places.comparable(ranks), weights).astype(kind)
    rounded = 0
    if places.all_listed(ranks):
        comparisons = np.full((n, n), whole, dtype=kind)
        wins, ties = above, comparisons - above - above.T
        counts = [array * denominator for array in (wins, ties, comparisons)]
    else:
        observed = (ranks != UNRANKED).astype(np.float64)
        unlisted = (ranks == UNLISTED).astype(np.float64)
        everyone = np.ones((len(ranks), 1))
        both = product(observed, observed)
        # Rankings that observe row and not column.
        missed = product(observed, everyone) - both
        off_both = product(unlisted, unlisted) if unlisted.any() else 0 * both
        comparisons = both - off_both
        wins = above - missed
        ties = comparisons - wins - wins.T
        if unranked == "last":
            # Listed items are above unranked ones; unlisted and unranked ones are not compared.
            off_row = product(unlisted, everyone)
            wins = above - (off_row - product(unlisted, observed))
        counts = [array * denominator for array in (wins, ties, comparisons)]
        if denominator > 1:
            shares, rounded = _uniform_shares(ranks, weights, denominator)
            ahead = shares.astype(kind)
            # P(row before column) and P(column before row) make 1 where only row is observed.
            ahead = ahead + missed * denominator - ahead.T
            neither = product(1.0 - observed, 1.0 - observed)
            counts[0] = counts[0] + ahead + (neither + off_both) * (denominator // 2)
    for array in counts:
        np.fill_diagonal(array, 0)
    wins, ties, comparisons = counts
    return Tally(wins, ties, comparisons, denominator, rounded)


def _uniform_shares(ranks: Ranks, weights: Integers, denominator: int) -> tuple[Integers, int]:
    """Return the weight of "row before column" where row is unobserved and column observed.

    And the weight of the rankings whose shares are rounded, each by half a unit at most.
    """
    observed = ranks != UNRANKED
    # (r + 1)/(k + 1) = doubled / (2(k + 1)), and the factor makes that a share of `denominator`.
    doubled: Floats = np.where(observed, 2.0 * places.mid_ranks(ranks) + 2.0, 0.0)
    sizes, is_open = undecided(ranks)
    absent = (~observed).astype(np.float64)
    occurring = np.unique(sizes[is_open]).tolist()
    rounded = np.isin(sizes, [k for k in occurring if denominator % (2 * (k + 1))]) & is_open
    if rounded.any():
        over = 2 * (sizes[:, None] + 1)
        units = (doubled.astype(np.int64) * denominator + over // 2) // over
        shares = exact.exact_product(weights, absent, units.astype(np.float64))
        return shares, int(weights[rounded].sum())
    factors = np.zeros(ranks.shape[1] + 1, dtype=object)
    factors[occurring] = [denominator // (2 * (k + 1)) for k in occurring]
    scaled = exact.multiply(weights, factors[sizes])
    return exact.exact_product(scaled, absent, doubled), 0


def _strictly_above(comparable: Ranks, weights: Integers) -> Integers:
    """Return the weight of rankings in which row's number is smaller than column's."""
    n = comparable.shape[1]
    distinct = weights[:1] if weights.min() == weights.max() else np.unique(weights)
    if len(distinct) * 64 > len(weights):
        kind = np.min_scalar_type(n + 1)
        return _weigh(np.ascontiguousarray(comparable.T, dtype=kind), weights)
    total: Integers = np.zeros((n, n), dtype=np.int64)
    for weight in distinct:
        counts = above(comparable if len(distinct) == 1 else comparable[weights == weight])
        total = exact.combine(total, 1, counts, int(weight))
    return total


def _weigh(columns: Ranks, weights: Integers) -> Integers:
    n, m = columns.shape
    digits, scales = zip(*exact.limbs(weights, 1), strict=True)
    factors = np.stack(digits, axis=1)
    parts = np.empty((n, n, len(scales)), dtype=np.int64)
    size = max(1, BLOCK // (8 * n * m))  # floats take eight times the room
    for start in range(0, n, size):
        rows = columns[start : start + size, None]
        sums = (rows < columns).reshape(-1, m).astype(np.float64) @ factors
        parts[start : start + size] = sums.reshape(-1, n, len(scales))
    total: Integers = parts[:, :, 0]
    for part, scale in zip(range(1, len(scales)), scales[1:], strict=True):
        total = exact.combine(total, 1, parts[:, :, part], scale)
    return exact.fit(total)
