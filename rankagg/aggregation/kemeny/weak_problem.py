"""Splitting a problem among weak orders where one place is the cheapest for every pair across.

Let the items fall into groups, first to last, so that for every i in an earlier and j in a later
group "i above j" costs no more than "j above i" and no more than a tie. Then some optimal weak
order puts the groups one above the other, each in an optimal weak order of its own.

Proof. Take any weak order. Keep its order inside each group, and put the groups one above the
other. Pairs inside a group cost what they did, and each pair across has its cheapest place, so
the whole costs no more. What is left to choose is each group's inside, and those do not meet.

Nothing is asked of the penalties, of transitivity or of complete votes. Where "i above j" costs
strictly less than the other two for all pairs across, the same step makes every other weak order
cheaper: then all optimal weak orders are made of optimal ones of the groups, and only of those.

The finest such groups are the strong components of the graph with an arc from x to y wherever "y
above x" is not (the only) cheapest: an arc keeps x from going into a later group than y, and two
items with arcs both ways, such as those that are cheapest tied, stay together.

The problem among weak orders in integers: every pair has three costs.

For each pair of items a weak order puts one above the other or ties them. In variables z[i, j] = 1
where i is not below j (so both are 1 where the two are tied), the cost of a pair is affine:

    cost = both + slopes[i, j] * z[i, j] + slopes[j, i] * z[j, i]

with slopes[i, j] = tie - (j above i) and both = (i above j) + (j above i) - tie. The rows are
z[i, j] + z[j, i] >= 1 (one of them is not below the other) and z[i, j] + z[j, k] - z[i, k] <= 1
(what is not below is transitive). On three items these and z <= 1 are all facets there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from graphlib import TopologicalSorter
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.kemeny.problem import as_share
from rankagg.core.arithmetic import exact
from rankagg.core.graphs import strong_parts
from rankagg.core.pairwise import PairwiseMatrix

__all__ = ["WeakProblem", "groups"]


@dataclass(frozen=True, eq=False)
class WeakProblem:
    """Integer costs of the three places that two items can have to each other."""

    # Shape (n, n). What it costs to put row above column; int64 where every sum fits, else Python
    # integers. The diagonal is 0.
    above: Integers
    # Shape (n, n). What it costs to tie row and column; symmetric, with a diagonal of 0.
    tied: Integers
    # What integers are divided by to be in votes.
    denominator: int

    @classmethod
    def from_pairwise(
        cls,
        votes: PairwiseMatrix,
        tie_cost: float | Fraction,
        consensus_tie_cost: float | Fraction,
    ) -> WeakProblem:
        """State the problem of pairwise votes."""
        voted, agreed = as_share(tie_cost), as_share(consensus_tie_cost)
        wins, ties, denominator = votes.lowest_terms
        whole = lcm(voted.denominator, agreed.denominator)
        share = exact.combine(wins.T, whole, ties, int(voted * whole))
        both = exact.combine(wins, 1, wins.T, 1)
        tied = exact.multiply(both, int(agreed * whole))
        above, tied = share.copy(), tied.copy()
        np.fill_diagonal(above, 0)
        np.fill_diagonal(tied, 0)
        return cls(exact.fit(above), exact.fit(tied), denominator * whole)

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.above)

    @cached_property
    def slopes(self) -> Integers:
        """What the cost of a pair gains with z[row, column]; see the head of this module."""
        return exact.combine(self.tied, 1, self.above.T, -1)

    @cached_property
    def cheapest(self) -> Integers:
        """The least of the three costs of each pair; symmetric."""
        return np.minimum(np.minimum(self.above, self.above.T), self.tied)

    @cached_property
    def floor(self) -> int:
        """The sum of the least costs of all pairs: no weak order costs less."""
        return exact.sum_of(np.triu(self.cheapest, k=1))

    @cached_property
    def both(self) -> int:
        """The sum over all pairs of the constant of the affine cost."""
        double = exact.combine(exact.combine(self.above, 1, self.above.T, 1), 1, self.tied, -1)
        return exact.sum_of(np.triu(double, k=1))

    @cached_property
    def step(self) -> int:
        """What the costs of weak orders differ by multiples of: the gcd of all differences."""
        margins = exact.combine(self.above, 1, self.above.T, -1)
        both = (np.gcd.reduce(part.ravel(), initial=0) for part in (margins, self.slopes))
        return gcd(*map(int, both))

    def cost(self, ranks: NDArray[np.integer]) -> int:
        """Return the cost of a weak order, given as one number per item, smaller is better."""
        above = ranks[:, None] < ranks[None, :]
        tied = np.triu(ranks[:, None] == ranks[None, :], k=1)
        return exact.sum_of(self.above * above) + exact.sum_of(self.tied * tied)

    def restrict(self, part: NDArray[np.intp]) -> WeakProblem:
        """Return the problem of some of the items."""
        inside = np.ix_(part, part)
        return WeakProblem(self.above[inside], self.tied[inside], self.denominator)

    def next_attainable(self, bound: Fraction) -> int:
        """Return the least cost that some weak order could have and that is not below `bound`."""
        if self.step == 0:
            return self.floor
        steps = -((self.floor - bound) // self.step)
        return self.floor + int(max(steps, 0)) * self.step

    def last_below(self, threshold: int) -> int:
        """Return the greatest cost below a threshold above the floor that could be attained."""
        if self.step == 0:
            return self.floor
        return self.floor + (threshold - 1 - self.floor) // self.step * self.step

    def in_votes(self, scaled: int) -> float:
        """Turn a scaled cost into votes."""
        return float(Fraction(scaled, self.denominator))


def groups(problem: WeakProblem, *, all_optima: bool = False) -> list[NDArray[np.intp]]:
    """Return the finest groups that can be solved one by one, best first."""
    others = np.minimum(problem.above.T, problem.tied)
    last_first = problem.above >= others if all_optima else problem.above > others
    arcs = last_first.T.copy()
    np.fill_diagonal(arcs, False)
    group = strong_parts(arcs)
    count = int(group.max()) + 1
    between = np.zeros((count, count), dtype=bool)
    tails, heads = np.nonzero(arcs)
    between[group[tails], group[heads]] = True
    np.fill_diagonal(between, False)
    earlier = {g: np.flatnonzero(between[:, g]).tolist() for g in range(count)}
    return [np.flatnonzero(group == g) for g in TopologicalSorter(earlier).static_order()]
