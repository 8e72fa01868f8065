"""Whether constraints can be kept at all, and which of them contradict each other.

Let y[i, k] be 1 where item i is within the first k places, for every k that a constraint names.
Sets of k items that grow with k, of which no item lacks one that must be above it, are all that an
order needs: it takes the items set by set. Where some constraints may be broken, a number for each
item that grows along all pairs "above" that are kept holds the rest of the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.programs.integer_program import IntegerProgram
from rankagg.aggregation.kemeny.proofs.demands import Count, Demands
from rankagg.core.items import ItemSet, listed
from rankagg.exceptions import InfeasibleError

__all__ = ["Above", "Within", "conflict", "levels", "parts_of", "require_possible"]

NEVER = Deadline()


@dataclass(frozen=True)
class Above:
    """One item is above another."""

    first: int
    second: int

    def words(self, items: ItemSet) -> str:
        """Say it with the names of the items."""
        return f"{items[self.first]} above {items[self.second]}"


@dataclass(frozen=True)
class Within:
    """At least so many of some items are within the first places, or the last."""

    items: tuple[int, ...]
    within: int
    at_least: int
    at_the_end: bool = False

    def words(self, items: ItemSet) -> str:
        """Say it with the names of the items."""
        names = listed(items.at(self.items))
        place = "last" if self.at_the_end else "first"
        where = f"the {place} {self.within}" if self.within > 1 else place
        if self.at_least == len(self.items):
            return f"{names} within {where}" if self.within > 1 else f"{names} {where}"
        return f"{self.at_least} of {names} within {where}"

    def as_count(self, n: int) -> Count:
        """Return the same of the first places: what is at the end leaves few others there."""
        if not self.at_the_end:
            return Count(self.items, self.within, self.at_least)
        others = tuple(i for i in range(n) if i not in self.items)
        # Of the places before the last ones, the items themselves take what is left to them.
        return Count(others, n - self.within, n - self.within - len(self.items) + self.at_least)


Part = Above | Within


def parts_of(demands: Demands) -> list[Part]:
    """Return constraints one by one: what is said of several items, for each of them."""
    parts: list[Part] = [Above(*pair) for pair in demands.above]
    for some, at_the_end in ((demands.first, False), (demands.last, True)):
        parts += [Within((i,), len(some), 1, at_the_end) for i in some]
    for count in demands.counts:
        if count.at_least == len(count.items):
            parts += [Within((i,), count.within, 1) for i in count.items]
        else:
            parts.append(Within(count.items, count.within, count.at_least))
    return list(dict.fromkeys(parts))


class _Program:
    """Sets of first places that keep to some constraints, or to most of them."""

    def __init__(
        self, n: int, parts: list[Part], *, soft: bool, wanted: NDArray[np.intp] | None = None
    ) -> None:
        counts = [part.as_count(n) for part in parts if isinstance(part, Within)]
        self._n = n
        self._program = program = IntegerProgram()
        self.places = sorted({count.within for count in counts if count.within > 0})
        cost = np.argsort(np.arange(n) if wanted is None else wanted).tolist()
        self._inside = {
            place: [
                int(program.columns([1], cost=0 if wanted is None else cost[i])[0])
                for i in range(n)
            ]
            for place in self.places
        }
        for at, place in enumerate(self.places):
            columns = self._inside[place]
            program.at_least(dict.fromkeys(columns, 1), place)
            program.at_least(dict.fromkeys(columns, -1), -place)
            if at:
                for lower, upper in zip(self._inside[self.places[at - 1]], columns, strict=True):
                    program.at_least({upper: 1, lower: -1}, 0)
        self.broken = program.columns([1] * len(parts), cost=1) if soft else None
        heights = program.columns([n - 1] * n, whole=False) if soft else None
        for number, part in enumerate(parts):
            may = None if self.broken is None else int(self.broken[number])
            if isinstance(part, Above):
                for columns in self._inside.values():
                    self._demand({columns[part.first]: 1, columns[part.second]: -1}, 0, 1, may)
                if heights is not None:
                    up, down = int(heights[part.first]), int(heights[part.second])
                    self._demand({down: 1, up: -1}, 1, n, may)
            else:
                count = part.as_count(n)
                if count.within:
                    columns = self._inside[count.within]
                    kept = {columns[i]: 1 for i in count.items}
                    self._demand(kept, count.at_least, max(count.at_least, 0), may)

    def _demand(self, row: dict[int, int], least: int, slack: int, may: int | None) -> None:
        """Add a row, which need not hold where the constraint may be broken, and is."""
        self._program.at_least(row if may is None else {**row, may: slack}, least)

    def keep(self, number: int) -> None:
        """Demand one of the constraints."""
        assert self.broken is not None, "all are kept already"
        self._program.fix(int(self.broken[number]), 0)

    def solve(self, deadline: Deadline) -> NDArray[np.int64] | None:
        return self._program.solve(deadline).values

    def levels(self, values: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return how many of the sets leave out each item."""
        found = np.zeros(self._n, dtype=np.intp)
        for columns in self._inside.values():
            found += values[columns] == 0
        return found


