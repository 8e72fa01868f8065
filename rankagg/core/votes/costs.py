"""What votes a ranking contradicts, counted in integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg._validation import check_number
from rankagg.core.arithmetic import exact
from rankagg.core.rankings.partial import PartialRanking, Permutation

__all__ = ["contradicted", "priced", "sum_below"]

# Pairs that are looked at in one go.
BLOCK = 2**20


def sum_below(numbers: Integers, ranks: NDArray[np.integer]) -> int:
    """Return the sum of an (n, n) array where the item of the row is ranked below the column's."""
    n = len(numbers)
    size = max(1, BLOCK // max(n, 1))
    total = 0
    for start in range(0, n, size):
        rows = slice(start, start + size)
        total += exact.sum_of(numbers[rows] * (ranks[rows, None] > ranks))
    return total


def contradicted(wins: Integers, ranking: PartialRanking) -> Fraction:
    """Return the votes against a ranking; see `PairwiseMatrix.cost`."""
    if isinstance(ranking, Permutation):
        return Fraction(sum_below(wins, ranking.ranks))
    # P(i before j) is a whole number over 2(k + 1).
    over = 2 * (ranking.n_observed + 1)
    before = np.rint(ranking.pairwise_probabilities() * over).astype(np.int64)
    return Fraction(int((before.astype(object) * wins.T.astype(object)).sum()), over)


def priced(
    wins: Integers,
    ties: Integers,
    ranking: PartialRanking,
    tie_cost: float,
    consensus_tie_cost: float | None,
) -> Fraction:
    """Return the votes against a ranking, and what ties cost; see `PairwiseMatrix.cost`."""
    per_tie = exact.as_fraction(check_number(tie_cost, "tie_cost", low=0, high=1))
    cost = contradicted(wins, ranking)
    if per_tie:
        cost += per_tie * exact.sum_of(np.triu(ties, k=1))
    if consensus_tie_cost is not None:
        price = check_number(consensus_tie_cost, "consensus_tie_cost", low=0, high=1)
        ranks = ranking.ranks
        tied = (ranks[:, None] == ranks) & (ranks >= 0)
        np.fill_diagonal(tied, False)
        cost += (exact.as_fraction(price) - Fraction(1, 2)) * exact.sum_of(wins * tied)
        cost -= per_tie * exact.sum_of(np.triu(ties * tied, k=1))
    return cost
