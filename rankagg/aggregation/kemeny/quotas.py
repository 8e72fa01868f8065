"""Orders that keep to counts of places: how groups merge, and which pairs must be turned round.

Items that no count tells apart are a group. Whatever the order within each group is, the cheapest
merge of all that keeps to the counts is found by dynamic programming over how many of each group
are placed. So an order that breaks counts still leads to one that keeps to them.

A fractional point has its groups in some order, too. Rows that it violates most are about the last
of the items that a count asks for and the first of all others, so many of each as it takes; then
each side is chosen again as the best one for the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Positions
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import orders
from rankagg.aggregation.kemeny.constraints import Demands
from rankagg.aggregation.kemeny.incumbent import Incumbent
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.check_certificate import Derived
from rankagg.kernels.insertion import insertion_gains

Order = Positions

# Ways to place some of each group, beyond which orders are not merged.
MERGED_UP_TO = 2**18


class _Merges:
    """All ways to merge groups that keep to counts: how many of each are placed."""

    def __init__(self, demands: Demands, n: int) -> None:
        self._counts = demands.counts
        # Whether each count, line by line, asks for each item.
        self._asked = np.array([np.isin(np.arange(n), count.items) for count in self._counts])
        self._group = np.unique(self._asked, axis=1, return_inverse=True)[1].reshape(-1)
        self.groups = [np.flatnonzero(self._group == at) for at in range(self._group.max() + 1)]
        self._shape = np.bincount(self._group) + 1
        self.is_possible = int(np.prod(self._shape, dtype=object)) <= MERGED_UP_TO
        if not self.is_possible:
            return
        # A column for each way, that of nothing first; then by how many are placed in all.
        self._placed = np.indices(self._shape.tolist()).reshape(len(self._shape), -1)
        total = self._placed.sum(axis=0)
        self._layers = np.split(np.argsort(total, kind="stable"), np.cumsum(np.bincount(total)))
        self._allowed = np.ones(len(total), dtype=bool)
        for count, asked in zip(self._counts, self._asked, strict=True):
            inside = self._placed[np.unique(self._group[asked])].sum(axis=0)
            self._allowed &= (total != count.within) | (inside >= count.at_least)

    def cheapest(self, margins: NDArray[Any], order: Order) -> Order:
        """Return the order that costs least, of those with the order within each group."""
        groups = [order[self._group[order] == group] for group in range(len(self._shape))]
        placed, steps = self._placed, self._shape[::-1].cumprod()[::-1] // self._shape
        paid = np.zeros(placed.shape)
        for at, group in enumerate(groups):
            for other in range(len(groups)):
                # What the last one placed pays for all those of another group that are not.
                later = np.zeros((len(group), len(groups[other]) + 1))
                if other != at:
                    pairs = margins[np.ix_(group, groups[other][::-1])]
                    later[:, :-1] = pairs.cumsum(axis=1)[:, ::-1]
                paid[at] += later[placed[at] - 1, placed[other]]
            paid[at, placed[at] == 0] = np.inf
        least, last = np.full(placed.shape[1], np.inf), np.zeros(placed.shape[1], dtype=np.intp)
        least[0] = 0.0
        for layer in self._layers[1:-1]:
            costs = paid[:, layer] + least[layer - steps[:, None]]
            last[layer] = np.argmin(costs, axis=0)
            least[layer] = np.where(self._allowed[layer], costs.min(axis=0), np.inf)
        found, way = [], placed.shape[1] - 1
        while way:
            group = last[way]
            found.append(groups[group][placed[group, way] - 1])
            way -= steps[group]
        return np.array(found[::-1], dtype=np.intp)

    def moves(self, order: Order) -> tuple[Bools, Bools]:
        """Return which moves from a place to another keep to counts, and which exchanges."""
        moves, exchanges = np.ones((2, len(order), len(order)), dtype=bool)
        for count, asked in zip(self._counts, self._asked[:, order].astype(int), strict=True):
            k = count.within
            spare = asked[:k].sum() - count.at_least
            if k < len(order):  # the items on both sides of the end of the places move over
                moves[:k, k:] &= (spare - asked[:k] + asked[k] >= 0)[:, None]
                moves[k:, :k] &= (spare + asked[k:] - asked[k - 1] >= 0)[:, None]
                exchanges[:k, k:] &= spare - asked[:k, None] + asked[k:] >= 0
        return moves, exchanges


# How often an order is kicked, and by how many items.
KICKS, STRENGTH = 10, 3


class FeasibleIncumbent(Incumbent):
    """The best order that keeps to counts too."""

    def __init__(
        self,
        problem: Problem,
        unit: int,
        decided: Bools,
        start: Order,
        *,
        demands: Demands,
        deadline: Deadline,
    ) -> None:
        self._demands = demands
        self._merges = _Merges(demands, problem.n)
        super().__init__(problem, unit, decided, start, deadline)

    @property
    def groups(self) -> list[Order]:
        """Items that no count tells apart; none where there are too many ways to merge them."""
        return self._merges.groups if self._merges.is_possible else []

    def _improved(self, order: Order) -> Order:
        """Return a better order that keeps to counts, or the best one where none is found."""
        order = self._merged(order)
        while not self._deadline.is_over:
            better = self._better(order)
            if better is None:
                break
            order = better
        return order

    def _merged(self, order: Order) -> Order:
        if self._merges.is_possible:
            return self._merges.cheapest(self.margins, order)
        return order if self._demands.counts_hold(order) else self.order

    def _better(self, order: Order) -> Order | None:
        """Return the order after the best move of one item, or of two that change places."""
        permuted = self.margins[np.ix_(order, order)]
        moves, exchanges = self._merges.moves(order)
        for gains, allowed, route in (
            (insertion_gains(permuted), moves, orders.moved),
            (_exchange_gains(permuted), exchanges, orders.exchanged),
        ):
            first, second = divmod(int(np.where(allowed, gains, 0).argmax()), len(order))
            if allowed[first, second] and gains[first, second] > self._threshold:
                return order[route(len(order), first, second)]
        return None

    def _keep(self, order: Order) -> None:
        if self._demands.counts_hold(order):
            super()._keep(order)

    def recombine(self, before: Floats) -> None:
        """Do nothing: mixtures do not keep to constraints."""

    def prepare(self) -> None:
        """Merge good orders; kick the best out of local optima, and keep what is no worse."""
        for order in orders.starting_orders(self.margins):
            self.offer(super()._improved(order))
        rng = np.random.default_rng(0)
        order, cost = self.order, self.cost
        for _ in range(KICKS):
            if self.ends.is_over:
                return
            near = self._improved(orders.kicked(order, rng, STRENGTH))
            self._keep(near)
            new = self._problem.cost(near)
            # What is decided outweighs all costs in the margins, and so in the moves.
            if new <= cost and self.cost <= new:
                order, cost = near, new

    def search(self, proved: int | None = None) -> None:
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


# How many rows a round takes, by how much a point must violate one, and how often sides are chosen.
ROWS, VIOLATION, TURNS = 20, 1e-3, 4


@dataclass(frozen=True, eq=False)
class Sides:
    """Some items that counts ask for, and all others."""

    demands: Demands
    upper: Order
    lower: Order

    @classmethod
    def of(cls, demands: Demands, n: int) -> list[Sides]:
        """Return the sides of each list of items that counts name."""
        named = dict.fromkeys(tuple(sorted(count.items)) for count in demands.counts)
        uppers = [np.array(items, dtype=np.intp) for items in named if len(items) < n]
        return [cls(demands, upper, np.setdiff1d(np.arange(n), upper)) for upper in uppers]

    @cached_property
    def _least(self) -> Integers64:
        """How many pairs are turned at least, by how many are looked at below and above."""
        n_upper, n_lower = len(self.upper), len(self.lower)
        behind = np.zeros((n_lower + 1, n_upper + 1), dtype=np.int64)
        for count in self.demands.counts:
            if len(count.items) == n_upper and set(count.items) == set(self.upper.tolist()):
                inside = np.arange(n_upper + 1) - n_upper + count.at_least
                most = count.within - count.at_least + 1
                behind[most:] = np.maximum(behind[most:], inside)
        return behind.cumsum(axis=0)

    def row(self, upper: Order, lower: Order) -> Derived:
        """Return the row about some of the items of each side."""
        return Derived(((1, self.demands.ahead(upper.tolist(), lower.tolist())),))

    def violated(self, before: Floats) -> list[Derived]:
        """Return rows that a point violates, the most violated first."""
        turned, least = before[np.ix_(self.upper, self.lower)], self._least
        ranks = np.argsort(np.argsort(-before[self.lower].sum(axis=1), kind="stable"))
        below = ranks <= np.arange(len(ranks))[:, None]
        for _ in range(TURNS):
            above = _chosen(below @ turned.T, least[below.sum(axis=1)])
            below = _chosen(above @ turned, least.T[above.sum(axis=1)])
        above, below = np.split(np.unique(np.hstack([above, below]), axis=0), [len(turned)], axis=1)
        n_above, n_below = above.sum(axis=1), below.sum(axis=1)
        lacks = least[n_below, n_above] - ((above @ turned) * below).sum(axis=1)
        best = np.argsort(-lacks / np.sqrt(n_above * n_below), kind="stable")[:ROWS]
        best = best[lacks[best] > VIOLATION]
        return [self.row(self.upper[above[at]], self.lower[below[at]]) for at in best]


def _chosen(turned: Floats, least: Integers64) -> Bools:
    """Return the items of one side, so many that what they lack is most, one or more; line by line.

    `turned` has what each counts, and `least` how much no, one, two, ... of them count at least.
    """
    ranked = np.argsort(turned, axis=1, kind="stable")
    lacks = least[:, 1:] - np.take_along_axis(turned, ranked, axis=1).cumsum(axis=1)
    chosen = np.zeros(turned.shape, dtype=bool)
    last = np.argmax(lacks, axis=1)[:, None]
    np.put_along_axis(chosen, ranked, np.arange(turned.shape[1]) <= last, axis=1)
    return chosen
