"""What is left of a consensus on fewer tasks or systems."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rankagg._typing import Ranks
from rankagg.analysis import Stability
from rankagg.core import counted, counts_told
from rankagg.plotting.curves import Panel, draw_panels
from rankagg.plotting.sheet import PlotSheet, open_frame, right_names, round_ticks, row_names
from rankagg.plotting.theme import ACCENTS, GRAY, PALE, dot, plot_of, stroke

OUTER = (0.05, 0.5, 0.95)
MOST_UNITS_DRAWN: Final = 30
#: Color, marker and size (in usual markers) of a unit, and its words in the legend.
FATES: Final = {
    "stays": (ACCENTS[0], "o", 1.0, "the winner stays"),
    "changes": (ACCENTS[1], "D", 1.3, "another winner, named at the right"),
    "unknown": (GRAY, "x", 1.3, "nothing in common to compare"),
    "undecided": (GRAY, "P", 1.3, "not decided within the limit"),
}


@plot_of(Stability, "rankagg.stability")
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
    frame = stability.subsets(OUTER)
    if frame.empty:
        return _draw_influence(stability, ax)
    ends = dict(zip(("low", "middle", "high"), (f"tau_{q:g}" for q in OUTER), strict=True))
    curves = {
        "tau: median": frame[list(ends.values())].set_axis(list(ends), axis=1),
        "share of subsets with the same winner": frame[["top1"]].set_axis(["middle"], axis=1),
    }
    rows = pd.concat([part.assign(line=name, at=frame.index) for name, part in curves.items()])
    panel = Panel("", rows.assign(dotted=np.nan))
    lowest = float(np.nanmin(rows[["low", "middle"]].to_numpy(np.float64), initial=1.0))
    upright = np.linspace(-1.0 if lowest < 0 else 0.0, 1.0, 5 if lowest < 0 else 6).tolist()
    label = "agreement with the consensus\nof all data"
    sheet, handles, *_ = draw_panels(ax, [panel], label, upright=upright)
    parts, whole = stability.on_subsets, stability.consensus.ranking.ranks
    undefined = sum(part.is_proved and not _has_tau(part.ranks, whole) for part in parts)
    total = counted(len(parts), "subset")
    notes = [
        f"{stability.consensus.rule.name}, {counts_told(frame['subsets'], 'subset')} of each size",
        f"tau is not defined in {undefined} of {total}: all systems tie" if undefined else "",
        *stability.notes,
    ]
    middle_part = Patch(color=PALE, label="tau: 5 % to 95 % of subsets")
    return sheet.finish(
        notes,
        axis=f"{stability.noun} kept, of {len(stability.units)}",
        handles=[*handles, middle_part],
    )


def _has_tau(first: Ranks, second: Ranks) -> bool:
    """Say whether both tell some of their common items apart."""
    common = (first >= 0) & (second >= 0)
    return all(len(np.unique(ranks[common])) > 1 for ranks in (first, second))


def _draw_influence(stability: Stability, ax: Axes | None) -> Axes:
    """Draw a dot for each unit: its distance, and whether its absence changes the winner."""
    frame = stability.influence().sort_values("distance", ascending=False, kind="stable")
    no_winner, no_distance = frame["winner"].isna(), frame["distance"].isna() | frame["top1"].isna()
    fates = [no_winner, no_distance, frame["top1"] < 1 - 1e-9]
    frame["fate"] = np.select(fates, ["undecided", "unknown", "changes"], "stays")
    shown = frame.head(MOST_UNITS_DRAWN)
    sheet = PlotSheet(ax, 30.0, 1.5 * len(shown) + 1)
    ax, names = sheet.ax, sheet.names(shown.index, share=0.3)
    for row, (distance, fate) in enumerate(zip(shown["distance"], shown["fate"], strict=True)):
        end = 0.0 if np.isnan(distance) else float(distance)
        ax.plot([0, end], [row, row], color=GRAY, lw=stroke(0.5), zorder=2)
        ax.plot(end, row, zorder=3, clip_on=False, gid=f"{fate}-{row}", **_fate_look(str(fate)))
    row_names(ax, names)
    news = np.flatnonzero(shown["fate"] == "changes")
    if len(news):
        winners = [sheet.names([str(shown["winner"].iloc[k])], share=0.25)[0] for k in news]
        right_names(ax, news.tolist(), winners)
    farthest = float(np.nanmax([1.0, *shown["distance"]]))
    ax.set_xlim(-0.03 * farthest, 1.05 * farthest)
    ax.set_xticks(round_ticks(0, farthest, whole=True))
    open_frame(ax, ("top", "right", "left"), "x")
    handles = [
        Line2D([], [], label=words, **_fate_look(fate))
        for fate, (*_, words) in FATES.items()
        if fate in set(shown["fate"])
    ]
    name, total = stability.consensus.rule.name, len(stability.units)
    notes = [
        f"{name}, without one of {total} {stability.noun}",
        _not_drawn(frame.iloc[MOST_UNITS_DRAWN:], stability.noun),
        *stability.notes,
    ]
    return sheet.finish(notes, axis="pairs in another order, half for a tie", handles=handles)


def _fate_look(fate: str) -> dict[str, Any]:
    color, marker, scale, _ = FATES[fate]
    return {"color": color, "marker": marker, "ms": dot(scale), "ls": "none"}


def _not_drawn(rest: pd.DataFrame, noun: str) -> str:
    if rest.empty:
        return ""
    changes, highest = int((rest["fate"] == "changes").sum()), rest["distance"].max()
    winners = f"the winner changes in {changes}" if changes else "the winner stays"
    which = "" if np.isnan(highest) else f" with a distance of at most {highest:g}; {winners}"
    return f"not drawn: {len(rest)} {noun}{which}"
