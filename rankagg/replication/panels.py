"""Several plots beside each other, and rankings that flow from column to column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import ceil
from textwrap import fill
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from rankagg import _pandas as pd
from rankagg._typing import Floats
from rankagg.plotting.curves import Band, draw_bands, frame_curves
from rankagg.plotting.theme import ACCENTS, GRAY, LINES, plot_labels


def bands_of(
    table: pd.DataFrame, names: Mapping[str, str], mean: str, std: str, least: float
) -> list[Band]:
    """Return a curve for each first level of an index of two, in a band of one deviation."""
    bands = []
    for key, name in names.items():
        part = table.loc[key].sort_index()
        middle, off = part[mean].to_numpy(float), part[std].to_numpy(float)
        low, high = (middle - off).clip(least), (middle + off).clip(max=1.0)
        bands.append(Band(name, part.index.to_numpy(float), middle, low, high))
    return bands


def _grid(number: int, columns: int, size: tuple[float, float], more: float = 0.0) -> list[Axes]:
    """Return axes of one size in a grid on a new figure, so much higher for a legend."""
    wide = min(columns, number)
    high = ceil(number / wide)
    inches = wide * size[0], high * size[1] + more
    _, grid = plt.subplots(high, wide, squeeze=False, layout="constrained", figsize=inches)
    axes: list[Axes] = list(grid.flat)
    for ax in axes[number:]:
        ax.remove()
    return axes[:number]


def draw_panels(
    panels: Mapping[str, Sequence[Band]],
    across: str,
    upright: str,
    *,
    start: float | None = None,
    alike: bool = True,
) -> Axes:
    """Draw a panel for every title."""
    letter = float(mpl.rcParams["font.size"]) / 72
    axes = _grid(len(panels), 3, (21 * letter, 19 * letter), 3 * letter)
    curves = []
    for ax, (title, bands) in zip(axes, panels.items(), strict=True):
        curves = draw_bands(ax, bands)
        frame_curves(ax, bands, start=start)
        ax.set_title(title)
    widest = min(axes, key=lambda ax: ax.get_ylim()[0])
    for ax in axes if alike else []:
        ax.set_ylim(widest.get_ylim())
        ax.set_yticks(widest.get_yticks())
    figure = plt.gcf()
    figure.supxlabel(across, fontsize="medium")
    figure.supylabel(upright, fontsize="medium")
    columns = min(3, len(panels))
    figure.legend(handles=curves, loc="outside upper center", ncols=columns, frameon=False)
    return axes[0]


def beside(plots: Sequence[Callable[..., object]]) -> Axes:
    """Draw plots in two columns, and return the first."""
    axes = _grid(len(plots), 2, (4.6, 4.3))
    for ax, plot in zip(axes, plots, strict=True):
        plot(ax=ax)
    return axes[0]


@dataclass(frozen=True)
class FlowPanel:
    """The places of the systems of one benchmark, and which system to follow."""

    title: str
    systems: tuple[object, ...]
    followed: object
    # Their places by block of columns and rule.
    places: Mapping[tuple[str, str], Sequence[int]]

    @property
    def across(self) -> Floats:
        """Where columns stand; blocks are apart."""
        blocks = [block for block, _ in self.places]
        new = [0, *(0.7 * (one != other) for one, other in pairwise(blocks))]
        positions: Floats = np.arange(len(blocks)) + np.cumsum(new)
        return positions


def draw_flows(panels: Sequence[FlowPanel]) -> Axes:
    """Draw a panel for each benchmark, a line for each system in each block."""
    size = 2.2 + 0.55 * max(panel.across[-1] for panel in panels), 2.1
    axes = _grid(len(panels), 1, size)
    for ax, panel in zip(axes, panels, strict=True):
        if ax is not axes[0]:
            ax.sharex(axes[0])
        _draw_flow(ax, panel)
    return axes[0]


def _draw_flow(ax: Axes, panel: FlowPanel) -> None:
    at, places = panel.across, np.array(list(panel.places.values()))
    labels = plot_labels(map(str, panel.systems))
    keys = list(panel.places)
    blocks = [list(group) for _, group in groupby(range(len(at)), lambda i: keys[i][0])]
    for position, system in enumerate(panel.systems):
        look: dict[str, Any] = {"color": GRAY, "linewidth": 1.0, "markersize": 3, "zorder": 2}
        look["linestyle"] = LINES[position % len(LINES)]
        if system == panel.followed:
            look = {"color": ACCENTS[1], "linewidth": 2.2, "markersize": 5, "zorder": 3}
        for number, block in enumerate(blocks):
            gid = f"system-{position}-{number}"
            ax.plot(at[block], places[block, position], marker="o", gid=gid, **look)
    ax.set_yticks(places[0], labels)
    ax.tick_params(axis="y", length=0)
    for place, label in zip(places[-1], labels, strict=True):
        ax.annotate(label, (at[-1], place), (8, 0), textcoords="offset points", va="center")
    ax.set_ylim(places.max() + 0.5, 0.5)
    ax.margins(x=0.02)
    ax.set_xticks(at, [rule for _, rule in keys])
    ax.tick_params(axis="x", length=0, labelbottom=True)
    ax.set_title(panel.title, loc="left", fontweight="bold", pad=26)
    for block in blocks:
        title = fill(keys[block[0]][0], 22)
        ax.text(at[block].mean(), 0.45, title, ha="center", va="bottom", fontsize="small")
    ax.spines[:].set_visible(False)
