"""How many units would tell each system from the next one, beside those at hand."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from rankagg._typing import Floats
from rankagg._validation import check_integer
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.inference.paired.result import TESTS
from rankagg.inference.power.separation import Separation
from rankagg.plotting.style.layout import (
    GRID,
    OPEN,
    SOLID,
    legend_above,
    name_letters,
    note_height,
    widest,
    write_below,
)
from rankagg.plotting.style.theme import GRAY, INK, canvas, plot_labels

__all__ = ["separation_plot"]

WIDTH: Final = 32.0
# More decades than so many are numbered in steps; fewer than so many have numbers between.
MANY, FEW = 6, 2


def separation_plot(
    separation: Separation, *, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how many units would tell each system from the next one, beside those at hand.

    A row for each two neighbors by mean score. The upright mark stands at the units at hand, the
    point at those needed if the differences and spreads seen are the true ones, and the number at
    the right is that of the point. A filled point is left of its mark: there are enough. An arrow
    stands for an infinite number: the two are level, or were compared less than twice.

    Parameters
    ----------
    separation : Separation
        Made by `separation`.
    top : int, optional
        Only the first so many pairs.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `separation` is something else, or `top` is no positive number.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.separation(ra.datasets.load("superglue_human"))
    >>> ax = plotting.separation_plot(found, top=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human / DeBERTa', 'DeBERTa / T5 + Meena']
    """
    if not isinstance(separation, Separation):
        raise InvalidInputError(
            "separation", "a Separation", separation, "`rankagg.separation(data)` makes one."
        )
    if top is not None:
        check_integer(top, "top", low=1)
    needed = separation.needed[:top]
    there = separation.n_units[:top].astype(np.float64)
    systems = plot_labels(separation.order, name_letters(ax, 24, share=0.2))
    names = [f"{a} / {b}" for a, b in pairwise(systems)][: len(needed)]
    told = [_written(number) for number in needed]
    notes = _sentences(separation, len(needed))
    new = ax is None
    height = 8.4 + 1.35 * len(names) + note_height(notes, WIDTH)
    ax = canvas(ax, WIDTH + 6 + widest(names) + widest(told), height)
    low, high = _limits(needed, there)
    for row in range(len(needed)):
        _draw_row(ax, row, (needed[row], there[row]), (low, high))
    _frame(ax, names, told, (low, high))
    write_below(ax, notes, WIDTH if new else None, axis=f"{separation.word}s, on a log scale")
    legend_above(ax, _keys(separation.word, needed, there), new=new)
    return ax


def _draw_row(
    ax: Axes, row: int, numbers: tuple[float, float], limits: tuple[float, float]
) -> None:
    needed, there = numbers
    width = float(mpl.rcParams["lines.linewidth"])
    size = float(mpl.rcParams["lines.markersize"])
    look = SOLID if needed <= there else OPEN
    hand = max(there, limits[0])
    end = min(needed, limits[1])
    if not np.isnan(end):
        ax.plot(
            [hand, end], [row, row], color=look["color"], linewidth=1.5 * width, zorder=2,
            solid_capstyle="butt", gid=f"gap-{row}",
        )  # fmt: skip
    ax.plot(
        hand, row, marker="|", color=INK, markersize=2.5 * size, markeredgewidth=1.2 * width,
        linestyle="none", zorder=4, gid=f"hand-{row}",
    )  # fmt: skip
    if np.isinf(needed):
        ax.plot(
            limits[1], row, marker=">", color=GRAY, markersize=1.5 * size, markeredgewidth=0,
            clip_on=False, zorder=4, gid=f"arrow-{row}",
        )  # fmt: skip
    elif not np.isnan(needed):
        ax.plot(
            needed, row, marker="o", linestyle="none", markeredgewidth=width, zorder=3,
            gid=f"point-{row}", **look,
        )  # fmt: skip


def _limits(needed: Floats, there: Floats) -> tuple[float, float]:
    """Return limits of the axis, so far apart that a tick is between them."""
    known = np.concatenate([needed[np.isfinite(needed)], there])
    low, high = max(1.0, float(known.min())), max(1.0, float(known.max()))
    room = max((high / low) ** 0.08, 1.5)
    return low / room, high * room


def _frame(ax: Axes, names: list[str], told: list[str], limits: tuple[float, float]) -> None:
    width = float(mpl.rcParams["lines.linewidth"])
    ax.set_xscale("log")
    edge = (limits[1] / limits[0]) ** 0.02
    ax.set_xlim(limits[0] / edge, limits[1] * edge)
    ticks = _ticks(*limits)
    ax.set_xticks(ticks, [_written(tick) for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    right = ax.secondary_yaxis("right")
    right.yaxis.set_ticks(range(len(told)), told, parse_math=False)
    right.yaxis.set_tick_params(length=0)
    right.spines["right"].set_visible(False)
    ax.grid(color=GRID, linewidth=0.5 * width)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)


def _ticks(low: float, high: float) -> list[float]:
    """Return powers of ten within limits, with numbers between where there is room for them."""
    first, last = int(np.ceil(np.log10(low) - 1e-9)), int(np.floor(np.log10(high) + 1e-9))
    if last - first >= FEW:
        return [10.0**k for k in range(first, last + 1, -(-(last - first) // MANY))]
    multiples = (1, 2, 5) if last > first else (1, 2, 3, 5, 7)
    found = [many * 10.0**k for k in range(max(first - 1, 0), last + 1) for many in multiples]
    return [tick for tick in found if low <= tick <= high]


def _written(number: float) -> str:
    if np.isnan(number):
        return "unknown"
    if np.isinf(number):
        return "\N{INFINITY}"
    return f"{number:,.0f}" if number < 1e6 else re.sub(r"e\+0*", "e", f"{number:.0e}")


def _keys(word: str, needed: Floats, there: Floats) -> list[Line2D]:
    size = float(mpl.rcParams["lines.markersize"])
    marks = [
        Line2D(
            [], [], marker="|", color=INK, markersize=2.5 * size, linestyle="none",
            label=f"{word}s at hand",
        )
    ]  # fmt: skip
    finite = np.isfinite(needed)
    for look, occurs, label in (
        (SOLID, finite & (needed <= there), f"{word}s needed: enough are there"),
        (OPEN, finite & (needed > there), f"{word}s needed: more than are there"),
    ):
        if occurs.any():
            marks.append(Line2D([], [], marker="o", linestyle="none", label=label, **look))
    return marks


def _sentences(separation: Separation, shown: int) -> list[str]:
    total, needed = len(separation.needed), separation.needed[:shown]
    test = TESTS["mcnemar"] if separation.is_answers else "t"
    tests = counted(separation.n_tests, "test")
    return [
        f"the first {shown} of {counted(total, 'pair')}" if shown < total else "",
        f"{100 * separation.power:g} % power of {test} tests; {tests} with a family-wise error "
        f"rate of {separation.alpha:g}",
        f"{separation.word}s needed if the differences and spreads seen are the true ones: orders "
        "of magnitude",
        f"\N{INFINITY}: level, or compared in less than two {separation.word}s"
        if np.isinf(needed).any()
        else "",
        f"unknown: all {separation.word}s agree, which tells no spread"
        if np.isnan(needed).any()
        else "",
    ]
