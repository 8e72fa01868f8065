"""Several panels on one axis: where the values of each stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats

__all__ = ["PanelScale"]

# A panel has so many ticks at most.
TICKS = 5


@dataclass(frozen=True)
class PanelScale:
    """Where the values of a panel stand on the axis that all share.

    Attributes
    ----------
    low, high : float
        The least and the greatest value.
    left, width : float
        Where the panel starts, and how wide it is.
    """

    low: float
    high: float
    left: float
    width: float

    def place(self, values: Floats) -> Floats:
        """Return where values stand; in the middle where there is only one."""
        if self.low == self.high:
            return np.full(len(values), self.left + self.width / 2)
        places: Floats = self.left + self.width * (values - self.low) / (self.high - self.low)
        return places

    def ticks(self) -> dict[float, str]:
        """Return round values by where they stand."""
        round_numbers = MaxNLocator(nbins=TICKS, steps=[1, 2, 5, 10])
        numbers = np.array([self.low])
        if self.low < self.high:
            ticks = np.asarray(round_numbers.tick_values(self.low, self.high))
            numbers = ticks[(ticks >= self.low) & (ticks <= self.high)]
        places = self.place(numbers)
        return {float(place): f"{x:g}" for place, x in zip(places, numbers, strict=True)}
