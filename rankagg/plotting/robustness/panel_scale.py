"""Several panels beside each other on one axis: how wide they are, and where values stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats
from rankagg.plotting.style.letters import widest

__all__ = ["PanelScale", "head_panels", "keyed_headings", "panel_width"]

# A panel has so many ticks at most, numbers of neighbors are so far apart, and panels are no
# narrower than that, in multiples of the font size.
TICKS, APART, NARROWEST = 5, 0.8, 2.0
# Bold letters are wider than others.
BOLD = 1.12


@dataclass(frozen=True)
class PanelScale:
    """Where the values of a panel stand on the axis that all share.

    Attributes
    ----------
    low, high : float
        The least and the greatest value.
    left, width : float
        Where the panel starts, and how wide it is, in multiples of the font size.
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
        """Return round values by where they stand, as many as there is room for."""
        if self.low == self.high:
            return self._told(np.array([self.low]))
        for number in range(TICKS, 1, -1):
            ticks = self._ticks(number)
            if len(ticks) > 1 and _are_apart(ticks):
                return ticks
        # The ends where no two round values have room.
        ends = self._told(np.array([self.low, self.high]))
        return ends if _are_apart(ends) else self._told(np.array([self.low]))

    def _ticks(self, most: int) -> dict[float, str]:
        round_numbers = MaxNLocator(nbins=most, steps=[1, 2, 5, 10])
        ticks = np.asarray(round_numbers.tick_values(self.low, self.high))
        return self._told(ticks[(ticks >= self.low) & (ticks <= self.high)])

    def _told(self, numbers: Floats) -> dict[float, str]:
        places = self.place(numbers)
        return {float(place): f"{x:g}" for place, x in zip(places, numbers, strict=True)}


def _are_apart(ticks: dict[float, str]) -> bool:
    """Say whether numbers along an axis in multiples of the font size have room."""
    ends = [(at - widest([x]) / 2, at + widest([x]) / 2) for at, x in ticks.items()]
    return all(after[0] - before[1] >= APART for before, after in pairwise(ends))


def panel_width(n_panels: int, gap: float, room: float) -> float:
    """Return how wide each of some panels is where all have so much room."""
    return max(NARROWEST, (room - 1 + gap) / n_panels - gap)


def keyed_headings(headings: Sequence[str], room: float) -> tuple[list[str], str]:
    """Return headings as they fit, and what they stand for where these are but letters.

    Parameters
    ----------
    headings : sequence of str
        Of one or more lines each.
    room : float
        How wide a heading may be, in multiples of the font size.

    Returns
    -------
    headings : list of str
    key : str
        Empty where the headings fit.
    """
    if BOLD * widest(headings) <= room:
        return list(headings), ""
    letters = [
        ascii_lowercase[k] if len(headings) <= len(ascii_lowercase) else str(k + 1)
        for k in range(len(headings))
    ]
    told = [" ".join(heading.split()) for heading in headings]
    return letters, "; ".join(f"{a}: {b}" for a, b in zip(letters, told, strict=True))


def head_panels(ax: Axes, lefts: Sequence[float], headings: Sequence[str]) -> float:
    """Write headings above panels and return how high they are, in multiples of the font size."""
    size = float(mpl.rcParams["font.size"])
    for left, heading in zip(lefts, headings, strict=True):
        ax.annotate(
            heading, (left, 1.0), (0.0, 0.4 * size), xycoords=("data", "axes fraction"),
            textcoords="offset points", va="bottom", weight="bold", parse_math=False,
            annotation_clip=False, gid="heading",
        )  # fmt: skip
    return 0.8 + 1.3 * max(len(heading.splitlines()) for heading in headings)
