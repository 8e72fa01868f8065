"""The textbook formulation in PuLP: binary variables for pairs, one row per 3-cycle.

x[i, j] = 1 where i stands before j, for i < j only; the reverse is 1 - x[i, j]. A 0/1 point is an
order exactly where no cycle a -> b -> c -> a has all three arcs:

    x[a, b] + x[b, c] + x[c, a] <= 2.

Only PuLP's public interface is used, with the CBC solver that it brings along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pulp
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.exceptions import SolverError, SolverNotFoundError

__all__ = ["Solution", "solve_lazy", "solve_naive"]

VIOLATION = 1e-6
ROWS_PER_ITEM = 40

Arcs = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Solution:
    """An order and the 3-cycles, with dual weights, that bound its cost from below."""

    order: NDArray[np.intp]
    cycles: tuple[tuple[int, int, int, float], ...]


def solve_naive(problem: Problem) -> Solution:
    """Solve the full integer programme at once, then its relaxation for the proof.

    Parameters
    ----------
    problem : Problem
        One component; the model has n(n - 1)(n - 2)/3 rows.

    Returns
    -------
    Solution
    """
    model = _Model(problem, integer=True)
    model.add_rows(_all_cycles(problem.n))
    model.solve()
    order = _order_of(model.solution())
    model.relax()
    model.solve()
    return Solution(order, tuple(model.dual_cycles()))


def solve_lazy(problem: Problem) -> Solution:
    """Solve the relaxation with rows added as they are violated; branch only if that is needed.

    Parameters
    ----------
    problem : Problem
        One component.

    Returns
    -------
    Solution
        Where the relaxation is fractional, the order comes from the integer programme and the
        cycles from the relaxation, so their bound may fall short of the cost.
    """
    model = _Model(problem, integer=False)
    point = _solve_until_closed(model)
    cycles = tuple(model.dual_cycles())
    if not _is_integral(point):
        model.require_integers()
        point = _solve_until_closed(model)
    return Solution(_order_of(point), cycles)


def _solve_until_closed(model: _Model) -> Floats:
    while True:
        model.solve()
        point = model.solution()
        violated = violated_cycles(point, ROWS_PER_ITEM * len(point))
        if not violated:
            return point
        if model.has_rows(violated):
            raise SolverError("CBC returned a point that violates rows of the model it solved.")
        model.add_rows(violated)


def violated_cycles(point: Floats, limit: int) -> list[Arcs]:
    """Return up to `limit` cycles a -> b -> c -> a that use more than two arcs, worst first."""
    n = len(point)
    found: list[NDArray[np.intp]] = []
    excess: list[Floats] = []
    for a in range(n - 2):
        # a is the smallest position, so that each cycle occurs once.
        rest = point[a + 1 :, a + 1 :]
        used = point[a, a + 1 :, None] + rest + point[None, a + 1 :, a] - 2.0
        np.fill_diagonal(used, -1.0)
        b, c = np.nonzero(used > VIOLATION)
        found.append(np.column_stack([np.full(len(b), a), b + a + 1, c + a + 1]))
        excess.append(used[b, c])
    if not found:
        return []
    worst = np.argsort(-np.concatenate(excess), kind="stable")[:limit]
    return [(int(a), int(b), int(c)) for a, b, c in np.concatenate(found)[worst]]


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

    def __init__(self, problem: Problem, *, integer: bool) -> None:
        self._n = problem.n
        self._solver = _cbc()
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
        try:
            self._lp.solve(self._solver)
        except pulp.PulpSolverError as error:
            raise SolverError(f"CBC failed: {error}") from error
        # `status` calls a mere incumbent optimal; `sol_status` does not.
        if self._lp.sol_status != pulp.LpSolutionOptimal:
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


def _cbc() -> Any:
    path = pulp.PULP_CBC_CMD.pulp_cbc_path
    solver = pulp.COIN_CMD(path=path, msg=False, gapRel=0, threads=1)
    if not solver.available():
        raise SolverNotFoundError(
            "PuLP's CBC solver was not found; install it with: pip install 'pulp>=3.3,<4'"
        )
    return solver
