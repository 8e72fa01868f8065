"""Curves in bands, and several panels beside each other on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rankagg._typing import Floats
from rankagg.plotting.sheet import GRID, round_ticks, widest
from rankagg.plotting.theme import ACCENTS, GRAY, INK, LINES, MARKERS

# Curves of so many points have a marker at each, and so many numbers stand along the axis.
MARKED = 12


@dataclass(frozen=True, eq=False)
class Band:
    """One curve."""

    name: str
    # Shape (n,). Where its points are.
    at: Floats
    # Shape (n,). How high they are; NaN where that is not known.
    middle: Floats
    # Shape (n,). The ends of the band; NaN where there is none.
    low: Floats
    high: Floats


def draw_bands(ax: Axes, bands: list[Band]) -> list[Line2D]:
    """Draw curves in their bands and return them, for a legend.

    Bands may cover each other, so that each is framed in the line of its curve.
    """
    width = float(mpl.rcParams["lines.linewidth"])
    curves = []
    for number, band in enumerate(bands):
        look = number % len(ACCENTS)
        color, dashes = ACCENTS[look], LINES[look]
        known = np.isfinite(band.low) & np.isfinite(band.high)
        ax.fill_between(
            band.at, band.low, band.high, where=known.tolist(), color=color, alpha=0.18,
            linewidth=0, zorder=1, gid=f"band-{number}",
        )  # fmt: skip
        few = len(band.at) <= MARKED
        for ends, side in ((band.low, "low"), (band.high, "high")):
            # A point without neighbors has no band, and two short bars instead.
            ax.plot(
                band.at, ends, color=color, linestyle=dashes, linewidth=0.5 * width,
                marker="_" if few else "none", markeredgewidth=0.5 * width, zorder=2,
                clip_on=False, gid=f"{side}-{number}",
            )  # fmt: skip
        every = 1 if few else -(-len(band.at) // 8)
        (curve,) = ax.plot(
            band.at, band.middle, color=color, linestyle=dashes, marker=MARKERS[look],
            markerfacecolor=(color, "white", GRAY)[number // len(ACCENTS) % 3], zorder=4 + number,
            markevery=(number % every, every), label=band.name, clip_on=False,
            gid=f"curve-{number}",
        )  # fmt: skip
        curves.append(curve)
    return curves


def frame_curves(ax: Axes, bands: list[Band], *, start: float | None = None) -> None:
    """Set limits, ticks and a grid for shares and correlations over whole numbers."""
    width = float(mpl.rcParams["lines.linewidth"])
    heights = np.concatenate([np.concatenate([b.middle, b.low]) for b in bands])
    lowest = float(np.nanmin(heights, initial=1.0))
    if lowest < 0:
        ax.set_ylim(-1, 1)
        ax.set_yticks([-1, -0.5, 0, 0.5, 1])
        ax.axhline(0, color=INK, linewidth=0.5 * width, zorder=0)
    else:
        # In steps of 0.2.
        low = min(np.floor(5 * lowest + 1e-9), 4) / 5 if start is None else start
        ax.set_ylim(low, 1)
        step = 0.2 if low < 0.5 else 0.1 if low < 0.7 else 0.05
        ax.set_yticks(np.arange(round((1 - low) / step) + 1) * step + low)
    at = np.unique(np.concatenate([band.at for band in bands]))
    least, most = int(at.min()), int(at.max())
    ax.set_xlim(least - 0.5 * (least == most), most + 0.5 * (least == most))
    ax.set_xticks(at.tolist() if len(at) <= MARKED else round_ticks(least, most, whole=True))
    ax.grid(color=GRID, linewidth=0.5 * width)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


# A panel has so many ticks at most, numbers of neighbors are so far apart, and panels are no
# narrower than that, in multiples of the font size.
TICKS, APART, NARROWEST = 5, 0.8, 2.0
# Bold letters are wider than others.
BOLD = 1.12


@dataclass(frozen=True)
class PanelScale:
    """Where the values of a panel stand on the axis that all share."""

    # The least and the greatest value.
    low: float
    high: float
    # Where the panel starts, and how wide it is, in multiples of the font size.
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
    """Return headings as they fit, and what they stand for where these are but letters."""
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
