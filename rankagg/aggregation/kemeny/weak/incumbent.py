"""The best weak order that a search has met, and its ways of looking for a better one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.weak.known import Known
from rankagg.aggregation.kemeny.weak.local_search import (
    NEVER,
    Costs,
    best_buckets,
    improve,
    kicked,
    starting_orders,
)
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.core.graphs import strong_parts

__all__ = ["Incumbent"]

SEED = 0
KICKS = 20

# Of the time that is left, one part in so many goes into kicks.
SHARE = 5


class Incumbent:
    """The best weak order so far of one part, under what is known about it.

    Parameters
    ----------
    problem : WeakProblem
        The part.
    unit : int
        What float costs are counted in.
    known : Known
        What every weak order must respect.
    deadline : Deadline
        When to look no further.

    Attributes
    ----------
    levels : ndarray of int, shape (n,)
        The number of each item's bucket, from 0, the best.
    cost : int
        In the units of `WeakProblem`.
    """

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
