"""Proofs among weak orders: costs of the three relations of a pair, rows, cases, groups.

For each pair of items a weak order puts one above the other or ties them. In variables z[i, j] = 1
if i is not below j (so both are 1 for a tie), the cost of a pair is affine:

    cost = both + slopes[i, j] * z[i, j] + slopes[j, i] * z[j, i]

with slopes[i, j] = tie - (j above i) and both = (i above j) + (j above i) - tie. The rows are
z[i, j] + z[j, i] >= 1 (one of them is not below the other) and z[i, j] + z[j, k] - z[i, k] <= 1
("not below" is transitive). On three items these and z <= 1 are all facets.

Adding a row's weight times its left side minus 1 raises the cost of no weak order. The sum is again
a cost of pairs, and the cheapest of the three relations of each pair bounds it from below. If that
does not suffice, statements "i is not below j" are fixed below a threshold, or decided both ways,
as in `proof`. In each case a pair has only the relations that the known statements allow.

A problem is split if one relation is the cheapest for every pair across. Let the items fall into
groups, first to last, so that for every i in an earlier and j in a later group "i above j" costs no
more than "j above i" and no more than a tie. Then some optimal weak order puts the groups one above
the other, each in its own optimal weak order.

Proof. Take any weak order. Keep its order inside each group, and put the groups one above the
other. The cost of pairs inside a group does not change, and each pair across has its cheapest
relation, so the total cost does not rise. The groups can then be optimized independently.

This assumes nothing about the penalties, transitivity or completeness of the votes. If "i above j"
costs strictly less than the other two for all pairs across, the same step makes every other weak
order cheaper. Then the optimal weak orders are exactly the combinations of optima of the groups.

The finest such groups are the strong components of the graph with an arc from x to y if "y above x"
is not (the only) cheapest. An arc keeps x out of groups after that of y. Items with arcs both ways,
such as those that are cheapest tied, stay together.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from graphlib import TopologicalSorter
from math import gcd, lcm
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Positions
from rankagg.aggregation.kemeny.problem import PairCosts, as_share
from rankagg.aggregation.kemeny.proof import Proof, Weighting
from rankagg.check_certificate import WEIGHT_DENOMINATOR, ProofReader, WeakProofReader
from rankagg.core import PairwiseMatrix, exact
from rankagg.core.graphs import strong_parts


@dataclass(frozen=True, eq=False)
class WeakProblem(PairCosts):
    """Integer costs of the three relations between two items."""

    # Shape (n, n). Cost of row above column; int64 if every sum fits, else Python integers. The
    # diagonal is 0.
    above: Integers
    # Shape (n, n). Cost of a tie of row and column; symmetric, with a diagonal of 0.
    tied: Integers
    # The divisor that converts integers to votes.
    denominator: int

    @classmethod
    def from_pairwise(
        cls, votes: PairwiseMatrix, tie_cost: float | Fraction, consensus_tie_cost: float | Fraction
    ) -> WeakProblem:
        """Return the problem of pairwise votes."""
        voted, agreed = as_share(tie_cost), as_share(consensus_tie_cost)
        wins, ties, denominator = votes.lowest_terms
        multiple = lcm(voted.denominator, agreed.denominator)
        above = exact.combine(wins.T, multiple, ties, int(voted * multiple)).copy()
        tied = exact.multiply(exact.combine(wins, 1, wins.T, 1), int(agreed * multiple)).copy()
        np.fill_diagonal(above, 0)
        np.fill_diagonal(tied, 0)
        return cls(exact.fit(above), exact.fit(tied), denominator * multiple)

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.above)

    @cached_property
    def slopes(self) -> Integers:
        """Coefficients of z[row, column] in the cost of a pair; see the module docstring."""
        return exact.combine(self.tied, 1, self.above.T, -1)

    @cached_property
    def cheapest(self) -> Integers:
        """The least of the three costs of each pair; symmetric."""
        return np.minimum(np.minimum(self.above, self.above.T), self.tied)

    @cached_property
    def floor(self) -> int:
        """The sum of the least costs of all pairs: a lower bound."""
        return exact.sum_of(np.triu(self.cheapest, k=1))

    @cached_property
    def both(self) -> int:
        """The sum of the constants of the affine costs of all pairs."""
        double = exact.combine(exact.combine(self.above, 1, self.above.T, 1), 1, self.tied, -1)
        return exact.sum_of(np.triu(double, k=1))

    @cached_property
    def step(self) -> int:
        """The gcd of all differences; costs of weak orders differ by its multiples."""
        margins = exact.combine(self.above, 1, self.above.T, -1)
        both = (np.gcd.reduce(part.ravel(), initial=0) for part in (margins, self.slopes))
        return gcd(*map(int, both))

    def cost(self, ranks: NDArray[np.integer]) -> int:
        """Return the cost of a weak order, given as one number per item, smaller is better."""
        above = ranks[:, None] < ranks[None, :]
        tied = np.triu(ranks[:, None] == ranks[None, :], k=1)
        return exact.sum_of(self.above * above) + exact.sum_of(self.tied * tied)

    def restrict(self, part: Positions) -> WeakProblem:
        """Return the problem of some of the items."""
        inside = np.ix_(part, part)
        return WeakProblem(self.above[inside], self.tied[inside], self.denominator)

    def groups(self, *, all_optima: bool = False) -> list[Positions]:
        """Return the finest groups that can be solved one by one, best first."""
        others = np.minimum(self.above.T, self.tied)
        arcs = (self.above >= others if all_optima else self.above > others).T.copy()
        np.fill_diagonal(arcs, False)
        group = strong_parts(arcs)
        count = int(group.max()) + 1
        between = np.zeros((count, count), dtype=bool)
        tails, heads = np.nonzero(arcs)
        between[group[tails], group[heads]] = True
        np.fill_diagonal(between, False)
        earlier = {g: np.flatnonzero(between[:, g]).tolist() for g in range(count)}
        return [np.flatnonzero(group == g) for g in TopologicalSorter(earlier).static_order()]


class Known(NamedTuple):
    """Two relations with all their consequences."""

    # Shape (n, n). The row is above the column or tied with it; transitive and reflexive.
    not_below: Bools
    # Shape (n, n). The row is above the column; implies `not_below`, and a "not below" before or
    # after it in a chain keeps it strict.
    above: Bools

    @classmethod
    def following(cls, not_below: Bools, above: Bools) -> Known | None:
        """Return the closure of two relations; None if they contradict each other."""
        weak = not_below | above | np.eye(len(above), dtype=bool)
        strict = above
        while True:
            steps, strictly = weak.astype(np.float32), strict.astype(np.float32)
            more = weak | (steps @ steps > 0)
            higher = strict | (strictly @ steps > 0) | (steps @ strictly > 0)
            if higher.diagonal().any():
                return None
            if np.array_equal(more, weak) and np.array_equal(higher, strict):
                return cls(weak, strict)
            weak, strict = more | higher, higher

    def holds(self, z: Bools) -> bool:
        """Return whether a weak order, as "row is not below column", respects the relations."""
        return bool((z >= self.not_below).all() and not (self.above & z.T).any())


class _Excess(NamedTuple):
    """Bound of a case and the increases by statements, scaled by `WEIGHT_DENOMINATOR`."""

    base: int
    # Shape (n, n). Increase of the bound if the row is not below, or is below, the column;
    # undefined on the diagonal.
    not_below: Integers
    below: Integers

    @classmethod
    def of(cls, problem: WeakProblem, weighting: Weighting, known: Known) -> _Excess:
        """Return the increases of a case, given its weighted rows."""
        slopes, constant, huge = _reduced_costs(problem, weighting)
        # Costs of the relations of a pair, minus the constant; "row above column" is z = 1, 0.
        above = np.where(known.not_below.T, huge, slopes)
        below = np.where(known.not_below, huge, slopes.T)
        tied = np.where(known.above | known.above.T, huge, slopes + slopes.T)
        up = np.minimum(above, tied)
        least = np.minimum(up, below)
        return cls(constant + exact.sum_of(np.triu(least, k=1)), up - least, below - least)


def _reduced_costs(problem: WeakProblem, weighting: Weighting) -> tuple[Integers, int, int]:
    """Return scaled slopes and constant of the cost with rows added, and a number above all."""
    total = exact.sum_of(weighting.weights)
    largest = max(int(np.abs(problem.slopes).max(initial=0)), 1) * WEIGHT_DENOMINATOR
    # Each row changes a slope once; a relation sums two slopes, and a bound n^2 relations.
    huge = 4 * (largest + total) + 1
    kind = np.int64 if 2 * huge * problem.n**2 < exact.INT64_SAFE else object
    slopes = problem.slopes.astype(kind) * WEIGHT_DENOMINATOR
    weights = weighting.weights.astype(kind)
    first, middle, last = weighting.triples.T
    np.add.at(slopes, (first, middle), weights)
    np.add.at(slopes, (middle, last), weights)
    np.subtract.at(slopes, (first, last), weights)
    return slopes, problem.both * WEIGHT_DENOMINATOR - total, huge


class WeakProof(Proof):
    """A bound among weak orders for one part that holds for any order of the other items."""

    words: ClassVar[type[ProofReader]] = WeakProofReader

    @staticmethod
    def nothing(n: int) -> Known:
        """Return the relations of n items without any statements."""
        return Known(np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool))

    @staticmethod
    def answered(known: Known, first: int, second: int, *, holds: bool = True) -> Known | None:
        """Add "first is not below second", or the opposite; None if that is a contradiction."""
        if known.above[second, first] if holds else known.not_below[first, second]:
            return None
        # A chain through the new link ends at its upper item and continues from its lower one.
        high, low = (first, second) if holds else (second, first)
        upward, downward = known.not_below[:, high], known.not_below[low]
        joined = strictly = upward[:, None] & downward
        if holds:
            strictly = (known.above[:, high][:, None] & downward) | (
                upward[:, None] & known.above[low]
            )
        return Known(known.not_below | joined, known.above | strictly)

    @staticmethod
    def least(problem: WeakProblem, weighting: Weighting, known: Known) -> int:
        """Return the bound of one case, raised to the next cost that a weak order can have."""
        base = _Excess.of(problem, weighting, known).base
        return problem.next_attainable(Fraction(base, WEIGHT_DENOMINATOR))

    @staticmethod
    def fixed(
        problem: WeakProblem, weighting: Weighting, known: Known, threshold: int
    ) -> Known | None:
        """Add all statements whose opposite costs every weak order at least `threshold`."""
        excess = _Excess.of(problem, weighting, known)
        if problem.next_attainable(Fraction(excess.base, WEIGHT_DENOMINATOR)) >= threshold:
            return None
        # More than the last attainable cost below the threshold is at least the threshold.
        room = problem.last_below(threshold) * WEIGHT_DENOMINATOR - excess.base
        below, not_below = excess.not_below > room, excess.below > room
        np.fill_diagonal(below, False)
        return Known.following(known.not_below | not_below, known.above | below.T)
