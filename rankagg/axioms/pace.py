"""How far a search is: told to a logger that is silent by itself, and bounded in time."""

from __future__ import annotations

import logging
from time import monotonic

from rankagg.aggregation.deadline import Deadline
from rankagg.exceptions import OutOfTimeError

__all__ = ["LOGGER", "Pace"]

LOGGER = logging.getLogger("rankagg.axioms")

SECONDS_BETWEEN = 5.0


class Pace:
    """Counts profiles, and stops when the time is over.

    Parameters
    ----------
    name : str
        Of the rule.
    total : int
        How many profiles there are to see.
    deadline : Deadline
        When to stop.
    """

    def __init__(self, name: str, total: int, deadline: Deadline) -> None:
        self._name = name
        self._total = total
        self._deadline = deadline
        self._start = self._told = monotonic()
        self._seen = 0

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self._deadline.is_over

    def check(self) -> None:
        """Raise `OutOfTimeError` where no time is left."""
        if self.is_over:
            raise OutOfTimeError(
                f"Not searched in time: {self._seen:,} of {self._total:,} profiles were looked at "
                f"under {self._name}. Fewer items or rankings take less."
            )

    def step(self) -> None:
        """Count one profile that is about to be looked at."""
        self.check()
        now = monotonic()
        if now - self._told >= SECONDS_BETWEEN:
            self._told = now
            LOGGER.info(
                "%s: %s of at most %s profiles, %.0f s",
                self._name, f"{self._seen:,}", f"{self._total:,}", now - self._start,
            )  # fmt: skip
        self._seen += 1
