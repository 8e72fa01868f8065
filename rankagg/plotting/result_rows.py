"""Rows of results: intervals of pairs, ranks in lists and on a new task, and rules on halves."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from rankagg.analysis.rule_choice import RuleChoice
from rankagg.core import counted, p_text
from rankagg.inference.list_tests import RobustRankAggregation
from rankagg.inference.pairwise import PairwiseIntervals
from rankagg.inference.ranks.new_task import NewTaskRanks
from rankagg.plotting.interval_rows import ROW_HEIGHT
from rankagg.plotting.sheet import HOLLOW, SOLID, PlotSheet, first_of, open_frame, rank_ticks
from rankagg.plotting.theme import ACCENTS, GRAY, MOST_DRAWN, dot, plot_of

# The ends of bars over random splits.
OUTER = (0.05, 0.95)


@plot_of(PairwiseIntervals, "PairwiseIntervals.from_data(data)")
def pair_intervals_plot(
    result: PairwiseIntervals, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the intervals of pairs: how often the first is above the second.

    Items are ordered by the sums of their proportions. Pairs of neighbors in that order come first,
    then those two places apart, and so on. A point is filled where 1/2 is outside the interval.

    Parameters
    ----------
    result : PairwiseIntervals
        Made by `PairwiseIntervals.from_data`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ax = plotting.pair_intervals_plot(ra.PairwiseIntervals.from_data(profile))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A / B', 'B / C', 'A / C']
    """
    n = len(result.items)
    shown, said = first_of(n * (n - 1) // 2, top, "pair")
    known = np.where(np.isnan(result.estimate), 0.5, result.estimate).sum(axis=1)
    order = np.argsort(-known.round(9), kind="stable")
    apart = np.concatenate([np.full(n - gap, gap) for gap in range(1, n)] or [np.zeros(0, int)])
    places = np.concatenate([np.arange(n - gap) for gap in range(1, n)] or [np.zeros(0, int)])
    first, second = order[places[:shown]], order[(places + apart)[:shown]]
    bounds = np.column_stack([result.lower[first, second], result.upper[first, second]])
    outside = (bounds[:, 0] > 0.5) | (bounds[:, 1] < 0.5)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (shown + 0.4))
    names = sheet.names(result.items, 24, share=0.2)
    sheet.ax.axvline(0.5, color=GRAY, lw=1.0, zorder=1, gid="half")
    rows = [f"{names[i]} / {names[j]}" for i, j in zip(first, second, strict=True)]
    sheet.draw_intervals(rows, result.estimate[first, second], bounds, outside)
    sheet.ax.set_xlim(-0.02, 1.02)
    sheet.ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    notes = [
        f"{said}: neighbors by mean proportion first" if said else "",
        "filled: 50 % is outside the interval",
        result.describe(),
        *(f"note: {note}" for note in result.notes),
    ]
    return sheet.finish(notes, axis=f"share of {result.unit}s with the first above the second")


