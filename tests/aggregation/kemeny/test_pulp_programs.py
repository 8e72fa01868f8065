"""Faults of PuLP's solvers raise an error, or prove nothing false."""

import signal
import subprocess
import sys
from itertools import product
from random import Random
from typing import Any

import highspy
import numpy as np
import pulp
import pytest

import rankagg as ra
from rankagg.aggregation import deadline
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import relaxation
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram
from rankagg.aggregation.kemeny.relaxation import Point
from rankagg.exceptions import OutOfTimeError, SolverError
from tests.conftest import seeds

CYCLE = ra.datasets.load("condorcet_1785")


def patch_solve(monkeypatch: pytest.MonkeyPatch, after: Any) -> None:
    real = pulp.LpProblem.solve

    def solve(self: pulp.LpProblem, *args: Any, **kwargs: Any) -> int:
        status = real(self, *args, **kwargs)
        after(self)
        return status

    monkeypatch.setattr(pulp.LpProblem, "solve", solve)


def test_without_highs_the_error_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "highspy", None)
    for options in ({}, {"consensus_ties": True, "tie_cost": 0.5}):
        with pytest.raises(SolverError, match="pip install highspy"):
            ra.Kemeny(**options).aggregate(CYCLE)
    monkeypatch.setitem(sys.modules, "ortools", sys)
    with pytest.raises(SolverError, match="together with OR-Tools"):
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


# -- the live HiGHS object ------------------------------------------------------------------------


def patch_highs(monkeypatch: pytest.MonkeyPatch, method: str, replacement: Any) -> None:
    """Replace a method of HiGHS from the first solve on rows on, PuLP's own solve being over."""
    original = relaxation.Relaxation.solve

    def solve(self: relaxation.Relaxation, deadline: Deadline) -> Point:
        monkeypatch.setattr(highspy.Highs, method, replacement)
        return original(self, deadline)

    monkeypatch.setattr(relaxation.Relaxation, "solve", solve)


@pytest.mark.parametrize("status", ["kInfeasible", "kUnknown", None])
def test_status_short_of_optimal_is_an_error(monkeypatch, status) -> None:
    if status is None:  # a run that fails, although the model says optimal
        patch_highs(monkeypatch, "run", lambda self: highspy.HighsStatus.kError)
    else:
        value = getattr(highspy.HighsModelStatus, status)
        patch_highs(monkeypatch, "getModelStatus", lambda self: value)
    with pytest.raises(SolverError, match="HiGHS did not reach an optimum"):
        ra.Kemeny().aggregate(CYCLE)


class Spoiled:
    """A solution whose numbers were changed on the way."""

    def __init__(self, solution: Any, values: Any, duals: Any) -> None:
        self.col_value = values(np.array(solution.col_value))
        self.row_dual = duals(np.array(solution.row_dual))


def keep(numbers: np.ndarray) -> np.ndarray:
    return numbers


SPOILERS = {
    "values stale": (np.zeros_like, keep),
    "values turned round": (lambda x: 1 - x, keep),
    "values fractional": (lambda x: np.full_like(x, 0.5), keep),
    "values outside": (lambda x: x + 7, keep),
    "duals too large": (keep, lambda y: 1000 * y),
    "duals turned round": (keep, lambda y: -y),
    "duals infinite": (keep, lambda y: y - np.inf),
    "duals nan": (keep, lambda y: y * np.nan),
    "duals gone": (keep, lambda y: 0 * y),
}


@pytest.mark.parametrize("name", SPOILERS)
def test_spoiled_numbers_prove_no_false_optimum(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    original = highspy.Highs.getSolution
    spoil = SPOILERS[name]
    patch_highs(monkeypatch, "getSolution", lambda self: Spoiled(original(self), *spoil))
    try:
        exact = ra.Kemeny(time_limit=1).aggregate(CYCLE)
    except SolverError:
        return
    votes = CYCLE.pairwise()
    assert exact.certificate.verify(votes)
    assert exact.certificate.lower_bound <= 76 <= exact.cost
    if exact.cost > 76:
        assert exact.certificate.status == "gap"


@pytest.mark.slow
def test_another_number_of_threads_in_the_process_proves_no_false_optimum() -> None:
    # HiGHS refuses to run with a number of threads that differs from the first one it saw.
    script = """
import highspy, rankagg as ra
first = highspy.Highs()
first.setOptionValue("output_flag", False)
first.setOptionValue("threads", 2)
first.addVar(0, 1)
first.run()
try:
    exact = ra.Kemeny().aggregate(ra.datasets.load("condorcet_1785"))
    print("proved", exact.certificate.cost, exact.certificate.status)
except ra.exceptions.SolverError as error:
    print("error", error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(("proved 76.0 optimal", "error"))


# -- stopping early -------------------------------------------------------------------------------


def test_no_time_gives_a_ranking_a_bound_and_a_gap() -> None:
    exact = ra.Kemeny(time_limit=0).aggregate(CYCLE)
    assert exact.certificate.status == "gap"
    assert exact.certificate.lower_bound == 70
    assert exact.certificate.verify(CYCLE.pairwise())
    assert exact.notes == ("not proved optimal within the time limit of 0 s",)


def test_interruption_gives_the_best_ranking_so_far(monkeypatch) -> None:
    def interrupt(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(relaxation.Relaxation, "solve", interrupt)
    exact = ra.Kemeny().aggregate(CYCLE)
    assert exact.certificate.status == "gap"
    assert exact.notes == ("interrupted: the best ranking so far, not proved optimal",)
    assert exact.cost >= 76
