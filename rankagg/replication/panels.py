"""Several small plots beside each other, with one legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from rankagg.plotting.curves import Band, draw_bands, frame_curves

__all__ = ["bands_of", "beside", "draw_panels"]

#: The size of a panel, in letters.
WIDTH, HEIGHT = 21.0, 19.0
COLUMNS = 3
#: The size of a plot that stands beside others.
INCHES = np.array([4.6, 4.3])


def bands_of(
    table: pd.DataFrame, names: Mapping[str, str], mean: str, std: str, least: float
) -> list[Band]:
    """Return a curve for each first level of an index of two, in a band of one deviation."""
    bands = []
    for key, name in names.items():
        part = table.loc[key].sort_index()
        middle, off = part[mean].to_numpy(float), part[std].to_numpy(float)
        bands.append(
            Band(
                name, part.index.to_numpy(float), middle,
                (middle - off).clip(least), (middle + off).clip(max=1.0),
            )
        )  # fmt: skip
    return bands


def draw_panels(
    panels: Mapping[str, Sequence[Band]],
    across: str,
    upright: str,
    *,
    start: float | None = None,
    alike: bool = True,
) -> Axes:
    """Draw a panel for every title."""
    columns = min(COLUMNS, len(panels))
    rows = ceil(len(panels) / columns)
    letter = float(mpl.rcParams["font.size"]) / 72
    figure, grid = plt.subplots(
        rows, columns, squeeze=False, layout="constrained",
        figsize=(columns * WIDTH * letter, (rows * HEIGHT + 3) * letter),
    )  # fmt: skip
    axes: list[Axes] = list(grid.flat)
    curves = []
    for ax, (title, bands) in zip(axes, panels.items(), strict=False):
        curves = draw_bands(ax, list(bands))
        frame_curves(ax, list(bands), start=start)
        ax.set_title(title)
    widest = min(axes[: len(panels)], key=lambda ax: ax.get_ylim()[0])
    for ax in axes[: len(panels)] if alike else []:
        ax.set_ylim(widest.get_ylim())
        ax.set_yticks(widest.get_yticks())
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    figure.supxlabel(across, fontsize="medium")
    figure.supylabel(upright, fontsize="medium")
    figure.legend(handles=curves, loc="outside upper center", ncols=columns, frameon=False)
    return axes[0]


def beside(plots: Sequence[Callable[..., object]], columns: int = 2) -> Axes:
    """Draw plots in a grid, and return the first."""
    wide = min(columns, len(plots))
    high = -(-len(plots) // wide)
    _, grid = plt.subplots(
        high,
        wide,
        figsize=INCHES * (wide, high),
        squeeze=False,
        layout="constrained",
    )
    for ax, plot in zip(grid.flat, plots, strict=False):
        plot(ax=ax)
    for ax in grid.flat[len(plots) :]:
        ax.remove()
    first: Axes = grid.flat[0]
    return first
