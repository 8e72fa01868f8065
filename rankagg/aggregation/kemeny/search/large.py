"""A first answer for parts of many items: an order and a bound without any linear program.

Rows are found against the order of the present point, the first-order method raises the bound,
and the point is rounded to a better order, in turns. On many problems both meet; on others the
cycles are first rows for `branch_and_bound`; with thousands of items they are the answer.
"""

from __future__ import annotations

import numpy as np

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.orders.incumbent import Incumbent
from rankagg.aggregation.kemeny.orders.windows import improve_windows
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.proof import leaf_bound, round_weights
from rankagg.aggregation.kemeny.proofs.rows import Weighting
from rankagg.aggregation.kemeny.search.first_order import FirstOrder, Floats32
from rankagg.aggregation.kemeny.search.sampled_cycles import cycles_against
from rankagg.aggregation.kemeny.solution import Report

__all__ = ["A_ROW", "MOST_ROWS", "FirstSearch"]

#: Rows of the method, and so cycles of a certificate: of 25 bytes each in its file.
MOST_ROWS = 300_000
#: How much heavier cycles are preferred, as long as new ones are not few.
HEAVY, FEW = 0.25, 0.02
#: Seconds that a row takes once it is in the certificate, where half of them are.
A_ROW = 5e-6
#: Restarts between two looks for rows, and rounds of these between two orders that are improved.
RESTARTS, ROUNDS = 3, 6
#: What is gained in so many rounds is little where it is less than this share of what is left.
PATIENCE, LITTLE = 4, 0.01


class FirstSearch:
    """The state of the search for a first answer; `run` continues it."""

    def __init__(
        self, problem: Problem, unit: int, best: Incumbent, deadline: Deadline, report: Report
    ) -> None:
        self._problem = problem
        self._unit = unit
        self._best = best
        self._deadline = deadline
        self._report = report
        self._margins: Floats32 = best.margins.astype(np.float32)
        self._method = FirstOrder(self._margins)
        self._none: Bools = np.zeros((problem.n, problem.n), dtype=bool)
        self._lower = problem.floor

    def run(self) -> None:
        """Raise the bound and improve the order, until they meet or little is gained.

        Raises
        ------
        OutOfTimeError, KeyboardInterrupt
            If it has to stop before; the state stays valid.
        """
        method, history = self._method, [0.0]
        turn, heavy = 0, HEAVY
        while not self._is_proved():
            turn += 1
            order = np.argsort(-method.before.sum(axis=1), kind="stable")
            ends = self._deadline.later(-A_ROW * len(method.cycles))
            rows = cycles_against(method.before, self._margins, order, MOST_ROWS, ends, heavy=heavy)
            added = method.add(rows, MOST_ROWS)
            if len(method.cycles) == 0:
                return
            for _ in range(RESTARTS):
                method.run(ends)
            history.append(method.value)
            self._best.search()
            if turn % ROUNDS == 1:
                self._prove()
            if turn % ROUNDS == 0:
                self._round()
            self._report(min(self._lower, self._best.cost), self._best.cost)
            if turn % RESTARTS == 0:
                method.drop()
            if added < FEW * len(method.cycles):
                heavy = 0.0
            if self._is_stalled(history):
                if not heavy:
                    break
                heavy, history = 0.0, history[-1:]
        self._round()

    @property
    def point(self) -> Floats:
        """How much each item stands before each other at the present point."""
        return self._method.before.astype(np.float64)

    def _round(self) -> None:
        self._best.round(self.point)
        self._best.offer(improve_windows(self._problem, self._best.order, self._deadline))

    def _prove(self) -> None:
        """Recompute the bound in integers: whatever is reported is proved."""
        self._lower = max(self._lower, self.answer()[0])

    def _is_proved(self) -> bool:
        if self._lower >= self._best.cost:
            return True
        near = self._best.cost - self._problem.step
        if self._problem.floor + self._method.value * self._unit <= near:
            return False
        self._prove()
        return self._lower >= self._best.cost

    def _is_stalled(self, history: list[float]) -> bool:
        if len(history) <= PATIENCE:
            return False
        # Nothing is left, in floating point, where integers may still tell bound and cost apart.
        left = max((self._best.cost - self._problem.floor) / self._unit - history[-1], 0.0)
        return history[-1] - history[-1 - PATIENCE] <= LITTLE * left

    def answer(self) -> tuple[int, Weighting]:
        """Return the best bound so far, recomputed in integers, and what it is made of."""
        cycles, weights = self._method.best
        scaled = round_weights(weights.astype(np.float64), self._unit)
        used = np.flatnonzero(scaled > 0)
        weighting = Weighting(cycles[used].astype(np.intp), scaled[used])
        return leaf_bound(self._problem, weighting, self._none), weighting
