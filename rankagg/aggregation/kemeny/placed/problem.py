"""The problem in integers: a pair costs what its order does, times a weight of the upper place.

A list puts items on the first k places, one on each; all others are tied behind them. With the
weights w[1] >= ... >= w[k] > 0 of the places it costs

    constant + sum over places p of w[p] * sum over the items j behind p of gains[item at p, j].

For weights all equal to 1, `gains` is what the pair costs in that order less what it costs tied,
and the constant what all pairs cost tied: the cost of a weak order of that form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.core.arithmetic import exact
from rankagg.core.votes.pairwise import PairwiseMatrix

__all__ = ["PlacedProblem"]

# No sum that a search forms is more than so many times the gains of all pairs in both orders, and
# the largest weight.
TIMES = 16


@dataclass(frozen=True, eq=False)
class PlacedProblem:
    """Integer costs of pairs, and the weights of the places of the upper item.

    Attributes
    ----------
    gains : ndarray of int, shape (n, n)
        What row above column adds to the cost, for a place of weight 1; int64 where every sum
        fits, else Python integers. The diagonal is 0.
    constant : int
        What every list costs.
    weights : tuple of int, length k
        One for each place, none larger than the one before it, all above 0; at most n - 1.
    denominator : int
        What integers are divided by to be in votes.
    """

    gains: Integers
    constant: int
    weights: tuple[int, ...]
    denominator: int

    @classmethod
    def from_pairwise(
        cls,
        votes: PairwiseMatrix,
        weights: Sequence[Fraction],
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
    ) -> PlacedProblem:
        """State the problem of pairwise votes.

        Parameters
        ----------
        votes : PairwiseMatrix
            Putting i above j costs 1 for each vote for j above i.
        weights : sequence of Fraction
            One for each place, none larger than the one before it, all above 0. Those of the
            last item and of places that there are not are left out.
        tie_cost : float or Fraction
            What a vote that ties two items costs where the list does not, 0 to 1.
        consensus_tie_cost : float or Fraction
            What a vote that orders two items costs where the list ties them, 0 to 1.

        Returns
        -------
        PlacedProblem
        """
        pairs = WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
        heard = list(weights)[: max(pairs.n - 1, 0)]
        whole = lcm(*(weight.denominator for weight in heard))
        scaled = tuple(int(weight * whole) for weight in heard)
        gains = exact.combine(pairs.above, 1, pairs.tied, -1)
        if exact.sum_of(np.abs(gains)) * TIMES >= exact.INT64_SAFE:
            gains = exact.widen(gains)
        constant = exact.sum_of(np.triu(pairs.tied, k=1)) * whole
        return cls(gains, constant, scaled, pairs.denominator * whole)

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.gains)

    @property
    def k(self) -> int:
        """The number of places that have a weight."""
        return len(self.weights)

    @property
    def floor(self) -> int:
        """The constant, for `Progress`: bounds are told with it, and there are no parts."""
        return self.constant

    @cached_property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Places p with how much more their weight is than that of the next, where it is more.

        The cost is the sum over these of the step times the cost of the first p places, each of
        weight 1.
        """
        after = (*self.weights[1:], 0)
        both = enumerate(zip(self.weights, after, strict=True), 1)
        return tuple((p, weight - next_one) for p, (weight, next_one) in both if weight > next_one)

    @cached_property
    def _is_small(self) -> bool:
        largest = exact.sum_of(np.abs(self.gains)) * max(self.weights, default=1)
        return largest * TIMES < exact.INT64_SAFE

    def weighed(self, sums: Integers, weight: int) -> Integers:
        """Return sums of gains times a weight, of the type in which all weighted sums fit."""
        wide: Integers = sums.astype(np.int64 if self._is_small else object)
        return wide * weight

    def cost(self, placed: NDArray[np.intp]) -> int:
        """Return the cost of a list: the positions on the first k places, best first."""
        is_behind = np.ones(self.n, dtype=bool)
        total = self.constant
        for item, weight in zip(placed.tolist(), self.weights, strict=True):
            is_behind[item] = False
            total += weight * exact.sum_of(self.gains[item, is_behind])
        return total

    def in_votes(self, scaled: int) -> float:
        """Turn a scaled cost into votes."""
        return float(Fraction(scaled, self.denominator))
