"""The best order that a search has met, and its ways of looking for a better one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import heuristics
from rankagg.aggregation.kemeny.problem import Problem

__all__ = ["Incumbent"]

SEED = 0
PARENTS = 20
NOISE = 3.0
PATIENCE = 400

# A first good order is worth a moment more than there is.
GRACE = 0.25


class Incumbent:
    """The best order so far of one part, under what is decided about it.

    Parameters
    ----------
    problem : Problem
        The part.
    unit : int
        What margins are counted in, see `unit_of`.
    decided : ndarray of bool, shape (n, n)
        Pairs (row before column) that every order must respect, closed under transitivity.
    start : ndarray of int, shape (n,), optional
        An order that is likely to be good, instead of those that the votes suggest.
    deadline : Deadline
        When to look no further, give or take `GRACE` seconds.

    Attributes
    ----------
    order : ndarray of int
        As positions, best first.
    cost : int
        In the units of `Problem.costs`.
    """

    def __init__(
        self,
        problem: Problem,
        unit: int,
        decided: Bools,
        start: NDArray[np.intp] | None = None,
        deadline: Deadline = heuristics.NEVER,
    ) -> None:
        self._problem = problem
        self._decided = decided
        self._deadline = deadline.later(GRACE)
        self.margins = _biased_margins(problem, unit, decided)
        self._rng = np.random.default_rng(SEED)
        self._last_rounded: NDArray[np.intp] | None = None
        near = heuristics.starting_orders(self.margins) if start is None else [start]
        # The first order must be sound: one that respects what is decided.
        self.order = _extension(decided, near[0])
        self.cost = problem.cost(self.order)
        for candidate in (self.order, *near):
            self.offer(candidate)

    def offer(self, order: NDArray[np.intp]) -> None:
        """Improve an order by moves of single items, and keep it if it is the best so far."""
        improved = heuristics.improve(self.margins, order, self._deadline)
        if np.tril(self._decided[np.ix_(improved, improved)]).any():
            return
        cost = self._problem.cost(improved)
        if cost < self.cost:
            self.order, self.cost = improved, cost

    def round(self, before: Floats) -> None:
        """Offer the order of a fractional point's row sums."""
        order = np.argsort(-before.sum(axis=1), kind="stable")
        if self._last_rounded is None or not np.array_equal(order, self._last_rounded):
            self._last_rounded = order
            self.offer(order)

    def recombine(self, before: Floats) -> None:
        """Look for a better order among mixtures of those near a fractional point."""
        scores = before.sum(axis=1)
        noise = self._rng.normal(0.0, NOISE, (PARENTS, self._problem.n))
        parents = [
            heuristics.improve(self.margins, np.argsort(row), self._deadline)
            for row in noise - scores
        ]
        population = [self.order, *parents]
        self.offer(heuristics.evolve(self.margins, population, self._rng, PATIENCE, self._deadline))


def _biased_margins(problem: Problem, unit: int, decided: Bools) -> Floats:
    """Return margins in which no decided pair is worth turning round."""
    margins: Floats = (problem.margins / unit).astype(np.float64)
    penalty = float(np.abs(margins).sum()) + 1.0
    margins[decided] = -penalty
    margins[decided.T] = penalty
    return margins


def _extension(decided: Bools, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return an order that respects what is decided, near another one."""
    inside = decided[np.ix_(order, order)]
    # The first item that waits for none of those that are left comes next.
    waits = inside.sum(axis=0)
    result = np.empty_like(order)
    for place in range(len(order)):
        head = int(np.argmax(waits == 0))
        result[place] = order[head]
        waits -= inside[head]
        waits[head] = len(order)
    return result
