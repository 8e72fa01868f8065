"""From votes to the exact consensus among weak orders, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.base import Outcome
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny.progress import Listener, Progress
from rankagg.aggregation.kemeny.solution import Report
from rankagg.aggregation.kemeny.weak.certificate import WeakCertificate
from rankagg.aggregation.kemeny.weak.decomposition import groups
from rankagg.aggregation.kemeny.weak.local_search import Costs, best_buckets, starting_orders
from rankagg.aggregation.kemeny.weak.nodes import Leaf, Node, moved_to
from rankagg.aggregation.kemeny.weak.optima import WeakOptima
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.aggregation.kemeny.weak.proof import WeakProof
from rankagg.aggregation.kemeny.weak.search import WeakSearch
from rankagg.core.votes.pairwise import PairwiseMatrix

__all__ = ["solve_weak"]

# What the certificate takes, in times that the problem takes to be stated.
CERTIFYING = 10


@dataclass(frozen=True, eq=False)
class Solved:
    """A weak order of one part, and the cases that bound what any costs."""

    levels: NDArray[np.intp]
    nodes: tuple[Node, ...]
    interrupted: bool = False
    lower: int | None = None


def solve_weak(
    votes: PairwiseMatrix,
    *,
    tie_cost: float,
    consensus_tie_cost: float,
    deadline: Deadline,
    verify: bool,
    listener: Listener | None = None,
) -> Outcome:
    """Solve the problem of pairwise votes among weak orders.

    Parameters
    ----------
    votes : PairwiseMatrix
        The votes.
    tie_cost, consensus_tie_cost : float
        What a vote that ties two items costs where the consensus does not, and what one that
        orders two costs where the consensus ties them.
    deadline : Deadline
        When to stop with the best weak order so far and its bound.
    verify : bool
        Whether to check the certificate before it is returned.
    listener : callable, optional
        See `Progress`.

    Returns
    -------
    Outcome
        Why it is not proved, where it is not, is for the caller to say.
    """
    began = monotonic()
    problem = WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
    progress = Progress(problem, listener)
    deadline = deadline.later(-CERTIFYING * (monotonic() - began))
    levels = np.zeros(problem.n, dtype=np.intp)
    proofs: list[WeakProof] = []
    interrupted = False
    above = 0
    for part in groups(problem):
        solved = Solved(np.zeros(1, dtype=np.intp), ())
        if len(part) > 1:
            inside = problem.restrict(part)
            solved = _solve_part(inside, deadline, progress.of_part(inside))
            progress.close_part(inside, inside.cost(solved.levels), solved.lower)
            proofs.append(WeakProof(tuple(part.tolist()), moved_to(solved.nodes, part)))
        interrupted = interrupted or solved.interrupted
        if interrupted or progress.is_stopped:
            deadline = Deadline.after(0)  # the parts that are left get a quick order each
        levels[part] = above + solved.levels
        above += len(part)
    certificate = WeakCertificate.build(
        votes, levels, proofs, tie_cost=tie_cost, consensus_tie_cost=consensus_tie_cost
    )
    if verify:
        certificate._check(votes)
    return Outcome(
        ranking=certificate.ranking,
        certificate=certificate,
        optima=WeakOptima(items=votes.items, _problem=problem, _levels=levels),
        interrupted=interrupted and certificate.status != "optimal",
    )


def _solve_part(problem: WeakProblem, deadline: Deadline, report: Report) -> Solved:
    begun: list[WeakSearch] = []
    with until_stopped() as stop:
        deadline.seconds_left()
        begun.append(WeakSearch(problem, deadline, report))
        begun[0].run()
    if begun:
        search = begun[0]
        return Solved(search.levels, tuple(search.nodes), stop.by_user, search.lower)
    costs = Costs(problem.above.astype(np.float64), problem.tied.astype(np.float64))
    levels = best_buckets(costs, starting_orders(costs)[0])
    return Solved(levels, (Leaf(),), stop.by_user)
