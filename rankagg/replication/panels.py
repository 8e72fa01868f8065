"""Several plots beside each other, and rankings that flow from column to column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import ceil
from textwrap import fill

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from rankagg._typing import Floats
from rankagg.plotting.curves import Band, draw_bands, frame_curves
from rankagg.plotting.theme import ACCENTS, GRAY, LINES, plot_labels

#: The size of a panel, in letters.
PANEL_WIDTH, HEIGHT = 21.0, 19.0
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
        figsize=(columns * PANEL_WIDTH * letter, (rows * HEIGHT + 3) * letter),
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


# Between blocks, in columns.
GAP = 0.7
# A block's title has so many letters in a line.
FLOW_WIDTH = 22


@dataclass(frozen=True)
class Column:
    """The places of all systems by one rule, in a block of columns."""

    block: str
    rule: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class Panel:
    """The columns of one benchmark, and which system to follow."""

    title: str
    systems: tuple[object, ...]
    followed: object
    columns: tuple[Column, ...]


def draw_flows(panels: Sequence[Panel]) -> Axes:
    """Draw a panel for each benchmark, a line for each system in each block."""
    widest = max(_positions(panel)[-1] for panel in panels)
    _, axes = plt.subplots(
        len(panels), figsize=(2.2 + 0.55 * widest, 2.1 * len(panels)), squeeze=False,
        sharex=True, layout="constrained",
    )  # fmt: skip
    for ax, panel in zip(axes[:, 0], panels, strict=True):
        _draw(ax, panel)
    first: Axes = axes[0, 0]
    return first


def _positions(panel: Panel) -> Floats:
    """Return where columns stand; blocks are apart."""
    blocks = [column.block for column in panel.columns]
    new = [0, *(GAP * (one != other) for one, other in pairwise(blocks))]
    positions: Floats = np.arange(len(blocks)) + np.cumsum(new)
    return positions


def _draw(ax: Axes, panel: Panel) -> None:
    at = _positions(panel)
    places = np.array([column.places for column in panel.columns])
    labels = plot_labels(map(str, panel.systems))
    blocks = [list(group) for _, group in groupby(range(len(at)), lambda i: panel.columns[i].block)]
    for position, system in enumerate(panel.systems):
        followed = system == panel.followed
        for number, block in enumerate(blocks):
            ax.plot(
                at[block], places[block, position], marker="o", zorder=3 if followed else 2,
                color=ACCENTS[1] if followed else GRAY, linewidth=2.2 if followed else 1.0,
                linestyle=LINES[0] if followed else LINES[position % len(LINES)],
                markersize=5 if followed else 3, gid=f"system-{position}-{number}",
            )  # fmt: skip
    ax.set_yticks(places[0], labels)
    ax.tick_params(axis="y", length=0)
    for place, label in zip(places[-1], labels, strict=True):
        ax.annotate(label, (at[-1], place), (8, 0), textcoords="offset points", va="center")
    ax.set_ylim(places.max() + 0.5, 0.5)
    ax.margins(x=0.02)
    ax.set_xticks(at, [column.rule for column in panel.columns])
    ax.tick_params(axis="x", length=0, labelbottom=True)
    ax.set_title(panel.title, loc="left", fontweight="bold", pad=26)
    for block in blocks:
        title = fill(panel.columns[block[0]].block, FLOW_WIDTH)
        ax.text(at[block].mean(), 0.45, title, ha="center", va="bottom", fontsize="small")
    for spine in ax.spines.values():
        spine.set_visible(False)
