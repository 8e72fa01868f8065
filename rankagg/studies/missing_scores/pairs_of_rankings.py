"""How much several rankings of the same systems agree, each pair of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from rankagg._typing import Floats
from rankagg.core.rankings import compatible, places
from rankagg.core.rankings.partial import PartialRanking

__all__ = ["same_top_k", "taus", "top_k_overlaps"]

# Shares are fractions of small numbers; these are equal.
EQUAL = 1e-9


def taus(rankings: Sequence[PartialRanking]) -> Floats:
    """Return tau-b of each two rankings, over all systems.

    Where a ranking leaves systems out, it stands for all permutations that are compatible with
    it: what is correlated is the mean order of every pair, so that every ranking is held against
    the others on the same pairs.

    Parameters
    ----------
    rankings : sequence of PartialRanking, length m
        Of the same n systems in the same order.

    Returns
    -------
    ndarray of float, shape (m, m)
        NaN where a ranking ties all systems.
    """
    above, below = np.triu_indices(len(rankings[0].items), 1)
    orders = np.empty((len(rankings), len(above)))
    untied = np.empty(len(rankings))
    for row, ranking in enumerate(rankings):
        orders[row] = 2.0 * compatible.pairwise_probabilities(ranking.ranks)[above, below] - 1.0
        # Only what was observed can be tied: a permutation ties nothing.
        listed = ranking.ranks[ranking.ranks != places.UNRANKED]
        sizes = np.unique(listed, return_counts=True)[1]
        untied[row] = len(above) - (sizes * (sizes - 1) // 2).sum()
    scale = np.sqrt(np.outer(untied, untied))
    with np.errstate(invalid="ignore"):
        found: Floats = np.clip(_products(orders) / scale, -1.0, 1.0)
    return found


def top_k_overlaps(rankings: Sequence[PartialRanking], k: int) -> Floats:
    """Return the expected share of systems that each two top-k sets have in common.

    Parameters
    ----------
    rankings : sequence of PartialRanking, length m
        Of the same systems in the same order. A system that one leaves out is in no top.
    k : int
        How many systems count.

    Returns
    -------
    ndarray of float, shape (m, m)
    """
    shares = places.top_k_shares(np.stack([ranking.ranks for ranking in rankings]), k)
    return _products(shares) / k


def same_top_k(rankings: Sequence[PartialRanking], k: int) -> Floats:
    """Return the chance that each two top-k sets are the same, ties at rank k broken at random.

    Parameters
    ----------
    rankings : sequence of PartialRanking, length m
        Of the same systems in the same order.
    k : int
        How many systems count.

    Returns
    -------
    ndarray of float, shape (m, m)
    """
    shares = places.top_k_shares(np.stack([ranking.ranks for ranking in rankings]), k)
    inside, possible = shares > 1 - EQUAL, shares > EQUAL
    sizes = np.rint(shares.sum(axis=1)).astype(int).tolist()
    ways = [
        comb(int((may & ~must).sum()), size - int(must.sum()))
        for must, may, size in zip(inside, possible, sizes, strict=True)
    ]
    found = np.zeros((len(rankings), len(rankings)))
    for row, one in enumerate(inside):
        for column, other in enumerate(inside):
            must, may = one | other, possible[row] & possible[column]
            if sizes[row] == sizes[column] and not (must & ~may).any() and must.sum() <= sizes[row]:
                alike = comb(int((may & ~must).sum()), sizes[row] - int(must.sum()))
                found[row, column] = alike / (ways[row] * ways[column])
    return found


def _products(rows: Floats) -> Floats:
    """Return the scalar product of each two rows; to the bit the same in every process."""
    found: Floats = np.einsum("ip,jp->ij", rows, rows, optimize=False)
    return found
