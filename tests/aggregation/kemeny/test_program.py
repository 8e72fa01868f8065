"""The integer program of the exact consensus: its optimum, its file, its names, other solvers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pulp
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny.pulp_programs import NAME_LENGTH, _safe_names
from rankagg.exceptions import (
    InfeasibleError,
    InvalidInputError,
    SolverError,
)
from tests.conftest import seeds


def profile_of(seed: int, n: int = 4) -> ra.Profile:
    """Return weighted rankings with gaps, ties and short lists."""
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, n + 1, (7, n)).astype(float)
    ranks[rng.random(ranks.shape) < 0.2] = np.nan
    ranks[0] = np.arange(1, n + 1)
    return ra.Profile.from_ranks(ranks, weights=rng.choice([1.0, 0.5, 1 / 3, 2.7], 7))


def solvers() -> list[Any]:
    """Return the solvers of PuLP that are here."""
    cbc = pulp.COIN_CMD(path=pulp.PULP_CBC_CMD.pulp_cbc_path, msg=False)
    return [cbc, pulp.HiGHS(msg=False)]


def optimum_in(path: Path) -> float:
    """Return the optimum that HiGHS finds in a file that it reads by itself."""
    highspy = pytest.importorskip("highspy")
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("mip_rel_gap", 0.0)
    assert model.readModel(str(path)) == highspy.HighsStatus.kOk
    model.run()
    return float(model.getInfo().objective_function_value)


@pytest.mark.parametrize(
    "rule",
    [
        ra.Kemeny(),
        ra.Kemeny(tie_cost=0.5),
        ra.Kemeny(consensus_ties=True, tie_cost=0.5),
        ra.Kemeny(consensus_ties=True, tie_cost=0.25, consensus_tie_cost=0.375),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", seeds(1, 5))
def test_the_least_objective_is_the_cost_of_the_consensus(rule, seed: int, tmp_path: Path) -> None:
    data = profile_of(seed)
    cost = rule.aggregate(data).cost
    for solver in solvers():
        program = rule.program(data)
        assert program.solve(solver) == pulp.LpStatusOptimal
        assert pulp.value(program.objective) == pytest.approx(cost, rel=1e-12, abs=1e-12)
    for name, write in (("p.lp", program.writeLP), ("p.mps", program.writeMPS)):
        write(str(tmp_path / name))
        assert optimum_in(tmp_path / name) == pytest.approx(cost, rel=1e-11, abs=1e-11)


def test_variables_of_the_solved_program_give_the_consensus() -> None:
    data = ra.Profile.from_ranks([[1, 1, 3], [1, 1, 3], [2, 1, 3]], items=["Ann", "Bob", "Cid"])
    program = ra.Kemeny(consensus_ties=True, tie_cost=0.5).program(data)
    program.solve(pulp.HiGHS(msg=False))
    chosen = {x.name for x in program.variables() if x.value() and x.value() > 0.5}
    assert chosen == {"t_Ann_Bob", "x_Ann_Cid", "x_Bob_Cid"}


def test_constraints_are_rows_of_the_program() -> None:
    data = ra.Profile.from_orders(["ABCDE", "ABDCE", "BACED"])
    wish = ra.Constraints(
        above=[("C", "A")],
        last="E",
        quotas=[ra.Quota("D", within=3, at_least=1), ra.Quota("CD", within=2, at_least=1)],
    )
    rule = ra.Kemeny(constraints=wish)
    program = rule.program(data)
    program.solve(pulp.HiGHS(msg=False))
    free = ra.Kemeny().aggregate(data)
    assert pulp.value(program.objective) == rule.aggregate(data).cost > free.cost
    never = ra.Kemeny(constraints=ra.Constraints(above=["AB", "BC", "CA"]))
    program = never.program(data)
    assert program.solve(pulp.HiGHS(msg=False)) == pulp.LpStatusInfeasible
    with pytest.raises(InfeasibleError):
        never.aggregate(data)


def test_names_are_safe_and_different() -> None:
    labels = ["a b", "a-b", "[a]b", "é", "e", "ß√", "東京", "x" * 300, "x" * 299, "A_B", "a.b.2"]
    names = _safe_names(labels)
    assert len(set(names)) == len(labels)
    assert all(name.replace(".", "").isalnum() and name.isascii() for name in names)
    assert max(map(len, names)) <= NAME_LENGTH + 4
    assert _safe_names(["Ann", "GPT-4 turbo", "é"]) == ["Ann", "GPT.4.turbo", "e"]
    # A name that a number makes equal to another one.
    assert _safe_names(["a.3", "a", "a "]) == ["a.3", "a", "a.3.3"]


def test_a_program_file_with_unusual_names_has_the_same_optimum(tmp_path: Path) -> None:
    labels = ["a b", "a-b", "[a] + 3 b", "é", "東京", "x" * 300, "x" * 299 + "y"]
    rng = np.random.default_rng(3)
    votes = ra.PairwiseMatrix.from_wins(rng.integers(0, 9, (7, 7)) / 7, items=labels)
    program = ra.Kemeny().program(votes)
    program.writeLP(str(tmp_path / "awkward.lp"))
    cost = ra.Kemeny().aggregate(votes).cost
    assert optimum_in(tmp_path / "awkward.lp") == pytest.approx(cost, rel=1e-11)


def test_one_item_has_a_program_and_too_many_are_refused() -> None:
    program = ra.Kemeny().program(ra.Profile.from_orders(["A"]))
    program.solve(pulp.HiGHS(msg=False))
    assert pulp.value(program.objective) in (0, None)
    many = ra.Profile.from_orders([list(range(101))])
    with pytest.raises(InvalidInputError, match="at most 100 items"):
        ra.Kemeny().program(many)


@pytest.mark.parametrize("seed", range(30))
def test_pulp_and_cuts_find_the_same_cost(seed: int) -> None:
    data, tie_cost = profile_of(seed, n=1 + seed % 8), (0, 0.5)[seed % 2]
    by_cuts = ra.Kemeny(tie_cost=tie_cost).aggregate(data)
    solver = [None, *solvers()][seed % 3]
    found = ra.Kemeny(tie_cost=tie_cost, backend="pulp", solver=solver).aggregate(data)
    certificate = found.certificate
    assert certificate.status == "optimal"
    assert certificate.scaled_cost == by_cuts.certificate.scaled_cost
    assert certificate.verify(data.pairwise())
    assert float(data.pairwise().exact_cost(found.ranking, tie_cost=tie_cost)) == certificate.cost


class Worst(pulp.HiGHS):
    """A solver that calls the dearest order optimal, or what is none."""

    order = "ZYX"

    def actualSolve(self, lp, **options):
        for variable in lp.variables():
            _, first, second = variable.name.split("_")
            variable.varValue = float(self.order.find(first) < self.order.find(second))
        lp.assignStatus(pulp.LpStatusOptimal, pulp.LpSolutionOptimal)
        return pulp.LpStatusOptimal


def test_claims_of_a_solver_are_checked() -> None:
    data = ra.Profile.from_orders(["XYZ", "YZX", "XYZ"])
    found = ra.Kemeny(backend="pulp", solver=Worst(msg=False)).aggregate(data)
    assert (found.order, found.certificate.status) == (("Z", "Y", "X"), "gap")
    assert (found.certificate.cost, found.certificate.lower_bound) == (7, 2)
    assert found.notes == ("not proved optimal in time",)
    wrong = Worst(msg=False)
    wrong.order = ""
    with pytest.raises(SolverError, match="do not make an order"):
        ra.Kemeny(backend="pulp", solver=wrong).aggregate(data)


def test_solvers_that_cannot_solve_are_refused() -> None:
    data = ra.Profile.from_orders(["XYZ"])
    with pytest.raises(InvalidInputError, match="a solver object of PuLP"):
        ra.Kemeny(backend="pulp", solver="HiGHS")
    with pytest.raises(InvalidInputError, match="backend='pulp'"):
        ra.Kemeny(solver=pulp.HiGHS(msg=False))
    with pytest.raises(InvalidInputError, match="backend of Kemeny"):
        ra.Kemeny(backend="pulp", consensus_ties=True, tie_cost=0.5)
    with pytest.raises(SolverError, match="does not find the solver"):
        ra.Kemeny(backend="pulp", solver=pulp.GLPK_CMD(path="/nowhere/glpsol")).aggregate(data)
    with pytest.raises(InvalidInputError, match="at most 100 items"):
        ra.Kemeny(backend="pulp").aggregate(ra.Profile.from_orders([list(range(101))]))


def test_pulp_keeps_the_time_limit() -> None:
    data = ra.Profile.from_ranks(np.random.default_rng(0).random((9, 40)))
    found = ra.Kemeny(backend="pulp", time_limit=0).aggregate(data)
    assert found.certificate.status == "gap"
    assert found.certificate.verify(data.pairwise())
    assert found.notes == ("not proved optimal within the time limit of 0 s",)
