"""Good weak orders: local search, and the best one that a search has met.

Good weak orders quickly: the best buckets of an order, moves of single items, and kicks.

All of it works on float costs, so gains are approximate where integers leave 53 bits; the caller
recomputes costs exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.weak_problem import WeakProblem
from rankagg.aggregation.kemeny.weak_proof import Known
from rankagg.core.graphs import strong_parts

__all__ = ["Costs", "Incumbent", "best_buckets", "improve", "kicked", "starting_orders"]

Levels = NDArray[np.intp]

#: Gains below this share of the largest cost are rounding.
NEGLIGIBLE = 1e-9

NEVER = Deadline()


@dataclass(frozen=True, eq=False)
class Costs:
    """Float costs of pairs."""

    # Shape (n, n). Of putting row above column; the diagonal is 0.
    above: Floats
    # Shape (n, n). Of tying them; symmetric, with a diagonal of 0.
    tied: Floats

    @property
    def negligible(self) -> float:
        """What gain is rounding."""
        return NEGLIGIBLE * max(float(self.above.max(initial=0.0)), 1.0)


def starting_orders(costs: Costs) -> list[NDArray[np.intp]]:
    """Return the orders by summed margins and by majorities, as positions, best first."""
    margins = costs.above - costs.above.T
    strengths = (-margins.sum(axis=1), (margins < 0).sum(axis=1) - (margins > 0).sum(axis=1))
    return [np.argsort(-strength, kind="stable") for strength in strengths]


def best_buckets(costs: Costs, order: NDArray[np.intp]) -> Levels:
    """Return the cheapest weak order whose buckets are stretches of an order.

    Dynamic programming over where the last bucket begins: O(n^2).
    """
    n = len(order)
    inside = np.ix_(order, order)
    change = np.triu((costs.tied - costs.above)[inside], k=1)
    # gains[first, last]: what tying the stretch from first to last adds to the cost of the order.
    gains = np.cumsum(np.cumsum(change, axis=1)[::-1], axis=0)[::-1]
    best = np.zeros(n + 1)
    begins = np.zeros(n, dtype=np.intp)
    for last in range(n):
        whole = best[: last + 1] + gains[: last + 1, last]
        # Of equally good stretches the shortest: ties that gain nothing are none.
        begins[last] = last - int(np.argmin(whole[::-1]))
        best[last + 1] = whole[begins[last]]
    starts = np.zeros(n, dtype=np.intp)
    last = n - 1
    while last >= 0:
        starts[begins[last]] = 1
        last = int(begins[last]) - 1
    levels = np.empty(n, dtype=np.intp)
    levels[order] = np.cumsum(starts) - 1
    return levels


def improve(costs: Costs, levels: Levels, deadline: Deadline = NEVER) -> Levels:
    """Move single items into other buckets or between them until no such move helps.

    All moves are weighed in one pass of time n^2, and the best one is made. Then the buckets are
    chosen anew for the order, and so on until neither helps.
    """
    while not deadline.is_over:
        levels = _moved_while_it_helps(costs, levels, deadline)
        order = np.lexsort((levels,))
        again = best_buckets(costs, order)
        if cost_of(costs, again) >= cost_of(costs, levels) - costs.negligible:
            return levels
        levels = again
    return levels


def _moved_while_it_helps(costs: Costs, levels: Levels, deadline: Deadline) -> Levels:
    n = len(levels)
    items = np.arange(n)
    _, levels = np.unique(levels, return_inverse=True)
    member = np.zeros((n, int(levels.max(initial=0)) + 1))
    member[items, levels] = 1.0
    # Of each item with all of each bucket: it is above them, it is below them, it is tied with
    # them. One move changes two columns.
    from_one = np.stack([costs.above, costs.above.T, costs.tied])
    sums = from_one @ member
    while not deadline.is_over:
        after, before, level = sums
        before = np.cumsum(before, axis=1)
        after = np.cumsum(after[:, ::-1], axis=1)[:, ::-1]
        joined = level.copy()
        joined[:, 1:] += before[:, :-1]
        joined[:, :-1] += after[:, 1:]
        alone = np.empty((n, sums.shape[2] + 1))  # in a bucket of its own, before bucket k
        alone[:, 0], alone[:, 1:] = 0.0, before
        alone[:, :-1] += after
        best_alone, best_joined = alone.argmin(axis=1), joined.argmin(axis=1)
        least_alone, least_joined = alone[items, best_alone], joined[items, best_joined]
        gain = joined[items, levels] - np.minimum(least_alone, least_joined)
        item = int(np.argmax(gain))
        if gain[item] <= costs.negligible:
            return levels
        if least_alone[item] < least_joined[item]:
            target = int(best_alone[item])
            levels = np.where(levels >= target, levels + 1, levels)
            sums = np.insert(sums, target, 0.0, axis=2)
        else:
            target = int(best_joined[item])
        source = int(levels[item])
        sums[:, :, source] -= from_one[:, :, item]
        sums[:, :, target] += from_one[:, :, item]
        levels[item] = target
        if not (levels == source).any():
            sums = np.delete(sums, source, axis=2)
            levels = np.where(levels > source, levels - 1, levels)
    return levels


def cost_of(costs: Costs, levels: Levels) -> float:
    """Return the cost of a weak order."""
    above = levels[:, None] < levels[None, :]
    tied = np.triu(levels[:, None] == levels[None, :], k=1)
    return float(costs.above[above].sum() + costs.tied[tied].sum())


def kicked(levels: Levels, rng: np.random.Generator, strength: int) -> Levels:
    """Return the weak order with some random items put into or between random buckets."""
    changed = 2 * levels
    picked = rng.integers(len(levels), size=strength)
    changed[picked] = rng.integers(-1, 2 * int(levels.max()) + 2, size=strength)
    return np.unique(changed, return_inverse=True)[1]


SEED = 0
KICKS = 20

# Of the time that is left, one part in so many goes into kicks.
SHARE = 5


class Incumbent:
    """The best weak order so far of one part, under what is known about it."""

    def __init__(
        self, problem: WeakProblem, unit: int, known: Known, deadline: Deadline = NEVER
    ) -> None:
        self._problem = problem
        self._known = known
        self._deadline = deadline
        self._costs = _biased(problem, unit, known)
        self._rng = np.random.default_rng(SEED)
        self._last_rounded = b""
        # The first must be sound: one that respects what is known.
        self.levels = _extension(known)
        self.cost = problem.cost(self.levels)
        self.offer(self.levels)
        for order in starting_orders(self._costs):
            self.offer(best_buckets(self._costs, order))

    def offer(self, levels: NDArray[np.intp]) -> bool:
        """Improve a weak order, and keep it if it is the best so far; say whether it is."""
        improved = improve(self._costs, levels, self._deadline)
        cost = self._problem.cost(improved)
        if cost >= self.cost or not self._known.holds(improved[:, None] <= improved[None, :]):
            return False
        self.levels, self.cost = improved, cost
        return True

    def kick(self) -> None:
        """Look around the best one until some kicks in a row bring nothing, or a share of time."""
        waiting, ends = 0, self._deadline.share(SHARE)
        while waiting < KICKS and not ends.is_over:
            strength = max(2, self._problem.n // 12)
            better = self.offer(kicked(self.levels, self._rng, strength))
            waiting = 0 if better else waiting + 1

    def round(self, not_below: Floats) -> None:
        """Offer the best buckets of the order of a fractional point's row sums."""
        strength = not_below.sum(axis=1) - not_below.sum(axis=0)
        levels = best_buckets(self._costs, np.argsort(-strength, kind="stable"))
        if levels.tobytes() != self._last_rounded:
            self._last_rounded = levels.tobytes()
            self.offer(levels)


def _biased(problem: WeakProblem, unit: int, known: Known) -> Costs:
    """Return float costs by which nothing pays that what is known rules out."""
    above: Floats = (problem.above / unit).astype(np.float64)
    tied: Floats = (problem.tied / unit).astype(np.float64)
    penalty = float(above.sum() + tied.sum()) + 1.0
    ruled_out = known.not_below.T & ~np.eye(problem.n, dtype=bool)
    above[ruled_out] += penalty
    tied[known.above | known.above.T] += penalty
    return Costs(above, tied)


def _extension(known: Known) -> NDArray[np.intp]:
    """Return a weak order that respects what is known, with as few ties as that allows."""
    parts = strong_parts(known.not_below)
    first = np.array([np.argmax(parts == part) for part in range(int(parts.max()) + 1)])
    inside = known.not_below[np.ix_(first, first)]
    # The relation of the parts is a partial order, so the number of those below sorts it.
    order = np.argsort(-inside.sum(axis=1), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place[parts]
