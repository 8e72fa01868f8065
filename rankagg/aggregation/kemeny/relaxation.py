"""The linear relaxation, kept as a live HiGHS model.

x[i, j] = 1 if i is before j, for i < j only. Values are in units above the floor (see `Problem`). A
unit is the step between costs of orders, or more if the margins span more digits than a solver
holds. PuLP solves an empty model through `pulp.HiGHS` and leaves the live HiGHS object in
`solverModel`. All further work changes it in place: columns are added once, rows are added and
dropped, bounds are set, and each solve starts from the last basis.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pulp
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Positions
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import PairCosts
from rankagg.aggregation.kemeny.proof import Form, Weighting, least_first
from rankagg.check_certificate import Derived
from rankagg.exceptions import SolverError

highspy: Any
try:
    import highspy
except ImportError as error:  # pragma: no cover
    highspy, REASON = None, str(error)
else:
    REASON = "it is not installed"

Cycles = Positions

INTEGRAL = 1e-6
PROBE_STEPS = 40
SECONDS_OF_A_RUN = 2.0


@dataclass(frozen=True, eq=False)
class Point:
    """An optimal point of the relaxation."""

    # Shape (n, n). x[i, j], and 1 - x[j, i] below the diagonal; z[i, j] among weak orders.
    before: Floats
    # Units above the floor.
    value: float
    # Shape (m, 3). The cycle rows: an order uses at least one arc of a -> b -> c -> a.
    # For weak orders, rows of three items or two.
    cycles: Cycles
    # Shape (m,). Nonnegative weights of the cycles, in units.
    duals: Floats
    # Shape (k,). The numbers of the derived rows.
    rows: Positions
    # Shape (k,). Nonnegative weights of the derived rows, in units.
    row_duals: Floats

    @property
    def is_integral(self) -> bool:
        """True if every pair is decided."""
        return bool((np.minimum(self.before, 1.0 - self.before) < INTEGRAL).all())


class SparseRows(NamedTuple):
    """Rows over pairs in the sparse layout of solvers; pairs are numbered line by line."""

    # Lower bounds of the rows; upper bounds for weak orders.
    least: Floats
    starts: NDArray[np.int32]
    pairs: NDArray[np.int32]
    values: Floats


def _why_not_highs() -> str:
    """Return why HiGHS cannot be used, with the remedy."""
    if "ortools" in sys.modules:
        return (
            "HiGHS cannot be loaded together with OR-Tools, which was imported first and brings "
            "its own HiGHS; use them in separate processes."
        )
    return f"HiGHS cannot be used ({REASON}); install it with: pip install highspy."


class Live:
    """A HiGHS object that consecutive relaxations share; each replaces the one before."""

    def __init__(self) -> None:
        self._model: pulp.LpProblem | None = None

    def cleared(self) -> Any:
        """Return the HiGHS object with an empty model."""
        if self._model is None:
            self._model = self._solved()
        highs = self._model.solverModel
        highs.clearModel()
        return highs

    def _solved(self) -> pulp.LpProblem:
        if highspy is None:
            raise SolverError(_why_not_highs())
        model = pulp.LpProblem("kemeny", pulp.LpMinimize)
        # One dummy column: PuLP takes tens of microseconds per column.
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


class Relaxation:
    """The relaxation of one problem as a live HiGHS object.

    A pair gets a column when a row first uses it. Until then it takes the cheaper direction within
    its bounds, as the column would. If both directions cost the same, the item with more wins in
    the other pairs goes first.
    """

    #: Whether the numbers of rows are lower bounds, not upper bounds.
    _at_least = True

    def __init__(self, problem: PairCosts, live: Live | None = None) -> None:
        self._n = problem.n
        self._pairs = self._listed()
        self.unit = problem.unit
        self._costs: Floats = (problem.slopes[self._pairs] / self.unit).astype(np.float64)
        self._floor = float(np.minimum(self._costs, 0.0).sum())
        self._lower: Floats = np.zeros(len(self._costs))
        self._upper: Floats = np.ones(len(self._costs))
        self.derived: list[Derived] = []
        self._forms: list[Form] = []
        # The rows in the model: the number of a cycle, or -1 minus that of a derived row.
        self._codes = np.zeros(0, dtype=np.int64)
        # Called from time to time during a long solve.
        self.meanwhile: Callable[[], None] = lambda: None
        # PuLP frees the HiGHS object with its model, so keep both.
        self._live = live or Live()
        self._highs = self._live.cleared()
        # The pair of each column, and the column of each pair; -1 if there is none.
        self._pair_of = np.zeros(0, dtype=np.int32)
        self._column_of = np.full(len(self._costs), -1, dtype=np.int32)

    # -- solving ------------------------------------------------------------------------------

    def solve(self, deadline: Deadline) -> Point:
        """Solve with the present rows and bounds, from the last basis."""
        while len(self._pair_of):
            self._limit(deadline)
            outcome = self._highs.run()
            status = self._highs.getModelStatus()
            if status == highspy.HighsModelStatus.kTimeLimit:
                self.meanwhile()
                continue
            if outcome == highspy.HighsStatus.kOk and status == highspy.HighsModelStatus.kOptimal:
                break
            words = self._highs.modelStatusToString(status)
            raise SolverError(f"HiGHS did not reach an optimum: {words}.")
        solution = self._highs.getSolution()
        duals = np.array(solution.row_dual)
        return self._point(self._values(solution.col_value), duals if self._at_least else -duals)

    def solve_inside(self, deadline: Deadline) -> Point:
        """Solve by an interior point, so that every weight that can be positive is positive."""
        self._highs.setOptionValue("solver", "ipm")
        self._highs.setOptionValue("run_crossover", "off")
        try:
            return self.solve(deadline)
        finally:
            self._highs.setOptionValue("solver", "simplex")
            self._highs.setOptionValue("run_crossover", "on")

    def _values(self, column_values: Any) -> Floats:
        """Return the values of all pairs, given those of the columns."""
        values = np.where(self._costs < 0.0, self._upper, self._lower)
        is_pair = self._pair_of >= 0
        values[self._pair_of[is_pair]] = np.array(column_values)[is_pair]
        free = (self._costs == 0.0) & (self._column_of < 0) & (self._lower < self._upper)
        if free.any():
            first, second = self._pairs
            values[free] = 0.5
            wins = np.bincount(first, values, self._n) + np.bincount(second, 1.0 - values, self._n)
            values[free] = wins[first[free]] >= wins[second[free]]
        return values

    def _outside(self) -> float:
        """Return the least cost, within bounds, of the pairs without a column."""
        cheapest = np.minimum(self._costs * self._lower, self._costs * self._upper)
        return float(cheapest[self._column_of < 0].sum())

    def _limit(self, deadline: Deadline) -> None:
        # Python notices Ctrl-C only between runs. HiGHS limits the total time of all runs.
        seconds = min(deadline.seconds_left(), SECONDS_OF_A_RUN)
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)

    def probe(self, cases: list[Any], deadline: Deadline) -> list[float]:
        """Return approximate lower bounds of cases by a few steps of the dual simplex.

        The basis is restored; the column bounds remain those of the last case.
        """
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
            self._highs.setOptionValue("simplex_iteration_limit", 2**31 - 1)
            self._highs.setBasis(basis)
        return values

    def _point(self, pairs: Floats, duals: Floats) -> Point:
        """Return an optimal point from the values of the pairs, clipped to their bounds."""
        values = np.clip(pairs, self._lower, self._upper)
        before = self._square(values)
        weights = np.maximum(0.0, duals)
        is_cycle = self._codes >= 0
        return Point(
            before,
            float(self._costs @ values) - self._floor,
            self._cycles_of(self._codes[is_cycle]),
            weights[is_cycle],
            -1 - self._codes[~is_cycle],
            weights[~is_cycle],
        )

    def _square(self, values: Floats) -> Floats:
        """Return the values of the pairs in both directions."""
        before = np.zeros((self._n, self._n))
        before[self._pairs] = values
        before.T[self._pairs] = 1.0 - values
        return before

    def weighting(self, point: Point) -> Weighting:
        """Return the rows of a point with its duals as exact weights."""
        forms = [self._forms[row] for row in point.rows.tolist()]
        return Weighting.rounded(point.cycles, point.duals, self.unit, forms, point.row_duals)

    # -- rows and bounds ----------------------------------------------------------------------

    def add_cycles(self, cycles: Cycles) -> None:
        """Add a row for each cycle: an order uses at least one of its arcs."""
        if len(cycles):
            self._add(self._of_cycles(cycles), self._numbers(cycles))

    def derive(self, rows: Sequence[Derived]) -> None:
        """Add derived rows; each may use the rows in `derived` and the new rows before it."""
        self.add_derived(np.arange(self.note(rows), len(self.derived)))

    def note(self, rows: Sequence[Derived]) -> int:
        """Store derived rows outside the model; return the number of the first."""
        first = len(self.derived)
        self._forms += Form.of_rows(rows, self._forms)
        self.derived += rows
        return first

    def add_derived(self, numbers: Positions) -> None:
        """Add derived rows, given by number, to the model."""
        if len(numbers):
            forms = [self._forms[number] for number in numbers.tolist()]
            self._add(self._of_forms(forms), -1 - numbers)

    def restore(self, cycles: Cycles, rows: Positions) -> None:
        """Add rows again that were dropped."""
        self.add_cycles(self.missing(cycles))
        self.add_derived(rows[~np.isin(-1 - rows, self._codes)])

    def missing(self, cycles: Cycles) -> Cycles:
        """Return the cycles that are not in the model."""
        return cycles[~np.isin(self._numbers(cycles), self._codes)]

    def _add(self, rows: SparseRows, codes: Integers64) -> None:
        self._append(rows)
        self._codes = np.concatenate([self._codes, codes])

    def _append(self, rows: SparseRows) -> None:
        self._add_columns(np.unique(rows.pairs[self._column_of[rows.pairs] < 0]))
        m = len(rows.least)
        free = np.full(m, highspy.kHighsInf)
        ends = (rows.least, free) if self._at_least else (-free, rows.least)
        columns = self._column_of[rows.pairs]
        added = self._highs.addRows(m, *ends, len(columns), rows.starts, columns, rows.values)
        if added != highspy.HighsStatus.kOk:
            raise SolverError("HiGHS did not take the rows of the model.")

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
        """Drop the rows that do not bind at the last point, whose slack is in the basis."""
        basic = highspy.HighsBasisStatus.kBasic
        slack = np.array([status == basic for status in self._highs.getBasis().row_status])
        gone = np.flatnonzero(slack)
        if len(gone):
            self._highs.deleteRows(len(gone), gone.astype(np.int32))
            self._codes = self._codes[~slack]

    def fix(self, case: Any) -> None:
        """Fix the pairs that a case decides, and free all others."""
        always, never = self._known(case)
        self._lower = always[self._pairs].astype(np.float64)
        self._upper = 1.0 - never[self._pairs].astype(np.float64)
        columns = np.flatnonzero(self._pair_of >= 0).astype(np.int32)
        pairs = self._pair_of[columns]
        self._highs.changeColsBounds(len(pairs), columns, self._lower[pairs], self._upper[pairs])

    def _known(self, case: Any) -> tuple[Bools, Bools]:
        """Return the pairs that a case has, and those that it excludes."""
        return case, case.T

    # -- layout -------------------------------------------------------------------------------

    def _listed(self) -> tuple[Positions, ...]:
        """Return the first and the second items of the pairs."""
        return np.triu_indices(self._n, k=1)

    def _numbers(self, cycles: Cycles) -> Integers64:
        """Return a number for each cycle that does not depend on its first item."""
        return np.asarray(least_first(cycles) @ np.array([self._n**2, self._n, 1]))

    def _cycles_of(self, numbers: Integers64) -> Cycles:
        first, rest = np.divmod(numbers, self._n**2)
        return np.column_stack([first, *np.divmod(rest, self._n)]).astype(np.intp)

    def _places(self, tails: Positions, heads: Positions) -> tuple[NDArray[np.int32], Floats]:
        """Return the pairs of arcs, with -1 if the pair has the opposite direction, else 1."""
        low, high = np.minimum(tails, heads), np.maximum(tails, heads)
        pairs = low * self._n - low * (low + 1) // 2 + high - low - 1
        return pairs.astype(np.int32), np.where(tails < heads, 1.0, -1.0)

    def _of_cycles(self, cycles: Cycles) -> SparseRows:
        pairs, signs = self._places(cycles, np.roll(cycles, -1, axis=1))
        starts = np.arange(0, 3 * len(cycles), 3, dtype=np.int32)
        return SparseRows(1.0 - (signs < 0).sum(axis=1), starts, pairs.ravel(), signs.ravel())

    def _of_forms(self, forms: list[Form]) -> SparseRows:
        least, pairs, values = [], [], []
        for form in forms:
            form_pairs, signs = self._places(form.tails, form.heads)
            pairs.append(form_pairs)
            values.append(signs * form.counts)
            least.append(form.least - float(form.counts[signs < 0].sum()))
        ends = np.cumsum([len(part) for part in pairs])
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int32)
        return SparseRows(np.array(least), starts, np.concatenate(pairs), np.concatenate(values))
