"""The best order that a search has met, and its ways of looking for a better one."""

from __future__ import annotations

from time import monotonic

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.orders import heuristics
from rankagg.aggregation.kemeny.orders.memetic import LARGE, Memetic
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.kernels.local_search import Numbers

__all__ = ["SHARE", "Incumbent", "extension"]

SEED = 0
PARENTS = 20
NOISE = 3.0
PATIENCE = 400

# A first good order is worth a moment more than there is, and of more time one part in three.
GRACE, FIRST_SHARE = 0.25, 3

#: Of the time, for the memetic search beside the relaxation; the documentation states it.
SHARE = 0.2
#: Of the time there is, where the first relaxation is expected to take more than all of it.
HOPELESS = 0.5
#: Seconds that are worth beginning with: most problems are solved before they owe so much.
LEAST = 0.02
#: What the first relaxation takes about: so many seconds for each square of n and each pair that
#: the order puts against its majority; it needs about so many rounds. Within a factor of five.
EXPECTED, ROUNDS = 5e-7, 20
#: Without a limit, no more than so many seconds before the first relaxation.
LONGEST = 10.0
#: Seconds of a step in NumPy, and of each margin that it adds up.
STEP, ADDITION = 2e-5, 5e-9
#: Margins between two looks at the clock.
CHUNK = 300_000
#: Loading the compiled loops may take so many seconds, compiling them for the first time included.
LOADING = 5.0


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
    margins : ndarray of int64 or float64, shape (n, n)
        Costs of row before column less those of the reverse, in units; what is decided is worth
        more than everything else.
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
        self._decided = decided if decided.any() else None
        self._ends = deadline
        first = deadline if deadline.is_over else deadline.share(FIRST_SHARE)
        self._deadline = first.later(GRACE)
        self.margins = _biased_margins(problem, unit, decided)
        self._threshold = heuristics.threshold_of(self.margins)
        # Matrices of moves are quicker where they are small.
        self._floats = self.margins.astype(np.float64) if problem.n <= LARGE else None
        self._rng = np.random.default_rng(SEED)
        self._last_rounded: NDArray[np.intp] | None = None
        near = heuristics.starting_orders(self.margins) if start is None else [start]
        # The first order must be sound: one that respects what is decided.
        self.order = extension(decided, near[0])
        self.cost = problem.cost(self.order)
        self._memetic: Memetic | None = None
        self._began, self._used = monotonic(), 0.0
        self._expected, self._owed = 0.0, 0.0
        for candidate in (self.order, *near):
            self.offer(candidate)
        self._deadline = deadline.later(GRACE)

    @property
    def steps(self) -> int:
        """Steps that the memetic search has taken, over all its orders."""
        return 0 if self._memetic is None else self._memetic.steps

    def offer(self, order: NDArray[np.intp]) -> None:
        """Improve an order by moves of single items, and keep it if it is the best so far."""
        self._keep(self._improved(order))

    def _improved(self, order: NDArray[np.intp]) -> NDArray[np.intp]:
        if self._floats is None:
            return heuristics.descend(self.margins, order, self._deadline, self._threshold)
        return heuristics.improve(self._floats, order, self._deadline)

    def _keep(self, order: NDArray[np.intp]) -> None:
        if self._decided is not None and np.tril(self._decided[np.ix_(order, order)]).any():
            return
        cost = self._problem.cost(order)
        if cost < self.cost:
            self.order, self.cost = order, cost

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
        parents = [self._improved(np.argsort(row)) for row in noise - scores]
        population = [self.order, *parents]
        margins = self.margins if self._floats is None else self._floats
        self.offer(heuristics.evolve(margins, population, self._rng, PATIENCE, self._deadline))

    # -- the memetic search --------------------------------------------------------------------

    def prepare(self) -> None:
        """Search before the first relaxation, in proportion to what that is expected to take.

        Where there is a limit that it will hardly keep, `HOPELESS` of the time goes here.
        """
        n = self._problem.n
        if SHARE * EXPECTED * n**4 / 2 < LEAST:  # however tangled
            return
        self._expected = EXPECTED * _against(self.margins, self.order) * n * n
        left = self._ends.time_limit
        if left is None:
            self._search_as_if(SHARE * min(self._expected, LONGEST))
        else:
            hopeless = self._expected > left
            self._search_for(HOPELESS * left if hopeless else SHARE * self._expected)

    def search(self) -> None:
        """Search for what is owed of the share since the last time.

        With a limit that is a share of the seconds that have passed. Without one it is a share of
        what relaxations are expected to take, so that the work is the same each time.
        """
        if self._ends.time_limit is None:
            self._owed += SHARE * self._expected / ROUNDS
            if self._owed >= LEAST:
                self._search_as_if(self._owed)
                self._owed = 0.0
        else:
            self._search_for(SHARE * (monotonic() - self._began) - self._used)

    def _search_for(self, seconds: float) -> None:
        """Search for some seconds."""
        if seconds < LEAST:
            return
        is_first = self._memetic is None
        self._begun.to_come = self._steps_in(seconds)
        if is_first and not self._ends.is_over:
            self._advance(self._chunk)  # loading compiled loops is not of the share
        began = now = monotonic()
        while now - began < seconds and not self._ends.is_over:
            self._advance(self._chunk)
            now = monotonic()
        self._used += now - began

    def _search_as_if(self, seconds: float) -> None:
        """Take as many steps as NumPy takes in some seconds."""
        if seconds < LEAST:
            return
        steps = self._begun.to_come = self._steps_in(seconds)
        while steps > 0:
            self._advance(min(steps, self._chunk))
            steps -= self._chunk

    def _steps_in(self, seconds: float) -> int:
        """Return how many steps NumPy takes in some seconds."""
        return int(seconds / (STEP + ADDITION * self._problem.n * self._begun.size))

    @property
    def _chunk(self) -> int:
        return max(1, CHUNK // (self._begun.size * self._problem.n))

    @property
    def _begun(self) -> Memetic:
        if self._memetic is None:
            rng = np.random.default_rng(SEED)
            self._memetic = Memetic(self.margins, self.order[None], rng, self._threshold)
        return self._memetic

    def _advance(self, steps: int) -> None:
        search = self._begun
        left = self._ends.time_limit
        search.may_load = left is None or left > LOADING
        before = search.cost
        search.advance(steps)
        if search.cost < before:
            self._keep(search.order)


def _against(margins: Numbers, order: NDArray[np.intp]) -> int:
    """Return how many pairs an order has against their majorities: how tangled they are."""
    pairs = 0
    for start in range(0, len(order), LARGE):
        rows = margins[np.ix_(order[start : start + LARGE], order[start:])]
        pairs += int(np.count_nonzero(np.triu(rows > 0)))
    return pairs


def _biased_margins(problem: Problem, unit: int, decided: Bools) -> Numbers:
    """Return margins in which no decided pair is worth turning round."""
    margins: Numbers
    if unit == 1 and problem.margins.dtype == np.int64:
        margins = problem.margins
    elif problem.step % unit == 0:
        margins = (problem.margins // unit).astype(np.int64)
    else:
        margins = (problem.margins / unit).astype(np.float64)
    if decided.any():
        penalty = np.abs(margins).sum().item() + 1
        # Sums along a row must fit.
        fits = len(margins) * penalty < np.iinfo(np.int64).max
        margins = margins.copy() if fits else margins.astype(np.float64)
        margins[decided] = -penalty
        margins[decided.T] = penalty
    return margins


def extension(decided: Bools, order: NDArray[np.intp]) -> NDArray[np.intp]:
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
