"""Counting votes: from the places of m rankings to pairwise integer counts.

No loop runs over rankings: what is counted, the kernels count, and the policies put it together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers, Ranks, Unranked
from rankagg.core.arithmetic import exact
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.votes.shares import occurring, share_denominator, undecided
from rankagg.kernels.counting import Counts, count
from rankagg.kernels.placing import absent_sums, doubled_places

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
    is_decided : bool
        Whether every ranking compares every two items.
    """

    wins: Integers
    ties: Integers
    comparisons: Integers
    denominator: int
    rounded: int
    is_decided: bool


def tally(ranks: Ranks, weights: Integers, unranked: Unranked) -> Tally:
    """Count the votes of all rankings, each with its integer weight.

    Time grows as m n^2, memory as n^2.
    """
    n = ranks.shape[1]
    sizes, is_open = undecided(ranks)
    denominator = share_denominator(sizes[is_open], n) if unranked == "uniform" else 1
    whole = int(weights.sum())
    # The sums below hold at most four times the weight of all rankings.
    small = whole * denominator * max(n * n, 8) < exact.INT64_SAFE
    kind = np.int64 if small else object
    above, both, half, off = (part.astype(kind, copy=False) for part in _counts(ranks, weights))
    rounded = 0
    if not is_open.any():
        comparisons = np.full((n, n), whole, dtype=kind)
        ties = comparisons - above - above.T
        wins = above
    else:
        observed = both.diagonal()
        missed = observed[:, None] - both  # rankings that observe row and not column
        comparisons = both - off
        wins = above - missed
        ties = comparisons - wins - wins.T
        if unranked == "last":
            # Listed items are above unranked ones; unlisted and unranked ones are not compared.
            wins = above - (half.diagonal()[:, None] - half)
    counts = [wins, ties, comparisons]
    if denominator > 1:
        counts = [array * denominator for array in counts]
        shares, rounded = _uniform_shares(ranks, weights, sizes, is_open, denominator)
        ahead = shares.astype(kind)
        # P(row before column) and P(column before row) make 1 where only row is observed.
        ahead = ahead + missed * denominator - ahead.T
        neither = whole - observed[:, None] - observed + both
        counts[0] = counts[0] + ahead + (neither + off) * (denominator // 2)
    for array in counts:
        np.fill_diagonal(array, 0)
    wins, ties, comparisons = counts
    return Tally(wins, ties, comparisons, denominator, rounded, not is_open.any())


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


def _uniform_shares(
    ranks: Ranks,
    weights: Integers,
    sizes: NDArray[np.int64],
    is_open: Bools,
    denominator: int,
) -> tuple[Integers, int]:
    """Return the weight of "row before column" where row is unobserved and column observed.

    And the weight of the rankings whose shares are rounded, each by half a unit at most.
    """
    # (r + 1)/(k + 1) = doubled / (2(k + 1)), and the factor makes that a share of `denominator`.
    factors = np.zeros(ranks.shape[1] + 1, dtype=object)
    is_rough = np.zeros(len(factors), dtype=bool)
    for k in occurring(sizes[is_open]):
        factors[k], rest = divmod(denominator, 2 * (k + 1))
        is_rough[k] = rest > 0
    rounded = is_rough[sizes] & is_open
    if not rounded.any():
        weights = exact.multiply(weights, exact.fit(factors)[sizes])
    total: Integers = np.zeros((ranks.shape[1],) * 2, dtype=np.int64)
    size = max(1, BLOCK // ranks.shape[1])
    for start in range(0, len(ranks), size):
        rows = slice(start, start + size)
        values = doubled_places(ranks[rows]).astype(np.int64)
        if rounded.any():
            over = 2 * (sizes[rows, None] + 1)
            values = (values * denominator + over // 2) // over
        part = _over_absent(weights[rows], ranks[rows] == UNRANKED, values)
        total = exact.combine(total, 1, part, 1)
    return total, int(weights[rounded].sum())


def _over_absent(weights: Integers, absent: Bools, values: NDArray[np.int64]) -> Integers:
    if int(weights.sum()) * max(int(values.max(initial=0)), 1) < exact.INT64_SAFE:
        return absent_sums(weights.astype(np.int64), absent, values)
    return exact.exact_product(weights, absent.astype(np.float64), values.astype(np.float64))


def _counts(ranks: Ranks, weights: Integers) -> tuple[Integers, ...]:
    """Return the weights of the rankings that say something of two items; see `Counts`."""
    distinct = weights[:1] if weights.min() == weights.max() else np.unique(weights)
    parts: Iterable[tuple[Counts, int]]
    if len(distinct) * 64 > len(weights):
        digits = exact.limbs(weights, 1)
        parts = ((count(ranks, digit.astype(np.int64)), scale) for digit, scale in digits)
    elif len(distinct) == 1:
        parts = [(count(ranks), int(distinct[0]))]
    else:
        rows = ((np.flatnonzero(weights == weight), int(weight)) for weight in distinct)
        parts = ((count(ranks.take(some, axis=0)), weight) for some, weight in rows)
    total: list[Integers] = []
    for part, scale in parts:
        if not total and scale == 1:
            total = list(part)
        elif not total:
            total = [exact.multiply(array, scale) for array in part]
        else:
            total = [exact.combine(a, 1, b, scale) for a, b in zip(total, part, strict=True)]
    return tuple(total)
