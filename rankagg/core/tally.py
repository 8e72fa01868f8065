"""Counting votes: from the places of m rankings to pairwise integer counts.

No loop runs over rankings: strict wins come from one comparison per item and block of rankings,
everything about missing and unlisted items from products of small 0/1 matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np

from rankagg._typing import Floats, Integers, Ranks, Unranked
from rankagg.core import exact, places
from rankagg.core.places import UNLISTED, UNRANKED

__all__ = ["Tally", "tally"]

# Comparisons held at once: bounds the memory, and stays near the cache.
BLOCK = 2_000_000


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


def tally(ranks: Ranks, weights: Integers, unranked: Unranked) -> Tally:
    """Count the votes of all rankings, each with its integer weight."""
    n = ranks.shape[1]
    rows = max(1, BLOCK // n)
    blocks = [slice(start, start + rows) for start in range(0, len(ranks), rows)]
    wins, ties, comparisons = _count_block(ranks[blocks[0]], weights[blocks[0]], unranked)
    for block in blocks[1:]:
        counts = _count_block(ranks[block], weights[block], unranked)
        wins, ties, comparisons = (
            exact.combine(old, 1, new, 1)
            for old, new in zip((wins, ties, comparisons), counts, strict=True)
        )
    denominator = 1
    if unranked == "uniform":
        shares, denominator = _uniform_shares(ranks, weights)
        wins = exact.combine(wins, denominator, shares, 1)
        ties = exact.combine(ties, denominator, ties, 0)
        comparisons = exact.combine(comparisons, denominator, comparisons, 0)
    return Tally(wins, ties, comparisons, denominator)


def _count_block(
    ranks: Ranks, weights: Integers, unranked: Unranked
) -> tuple[Integers, Integers, Integers]:
    observed = (ranks != UNRANKED).astype(np.float64)
    unlisted = (ranks == UNLISTED).astype(np.float64)
    both = exact.exact_product(weights, observed, observed)
    comparisons = both - exact.exact_product(weights, unlisted, unlisted)
    # Under "last" an unranked item is read as an unlisted one: below, not compared below.
    above = _strictly_above(places.comparable(ranks), weights)
    missed = exact.exact_product(weights, observed, 1.0 - observed)
    # An unlisted item is not above an unranked one, whatever `comparable` says.
    missed_unlisted = exact.exact_product(weights, unlisted, 1.0 - observed)
    wins = above - missed
    ties = comparisons - wins - wins.T
    if unranked == "last":
        wins = above - missed_unlisted
    for counts in (wins, ties, comparisons):
        np.fill_diagonal(counts, 0)
    return wins, ties, comparisons


def _strictly_above(comparable: Ranks, weights: Integers) -> Integers:
    """Return the weight of rankings in which row's number is smaller than column's."""
    m, n = comparable.shape
    columns = np.ascontiguousarray(comparable.T)
    ones = np.ones((m, 1))
    alike = (weights == weights[0]).all() and int(weights[0]) * m < exact.INT64_SAFE
    rows = []
    for i in range(n):
        less = columns[i] < columns
        if alike:
            rows.append(np.count_nonzero(less, axis=1) * int(weights[0]))
        else:
            rows.append(exact.exact_product(weights, ones, less.T.astype(np.float64))[0])
    return exact.fit(np.array(rows))


def _uniform_shares(ranks: Ranks, weights: Integers) -> tuple[Integers, int]:
    """Return what unobserved pairs add under uniform compatible permutations.

    With k observed items and an observed item at the mean place r, an unobserved one is before it
    in (r + 1)/(k + 1) of them; two unobserved ones, or two unlisted ones, precede each other in
    half. All of these are whole numbers over 2(k + 1).
    """
    n = ranks.shape[1]
    observed_counts = (ranks != UNRANKED).sum(axis=1)
    has_unlisted = (ranks == UNLISTED).any(axis=1)
    open_rows = (observed_counts < n) | has_unlisted
    sizes = np.unique(observed_counts[open_rows])
    denominator = lcm(1, *(2 * (int(k) + 1) for k in sizes))
    total: Integers = np.zeros((n, n), dtype=np.int64)
    for k in sizes:
        rows = open_rows & (observed_counts == k)
        part = _shares_of_size(ranks[rows], weights[rows], int(k))
        total = exact.combine(total, 1, part, denominator // (2 * (int(k) + 1)))
    np.fill_diagonal(total, 0)
    return total, denominator


def _shares_of_size(ranks: Ranks, weights: Integers, k: int) -> Integers:
    observed = (ranks != UNRANKED).astype(np.float64)
    missing: Floats = 1.0 - observed
    unlisted = (ranks == UNLISTED).astype(np.float64)
    doubled = np.where(observed > 0, 2.0 * (np.nan_to_num(places.mid_ranks(ranks)) + 1.0), 0.0)
    up = exact.exact_product(weights, missing, doubled)
    down = exact.exact_product(weights, 2.0 * (k + 1) * observed - doubled, missing)
    neither = exact.exact_product(weights, missing, missing)
    uncompared = exact.exact_product(weights, unlisted, unlisted)
    half = exact.combine(neither, k + 1, uncompared, k + 1)
    return exact.combine(exact.combine(up, 1, down, 1), 1, half, 1)
