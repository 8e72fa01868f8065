"""The linear relaxation of a problem among weak orders, alive in HiGHS, and what it lacks.

One column for z[i, j], i != j, within [0, 1]. PuLP solves a model of one column; what it leaves in
`solverModel` is the live HiGHS object, and all further work happens on it in place. Rows are added
where they are violated: totals z[i, j] + z[j, i] >= 1, written (i, j, i), and the rows
(i, j, k) of `problem`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.relaxation import Live, why_not_highs
from rankagg.aggregation.kemeny.weak_problem import WeakProblem
from rankagg.aggregation.kemeny.weak_proof import Known
from rankagg.exceptions import SolverError, SolverNotFoundError

__all__ = ["Point", "Relaxation", "unit_of", "violated_rows"]

highspy: Any
try:
    import highspy
except ImportError:  # pragma: no cover
    highspy = None


VIOLATION = 1e-6
LARGEST_COST = 10**9
PROBE_STEPS = 40
SECONDS_OF_A_RUN = 2.0
UNLIMITED = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Point:
    """An optimal point of the relaxation."""

    # Shape (n, n). z, with a diagonal of 1.
    not_below: Floats
    # Units above the floor.
    value: float
    # Shape (m,). Weight of each row, not negative, in units.
    duals: Floats

    @property
    def is_integral(self) -> bool:
        """True where every statement is decided."""
        return bool((np.minimum(self.not_below, 1.0 - self.not_below) < VIOLATION).all())


def unit_of(problem: WeakProblem) -> int:
    """Return the step, or what keeps costs below `LARGEST_COST` where that is more."""
    largest = int(np.abs(problem.slopes).max(initial=0))
    return max(problem.step, largest // LARGEST_COST, 1)


class Relaxation:
    """The relaxation of one problem."""

    def __init__(self, problem: WeakProblem) -> None:
        reason = why_not_highs()
        if reason is not None:
            raise SolverNotFoundError(f"Ties in the consensus need HiGHS. {reason}.")
        n = problem.n
        self._n = n
        self.unit = unit_of(problem)
        self._off = ~np.eye(n, dtype=bool)
        self._floor = (problem.floor - problem.both) / self.unit
        self.rows: NDArray[np.intp] = np.empty((0, 3), dtype=np.intp)
        self._highs = self._build((problem.slopes / self.unit).astype(np.float64)[self._off])
        self._lower, self._upper = np.zeros(n * (n - 1)), np.ones(n * (n - 1))

    def _build(self, costs: Floats) -> Any:
        self._live = Live()  # the object goes with it
        highs = self._live.cleared()
        none, numbers, k = np.zeros(0, dtype=np.int32), np.zeros(0), len(costs)
        starts = np.zeros(k, dtype=np.int32)
        added = highs.addCols(k, costs, np.zeros(k), np.ones(k), 0, starts, none, numbers)
        if added != highspy.HighsStatus.kOk or highs.getNumCol() != k:
            raise SolverError("HiGHS did not take the columns of the model.")
        return highs

    def _columns(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.int32]:
        columns: NDArray[np.intp] = first * (self._n - 1) + second - (second > first)
        return columns.astype(np.int32)

    # -- solving ------------------------------------------------------------------------------

    def solve(self, deadline: Deadline) -> Point:
        """Solve with the present rows and bounds, from the last basis."""
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
        point = np.ones((self._n, self._n))
        point[self._off] = np.clip(solution.col_value, self._lower, self._upper)
        value = self._highs.getObjectiveValue() - self._floor
        return Point(point, value, np.maximum(0.0, -np.array(solution.row_dual)))

    def _limit(self, deadline: Deadline) -> None:
        # Python hears of Ctrl-C between runs only. HiGHS adds up the seconds of all of them.
        seconds = min(deadline.seconds_left(), SECONDS_OF_A_RUN)
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)

    def probe(self, cases: list[Known], deadline: Deadline) -> list[float]:
        """Return about what each case costs at least, after a few steps of the dual simplex."""
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

    def add_rows(self, rows: NDArray[np.intp]) -> None:
        """Add rows; see the class."""
        m = len(rows)
        first, middle, last = rows.T
        totals = first == last
        # A total is written -z - z <= -1; where it has no third entry, its second stands alone.
        columns = np.column_stack(
            [
                self._columns(first, middle),
                self._columns(middle, last),
                self._columns(first, np.where(totals, middle, last)),
            ]
        )
        signs = np.where(totals[:, None], [-1.0, -1.0, 0.0], [1.0, 1.0, -1.0])
        kept = np.column_stack([np.ones((m, 2), dtype=bool), ~totals])
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))[:-1]]).astype(np.int32)
        added = self._highs.addRows(
            m, np.full(m, -highspy.kHighsInf), np.where(totals, -1.0, 1.0), int(kept.sum()),
            starts, columns[kept], signs[kept],
        )  # fmt: skip
        if added != highspy.HighsStatus.kOk:
            raise SolverError("HiGHS did not take the rows of the model.")
        self.rows = np.concatenate([self.rows, rows])

    def restore_rows(self, rows: NDArray[np.intp]) -> None:
        """Add the rows that are missing, as after some were dropped."""
        missing = self.missing(rows)
        if len(missing):
            self.add_rows(missing)

    def missing(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some rows that are not there."""
        base = np.array([self._n**2, self._n, 1])
        return rows[~np.isin(rows @ base, self.rows @ base)]

    def drop_slack_rows(self) -> None:
        """Drop the rows that do not bind at the last point: their slack is in the basis."""
        basic = highspy.HighsBasisStatus.kBasic
        slack = np.array([status == basic for status in self._highs.getBasis().row_status])
        gone = np.flatnonzero(slack)
        if len(gone):
            self._highs.deleteRows(len(gone), gone.astype(np.int32))
            self.rows = self.rows[~slack]

    def fix(self, known: Known) -> None:
        """Demand what is known, and leave all else open."""
        self._lower = known.not_below[self._off].astype(np.float64)
        self._upper = 1.0 - known.above.T[self._off].astype(np.float64)
        columns = np.arange(len(self._lower), dtype=np.int32)
        self._highs.changeColsBounds(len(columns), columns, self._lower, self._upper)


def violated_rows(not_below: Floats, limit: int, deadline: Deadline) -> NDArray[np.intp]:
    """Return violated rows: all totals, and the worst (i, j, k) for each i and k, worst first."""
    n = len(not_below)
    low, high = np.nonzero(np.triu(not_below + not_below.T < 1.0 - VIOLATION, k=1))
    totals = np.column_stack([low, high, low])
    found, excess = [], []
    items = np.arange(n)
    through = not_below.T.copy()  # [k, j]: j not below k
    np.fill_diagonal(through, -3.0)
    for i in range(n):
        deadline.seconds_left()
        used = through + not_below[i]
        used[:, i] = -3.0
        middle = used.argmax(axis=1)
        over = used[items, middle] - not_below[i] - 1.0
        over[i] = -1.0
        picked = np.flatnonzero(over > VIOLATION)
        found.append(np.column_stack([np.full(len(picked), i), middle[picked], picked]))
        excess.append(over[picked])
    rows, over = np.concatenate(found), np.concatenate(excess)
    order = np.argsort(-over, kind="stable")[:limit]
    return np.concatenate([totals, rows[order]])
