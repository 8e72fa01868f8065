"""Branch and bound where constraints decide pairs and demand rows; see `demands`.

Rows that constraints demand are in the relaxation from the start, and stay. Each has a column of
its own that makes up what it lacks, at a price above the cost of any order that is still looked
for. So a case that holds no order is one that costs too much, and its weights say so in the proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.orders import heuristics
from rankagg.aggregation.kemeny.orders.incumbent import Incumbent
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.demands import Demands
from rankagg.aggregation.kemeny.proofs.nodes import WEIGHT_DENOMINATOR, Leaf
from rankagg.aggregation.kemeny.proofs.rows import Derived
from rankagg.aggregation.kemeny.relaxation.highs import HighsRelaxation
from rankagg.aggregation.kemeny.relaxation.relaxation import Point, Relaxation
from rankagg.aggregation.kemeny.search.branch_and_bound import UNDECIDED, Search
from rankagg.kernels.insertion import insertion_gains

__all__ = ["ConstrainedSearch"]

# Moves that are tried after one another before an order counts as a local optimum.
TRIED = 4

# Kicks before the first relaxation, and how many items each moves.
SEED, KICKS, STRENGTH = 0, 40, 3

NOTHING = Demands()


class FeasibleIncumbent(Incumbent):
    """The best order that keeps to counts too: with every marker in its place."""

    def __init__(
        self,
        problem: Problem,
        unit: int,
        decided: Bools,
        start: NDArray[np.intp],
        *,
        demands: Demands,
        deadline: Deadline,
    ) -> None:
        self._demands = demands
        super().__init__(problem, unit, decided, start, deadline)

    def _improved(self, order: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return a better order that keeps to all, or the best one where this one does not."""
        items = self._demands.unmarked(order)
        if not self._demands.counts_hold(items):
            return self.order
        while not self._deadline.is_over:
            better = self._better(items)
            if better is None:
                break
            items = better
        return self._demands.marked(items)

    def _better(self, items: NDArray[np.intp]) -> NDArray[np.intp] | None:
        """Return the order after a good move of one item, or of two that change places."""
        n = len(items)
        permuted = self.margins[np.ix_(items, items)]
        for gains, route in (
            (insertion_gains(permuted), heuristics.moved),
            (_exchange_gains(permuted), _exchanged),
        ):
            best = np.argsort(-gains, axis=None, kind="stable")[: TRIED * n]
            for move in best[gains.ravel()[best] > self._threshold].tolist():
                neighbor = items[route(n, *divmod(move, n))]
                if self._demands.counts_hold(neighbor):
                    return neighbor
        return None

    def _keep(self, order: NDArray[np.intp]) -> None:
        items = self._demands.unmarked(order)
        if self._demands.counts_hold(items):
            super()._keep(self._demands.marked(items))

    def recombine(self, before: Floats) -> None:
        """Do nothing: mixtures do not keep to constraints."""

    def prepare(self) -> None:
        """Kick the order out of local optima some times, and keep what is no worse."""
        rng = np.random.default_rng(SEED)
        items = self._demands.unmarked(self.order)
        cost = self.cost
        for _ in range(KICKS):
            if self._ends.is_over:
                return
            near = heuristics.kicked(items, rng, STRENGTH)
            if not self._demands.counts_hold(near):
                continue
            order = self._improved(self._demands.marked(near))
            self._keep(order)
            new = self._problem.cost(order)
            # What is decided outweighs all costs in the margins, and so in the moves.
            if new <= cost and self.cost <= new:
                items, cost = self._demands.unmarked(order), new

    def search(self) -> None:
        """Do nothing, as `prepare`."""


def _exchange_gains(permuted: NDArray[Any]) -> NDArray[Any]:
    """Return how much cheaper the order gets when the items at places p < q change places.

    Both pass each other, and all items between.
    """
    rows, columns = np.cumsum(permuted, axis=1), np.cumsum(permuted, axis=0)
    gains: NDArray[Any] = np.triu(
        rows - rows.diagonal()[:, None] + columns.diagonal()[None, :] - columns, k=1
    )
    return gains


def _exchanged(n: int, first: int, second: int) -> NDArray[np.intp]:
    """Return the positions in the order in which they stand after two have changed places."""
    route = np.arange(n)
    route[[first, second]] = second, first
    return route


class ElasticRelaxation(HighsRelaxation):
    """A relaxation in which rows that constraints demand can be bought off."""

    def __init__(self, problem: Problem, rows: Sequence[Derived], price: float) -> None:
        super().__init__(problem)
        if not rows:
            return
        self._price = price
        self.derive(rows)
        self.n_kept = len(rows)
        one = np.ones(1)
        for row in range(len(rows)):
            at = np.array([row], dtype=np.int32)
            self._highs.addCol(price, 0.0, float("inf"), 1, at, one)
        self._pair_of = np.concatenate([self._pair_of, np.full(len(rows), -1, dtype=np.int32)])

    def solve(self, deadline: Deadline) -> Point:
        """Solve; the value of the point has the price of what was bought off."""
        point = super().solve(deadline)
        if not self.n_kept:
            return point
        columns = np.array(self._highs.getSolution().col_value)
        lacking = float(columns[self._pair_of < 0].sum())
        return replace(point, value=point.value + self._price * lacking)


@dataclass
class ConstrainedSearch(Search):
    """The state of a search under constraints.

    Attributes
    ----------
    start : ndarray of int, shape (n,)
        An order that keeps to all of them, with markers.
    decided : ndarray of bool, shape (n, n)
        The pairs that they decide.
    demands : Demands
        Of which only the counts are looked at.
    """

    demands: Demands = NOTHING

    def _first_order(self, decided: Bools) -> Incumbent:
        if not self.demands:
            return super()._first_order(decided)  # it keeps to pairs by itself
        assert self.start is not None, "a search under constraints starts where they are kept"
        return FeasibleIncumbent(
            self.problem, self._unit, decided, self.start,
            demands=self.demands, deadline=self.deadline,
        )  # fmt: skip

    def _begin(self) -> Relaxation:
        given = self.demands.rows(self.problem.n - len(self.demands.places))
        rows = [Derived(((1, row),)) for row in given]
        price = (self.upper - self.problem.floor) // self._unit + 2
        return ElasticRelaxation(self.problem, rows, float(price))

    def _weigh(self, weighed: Floats, undecided: Floats) -> None:
        """Decide first who is within the places that are counted: that decides many pairs."""
        n = self.problem.n - len(self.demands.places)
        weighed[:, n:] += undecided[:, n:] > UNDECIDED

    def _only(self, order: NDArray[np.intp]) -> Leaf:
        """Return what bounds the only order of a case: where it breaks a demand, that row."""
        if self.demands.counts_hold(self.demands.unmarked(order)) and np.array_equal(
            order, self.demands.marked(self.demands.unmarked(order))
        ):
            return super()._only(order)
        place = np.argsort(order)
        weight = (self.upper - self.problem.floor) * WEIGHT_DENOMINATOR
        for number, row in enumerate(self.demands.rows(len(self.demands.unmarked(order)))):
            if sum(place[i] < place[j] for i, j in row.arcs) < row.least:
                return Leaf(rows=((number, weight),))
        raise AssertionError("an order that breaks no row keeps to all counts")
