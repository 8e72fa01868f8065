"""The exact consensus among weak orders."""

from __future__ import annotations

import numpy as np

from rankagg.aggregation.kemeny.branch_and_bound import searched
from rankagg.aggregation.kemeny.certificate import TiedCertificate
from rankagg.aggregation.kemeny.orders import starting_orders
from rankagg.aggregation.kemeny.parts import Effort, Solution, Task, solve_parts
from rankagg.aggregation.kemeny.tied_optima import Levels, TiedOptima
from rankagg.aggregation.kemeny.weak_proof import WeakProblem, WeakProof, groups
from rankagg.aggregation.kemeny.weak_search import FloatCosts, WeakSearch, best_buckets
from rankagg.aggregation.outcome import Outcome, proved_outcome
from rankagg.core import PairwiseMatrix


def solve_weak(
    votes: PairwiseMatrix, *, tie_cost: float, consensus_tie_cost: float, effort: Effort
) -> Outcome:
    """Solve the problem of pairwise votes among weak orders."""
    problem, effort = effort.stated(
        lambda: WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
    )
    solved = solve_parts(problem, groups(problem), _solve_weak_part, effort, kind=WeakProof)
    prices = {"tie_cost": tie_cost, "consensus_tie_cost": consensus_tie_cost}
    certificate = TiedCertificate.build(
        votes, solved.levels, solved.proofs, problem=problem, **prices
    )
    optima = TiedOptima(items=votes.items, _problem=problem, _levels=solved.levels)
    return proved_outcome(certificate, solved, effort, optima, noun="weak order")


def _solve_weak_part(task: Task) -> Solution:
    return searched(
        lambda: WeakSearch(task.problem, task.deadline, task.report),
        lambda: _first_levels(task.problem),
    )


def _first_levels(problem: WeakProblem) -> Levels:
    """Return a weak order that takes no time."""
    costs = FloatCosts(problem.above.astype(np.float64), problem.tied.astype(np.float64))
    return best_buckets(costs, starting_orders(costs.above - costs.above.T)[0])
