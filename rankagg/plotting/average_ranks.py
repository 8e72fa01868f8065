"""Average ranks on one axis, and which of them do not differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Floats
from rankagg.core import counted
from rankagg.inference import FriedmanTest
from rankagg.plotting.sheet import PlotSheet, open_frame, rank_ticks, right_names
from rankagg.plotting.theme import ACCENTS, INK, letter, plot_of, stroke

# Heights in letters, downwards from the axis of average ranks at 0: the top, the critical
# difference, the first bar and the next ones, and rows of items.
TOP_EDGE, RULER, FIRST_BAR, NEXT_BAR, ITEM_ROW = -5.4, -3.4, 1.0, 0.8, 1.35
# Bars on one level are so many letters apart.
BARS_APART = 1.2


@plot_of(FriedmanTest, "friedman(data)")
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
    >>> test = ra.inference.friedman(ra.datasets.load("superglue_human"))
    >>> ax = plotting.critical_difference_diagram(test)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human  2.10', 'DeBERTa  2.35', 'T5 + Meena  2.75']
    """
    difference = test.critical_difference(alpha)
    order = np.argsort(test.average_ranks, kind="stable")
    ranks, position = test.average_ranks[order], np.argsort(order)
    groups = [
        np.sort(position[test.items.indices(group)])
        for group in test.groups(alpha)
        if len(group) > 1
    ]
    n = len(ranks)
    left = (n + 1) // 2
    low, high = min(1.0, float(ranks[0])), max(float(n), float(ranks[-1]), 1.0 + difference)
    # Bars stand on levels, of which the height of the axes depends: these are wide enough.
    width = min(max(32.0, 1.2 * n), 48.0) if ax is None else PlotSheet(ax, 0.0, 0.0).across
    levels = _bar_levels(
        [ranks[group[[0, -1]]] for group in groups], BARS_APART * (high - low) / width
    )
    first_row = FIRST_BAR + NEXT_BAR * (max(levels, default=-1) + 1) + 0.6
    bottom = first_row + ITEM_ROW * (left - 1) + 0.9
    sheet = PlotSheet(ax, width, bottom - TOP_EDGE)
    ax, names = sheet.ax, sheet.names(test.items.at(order), share=0.25)
    pad = 0.03 * (high - low)
    ax.set_xlim(low - pad, high + pad)
    ax.set_ylim(bottom, TOP_EDGE)
    _put_axis(ax, n)
    ruler: dict[str, Any] = {"color": INK, "marker": "|", "ms": stroke(5), "mew": stroke()}
    ax.plot([1.0, 1.0 + difference], [RULER, RULER], lw=stroke(), gid="ruler", **ruler)
    told = f"critical difference {difference:.2f} (alpha = {alpha:g})"
    ax.text(1.0, RULER - 0.5, told, ha="left", va="bottom", gid="ruler-text")
    bar: dict[str, Any] = {"color": ACCENTS[0], "lw": letter(0.25), "marker": "o", "mew": 0}
    bar |= {"ms": letter(0.45), "solid_capstyle": "round", "zorder": 3}
    for group, level in zip(groups, levels, strict=True):
        heights = np.full(len(group), FIRST_BAR + NEXT_BAR * level)
        ax.plot(ranks[group], heights, gid="group", **bar)
    rows = first_row + ITEM_ROW * np.array([k if k < left else n - 1 - k for k in range(n)])
    leader: dict[str, Any] = {"color": INK, "lw": stroke(0.6), "solid_joinstyle": "miter"}
    for k, (rank, row) in enumerate(zip(ranks, rows, strict=True)):
        edge = ax.get_xlim()[k >= left]
        ax.plot([rank, rank, edge], [0.0, row, row], zorder=2, gid=f"item-{k}", **leader)
    texts = [f"{t}  {r:.2f}" for t, r in zip(names[:left], ranks[:left], strict=True)]
    ax.set_yticks(rows[:left], texts, parse_math=False)
    ax.tick_params(axis="y", length=0)
    texts = [f"{r:.2f}  {t}" for t, r in zip(names[left:], ranks[left:], strict=True)]
    right_names(ax, rows[left:], texts)
    return sheet.finish(_test_told(test, len(groups)))


def _bar_levels(spans: list[Floats], apart: float) -> list[int]:
    """Return for each bar, best first, the first level at which it is well apart from others."""
    ends: list[float] = []
    levels = []
    for start, end in spans:
        level = next((k for k, taken in enumerate(ends) if taken + apart < start), len(ends))
        ends[level:] = [end, *ends[level + 1 :]]
        levels.append(level)
    return levels


def _put_axis(ax: Axes, n: int) -> None:
    """Put the axis of average ranks at height 0."""
    open_frame(ax, ("left", "right", "bottom"), "")
    line = ax.spines["top"]
    line.set_visible(True)
    line.set_position(("data", 0.0))
    line.set_bounds(1.0, float(n))
    ax.set_xticks(rank_ticks(n))
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)


def _test_told(test: FriedmanTest, bars: int) -> list[str]:
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
