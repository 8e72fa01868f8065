"""Dynamic programming over all subsets: exact without any solver, for about twenty items.

best[S] is the least cost of an order of the items in S; the last of them pays for all pairs with
the others. An independent oracle for the solvers, the counter of optima in a block, and a way to
prove a bound where linear relaxations are weak by construction.

References
----------
Lawler (1964), "A comment on minimum feedback arc sets", IEEE Transactions on Circuit Theory 11
(with Bellman's and Held and Karp's recursions before it).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Integers64, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.exceptions import InvalidInputError

#: 2**20 subsets of 8 bytes, and as many bits of work per item.
ENUMERABLE = 20


class SubsetTable:
    """The least cost of every subset of the items."""

    def __init__(self, problem: Problem, deadline: Deadline = NEVER) -> None:
        if problem.n > ENUMERABLE:
            allowed, remedy = f"at most {ENUMERABLE}", "The other backends have no such limit."
            raise InvalidInputError("items of subset-dp", allowed, problem.n, remedy)
        self._problem = problem
        self._deadline = deadline

    @cached_property
    def _last_costs(self) -> Integers:
        """For each item, the cost of placing it behind each subset (itself left out)."""
        n, costs = self._problem.n, self._problem.costs
        tables: NDArray[Any] = np.zeros((n, 1 << n), dtype=costs.dtype)
        for other in range(n):
            self._deadline.seconds_left()
            size = 1 << other
            np.add(tables[:, :size], costs[other][:, None], out=tables[:, size : 2 * size])
        return tables

    @cached_property
    def best(self) -> Integers:
        """The least cost of each subset, which is a number whose bits are its items."""
        n = self._problem.n
        best: NDArray[Any] = np.zeros(1 << n, dtype=self._problem.costs.dtype)
        for subsets, items in _few_items(n) if n <= 10 else _each_size(n):
            self._deadline.seconds_left()
            rest = subsets[:, None] ^ (1 << items)
            best[subsets] = (best[rest] + self._last_costs[items, rest]).min(axis=1)
        return best

    @property
    def cost(self) -> int:
        """The least cost of an order of all items, without the problem's constant."""
        return int(self.best[-1])

    def order(self) -> Positions:
        """Return one optimal order."""
        subset = (1 << self._problem.n) - 1
        backwards = []
        while subset:
            item = next(iter(self._last_items(subset)))
            backwards.append(item)
            subset ^= 1 << item
        return np.array(backwards[::-1], dtype=np.intp)

    def _last_items(self, subset: int) -> list[int]:
        """Return the items that stand last in some optimal order of a subset."""
        items = [i for i in range(self._problem.n) if subset >> i & 1]
        return [i for i in items if self._with_last(subset, i) == self.best[subset]]

    def _with_last(self, subset: int, item: int) -> int:
        rest = subset ^ 1 << item
        return int(self.best[rest] + self._last_costs[item][rest])

    def positions(self) -> Bools:
        """Return which items stand at which places of some optimal order, shape (n, n)."""
        n = self._problem.n
        table = np.zeros((n, n), dtype=bool)
        # The items before some place of an optimal order, from all of them down.
        begins = np.zeros(1 << n, dtype=bool)
        begins[-1] = True
        for subsets in reversed(by_size(n)):
            for item in range(n):
                self._deadline.seconds_left()
                bit = 1 << item
                holding = subsets[begins[subsets] & ((subsets & bit) > 0)]
                rest = holding ^ bit
                last = self.best[rest] + self._last_costs[item][rest] == self.best[holding]
                begins[rest[last]] = True
                if last.any():
                    table[item, int(holding[0]).bit_count() - 1] = True
        return table

    def count(self) -> int:
        """Return the number of optimal orders; it fits 64 bits for `ENUMERABLE` items."""
        n = self._problem.n
        ways = np.zeros(1 << n, dtype=np.int64)
        ways[0] = 1
        for subsets in by_size(n):
            for item in range(n):
                self._deadline.seconds_left()
                bit = 1 << item
                holding = subsets[(subsets & bit) > 0]
                rest = holding ^ bit
                optimal = self.best[rest] + self._last_costs[item][rest] == self.best[holding]
                ways[holding[optimal]] += ways[rest[optimal]]
        return int(ways[-1])

    def orders(self) -> Iterator[Positions]:
        """Yield every optimal order."""
        n = self._problem.n
        stack: list[tuple[int, tuple[int, ...]]] = [((1 << n) - 1, ())]
        while stack:
            self._deadline.seconds_left()
            subset, tail = stack.pop()
            if not subset:
                yield np.array(tail, dtype=np.intp)
                continue
            for item in self._last_items(subset):
                stack.append((subset ^ 1 << item, (item, *tail)))

    def second(self) -> int | None:
        """Return the least cost above the best that some order has; None where there is none."""
        n = self._problem.n
        beyond = int(np.abs(self._problem.costs).sum(dtype=object)) + 1  # more than any order costs
        runner: NDArray[Any] = np.full(1 << n, beyond, dtype=self.best.dtype)
        for subsets in by_size(n):
            least: NDArray[Any] = np.full(len(subsets), beyond, dtype=self.best.dtype)
            for item in range(n):
                self._deadline.seconds_left()
                bit = 1 << item
                holds = (subsets & bit) > 0
                rest = np.where(holds, subsets ^ bit, 0)
                price = self._last_costs[item][rest]
                for table in (self.best, runner):
                    cost = table[rest] + price
                    fits = holds & (table[rest] < beyond) & (cost > self.best[subsets])
                    least = np.where(fits & (cost < least), cost, least)
            runner[subsets] = least
        return None if runner[-1] >= beyond else int(runner[-1])


def by_size(n: int) -> list[Integers64]:
    """Return the non-empty subsets of n items, grouped by size."""
    subsets = np.arange(1 << n, dtype=np.int64)
    sizes = np.zeros(1 << n, dtype=np.int64)
    for item in range(n):
        sizes += subsets >> item & 1
    order = np.argsort(sizes, kind="stable")
    cuts = np.searchsorted(sizes[order], np.arange(1, n + 1))
    return np.split(subsets[order], cuts)[1:]


def _each_size(n: int) -> Iterator[tuple[Integers64, Positions]]:
    """Yield the subsets of each size from 1 with their items, a row per subset."""
    for size, subsets in enumerate(by_size(n), 1):
        holds = (subsets[:, None] >> np.arange(n) & 1) > 0
        yield subsets, np.nonzero(holds)[1].reshape(-1, size)


@lru_cache(maxsize=10)
def _few_items(n: int) -> list[tuple[Integers64, Positions]]:
    return list(_each_size(n))
