"""Sums over rankings by place, in integers: no order of the rankings changes a bit of them.

All go through the rankings in blocks, so that memory is bounded by that of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers, Ranks, Unranked
from rankagg.core.arithmetic import exact
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.score_summary import ScoreSummary, weighted_sum
from rankagg.kernels.placing import doubled_places, place_sums
from rankagg.kernels.rows import row_sums

__all__ = [
    "borda_points", "borda_points_by_group", "doubled_place_counts", "place_counts",
    "summed_points",
]  # fmt: skip

# Cells looked at in one go.
BLOCK = 200_000


def _blocks(ranks: Ranks, votes: Integers) -> Iterator[tuple[Ranks, Integers]]:
    for rows in _slices(*ranks.shape):
        yield ranks[rows], votes[rows]


def _slices(m: int, n: int) -> Iterator[slice]:
    size = max(1, BLOCK // n, n)
    for start in range(0, m, size):
        yield slice(start, start + size)


def borda_points(ranks: Ranks, counts: Integers, weights: Floats, unranked: Unranked) -> Floats:
    """Return every item's points in all rankings together; see `Borda`."""
    all_in_one = np.zeros(len(ranks), dtype=np.int64)
    points: Floats = borda_points_by_group(ranks, counts, weights, unranked, all_in_one)[0]
    return points


def borda_points_by_group(
    ranks: Ranks,
    counts: Integers,
    weights: Floats,
    unranked: Unranked,
    groups: NDArray[np.int64],
) -> Floats:
    """Return every item's points in the rankings of each group."""
    votes, denominator = exact.as_votes(counts, weights)
    if unranked == "last":
        ranks = places.unranked_last(ranks)
    points = np.empty((int(groups[-1]) + 1, ranks.shape[1]))
    # There are sums for every number of observed items: n for a group and item at most.
    size = max(1, BLOCK // ranks.shape[1] ** 2)
    for first in range(0, len(points), size):
        some = slice(first, first + size)
        rows = slice(*np.searchsorted(groups, [some.start, some.stop]))
        points[some] = _points(
            ranks[rows], votes[rows], denominator, unranked, groups[rows] - first
        )
    return points


def _points(
    ranks: Ranks,
    votes: Integers,
    denominator: int,
    unranked: Unranked,
    groups: NDArray[np.int64],
) -> Floats:
    n = ranks.shape[1]
    seen, placed = _sums_by_size(ranks, votes, groups)
    # An item at the mean place r of k adds 2r + 2 to `placed`.
    if unranked == "ignore":
        lead = sum((k + 1) * seen[k] - placed[k] for k in seen)
        return np.asarray(lead / denominator, dtype=np.float64)
    # Twice the points: 2n - (2r + 2)(n + 1)/(k + 1), or n - 1 for an unranked item.
    whole = np.add.reduceat(votes, exact.starts_of(groups)).astype(object)[:, None]
    most = (n - 1) * whole + (n + 1) * sum(seen.values())
    return _expected_points(n, most, placed, denominator)


def summed_points(summary: ScoreSummary, unranked: Unranked) -> Floats:
    """Return every system's points on all instances together; see `borda_points`."""
    tallies = list(summary.tallies.values())
    units = np.array([tally.n_units for tally in tallies], dtype=np.int64)
    weighted, denominator = exact.as_votes(
        np.ones(len(units), dtype=np.int64), summary.weight_vector
    )
    votes = [int(vote) for vote in weighted]
    n = summary.n_systems
    wins = weighted_sum([tally.wins for tally in tallies], votes).astype(object)
    lead = wins.sum(axis=1) - wins.sum(axis=0)
    if unranked == "ignore":
        return np.asarray(lead / denominator, dtype=np.float64)
    whole = (n - 1) * sum(vote * int(many) for vote, many in zip(votes, units, strict=True))
    if unranked == "last":
        missed = weighted_sum([tally.missed for tally in tallies], votes).astype(object)
        lead = lead + missed.sum(axis=1) - missed.sum(axis=0)
        return np.asarray((whole + lead) / (2 * denominator), dtype=np.float64)
    # An item at the mean place r of k adds 2r + 2 to what is placed.
    placed = {n: weighted_sum([tally.all_placed for tally in tallies], votes).astype(object)}
    for tally, vote in zip(tallies, votes, strict=True):
        for k, sums in zip(tally.sizes.tolist(), tally.placed.astype(object), strict=True):
            placed[k] = placed.get(k, 0) + sums * vote
    seen = weighted_sum([tally.observed for tally in tallies], votes).astype(object)
    return _expected_points(n, whole + (n + 1) * seen, placed, denominator)


def _expected_points(
    n: int,
    most: NDArray[np.object_],
    placed: dict[int, NDArray[np.object_]],
    denominator: int,
) -> Floats:
    """Return half of `most` less (2r + 2)(n + 1)/(k + 1) for every place r among k."""
    over = lcm(*(k + 1 for k in placed))
    less = (n + 1) * sum(placed[k] * (over // (k + 1)) for k in placed)
    return np.asarray((most * over - less) / (2 * over * denominator), dtype=np.float64)


def _sums_by_size(
    ranks: Ranks, votes: Integers, groups: NDArray[np.int64]
) -> tuple[dict[int, NDArray[np.object_]], dict[int, NDArray[np.object_]]]:
    """Return per number k of observed items what rankings of that size weigh and place.

    For each group and item: the weight of the rankings that observe it, and the weighted sum of
    2r + 2 for its mean places r in them; Python integers.
    """
    shape = int(groups[-1]) + 1, ranks.shape[1]
    seen: dict[int, NDArray[np.object_]] = {}
    placed: dict[int, NDArray[np.object_]] = {}
    for block in _slices(*ranks.shape):
        doubled = doubled_places(ranks[block])
        pairs = groups[block] * (shape[1] + 1) + row_sums(doubled > 0)
        occurring, keys = np.unique(pairs, return_inverse=True)
        for weights, scale in _whole(votes[block], 2 * shape[1]):
            parts = place_sums(keys, weights, doubled)
            group, sizes = np.divmod(occurring, shape[1] + 1)
            for k in np.unique(sizes).tolist():
                here = sizes == k
                for sums, part in zip((seen, placed), parts, strict=True):
                    total = sums.setdefault(k, np.zeros(shape, dtype=object))
                    total[group[here]] += part[here].astype(object) * scale
    return seen, placed


def _whole(votes: Integers, largest: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield int64 numbers whose products with the largest have a sum of that kind, as `limbs`."""
    if int(votes.sum()) * largest < exact.INT64_SAFE:
        yield votes.astype(np.int64), 1
    else:
        for digits, scale in exact.limbs(votes, largest):
            yield digits.astype(np.int64), scale


def doubled_place_counts(ranks: Ranks, votes: Integers) -> Integers:
    """Return what every item weighs at every mean place, and where it is unranked."""
    n = ranks.shape[1]
    total: Integers = np.zeros(2 * n * n, dtype=np.int64)
    for block, weights in _blocks(ranks, votes):
        doubled = doubled_places(block)  # from 1, with 0 for unranked
        cells = np.where(doubled == 0, 2 * n - 1, doubled - 2) + 2 * n * np.arange(n)
        each = cast(Integers, np.repeat(weights, n))
        part = exact.count_cells(cells.ravel(), each, 2 * n * n)
        total = exact.combine(total, 1, part, 1)
    return total.reshape(n, 2 * n)


def place_counts(ranks: Ranks, votes: Integers) -> dict[int, Integers]:
    """Return per bucket size what every item weighs at every place where such a bucket starts."""
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
