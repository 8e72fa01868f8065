"""What a long solve says on its way, to a logger that is silent unless somebody listens."""

from __future__ import annotations

import logging
from time import monotonic

from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.solution import Report, Solution

__all__ = ["LOGGER", "Progress"]

LOGGER = logging.getLogger("rankagg.kemeny")

SECONDS_BETWEEN = 1.0


class Progress:
    """Bounds on the cost of the whole, from those of the part that is being solved.

    Parameters
    ----------
    problem : Problem
        The problem of all items.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        # What the parts solved so far cost above their floors.
        self._above = 0
        self._start = self._last = monotonic()

    def of_part(self, part: Problem) -> Report:
        """Return what a backend calls with the bounds of one part."""

        def report(lower: int, upper: int) -> None:
            now = monotonic()
            if now - self._last < SECONDS_BETWEEN:
                return
            self._last = now
            base = self._problem.floor + self._above - part.floor
            self._tell(base + lower, base + upper, part.n, now - self._start)

        return report

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

    def close_part(self, part: Problem, solution: Solution) -> None:
        """Add what a finished part costs."""
        self._above += part.cost(solution.order) - part.floor
