"""Integer programs in PuLP: the textbook formulation, the relaxation by CBC, and small ones.

Only PuLP's public interface is used. The textbook formulation has whole numbers for pairs and two
rows for any three items: a 0/1 point is an order exactly where each cycle has an arc that it uses.
`kemeny_program` states it for readers and other solvers. Where HiGHS cannot be loaded, CBC solves
the relaxation: a program of its own, so every solve writes the model anew and starts without a
basis, but the points and duals are as good. In small programs the numbers of a row are Python
integers; rows are loosened where floats cannot hold them, so that every true solution stays one and
a bound of the solver is one of the exact program, and the caller checks the solution in integers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, permutations
from math import ceil, gcd, inf
from typing import Any
from unicodedata import normalize

import numpy as np
import pulp

from rankagg._typing import Floats, Integers64, Label, Positions
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.aggregation.kemeny.constraints import Demands
from rankagg.aggregation.kemeny.parts import Solution, Task
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof_nodes import Weighting
from rankagg.aggregation.kemeny.relaxation import (
    HighsRelaxation,
    Point,
    Relaxation,
    SparseRows,
    why_not_highs,
)
from rankagg.aggregation.kemeny.violated_rows import violated_cycles
from rankagg.core import PairwiseMatrix, exact
from rankagg.exceptions import OutOfTimeError, SolverError, SolverNotFoundError

CBC_SLACK = 1e-6
# PuLP writes no names of more than 100 characters, and those of rows have three items.
NAME_LENGTH = 24


def _cbc(seconds: float = inf) -> Any:
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
    """Return the relaxation of a problem in the best engine that there is."""
    reason = why_not_highs()
    if reason is None:
        return HighsRelaxation(problem)
    try:
        _cbc()
    except SolverNotFoundError as error:
        raise SolverNotFoundError(f"{reason}. {error}") from None
    return CbcRelaxation(problem)


class CbcRelaxation(Relaxation):
    """The relaxation as a model that is written, and solved, again each time."""

    def __init__(self, problem: Problem, solver: Any = None) -> None:
        _cbc()  # complain of a missing solver before the model is built
        super().__init__(problem)
        # What solves the integer program; None stands for CBC.
        self._solver = solver
        # Whether the pairs must be whole numbers, as in an integer program.
        self.is_whole = False
        self._last: Floats | None = None
        # What each row reaches at least, its columns and their values.
        self._rows: list[tuple[float, list[int], list[float]]] = []

    def solve(self, deadline: Deadline) -> Point:
        """Solve from scratch; see `Relaxation.solve`."""
        point = self._point(*self._solve(deadline))
        self._last = point.before
        return point

    def probe(self, cases: list[Any], deadline: Deadline) -> list[float]:
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
            x = self._last[self._pairs]
            kept = [
                float(np.dot(values, x[columns])) < least + CBC_SLACK
                for least, columns, values in self._rows
            ]
            self._rows = [row for row, is_kept in zip(self._rows, kept, strict=True) if is_kept]
            self._codes = self._codes[np.array(kept, dtype=bool)]

    def _solve(self, deadline: Deadline) -> tuple[Floats, Floats]:
        """Return the values of the pairs and the weights of the rows."""
        deadline.seconds_left()
        model, columns, rows = self._model()
        solver, name = _cbc(deadline.seconds_left()), "CBC"
        if self.is_whole and self._solver is not None:
            solver, name = copy(self._solver), self._solver.name
            if deadline.at < inf:
                solver.timeLimit = min(solver.timeLimit or inf, deadline.seconds_left())
        try:
            model.solve(solver)
        except pulp.PulpSolverError as error:
            raise SolverError(f"{name} failed: {error}") from error
        if model.sol_status != pulp.LpSolutionOptimal:
            deadline.seconds_left()  # raises where that is the reason
            if model.sol_status == pulp.LpSolutionNoSolutionFound and deadline.at < inf:
                raise OutOfTimeError
            words = pulp.LpSolution.get(model.sol_status, str(model.sol_status))
            raise SolverError(f"{name} did not reach an optimum: {words}.")
        # A pair without a margin and in no row never reaches CBC, and any value is optimal for it.
        given = np.array([np.nan if x.value() is None else x.value() for x in columns])
        values = np.where(np.isnan(given), self._lower, given)
        duals = np.array([(row.pi or 0.0) for row in rows])
        return values, duals

    def _model(self) -> tuple[Any, list[Any], list[Any]]:
        model = pulp.LpProblem("kemeny", pulp.LpMinimize)
        bounds = zip(self._lower.tolist(), self._upper.tolist(), strict=True)
        kind = "Integer" if self.is_whole else "Continuous"
        columns = [model.add_variable(f"x{k}", *ends, kind) for k, ends in enumerate(bounds)]
        model.setObjective(pulp.LpAffineExpression(zip(columns, self._costs.tolist(), strict=True)))
        for k, (least, places, values) in enumerate(self._rows):
            terms = zip([columns[place] for place in places], values, strict=True)
            model.addConstraint(pulp.LpAffineExpression(terms) >= least, f"row{k}")
        rows = {row.name: row for row in model.constraints()}
        return model, columns, [rows[f"row{k}"] for k in range(len(self._rows))]


@dataclass(frozen=True, eq=False)
class _Optimum:
    """What a solver found."""

    # No solution has a smaller sum.
    bound: int
    # Shape (n,). The columns of the best solution; None where there is none.
    values: Integers64 | None


@dataclass
class IntegerProgram:
    """Whole-number columns, some of which count, and rows that are at least a number."""

    _upper: list[int] = field(default_factory=list)
    _cost: list[int] = field(default_factory=list)
    _rows: list[tuple[Mapping[int, int], int]] = field(default_factory=list)

    def columns(self, upper: Sequence[int], *, cost: int | Sequence[int] = 0) -> Positions:
        """Add columns from 0 to some numbers, and return where they are; costs are at least 0."""
        first = len(self._upper)
        self._upper += [int(most) for most in upper]
        self._cost += [cost] * len(upper) if isinstance(cost, int) else [int(c) for c in cost]
        return np.arange(first, len(self._upper))

    def at_least(self, numbers: Mapping[int, int], least: int) -> None:
        """Add the row that a sum of multiples of columns is at least a number."""
        self._rows.append(({k: int(v) for k, v in numbers.items() if v}, int(least)))

    def equal(self, numbers: Mapping[int, int], value: int) -> None:
        """Add the row that a sum of multiples of columns is a number."""
        self.at_least(numbers, value)
        self.at_least({k: -v for k, v in numbers.items()}, -value)

    def least(self, deadline: Deadline, *, below: int | None = None) -> int | None:
        """Return the least sum, below a number if one is given; None where there is none."""
        values = self.solve(deadline, below=below).values
        return None if values is None else self.checked(values)

    def checked(self, values: Integers64) -> int:
        """Return the sum of the columns that cost; raises where they break a row in integers."""
        columns = values.tolist()
        for numbers, least in self._rows:
            if sum(v * columns[k] for k, v in numbers.items()) < least:
                raise SolverError("The solver of an integer program broke a row.")
        return sum(c * v for c, v in zip(self._cost, columns, strict=True))

    def solve(self, deadline: Deadline, *, below: int | None = None) -> _Optimum:
        """Find the least sum of the columns that cost."""
        most = sum(c * u for c, u in zip(self._cost, self._upper, strict=True))
        end = most + 1 if below is None else min(below, most + 1)
        rows = list(self._rows)
        if end <= most:
            rows.append(({k: -c for k, c in enumerate(self._cost) if c}, 1 - end))
        # A row without numbers is no row for a solver.
        if end <= 0 or any(not numbers and least > 0 for numbers, least in rows):
            return _Optimum(max(end, 0), None)
        model, columns = self._model([row for row in rows if row[0]])
        left = deadline.seconds_left()
        if why_not_highs() is None:
            limit = None if left == inf else left
            solver = pulp.HiGHS(msg=False, threads=1, timeLimit=limit, gapRel=0, gapAbs=0.9)
        else:
            solver = _cbc(left)
        try:
            model.solve(solver)
        except pulp.PulpSolverError as error:
            raise SolverError(f"The solver of an integer program failed: {error}") from error
        if model.sol_status == pulp.LpSolutionInfeasible:
            deadline.seconds_left()  # CBC says so too where its time is over
            return _Optimum(end, None)
        if model.sol_status != pulp.LpSolutionOptimal:
            if deadline.at < inf:
                raise OutOfTimeError
            words = pulp.LpSolution.get(model.sol_status, str(model.sol_status))
            raise SolverError(f"The solver of an integer program did not end: {words}.")
        found = [0 if x.value() is None else round(x.value()) for x in columns]
        values = np.array(found, dtype=np.int64)
        total = sum(c * int(v) for c, v in zip(self._cost, values, strict=True))
        # The sum is whole, and what the solver calls optimal is within less than one of its bound.
        return _Optimum(min(ceil(pulp.value(model.objective) - 1e-4), total), values)

    def _model(self, rows: list[tuple[Mapping[int, int], int]]) -> tuple[Any, list[Any]]:
        model = pulp.LpProblem("whole", pulp.LpMinimize)
        columns = [
            model.add_variable(f"x{k}", 0, high, "Integer") for k, high in enumerate(self._upper)
        ]
        model.setObjective(
            pulp.LpAffineExpression([(columns[k], c) for k, c in enumerate(self._cost) if c])
        )
        for number, (numbers, least) in enumerate(rows):
            coefficients, right = _row_in_floats(numbers, least)
            terms = [(columns[k], v) for k, v in coefficients.items()]
            model.addConstraint(pulp.LpAffineExpression(terms) >= right, f"row{number}")
        return model, columns


def _row_in_floats(numbers: Mapping[int, int], least: int) -> tuple[dict[int, float], float]:
    """Return a row that floats hold: the same one in lower terms, or a looser one."""
    largest = max(abs(v) for v in numbers.values())
    divisor = gcd(*numbers.values())
    if max(largest, abs(least)) // divisor <= 2**30:
        # Left sides are multiples of the divisor.
        return {k: float(v // divisor) for k, v in numbers.items()}, float(-(-least // divisor))
    scale = max(largest, abs(least))
    loose = 1e-5 * (1.0 + abs(least / scale))  # solvers check rows to 1e-6
    return {k: v / scale for k, v in numbers.items()}, least / scale - loose


def solve_naive(task: Task, solver: Any = None) -> Solution:
    """Solve the full integer program at once, then its relaxation by CBC for the proof."""
    order, weighting = _good_order(task.problem), Weighting.empty()
    items = np.array(list(combinations(range(task.problem.n), 3)), dtype=np.intp).reshape(-1, 3)
    with until_stopped() as stop:
        relaxation = CbcRelaxation(task.problem, solver)
        relaxation.add_cycles(np.concatenate([items, items[:, [0, 2, 1]]]))
        relaxation.is_whole = True
        order = _rounded_order(relaxation.solve(task.deadline))
        relaxation.is_whole = False
        weighting = relaxation.weighting(relaxation.solve(task.deadline))
    return Solution(order, (weighting.leaf(),), interrupted=stop.by_user)


def solve_lazy(task: Task) -> Solution:
    """Solve the relaxation with rows added as they are violated; branch only if that is needed."""
    order, weighting = _good_order(task.problem), Weighting.empty()
    with until_stopped() as stop:
        relaxation = CbcRelaxation(task.problem)
        point = _solve_until_closed(relaxation, task)
        weighting = relaxation.weighting(point)
        if not point.is_integral:
            relaxation.is_whole = True
            point = _solve_until_closed(relaxation, task)
        order = _rounded_order(point)
    return Solution(order, (weighting.leaf(),), interrupted=stop.by_user)


def _good_order(problem: Problem) -> Positions:
    """Return what to fall back on where the time is too short."""
    margins = problem.margins.astype(np.float64)
    orders = [heuristics.improve(margins, order) for order in heuristics.starting_orders(margins)]
    return min(orders, key=problem.cost)


def _solve_until_closed(relaxation: CbcRelaxation, task: Task) -> Point:
    margins = task.problem.margins.astype(np.float64)
    while True:
        point = relaxation.solve(task.deadline)
        cycles = violated_cycles(point.before, margins, task.deadline)
        if len(relaxation.missing(cycles)) < len(cycles):
            raise SolverError("CBC returned a point that violates rows of the model it solved.")
        if not len(cycles):
            return point
        relaxation.add_cycles(cycles)


def _rounded_order(point: Point) -> Positions:
    return np.argsort(-(point.before > 0.5).sum(axis=1), kind="stable")


def _safe_names(labels: Iterable[Label]) -> list[str]:
    """Return different names of letters, digits and periods, which every format of files takes."""
    names: list[str] = []
    for place, label in enumerate(labels, 1):
        plain = normalize("NFKD", str(label)).encode("ascii", "ignore").decode()
        base = re.sub("[^A-Za-z0-9]+", ".", plain).strip(".")[:NAME_LENGTH] or "item"
        name = base
        while name in names:
            name = f"{base}.{place}" if name == base else f"{name}.{place}"
        names.append(name)
    return names


def kemeny_program(
    votes: PairwiseMatrix, tie_cost: float, consensus_tie_cost: float | None, demands: Demands
) -> Any:
    """Return the integer program of the exact consensus; see `Kemeny.program`."""
    model, names, n = (
        pulp.LpProblem("kemeny", pulp.LpMinimize),
        _safe_names(votes.items),
        len(votes.items),
    )
    wins, ties, per_tie = (
        votes.scaled_wins.tolist(),
        votes.scaled_ties.tolist(),
        exact.as_fraction(tie_cost),
    )
    objective: list[tuple[Any, float]] = []

    def variable(kind: str, where: Sequence[int], votes_against: Fraction) -> Any:
        made = model.add_variable(_name(kind, names, where), cat="Binary")
        objective.append((made, float(votes_against / votes.denominator)))
        return made

    def row(kind: str, where: Sequence[int], holds: Any) -> None:
        model.addConstraint(holds, _name(kind, names, where))

    x = {
        (i, j): variable("x", (i, j), wins[j][i] + per_tie * ties[i][j])
        for i, j in permutations(range(n), 2)
    }
    for i, j in combinations(range(n), 2):
        both = x[i, j] + x[j, i]
        if consensus_tie_cost is not None:
            price = exact.as_fraction(consensus_tie_cost)
            both += variable("t", (i, j), price * (wins[i][j] + wins[j][i]))
        row("pair", (i, j), both == 1)
    if consensus_tie_cost is None:
        for i, j, k in combinations(range(n), 3):
            row("cycle", (i, j, k), x[i, j] + x[j, k] + x[k, i] <= 2)
            row("cycle", (i, k, j), x[i, k] + x[k, j] + x[j, i] <= 2)
    else:
        for i, j, k in permutations(range(n), 3):
            row("chain", (i, j, k), x[i, k] <= x[i, j] + x[j, k])
    for i, j in np.argwhere(demands.stated(n)).tolist():
        row("above", (i, j), x[i, j] == 1)
    for number, count in enumerate(demands.counts, 1):
        inside = []
        for i in count.items:
            inside.append(variable(f"y{number}", (i,), Fraction(0)))
            ahead = pulp.lpSum(x[j, i] for j in range(n) if j != i)
            free = (n - count.within) * (1 - inside[-1])
            row(f"place{number}", (i,), ahead <= count.within - 1 + free)
        row(f"quota{number}", (), pulp.lpSum(inside) >= count.at_least)
    model.setObjective(pulp.LpAffineExpression([(made, cost) for made, cost in objective if cost]))
    return model


def _name(kind: str, names: Sequence[str], where: Iterable[int]) -> str:
    return "_".join([kind, *(names[i] for i in where)])
