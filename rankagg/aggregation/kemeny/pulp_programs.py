"""Integer programs in PuLP: the textbook formulation of Kemeny's rule, and small programs.

`kemeny_program` builds the textbook formulation for readers and any solver: integer variables for
pairs and two rows for any three items; `order_by_pulp` solves it. HiGHS solves small programs,
whose coefficients are Python integers. Rows that floats cannot hold are relaxed: every true
solution stays feasible, and a bound of the solver holds for the exact program. The caller checks
the solution in integers.
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

from rankagg._typing import Integers64, Label, Positions
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.constraints import Demands
from rankagg.core import ItemSet, PairwiseMatrix, exact
from rankagg.exceptions import OutOfTimeError, SolverError

# PuLP allows names of at most 100 characters, and names of rows contain three items.
NAME_LENGTH = 24


@dataclass(frozen=True, eq=False)
class _Optimum:
    """The result of a solver."""

    # Lower bound of the sum.
    bound: int
    # Shape (n,). The columns of the best solution; None if there is none.
    values: Integers64 | None


@dataclass
class IntegerProgram:
    """Integer columns with costs, and rows with a lower bound."""

    _upper: list[int] = field(default_factory=list)
    _cost: list[int] = field(default_factory=list)
    _rows: list[tuple[Mapping[int, int], int]] = field(default_factory=list)

    def columns(self, upper: Sequence[int], *, cost: int | Sequence[int] = 0) -> Positions:
        """Add columns with lower bound 0 and nonnegative costs; return their indices."""
        first = len(self._upper)
        self._upper += [int(most) for most in upper]
        self._cost += [cost] * len(upper) if isinstance(cost, int) else [int(c) for c in cost]
        return np.arange(first, len(self._upper))

    def at_least(self, numbers: Mapping[int, int], least: int) -> None:
        """Add a row: a weighted sum of columns is at least a number."""
        self._rows.append(({k: int(v) for k, v in numbers.items() if v}, int(least)))

    def equal(self, numbers: Mapping[int, int], value: int) -> None:
        """Add a row: a weighted sum of columns equals a number."""
        self.at_least(numbers, value)
        self.at_least({k: -v for k, v in numbers.items()}, -value)

    def least(self, deadline: Deadline, *, below: int | None = None) -> int | None:
        """Return the least cost, below an optional limit; None if there is none."""
        values = self.solve(deadline, below=below).values
        return None if values is None else self.checked(values)

    def checked(self, values: Integers64) -> int:
        """Return the cost of the columns; raise `SolverError` if they break a row in integers."""
        columns = values.tolist()
        for numbers, least in self._rows:
            if sum(v * columns[k] for k, v in numbers.items()) < least:
                raise SolverError("The solver of an integer program broke a row.")
        return sum(c * v for c, v in zip(self._cost, columns, strict=True))

    def solve(self, deadline: Deadline, *, below: int | None = None) -> _Optimum:
        """Minimise the cost of the columns."""
        most = sum(c * u for c, u in zip(self._cost, self._upper, strict=True))
        end = most + 1 if below is None else min(below, most + 1)
        rows = list(self._rows)
        if end <= most:
            rows.append(({k: -c for k, c in enumerate(self._cost) if c}, 1 - end))
        # Solvers take no empty rows.
        if end <= 0 or any(not numbers and least > 0 for numbers, least in rows):
            return _Optimum(max(end, 0), None)
        model, columns = self._model([row for row in rows if row[0]])
        left = deadline.seconds_left()
        limit = None if left == inf else left
        solver = pulp.HiGHS(msg=False, threads=1, timeLimit=limit, gapRel=0, gapAbs=0.9)
        try:
            model.solve(solver)
        except pulp.PulpSolverError as error:
            raise SolverError(f"The solver of an integer program failed: {error}") from error
        if model.sol_status == pulp.LpSolutionInfeasible:
            return _Optimum(end, None)
        if model.sol_status != pulp.LpSolutionOptimal:
            if deadline.at < inf:
                raise OutOfTimeError
            words = pulp.LpSolution.get(model.sol_status, str(model.sol_status))
            raise SolverError(f"The solver of an integer program did not end: {words}.")
        rounded = [0 if x.value() is None else round(x.value()) for x in columns]
        values = np.array(rounded, dtype=np.int64)
        total = sum(c * int(v) for c, v in zip(self._cost, values, strict=True))
        # The sum is an integer, and the solver's optimum is less than one above its bound.
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
    """Return a row that floats hold: the row in lowest terms, or a relaxed one."""
    largest = max(map(abs, numbers.values()))
    divisor = gcd(*numbers.values())
    if max(largest, abs(least)) // divisor <= 2**30:
        # The left side is a multiple of the divisor.
        return {k: float(v // divisor) for k, v in numbers.items()}, float(-(-least // divisor))
    scale = max(largest, abs(least))
    loose = 1e-5 * (1.0 + abs(least / scale))  # solvers check rows to 1e-6
    return {k: v / scale for k, v in numbers.items()}, least / scale - loose


def _safe_names(labels: Iterable[Label]) -> list[str]:
    """Return distinct names of letters, digits and periods, which all file formats allow."""
    names = []
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
    model, names = pulp.LpProblem("kemeny", pulp.LpMinimize), _safe_names(votes.items)
    n, per_tie = len(votes.items), exact.as_fraction(tie_cost)
    wins, ties = votes.scaled_wins.tolist(), votes.scaled_ties.tolist()
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


def order_by_pulp(program: Any, items: ItemSet, solver: Any, deadline: Deadline) -> Positions:
    """Return the order that a solver of PuLP finds, best first; by default HiGHS or CBC.

    Raises `OutOfTimeError` if the time is over before the solver has an order. The caller must
    prove optimality.
    """
    if solver is None:
        solver = pulp.HiGHS(msg=False, threads=1, gapRel=0)
        if not solver.available():
            path = pulp.PULP_CBC_CMD.pulp_cbc_path
            solver = pulp.COIN_CMD(path=path, msg=False, threads=1, gapRel=0)
    if not solver.available():
        raise SolverError(
            f"PuLP does not find the solver {solver.name}; "
            "`pulp.listSolvers(onlyAvailable=True)` names those it finds."
        )
    if deadline.at < inf:
        solver = copy(solver)
        solver.timeLimit = min(solver.timeLimit or inf, deadline.seconds_left())
    try:
        program.solve(solver)
    except pulp.PulpSolverError as error:
        raise SolverError(f"{solver.name} failed: {error}") from error
    if program.sol_status not in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
        deadline.seconds_left()  # raises if the time is over
        if program.sol_status == pulp.LpSolutionNoSolutionFound and deadline.at < inf:
            raise OutOfTimeError
        words = pulp.LpSolution.get(program.sol_status, str(program.sol_status))
        raise SolverError(f"{solver.name} found no ranking: {words}.")
    value = {variable.name: variable.value() or 0.0 for variable in program.variables()}
    names, above = _safe_names(items), np.zeros((len(items), len(items)), dtype=np.intp)
    for i, j in permutations(range(len(items)), 2):
        above[i, j] = round(value.get(_name("x", names, (i, j)), 0.0))
    order = np.argsort(-above.sum(axis=1), kind="stable")
    if not np.array_equal(above[np.ix_(order, order)], np.triu(np.ones_like(above), k=1)):
        raise SolverError(f"{solver.name} returned no ranking: its pairs do not make an order.")
    return order
