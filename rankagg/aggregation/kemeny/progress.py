"""What a long solve says on its way: to a logger that is silent by itself, and to who asks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Protocol, TypeAlias

from rankagg.aggregation.kemeny.solution import Report
from rankagg.exceptions import OutOfTimeError

__all__ = ["LOGGER", "Listener", "Progress"]

LOGGER = logging.getLogger("rankagg.kemeny")

SECONDS_BETWEEN = 1.0
SECONDS_BETWEEN_CALLS = 0.1

#: Called with the cost of the best ranking so far and the bound, in votes; true stops the search.
Listener: TypeAlias = Callable[[float, float], object]


class Costs(Protocol):
    """What the progress must know of a problem: its floor, and how its integers are votes."""

    @property
    def n(self) -> int:
        """The number of items."""

    @property
    def floor(self) -> int:
        """What no order costs less than."""

    def in_votes(self, scaled: int) -> float:
        """Turn a scaled cost into votes."""


class Progress:
    """Bounds on the cost of the whole, from those of the part that is being solved.

    Parameters
    ----------
    problem : Problem or WeakProblem
        The problem of all items.
    listener : callable, optional
        Called with best cost and bound, about ten times a second and after each part.

    Attributes
    ----------
    is_stopped : bool
        Whether the listener asked to stop.
    """

    def __init__(self, problem: Costs, listener: Listener | None = None) -> None:
        self._problem = problem
        self._listener = listener
        self.is_stopped = False
        # What the parts solved so far cost at least and at most, above their floors.
        self._proved = self._above = 0
        self._start = self._told = monotonic()
        self._called = 0.0

    def of_part(self, part: Costs) -> Report:
        """Return what a backend calls with the bounds of one part; it raises `OutOfTimeError`."""

        def report(lower: int, upper: int) -> None:
            now = monotonic()
            floor = self._problem.floor - part.floor
            best, bound = floor + self._above + upper, floor + self._proved + lower
            if now - self._told >= SECONDS_BETWEEN:
                self._told = now
                self._tell(bound, best, part.n, now - self._start)
            if now - self._called >= SECONDS_BETWEEN_CALLS:
                self._called = now
                self._call(best, bound)
                if self.is_stopped:
                    raise OutOfTimeError

        return report

    def _call(self, best: int, bound: int) -> None:
        if self._listener is not None and not self.is_stopped:
            in_votes = self._problem.in_votes
            self.is_stopped = bool(self._listener(in_votes(best), in_votes(bound)))

    def _tell(self, lower: int, upper: int, items: int, seconds: float) -> None:
        gap = 100 * (upper - lower) / upper if upper else 0.0
        LOGGER.info(
            "bound %.10g, best %.10g, gap %.3f %%, %.0f s (part of %d items)",
            self._problem.in_votes(lower),
            self._problem.in_votes(upper),
            gap,
            seconds,
            items,
        )

    def close_part(self, part: Costs, cost: int, lower: int | None) -> None:
        """Add what a finished part costs, and what it costs at least where that is known."""
        self._above += cost - part.floor
        if lower is not None:
            self._proved += lower - part.floor
        self._call(self._problem.floor + self._above, self._problem.floor + self._proved)
