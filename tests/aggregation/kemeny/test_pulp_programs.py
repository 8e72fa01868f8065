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
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.exceptions import SolverError, SolverNotFoundError
from tests.conftest import seeds
from tests.tournaments import noisy_paley

CYCLE = ra.datasets.load("condorcet_1785")
BACKENDS = ("lazy", "naive")  # those that PuLP solves


def patch_solve(monkeypatch: pytest.MonkeyPatch, after: Any) -> None:
    real = pulp.LpProblem.solve

    def solve(self: pulp.LpProblem, *args: Any, **kwargs: Any) -> int:
        status = real(self, *args, **kwargs)
        after(self)
        return status

    monkeypatch.setattr(pulp.LpProblem, "solve", solve)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "sol_status",
    [pulp.LpSolutionNoSolutionFound, pulp.LpSolutionIntegerFeasible, pulp.LpSolutionInfeasible],
)
def test_status_short_of_optimal_is_an_error(monkeypatch, backend, sol_status) -> None:
    patch_solve(monkeypatch, lambda lp: setattr(lp, "sol_status", sol_status))
    with pytest.raises(SolverError, match=pulp.LpSolution[sol_status]):
        ra.Kemeny(backend=backend).aggregate(CYCLE)

    def fail(self, *args, **kwargs):
        raise pulp.PulpSolverError("the license expired")

    monkeypatch.setattr(pulp.LpProblem, "solve", fail)
    with pytest.raises(SolverError, match="the license expired"):
        ra.Kemeny(backend=backend).aggregate(CYCLE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_values_turned_round_are_noticed_or_prove_nothing(monkeypatch, backend) -> None:
    def turn_round(lp: pulp.LpProblem) -> None:
        for x in lp.variables():
            x.varValue = 1 - x.varValue

    patch_solve(monkeypatch, turn_round)
    if backend == "lazy":
        # The rows that were added are still violated.
        with pytest.raises(SolverError, match="violates rows"):
            ra.Kemeny(backend=backend).aggregate(CYCLE)
        return
    exact = ra.Kemeny(backend=backend).aggregate(CYCLE)
    assert exact.cost > 76
    assert exact.certificate.status == "gap"
    assert exact.certificate.lower_bound <= 76


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("factor", [0.0, 0.5, -1.0, 1e6])
def test_wrong_duals_cannot_prove_too_much(monkeypatch, backend, factor) -> None:
    def spoil(lp: pulp.LpProblem) -> None:
        for row in lp.constraints():
            row.pi = factor * (row.pi or 0.0)

    patch_solve(monkeypatch, spoil)
    certificate = ra.Kemeny(backend=backend).aggregate(CYCLE).certificate
    assert certificate.status == "gap"
    assert certificate.lower_bound < 76


def test_missing_solver_names_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulp.COIN_CMD, "available", lambda self: False)
    with pytest.raises(SolverNotFoundError, match=r"pip install 'pulp>=3\.3\.1,<4'"):
        ra.Kemeny(backend="lazy").aggregate(CYCLE)
    monkeypatch.setattr(relaxation, "highspy", None)
    with pytest.raises(SolverNotFoundError, match=r"pip install highspy\. PuLP's CBC"):
        ra.Kemeny().aggregate(CYCLE)


# -- without HiGHS --------------------------------------------------------------------------------


def test_without_highs_cbc_proves_as_much_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = noisy_paley(1)  # needs branching and fixing
    monkeypatch.setattr(relaxation, "highspy", None)
    exact = ra.Kemeny().aggregate(votes)
    assert exact.certificate.n_cases > 1
    assert exact.certificate.status == "optimal"
    assert exact.certificate.verify(votes)
    assert exact.cost == ra.Kemeny(backend="subset-dp").aggregate(votes).cost
    assert any("PuLP's CBC" in note and "pip install highspy" in note for note in exact.notes)


def test_clash_with_ortools_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "highspy", None)
    monkeypatch.setitem(sys.modules, "ortools", sys)
    assert "beside OR-Tools" in ra.Kemeny().aggregate(CYCLE).notes[0]
    with pytest.raises(SolverNotFoundError, match="beside OR-Tools"):
        relaxation.HighsRelaxation(Problem.from_pairwise(CYCLE.pairwise()))


def test_cbc_that_fails_or_is_late_proves_nothing_false(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "highspy", None)

    def spoil(lp: pulp.LpProblem) -> None:
        for row in lp.constraints():
            row.pi = 1e6 * (row.pi or 0.0)

    with monkeypatch.context() as patch:
        patch_solve(patch, spoil)
        certificate = ra.Kemeny(time_limit=1).aggregate(CYCLE).certificate
    assert certificate.lower_bound <= 76 <= certificate.cost
    with monkeypatch.context() as patch:
        patch_solve(patch, lambda lp: setattr(lp, "sol_status", pulp.LpSolutionInfeasible))
        with pytest.raises(SolverError, match="No Solution Exists"):
            ra.Kemeny().aggregate(CYCLE)
    assert ra.Kemeny(time_limit=0).aggregate(CYCLE).certificate.status == "gap"


@pytest.mark.parametrize("backend", BACKENDS)
def test_solver_stopped_by_the_limit_is_no_error(monkeypatch, backend) -> None:
    def stop(lp: pulp.LpProblem) -> None:
        lp.sol_status = pulp.LpSolutionIntegerFeasible
        monkeypatch.setattr(deadline, "monotonic", lambda: float("inf"))

    patch_solve(monkeypatch, stop)
    exact = ra.Kemeny(backend=backend, time_limit=1000).aggregate(CYCLE)
    assert exact.certificate.status == "gap"


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
