"""One of all optimal orders, drawn so that it does not matter which of them a solver met.

A solver returns the optimum that it happens to meet first: one near where it started, or one that
has the items in the order of their numbers. Counted over many problems, that is a preference for
some items which the votes do not have. Here the votes and chance alone decide: a random ranking
settles the open pairs one by one, in random order, each as the ranking has it if some optimum that
agrees with the pairs before has it so. What comes out depends on the set of optima and on the
random numbers, and on nothing else.

Few of these questions are asked of a solver: the order at hand, moved towards the ranking at no
cost, answers most of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.aggregation.kemeny.branch_and_bound import Search
from rankagg.aggregation.kemeny.optimal_relation import FEW
from rankagg.aggregation.kemeny.persistency import closed
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import decide
from rankagg.aggregation.kemeny.subset_dp import SubsetTable
from rankagg.core.arithmetic import exact
from rankagg.core.graphs import connected_parts

__all__ = ["draw_optimum"]

Order = NDArray[np.intp]

NEVER = Deadline()


def draw_optimum(
    problem: Problem,
    order: Order,
    always: Bools,
    rng: np.random.Generator,
    deadline: Deadline = NEVER,
) -> Order:
    """Return an optimal order that does not depend on the one that is known."""
    n = problem.n
    rank = rng.permutation(n)
    wanted = rank[:, None] < rank[None, :]
    turn = rng.permutation(n * n).reshape(n, n)
    draw = _Draw(problem, order, always, wanted, deadline)
    draw.settle(np.where(np.triu(wanted | wanted.T), turn, turn.T))
    return draw.order


class _Draw:
    """The optimum that is left when all pairs are settled."""

    def __init__(
        self, problem: Problem, order: Order, always: Bools, wanted: Bools, deadline: Deadline
    ) -> None:
        self._problem, self._deadline = problem, deadline
        self._wanted = wanted
        # Pairs that all optima have that are left; the order at hand is one of these.
        self._settled = always
        self.order = order

    def settle(self, turns: NDArray[np.intp]) -> None:
        """Settle all pairs, those with the least number first."""
        while True:
            self._deadline.seconds_left()
            self._approach()
            pair = self._settle_until(turns)
            if pair is None:
                return
            self._ask(*pair)

    def _settle_until(self, turns: NDArray[np.intp]) -> tuple[int, int] | None:
        """Settle the pairs up to the first that the order at hand does not have as wanted."""
        place = np.argsort(self.order)
        ahead = place[:, None] < place[None, :]
        left = ~(self._settled | self._settled.T) & self._wanted
        against = left & ~ahead
        if not against.any():
            return None
        next_turn = np.where(against, turns, turns.size)
        first, second = divmod(int(next_turn.argmin()), len(turns))
        sooner = closed(self._settled | (left & (turns < turns[first, second])))
        assert sooner is not None, "the order at hand has all of them"
        self._settled = sooner
        return first, second

    def _ask(self, first: int, second: int) -> None:
        """Settle a pair as wanted if some optimum that is left has it so, else the other way."""
        case = decide(self._settled, first, second)
        if case is None:
            return  # it follows from the pairs before
        # The items that open pairs connect stand together, and their order matters to no other.
        block = connected_parts(~(self._settled | self._settled.T))
        where = np.flatnonzero(block[self.order] == block[first])
        items = self.order[where]
        found = self._solved(self._problem.restrict(items), case[np.ix_(items, items)])
        if found is None:
            case = decide(self._settled, second, first)
            assert case is not None, "the order at hand has it so"
        else:
            self.order = self.order.copy()
            self.order[where] = items[found]
        self._settled = case

    def _solved(self, problem: Problem, case: Bools) -> Order | None:
        """Return an order of a case that costs no more than that of the items, if there is one."""
        best = problem.cost(np.arange(problem.n))
        if problem.n <= FEW:
            # What is settled outweighs all costs.
            much = exact.sum_of(np.abs(problem.costs)) + 1
            costs = exact.combine(problem.costs, 1, case.T.astype(np.int64), 2 * much)
            table = SubsetTable(Problem(exact.fit(costs), 0, 1), self._deadline)
            return table.order() if table.cost <= best else None
        search = Search(problem, self._deadline, decided=case)
        search.run(until=best + 1, known=best)
        if search.upper <= best:
            return search.order
        assert search.lower > best, "a search ends with an order or a proof"
        return None

    def _approach(self) -> None:
        """Move single items, at no cost, to where more pairs are as wanted."""
        n = self._problem.n
        settled = self._settled * n**2
        second = np.where(self._settled | self._settled.T, settled, self._wanted)
        # The first cost outweighs the second; where floats cannot tell, the order stays.
        margins = self._problem.margins.astype(np.float64) * n**4 + (second.T - second)
        found = heuristics.improve(margins, self.order, self._deadline)
        place = np.argsort(found)
        broken = (self._settled & (place[:, None] > place[None, :])).any()
        if not broken and self._problem.cost(found) == self._problem.cost(self.order):
            self.order = found
