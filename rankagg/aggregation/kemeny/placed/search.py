"""Finding a cheapest list: wider and wider beams, until one of them has left nothing out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.kemeny.orders import heuristics
from rankagg.aggregation.kemeny.placed.enumeration import enumerate_below, first_bound, widest
from rankagg.aggregation.kemeny.placed.exchanges import keys
from rankagg.aggregation.kemeny.placed.problem import PlacedProblem
from rankagg.aggregation.kemeny.solution import Report

__all__ = ["Searched", "search"]

# Beginnings that the first beam keeps, and how much wider each is than the one before it.
NARROW, WIDER = 64, 16

# A list is long that has more than one in so many items.
LONG = 2

NEVER = Deadline()


@dataclass(frozen=True, eq=False)
class Searched:
    """A list, and what no list costs less than.

    Attributes
    ----------
    placed : ndarray of int, shape (k,)
        The positions on the first places.
    bound : int
        Scaled.
    interrupted : bool
        True where the user stopped it.
    is_full : bool
        True where it ended for lack of room.
    """

    placed: NDArray[np.intp]
    bound: int
    interrupted: bool = False
    is_full: bool = False


def search(problem: PlacedProblem, deadline: Deadline, report: Report) -> Searched:
    """Look for a cheapest list, and prove that none is cheaper.

    Parameters
    ----------
    problem : PlacedProblem
        The problem.
    deadline : Deadline
        When to end, with the bound that is proved by then verified once more.
    report : callable
        Told bound and cost as they change.

    Returns
    -------
    Searched
    """
    began = monotonic()
    bound = first_bound(problem, NEVER)
    # Verifying starts with it, too.
    deadline = deadline.later(-2 * (monotonic() - began))
    placed = min(_starts(problem, deadline.share(4)), key=problem.cost)
    cost = problem.cost(placed)
    bound = min(bound, cost)
    is_full = False
    with until_stopped() as stop:
        for power in count():
            report(bound, cost)
            if bound == cost or is_full:
                break
            width = NARROW * WIDER**power
            # To verify a bound takes no longer than to find it.
            found = enumerate_below(problem, cost, deadline.share(2), width)
            if found.placed is not None:
                placed = found.placed
                cost = problem.cost(placed)
            bound = max(bound, min(found.bound, cost))
            is_full = width >= widest(problem.n) and not found.is_complete
    return Searched(placed, bound, stop.by_user, is_full and bound < cost)


def _starts(problem: PlacedProblem, deadline: Deadline) -> list[NDArray[np.intp]]:
    """Return good lists: by single sums, these in a better order, and the best of all items."""
    order = keys(problem.gains)
    first = order[: problem.k]
    margins = (problem.gains - problem.gains.T).astype(np.float64)
    inside = heuristics.improve(margins[np.ix_(first, first)], np.arange(problem.k), deadline)
    lists = [first, first[inside]]
    if LONG * problem.k > problem.n:  # Kemeny's ranking begins much like the list
        lists.append(heuristics.improve(margins, order, deadline)[: problem.k])
    return lists
