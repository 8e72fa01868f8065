"""How places change from column to column, block by block, with one system in color."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Floats
from rankagg.plotting.theme import ACCENTS, GRAY, LINES, plot_labels

__all__ = ["Column", "Panel", "draw_flows"]

# Between blocks, in columns.
GAP = 0.7
# A block's title has so many letters in a line.
WIDTH = 22


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
        title = fill(panel.columns[block[0]].block, WIDTH)
        ax.text(at[block].mean(), 0.45, title, ha="center", va="bottom", fontsize="small")
    for spine in ax.spines.values():
        spine.set_visible(False)
