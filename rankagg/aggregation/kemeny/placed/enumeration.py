"""Going through all beginnings of lists, but for those that bounds rule out: a proof, and a search.

A beginning is the set of items on the first places, with the cheapest order of them that was seen:
what follows pays for what is left, whatever the order before it. One item more at a time, a
beginning is left out

* where an item would come before one that some best list has above it (`exchanges`),
* where no list with this beginning costs less than the bound that is to be proved (`bounds`).

Where no list is left at the end, none costs less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.placed.bounds import Bounds
from rankagg.aggregation.kemeny.placed.exchanges import contenders
from rankagg.aggregation.kemeny.placed.problem import PlacedProblem

__all__ = ["Found", "enumerate_below", "first_bound", "widest"]

# Numbers that a layer of beginnings may hold, and those that come in one go.
CELLS = 2**23
AT_ONCE = 2**20
WORD = 64


@dataclass(frozen=True, eq=False)
class Found:
    """What came of going through the beginnings.

    Attributes
    ----------
    bound : int
        What no list costs less than, scaled.
    placed : ndarray of int, shape (k,), or None
        The cheapest list seen that costs less than was asked for; None where there is none.
    is_complete : bool
        Whether no beginning was dropped for lack of room.
    """

    bound: int
    placed: NDArray[np.intp] | None
    is_complete: bool = True


@dataclass(frozen=True, eq=False)
class Layer:
    """Beginnings with the same number of items.

    Attributes
    ----------
    used : ndarray of bool, shape (m, r)
        Their items.
    spent : ndarray of int, shape (m,)
        What the items cost in the cheapest order seen.
    rest : ndarray of int, shape (m, r)
        What each item costs above all that are left.
    parent, last : ndarray of int, shape (m,)
        The row in the layer before, and the item that was added.
    least : ndarray of int, shape (m,)
        Twice what lists with this beginning cost at least.
    """

    used: Bools
    spent: Integers
    rest: Integers
    parent: NDArray[np.int32]
    last: NDArray[np.int32]
    least: Integers

    def take(self, rows: NDArray[Any]) -> Layer:
        """Return some rows."""
        return Layer(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def first_bound(problem: PlacedProblem, deadline: Deadline) -> int:
    """Return what no list costs less than, before anything is known of it; scaled."""
    items = np.arange(problem.n)
    return _first(problem, Bounds(problem, items), deadline)


def widest(n: int) -> int:
    """Return how many beginnings of n items a layer may hold."""
    return max(CELLS // max(n, 1), 1)


def enumerate_below(
    problem: PlacedProblem, below: int, deadline: Deadline, width: int | None = None
) -> Found:
    """Look for lists that cost less than a number, and prove that there are none.

    Parameters
    ----------
    problem : PlacedProblem
        The problem.
    below : int
        Scaled; only lists that cost less are looked for.
    deadline : Deadline
        Raises `OutOfTimeError` where it passes.
    width : int, optional
        How many beginnings of one length are kept, those with the least bounds; by default as many
        as there is room for.

    Returns
    -------
    Found
    """
    if not problem.k or first_bound(problem, deadline) >= below:
        return Found(below, None)
    target = 2 * (below - problem.constant)
    items, above = contenders(problem.gains, problem.k, deadline)
    while True:
        if len(items) < problem.k:
            return Found(below, None)
        bounds = Bounds(problem, items)
        kept = bounds.with_each() < target
        if kept.all():
            break
        items, above = items[kept], above[np.ix_(kept, kept)]
    room = widest(len(items))
    walk = _Walk(problem, items, above, bounds, target=target, width=min(width or room, room))
    return walk.run(deadline)


def _first(problem: PlacedProblem, bounds: Bounds, deadline: Deadline) -> int:
    used = np.zeros((1, len(bounds.rest)), dtype=bool)
    nothing = problem.weighed(np.zeros_like(bounds.rest[:1]), 1)
    (twice,) = bounds.least(used, nothing, bounds.rest[None], deadline)
    return problem.constant + _half(int(twice))


def _half(twice: int) -> int:
    """Return half of what costs at least are known of, as costs are integers."""
    return -(-twice // 2)


class _Walk:
    """One way through the layers."""

    def __init__(
        self, problem: PlacedProblem, items: NDArray[np.intp], above: Bools, bounds: Bounds, *,
        target: int, width: int,
    ) -> None:  # fmt: skip
        self._problem, self._items, self._bounds = problem, items, bounds
        self._above = above.astype(np.float32)
        self._target, self._width = target, width
        self._dropped: int | None = None

    def run(self, deadline: Deadline) -> Found:
        r = len(self._items)
        none = self._problem.weighed(np.zeros_like(self._bounds.rest[:1]), 1)
        start = np.zeros(1, dtype=np.int32)
        layer = Layer(
            np.zeros((1, r), dtype=bool), none, self._bounds.rest[None], start, start, none
        )
        trail: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        for weight in self._problem.weights:
            layer = self._next(layer, weight, deadline)
            trail.append((layer.parent, layer.last))
            if not len(layer.spent):
                break
        ends = [] if self._dropped is None else [self._dropped]
        placed = None
        if len(layer.spent):
            row = int(np.argmin(layer.spent))
            ends.append(2 * int(layer.spent[row]))
            placed = self._traced(trail, row)
        twice = min([*ends, self._target])
        bound = self._problem.constant + _half(twice)
        return Found(bound, placed, self._dropped is None)

    def _traced(
        self, trail: list[tuple[NDArray[np.int32], NDArray[np.int32]]], row: int
    ) -> NDArray[np.intp]:
        backwards = []
        for parent, last in reversed(trail):
            backwards.append(int(last[row]))
            row = int(parent[row])
        return self._items[backwards[::-1]]

    def _next(self, layer: Layer, weight: int, deadline: Deadline) -> Layer:
        """Return the beginnings with one item more."""
        r = layer.used.shape[1]
        size = max(1, AT_ONCE // r**2)
        grown: list[Layer] = []
        n_grown = 0
        for start in range(0, len(layer.spent), size):
            deadline.seconds_left()
            part = self._grown(layer, slice(start, start + size), weight, deadline)
            grown.append(part)
            n_grown += len(part.spent)
            if n_grown > 2 * self._width:
                grown = [self._kept(grown)]
                n_grown = len(grown[0].spent)
        return self._kept(grown)

    def _grown(self, layer: Layer, rows: slice, weight: int, deadline: Deadline) -> Layer:
        used = layer.used[rows]
        waits = (~used).astype(np.float32) @ self._above > 0
        which, item = np.nonzero(~used & ~waits)
        parent = which + rows.start
        spent = layer.spent[parent] + self._problem.weighed(layer.rest[parent, item], weight)
        now = layer.used[parent]
        now[np.arange(len(item)), item] = True
        first = _cheapest(now, spent)
        parent, item, spent, now = parent[first], item[first], spent[first], now[first]
        rest = layer.rest[parent] - self._bounds.gains[:, item].T
        least = self._bounds.least(now, spent, rest, deadline)
        whole = Layer(now, spent, rest, parent.astype(np.int32), item.astype(np.int32), least)
        return whole.take(np.flatnonzero(least < self._target))

    def _kept(self, grown: list[Layer]) -> Layer:
        """Return each beginning once, in its cheapest order, and the most promising ones alone."""
        layer = grown[0]
        if len(grown) > 1:
            names = layer.__dataclass_fields__
            layer = Layer(*(np.concatenate([getattr(g, name) for g in grown]) for name in names))
            layer = layer.take(_cheapest(layer.used, layer.spent))
        if len(layer.spent) <= self._width:
            return layer
        order = np.argsort(layer.least, kind="stable")
        dropped = int(layer.least[order[self._width]])
        self._dropped = dropped if self._dropped is None else min(self._dropped, dropped)
        return layer.take(order[: self._width])


def _cheapest(used: Bools, spent: Integers) -> NDArray[np.intp]:
    """Return a row of each set of items: one that costs least."""
    if not len(used):
        return np.zeros(0, dtype=np.intp)
    bits = np.packbits(used, axis=1)
    spare = -bits.shape[1] % (WORD // 8)
    words = np.ascontiguousarray(np.pad(bits, ((0, 0), (0, spare)))).view(np.uint64)
    by_cost = np.argsort(spent, kind="stable")
    order = by_cost[np.lexsort(words[by_cost].T)]
    placed = words[order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (placed[1:] != placed[:-1]).any(axis=1)
    return order[is_first]
