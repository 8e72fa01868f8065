"""Lines of rules: ranks from rule to rule, and overlaps of the first items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from rankagg._typing import Floats, Positions, Ranks
from rankagg.analysis import RuleComparison
from rankagg.analysis.comparison.agreement import flow_slots
from rankagg.core import counted
from rankagg.plotting.sheet import (
    PlotSheet,
    first_of,
    open_frame,
    rank_ticks,
)
from rankagg.plotting.theme import (
    ACCENTS,
    GRAY,
    INK,
    LINES,
    MOST_DRAWN,
    NO_RANK,
    dot,
    method_look,
    plot_labels,
    plot_of,
    stroke,
)

# Curves of so many points have a marker at each.
MARKED = 12


def _every_mark(number: int, total: int) -> tuple[int, int]:
    """Return which points of a curve have a marker: all of few."""
    every = 1 if total <= MARKED else -(-total // 8)
    return number % every, every


@plot_of(RuleComparison, "rankagg.compare")
def bump_chart(
    result: RuleComparison,
    *,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw a rank-flow (bump) chart: a column for each rule, a line for each item.

    Every item has a height of its own in every column; tied items are joined by a bar.
    Lines that go up or down are colored, straight ones gray. The first items are those of the
    exact rule, or of the last one where none is exact, in their order among themselves.

    Parameters
    ----------
    result : RuleComparison
        The consensuses.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("borda_fails_condorcet"))
    >>> ax = plotting.bump_chart(comparison)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['Borda', 'Copeland', 'Kemeny']
    """
    names = result.rules
    ranks = np.stack([result[name].ranking.ranks for name in names])
    kept, note = _kept_items(result, top)
    ranks = ranks[:, kept]
    slots, columns = flow_slots(ranks), plot_labels(names, 24)
    step = max(9.0, 0.62 * max(map(len, columns)) + 2)
    sheet = PlotSheet(ax, step * max(len(names) - 1, 0.5), 1.5 * (slots.max() + 1))
    ax, labels = sheet.ax, sheet.names(result.consensuses[0].items.at(kept), share=0.25)
    moved = np.ptp(slots, axis=0) > 0
    for position, column in enumerate(slots.T):
        look: dict[str, Any] = {"color": GRAY, "ls": "-", "lw": stroke(0.6), "zorder": 2}
        if moved[position]:
            turn, color = divmod(int(np.count_nonzero(moved[:position])), len(ACCENTS))
            look = {"color": ACCENTS[color], "ls": LINES[turn % len(LINES)], "zorder": 3}
        look |= {"marker": "o", "label": f"_{labels[position]}"}
        ax.plot(range(len(names)), column, gid=f"item-{position}", **look)
    _join_ties(ax, slots, ranks)
    places = [[NO_RANK if rank < 0 else str(rank + 1) for rank in row] for row in ranks.tolist()]
    left = [f"{label}  {place}" for place, label in zip(places[0], labels, strict=True)]
    ax.set_yticks(slots[0], left, parse_math=False)
    if len(names) > 1:
        right = [f"{place}  {label}" for place, label in zip(places[-1], labels, strict=True)]
        sheet.name_rows_at_right(slots[-1], right)
    ax.set_xticks(range(len(names)), columns, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    ax.set_xlim(-0.15, len(names) - 0.85)
    ax.set_ylim(slots.max() + 0.7, -0.7)
    open_frame(ax, ("top", "right", "bottom", "left"), "")
    return sheet.finish([note])


def _kept_items(comparison: RuleComparison, top: int | None) -> tuple[Positions, str]:
    """Return the items to draw and, where some are left out, a sentence that says so."""
    total = len(comparison.consensuses[0].items)
    n, said = first_of(total, top, "item")
    if not said:
        return np.arange(total), ""
    lead = comparison.exact or comparison.consensuses[-1]
    ranks, name = lead.ranking.ranks, lead.rule.name
    order = np.argsort(np.where(ranks >= 0, ranks, total), kind="stable")
    return np.sort(order[:n]), f"{said} by {name}"


def _join_ties(ax: Axes, slots: Floats, ranks: Ranks) -> None:
    bar: dict[str, Any] = {"color": INK, "alpha": 0.35, "zorder": 1, "lw": stroke(5)}
    for x, (heights, places) in enumerate(zip(slots, ranks, strict=True)):
        for place in np.unique(places[places >= 0]):
            tied = heights[places == place]
            if len(tied) > 1:
                ends = [tied.min(), tied.max()]
                ax.plot([x, x], ends, solid_capstyle="round", gid="tie", **bar)


@plot_of(RuleComparison, "rankagg.compare")
def overlap_plot(result: RuleComparison, *, ax: Axes | None = None) -> Axes:
    """Draw for every k how many of the exact consensus's first k each rule has among its own.

    A dotted line shows what a ranking drawn at random has. Methods with the same curve share a
    line.

    Parameters
    ----------
    result : RuleComparison
        The consensuses, an exact one among them.

    Raises
    ------
    InvalidInputError
        If no exact rule is among the rules.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("superglue_human"))
    >>> ax = plotting.overlap_plot(comparison)
    >>> [text.get_text().split() for text in ax.get_legend().get_texts()]
    [['Copeland', 'Kemeny'], ['Mean', 'Borda'], ['at', 'random']]
    """
    curves, exact = result.overlap_curves(), result.exact
    assert exact is not None, "curves need an exact consensus"
    groups, depth, total = _alike(curves), len(curves), len(exact.items)
    names = dict(zip(curves.columns, plot_labels(curves.columns, 24), strict=True))
    sheet = PlotSheet(ax, 34.0, 20.0)
    ax, handles = sheet.ax, []
    for number, group in enumerate(groups):
        # Later ones are narrower, so that earlier ones stay in sight below them.
        fat = 1 + 0.9 * (len(groups) - 1 - number) / max(len(groups) - 1, 1)
        look = {**method_look(number), "lw": stroke(fat), "ms": dot(fat), "zorder": 3}
        look |= {"markevery": _every_mark(number, depth), "clip_on": False}
        label = "\n".join(names[rule] for rule in group)
        curve = curves[group[0]]
        handles += ax.plot(curve.index, curve, label=label, gid=f"curve-{number}", **look)
    if depth == total:
        at = np.arange(1, depth + 1)
        handles += ax.plot(at, at / total, ":", color=GRAY, label="at random", gid="random")
    ax.set_xlim(1 if depth > 1 else 0.5, max(depth, 1.5))
    ax.set_ylim(0, 1.03)
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.set_xticks(rank_ticks(depth))
    open_frame(ax)
    lead = names[exact.rule.name]
    ax.set_ylabel(f"expected overlap with\n{lead}'s first k", parse_math=False)
    labels = [str(handle.get_label()) for handle in handles]
    beside = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5), "handlelength": 3}
    sheet.legend(handles, labels, **beside)
    ranked = f"{depth} of {counted(total, 'item')} {'is' if depth == 1 else 'are'} ranked"
    notes = [
        f"only {ranked} by all rules" if depth < total else "",
        "the exact consensus is not proved optimal" if exact.is_proved is False else "",
    ]
    return sheet.finish(notes, axis="k: how many of the first items")


def _alike(curves: pd.DataFrame) -> list[list[str]]:
    """Return the rules in groups with one curve, the best on average first."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for rule, curve in curves.items():
        groups.setdefault(tuple(curve.round(9)), []).append(str(rule))
    return sorted(groups.values(), key=lambda group: -float(curves[group[0]].mean()))
