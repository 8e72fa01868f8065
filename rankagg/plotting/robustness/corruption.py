"""How far from the true order rules end as scores are corrupted or one task is rescaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rankagg._typing import Floats
from rankagg._validation import check_number
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.panels import PanelScale, head_panels, keyed_headings, panel_width
from rankagg.plotting.style.layout import GRID, legend_above, letters_across, widest, write_below
from rankagg.plotting.style.theme import ACCENTS, GRAY, INK, LINES, MARKERS, canvas, plot_labels
from rankagg.studies.corruption.corruption import (
    BROKEN,
    CorruptionResult,
    ManipulationResult,
    ScalingResult,
)

__all__ = ["Panel", "corruption_panels", "manipulation_plot", "scaling_plot"]

HEIGHT, GAP = 28.0, 2.0
# Lines have so many marks at most.
MARKS = 12


@dataclass(frozen=True)
class Panel:
    """One case: a part of the results, with what stands above it."""

    heading: str
    # Rows of `by_method` of that case, with its index as columns.
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
    """Draw panels beside each other on the same axes: for every rule a line in a band."""
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


def manipulation_plot(
    result: ManipulationResult, *, threshold: float = BROKEN, ax: Axes | None = None
) -> Axes:
    """Draw the distance to the true order against the number of corrupted tasks.

    A panel for each step, with a line for the mean of every rule in a band from the 5 % to the
    95 % quantile of the tables. A rule breaks down where its line crosses the dashed one.

    Parameters
    ----------
    result : ManipulationResult
        The results of a study.
    threshold : float, default 0.75
        Where the dashed line is, from 0 to below 1; see `ManipulationResult.breakdown`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no such result.

    References
    ----------
    Colombo et al. (2022), figure 3, https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> from rankagg import plotting, studies
    >>> study = studies.ManipulationStudy(steps=[0.1, 0.3], n_corrupted=[0, 20], n_repetitions=2)
    >>> ax = plotting.manipulation_plot(study.run())
    >>> ax.get_xlabel()
    'corrupted tasks, of 20'
    """
    if not isinstance(result, ManipulationResult):
        raise InvalidInputError(
            "result", "a ManipulationResult", result, "`ManipulationStudy.run` makes one."
        )
    check_number(threshold, "threshold", low=0, high=1, open_high=True)
    table = result.by_method().reset_index().sort_values("n_corrupted", kind="stable")
    panels = [Panel(f"step {step:g}", table[table["step"] == step]) for step in result.study.steps]
    notes = [
        f"corrupted tasks, of {result.study.n_tasks}",
        f"dashed: {threshold:g}, beyond which a rule has broken down",
    ]
    return corruption_panels(result, panels, "n_corrupted", notes, threshold=threshold, ax=ax)


def scaling_plot(result: ScalingResult, *, ax: Axes | None = None) -> Axes:
    """Draw the distance to the true order against the factor of one task.

    A panel for each step, first where the task is rescaled alone, then where it is reversed as
    well, with a line for the mean of every rule in a band from the 5 % to the 95 % quantile of the
    tables.

    Parameters
    ----------
    result : ScalingResult
        The results of a study.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no such result.

    References
    ----------
    Colombo et al. (2022), figure 7, https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.studies.ScalingStudy(steps=[0.1], factors=[1, 5, 10], n_repetitions=2)
    >>> ax = plotting.scaling_plot(study.run())
    >>> ax.get_xlabel()
    'factor of the scores of one task, of 20'
    """
    if not isinstance(result, ScalingResult):
        raise InvalidInputError(
            "result", "a ScalingResult", result, "`ScalingStudy.run` makes one."
        )
    table = result.by_method().reset_index().sort_values("factor", kind="stable")
    study = result.study
    panels = [
        Panel(
            f"{'reversed' if reverse else 'rescaled'}\nstep {step:g}",
            table[(table["reversed"] == reverse) & (table["step"] == step)],
        )
        for reverse, step in product(study.reversed, study.steps)
    ]
    notes = [f"factor of the scores of one task, of {study.n_tasks}"]
    if True in study.reversed:
        notes.append("reversed: the true order is reversed on that task, before it is rescaled")
    return corruption_panels(result, panels, "factor", notes, ax=ax)