@plot_of(RobustRankAggregation, "robust_rank_aggregation(lists)", "a RobustRankAggregation")
def list_ranks_plot(
    result: RobustRankAggregation, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the ranks of items in all lists, the item with the smallest score first.

    A mark is the rank in one list, as a share of all items; it stands at 100 % where the list does
    not name the item. At the right are the p-values adjusted for all items, and marks are blue
    where these are at most 0.05.

    Parameters
    ----------
    result : RobustRankAggregation
        Made by `robust_rank_aggregation`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> tops = [ra.PartialRanking.from_top_k(top, items="ABCDE") for top in ("ABC", "ADB", "AE")]
    >>> found = ra.inference.robust_rank_aggregation(ra.Profile(tops), n_items=100)
    >>> ax = plotting.list_ranks_plot(found, top=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B']
    """
    n, said = first_of(len(result.items), top, "item")
    frame = result.to_frame().iloc[:n]
    order = result.items.indices(frame.index)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (n + 0.4))
    low = frame["p_holm"].to_numpy() <= 0.05
    look: dict[str, Any] = {"ls": "none", "marker": "|", "ms": dot(2.0), "clip_on": False}
    for row, item in enumerate(order):
        color = ACCENTS[0] if low[row] else GRAY
        shares = result.shares[:, item]
        sheet.ax.plot(shares, np.full(len(shares), row), color=color, gid=f"lists-{row}", **look)
    sheet.name_rows(sheet.names(frame.index))
    sheet.name_rows_at_right(range(n), [p_text(p) for p in frame["p_holm"]])
    open_frame(sheet.ax, ("top", "right", "left"))
    sheet.ax.set_xlim(-0.01, 1.03)
    sheet.ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    handles = [
        Line2D([], [], label=label, color=color, **look)
        for label, color, some in (
            ("adjusted p at most 0.05", ACCENTS[0], low.any()),
            ("adjusted p above 0.05", GRAY, not low.all()),
        )
        if some
    ]
    lists = counted(result.n_lists, "list", ",")
    notes = [said, f"a mark: one of {lists}; at the right: p adjusted for all items (Holm)"]
    axis = f"rank, as a share of {counted(result.n_items, 'item', ',')}"
    return sheet.finish(notes, axis=axis, handles=handles, columns=2)


@plot_of(NewTaskRanks, "new_task_ranks(table)")
def new_task_plot(
    result: NewTaskRanks, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the ranks that each system may take on one more task, the best first.

    Parameters
    ----------
    result : NewTaskRanks
        Made by `new_task_ranks`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> found = ra.inference.new_task_ranks(ra.datasets.load("superglue_human"), alpha=0.2)
    >>> ax = plotting.new_task_plot(found, top=2)
    >>> len(ax.get_yticklabels())
    2
    """
    every = result.to_frame().sort_values(["best", "worst"], kind="stable")
    n, said = first_of(len(every), top, "system")
    frame = every.iloc[:n]
    bounds = frame[["best", "worst"]].to_numpy(np.float64)
    last = int(bounds[:, 1].max())
    sheet = PlotSheet(ax, min(max(28.0, 1.2 * last), 44.0), ROW_HEIGHT * (n + 0.4))
    sheet.draw_intervals(sheet.names(frame.index), np.full(n, np.nan), bounds, [SOLID] * n)
    sheet.ax.set_xlim(0.5, last + 0.5)
    sheet.ax.set_xticks(rank_ticks(last))
    return sheet.finish([said, *result.summary_parts()[0]], axis="rank on one more task")


@plot_of(RuleChoice, "choose_rule(data, rules)")
def rule_choice_plot(result: RuleChoice, *, ax: Axes | None = None) -> Axes:
    """Draw how far apart each rule ranks two halves of the voters, the most stable rule first.

    The point is the mean distance over the splits, filled for the least; the bar holds the middle
    90 % of splits.

    Parameters
    ----------
    result : RuleChoice
        Made by `choose_rule`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> table = ra.datasets.load("superglue_human")
    >>> found = ra.analysis.choose_rule(table, [ra.Borda(), ra.Copeland()], n_splits=20, rng=0)
    >>> sorted(label.get_text() for label in plotting.rule_choice_plot(found).get_yticklabels())
    ['Borda', 'Copeland']
    """
    frame = result.to_frame()
    rows = [result.rules.index(str(rule)) for rule in frame.index]
    bounds = np.quantile(result.distances[rows], OUTER, axis=1).T
    points = frame["distance"].to_numpy(np.float64)
    sheet = PlotSheet(ax, 32.0, ROW_HEIGHT * (len(rows) + 0.4))
    looks = [SOLID if rule == result.best else HOLLOW for rule in frame.index]
    sheet.draw_intervals(sheet.names(frame.index), points, bounds, looks)
    sheet.ax.set_xlim(left=0.0)
    notes = [*result.summary_parts()[0], "point: mean; bar: from 5 % to 95 % of splits"]
    return sheet.finish(notes, axis="share of pairs that two halves order differently")
