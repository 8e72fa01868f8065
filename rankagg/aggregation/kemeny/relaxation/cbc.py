"""The relaxation through PuLP and the CBC that it brings along, where HiGHS cannot be loaded.

CBC is a program of its own, so every solve writes the model anew and starts without a basis. The
points and duals are as good, and the proofs made of them the same; it only takes longer.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pulp
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.relaxation.highs import HighsRelaxation, why_not_highs
from rankagg.aggregation.kemeny.relaxation.relaxation import Point, Relaxation, SparseRows
from rankagg.exceptions import OutOfTimeError, SolverError, SolverNotFoundError

__all__ = ["CbcRelaxation", "cbc", "relaxation_of"]

SLACK = 1e-6


def cbc(seconds: float = inf) -> Any:
    """Return PuLP's solver with a limit in seconds; raises `SolverNotFoundError` without one."""
    path = pulp.PULP_CBC_CMD.pulp_cbc_path
    limit = None if seconds == inf else seconds
    solver = pulp.COIN_CMD(path=path, msg=False, gapRel=0, threads=1, timeLimit=limit)
    if not solver.available():
        raise SolverNotFoundError(
            "PuLP's CBC solver was not found; install it with: pip install 'pulp>=3.3.1,<4'"
        )
    return solver


def relaxation_of(problem: Problem) -> Relaxation:
    """Return the relaxation of a problem in the best engine that there is.

    Raises
    ------
    SolverNotFoundError
        If neither HiGHS nor CBC can be used.
    """
    reason = why_not_highs()
    if reason is None:
        return HighsRelaxation(problem)
    try:
        cbc()
    except SolverNotFoundError as error:
        raise SolverNotFoundError(f"{reason}. {error}") from None
    return CbcRelaxation(problem)


class CbcRelaxation(Relaxation):
    """The relaxation as a model that is written, and solved, again each time."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._last: Floats | None = None
        # What each row reaches at least, its columns and their values.
        self._rows: list[tuple[float, list[int], list[float]]] = []

    def solve(self, deadline: Deadline) -> Point:
        """Solve from scratch; see `Relaxation.solve`."""
        point = self._point(*self._solve(deadline))
        self._last = point.before
        return point

    def probe(self, cases: list[NDArray[np.bool_]], deadline: Deadline) -> list[float]:
        """Solve each case to its end; see `Relaxation.probe`."""
        values = []
        for case in cases:
            self.fix(case)
            values.append(float(self._costs @ self._solve(deadline)[0]) - self._floor)
        return values

    def _append(self, rows: SparseRows) -> None:
        ends = [*rows.starts[1:].tolist(), len(rows.pairs)]
        columns, values = rows.pairs.tolist(), rows.values.tolist()
        for least, start, end in zip(rows.least.tolist(), rows.starts.tolist(), ends, strict=True):
            self._rows.append((least, columns[start:end], values[start:end]))

    def drop_slack_rows(self) -> None:
        """Drop the rows that do not bind at the last point."""
        if self._last is not None:
            x = self._last[self._above]
            kept = [
                float(np.dot(values, x[columns])) < least + SLACK
                for least, columns, values in self._rows
            ]
            self._rows = [row for row, is_kept in zip(self._rows, kept, strict=True) if is_kept]
            self._codes = self._codes[np.array(kept, dtype=bool)]

    def _solve(self, deadline: Deadline) -> tuple[Floats, Floats]:
        """Return the values of the pairs and the weights of the rows."""
        deadline.seconds_left()
        model, columns, rows = self._model()
        try:
            model.solve(cbc(deadline.seconds_left()))
        except pulp.PulpSolverError as error:
            raise SolverError(f"CBC failed: {error}") from error
        if model.sol_status != pulp.LpSolutionOptimal:
            deadline.seconds_left()  # raises where that is the reason
            if model.sol_status == pulp.LpSolutionNoSolutionFound and deadline.at < inf:
                raise OutOfTimeError
            words = pulp.LpSolution.get(model.sol_status, str(model.sol_status))
            raise SolverError(f"CBC did not reach an optimum: {words}.")
        # A pair without a margin and in no row never reaches CBC, and any value is optimal for it.
        given = np.array([np.nan if x.value() is None else x.value() for x in columns])
        values = np.where(np.isnan(given), self._lower, given)
        duals = np.array([(row.pi or 0.0) for row in rows])
        return values, duals

    def _model(self) -> tuple[Any, list[Any], list[Any]]:
        model = pulp.LpProblem("kemeny", pulp.LpMinimize)
        bounds = zip(self._lower.tolist(), self._upper.tolist(), strict=True)
        columns = [model.add_variable(f"x{k}", *ends) for k, ends in enumerate(bounds)]
        model.setObjective(pulp.LpAffineExpression(zip(columns, self._costs.tolist(), strict=True)))
        for k, (least, places, values) in enumerate(self._rows):
            terms = zip([columns[place] for place in places], values, strict=True)
            model.addConstraint(pulp.LpAffineExpression(terms) >= least, f"row{k}")
        rows = {row.name: row for row in model.constraints()}
        return model, columns, [rows[f"row{k}"] for k in range(len(self._rows))]
