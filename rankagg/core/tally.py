"""Pairwise integer votes from the places of m rankings.

With k observed items and an observed item at the mean place r, an unobserved one is before it in
(r + 1)/(k + 1) of the compatible permutations, a whole number over 2(k + 1). Several k need a
common denominator, which grows like exp(n) if all k up to n occur. Beyond some size each share is
therefore rounded to a grid, a power of two that depends only on the number of items. Each share is
rounded separately, so that the order and the grouping of rankings do not matter.
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
# Up to this number of items any denominator is cheap.
EXACT_ITEMS = 100
# For more items, n * n numbers over a denominator must leave 2**12 of int64 for the votes.
GRID_ROOM = 2**50
# Block size in cells, which bounds memory.
PLACES_AT_ONCE = 500_000
# Sums of this many integers below 2**LOW_DIGITS are exact in floats.
SUMMED_RANKINGS = 2**13
LOW_DIGITS = 40


def grid(n: int) -> int:
    """Return the denominator, a power of two, that shares of n items are rounded to."""
    return int(2 ** ((GRID_ROOM // n**2).bit_length() - 1))


def shares_fit(denominator: int, n: int) -> bool:
    """Return whether exact votes on n items over a denominator are cheap enough."""
    return n <= EXACT_ITEMS or denominator * n**2 <= GRID_ROOM


def _distinct_sizes(sizes: Integers64) -> list[int]:
    """Return the distinct numbers of items, ascending."""
    return np.flatnonzero(np.bincount(sizes)).tolist()


def _share_denominator(sizes: Integers64, n: int) -> int:
    """Return the denominator of the shares of rankings that observe `sizes` of n items."""
    denominator = lcm(1, *(2 * (k + 1) for k in _distinct_sizes(sizes)))
    return denominator if shares_fit(denominator, n) else grid(n)


def _rescaled(array: Integers, factor: int, divisor: int) -> Integers:
    """Return `array * factor / divisor`, rounded to the nearest integers (halves up)."""
    doubled = exact.combine(array, 2 * factor, np.ones_like(array), divisor)
    return exact.fit(doubled // (2 * divisor))


def _on_grid(
    wins: Integers, ties: Integers, comparisons: Integers, denominator: int, shares: int
) -> tuple[Scaled, int, float]:
    """Round the imputed part of votes to the grid; keep ties, comparisons and pair weights."""
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
    # One side of a pair is rounded; the other completes the pair's weight.
    lower = np.tril(pairs - ties - rounded.T, k=-1)
    target = denominator // common * step
    return (np.triu(rounded, k=1) + lower, ties, comparisons), target, 1.0 / (2.0 * target)


def add_votes(
    both: Sequence[Scaled], denominators: Sequence[int], each: Sequence[int]
) -> tuple[Scaled, int, int, Fraction]:
    """Return the summed votes of two parts, their denominator, shares and rounding.

    `each` has the denominator of the imputed shares of each part.
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
    denominator: int
    # The weight of the rankings with rounded shares. The error of a numerator in `wins` is at most
    # half of it.
    rounded: int
    # Whether every ranking compares every two items.
    is_decided: bool


def tally(ranks: Ranks, weights: Integers, *, shared: bool) -> _Tally:
    """Count the votes of all rankings, each with its integer weight.

    If votes are `shared`, an unranked item has its share of the compatible permutations; otherwise
    it is not compared. Two unlisted items are never compared. Time grows as m n^2, memory as n^2.
    """
    m, n = ranks.shape
    is_whole = int(ranks.min(initial=0)) >= 0
    sizes = np.full(m, n) if is_whole else row_sums(ranks != UNRANKED)
    has_gaps = sizes < n
    shared = shared and bool(has_gaps.any())
    denominator = _share_denominator(sizes[has_gaps], n) if shared else 1
    total = int(weights.sum())
    # The sums below are at most four times the weight of all rankings.
    kind = np.int64 if total * denominator * max(n * n, 8) < exact.INT64_SAFE else object
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
        # P(row before column) + P(column before row) = 1 if only row is observed.
        missed *= denominator
        wins += missed
        shares = shares.astype(kind, copy=False)
        wins += shares
        wins -= shares.T
        neither = both + (total - observed[:, None] - observed)
        neither *= denominator // 2
        wins += neither
    for array in (wins, ties, comparisons):
        np.fill_diagonal(array, 0)
    is_decided = not has_gaps.any() and not off.any(where=~np.eye(n, dtype=bool))
    return _Tally(wins, ties, comparisons, denominator, rounded, is_decided)


def _uniform_shares(
    ranks: Ranks, weights: Integers, sizes: Integers64, has_gaps: Bools, denominator: int
) -> tuple[Integers, int]:
    """Return the votes for unobserved rows over observed columns, and the rounded weight.

    The rounded weight is that of rankings whose shares are rounded, each by at most half a unit.
    """
    # (r + 1)/(k + 1) = doubled / (2(k + 1)); the factor converts it to a share of `denominator`.
    factors = np.zeros(ranks.shape[1] + 1, dtype=object)
    is_rough = np.zeros(len(factors), dtype=bool)
    for k in _distinct_sizes(sizes[has_gaps]):
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
        absent, votes = ranks[rows] == UNRANKED, weights[rows]
        if int(votes.sum()) * max(int(values.max(initial=0)), 1) < exact.INT64_SAFE:
            part: Integers = _absent_sums(votes.astype(np.int64), absent, values)
        else:
            part = exact.exact_product(votes, absent.astype(float), values.astype(float))
        total = exact.combine(total, 1, part, 1)
    return total, int(weights[rounded].sum())


def _weighted_counts(ranks: Ranks, weights: Integers) -> tuple[Integers, ...]:
    """Return the summed weights of rankings for each pair of items; see `Counts`."""
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
    """Return the weighted sum of the column's values over the rankings without the row's item."""
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
