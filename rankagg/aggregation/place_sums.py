"""Sums over rankings by place, in integers: no order of the rankings changes a bit of them.

All go through the rankings in blocks, so that memory is bounded by that of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import cast

import numpy as np

from rankagg._typing import Floats, Integers, Ranks, Unranked
from rankagg.core import exact, places
from rankagg.core.places import UNRANKED

__all__ = ["borda_points", "doubled_place_counts", "place_counts"]

# Cells looked at in one go.
BLOCK = 200_000


def _blocks(ranks: Ranks, votes: Integers) -> Iterator[tuple[Ranks, Integers]]:
    n = ranks.shape[1]
    size = max(1, BLOCK // n, n)
    for start in range(0, len(ranks), size):
        yield ranks[start : start + size], votes[start : start + size]


def borda_points(ranks: Ranks, counts: Integers, weights: Floats, unranked: Unranked) -> Floats:
    """Return every item's points in all rankings together; see `Borda`.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes.
    counts, weights : ndarray, shape (m,)
        How often each ranking occurs, and its importance.
    unranked : {"uniform", "ignore", "last"}
        The policy for unranked items.

    Returns
    -------
    ndarray of float, shape (n,)
        The exact sums, rounded once.
    """
    n = ranks.shape[1]
    votes, denominator = exact.as_votes(counts, weights)
    if unranked == "last":
        ranks = places.unranked_last(ranks)
    seen, placed = _sums_by_size(ranks, votes)
    # An item at the mean place r of k adds 2r + 2 to `placed`.
    if unranked == "ignore":
        lead = np.sum([(k + 1) * seen[k] - placed[k] for k in seen], axis=0)
        return np.array([int(value) / denominator for value in lead])
    over = lcm(*(k + 1 for k in seen))
    # Twice the points: 2n - (2r + 2)(n + 1)/(k + 1), or n - 1 for an unranked item.
    most = (n - 1) * int(votes.sum()) + (n + 1) * np.sum(list(seen.values()), axis=0)
    less = (n + 1) * np.sum([placed[k] * (over // (k + 1)) for k in placed], axis=0)
    return np.array([int(value) / (2 * over * denominator) for value in most * over - less])


def _sums_by_size(ranks: Ranks, votes: Integers) -> tuple[dict[int, Integers], dict[int, Integers]]:
    """Return per number k of observed items what rankings of that size weigh and place.

    For each item: the weight of the rankings that observe it, and the weighted sum of 2r + 2 for
    its mean places r in them; Python integers.
    """
    n = ranks.shape[1]
    seen: dict[int, Integers] = {}
    placed: dict[int, Integers] = {}
    for block, weights in _blocks(ranks, votes):
        observed = block != UNRANKED
        doubled = np.where(observed, 2.0 * places.mid_ranks(block) + 2.0, 0.0)
        sizes = observed.sum(axis=1)
        for k in np.unique(sizes).tolist():
            rows = slice(None) if (sizes == k).all() else np.flatnonzero(sizes == k)
            everyone = np.ones((len(sizes[rows]), 1))
            both = np.column_stack([observed[rows], doubled[rows]])
            sums = exact.exact_product(weights[rows], everyone, both)[0].astype(object)
            seen[k] = seen.get(k, 0) + sums[:n]
            placed[k] = placed.get(k, 0) + sums[n:]
    return seen, placed


def doubled_place_counts(ranks: Ranks, votes: Integers) -> Integers:
    """Return what every item weighs at every mean place, and where it is unranked.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes.
    votes : ndarray of int, shape (m,)
        The weight of each ranking.

    Returns
    -------
    ndarray of int, shape (n, 2n)
        Column 2r for the mean place r, from 0; the last column for unranked.
    """
    n = ranks.shape[1]
    total: Integers = np.zeros(2 * n * n, dtype=np.int64)
    for block, weights in _blocks(ranks, votes):
        doubled = np.where(block == UNRANKED, 2 * n - 1, 2 * places.mid_ranks(block))
        cells = doubled.astype(np.int64) + 2 * n * np.arange(n)
        each = cast(Integers, np.repeat(weights, n))
        part = exact.count_cells(cells.ravel(), each, 2 * n * n)
        total = exact.combine(total, 1, part, 1)
    return total.reshape(n, 2 * n)


def place_counts(ranks: Ranks, votes: Integers) -> dict[int, Integers]:
    """Return per bucket size what every item weighs at every place where such a bucket starts.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes; unlisted items share the bucket below the listed ones.
    votes : ndarray of int, shape (m,)
        The weight of each ranking.

    Returns
    -------
    dict
        From size to an (n, n) array, item by first place.
    """
    n = ranks.shape[1]
    counts: dict[int, Integers] = {}
    for block, weights in _blocks(ranks, votes):
        row, item = np.nonzero(block != UNRANKED)
        mids = places.mid_ranks(block)[row, item]
        listed = (block >= 0).sum(axis=1)
        place = block[row, item]
        start = np.where(place >= 0, place, listed[row])
        sizes = np.rint(2 * (mids - start)).astype(np.int64) + 1
        for size in np.unique(sizes).tolist():
            here = sizes == size
            cells = item[here] * n + start[here]
            part = exact.count_cells(cells, weights[row[here]], n * n).reshape(n, n)
            counts[size] = exact.combine(counts[size], 1, part, 1) if size in counts else part
    return counts
