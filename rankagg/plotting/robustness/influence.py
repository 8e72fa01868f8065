"""What leaving out each single task or system changes."""

from __future__ import annotations

from typing import Final

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg.analysis.robustness.stability import Stability
from rankagg.plotting.style.legends import legend_above
from rankagg.plotting.style.letters import round_ticks, widest
from rankagg.plotting.style.margins import name_letters, write_below
from rankagg.plotting.style.rows import GRID
from rankagg.plotting.style.theme import ACCENTS, GRAY, canvas, plot_labels

__all__ = ["draw_influence"]

SHOWN: Final = 30
WIDTH, ROW = 30.0, 1.5

#: Color, marker and size (in usual markers) of a unit.
LOOKS: Final = {
    "stays": (ACCENTS[0], "o", 1.0, "the winner stays"),
    "changes": (ACCENTS[1], "D", 1.3, "another winner, named at the right"),
    "unknown": (GRAY, "x", 1.3, "nothing in common to compare"),
    "undecided": (GRAY, "P", 1.3, "not decided within the limit"),
}


def draw_influence(stability: Stability, ax: Axes | None) -> Axes:
    """Draw a dot for each unit: its distance, and whether its absence changes the winner.

    Parameters
    ----------
    stability : Stability
        The analysis.
    ax : matplotlib.axes.Axes or None
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    frame = stability.influence().sort_values("distance", ascending=False, kind="stable")
    frame["fate"] = np.select(
        [
            frame["winner"].isna(),
            frame["distance"].isna() | frame["top1"].isna(),
            frame["top1"] < 1 - 1e-9,
        ],
        ["undecided", "unknown", "changes"], "stays",
    )  # fmt: skip
    shown = frame.head(SHOWN)
    names = plot_labels(shown.index, name_letters(ax, share=0.3))
    winners = [
        plot_labels([str(winner)], name_letters(ax, share=0.25))[0] for winner in shown["winner"]
    ]
    news = [k for k, fate in enumerate(shown["fate"]) if fate == "changes"]
    aside = widest(winners[k] for k in news)
    new = ax is None
    ax = canvas(ax, WIDTH + widest(names) + aside + 3, ROW * len(shown) + 12)
    for row, (distance, fate) in enumerate(zip(shown["distance"], shown["fate"], strict=True)):
        _dot(ax, row, 0.0 if np.isnan(distance) else float(distance), str(fate))
    ax.set_yticks(range(len(shown)), names, parse_math=False)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    if news:
        right = ax.secondary_yaxis("right")
        right.yaxis.set_ticks(news, [winners[k] for k in news], parse_math=False)
        right.yaxis.set_tick_params(length=0)
        right.spines["right"].set_visible(False)
    farthest = float(np.nanmax([1.0, *shown["distance"]]))
    ax.set_xlim(-0.03 * farthest, 1.05 * farthest)
    ax.set_xticks(round_ticks(0, farthest, whole=True))
    ax.grid(axis="x", color=GRID, linewidth=0.5 * float(mpl.rcParams["lines.linewidth"]))
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    along, *notes = _notes(stability, frame)
    write_below(ax, notes, WIDTH if new else None, axis=along)
    size = float(mpl.rcParams["lines.markersize"])
    handles = [
        Line2D([], [], color=color, marker=marker, ms=scale * size, linestyle="none", label=words)
        for fate, (color, marker, scale, words) in LOOKS.items()
        if fate in set(shown["fate"])
    ]
    legend_above(ax, handles, new=new)
    return ax


def _dot(ax: Axes, row: int, distance: float, fate: str) -> None:
    color, marker, scale, _ = LOOKS[fate]
    width = float(mpl.rcParams["lines.linewidth"])
    size = float(mpl.rcParams["lines.markersize"])
    ax.plot([0, distance], [row, row], color=GRAY, linewidth=0.5 * width, zorder=2)
    ax.plot(
        distance, row, color=color, marker=marker, ms=scale * size, linestyle="none", zorder=3,
        clip_on=False, gid=f"{fate}-{row}",
    )  # fmt: skip


def _notes(stability: Stability, frame: pd.DataFrame) -> list[str]:
    notes = [
        "pairs in another order, half for a tie",
        f"{stability.consensus.aggregator.name}, without one of {len(stability.units)} "
        f"{stability.noun}",
    ]
    rest = frame.iloc[SHOWN:]
    if len(rest):
        changes = int((rest["fate"] == "changes").sum())
        winners = f"; the winner changes in {changes}" if changes else "; the winner stays"
        highest = rest["distance"].max()
        which = "" if np.isnan(highest) else f" with a distance of at most {highest:g}{winners}"
        notes.append(f"not drawn: {len(rest)} {stability.noun}{which}")
    return [*notes, *stability.notes]
