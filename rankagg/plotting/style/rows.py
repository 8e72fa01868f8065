"""A row per item: a point, and a bar for what is not known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Bools, Floats
from rankagg.plotting.style.theme import ACCENTS, GRAY, INK

__all__ = ["GRID", "OPEN", "SOLID", "interval_rows"]

GRID = "#e4e4e4"
#: The looks of points: color tells them, and so does whether they are filled.
SOLID: Final[dict[str, Any]] = {
    "color": ACCENTS[0],
    "markerfacecolor": ACCENTS[0],
    "markeredgecolor": ACCENTS[0],
}
OPEN: Final[dict[str, Any]] = {"color": GRAY, "markerfacecolor": "white", "markeredgecolor": INK}


def interval_rows(
    ax: Axes,
    names: Sequence[str],
    points: Floats,
    bounds: Floats,
    solid: Bools | Sequence[Mapping[str, Any]],
) -> None:
    """Draw points with bars in rows from top to bottom.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where.
    names : sequence of str
        Of the rows, as they are to be printed.
    points : ndarray of float, shape (n,)
        The estimates.
    bounds : ndarray of float, shape (n, 2)
        Lower and upper ones. A row without finite ones gets no bar.
    solid : ndarray of bool, shape (n,), or sequence of mapping
        Which points are filled; or the look of every one.
    """
    width = float(mpl.rcParams["lines.linewidth"])
    for row, point in enumerate(points):
        chosen = solid[row]
        look = chosen if isinstance(chosen, Mapping) else SOLID if chosen else OPEN
        if np.isfinite(bounds[row]).all():
            ax.plot(
                bounds[row], [row, row], color=look["color"], linewidth=2 * width, zorder=2,
                solid_capstyle="butt", marker="|", markersize=4 * width,
                markeredgewidth=width, gid=f"bar-{row}",
            )  # fmt: skip
        ax.plot(
            point, row, linestyle="none", markeredgewidth=width, zorder=3, gid=f"point-{row}",
            **{"marker": "o", **look},
        )  # fmt: skip
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(color=GRID, linewidth=0.5 * width)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
