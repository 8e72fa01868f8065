"""Solving one part of one of many related problems, as cheaply as it can be.

Small parts are solved by dynamic programming over subsets. Larger ones begin with the cycles that
counted in related problems, and mostly end at a bound without any search. What is not proved so
goes on to branch and bound with the rows and the order that were found.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.deadline import until_stopped
from rankagg.aggregation.kemeny.orders import heuristics
from rankagg.aggregation.kemeny.proofs.nodes import Enumeration
from rankagg.aggregation.kemeny.proofs.proof import leaf_bound
from rankagg.aggregation.kemeny.relaxation.highs import HighsRelaxation, why_not_highs
from rankagg.aggregation.kemeny.relaxation.relaxation import Cycles
from rankagg.aggregation.kemeny.search.bounds import Bound, unweighted
from rankagg.aggregation.kemeny.search.cuts import solve_cuts
from rankagg.aggregation.kemeny.search.tightening import cycles_at
from rankagg.aggregation.kemeny.search.warm import WarmPart
from rankagg.aggregation.kemeny.solution import Solution, Task
from rankagg.aggregation.kemeny.subset_dp import SubsetTable

__all__ = ["solve_warm"]

# Parts of so many items take less time by dynamic programming, and so do their proofs.
SMALL = 10
# More items are worth what branch and bound does before its first relaxation, and more rounds are
# worth what it does after that.
LARGE, ROUNDS = 150, 20


def solve_warm(task: Task, warm: WarmPart) -> Solution:
    """Solve one part by what is known of related problems.

    Parameters
    ----------
    task : Task
        The part; without constraints.
    warm : WarmPart
        What is known; it learns from this part.

    Returns
    -------
    Solution
    """
    n = task.problem.n
    if n <= SMALL:
        table = SubsetTable(task.problem)
        return Solution(table.order(), (Enumeration(),), lower=table.cost)
    if n > LARGE or why_not_highs() is not None:
        return solve_cuts(task)
    root = _Root(task)
    with until_stopped() as stop:
        root.run(warm)
    if root.is_done or stop.out_of_time or stop.by_user:
        return root.solution(interrupted=stop.by_user)
    return solve_cuts(replace(task, start=root.order), root.relaxation)


class _Root:
    """The case of all orders of a part."""

    def __init__(self, task: Task) -> None:
        self._problem, self._deadline, self._report = task.problem, task.deadline, task.report
        self._margins = task.problem.margins.astype(np.float64)
        self._none = np.zeros(self._margins.shape, dtype=bool)
        self._bound = unweighted(task.problem, self._none)
        first = task.start
        self.order = heuristics.starting_orders(self._margins)[0] if first is None else first
        self._cost = task.problem.cost(self.order)
        self.relaxation: HighsRelaxation | None = None

    @property
    def is_done(self) -> bool:
        """Whether the order is proved."""
        return self._bound.value >= self._cost

    def solution(self, *, interrupted: bool) -> Solution:
        """Return the order with its bound."""
        rows = (self._bound.leaf(),)
        return Solution(self.order, rows, interrupted=interrupted, lower=self._bound.value)

    def run(self, warm: WarmPart) -> None:
        """Add cycles until the order is proved, none is violated, or it has taken long enough.

        Raises
        ------
        OutOfTimeError, KeyboardInterrupt
            If it has to stop before; the state stays valid.
        """
        self._deadline.seconds_left()
        self._offer(self.order)
        cheapest = (1.0 - np.sign(self._margins)) / 2.0
        cycles = _together(cycles_at(cheapest, self._margins, self._deadline), cheapest, warm)
        relaxation = self.relaxation = HighsRelaxation(self._problem, warm.live)
        for _ in range(ROUNDS):
            relaxation.add_cycles(cycles)
            point = relaxation.solve(self._deadline)
            weighting = relaxation.weighting(point)
            value = leaf_bound(self._problem, weighting, self._none)
            if value >= self._bound.value:
                self._bound = Bound(value, weighting, point.rows)
            if not self.is_done:
                self._offer(np.argsort(-point.before.sum(axis=1), kind="stable"))
            self._report(min(self._bound.value, self._cost), self._cost)
            if self.is_done:
                break
            cycles = cycles_at(point.before, self._margins, self._deadline)
            if len(cycles) == 0:
                break
        warm.learn(self._bound.used()[0])

    def _offer(self, order: NDArray[np.intp]) -> None:
        """Improve an order by moves of single items, and keep it if it is the best so far."""
        better = heuristics.improve(self._margins, order, self._deadline)
        cost = self._problem.cost(better)
        if cost < self._cost:
            self.order, self._cost = better, cost


def _together(new: Cycles, cheapest: NDArray[np.float64], warm: WarmPart) -> Cycles:
    """Return new cycles, and known ones that are violated by the cheaper way of each pair."""
    known = warm.cycles
    a, b, c = known.T
    known = known[cheapest[a, b] + cheapest[b, c] + cheapest[c, a] < 1.0]
    n = len(cheapest)
    numbers = np.array([n * n, n, 1])
    return np.concatenate([new, known[~np.isin(known @ numbers, new @ numbers)]])
