"""What is left of a consensus on fewer tasks or systems."""

from __future__ import annotations

from typing import Final

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Ranks
from rankagg.analysis.robustness.stability import Stability
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.sheet import (
    GRID,
    legend_above,
    name_letters,
    round_ticks,
    widest,
    write_below,
)
from rankagg.plotting.theme import ACCENTS, GRAY, INK, canvas, plot_labels

SHOWN: Final = 30
INFLUENCE_WIDTH, ROW = 30.0, 1.5

#: Color, marker and size (in usual markers) of a unit.
LOOKS: Final = {
    "stays": (ACCENTS[0], "o", 1.0, "the winner stays"),
    "changes": (ACCENTS[1], "D", 1.3, "another winner, named at the right"),
    "unknown": (GRAY, "x", 1.3, "nothing in common to compare"),
    "undecided": (GRAY, "P", 1.3, "not decided within the limit"),
}


def draw_influence(stability: Stability, ax: Axes | None) -> Axes:
    """Draw a dot for each unit: its distance, and whether its absence changes the winner."""
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
    ax = canvas(ax, INFLUENCE_WIDTH + widest(names) + aside + 3, ROW * len(shown) + 12)
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
    along, *notes = _influence_notes(stability, frame)
    write_below(ax, notes, INFLUENCE_WIDTH if new else None, axis=along)
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


def _influence_notes(stability: Stability, frame: pd.DataFrame) -> list[str]:
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


WIDTH, HEIGHT = 36.0, 28.0
BAND = "#bcd7ea"
# So many sizes have a number each.
MARKED = 12
OUTER = (0.05, 0.5, 0.95)


def robustness_plot(stability: Stability, *, ax: Axes | None = None) -> Axes:
    """Draw how near consensuses of fewer tasks, or systems, come to that of all data.

    A line for the median of tau over the subsets of each size, in a band from the 5 % to the
    95 % quantile, and one for the share of subsets with the same winner. An analysis without
    subsets is drawn as what leaving out each single task, or system, changes: a dot for each,
    the most influential first.

    Parameters
    ----------
    stability : Stability
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no stability analysis.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, draw tau against the number of tasks.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> table = ra.datasets.load("superglue_human")
    >>> result = ra.stability(table, ra.Borda(), n_samples=20, rng=0)
    >>> ax = plotting.robustness_plot(result)
    >>> ax.get_xlabel()
    'tasks kept, of 10'
    """
    if not isinstance(stability, Stability):
        raise InvalidInputError(
            "stability", "a Stability", stability, "`rankagg.stability` makes one."
        )
    frame = stability.subsets(OUTER)
    if frame.empty:
        return draw_influence(stability, ax)
    return _draw_subsets(stability, frame, ax)


def _draw_subsets(stability: Stability, frame: pd.DataFrame, ax: Axes | None) -> Axes:
    new = ax is None
    ax = canvas(ax, WIDTH, HEIGHT)
    width = float(mpl.rcParams["lines.linewidth"])
    sizes = frame.index.to_numpy()
    low, middle, high = (frame[f"tau_{q:g}"].to_numpy() for q in OUTER)
    known = np.isfinite(middle)
    band = ax.fill_between(
        sizes, low, high, where=known.tolist(), color=BAND, linewidth=0, zorder=1, gid="band",
        label="tau: 5 % to 95 % of subsets",
    )  # fmt: skip
    # A size without neighbors has no band.
    ax.vlines(
        sizes[known], low[known], high[known], color=ACCENTS[0], linewidth=0.5 * width, zorder=2,
        gid="bars",
    )  # fmt: skip
    for ends in (low, high):
        ax.plot(
            sizes, ends, color=ACCENTS[0], marker="_", markeredgewidth=0.5 * width, zorder=2,
            linestyle="none", clip_on=False, gid="caps",
        )  # fmt: skip
    (median,) = ax.plot(
        sizes, middle, color=ACCENTS[0], linestyle="-", marker="o", zorder=4, clip_on=False,
        gid="median", label="tau: median",
    )  # fmt: skip
    (winner,) = ax.plot(
        sizes, frame["top1"], color=ACCENTS[1], linestyle="--", marker="s", zorder=3,
        markerfacecolor="white", clip_on=False, gid="winner",
        label="share of subsets with the same winner",
    )  # fmt: skip
    if (low[known] < 0).any():
        ax.set_ylim(-1, 1)
        ax.set_yticks([-1, -0.5, 0, 0.5, 1])
        ax.axhline(0, color=INK, linewidth=0.5 * width, zorder=0)
    else:
        ax.set_ylim(0, 1)
        ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    least, most = int(sizes.min()), int(sizes.max())
    ax.set_xlim(least - 0.5 * (least == most), most + 0.5 * (least == most))
    ax.set_xticks(sizes.tolist() if len(sizes) <= MARKED else round_ticks(least, most, whole=True))
    ax.grid(color=GRID, linewidth=0.5 * width)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_ylabel("agreement with the consensus\nof all data")
    kept = f"{stability.noun} kept, of {len(stability.units)}"
    write_below(ax, _notes(stability, frame), WIDTH - 4 if new else None, axis=kept)
    legend_above(ax, [median, band, winner], new=new)
    return ax


def _notes(stability: Stability, frame: pd.DataFrame) -> list[str]:
    least, most = int(frame["subsets"].min()), int(frame["subsets"].max())
    number = f"{least}" if least == most else f"{least} to {most}"
    notes = [f"{stability.consensus.aggregator.name}, {counted(number, 'subset')} of each size"]
    whole = stability.consensus.ranking.ranks
    undefined = sum(
        part.is_proved and not _has_tau(part.ranks, whole) for part in stability._on_subsets
    )
    if undefined:
        total = len(stability._on_subsets)
        notes.append(
            f"tau is not defined in {undefined} of {counted(total, 'subset')}: all systems tie"
        )
    return [*notes, *stability.notes]


def _has_tau(first: Ranks, second: Ranks) -> bool:
    """Say whether both tell some of their common items apart."""
    common = (first >= 0) & (second >= 0)
    return all(len(np.unique(ranks[common])) > 1 for ranks in (first, second))
