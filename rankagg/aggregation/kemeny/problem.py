"""The optimization problem in integers: find the order whose pairs cost least."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from rankagg._typing import Bools, Integers, Positions
from rankagg._validation import check_number
from rankagg.core import PairwiseMatrix, exact, row_blocks, sum_below

# Solvers take no costs of more digits.
LARGEST_SLOPE = 10**9

# What does not depend on the constant.
SHARED = ("costs", "margins", "step")


def as_share(tie_cost: float | Fraction) -> Fraction:
    """Return what a tied vote costs, 0 to 1, as a fraction."""
    if isinstance(tie_cost, Fraction) and 0 <= tie_cost <= 1:
        return tie_cost
    return exact.as_fraction(check_number(tie_cost, "tie_cost", low=0, high=1))


class PairCosts(ABC):
    """Integer costs of pairs, whose sums are what orders cost."""

    # What integers are divided by to be in votes.
    denominator: int

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of items."""

    @property
    @abstractmethod
    def floor(self) -> int:
        """No order costs less."""

    @property
    @abstractmethod
    def step(self) -> int:
        """The greatest common divisor of all differences between the costs of orders."""

    @property
    @abstractmethod
    def slopes(self) -> Integers:
        """What the cost gains where the statement of row and column holds."""

    @abstractmethod
    def restrict(self, part: Positions) -> Self:
        """Return the problem of some of the items."""

    @abstractmethod
    def cost(self, order: Positions) -> int:
        """Return the cost of an order."""

    @property
    def unit(self) -> int:
        """The step, or what keeps slopes below `LARGEST_SLOPE` where that is more."""
        largest = int(np.abs(self.slopes).max(initial=0))
        return max(self.step, largest // LARGEST_SLOPE, 1)

    def next_attainable(self, bound: Fraction) -> int:
        """Return the least cost that some order could have and that is not below `bound`."""
        if self.step == 0:
            return self.floor
        steps = -((self.floor - bound) // self.step)
        return self.floor + int(max(steps, 0)) * self.step

    def last_below(self, threshold: int) -> int:
        """Return the greatest cost below a threshold above the floor that an order could have."""
        if self.step == 0:
            return self.floor
        return self.floor + (threshold - 1 - self.floor) // self.step * self.step

    def in_votes(self, scaled: int) -> float:
        """Turn a scaled cost into votes."""
        return float(Fraction(scaled, self.denominator))


@dataclass(frozen=True, eq=False)
class Problem(PairCosts):
    """Integer costs of placing row before column.

    The cost of an order is `constant` plus the sum of `costs[i, j]` over all i before j, divided
    by `denominator` to be in votes.
    """

    # Shape (n, n). The costs, in a narrow type where that holds them; the diagonal is 0.
    stated: Integers
    # What every order pays: the votes that tie two items, at their cost.
    constant: int
    # What integers are divided by to be in votes.
    denominator: int

    @classmethod
    def from_pairwise(cls, votes: PairwiseMatrix, tie_cost: float | Fraction = 0.0) -> Problem:
        """State the Kemeny problem of pairwise votes."""
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
        return len(self.stated)

    @cached_property
    def costs(self) -> Integers:
        """The costs as int64, which holds any sum of them, or as Python integers."""
        kind = object if self.stated.dtype == object else np.int64
        return np.ascontiguousarray(self.stated, dtype=kind)

    @cached_property
    def margins(self) -> Integers:
        """Cost of row before column less the cost of the reverse."""
        return self.costs - self.costs.T

    @property
    def slopes(self) -> Integers:
        """The margins."""
        return self.margins

    def _margins_of_rows(self) -> Iterator[Integers]:
        """Yield the margins of some rows after the other, in the type of what is stated."""
        stated = self.stated
        return (stated[rows] - stated[:, rows].T for rows in row_blocks(self.n))

    @property
    def majority(self) -> Bools:
        """The pairs that are strictly cheaper in the order of row and column."""
        return np.concatenate([margins < 0 for margins in self._margins_of_rows()])

    @cached_property
    def floor(self) -> int:
        """The sum of the cheaper cost of each pair, with the constant: no order costs less."""
        # Of each pair half the sum less half the difference, and every pair stands there twice.
        apart = sum(exact.sum_of(np.abs(margins)) for margins in self._margins_of_rows())
        return (exact.sum_of(self.stated) - apart // 2) // 2 + self.constant

    @cached_property
    def step(self) -> int:
        """The greatest common divisor of all margins: costs of orders differ by multiples of it."""
        divisor = 0
        for margins in self._margins_of_rows():
            rest = margins % divisor if divisor else margins
            divisor = int(np.gcd.reduce(rest[rest != 0], initial=divisor))
            if divisor == 1:
                break
        return divisor

    def cost(self, order: Positions) -> int:
        """Return the cost of an order of the item positions, best first."""
        place = np.empty(self.n, dtype=np.intp)
        place[order] = np.arange(self.n, 0, -1)  # the first item has the largest
        return sum_below(self.stated, place) + self.constant

    def restrict(self, part: Positions) -> Problem:
        """Return the problem of some of the items, without the constant."""
        if len(part) == self.n and (np.diff(part) > 0).all():
            whole = Problem(self.stated, 0, self.denominator)
            # What is known of the same costs is not found again.
            known = {name: self.__dict__[name] for name in SHARED if name in self.__dict__}
            whole.__dict__.update(known)
            return whole
        return Problem(self.stated[np.ix_(part, part)], 0, self.denominator)
