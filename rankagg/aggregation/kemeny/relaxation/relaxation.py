"""The linear relaxation: what its engines share.

x[i, j] = 1 where i stands before j, for i < j only. Values are counted in units above the floor
(see `Problem`). A unit is the step between costs of orders, or more where the margins span more
digits than a solver can take.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.proof import round_weights
from rankagg.aggregation.kemeny.proofs.rows import Derived, Form, Weighting, forms_of

__all__ = ["Cycles", "Point", "Relaxation", "SparseRows", "unit_of"]

Cycles = NDArray[np.intp]

INTEGRAL = 1e-6
LARGEST_MARGIN = 10**9


@dataclass(frozen=True, eq=False)
class Point:
    """An optimal point of the relaxation.

    Attributes
    ----------
    before : ndarray of float, shape (n, n)
        x[i, j], and 1 - x[j, i] below the diagonal.
    value : float
        Units above the floor.
    cycles : ndarray of int, shape (m, 3)
        The rows that are cycles: an order uses one arc of a -> b -> c -> a at least.
    duals : ndarray of float, shape (m,)
        Weight of each, not negative, in units.
    rows : ndarray of int, shape (k,)
        The other rows, as numbers of derived ones.
    row_duals : ndarray of float, shape (k,)
    """

    before: Floats
    value: float
    cycles: Cycles
    duals: Floats
    rows: NDArray[np.intp]
    row_duals: Floats

    @property
    def is_integral(self) -> bool:
        """True where every pair is decided."""
        return bool((np.minimum(self.before, 1.0 - self.before) < INTEGRAL).all())


class SparseRows(NamedTuple):
    """Rows "at least" over pairs, which are numbered line by line, in the layout of solvers."""

    least: Floats
    starts: NDArray[np.int32]
    pairs: NDArray[np.int32]
    values: Floats


def unit_of(problem: Problem) -> int:
    """Return the step, or what keeps margins below `LARGEST_MARGIN` where that is more."""
    largest = int(np.abs(problem.margins).max(initial=0))
    return max(problem.step, largest // LARGEST_MARGIN, 1)


class Relaxation(ABC):
    """The relaxation of one problem.

    Attributes
    ----------
    unit : int
        What values and duals are counted in, in the units of `Problem.costs`.
    derived : list of Derived
        All derived rows so far; their numbers never change.
    n_kept : int
        How many of them, from the first, are never dropped.
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
        self.derived: list[Derived] = []
        self.n_kept = 0
        self._forms: list[Form] = []
        # The rows in the model: the number of a cycle, or -1 less that of a derived row.
        self._codes = np.zeros(0, dtype=np.int64)

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

    def _point(self, pairs: Floats, duals: Floats) -> Point:
        """Return an optimal point from the values of the pairs, within their bounds."""
        values = np.clip(pairs, self._lower, self._upper)
        before = np.zeros((self._n, self._n))
        before[self._above] = values
        before.T[self._above] = 1.0 - values
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

    def weighting(self, point: Point) -> Weighting:
        """Return the rows of a point with its duals as exact weights."""
        weights = round_weights(np.concatenate([point.duals, point.row_duals]), self.unit)
        m = len(point.cycles)
        forms = [self._forms[row] for row in point.rows.tolist()]
        return Weighting(point.cycles, weights[:m], forms, weights[m:])

    # -- rows and bounds ----------------------------------------------------------------------

    def add_cycles(self, cycles: Cycles) -> None:
        """Add a row for each cycle: an order uses one of its arcs at least."""
        if len(cycles):
            self._add(self._of_cycles(cycles), self._numbers(cycles))

    def derive(self, rows: Sequence[Derived]) -> None:
        """Add derived rows; they may use those in `derived`, and each those before it."""
        first = len(self.derived)
        self._forms += forms_of(rows, self._forms)
        self.derived += rows
        self.add_derived(np.arange(first, len(self.derived)))

    def note(self, rows: Sequence[Derived]) -> int:
        """Keep derived rows that use each other only, without adding them; return the first number.

        The rows of a search elsewhere, which `close` of a search puts into its own proof.
        """
        first = len(self.derived)
        self._forms += forms_of(rows)
        self.derived += [row.numbered_from(first) for row in rows]
        return first

    def add_derived(self, numbers: NDArray[np.intp]) -> None:
        """Add the derived rows of these numbers."""
        if len(numbers):
            forms = [self._forms[number] for number in numbers.tolist()]
            self._add(self._of_forms(forms), -1 - numbers)

    def restore(self, cycles: Cycles, rows: NDArray[np.intp]) -> None:
        """Add the rows that are missing, as after some were dropped."""
        self.add_cycles(cycles[~np.isin(self._numbers(cycles), self._codes)])
        self.add_derived(rows[~np.isin(-1 - rows, self._codes)])

    def _add(self, rows: SparseRows, codes: NDArray[np.int64]) -> None:
        self._append(rows)
        self._codes = np.concatenate([self._codes, codes])

    @abstractmethod
    def _append(self, rows: SparseRows) -> None:
        """Add rows to the model."""

    @abstractmethod
    def drop_slack_rows(self) -> None:
        """Drop the rows that do not bind at the last point."""

    def fix(self, before: Bools) -> None:
        """Demand i before j where `before[i, j]`, and leave all other pairs open."""
        self._lower = before[self._above].astype(np.float64)
        self._upper = 1.0 - before.T[self._above].astype(np.float64)

    # -- layout -------------------------------------------------------------------------------

    def _numbers(self, cycles: Cycles) -> NDArray[np.int64]:
        """Return a number for each cycle, the same wherever it begins."""
        first = np.argmin(cycles, axis=1)
        turned = np.take_along_axis(cycles, (first[:, None] + np.arange(3)) % 3, axis=1)
        numbers: NDArray[np.int64] = turned @ np.array([self._n**2, self._n, 1])
        return numbers

    def _cycles_of(self, numbers: NDArray[np.int64]) -> Cycles:
        first, rest = np.divmod(numbers, self._n**2)
        return np.column_stack([first, *np.divmod(rest, self._n)]).astype(np.intp)

    def _pairs(
        self, tails: NDArray[np.intp], heads: NDArray[np.intp]
    ) -> tuple[NDArray[np.int32], Floats]:
        """Return the pairs of arcs, and -1 where a pair's value is that of the opposite arc."""
        low, high = np.minimum(tails, heads), np.maximum(tails, heads)
        pairs = low * self._n - low * (low + 1) // 2 + high - low - 1
        return pairs.astype(np.int32), np.where(tails < heads, 1.0, -1.0)

    def _of_cycles(self, cycles: Cycles) -> SparseRows:
        m = len(cycles)
        pairs, signs = self._pairs(cycles, np.roll(cycles, -1, axis=1))
        least = 1.0 - (signs < 0).sum(axis=1)
        starts = np.arange(0, 3 * m, 3, dtype=np.int32)
        return SparseRows(least, starts, pairs.ravel(), signs.ravel())

    def _of_forms(self, forms: list[Form]) -> SparseRows:
        least, pairs, values = [], [], []
        for form in forms:
            of_form, signs = self._pairs(form.tails, form.heads)
            pairs.append(of_form)
            values.append(signs * form.counts)
            least.append(form.least - float(form.counts[signs < 0].sum()))
        ends = np.cumsum([len(part) for part in pairs])
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int32)
        return SparseRows(np.array(least), starts, np.concatenate(pairs), np.concatenate(values))
