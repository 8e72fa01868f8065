"""Small integer programs through PuLP: find the least sum of whole numbers under linear rows.

The numbers of a row are Python integers. Solvers take floats and a tolerance, so rows are
loosened where floats cannot hold them: every true solution stays one, the bound of a solver is a
bound of the exact program, and the caller checks the solution itself in integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, gcd, inf
from typing import Any

import numpy as np
import pulp
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.relaxation.cbc import cbc
from rankagg.aggregation.kemeny.relaxation.highs import why_not_highs
from rankagg.exceptions import OutOfTimeError, SolverError

__all__ = ["IntegerProgram", "Optimum"]

# Beyond this a row is scaled to floats near 1 and loosened; solvers check rows to 1e-6.
LARGEST = 2**30
SLACK = 1e-5


@dataclass(frozen=True, eq=False)
class Optimum:
    """What a solver found.

    Attributes
    ----------
    bound : int
        No solution has a smaller sum.
    values : ndarray of int, shape (n,), or None
        The columns of the best solution; None where there is none.
    """

    bound: int
    values: NDArray[np.int64] | None


@dataclass
class IntegerProgram:
    """Whole-number columns, some of which count, and rows that are at least a number."""

    _lower: list[int] = field(default_factory=list)
    _upper: list[int] = field(default_factory=list)
    _cost: list[int] = field(default_factory=list)
    _whole: list[bool] = field(default_factory=list)
    _rows: list[tuple[Mapping[int, int], int]] = field(default_factory=list)

    def columns(
        self, upper: Sequence[int], *, cost: int = 0, whole: bool = True
    ) -> NDArray[np.intp]:
        """Add columns from 0 to some numbers, and return where they are."""
        first = len(self._upper)
        self._lower += [0] * len(upper)
        self._upper += [int(most) for most in upper]
        self._cost += [cost] * len(upper)
        self._whole += [whole] * len(upper)
        return np.arange(first, len(self._upper))

    def at_least(self, numbers: Mapping[int, int], least: int) -> None:
        """Add the row that a sum of multiples of columns is at least a number."""
        self._rows.append(({k: int(v) for k, v in numbers.items() if v}, int(least)))

    def fix(self, column: int, value: int) -> None:
        """Let a column have one value."""
        self._lower[column] = self._upper[column] = int(value)

    def solve(self, deadline: Deadline, *, below: int | None = None) -> Optimum:
        """Find the least sum of the columns that cost.

        Parameters
        ----------
        deadline : Deadline
            When to stop.
        below : int, optional
            Look for smaller sums only.

        Returns
        -------
        Optimum
            Without values, and with the bound `below` (or the sum of all upper bounds and one
            more), where there is no solution.

        Raises
        ------
        OutOfTimeError
            If the time is over before it is solved.
        """
        most = sum(c * u for c, u in zip(self._cost, self._upper, strict=True))
        end = most + 1 if below is None else min(below, most + 1)
        rows = [*self._rows, ({k: -c for k, c in enumerate(self._cost) if c}, 1 - end)]
        # A row without numbers is no row for a solver.
        if end <= 0 or any(not numbers and least > 0 for numbers, least in rows):
            return Optimum(max(end, 0), None)
        model, columns = self._model([row for row in rows if row[0]])
        left = deadline.seconds_left()
        limit = None if left == inf else left
        if why_not_highs() is None:
            solver: Any = pulp.HiGHS(msg=False, threads=1, timeLimit=limit, gapRel=0, gapAbs=0.9)
        else:
            solver = cbc(left)
        try:
            model.solve(solver)
        except pulp.PulpSolverError as error:
            raise SolverError(f"The solver of an integer program failed: {error}") from error
        if model.sol_status == pulp.LpSolutionInfeasible:
            deadline.seconds_left()  # CBC says so too where its time is over
            return Optimum(end, None)
        if model.sol_status != pulp.LpSolutionOptimal:
            if deadline.at < inf:
                raise OutOfTimeError
            words = pulp.LpSolution.get(model.sol_status, str(model.sol_status))
            raise SolverError(f"The solver of an integer program did not end: {words}.")
        found = [0 if x.value() is None else round(x.value()) for x in columns]
        values = np.array(found, dtype=np.int64)
        total = sum(c * int(v) for c, v in zip(self._cost, values, strict=True))
        # The sum is whole, and what the solver calls optimal is within less than one of its bound.
        return Optimum(min(ceil(pulp.value(model.objective) - 1e-4), total), values)

    def _model(self, rows: list[tuple[Mapping[int, int], int]]) -> tuple[Any, list[Any]]:
        model = pulp.LpProblem("removal", pulp.LpMinimize)
        columns = [
            model.add_variable(f"x{k}", low, high, "Integer" if whole else "Continuous")
            for k, (low, high, whole) in enumerate(
                zip(self._lower, self._upper, self._whole, strict=True)
            )
        ]
        model.setObjective(
            pulp.LpAffineExpression([(columns[k], c) for k, c in enumerate(self._cost) if c])
        )
        for number, (numbers, least) in enumerate(rows):
            coefficients, right = _as_floats(numbers, least)
            terms = [(columns[k], v) for k, v in coefficients.items()]
            model.addConstraint(pulp.LpAffineExpression(terms) >= right, f"row{number}")
        return model, columns


def _as_floats(numbers: Mapping[int, int], least: int) -> tuple[dict[int, float], float]:
    """Return a row that floats hold: the same one in lower terms, or a looser one."""
    largest = max(abs(v) for v in numbers.values())
    divisor = gcd(*numbers.values())
    if largest // divisor <= LARGEST and abs(least) // divisor <= LARGEST:
        # Left sides are multiples of the divisor.
        return {k: float(v // divisor) for k, v in numbers.items()}, float(-(-least // divisor))
    scale = max(largest, abs(least))
    loose = SLACK * (1.0 + abs(least / scale))
    return {k: v / scale for k, v in numbers.items()}, least / scale - loose
