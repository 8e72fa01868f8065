"""Counting votes: from the places of m rankings to pairwise integer counts.

With k observed items and an observed item at the mean place r, an unobserved one is before it in
(r + 1)/(k + 1) of the compatible permutations. That is a whole number over 2(k + 1), and several k
need a common denominator, which grows like exp(n) where all k up to n occur. So beyond some size
each share is rounded to a power of two that depends on the number of items alone. A share is
rounded by itself, so that the order of rankings and how they are put together do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Integers64, Ranks
from rankagg.core import exact
from rankagg.core.places import UNRANKED
from rankagg.kernels.counting import ENTRIES_AT_ONCE, Counts, count, doubled_places, row_sums

Scaled: TypeAlias = tuple[Integers, Integers, Integers]
# Up to so many items any denominator is cheap.
EXACT_ITEMS = 100
# Beyond, n * n numbers over a denominator must leave 2**12 of int64 for the votes.
GRID_ROOM = 2**50
# Cells looked at in one go: bounds the memory, and stays near the cache.
PLACES_AT_ONCE = 500_000
# Sums of so many numbers below 2**LOW_DIGITS are whole numbers that floats hold.
SUMMED_RANKINGS = 2**13
LOW_DIGITS = 40


def grid(n: int) -> int:
    """Return the power of two that the shares of n items are rounded to."""
    return int(2 ** ((GRID_ROOM // n**2).bit_length() - 1))


def shares_fit(denominator: int, n: int) -> bool:
    """Say whether votes on n items over a denominator are cheap enough to be exact."""
    return n <= EXACT_ITEMS or denominator * n**2 <= GRID_ROOM


def _occurring(sizes: Integers64) -> list[int]:
    """Return the different numbers of items, ascending."""
    return np.flatnonzero(np.bincount(sizes)).tolist()


def _share_denominator(sizes: Integers64, n: int) -> int:
    """Return what the shares are whole numbers over where so many of n items are observed."""
    denominator = lcm(1, *(2 * (k + 1) for k in _occurring(sizes)))
    return denominator if shares_fit(denominator, n) else grid(n)


def _rescaled(array: Integers, factor: int, divisor: int) -> Integers:
    """Return `array * factor / divisor`, rounded to the nearest integers (halves up)."""
    doubled = exact.combine(array, 2 * factor, np.ones_like(array), divisor)
    return exact.fit(doubled // (2 * divisor))


def _on_grid(
    wins: Integers, ties: Integers, comparisons: Integers, denominator: int, shares: int
) -> tuple[Scaled, int, float]:
    """Round the imputed part of votes to the grid, unless it is on it.

    Ties, comparisons and the weight of every pair keep their values.
    """
    step = grid(len(wins))
    if step % shares == 0:
        return (wins, ties, comparisons), denominator, 0.0
    pairs = wins + wins.T + ties
    common = denominator
    for array in (ties, comparisons, pairs):
        common = gcd(common, int(np.gcd.reduce(array.ravel(), initial=0)))
    ties, comparisons, pairs, rounded = (
        _rescaled(array, step, common) for array in (ties, comparisons, pairs, wins)
    )
    # One side of a pair is rounded, and the other is the rest.
    lower = np.tril(pairs - ties - rounded.T, k=-1)
    target = denominator // common * step  # what the weights are whole numbers over, on the grid
    return (np.triu(rounded, k=1) + lower, ties, comparisons), target, 1.0 / (2.0 * target)


def added(
    both: Sequence[Scaled], denominators: Sequence[int], each: Sequence[int]
) -> tuple[Scaled, int, int, Fraction]:
    """Return the sum of votes of two parts, its denominator and shares, and what was rounded.

    The shares of a part are what its imputed votes were whole numbers over.
    """
    n = len(both[0][0])
    shares = lcm(*each)
    parts = [(votes, over, 0.0) for votes, over in zip(both, denominators, strict=True)]
    if not shares_fit(shares, n):
        given = zip(both, denominators, each, strict=True)
        parts = [_on_grid(*votes, over, own) for votes, over, own in given]
        shares = grid(n)
    (mine, my_over, my_rounding), (theirs, their_over, their_rounding) = parts
    denominator = lcm(my_over, their_over)
    wins, ties, comparisons = (
        exact.combine(a, denominator // my_over, b, denominator // their_over)
        for a, b in zip(mine, theirs, strict=True)
    )
    rounding = Fraction(my_rounding) + Fraction(their_rounding)
    return (wins, ties, comparisons), denominator, shares, rounding


@dataclass(frozen=True)
class _Tally:
    """Votes for row above column: integers over one denominator."""

    # Shape (n, n). Numerators; `comparisons` counts rankings that compare the two items.
    wins: Integers
    ties: Integers
    comparisons: Integers
    # What the numerators are divided by.
    denominator: int
    # The weight of the rankings with rounded shares: so many halves of a unit may a numerator in
    # `wins` be off.
    rounded: int
    # Whether every ranking compares every two items.
    is_decided: bool


def tally(ranks: Ranks, weights: Integers, *, shared: bool) -> _Tally:
    """Count the votes of all rankings, each with its integer weight.

    Where votes are `shared`, an unranked item has the part of the compatible permutations that is
    for it; else nothing is said of it. Two unlisted items are never compared. Time grows as m n^2,
    memory as n^2.
    """
    m, n = ranks.shape
    is_whole = int(ranks.min(initial=0)) >= 0
    sizes = np.full(m, n) if is_whole else row_sums(ranks != UNRANKED)
    has_gaps = sizes < n
    shared = shared and bool(has_gaps.any())
    denominator = _share_denominator(sizes[has_gaps], n) if shared else 1
    whole = int(weights.sum())
    # The sums below hold at most four times the weight of all rankings.
    small = whole * denominator * max(n * n, 8) < exact.INT64_SAFE
    kind = np.int64 if small else object
    above, both, off = (part.astype(kind, copy=False) for part in _weighted_counts(ranks, weights))
    rounded = 0
    wins, comparisons = above, both - off
    if has_gaps.any():
        observed = both.diagonal()
        missed = observed[:, None] - both  # rankings that observe row and not column
        wins = above - missed
    ties = comparisons - wins - wins.T
    if shared:
        for array in (wins, ties, comparisons):
            np.multiply(array, denominator, out=array)
        shares, rounded = _uniform_shares(ranks, weights, sizes, has_gaps, denominator)
        # P(row before column) and P(column before row) make 1 where only row is observed.
        missed *= denominator
        wins += missed
        shares = shares.astype(kind, copy=False)
        wins += shares
        wins -= shares.T
        neither = both + (whole - observed[:, None] - observed)
        neither *= denominator // 2
        wins += neither
    for array in (wins, ties, comparisons):
        np.fill_diagonal(array, 0)
    is_decided = not has_gaps.any() and not off.any(where=~np.eye(n, dtype=bool))
    return _Tally(wins, ties, comparisons, denominator, rounded, is_decided)


def _uniform_shares(
    ranks: Ranks,
    weights: Integers,
    sizes: Integers64,
    has_gaps: Bools,
    denominator: int,
) -> tuple[Integers, int]:
    """Return the weight of "row before column" where row is unobserved and column observed.

    And the weight of the rankings whose shares are rounded, each by half a unit at most.
    """
    # (r + 1)/(k + 1) = doubled / (2(k + 1)), and the factor makes that a share of `denominator`.
    factors = np.zeros(ranks.shape[1] + 1, dtype=object)
    is_rough = np.zeros(len(factors), dtype=bool)
    for k in _occurring(sizes[has_gaps]):
        factors[k], rest = divmod(denominator, 2 * (k + 1))
        is_rough[k] = rest > 0
    rounded = is_rough[sizes] & has_gaps
    if not rounded.any():
        weights = exact.multiply(weights, exact.fit(factors)[sizes])
    total: Integers = np.zeros((ranks.shape[1],) * 2, dtype=np.int64)
    size = max(1, PLACES_AT_ONCE // ranks.shape[1])
    for start in range(0, len(ranks), size):
        rows = slice(start, start + size)
        values = doubled_places(ranks[rows]).astype(np.int64)
        if rounded.any():
            over = 2 * (sizes[rows, None] + 1)
            values = (values * denominator + over // 2) // over
        part = _over_absent(weights[rows], ranks[rows] == UNRANKED, values)
        total = exact.combine(total, 1, part, 1)
    return total, int(weights[rounded].sum())


def _over_absent(weights: Integers, absent: Bools, values: Integers64) -> Integers:
    if int(weights.sum()) * max(int(values.max(initial=0)), 1) < exact.INT64_SAFE:
        return _absent_sums(weights.astype(np.int64), absent, values)
    return exact.exact_product(weights, absent.astype(np.float64), values.astype(np.float64))


def _weighted_counts(ranks: Ranks, weights: Integers) -> tuple[Integers, ...]:
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


def _absent_sums(
    weights: Integers64, absent: Bools, values: NDArray[np.signedinteger]
) -> Integers64:
    """Return the weighted sum of the column's values over the rankings without the row's item.

    Time grows with the pairs of an absent and any item: m n^2 at most.
    """
    m, n = absent.shape
    total = np.zeros((n, n), dtype=np.int64)
    size = min(SUMMED_RANKINGS, max(1, ENTRIES_AT_ONCE // n))
    for start in range(0, m, size):
        rows = slice(start, start + size)
        units = weights[rows, None] * values[rows].astype(np.int64)
        left = absent[rows].T.astype(np.float64)
        low = left @ (units & (2**LOW_DIGITS - 1)).astype(np.float64)
        total += low.astype(np.int64)
        if int(units.max(initial=0)) >> LOW_DIGITS:
            high = left @ (units >> LOW_DIGITS).astype(np.float64)
            total += high.astype(np.int64) << LOW_DIGITS
    return total
