"""The textbook formulation in PuLP: binary variables for pairs, one row per 3-cycle.

x[i, j] = 1 where i stands before j, for i < j only; the reverse is 1 - x[i, j]. A 0/1 point is an
order exactly where no cycle a -> b -> c -> a has all three arcs:

    x[a, b] + x[b, c] + x[c, a] <= 2.

Only PuLP's public interface is used, with the CBC solver that it brings along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pulp
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny.orders import heuristics
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.nodes import Leaf
from rankagg.aggregation.kemeny.proofs.proof import round_weights
from rankagg.aggregation.kemeny.relaxation.cbc import cbc
from rankagg.aggregation.kemeny.separation import violated_cycles
from rankagg.aggregation.kemeny.solution import Solution, Task
from rankagg.exceptions import SolverError

__all__ = ["solve_lazy", "solve_naive"]

VIOLATION = 1e-6
ROWS_PER_ITEM = 40

Arcs: TypeAlias = tuple[int, int, int]
DualCycles: TypeAlias = list[tuple[int, int, int, float]]


def solve_naive(task: Task) -> Solution:
    """Solve the full integer program at once, then its relaxation for the proof.

    Parameters
    ----------
    task : Task
        The part; the model has n(n - 1)(n - 2)/3 rows.

    Returns
    -------
    Solution
    """
    problem = task.problem
    order = _good_order(problem)
    cycles: DualCycles = []
    with until_stopped() as stop:
        model = _Model(problem, task.deadline, integer=True)
        model.add_rows(_all_cycles(problem.n))
        model.solve()
        order = _order_of(model.solution())
        model.relax()
        model.solve()
        cycles = list(model.dual_cycles())
    return Solution(order, (_leaf(cycles),), interrupted=stop.by_user)


def solve_lazy(task: Task) -> Solution:
    """Solve the relaxation with rows added as they are violated; branch only if that is needed.

    Parameters
    ----------
    task : Task
        The part.

    Returns
    -------
    Solution
        Where the relaxation is fractional, the order comes from the integer program and the
        cycles from the relaxation, so their bound may fall short of the cost.
    """
    problem = task.problem
    order = _good_order(problem)
    cycles: DualCycles = []
    with until_stopped() as stop:
        model = _Model(problem, task.deadline, integer=False)
        point = _solve_until_closed(model)
        cycles = list(model.dual_cycles())
        if not _is_integral(point):
            model.require_integers()
            point = _solve_until_closed(model)
        order = _order_of(point)
    return Solution(order, (_leaf(cycles),), interrupted=stop.by_user)


def _good_order(problem: Problem) -> NDArray[np.intp]:
    """Return what to fall back on where the time is too short."""
    margins = problem.margins.astype(np.float64)
    orders = [heuristics.improve(margins, order) for order in heuristics.starting_orders(margins)]
    return min(orders, key=problem.cost)


def _leaf(cycles: DualCycles) -> Leaf:
    weights = round_weights(np.array([dual for *_, dual in cycles]), 1).tolist()
    used = [(cycle[:3], weight) for cycle, weight in zip(cycles, weights, strict=True) if weight]
    return Leaf(tuple(cycle for cycle, _ in used), tuple(weight for _, weight in used))


def _solve_until_closed(model: _Model) -> Floats:
    while True:
        model.solve()
        point = model.solution()
        rows = violated_cycles(point, model.margins, ROWS_PER_ITEM * len(point), model.deadline)
        # "One arc at least" is "two at most" of the reverse.
        violated = [(int(a), int(b), int(c)) for a, c, b in rows]
        if not violated:
            return point
        if model.has_rows(violated):
            raise SolverError("CBC returned a point that violates rows of the model it solved.")
        model.add_rows(violated)


def _all_cycles(n: int) -> Iterator[Arcs]:
    for a, b, c in combinations(range(n), 3):
        yield a, b, c
        yield a, c, b


def _is_integral(point: Floats) -> bool:
    return bool((np.minimum(point, 1.0 - point) < VIOLATION).all())


def _order_of(point: Floats) -> NDArray[np.intp]:
    wins = (point > 0.5).sum(axis=1)
    return np.argsort(-wins, kind="stable")


class _Model:
    """A PuLP problem for one component, kept across rounds of added rows."""

    def __init__(self, problem: Problem, deadline: Deadline, *, integer: bool) -> None:
        self._n = problem.n
        self.margins = problem.margins.astype(np.float64)
        self.deadline = deadline
        cbc()  # complain of a missing solver before the model is built
        self._lp = pulp.LpProblem("kemeny", pulp.LpMinimize)
        # Dividing by the largest margin keeps the numbers in the range that solvers like.
        largest = max(int(np.abs(problem.margins).max()), 1)
        self._scale = float(largest)
        category = "Integer" if integer else "Continuous"
        self._x = {
            (i, j): self._lp.add_variable(f"x_{i}_{j}", 0, 1, category)
            for i, j in combinations(range(self._n), 2)
        }
        self._lp.setObjective(
            pulp.lpSum(
                float(int(problem.margins[i, j]) / largest) * x for (i, j), x in self._x.items()
            )
        )
        self._rows: list[tuple[Arcs, str]] = []

    def _before(self, i: int, j: int) -> Any:
        return self._x[i, j] if i < j else 1 - self._x[j, i]

    def add_rows(self, cycles: Iterable[Arcs]) -> None:
        for a, b, c in cycles:
            name = f"row_{len(self._rows)}"
            used = self._before(a, b) + self._before(b, c) + self._before(c, a)
            self._lp.addConstraint(used <= 2, name)
            self._rows.append(((a, b, c), name))

    def has_rows(self, cycles: Iterable[Arcs]) -> bool:
        present = {cycle for cycle, _ in self._rows}
        return any(cycle in present for cycle in cycles)

    def require_integers(self) -> None:
        for x in self._x.values():
            x.cat = "Integer"

    def relax(self) -> None:
        for x in self._x.values():
            x.cat = "Continuous"

    def solve(self) -> None:
        left = self.deadline.seconds_left()
        try:
            self._lp.solve(cbc(left))
        except pulp.PulpSolverError as error:
            raise SolverError(f"CBC failed: {error}") from error
        # `status` calls a mere incumbent optimal; `sol_status` does not.
        if self._lp.sol_status != pulp.LpSolutionOptimal:
            self.deadline.seconds_left()  # raises where that is the reason
            words = pulp.LpSolution.get(self._lp.sol_status, str(self._lp.sol_status))
            raise SolverError(f"CBC did not reach an optimum: {words}.")

    def solution(self) -> Floats:
        """Return x[i, j] for all pairs, shape (n, n), zero on the diagonal."""
        point = np.zeros((self._n, self._n))
        for (i, j), x in self._x.items():
            value = x.value()
            point[i, j] = np.nan if value is None else value
        below = np.tril_indices(self._n, k=-1)
        point[below] = 1.0 - point.T[below]
        # A pair without a margin and in no row yet never reaches the solver: any value is optimal
        # for it, so take the one that goes with the other pairs.
        strength = np.nansum(point, axis=1)
        free = np.isnan(point)
        point[free] = (strength[:, None] >= strength)[free]
        point[below] = 1.0 - point.T[below]
        return point

    def dual_cycles(self) -> Iterator[tuple[int, int, int, float]]:
        """Yield cycles one of whose arcs every order uses, with their dual weights.

        "At most two arcs of a -> b -> c -> a" is "at least one arc of a -> c -> b -> a".
        """
        rows = {row.name: row for row in self._lp.constraints()}
        for (a, b, c), name in self._rows:
            dual = -(rows[name].pi or 0.0) * self._scale
            if dual > 0:
                yield a, c, b, dual
