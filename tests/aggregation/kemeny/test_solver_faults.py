"""Whatever a solver does, no false optimum is claimed."""

from typing import Any

import pulp
import pytest

import rankagg as ra
from rankagg.exceptions import SolverError, SolverNotFoundError

CYCLE = ra.datasets.load("condorcet_1785")
BACKENDS = ("lazy", "naive")


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
def test_status_short_of_optimal_is_an_error(
    monkeypatch: pytest.MonkeyPatch, backend: str, sol_status: int
) -> None:
    patch_solve(monkeypatch, lambda lp: setattr(lp, "sol_status", sol_status))
    with pytest.raises(SolverError, match=pulp.LpSolution[sol_status]):
        ra.Kemeny(backend=backend).aggregate(CYCLE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_solver_that_raises_is_an_error_with_its_words(
    monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    def fail(self: pulp.LpProblem, *args: Any, **kwargs: Any) -> int:
        raise pulp.PulpSolverError("the license expired")

    monkeypatch.setattr(pulp.LpProblem, "solve", fail)
    with pytest.raises(SolverError, match="the license expired"):
        ra.Kemeny(backend=backend).aggregate(CYCLE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_values_turned_round_are_noticed_or_prove_nothing(
    monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
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
def test_wrong_duals_cannot_prove_too_much(
    monkeypatch: pytest.MonkeyPatch, backend: str, factor: float
) -> None:
    def spoil(lp: pulp.LpProblem) -> None:
        for row in lp.constraints():
            row.pi = factor * (row.pi or 0.0)

    patch_solve(monkeypatch, spoil)
    certificate = ra.Kemeny(backend=backend).aggregate(CYCLE).certificate
    assert certificate.status == "gap"
    assert certificate.lower_bound < 76


def test_missing_solver_names_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulp.COIN_CMD, "available", lambda self: False)
    with pytest.raises(SolverNotFoundError, match=r"pip install 'pulp>=3\.3,<4'"):
        ra.Kemeny().aggregate(CYCLE)
