"""Which rows a case gets next, and when it has had enough.

Cycles come first, until none is violated or they stop helping. Rows that are half of a sum of
cycles are looked for only then: they are dearer, and at a point that violates cycles they are weak.
"""

from __future__ import annotations

from collections.abc import Sequence

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.proofs.rows import Derived
from rankagg.aggregation.kemeny.relaxation.relaxation import Cycles, Point, Relaxation
from rankagg.aggregation.kemeny.separation import (
    violated_cycles,
    violated_fences,
    violated_ladders,
    violated_walks,
)

__all__ = ["Tightening", "cycles_at"]

CYCLES_PER_ITEM = 40
STALL_ROUNDS = 3
STALL_SHARE = 0.1

# How many a round takes, so that no family fills it. Ladders are found first: they cost least.
LADDERS, WALKS, FENCES = 400, 400, 100
FEW_LADDERS = 100
# Rounds of halved rows, after each of which cycles are closed again, and the share of what is left
# to close that they have to close: in the first case, and in others.
HALF_ROUNDS = {True: 5, False: 2}
HALF_SHARE = {True: 0.05, False: 0.1}
# Halved rows that are slack now bind again soon, so they are dropped now and then only.
SOLVES_BETWEEN_DROPS = 5
RISE = 1e-6


class Tightening:
    """The rounds of one case.

    Parameters
    ----------
    relaxation : Relaxation
        With the bounds of the case.
    margins : ndarray of float, shape (n, n)
        What it costs more to place row before column than the reverse.
    deadline : Deadline
        Raises `OutOfTimeError` where it passes.
    is_first : bool
        Whether it is the case of all orders: what is found there serves all others.
    """

    def __init__(
        self, relaxation: Relaxation, margins: Floats, deadline: Deadline, *, is_first: bool
    ) -> None:
        self._relaxation = relaxation
        self._margins = margins
        self._deadline = deadline
        self._is_first = is_first
        self._values: list[float] = []
        # The values at which no cycle was violated.
        self._closed: list[float] = []

    def add_rows(self, point: Point, left: float) -> bool:
        """Add rows that the last point violates; False where no more are worth their while.

        Parameters
        ----------
        point : Point
            The optimum of the relaxation as it is.
        left : float
            How far its value has to rise, in the same units.
        """
        values = self._values
        cycles = cycles_at(point.before, self._margins, self._deadline)
        rows: Sequence[Derived] = ()
        if not len(cycles):
            rows = self._halved(point, left)
            if not rows:
                return False
        elif self._cycles_stall(point, left):
            return False
        rose = bool(values) and point.value > values[-1] + RISE
        values.append(point.value)
        if rose and (not self._closed or len(values) % SOLVES_BETWEEN_DROPS == 0):
            self._relaxation.drop_slack_rows()
        self._relaxation.add_cycles(cycles)
        self._relaxation.derive(rows)
        return True

    def _cycles_stall(self, point: Point, left: float) -> bool:
        """Say whether cycles close next to nothing, in a case that need not close them all."""
        if self._is_first or self._closed or len(self._values) < STALL_ROUNDS:
            return False
        return not point.is_integral and _stalls(
            self._values, point, STALL_ROUNDS, left, STALL_SHARE
        )

    def _halved(self, point: Point, left: float) -> Sequence[Derived]:
        rounds, share = HALF_ROUNDS[self._is_first], HALF_SHARE[self._is_first]
        if _stalls(self._closed, point, rounds, left, share):
            return ()
        self._closed.append(point.value)
        before, deadline = point.before, self._deadline
        rows = violated_ladders(before, LADDERS, deadline)
        if len(rows) < FEW_LADDERS:
            rows += violated_walks(before, WALKS, deadline)
            rows += violated_fences(before, FENCES, deadline)
        return rows


def cycles_at(before: Floats, margins: Floats, deadline: Deadline) -> Cycles:
    """Return cycles that a point violates, as many as a round takes."""
    return violated_cycles(before, margins, CYCLES_PER_ITEM * len(before), deadline)


def _stalls(values: list[float], point: Point, rounds: int, left: float, share: float) -> bool:
    """Say whether the last rounds closed less than a share of what is left to close."""
    return len(values) >= rounds and point.value - values[-rounds] < share * left
