"""Texts of plots: how wide they are, and numbers along an axis."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

__all__ = ["round_ticks", "widest"]

# Letters on a screen are set a little wider than in print.
HINTING = 1.05
# The room of a number along an axis.
TICK = 4.0
FONTS: Final = (
    "font.family", "font.sans-serif", "font.serif", "font.monospace", "font.style", "font.variant",
    "font.weight", "font.stretch",
)  # fmt: skip


def widest(texts: Iterable[str], size: float = 1.0) -> float:
    """Return the width of the widest text, in multiples of the font size.

    Parameters
    ----------
    texts : iterable of str
        Texts of one or more lines.
    size : float, default 1
        The size of their letters, in multiples of the font size.

    Returns
    -------
    float
        0 where there is no text.
    """
    points = float(mpl.rcParams["font.size"])
    # Which font it is depends on these alone.
    fonts = repr([mpl.rcParams[name] for name in FONTS])
    widths = [_width(line, points, fonts) for text in texts for line in text.splitlines()]
    return HINTING * size * max(widths, default=0.0) / points


@lru_cache(maxsize=4096)
def _width(line: str, points: float, fonts: str) -> float:
    """Return the width of a line in points; setting letters takes long, and lines come again."""
    font = FontProperties(size=points)
    width: float = text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]
    return width


def round_ticks(
    low: float, high: float, *, whole: bool = False, room: float = np.inf
) -> list[float]:
    """Return some round numbers from `low` to `high`.

    Parameters
    ----------
    low, high : float
        The ends of an axis.
    whole : bool, default False
        Only whole numbers.
    room : float, optional
        How long the axis is, in multiples of the font size; there are fewer on a short one.

    Returns
    -------
    list of float
    """
    most = int(np.clip(room / TICK, 1, 8))
    ticks = MaxNLocator(nbins=most, integer=whole, min_n_ticks=1).tick_values(low, high)
    return [float(tick) for tick in ticks if low <= tick <= high]
