"""The linear relaxation with 3-cycle rows, and the engine that keeps it alive in HiGHS.

x[i, j] = 1 where i stands before j, for i < j only. PuLP solves an empty model through
`pulp.HiGHS`; what it leaves in `solverModel` is the live HiGHS object, and all further work happens
on it in place: the columns are added at once, rows are added and dropped, bounds set, and each
solve starts from the last basis. `cbc` solves the same relaxation where HiGHS cannot be loaded.

Values are counted in units above the floor (see `Problem`). A unit is the step between costs of
orders, or more where the margins span more digits than a solver can take.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pulp
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.exceptions import SolverError, SolverNotFoundError

highspy: Any
try:
    import highspy
except ImportError as error:  # pragma: no cover
    highspy, REASON = None, str(error)
else:
    REASON = "it is not installed"

__all__ = ["HighsRelaxation", "Point", "Relaxation", "unit_of", "violated_cycles", "why_not_highs"]

Cycles = NDArray[np.intp]

VIOLATION = 1e-6
LARGEST_MARGIN = 10**9
PROBE_STEPS = 40
SECONDS_OF_A_RUN = 2.0
UNLIMITED = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Point:
    """An optimal point of the relaxation.

    Attributes
    ----------
    before : ndarray of float, shape (n, n)
        x[i, j], and 1 - x[j, i] below the diagonal.
    value : float
        Units above the floor.
    duals : ndarray of float, shape (m,)
        Weight of each row, not negative, in units.
    """

    before: Floats
    value: float
    duals: Floats

    @property
    def is_integral(self) -> bool:
        """True where every pair is decided."""
        return bool((np.minimum(self.before, 1.0 - self.before) < VIOLATION).all())


def unit_of(problem: Problem) -> int:
    """Return the step, or what keeps margins below `LARGEST_MARGIN` where that is more."""
    largest = int(np.abs(problem.margins).max(initial=0))
    return max(problem.step, largest // LARGEST_MARGIN, 1)


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


class Relaxation(ABC):
    """The relaxation of one problem.

    Attributes
    ----------
    unit : int
        What values and duals are counted in, in the units of `Problem.costs`.
    cycles : ndarray of int, shape (m, 3)
        The rows: each says that an order uses at most two arcs of a -> b -> c -> a.
    """

    def __init__(self, problem: Problem) -> None:
        n = problem.n
        self._n = n
        self._above = np.triu_indices(n, k=1)
        self.unit = unit_of(problem)
        self._costs: Floats = (problem.margins[self._above] / self.unit).astype(np.float64)
        self._floor = float(np.minimum(self._costs, 0.0).sum())
        self._lower: Floats = np.zeros(len(self._costs))
        self._upper: Floats = np.ones(len(self._costs))
        self.cycles: Cycles = np.empty((0, 3), dtype=np.intp)

    def _point(self, values: Any, value: float, duals: Floats) -> Point:
        """Return an optimal point from the values of the columns, within their bounds."""
        before = np.zeros((self._n, self._n))
        before[self._above] = np.clip(values, self._lower, self._upper)
        before.T[self._above] = 1.0 - before[self._above]
        return Point(before, value - self._floor, np.maximum(0.0, duals))

    # -- solving ------------------------------------------------------------------------------

    @abstractmethod
    def solve(self, deadline: Deadline) -> Point:
        """Solve with the present rows and bounds.

        Raises
        ------
        OutOfTimeError
            If it takes longer than the deadline allows.
        SolverError
            If the solver ends in any other way than with an optimum.
        """

    @abstractmethod
    def probe(self, cases: list[NDArray[np.bool_]], deadline: Deadline) -> list[float]:
        """Return about what each case costs at least; leaves the bounds as those of the last.

        Raises
        ------
        OutOfTimeError
            If it takes longer than the deadline allows.
        """

    # -- rows and bounds ----------------------------------------------------------------------

    @abstractmethod
    def add_rows(self, cycles: Cycles) -> None:
        """Add rows, one per cycle."""

    @abstractmethod
    def drop_slack_rows(self) -> None:
        """Drop the rows that do not bind at the last point."""

    def restore_rows(self, cycles: Cycles) -> None:
        """Add the rows that are missing, as after some were dropped."""
        base = np.array([self._n**2, self._n, 1])
        missing = cycles[~np.isin(cycles @ base, self.cycles @ base)]
        if len(missing):
            self.add_rows(missing)

    def fix(self, before: NDArray[np.bool_]) -> None:
        """Demand i before j where `before[i, j]`, and leave all other pairs open."""
        self._lower = before[self._above].astype(np.float64)
        self._upper = 1.0 - before.T[self._above].astype(np.float64)


class HighsRelaxation(Relaxation):
    """The relaxation as a live HiGHS object."""

    def __init__(self, problem: Problem) -> None:
        reason = why_not_highs()
        if reason is not None:
            raise SolverNotFoundError(f"{reason}.")
        super().__init__(problem)
        self._highs = self._build(self._costs)

    def _build(self, costs: Floats) -> Any:
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
        # PuLP frees the object with the model, so both are kept.
        self._model = model
        highs = model.solverModel
        highs.deleteCols(1, np.zeros(1, dtype=np.int32))
        none, numbers = np.zeros(0, dtype=np.int32), np.zeros(0)
        k = len(costs)
        starts = np.zeros(k, dtype=np.int32)
        added = highs.addCols(k, costs, np.zeros(k), np.ones(k), 0, starts, none, numbers)
        if added != highspy.HighsStatus.kOk or highs.getNumCol() != k:
            raise SolverError("HiGHS did not take the columns of the model.")
        return highs

    def _columns(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.int32]:
        """Return the columns of pairs, whichever way round they are given."""
        low, high = np.minimum(first, second), np.maximum(first, second)
        columns: NDArray[np.int32] = low * self._n - low * (low + 1) // 2 + high - low - 1
        return columns.astype(np.int32)

    # -- solving ------------------------------------------------------------------------------

    def solve(self, deadline: Deadline) -> Point:
        """Solve from the last basis; see `Relaxation.solve`."""
        while True:
            self._limit(deadline)
            outcome = self._highs.run()
            status = self._highs.getModelStatus()
            if status != highspy.HighsModelStatus.kTimeLimit:
                break
        if outcome != highspy.HighsStatus.kOk or status != highspy.HighsModelStatus.kOptimal:
            words = self._highs.modelStatusToString(status)
            raise SolverError(f"HiGHS did not reach an optimum: {words}.")
        solution = self._highs.getSolution()
        return self._point(
            solution.col_value, self._highs.getObjectiveValue(), -np.array(solution.row_dual)
        )

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
                values.append(self._highs.getObjectiveValue() - self._floor)
        finally:
            self._highs.setOptionValue("simplex_iteration_limit", UNLIMITED)
            self._highs.setBasis(basis)
        return values

    # -- rows and bounds ----------------------------------------------------------------------

    def add_rows(self, cycles: Cycles) -> None:
        """Add rows, one per cycle."""
        m = len(cycles)
        tails, heads = cycles, np.roll(cycles, -1, axis=1)
        signs = np.where(tails < heads, 1.0, -1.0)
        self._highs.addRows(
            m,
            np.full(m, -highspy.kHighsInf),
            2.0 - (signs < 0).sum(axis=1),
            3 * m,
            np.arange(0, 3 * m, 3, dtype=np.int32),
            self._columns(tails, heads).ravel(),
            signs.ravel(),
        )
        self.cycles = np.concatenate([self.cycles, cycles])

    def drop_slack_rows(self) -> None:
        """Drop the rows that do not bind at the last point: their slack is in the basis."""
        basic = highspy.HighsBasisStatus.kBasic
        slack = np.array([status == basic for status in self._highs.getBasis().row_status])
        gone = np.flatnonzero(slack)
        if len(gone):
            self._highs.deleteRows(len(gone), gone.astype(np.int32))
            self.cycles = self.cycles[~slack]

    def fix(self, before: NDArray[np.bool_]) -> None:
        """Set the bounds of the columns; see `Relaxation.fix`."""
        super().fix(before)
        columns = np.arange(len(self._lower), dtype=np.int32)
        self._highs.changeColsBounds(len(columns), columns, self._lower, self._upper)


def violated_cycles(before: Floats, limit: int, deadline: Deadline) -> Cycles:
    """Return violated rows, the worst for each arc and at most `limit`, worst first.

    For every arc a -> b the third item is the one that violates most, so a round has few rows
    per arc and covers all of them. Raises `OutOfTimeError` where the deadline passes.
    """
    n = len(before)
    items = np.arange(n)
    found, excess = [], []
    for a in range(n):
        deadline.seconds_left()
        used = before + before[:, a]  # [b, c]: the arcs b -> c and c -> a
        np.fill_diagonal(used, -3.0)
        used[:, a] = -3.0
        worst = np.argmax(used, axis=1)
        over = before[a] + used[items, worst] - 2.0
        over[a] = -1.0
        picked = np.flatnonzero(over > VIOLATION)
        found.append(np.column_stack([np.full(len(picked), a), picked, worst[picked]]))
        excess.append(over[picked])
    cycles, over = np.concatenate(found), np.concatenate(excess)
    first = np.argmin(cycles, axis=1)
    turned = np.take_along_axis(cycles, (first[:, None] + np.arange(3)) % 3, axis=1)
    _, unique = np.unique(turned @ np.array([n * n, n, 1]), return_index=True)
    order = unique[np.argsort(-over[unique], kind="stable")][:limit]
    return turned[order]
