"""Counting votes: from the places of m rankings to pairwise integer counts.

No loop runs over rankings: strict wins come from one comparison per item and block of rankings,
everything about missing and unlisted items from products of small 0/1 matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import cast

import numpy as np

from rankagg._typing import Floats, Integers, Ranks, Unranked
from rankagg.core import exact, places
from rankagg.core.places import UNLISTED, UNRANKED

__all__ = ["Tally", "tally"]

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
    """

    wins: Integers
    ties: Integers
    comparisons: Integers
    denominator: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            exact.combine(self.wins, 1, other.wins, 1),
            exact.combine(self.ties, 1, other.ties, 1),
            exact.combine(self.comparisons, 1, other.comparisons, 1),
            self.denominator,
        )


def tally(ranks: Ranks, weights: Integers, unranked: Unranked) -> Tally:
    """Count the votes of all rankings, each with its integer weight."""
    denominator = _share_denominator(ranks) if unranked == "uniform" else 1
    size = max(1, BLOCK // ranks.shape[1])
    blocks = [slice(start, start + size) for start in range(0, len(ranks), size)]
    total = _count(ranks[blocks[0]], weights[blocks[0]], unranked, denominator)
    for block in blocks[1:]:
        total += _count(ranks[block], weights[block], unranked, denominator)
    return total


def _share_denominator(ranks: Ranks) -> int:
    """Return what the shares of compatible permutations are whole numbers over.

    With k observed items and an observed item at the mean place r, an unobserved one is before it
    in (r + 1)/(k + 1) of them; two unobserved ones, or two unlisted ones, precede each other in
    half. All of these are whole numbers over 2(k + 1).
    """
    observed = (ranks != UNRANKED).sum(axis=1)
    undecided = (observed < ranks.shape[1]) | (ranks == UNLISTED).any(axis=1)
    return lcm(1, *(2 * (int(k) + 1) for k in np.unique(observed[undecided])))


def _count(ranks: Ranks, weights: Integers, unranked: Unranked, denominator: int) -> Tally:
    observed = (ranks != UNRANKED).astype(np.float64)
    unlisted = (ranks == UNLISTED).astype(np.float64)
    everyone = np.ones((len(ranks), 1))
    both = exact.exact_product(weights, observed, observed)
    # Rankings that observe row and not column.
    missed = exact.exact_product(weights, observed, everyone) - both
    off_both = exact.exact_product(weights, unlisted, unlisted) if unlisted.any() else 0 * both
    comparisons = both - off_both
    above = _strictly_above(places.comparable(ranks), weights)
    wins = above - missed
    ties = comparisons - wins - wins.T
    if unranked == "last":
        # Listed items are above unranked ones; unlisted and unranked ones are not compared.
        off_row = exact.exact_product(weights, unlisted, everyone)
        wins = above - (off_row - exact.exact_product(weights, unlisted, observed))
    elif denominator > 1:
        shares = _uniform_shares(ranks, weights, denominator)
        # P(row before column) and P(column before row) make 1 where only row is observed.
        ahead = exact.combine(shares, 1, exact.combine(missed, denominator, shares.T, -1), 1)
        neither = exact.exact_product(weights, 1.0 - observed, 1.0 - observed)
        open_pairs = exact.combine(neither, denominator // 2, off_both, denominator // 2)
        wins = exact.combine(wins, denominator, exact.combine(ahead, 1, open_pairs, 1), 1)
        ties = exact.combine(ties, denominator, ties, 0)
        comparisons = exact.combine(comparisons, denominator, comparisons, 0)
    for counts in (wins, ties, comparisons):
        np.fill_diagonal(counts, 0)
    return Tally(wins, ties, comparisons, denominator)


def _uniform_shares(ranks: Ranks, weights: Integers, denominator: int) -> Integers:
    """Return the weight of "row before column" where row is unobserved and column observed."""
    observed = ranks != UNRANKED
    # (r + 1)/(k + 1) = doubled / (2(k + 1)), and the factor makes that a share of `denominator`.
    doubled: Floats = np.where(observed, 2.0 * places.mid_ranks(ranks) + 2.0, 0.0)
    sizes = observed.sum(axis=1)
    factors = {int(k): denominator // (2 * (int(k) + 1)) for k in np.unique(sizes)}
    scaled = exact.fit(weights.astype(object) * np.array([factors[int(k)] for k in sizes], object))
    return exact.exact_product(scaled, (~observed).astype(np.float64), doubled)


def _strictly_above(comparable: Ranks, weights: Integers) -> Integers:
    """Return the weight of rankings in which row's number is smaller than column's."""
    n = comparable.shape[1]
    columns = np.ascontiguousarray(comparable.T, dtype=np.min_scalar_type(n + 1))
    distinct = np.unique(weights)
    if len(distinct) * 64 > len(weights):
        return _weigh(columns, weights)
    total: Integers = np.zeros((n, n), dtype=np.int64)
    for weight in distinct:
        alike = columns[:, weights == weight]
        counts = np.array([np.count_nonzero(row < alike, axis=1) for row in alike])
        total = exact.combine(total, 1, counts, int(weight))
    return total


def _weigh(columns: Ranks, weights: Integers) -> Integers:
    everyone = np.ones((columns.shape[1], 1))
    rows = [
        exact.exact_product(weights, (row < columns).T.astype(np.float64), everyone)[:, 0]
        for row in columns
    ]
    return exact.fit(cast(Integers, np.array(rows)))
