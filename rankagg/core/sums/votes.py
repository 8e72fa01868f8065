"""Pairwise votes from what scores add up to: the same integers as from the rankings themselves."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from rankagg._typing import Floats, Integers, Unranked
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet
from rankagg.core.sums.task_tally import TaskTally
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.core.votes.tally import grid, shares_fit

__all__ = ["votes_of", "weighted_sum"]


def votes_of(
    systems: ItemSet, tallies: Sequence[TaskTally], weights: Floats, unranked: Unranked
) -> PairwiseMatrix:
    """Return the votes of all units; see `Profile.pairwise`."""
    importance = exact.as_rational(weights)
    votes = [int(vote) for vote in importance.numerators]
    n = len(systems)
    sizes = sorted({k for part in tallies for k in part.sizes.tolist()})
    over = lcm(1, *(2 * (k + 1) for k in sizes)) if unranked == "uniform" else 1
    is_exact = shares_fit(over, n)
    if not is_exact:
        over = grid(n)
    wins = weighted_sum([part.wins for part in tallies], votes)
    ties = weighted_sum([part.ties for part in tallies], votes)
    comparisons = weighted_sum([part.both for part in tallies], votes)
    missed = weighted_sum([part.missed for part in tallies], votes)
    if unranked == "last":
        wins = exact.combine(wins, 1, missed, 1)
    if over > 1:
        shares = _shares(tallies, votes, over, is_exact=is_exact)
        ahead = exact.combine(shares, 1, shares.T, -1)
        ahead = exact.combine(ahead, 1, missed, over)
        neither = weighted_sum([part.neither for part in tallies], votes)
        ahead = exact.combine(ahead, 1, neither, over // 2)
        wins, ties, comparisons = (
            exact.combine(wins, over, ahead, 1),
            exact.combine(ties, over, ties, 0),
            exact.combine(comparisons, over, comparisons, 0),
        )
    for array in (wins, ties, comparisons):
        np.fill_diagonal(array, 0)
    units = np.array([part.n_units for part in tallies])
    rounded = sum(
        vote * int(many)
        for part, vote in zip(tallies, votes, strict=True)
        for k, many in zip(part.sizes.tolist(), part.units_of_size, strict=True)
        if over > 1 and over % (2 * (k + 1))
    )
    denominator = over * importance.denominator
    squares = [w**2 * part.both for part, w in zip(tallies, weights, strict=True)]
    return PairwiseMatrix(
        items=systems,
        scaled_wins=wins,
        scaled_ties=ties,
        scaled_comparisons=comparisons,
        denominator=denominator,
        squared_weights=np.sum(squares, axis=0, dtype=np.float64),
        unranked=unranked,
        total_weight=exact.total(units, weights),
        rounding=exact.float_above(
            Fraction(importance.step) / 2 * int(units.sum()) + Fraction(rounded, 2 * denominator)
        ),
        is_decided=not sizes,
        shares=over,
    )


def weighted_sum(arrays: Sequence[Integers], votes: Sequence[int]) -> Integers:
    """Return the sum of arrays of integers, each times a whole number."""
    total: Integers = np.zeros_like(arrays[0])
    for array, vote in zip(arrays, votes, strict=True):
        total = exact.combine(total, 1, array, vote)
    return total


def _shares(
    tallies: Sequence[TaskTally], votes: Sequence[int], over: int, *, is_exact: bool
) -> Integers:
    """Return the weight of "row before column" where row is absent and column is there."""
    total: Integers = np.zeros_like(tallies[0].wins)
    for part, vote in zip(tallies, votes, strict=True):
        if not is_exact:
            assert part.on_grid is not None, "with few systems shares are exact"
            total = exact.combine(total, 1, part.on_grid, vote)
            continue
        assert part.shares is not None, "sizes that fit together fit in each task"
        for k, placed in zip(part.sizes.tolist(), part.shares, strict=True):
            total = exact.combine(total, 1, placed, vote * (over // (2 * (k + 1))))
    return total
