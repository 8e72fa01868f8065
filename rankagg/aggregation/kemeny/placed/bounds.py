"""What a list costs at least, of which the first places are known.

For weights of 1 on the first m of the places that are left, and 0 behind them, let T be the m
items on these. Every item of T pays for all items that are left, which counts pairs within T in
both orders: one of the two is taken back, at most the dearer one. Half of it is taken from each of
the two items, so an item x pays at least

    2 * (what x costs above all that are left) - (its m - 1 dearest pairs with them)

halves, and the m items that pay least bound the sum. Other weights are a sum of such ones, times
the steps from place to place. Only items that may be on these places count as the other of a pair.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.placed.problem import PlacedProblem

__all__ = ["Bounds"]

# Numbers that are looked at in one go.
CELLS = 2**22


class Bounds:
    """The bounds of one problem, with some items alone on the first k places.

    Parameters
    ----------
    problem : PlacedProblem
        The problem of all items.
    items : ndarray of int, shape (r,)
        Positions of those that may be on the first k places; k at least.

    Attributes
    ----------
    gains : ndarray of int, shape (r, r)
        Those of the items among each other.
    rest : ndarray of int, shape (r,)
        What each costs above all other items of the problem.
    """

    def __init__(self, problem: PlacedProblem, items: NDArray[np.intp]) -> None:
        self._problem = problem
        self.gains: Integers = problem.gains[np.ix_(items, items)]
        self.rest: Integers = problem.gains[items].sum(axis=1)
        r = len(items)
        off = ~np.eye(r, dtype=bool)
        others = np.broadcast_to(np.arange(r), (r, r))[off].reshape(r, -1)
        dearer = np.maximum(self.gains, self.gains.T)[off].reshape(r, -1)
        falling = np.argsort(-dearer, axis=1, kind="stable")
        self._others = np.take_along_axis(others, falling, axis=1)
        self._dearer = np.take_along_axis(dearer, falling, axis=1)

    def least(self, used: Bools, spent: Integers, rest: Integers, deadline: Deadline) -> Integers:
        """Return twice what lists with known beginnings cost at least, without the constant.

        Parameters
        ----------
        used : ndarray of bool, shape (m, r)
            The items on the first places, the same number in each row.
        spent : ndarray of int, shape (m,)
            What these cost.
        rest : ndarray of int, shape (m, r)
            What every other item costs above all that are left.
        deadline : Deadline
            Raises `OutOfTimeError` where it passes.

        Returns
        -------
        ndarray of int, shape (m,)
        """
        found = 2 * spent
        if not len(used):
            return found
        placed = int(used[0].sum())
        size = max(1, CELLS // used.shape[1] ** 2)
        for start in range(0, len(used), size):
            deadline.seconds_left()
            rows = slice(start, start + size)
            for step, number, payments in self._payments(placed, used[rows], rest[rows]):
                payments.sort(axis=1)
                cheapest = payments[:, :number].sum(axis=1)
                found[rows] += self._problem.weighed(cheapest, step)
        return found

    def with_each(self) -> Integers:
        """Return twice what lists cost at least that have an item on a place; shape (r,)."""
        r = len(self.rest)
        used = np.zeros((1, r), dtype=bool)
        total = self._problem.weighed(np.zeros_like(self.rest), 1)
        for step, number, payments in self._payments(0, used, self.rest[None]):
            (row,) = payments
            cheapest = np.sort(row)[:number]
            paid = np.full_like(row, cheapest.sum())
            if number == self._problem.k:
                # Who is not among the cheapest takes the place of the dearest of them.
                paid += np.maximum(row - cheapest[-1], 0)
            total += self._problem.weighed(paid, step)
        return total

    def _payments(
        self, placed: int, used: Bools, rest: Integers
    ) -> Iterator[tuple[int, int, Integers]]:
        """Yield each step to come, its number of places left, and what every item left pays."""
        if placed >= self._problem.k:
            return
        which, item = np.nonzero(~used)
        left = used.shape[1] - placed
        is_left = ~used[which[:, None], self._others[item]]
        pairs = self._dearer[item][is_left].reshape(len(which), left - 1)
        twice = 2 * rest[which, item]
        taken, done = np.zeros_like(twice), 0
        for place, step in self._problem.steps:
            number = place - placed
            if number < 1:
                continue
            taken = taken + pairs[:, done : number - 1].sum(axis=1)
            done = number - 1
            yield step, number, (twice - taken).reshape(len(used), left)
