"""All weak orders of a few items, in fractions and loops: the reference for the engine."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np

import rankagg as ra

Prices = tuple[Fraction, Fraction]

#: Of a tied vote and of a tie in the consensus: metrics, near-metrics and neither.
PRICES = [
    (Fraction(a), Fraction(b))
    for a, b in (
        ("1/2", "1/2"), ("1", "1"), ("3/4", "3/4"), ("1/4", "1/4"), ("1/3", "1/3"), ("0", "1/2"),
        ("1", "1/4"), ("1/4", "1"), ("0", "1"), ("1/2", "0"), ("1/10", "2/3"),
    )
]  # fmt: skip


@cache
def weak_orders(n: int) -> list[tuple[int, ...]]:
    """Return the level of every item in every weak order: 1, 3, 13, 75, 541, 4683 of them."""
    found = {tuple(sorted(set(levels)).index(x) for x in levels)
             for levels in product(range(n), repeat=n)}  # fmt: skip
    return sorted(found)


def pair_costs(votes: ra.PairwiseMatrix, prices: Prices) -> dict[tuple[int, int], list[Fraction]]:
    """Return for i < j what it costs to have i above, level with and below j."""
    wins, ties = votes.scaled_wins.tolist(), votes.scaled_ties.tolist()
    voted, agreed = prices
    return {
        (i, j): [
            (wins[j][i] + voted * ties[i][j]) / votes.denominator,
            agreed * (wins[i][j] + wins[j][i]) / votes.denominator,
            (wins[i][j] + voted * ties[i][j]) / votes.denominator,
        ]
        for i, j in combinations(range(votes.n_items), 2)
    }


def cost(levels, votes: ra.PairwiseMatrix, prices: Prices) -> Fraction:
    """Add up what all pairs cost."""
    total = Fraction(0)
    for (i, j), (above, level, below) in pair_costs(votes, prices).items():
        total += above if levels[i] < levels[j] else below if levels[i] > levels[j] else level
    return total


def optima(
    votes: ra.PairwiseMatrix, prices: Prices, levels: list[tuple[int, ...]] | None = None
) -> tuple[Fraction, set[tuple[int, ...]]]:
    """Return the least cost and every weak order that has it."""
    every = weak_orders(votes.n_items) if levels is None else levels
    pairs = pair_costs(votes, prices)
    # One common denominator, so that the many sums are of integers.
    whole = np.lcm.reduce([x.denominator for three in pairs.values() for x in three] or [1])
    scaled = {pair: [int(x * int(whole)) for x in three] for pair, three in pairs.items()}
    costs = [
        sum(three[1 + (w[i] > w[j]) - (w[i] < w[j])] for (i, j), three in scaled.items())
        for w in every
    ]
    least = min(costs)
    return Fraction(least, int(whole)), {w for w, c in zip(every, costs, strict=True) if c == least}


def levels_of(ranking: ra.PartialRanking) -> tuple[int, ...]:
    """Return the bucket of every item, from 0."""
    return tuple(np.unique(ranking.ranks, return_inverse=True)[1].tolist())


def rule(prices: Prices, **options) -> ra.Kemeny:
    return ra.Kemeny(
        consensus_ties=True, tie_cost=float(prices[0]), consensus_tie_cost=float(prices[1]),
        **options,
    )  # fmt: skip
