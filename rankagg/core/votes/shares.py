"""What imputed votes are whole numbers over: exactly where that is cheap, else a fine grid.

With k observed items and an observed item at the mean place r, an unobserved one is before it in
(r + 1)/(k + 1) of the compatible permutations. That is a whole number over 2(k + 1), and several k
need a common denominator, which grows like exp(n) where all k up to n occur. So beyond some size
each share is rounded to a power of two that depends on the number of items alone. A share is
rounded by itself, so that the order of rankings and how they are put together do not matter.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Ranks
from rankagg.core.arithmetic import exact
from rankagg.core.rankings.places import UNLISTED, UNRANKED, all_listed
from rankagg.kernels.rows import row_sums

__all__ = [
    "Scaled", "Share", "added", "grid", "occurring", "on_grid", "share_denominator", "shares_fit",
    "undecided",
]  # fmt: skip

Scaled: TypeAlias = tuple[Integers, Integers, Integers]


class Share(NamedTuple):
    """Votes of one part of the data."""

    scaled: Scaled  # wins, ties, comparisons
    denominator: int
    shares: int  # what the imputed part was whole numbers over


# Up to so many items any denominator is cheap.
EXACT_ITEMS = 100
# Beyond, n * n numbers over a denominator must leave 2**12 of int64 for the votes.
ROOM = 2**50


def grid(n: int) -> int:
    """Return the power of two that the shares of n items are rounded to."""
    return int(2 ** ((ROOM // n**2).bit_length() - 1))


def shares_fit(denominator: int, n: int) -> bool:
    """Say whether votes on n items over a denominator are cheap enough to be exact."""
    return n <= EXACT_ITEMS or denominator * n**2 <= ROOM


def undecided(ranks: Ranks) -> tuple[NDArray[np.int64], Bools]:
    """Return how many items each ranking observes, and whether it leaves a pair open."""
    m, n = ranks.shape
    if all_listed(ranks):
        return np.full(m, n), np.zeros(m, dtype=bool)
    observed = row_sums(ranks != UNRANKED)
    return observed, (observed < n) | (row_sums(ranks == UNLISTED) > 1)


def occurring(sizes: NDArray[np.int64]) -> list[int]:
    """Return the different numbers of items, ascending."""
    return np.flatnonzero(np.bincount(sizes)).tolist()


def share_denominator(sizes: NDArray[np.int64], n: int) -> int:
    """Return what the shares are whole numbers over where so many of n items are observed."""
    denominator = lcm(1, *(2 * (k + 1) for k in occurring(sizes)))
    return denominator if shares_fit(denominator, n) else grid(n)


def on_grid(
    wins: Integers, ties: Integers, comparisons: Integers, denominator: int, shares: int
) -> tuple[Scaled, int, float]:
    """Round the imputed part of votes to the grid, unless it is on it.

    Ties, comparisons and the weight of every pair keep their values.

    Parameters
    ----------
    wins, ties, comparisons : ndarray of int, shape (n, n)
        Votes over `denominator`.
    denominator : int
        What they are divided by.
    shares : int
        What the shares in them were whole numbers over.

    Returns
    -------
    scaled : tuple of ndarray of int
        Wins, ties and comparisons over the new denominator.
    denominator : int
        The new denominator.
    rounding : float
        By how much an entry of wins may be off, in votes.
    """
    step = grid(len(wins))
    if step % shares == 0:
        return (wins, ties, comparisons), denominator, 0.0
    pairs = wins + wins.T + ties
    common = denominator
    for array in (ties, comparisons, pairs):
        common = gcd(common, int(np.gcd.reduce(array.ravel(), initial=0)))
    ties, comparisons, pairs, rounded = (
        exact.rescale(array, step, common) for array in (ties, comparisons, pairs, wins)
    )
    # One side of a pair is rounded, and the other is the rest.
    lower = np.tril(pairs - ties - rounded.T, k=-1)
    target = denominator // common * step  # what the weights are whole numbers over, on the grid
    return (np.triu(rounded, k=1) + lower, ties, comparisons), target, 1.0 / (2.0 * target)


def added(first: Share, second: Share) -> tuple[Scaled, int, int, Fraction]:
    """Return the sum of votes, its denominator and shares, and what was rounded for it."""
    n = len(first.scaled[0])
    shares = lcm(first.shares, second.shares)
    parts = [(part.scaled, part.denominator, 0.0) for part in (first, second)]
    if not shares_fit(shares, n):
        parts = [on_grid(*part.scaled, part.denominator, part.shares) for part in (first, second)]
        shares = grid(n)
    (mine, my_over, my_rounding), (theirs, their_over, their_rounding) = parts
    denominator = lcm(my_over, their_over)
    wins, ties, comparisons = (
        exact.combine(a, denominator // my_over, b, denominator // their_over)
        for a, b in zip(mine, theirs, strict=True)
    )
    rounding = Fraction(my_rounding) + Fraction(their_rounding)
    return (wins, ties, comparisons), denominator, shares, rounding
