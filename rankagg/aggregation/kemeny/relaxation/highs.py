"""The engine that keeps the relaxation alive in HiGHS.

PuLP solves an empty model through `pulp.HiGHS`; what it leaves in `solverModel` is the live HiGHS
object, and all further work happens on it in place: the columns are added at once, rows are added
and dropped, bounds set, and each solve starts from the last basis. `cbc` solves the same relaxation
where HiGHS cannot be loaded.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pulp
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.relaxation.relaxation import Point, Relaxation, SparseRows
from rankagg.exceptions import SolverError, SolverNotFoundError

highspy: Any
try:
    import highspy
except ImportError as error:  # pragma: no cover
    highspy, REASON = None, str(error)
else:
    REASON = "it is not installed"

__all__ = ["HighsRelaxation", "Live", "why_not_highs"]

PROBE_STEPS = 40
SECONDS_OF_A_RUN = 2.0
UNLIMITED = 2**31 - 1


def why_not_highs() -> str | None:
    """Say why HiGHS cannot be used, and what to do about it; None where it can be."""
    if highspy is not None:
        return None
    if "ortools" in sys.modules:
        return (
            "HiGHS cannot be loaded beside OR-Tools, which was imported first and brings a HiGHS "
            "of its own; use them in separate processes"
        )
    return f"HiGHS cannot be used ({REASON}); install it with: pip install highspy"


class Live:
    """A HiGHS object for one relaxation after the other, each of which ends the one before."""

    def __init__(self) -> None:
        self._model: pulp.LpProblem | None = None

    def cleared(self) -> Any:
        """Return the object with an empty model."""
        if self._model is None:
            self._model = self._solved()
        highs = self._model.solverModel
        highs.clearModel()
        return highs

    def _solved(self) -> pulp.LpProblem:
        reason = why_not_highs()
        if reason is not None:
            raise SolverNotFoundError(f"{reason}.")
        model = pulp.LpProblem("kemeny", pulp.LpMinimize)
        # One column that says nothing: PuLP takes tens of microseconds for each.
        model.setObjective(1 * model.add_variable("nothing", 0, 1))
        solver = pulp.HiGHS(msg=False, threads=1, presolve="off", solver="simplex")
        try:
            model.solve(solver)
        except pulp.PulpSolverError as error:
            raise SolverError(f"HiGHS failed: {error}") from error
        if model.sol_status != pulp.LpSolutionOptimal:
            words = pulp.LpSolution.get(model.sol_status, str(model.sol_status))
            raise SolverError(f"HiGHS did not reach an optimum: {words}.")
        return model


class HighsRelaxation(Relaxation):
    """The relaxation as a live HiGHS object.

    A pair has a column from the first row on that speaks of it. Before, it goes the cheaper way
    that its bounds allow, as the column would; of a pair that costs the same both ways, the item
    that the other pairs put higher goes first.
    """

    def __init__(self, problem: Problem, live: Live | None = None) -> None:
        super().__init__(problem)
        # PuLP frees the object with the model, so both are kept.
        self._live = live or Live()
        self._highs = self._live.cleared()
        # The pair of each column, or -1 for one that is no pair; the column of each pair, or -1.
        self._pair_of = np.zeros(0, dtype=np.int32)
        self._column_of = np.full(len(self._costs), -1, dtype=np.int32)

    # -- solving ------------------------------------------------------------------------------

    def solve(self, deadline: Deadline) -> Point:
        """Solve from the last basis; see `Relaxation.solve`."""
        while len(self._pair_of):
            self._limit(deadline)
            outcome = self._highs.run()
            status = self._highs.getModelStatus()
            if status == highspy.HighsModelStatus.kTimeLimit:
                continue
            if outcome == highspy.HighsStatus.kOk and status == highspy.HighsModelStatus.kOptimal:
                break
            words = self._highs.modelStatusToString(status)
            raise SolverError(f"HiGHS did not reach an optimum: {words}.")
        solution = self._highs.getSolution()
        return self._point(self._values(solution.col_value), np.array(solution.row_dual))

    def solve_inside(self, deadline: Deadline) -> Point:
        """Solve by an interior point: no weight is 0 that can be positive at an optimum.

        Raises what `solve` raises.
        """
        self._highs.setOptionValue("solver", "ipm")
        self._highs.setOptionValue("run_crossover", "off")
        try:
            return self.solve(deadline)
        finally:
            self._highs.setOptionValue("solver", "simplex")
            self._highs.setOptionValue("run_crossover", "on")

    def _values(self, of_columns: Any) -> Floats:
        """Return the values of all pairs from those of the columns."""
        values = np.where(self._costs < 0.0, self._upper, self._lower)
        is_pair = self._pair_of >= 0
        values[self._pair_of[is_pair]] = np.array(of_columns)[is_pair]
        free = (self._costs == 0.0) & (self._column_of < 0) & (self._lower < self._upper)
        if free.any():
            first, second = self._above
            values[free] = 0.5
            wins = np.bincount(first, values, self._n) + np.bincount(second, 1.0 - values, self._n)
            values[free] = wins[first[free]] >= wins[second[free]]
        return values

    def _outside(self) -> float:
        """Return what the pairs without a column cost at least, within their bounds."""
        cheapest = np.minimum(self._costs * self._lower, self._costs * self._upper)
        return float(cheapest[self._column_of < 0].sum())

    def _limit(self, deadline: Deadline) -> None:
        # Python hears of Ctrl-C between runs only. HiGHS adds up the seconds of all of them.
        seconds = min(deadline.seconds_left(), SECONDS_OF_A_RUN)
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)

    def probe(self, cases: list[NDArray[np.bool_]], deadline: Deadline) -> list[float]:
        """Take a few steps of the dual simplex, and restore the basis; see `Relaxation.probe`."""
        basis = self._highs.getBasis()
        self._highs.setOptionValue("simplex_iteration_limit", PROBE_STEPS)
        values = []
        try:
            for case in cases:
                self._limit(deadline)
                self.fix(case)
                self._highs.setBasis(basis)
                if self._highs.run() == highspy.HighsStatus.kError:
                    raise SolverError("HiGHS failed on a probe of a case.")
                values.append(self._highs.getObjectiveValue() + self._outside() - self._floor)
        finally:
            self._highs.setOptionValue("simplex_iteration_limit", UNLIMITED)
            self._highs.setBasis(basis)
        return values

    # -- rows and bounds ----------------------------------------------------------------------

    def _append(self, rows: SparseRows) -> None:
        self._add_columns(np.unique(rows.pairs[self._column_of[rows.pairs] < 0]))
        m = len(rows.least)
        self._highs.addRows(
            m,
            rows.least,
            np.full(m, highspy.kHighsInf),
            len(rows.pairs),
            rows.starts,
            self._column_of[rows.pairs],
            rows.values,
        )

    def _add_columns(self, pairs: NDArray[np.int32]) -> None:
        none, numbers = np.zeros(0, dtype=np.int32), np.zeros(0)
        k, present = len(pairs), len(self._pair_of)
        bounds = self._lower[pairs], self._upper[pairs]
        starts = np.zeros(k, dtype=np.int32)
        added = self._highs.addCols(k, self._costs[pairs], *bounds, 0, starts, none, numbers)
        if added != highspy.HighsStatus.kOk or self._highs.getNumCol() != present + k:
            raise SolverError("HiGHS did not take the columns of the model.")
        self._column_of[pairs] = np.arange(present, present + k, dtype=np.int32)
        self._pair_of = np.concatenate([self._pair_of, pairs])

    def drop_slack_rows(self) -> None:
        """Drop the rows that do not bind at the last point: their slack is in the basis."""
        basic = highspy.HighsBasisStatus.kBasic
        slack = np.array([status == basic for status in self._highs.getBasis().row_status])
        slack &= (self._codes >= 0) | (self._codes < -self.n_kept)
        gone = np.flatnonzero(slack)
        if len(gone):
            self._highs.deleteRows(len(gone), gone.astype(np.int32))
            self._codes = self._codes[~slack]

    def fix(self, before: NDArray[np.bool_]) -> None:
        """Set the bounds of the columns; see `Relaxation.fix`."""
        super().fix(before)
        columns = np.flatnonzero(self._pair_of >= 0).astype(np.int32)
        pairs = self._pair_of[columns]
        self._highs.changeColsBounds(len(pairs), columns, self._lower[pairs], self._upper[pairs])
