"""The two sides of a question about the exact consensus, and the best order of each.

Orders are held against each other by their value: the sum of the margins of all pairs i < j that
they put in this order. The consensus has the largest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.analysis.robustness.removal.bracket import Question
from rankagg.analysis.robustness.removal.rivals import Merged
from rankagg.analysis.robustness.removal.solved import Solved
from rankagg.analysis.robustness.removal.units import Units
from rankagg.core.arithmetic import exact

__all__ = ["FEW", "Contest"]

Order = NDArray[np.intp]

# The orders of so few items are all looked at: 720.
FEW = 6


@dataclass(frozen=True, eq=False)
class Contest:
    """A question about some of the items, which stand together whatever is removed.

    Attributes
    ----------
    units : Units
        What may go.
    question : Question
        What to change.
    part : ndarray of int, shape (s,)
        Positions of the items.
    """

    units: Units
    question: Question
    part: NDArray[np.intp]

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.part)

    @cached_property
    def tops(self) -> list[int]:
        """Places in the part of the present firsts, or of the upper item."""
        return np.flatnonzero(np.isin(self.part, self.question.tops)).tolist()

    @cached_property
    def rivals(self) -> list[int]:
        """Places in the part of the others, or of the lower item."""
        return np.flatnonzero(np.isin(self.part, self.question.rivals)).tolist()

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The pairs i < j."""
        first, second = np.triu_indices(self.size, k=1)
        return first, second

    @cached_property
    def merged(self) -> Merged:
        """Leads of i over j for all pairs, and how many units have these."""
        leads = [
            self.units.leads(int(item), self.part[k + 1 :]) for k, item in enumerate(self.part[:-1])
        ]
        joined = cast(Integers, np.concatenate(leads, axis=1))
        return Merged(joined, self.units.counts)

    @cached_property
    def leads(self) -> Integers:
        """Leads of i over j in one unit of each class, shape (k, pairs)."""
        return self.merged.gains

    @cached_property
    def whole(self) -> Integers:
        """The margins of all units."""
        return self.margins(np.zeros(len(self.merged.counts), dtype=np.int64))

    def margins(self, removed: NDArray[np.int64]) -> Integers:
        """Return the margins that are left, shape (pairs,)."""
        left = self.merged.counts - removed
        if self._is_small:
            return exact.fit(left @ self.leads.astype(np.int64))
        return exact.fit(left.astype(object) @ self.leads.astype(object))

    def sums(self, vectors: NDArray[np.int64]) -> Integers:
        """Return the leads of one unit of each class, added up over pairs with factors."""
        if self._is_small:
            return self.leads.astype(np.int64) @ vectors
        return exact.fit(self.leads.astype(object) @ vectors.astype(object))

    @cached_property
    def _is_small(self) -> bool:
        """Whether no sum of leads leaves int64; factors are -1, 0 and 1."""
        most = int(np.abs(self.leads).max(initial=0))
        return most * max(self.units.total, 1) * max(len(self.pairs[0]), 1) < exact.INT64_SAFE

    # -- orders -------------------------------------------------------------------------------

    def vector(self, order: Order) -> NDArray[np.int64]:
        """Return which pairs i < j an order has in this order."""
        place = np.argsort(order)
        first, second = self.pairs
        return (place[first] < place[second]).astype(np.int64)

    def value(self, order: Order, margins: Integers) -> int:
        """Return the value of an order."""
        return int((self.vector(order).astype(object) * margins.astype(object)).sum())

    def is_rival(self, order: Order) -> bool:
        """Say whether an order has what the question asks for."""
        if self.question.is_pair:
            place = np.argsort(order)
            return bool(place[self.rivals[0]] < place[self.tops[0]])
        return int(order[0]) in self.rivals

    def does_it(self, removed: NDArray[np.int64], deadline: Deadline) -> bool:
        """Say whether a removal changes what is asked; removed of merged classes."""
        margins = self.margins(removed)
        best = self.best(margins, deadline)
        others = self.best_top if self.is_rival(best) else self.best_rival
        if self.is_rival(best) != self.question.strict:
            # Either a rival is best and that is enough, or a top is and a rival must be better.
            return self.is_rival(best)
        other = others(margins, deadline)
        least = self.value(best, margins) - self.value(other, margins)
        return least > 0 if self.question.strict else least == 0

    def best(self, margins: Integers, deadline: Deadline) -> Order:
        """Return an order of the largest value."""
        if self.size <= FEW:
            return self._best_of(margins, np.ones(len(self._all[0]), dtype=bool))
        return Solved.of(self._problem(margins), deadline).order

    def best_top(self, margins: Integers, deadline: Deadline) -> Order:
        """Return the best order in which the present firsts, or the upper item, prevail."""
        if self.size <= FEW:
            return self._best_of(margins, ~self._all[2])
        if self.question.is_pair:
            return self._forced(margins, self.tops[0], self.rivals[0], deadline)
        return self._led_by(margins, self.tops, deadline)

    def best_rival(self, margins: Integers, deadline: Deadline) -> Order:
        """Return the best order in which a rival prevails."""
        if self.size <= FEW:
            return self._best_of(margins, self._all[2])
        if self.question.is_pair:
            return self._forced(margins, self.rivals[0], self.tops[0], deadline)
        return self._led_by(margins, self.rivals, deadline)

    @cached_property
    def _all(self) -> tuple[NDArray[np.intp], NDArray[np.int64], Bools]:
        """All orders, which pairs they have in order, and in which of them a rival prevails."""
        orders = np.array(list(permutations(range(self.size))), dtype=np.intp)
        place = np.argsort(orders, axis=1)
        first, second = self.pairs
        vectors = (place[:, first] < place[:, second]).astype(np.int64)
        return orders, vectors, np.array([self.is_rival(order) for order in orders])

    @property
    def sides(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """All orders in which a rival prevails, and which pairs all others have in order."""
        orders, vectors, is_rival = self._all
        return orders[is_rival], vectors[~is_rival]

    def _best_of(self, margins: Integers, some: Bools) -> Order:
        orders, vectors, _ = self._all
        # `margins` fits: any sum of them does.
        kind = np.dtype(object) if margins.dtype == object else np.dtype(np.int64)
        values = vectors[some].astype(kind) @ margins.astype(kind)
        best: Order = orders[some][int(np.argmax(values))]
        return best

    def _forced(self, margins: Integers, first: int, second: int, deadline: Deadline) -> Order:
        return Solved.with_pair(self._problem(margins), first, second, deadline).order

    def _led_by(self, margins: Integers, leaders: list[int], deadline: Deadline) -> Order:
        """Return the best order that begins with one of some items."""
        problem = self._problem(margins)
        bounds = {leader: 0 for leader in leaders}
        if len(leaders) > 1:
            solved = Solved.of(problem, deadline)
            if int(solved.order[0]) in leaders:
                return solved.order
            bounds = {leader: solved.least_led_by(leader) for leader in leaders}
        best: Order | None = None
        least = 0
        # The most promising first; what cannot be better is left out.
        for leader in sorted(leaders, key=bounds.__getitem__):
            if best is not None and bounds[leader] >= least:
                break
            rest = np.delete(np.arange(self.size), leader)
            order = np.append(leader, rest[Solved.of(problem.restrict(rest), deadline).order])
            cost = problem.cost(order)
            if best is None or cost < least:
                best, least = order, cost
        assert best is not None, "there is a leader"
        return best

    def _problem(self, margins: Integers) -> Problem:
        costs = np.zeros((self.size, self.size), dtype=margins.dtype)
        first, second = self.pairs
        costs[first, second] = np.maximum(-margins, 0)
        costs[second, first] = np.maximum(margins, 0)
        return Problem(exact.fit(costs), 0, 1)
