"""The optimization problem in integers: find the order whose pairs cost least.

For up to twenty items, dynamic programming over all subsets is exact without any solver. best[S] is
the least cost of an order of the items in S; the last of them pays for all pairs with the others
(Lawler 1964, "A comment on minimum feedback arc sets", IEEE Transactions on Circuit Theory 11,
after the recursions of Bellman and of Held and Karp). It is an independent oracle for the solvers,
counts the optima in a block, and proves bounds if linear relaxations are weak.

Reordering a window of consecutive items changes no other pairs. So disjoint windows are solved
together in the same way, with the windows as a second axis. Then they slide by half of their width,
until no window gets cheaper.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Integers64, Positions
from rankagg._validation import check_number
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.core import PairwiseMatrix, exact, row_blocks, sum_below
from rankagg.core.graphs import ordered_parts
from rankagg.exceptions import InvalidInputError

# Largest cost that solvers handle.
LARGEST_SLOPE = 10**9

# Attributes that do not depend on the constant.
SHARED = ("costs", "margins", "step")

#: 2**20 subsets of 8 bytes, and as many bits of work per item.
ENUMERABLE = 20


def as_share(tie_cost: float | Fraction) -> Fraction:
    """Return the cost of a tied vote, 0 to 1, as a fraction."""
    if isinstance(tie_cost, Fraction) and 0 <= tie_cost <= 1:
        return tie_cost
    return exact.as_fraction(check_number(tie_cost, "tie_cost", low=0, high=1))


class PairCosts(ABC):
    """Integer costs of pairs; the cost of an order is their sum."""

    # The divisor that converts integers to votes.
    denominator: int

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of items."""

    @property
    @abstractmethod
    def floor(self) -> int:
        """Simple lower bound of all orders."""

    @property
    @abstractmethod
    def step(self) -> int:
        """The greatest common divisor of all differences between the costs of orders."""

    @property
    @abstractmethod
    def slopes(self) -> Integers:
        """Change of the cost if the statement of row and column holds."""

    @abstractmethod
    def restrict(self, part: Positions) -> Self:
        """Return the problem of some of the items."""

    @abstractmethod
    def cost(self, order: Positions) -> int:
        """Return the cost of an order."""

    @property
    def unit(self) -> int:
        """The step, or more if needed to keep slopes below `LARGEST_SLOPE`."""
        return max(self.step, int(np.abs(self.slopes).max(initial=0)) // LARGEST_SLOPE, 1)

    def next_attainable(self, bound: Fraction) -> int:
        """Return the least attainable cost that is at least `bound`."""
        if self.step == 0:
            return self.floor
        steps = -((self.floor - bound) // self.step)
        return self.floor + int(max(steps, 0)) * self.step

    def last_below(self, threshold: int) -> int:
        """Return the greatest attainable cost below a threshold above the floor."""
        if self.step == 0:
            return self.floor
        return self.floor + (threshold - 1 - self.floor) // self.step * self.step

    def in_votes(self, scaled: int) -> float:
        """Convert a scaled cost to votes."""
        return float(Fraction(scaled, self.denominator))


@dataclass(frozen=True, eq=False)
class Problem(PairCosts):
    """Integer costs of placing row before column.

    The cost of an order is `constant` plus the sum of `costs[i, j]` over all i before j, divided
    by `denominator` to be in votes.
    """

    # Shape (n, n). The costs, in a narrow type if it holds them; the diagonal is 0.
    narrow: Integers
    # Cost common to all orders: the votes that tie two items, times their cost.
    constant: int
    # The divisor that converts integers to votes.
    denominator: int

    @classmethod
    def from_pairwise(cls, votes: PairwiseMatrix, tie_cost: float | Fraction = 0.0) -> Problem:
        """Return the Kemeny problem of pairwise votes."""
        share = as_share(tie_cost)
        wins, ties, denominator = votes.lowest_terms
        tied = exact.sum_of(np.triu(ties, k=1)) if share else 0
        costs = wins.T
        if share.denominator > 1:
            costs = exact.narrow(exact.multiply(costs, share.denominator))
        return cls(costs, tied * share.numerator, denominator * share.denominator)

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.narrow)

    @cached_property
    def costs(self) -> Integers:
        """The costs as int64, which holds all their sums, or as Python integers."""
        kind = object if self.narrow.dtype == object else np.int64
        return np.ascontiguousarray(self.narrow, dtype=kind)

    @cached_property
    def margins(self) -> Integers:
        """Cost of row before column minus the cost of the reverse."""
        return self.costs - self.costs.T

    @property
    def slopes(self) -> Integers:
        """The margins."""
        return self.margins

    def _margin_blocks(self) -> Iterator[Integers]:
        """Yield the margins in blocks of rows, in the narrow type."""
        costs = self.narrow
        return (costs[rows] - costs[:, rows].T for rows in row_blocks(self.n))

    @property
    def majority(self) -> Bools:
        """The pairs that strictly prefer row before column."""
        return np.concatenate([margins < 0 for margins in self._margin_blocks()])

    def components(self) -> list[Positions]:
        """Return the strong components of the strict majority relation, best first.

        An arc goes from i to j if placing i before j is strictly cheaper. Some optimal order puts
        the components one after the other, each in its own optimal order; ties between components
        are free (Truchon 1998, "An extension of the Condorcet criterion and Kemeny orders"). That
        holds for some optimum, not for all.
        """
        return ordered_parts(self.majority)

    @cached_property
    def floor(self) -> int:
        """The sum of the cheaper cost of each pair, plus the constant: a lower bound."""
        # The minimum is half the sum minus half the difference, and every pair occurs twice.
        apart = sum(exact.sum_of(np.abs(margins)) for margins in self._margin_blocks())
        return (exact.sum_of(self.narrow) - apart // 2) // 2 + self.constant

    @cached_property
    def step(self) -> int:
        """The greatest common divisor of all margins; costs of orders differ by its multiples."""
        divisor = 0
        for margins in self._margin_blocks():
            rest = margins % divisor if divisor else margins
            divisor = int(np.gcd.reduce(rest[rest != 0], initial=divisor))
            if divisor == 1:
                break
        return divisor

    def cost(self, order: Positions) -> int:
        """Return the cost of an order of the item positions, best first."""
        place = np.empty(self.n, dtype=np.intp)
        place[order] = np.arange(self.n, 0, -1)  # the first item gets the largest number
        return sum_below(self.narrow, place) + self.constant

    def restrict(self, part: Positions) -> Problem:
        """Return the problem of some of the items, without the constant."""
        if len(part) == self.n and (np.diff(part) > 0).all():
            same = Problem(self.narrow, 0, self.denominator)
            # Share cached attributes of the same costs.
            cached = {name: self.__dict__[name] for name in SHARED if name in self.__dict__}
            same.__dict__.update(cached)
            return same
        return Problem(self.narrow[np.ix_(part, part)], 0, self.denominator)


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
        """Cost of placing each item behind each subset, not counting itself."""
        n, costs = self._problem.n, self._problem.costs
        tables: NDArray[Any] = np.zeros((n, 1 << n), dtype=costs.dtype)
        for other in range(n):
            self._deadline.seconds_left()
            size = 1 << other
            np.add(tables[:, :size], costs[other][:, None], out=tables[:, size : 2 * size])
        return tables

    @cached_property
    def best(self) -> Integers:
        """The least cost of each subset; the bits of a subset's number are its items."""
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
        """Return the items that are last in some optimal order of a subset."""
        best, costs = self.best, self._last_costs
        rests = {i: subset ^ 1 << i for i in range(self._problem.n) if subset >> i & 1}
        return [i for i, rest in rests.items() if best[rest] + costs[i, rest] == best[subset]]

    def positions(self) -> Bools:
        """Return which items have which places in some optimal order, shape (n, n)."""
        n = self._problem.n
        table = np.zeros((n, n), dtype=bool)
        # Subsets that begin some optimal order, from the full set down.
        begins = np.zeros(1 << n, dtype=bool)
        begins[-1] = True
        for subsets in reversed(_by_size(n)):
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
        """Return the number of optimal orders, which fits 64 bits for `ENUMERABLE` items."""
        n = self._problem.n
        ways = np.zeros(1 << n, dtype=np.int64)
        ways[0] = 1
        for subsets in _by_size(n):
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
        stack: list[tuple[int, tuple[int, ...]]] = [((1 << self._problem.n) - 1, ())]
        while stack:
            self._deadline.seconds_left()
            subset, tail = stack.pop()
            if not subset:
                yield np.array(tail, dtype=np.intp)
                continue
            for item in self._last_items(subset):
                stack.append((subset ^ 1 << item, (item, *tail)))


def _by_size(n: int) -> list[Integers64]:
    """Return the non-empty subsets of n items, grouped by size."""
    subsets = np.arange(1 << n, dtype=np.int64)
    sizes = np.zeros(1 << n, dtype=np.int64)
    for item in range(n):
        sizes += subsets >> item & 1
    order = np.argsort(sizes, kind="stable")
    return np.split(subsets[order], np.searchsorted(sizes[order], np.arange(1, n + 1)))[1:]


def _each_size(n: int) -> Iterator[tuple[Integers64, Positions]]:
    """Yield the subsets of each size from 1 with their items, one row per subset."""
    for size, subsets in enumerate(_by_size(n), 1):
        holds = (subsets[:, None] >> np.arange(n) & 1) > 0
        yield subsets, np.nonzero(holds)[1].reshape(-1, size)


@lru_cache(maxsize=10)
def _few_items(n: int) -> list[tuple[Integers64, Positions]]:
    return list(_each_size(n))


def improve_windows(
    problem: Problem, order: Positions, deadline: Deadline = NEVER, width: int = 12
) -> Positions:
    """Improve an order by windows of consecutive items until none helps, or the deadline."""
    order = order.copy()
    n = problem.n
    width = min(width, n)
    if width < 2:
        return order
    last = n - width
    groups = [np.arange(start, last + 1, width) for start in (0, width // 2)] + [np.array([last])]
    dry = turn = 0
    while dry < len(groups) and not deadline.is_over:
        cheaper = _improve_at(problem, order, groups[turn % len(groups)], width, deadline)
        dry = 0 if cheaper else dry + 1
        turn += 1
    return order


def _improve_at(
    problem: Problem, order: Positions, starts: Positions, width: int, deadline: Deadline
) -> bool:
    """Sort disjoint windows optimally in place; return whether one became cheaper."""
    is_cheaper = False
    size = max(1, 2**22 // (width << width))  # of all tables
    for at in range(0, len(starts), size):
        if deadline.is_over:
            break
        places = starts[at : at + size, None] + np.arange(width)
        items = order[places]
        costs = problem.costs[items[:, :, None], items[:, None, :]]
        best = _best_orders(costs)
        better = np.flatnonzero(_window_costs(costs, best) < np.triu(costs, k=1).sum(axis=(1, 2)))
        order[places[better]] = np.take_along_axis(items[better], best[better], axis=1)
        is_cheaper = is_cheaper or len(better) > 0
    return is_cheaper


def _window_costs(costs: NDArray[Any], orders: Positions) -> NDArray[Any]:
    """Return the cost of an order of each window."""
    window = np.arange(len(costs))[:, None, None]
    sorted_costs = costs[window, orders[:, :, None], orders[:, None, :]]
    return np.asarray(np.triu(sorted_costs, k=1).sum(axis=(1, 2)))


def _best_orders(costs: NDArray[Any]) -> Positions:
    """Return a best order of each window, given costs of shape (windows, width, width)."""
    windows, width, _ = costs.shape
    subsets = np.arange(1 << width)
    # Cost of each item behind each subset.
    behind = np.zeros((width, 1 << width, windows), dtype=costs.dtype)
    for item in range(width):
        for other in range(width):
            half = 1 << other
            step = costs[:, other, item] if other != item else 0
            behind[item, half : 2 * half] = behind[item, :half] + step
    best = np.zeros((1 << width, windows), dtype=costs.dtype)
    last = np.zeros((1 << width, windows), dtype=np.int8)
    for group in _by_size(width):
        is_first = np.ones(len(group), dtype=bool)
        for item in range(width):
            holds = (group >> item & 1).astype(bool)
            subset = group[holds]
            rest = subset ^ (1 << item)
            cost = best[rest] + behind[item, rest]
            better = is_first[holds, None] | (cost < best[subset])
            best[subset] = np.where(better, cost, best[subset])
            last[subset] = np.where(better, np.int8(item), last[subset])
            is_first[holds] = False
    orders = np.empty((windows, width), dtype=np.intp)
    left = np.full(windows, subsets[-1])
    for place in range(width - 1, -1, -1):
        orders[:, place] = last[left, np.arange(windows)]
        left ^= 1 << orders[:, place]
    return orders
