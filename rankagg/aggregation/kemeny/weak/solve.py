"""From votes to the exact consensus among weak orders, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.base import Outcome
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny.progress import LOGGER
from rankagg.aggregation.kemeny.weak.certificate import WeakCertificate
from rankagg.aggregation.kemeny.weak.decomposition import groups
from rankagg.aggregation.kemeny.weak.local_search import Costs, best_buckets, starting_orders
from rankagg.aggregation.kemeny.weak.nodes import Leaf, Node, moved_to
from rankagg.aggregation.kemeny.weak.optima import WeakOptima
from rankagg.aggregation.kemeny.weak.problem import WeakProblem
from rankagg.aggregation.kemeny.weak.proof import WeakProof
from rankagg.aggregation.kemeny.weak.search import WeakSearch
from rankagg.core.pairwise import PairwiseMatrix

__all__ = ["solve_weak"]

# What the certificate takes, in times that the problem takes to be stated.
CERTIFYING = 10
SECONDS_BETWEEN = 1.0


@dataclass(frozen=True, eq=False)
class Solved:
    """A weak order of one part, and the cases that bound what any costs."""

    levels: NDArray[np.intp]
    nodes: tuple[Node, ...]
    interrupted: bool = False


def solve_weak(
    votes: PairwiseMatrix,
    *,
    tie_cost: float,
    consensus_tie_cost: float,
    deadline: Deadline,
    verify: bool,
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

    Returns
    -------
    Outcome
        Why it is not proved, where it is not, is for the caller to say.
    """
    began = monotonic()
    problem = WeakProblem.from_pairwise(votes, tie_cost, consensus_tie_cost)
    progress = _Progress(problem)
    deadline = deadline.later(-CERTIFYING * (monotonic() - began))
    levels = np.zeros(problem.n, dtype=np.intp)
    proofs: list[WeakProof] = []
    interrupted = False
    above = 0
    for part in groups(problem):
        solved = Solved(np.zeros(1, dtype=np.intp), ())
        if len(part) > 1:
            inside = problem.restrict(part)
            solved = _solve_part(inside, deadline, progress)
            progress.close_part(inside, solved)
            proofs.append(WeakProof(tuple(part.tolist()), moved_to(solved.nodes, part)))
        if solved.interrupted:
            interrupted = True
            deadline = Deadline.after(0)  # the parts that are left get a quick order each
        levels[part] = above + solved.levels
        above += len(part)
    certificate = WeakCertificate.build(
        votes, levels, proofs, tie_cost=tie_cost, consensus_tie_cost=consensus_tie_cost
    )
    if verify:
        certificate.verify(votes)
    return Outcome(
        ranking=certificate.ranking,
        certificate=certificate,
        optima=WeakOptima(items=votes.items, _problem=problem, _levels=levels),
        interrupted=interrupted and certificate.status != "optimal",
    )


def _solve_part(problem: WeakProblem, deadline: Deadline, progress: _Progress) -> Solved:
    begun: list[WeakSearch] = []
    with until_stopped() as stop:
        deadline.seconds_left()
        begun.append(WeakSearch(problem, deadline, progress.of_part(problem)))
        begun[0].run()
    if begun:
        return Solved(begun[0].levels, tuple(begun[0].nodes), stop.by_user)
    costs = Costs(problem.above.astype(np.float64), problem.tied.astype(np.float64))
    levels = best_buckets(costs, starting_orders(costs)[0])
    return Solved(levels, (Leaf(),), stop.by_user)


class _Progress:
    """Bounds on the cost of the whole, from those of the part that is being solved."""

    def __init__(self, problem: WeakProblem) -> None:
        self._problem = problem
        # What the parts solved so far cost above their floors.
        self._above = 0
        self._start = self._last = monotonic()
        self._part = problem

    def of_part(self, part: WeakProblem) -> _Progress:
        self._part = part
        return self

    def __call__(self, lower: int, upper: int) -> None:
        """Tell the bounds of the part, about once a second."""
        now = monotonic()
        if now - self._last < SECONDS_BETWEEN:
            return
        self._last = now
        base = self._problem.floor + self._above - self._part.floor
        best = base + upper
        LOGGER.info(
            "bound %.10g, best %.10g, gap %.3f %%, %.0f s (part of %d items)",
            self._problem.in_votes(base + lower),
            self._problem.in_votes(best),
            100 * (upper - lower) / best if best else 0.0,
            now - self._start,
            self._part.n,
        )

    def close_part(self, part: WeakProblem, solved: Solved) -> None:
        """Add what a finished part costs."""
        self._above += part.cost(solved.levels) - part.floor
