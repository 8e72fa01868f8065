"""From votes and constraints to the exact consensus among rankings that keep them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.base import Outcome
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny.constrained.constrained_search import ConstrainedSearch
from rankagg.aggregation.kemeny.constrained.constraints import Constraints
from rankagg.aggregation.kemeny.constrained.feasibility import require_possible
from rankagg.aggregation.kemeny.decomposition import components_of
from rankagg.aggregation.kemeny.optimal.held_optima import HeldOptima, held
from rankagg.aggregation.kemeny.orders import heuristics
from rankagg.aggregation.kemeny.orders.incumbent import extension
from rankagg.aggregation.kemeny.parts import solve_parts
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.progress import Listener, Progress
from rankagg.aggregation.kemeny.proofs.certificate import Certificate
from rankagg.aggregation.kemeny.proofs.demands import Demands
from rankagg.aggregation.kemeny.proofs.nodes import Leaf
from rankagg.aggregation.kemeny.search.cuts import solve_cuts
from rankagg.aggregation.kemeny.solution import Solution, Task
from rankagg.core.votes.pairwise import PairwiseMatrix

__all__ = ["solve_constrained"]

# What the certificate takes, in times that the problem takes to be stated.
CERTIFYING = 10

# Without a ranking that keeps the constraints there is nothing to return when the time is over.
SECONDS_TO_BEGIN = 10.0


def solve_constrained(
    votes: PairwiseMatrix,
    constraints: Constraints,
    *,
    tie_cost: float,
    deadline: Deadline,
    verify: bool,
    start: NDArray[np.intp] | None = None,
    listener: Listener | None = None,
    n_jobs: int = 1,
) -> Outcome:
    """Solve the problem of pairwise votes among the rankings that keep constraints.

    Parameters
    ----------
    votes : PairwiseMatrix
        The votes.
    constraints : Constraints
        What every ranking must keep to.
    tie_cost : float
        What a vote that ties two items costs.
    deadline : Deadline
        When to stop with the best ranking so far and its bound.
    verify : bool
        Whether to check the certificate before it is returned.
    start : ndarray of int, shape (n,), optional
        An order of the positions that is likely to be good.
    listener, n_jobs
        The parameters `on_progress` and `n_jobs` of the rule.

    Returns
    -------
    Outcome
        Why it is not proved, where it is not, is for the caller to say.

    Raises
    ------
    InfeasibleError
        If no ranking keeps all of them.
    """
    began = monotonic()
    demands = constraints.over(votes.items)
    items = Problem.from_pairwise(votes, tie_cost)
    deadline = deadline.later(-CERTIFYING * (monotonic() - began))
    wanted = heuristics.starting_orders(items.margins)[0] if start is None else start
    ends = max(deadline.at, monotonic() + SECONDS_TO_BEGIN)
    levels = require_possible(demands, votes.items, wanted, Deadline(ends))
    decided = demands.decided(items.n)
    assert decided is not None, "what can be kept does not contradict itself"
    place = np.argsort(wanted)
    by_level = np.lexsort((place, levels))
    inside = decided[: items.n, : items.n]
    feasible = demands.marked(extension(inside, by_level))

    problem = demands.with_markers(items)
    solved = solve_parts(
        problem, _parts(problem, decided, demands),
        partial(_solve_part, counts=Demands(counts=demands.counts)),
        Progress(problem, listener), deadline, start=feasible, n_jobs=n_jobs, decided=decided,
    )  # fmt: skip
    found = demands.unmarked(solved.order)
    certificate = Certificate.build(
        votes, found.tolist(), solved.proofs, tie_cost=tie_cost, problem=items, demands=demands
    )
    # What counts places ties the choices in one block of optima to those in others.
    optima = None
    if not demands.places:
        optima = HeldOptima(
            items=votes.items, _problem=held(items, decided), _order=found, _free=items,
            _decided=decided,
        )  # fmt: skip
    if verify:
        certificate._check(votes)
    return Outcome(
        ranking=certificate.ranking,
        certificate=certificate,
        optima=optima,
        notes=solved.notes,
        interrupted=solved.interrupted and certificate.status != "optimal",
    )


def _parts(problem: Problem, decided: Bools, demands: Demands) -> list[NDArray[np.intp]]:
    """Return parts such that their best orders, one after the other, are the best order.

    Between two of them every pair goes the cheaper way, or the one that is demanded. What says
    how many items are within the first places joins all of them.
    """
    if demands.places:
        return [np.arange(problem.n)]
    return components_of(decided | ((problem.margins < 0) & ~decided.T))


def _solve_part(task: Task, counts: Demands) -> Solution:
    """Solve a part, from an order that keeps to all constraints."""
    assert task.decided is not None, "constraints decide pairs, or none of them"
    assert task.start is not None, "a part under constraints starts where they are kept"
    if not counts and not task.decided.any():
        return solve_cuts(replace(task, start=None))
    begun: list[ConstrainedSearch] = []
    with until_stopped() as stop:
        search = ConstrainedSearch(
            task.problem, task.deadline, task.report, task.start, task.decided, demands=counts
        )
        begun.append(search)
        search.run()
    if not begun:
        return Solution(task.start, (Leaf(),), interrupted=stop.by_user)
    rows = tuple(search.rows)
    return Solution(search.order, tuple(search.nodes), rows, stop.by_user, (), search.lower)
