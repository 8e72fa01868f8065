"""Average ranks on one axis, and which of them do not differ."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import YAxis

from rankagg._typing import Floats
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.inference.friedman import FriedmanTest
from rankagg.plotting.sheet import (
    letters_across,
    name_letters,
    note_height,
    rank_ticks,
    widest,
    write_below,
)
from rankagg.plotting.theme import ACCENTS, INK, canvas, check_axes, plot_labels

# Heights in letters, downwards from the axis of average ranks at 0.
TOP, RULER, FIRST, LEVEL, ROW = -5.4, -3.4, 1.0, 0.8, 1.35
# Bars on one level are so many letters apart.
APART = 1.2


def critical_difference_diagram(
    test: FriedmanTest, *, alpha: float = 0.05, ax: Axes | None = None
) -> Axes:
    """Draw average ranks, the critical difference, and bars that join items it does not tell apart.

    The best item is on the left. A bar has a dot for each of its items; items that no bar joins
    differ.

    Parameters
    ----------
    test : FriedmanTest
        Made by `friedman`.
    alpha : float, default 0.05
        For the critical difference; see `FriedmanTest.critical_difference`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `test` is something else, or alpha is not in (0, 1).

    References
    ----------
    Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7, https://www.jmlr.org/papers/v7/demsar06a.html, who has the best
    on the right; the paper has no DOI.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> test = ra.friedman(ra.datasets.load("superglue_human"))
    >>> ax = plotting.critical_difference_diagram(test)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human  2.10', 'DeBERTa  2.35', 'T5 + Meena  2.75']
    """
    if not isinstance(test, FriedmanTest):
        raise InvalidInputError("test", "a FriedmanTest", test, "`friedman(data)` makes one.")
    difference = test.critical_difference(alpha)
    order = np.argsort(test.average_ranks, kind="stable")
    ranks = test.average_ranks[order]
    new = ax is None
    names = plot_labels(test.items.at(order), name_letters(ax, share=0.25))
    position = np.argsort(order)
    groups = [
        np.sort(position[test.items.indices(group)])
        for group in test.groups(alpha)
        if len(group) > 1
    ]
    n, left = len(names), (len(names) + 1) // 2
    low, high = min(1.0, float(ranks[0])), max(float(n), float(ranks[-1]), 1.0 + difference)
    width = min(max(32.0, 1.2 * n), 48.0) if ax is None else letters_across(check_axes(ax))
    levels = _levels([ranks[group[[0, -1]]] for group in groups], APART * (high - low) / width)
    first_row = FIRST + LEVEL * (max(levels, default=-1) + 1) + 0.6
    bottom = first_row + ROW * (left - 1) + 0.9
    notes = _sentences(test, len(groups))
    height = bottom - TOP + 1 + note_height(notes, width)
    ax = canvas(ax, width + 2 * (5 + widest(names)), height)
    pad = 0.03 * (high - low)
    ax.set_xlim(low - pad, high + pad)
    ax.set_ylim(bottom, TOP)
    _draw_axis(ax, n)
    _draw_ruler(ax, difference, alpha)
    _draw_groups(ax, ranks, groups, levels)
    rows = first_row + ROW * np.array([k if k < left else n - 1 - k for k in range(n)])
    _draw_leaders(ax, ranks, rows, left)
    _label(ax.yaxis, rows[:left], [f"{t}  {r:.2f}" for t, r in zip(names, ranks, strict=True)])
    right = ax.secondary_yaxis("right")
    right.spines["right"].set_visible(False)
    texts = [f"{r:.2f}  {t}" for t, r in zip(names, ranks, strict=True)]
    _label(right.yaxis, rows[left:], texts[left:])
    write_below(ax, notes, width if new else None)
    return ax


def _levels(spans: list[Floats], apart: float) -> list[int]:
    """Return for each bar, best first, the first level at which it is well apart from others."""
    ends: list[float] = []
    levels = []
    for start, end in spans:
        level = next((k for k, taken in enumerate(ends) if taken + apart < start), len(ends))
        ends[level:] = [end, *ends[level + 1 :]]
        levels.append(level)
    return levels


def _draw_axis(ax: Axes, n: int) -> None:
    """Put the axis of average ranks at height 0."""
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    line = ax.spines["top"]
    line.set_visible(True)
    line.set_position(("data", 0.0))
    line.set_bounds(1.0, float(n))
    ax.set_xticks(rank_ticks(n))
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)


def _draw_ruler(ax: Axes, difference: float, alpha: float) -> None:
    """Draw the critical difference as a length on the axis, from rank 1."""
    width = float(mpl.rcParams["lines.linewidth"])
    ax.plot(
        [1.0, 1.0 + difference], [RULER, RULER], color=INK, linewidth=width, marker="|",
        markersize=5 * width, markeredgewidth=width, gid="ruler",
    )  # fmt: skip
    text = f"critical difference {difference:.2f} (alpha = {alpha:g})"
    ax.text(1.0, RULER - 0.5, text, ha="left", va="bottom", gid="ruler-text")


def _draw_groups(ax: Axes, ranks: Floats, groups: list[np.ndarray], levels: list[int]) -> None:
    size = float(mpl.rcParams["font.size"])
    for group, level in zip(groups, levels, strict=True):
        ax.plot(
            ranks[group], np.full(len(group), FIRST + LEVEL * level), color=ACCENTS[0],
            linewidth=0.25 * size, marker="o", markersize=0.45 * size, markeredgewidth=0,
            solid_capstyle="round", zorder=3, gid="group",
        )  # fmt: skip


def _draw_leaders(ax: Axes, ranks: Floats, rows: Floats, left: int) -> None:
    edges = ax.get_xlim()
    width = 0.6 * float(mpl.rcParams["lines.linewidth"])
    for k, (rank, row) in enumerate(zip(ranks, rows, strict=True)):
        ax.plot(
            [rank, rank, edges[k >= left]], [0.0, row, row], color=INK, linewidth=width,
            solid_joinstyle="miter", zorder=2, gid=f"item-{k}",
        )  # fmt: skip


def _label(axis: YAxis, rows: Floats, texts: list[str]) -> None:
    axis.set_ticks(rows, texts[: len(rows)], parse_math=False)
    axis.set_tick_params(length=0)


def _sentences(test: FriedmanTest, bars: int) -> list[str]:
    meaning = {0: "no two items", 1: "items that the bar joins"}.get(bars, "items that a bar joins")
    p = test.f_p_value
    chance = f"= {p:.2g}" if p >= 1e-4 else "< 0.0001"
    return [
        f"average rank, 1 is best, in {counted(test.n_rankings, 'ranking')}; independent: "
        f"{test.unit}s",
        f"{meaning} differ by no more than the critical difference (Nemenyi)",
        f"all items alike: p {chance} (Friedman, by F)",
        *(f"note: {note}" for note in test.notes),
    ]
