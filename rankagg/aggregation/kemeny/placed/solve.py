"""From votes to the cheapest list, with its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from time import monotonic

from rankagg.aggregation.base import Outcome
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.placed.certificate import PlacedCertificate
from rankagg.aggregation.kemeny.placed.problem import PlacedProblem
from rankagg.aggregation.kemeny.placed.search import Searched, search
from rankagg.aggregation.kemeny.progress import Listener, Progress
from rankagg.core.votes.pairwise import PairwiseMatrix

__all__ = ["solve_placed"]

# What the certificate takes, in times that the problem takes to be stated.
CERTIFYING = 4


def solve_placed(
    votes: PairwiseMatrix,
    weights: Sequence[Fraction],
    *,
    tie_cost: float,
    consensus_tie_cost: float,
    deadline: Deadline,
    verify: bool,
    listener: Listener | None = None,
) -> Outcome:
    """Solve the problem of pairwise votes among lists.

    Parameters
    ----------
    votes : PairwiseMatrix
        The votes.
    weights : sequence of Fraction
        One for each place, none larger than the one before it, all above 0.
    tie_cost, consensus_tie_cost : float
        What a vote that ties two items costs where the list does not, and what one that orders
        two costs where the list ties them.
    deadline : Deadline
        When to stop with the best list so far and its bound.
    verify : bool
        Whether to check the certificate before it is returned.
    listener : callable, optional
        See `Progress`.

    Returns
    -------
    Outcome
    """
    began = monotonic()
    problem = PlacedProblem.from_pairwise(votes, weights, tie_cost, consensus_tie_cost)
    # Making the certificate and verifying it takes some times as long as this.
    deadline = deadline.later(-CERTIFYING * (monotonic() - began))
    progress = Progress(problem, listener)
    found = search(problem, deadline, progress.of_part(problem))
    certificate = PlacedCertificate.build(
        votes, found.placed, found.bound, weights=weights, tie_cost=tie_cost,
        consensus_tie_cost=consensus_tie_cost, problem=problem,
    )  # fmt: skip
    if verify:
        certificate._check(votes)
    is_open = certificate.status != "optimal"
    return Outcome(
        ranking=certificate.ranking,
        certificate=certificate,
        notes=(_why(found, progress.is_stopped),) if is_open else (),
        interrupted=found.interrupted and is_open,
    )


def _why(found: Searched, is_stopped: bool) -> str:
    """Say why a list is not proved."""
    if found.interrupted:
        return "interrupted: the best list so far, not proved optimal"
    if is_stopped:
        return "stopped by `on_progress`: the best list so far, not proved optimal"
    if found.is_full:
        return "not proved optimal: there are more beginnings of lists than memory is used for"
    return "not proved optimal in time"
