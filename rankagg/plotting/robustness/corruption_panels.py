"""How far from the true order rules end as scores are corrupted: a panel for each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rankagg._typing import Floats
from rankagg.core.items import counted
from rankagg.plotting.robustness.panel_scale import (
    PanelScale,
    head_panels,
    keyed_headings,
    panel_width,
)
from rankagg.plotting.style.legends import legend_above
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import letters_across, write_below
from rankagg.plotting.style.rows import GRID
from rankagg.plotting.style.theme import (
    ACCENTS,
    GRAY,
    INK,
    LINES,
    MARKERS,
    canvas,
    plot_labels,
)
from rankagg.studies.corruption.corruption import CorruptionResult

__all__ = ["Panel", "corruption_panels"]

HEIGHT, GAP = 28.0, 2.0
# Lines have so many marks at most.
MARKS = 12


@dataclass(frozen=True)
class Panel:
    """One case: a part of the results, with what stands above it.

    Attributes
    ----------
    heading : str
        The case.
    table : DataFrame
        Rows of `by_method` of that case, with its index as columns.
    """

    heading: str
    table: pd.DataFrame


def corruption_panels(
    result: CorruptionResult,
    panels: Sequence[Panel],
    along: str,
    notes: Sequence[str],
    *,
    threshold: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw panels beside each other on the same axes: for every rule a line in a band.

    Parameters
    ----------
    result : CorruptionResult
        Whose they are.
    panels : sequence of Panel
        The cases.
    along : str
        The column that is the horizontal axis of each.
    notes : sequence of str
        What that axis is, and what else stands below.
    threshold : float, optional
        Where to draw a line across.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    methods = list(dict.fromkeys(panels[0].table["method"]))
    headings, key = [panel.heading for panel in panels], ""
    each, new = max(8.0, 42.0 / len(panels), widest(headings) + 1), ax is None
    total = len(panels) * (each + GAP) - GAP
    ax = canvas(ax, total + 6, HEIGHT + 0.7 * len(methods))
    _frame(ax)
    if not new:
        each = panel_width(len(panels), GAP, letters_across(ax))
        total = len(panels) * (each + GAP) - GAP
        headings, key = keyed_headings(headings, each + GAP - 0.5)
    lefts = [number * (each + GAP) for number in range(len(panels))]
    ticks: dict[float, str] = {}
    for number, (left, panel) in enumerate(zip(lefts, panels, strict=True)):
        values = panel.table[along].to_numpy(dtype=np.float64)
        scale = PanelScale(float(values.min()), float(values.max()), left, each)
        for position, method in enumerate(methods):
            part = panel.table[panel.table["method"] == method]
            _draw(ax, (number, position), scale.place(part[along].to_numpy(float)), part)
        ticks.update(scale.ticks())
        ax.hlines(0, left, left + each, color=INK, linewidth=0.5 * _width(), zorder=1, gid="floor")
    if threshold is not None:
        ax.axhline(threshold, color=GRAY, linestyle=(0, (2, 2)), zorder=1, gid="threshold")
    ax.set_xlim(-0.5, total + 0.5)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xticks(list(ticks), list(ticks.values()))
    above = head_panels(ax, lefts, headings)
    study = result.study
    sizes = (
        f"{counted(study.n_systems, 'system')}, {counted(study.n_tasks, 'task')} with "
        f"{counted(study.n_instances, 'instance')} each, "
        f"{counted(study.n_repetitions, 'table')} for every point"
    )
    below = [key, *notes[1:], sizes, *result._warnings()]
    write_below(ax, below, total if new else None, axis=notes[0])
    legend_above(ax, _handles(plot_labels(methods, 40)), new=new, columns=2, above=above)
    return ax


def _frame(ax: Axes) -> None:
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.grid(axis="y", color=GRID, linewidth=0.5 * _width())
    ax.set_axisbelow(True)
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_ylabel("normalized Kendall distance\nto the true order")


def _width() -> float:
    return float(mpl.rcParams["lines.linewidth"])


def _draw(ax: Axes, where: tuple[int, int], x: Floats, part: pd.DataFrame) -> None:
    """Draw one rule in one panel."""
    number, method = where
    color = ACCENTS[method % len(ACCENTS)]
    low, high = (part[f"distance_{q}"].to_numpy(float) for q in ("0.05", "0.95"))
    ax.fill_between(
        x, low, high, color=color, alpha=0.18, linewidth=0, zorder=2, gid=f"band-{number}-{method}"
    )
    # A single point has no band.
    if len(x) == 1:
        ax.vlines(x, low, high, color=color, linewidth=0.5 * _width(), zorder=2)
    ax.plot(
        x, part["mean_distance"].to_numpy(float), color=color, linestyle=LINES[method % len(LINES)],
        marker=MARKERS[method % len(MARKERS)], markevery=1 + len(x) // MARKS, zorder=3 + method,
        markerfacecolor="white", clip_on=False, gid=f"mean-{number}-{method}",
    )  # fmt: skip


def _handles(names: Sequence[str]) -> list[Artist]:
    """Return the marks of the legend."""
    lines: list[Artist] = [
        Line2D(
            [], [], color=ACCENTS[k % len(ACCENTS)], linestyle=LINES[k % len(LINES)],
            marker=MARKERS[k % len(MARKERS)], markerfacecolor="white", label=name,
        )
        for k, name in enumerate(names)
    ]  # fmt: skip
    band = Patch(
        color=GRAY, alpha=0.4, linewidth=0, label="line: mean; band: 5 % to 95 % of tables"
    )
    return [*lines, band]