def levels(
    demands: Demands, n: int, wanted: NDArray[np.intp], deadline: Deadline = NEVER
) -> NDArray[np.intp] | None:
    """Return a level for each item: orders that go level by level, and keep pairs, keep to all.

    Parameters
    ----------
    demands : Demands
        Whose pairs do not contradict each other.
    n : int
        The number of items.
    wanted : ndarray of int, shape (n,)
        An order, from which sums of places differ least.
    deadline : Deadline
        When to give up with `OutOfTimeError`.

    Returns
    -------
    ndarray of int, shape (n,), or None
        None where there is no order that keeps to all.
    """
    program = _Program(n, parts_of(demands), soft=False, wanted=wanted)
    if not program.places:
        return np.zeros(n, dtype=np.intp)
    values = program.solve(deadline)
    return None if values is None else program.levels(values)


def conflict(demands: Demands, n: int, deadline: Deadline = NEVER) -> list[Part]:
    """Return a smallest set of constraints that no order keeps together.

    Every set that breaks too few for the rest to be kept must be hit: a smallest set that hits all
    that are known is either in conflict, and then no smaller one is, or can be kept by breaking
    others, which make one more set.

    Parameters
    ----------
    demands : Demands
        That no order keeps to.
    n : int
        The number of items.
    deadline : Deadline
        When to give up with `OutOfTimeError`.

    Returns
    -------
    list of Above and Within

    References
    ----------
    Ignatiev, Previti, Liffiton and Marques-Silva (2015),
    https://doi.org/10.1007/978-3-319-23219-5_13.
    """
    parts = parts_of(demands)
    hitting = IntegerProgram()
    chosen = hitting.columns([1] * len(parts), cost=1)
    while True:
        picked = hitting.solve(deadline).values
        assert picked is not None, "all constraints together hit every set"
        some = np.flatnonzero(picked[chosen])
        program = _Program(n, parts, soft=True)
        for number in some.tolist():
            program.keep(number)
        values = program.solve(deadline)
        if values is None:
            return [parts[number] for number in some]
        assert program.broken is not None
        broken = np.flatnonzero(values[program.broken])
        hitting.at_least({int(chosen[number]): 1 for number in broken}, 1)


def require_possible(
    demands: Demands, items: ItemSet, wanted: NDArray[np.intp], deadline: Deadline = NEVER
) -> NDArray[np.intp]:
    """Return a level for each item, see `levels`.

    Raises
    ------
    InfeasibleError
        If no ranking keeps to all constraints; the message names a smallest set in conflict.
    """
    n = len(items)
    found = None if demands.decided(n) is None else levels(demands, n, wanted, deadline)
    if found is None:
        words = tuple(part.words(items) for part in conflict(demands, n, deadline))
        raise InfeasibleError(
            "No ranking keeps all constraints: "
            + (f"{'; '.join(words)} contradict each other, and no smaller set of them does."
               if len(words) > 1 else f"{words[0]} is impossible."),
            words,
        )  # fmt: skip
    return found
