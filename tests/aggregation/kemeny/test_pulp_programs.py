"""What PuLP's solvers get wrong is an error, or proves nothing false."""

import sys
from itertools import product
from random import Random
from typing import Any

import pulp
import pytest

import rankagg as ra
from rankagg.aggregation import deadline
from rankagg.aggregation.kemeny import relaxation
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.exceptions import OutOfTimeError, SolverError, SolverNotFoundError
from tests.conftest import seeds

CYCLE = ra.datasets.load("condorcet_1785")


def patch_solve(monkeypatch: pytest.MonkeyPatch, after: Any) -> None:
    real = pulp.LpProblem.solve

    def solve(self: pulp.LpProblem, *args: Any, **kwargs: Any) -> int:
        status = real(self, *args, **kwargs)
        after(self)
        return status

    monkeypatch.setattr(pulp.LpProblem, "solve", solve)


def test_without_highs_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "highspy", None)
    for options in ({}, {"consensus_ties": True, "tie_cost": 0.5}):
        with pytest.raises(SolverNotFoundError, match="pip install highspy"):
            ra.Kemeny(**options).aggregate(CYCLE)
    monkeypatch.setitem(sys.modules, "ortools", sys)
    with pytest.raises(SolverNotFoundError, match="beside OR-Tools"):
        ra.Kemeny().aggregate(CYCLE)


@pytest.mark.parametrize(
    "sol_status", [pulp.LpSolutionNoSolutionFound, pulp.LpSolutionIntegerFeasible]
)
def test_a_program_that_does_not_end_is_an_error(monkeypatch, sol_status) -> None:
    program = IntegerProgram()
    program.columns([3], cost=1)
    program.at_least({0: 2}, 3)
    patch_solve(monkeypatch, lambda lp: setattr(lp, "sol_status", sol_status))
    with pytest.raises(SolverError, match=pulp.LpSolution[sol_status]):
        program.least(deadline.Deadline())
    with pytest.raises(OutOfTimeError):
        program.least(deadline.Deadline.after(100))

    def fail(self, *args, **kwargs):
        raise pulp.PulpSolverError("the license expired")

    monkeypatch.setattr(pulp.LpProblem, "solve", fail)
    with pytest.raises(SolverError, match="the license expired"):
        program.least(deadline.Deadline())


@pytest.mark.parametrize("seed", seeds(3, 200))
def test_integer_programs_equal_enumeration(seed: int) -> None:
    rng = Random(seed)
    never, program = deadline.Deadline(), IntegerProgram()
    upper, cost = [rng.randrange(1, 4) for _ in "abc"], [rng.randrange(4) for _ in "abc"]
    program.columns(upper, cost=cost)
    scale = rng.choice((2, 6))
    rows = [[scale * rng.randrange(-2, 4) for _ in "abc"] for _ in "ab"]
    ends = [scale * rng.randrange(-1, 5) + rng.randrange(scale) for _ in rows]
    for row, least in zip(rows, ends, strict=True):
        program.at_least(dict(enumerate(row)), least)

    def total(numbers: list[int], point: tuple[int, ...]) -> int:
        return sum(number * x for number, x in zip(numbers, point, strict=True))

    sums = [
        total(cost, point)
        for point in product(*(range(most + 1) for most in upper))
        if all(total(row, point) >= least for row, least in zip(rows, ends, strict=True))
    ]
    best = min(sums, default=None)
    assert program.least(never) == best
    if best is not None:
        assert program.least(never, below=best + 1) == best
        assert program.least(never, below=best) is None
        assert program.solve(never, below=best).bound == best


def test_a_solution_that_breaks_a_row_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    program = IntegerProgram()
    program.columns([3, 3], cost=1)
    program.at_least({0: 2, 1: 2}, 3)
    assert program.least(deadline.Deadline()) == 2

    def lower(lp: pulp.LpProblem) -> None:
        for x in lp.variables():
            x.varValue = 0

    patch_solve(monkeypatch, lower)
    with pytest.raises(SolverError, match="broke a row"):
        program.least(deadline.Deadline())
