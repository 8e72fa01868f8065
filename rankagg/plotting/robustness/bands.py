"""Curves in bands, one for each rule or pair of rules: a mean, and what lies around it."""

from __future__ import annotations

from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Floats
from rankagg.plotting.style.letters import round_ticks
from rankagg.plotting.style.rows import GRID
from rankagg.plotting.style.theme import ACCENTS, GRAY, INK, LINES, MARKERS

__all__ = ["Band", "draw_bands", "frame_curves"]

# Curves of so many points have a marker at each, and so many numbers stand along the axis.
MARKED = 12


@dataclass(frozen=True, eq=False)
class Band:
    """One curve.

    Attributes
    ----------
    name : str
        What the legend says.
    at : ndarray of float, shape (n,)
        Where its points are.
    middle : ndarray of float, shape (n,)
        How high they are; NaN where that is not known.
    low, high : ndarray of float, shape (n,)
        The ends of the band; NaN where there is none.
    """

    name: str
    at: Floats
    middle: Floats
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
    """Set limits, ticks and a grid for shares and correlations over whole numbers.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What was drawn on.
    bands : list of Band
        What was drawn.
    start : float, optional
        Where the upright axis starts; by default no lower than needed.
    """
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
