"""The set of optima where constraints decide pairs."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.optimal.optima import CACHED, Optima, with_reverse
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.core.arithmetic import exact

__all__ = ["HeldOptima", "held"]


def held(problem: Problem, decided: Bools) -> Problem:
    """Return a problem whose optima are those among the orders that keep decided pairs.

    To turn one of these pairs round costs more than all others together can make up for.
    """
    price = _price(problem)
    costs = exact.combine(problem.costs, 1, decided.T.astype(np.int64), price)
    return Problem(exact.fit(costs), problem.constant, problem.denominator)


def _price(problem: Problem) -> int:
    return exact.sum_of(np.abs(problem.margins)) + 1


class HeldOptima(Optima):
    """All optimal rankings among those that keep constraints which decide pairs.

    See `Optima`; `second_value` and `addition_radius` look at rankings that keep them only.
    """

    _free: Problem
    _decided: Bools

    _schema = "rankagg.held_optima"

    def _until(self, deadline: Deadline) -> HeldOptima:
        found = HeldOptima(
            items=self.items, _problem=self._problem, _order=self._order, _deadline=deadline,
            _free=self._free, _decided=self._decided,
        )  # fmt: skip
        found.__dict__.update(
            {name: self.__dict__[name] for name in CACHED if name in self.__dict__}
        )
        return found

    def second_value(self) -> float | None:
        """Return the least cost, in votes, of a ranking under the constraints that is not optimal.

        Returns
        -------
        float or None
            None where every ranking under the constraints is optimal.
        """
        second = super().second_value()
        # No ranking costs the floor and more than all margins together without breaking a pair.
        beyond = self._free.floor + _price(self._free)
        return None if second is None or second >= self._free.in_votes(beyond) else second

    @cached_property
    def addition_radius(self) -> int | None:
        """The least number of complete rankings whose addition can make the ranking non-optimal.

        None where it is the only ranking that the constraints leave.
        """
        n = len(self.items)
        if int(self._decided.sum()) == n * (n - 1) // 2:
            return None
        return super().addition_radius

    def _changed(self, copies: int) -> Problem:
        return held(with_reverse(self._free, self._order, copies), self._decided)
