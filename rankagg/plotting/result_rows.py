"""Rows of intervals of pairs, ranks in lists, ranks on a new task, and split halves."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from rankagg.analysis import RuleChoice
from rankagg.core import counted, p_text
from rankagg.inference import NewTaskRanks, RobustRankAggregation
from rankagg.inference.pairwise import PairwiseIntervals
from rankagg.plotting.interval_rows import ranks_sheet
from rankagg.plotting.sheet import HOLLOW, SOLID, PlotSheet, first_of, legend_mark, open_frame
from rankagg.plotting.theme import ACCENTS, GRAY, MOST_DRAWN, dot, plot_of, stroke

# Quantiles at the ends of bars over random splits.
OUTER = (0.05, 0.95)


@plot_of(PairwiseIntervals, "PairwiseIntervals.from_data(data)")
def pair_intervals_plot(
    result: PairwiseIntervals, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw intervals of pairwise proportions: how often the first item is above the second.

    Items are ordered by their mean proportions. Neighbors in that order come first, then pairs two
    places apart, and so on; of more than `top` pairs the first are drawn. Filled points have 1/2
    outside their interval.

    Parameters
    ----------
    result : PairwiseIntervals
        Result of `PairwiseIntervals.from_data`.

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
    shown, note = first_of(n * (n - 1) // 2, top, "pair")
    known = np.where(np.isnan(result.estimate), 0.5, result.estimate).sum(axis=1)
    order = np.argsort(-known.round(9), kind="stable")
    pairs = ((place, place + gap) for gap in range(1, n) for place in range(n - gap))
    first, second = order[np.array([*islice(pairs, shown)], dtype=int).reshape(-1, 2).T]
    bounds = np.column_stack([result.lower[first, second], result.upper[first, second]])
    outside = (bounds[:, 0] > 0.5) | (bounds[:, 1] < 0.5)
    sheet = PlotSheet.of_rows(ax, shown)
    names = sheet.names(result.items, 24, share=0.2)
    sheet.ax.axvline(0.5, color=GRAY, lw=1.0, zorder=1, gid="half")
    rows = [f"{names[i]} / {names[j]}" for i, j in zip(first, second, strict=True)]
    sheet.draw_intervals(rows, result.estimate[first, second], bounds, outside)
    sheet.ax.set_xlim(-0.02, 1.02)
    sheet.ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    notes = [
        f"{note}: neighbors by mean proportion first" if note else "",
        "filled: 50 % is outside the interval",
        result.describe(),
        *(f"note: {text}" for text in result.notes),
    ]
    return sheet.finish(notes, axis=f"share of {result.unit}s with the first above the second")


@plot_of(RobustRankAggregation, "robust_rank_aggregation(lists)", "a RobustRankAggregation")
def list_ranks_plot(
    result: RobustRankAggregation, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw the ranks of items in all lists, the item with the smallest score first.

    A mark is the rank in one list, as a share of all items; it is at 100 % if the list lacks the
    item. The p-values at the right are adjusted for all items; marks are blue if they are at most
    0.05. Of more than `top` items the first are drawn.

    Parameters
    ----------
    result : RobustRankAggregation
        Result of `robust_rank_aggregation`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> tops = [ra.PartialRanking.from_top_k(top, items="ABCDE") for top in ("ABC", "ADB", "AE")]
    >>> result = ra.inference.robust_rank_aggregation(ra.Profile(tops), n_items=100)
    >>> ax = plotting.list_ranks_plot(result, top=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B']
    """
    n, note = first_of(len(result.items), top, "item")
    frame = result.to_frame().iloc[:n]
    sheet = PlotSheet.of_rows(ax, n)
    low = frame["p_holm"].to_numpy() <= 0.05
    common: dict[str, Any] = {"ls": "none", "marker": "|", "ms": dot(2.0), "clip_on": False}
    # Significant items have broad marks, too.
    looks = {
        True: common | {"color": ACCENTS[0], "mew": stroke(1.6)},
        False: common | {"color": GRAY, "mew": stroke(0.7)},
    }
    for row, item in enumerate(result.items.indices(frame.index)):
        shares, look = result.shares[:, item], looks[bool(low[row])]
        sheet.ax.plot(shares, np.full(len(shares), row), gid=f"lists-{row}", **look)
    sheet.name_rows(sheet.names(frame.index))
    sheet.name_rows_at_right(range(n), [p_text(p) for p in frame["p_holm"]])
    open_frame(sheet.ax, ("top", "right", "left"))
    sheet.ax.set_xlim(-0.01, 1.03)
    sheet.ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    words = {True: "adjusted p at most 0.05", False: "adjusted p above 0.05"}
    handles = [legend_mark(words[kind], look) for kind, look in looks.items() if kind in low]
    lists = counted(result.n_lists, "list", ",")
    notes = [note, f"a mark: one of {lists}; at the right: p adjusted for all items (Holm)"]
    axis = f"rank, as a share of {counted(result.n_items, 'item', ',')}"
    return sheet.finish(notes, axis=axis, handles=handles, columns=2)


@plot_of(NewTaskRanks, "new_task_ranks(table)")
def new_task_plot(
    result: NewTaskRanks, *, top: int | None = MOST_DRAWN, ax: Axes | None = None
) -> Axes:
    """Draw prediction intervals for the ranks of systems on a new task, the best first.

    Of more than `top` systems the first are drawn.

    Parameters
    ----------
    result : NewTaskRanks
        Result of `new_task_ranks`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> result = ra.inference.new_task_ranks(ra.datasets.load("superglue_human"), alpha=0.2)
    >>> ax = plotting.new_task_plot(result, top=2)
    >>> len(ax.get_yticklabels())
    2
    """
    every = result.to_frame().sort_values(["best", "worst"], kind="stable")
    n, note = first_of(len(every), top, "system")
    frame = every.iloc[:n]
    bounds = frame[["best", "worst"]].to_numpy(np.float64)
    sheet = ranks_sheet(ax, n, int(bounds[:, 1].max()))
    sheet.draw_intervals(sheet.names(frame.index), np.full(n, np.nan), bounds, [SOLID] * n)
    return sheet.finish([note, *result.summary_parts()[0]], axis="rank on a new task")


@plot_of(RuleChoice, "choose_rule(data, rules)")
def rule_choice_plot(result: RuleChoice, *, ax: Axes | None = None) -> Axes:
    """Draw the distance between the rankings of two halves of the voters, the smallest first.

    A row is a rule. The point is the mean distance over the splits, filled for the smallest; the
    bar contains the middle 90 % of the splits.

    Parameters
    ----------
    result : RuleChoice
        Result of `choose_rule`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> table = ra.datasets.load("superglue_human")
    >>> result = ra.analysis.choose_rule(table, [ra.Borda(), ra.Copeland()], n_splits=20, rng=0)
    >>> sorted(label.get_text() for label in plotting.rule_choice_plot(result).get_yticklabels())
    ['Borda', 'Copeland']
    """
    frame = result.to_frame()
    rows = [result.rules.index(str(rule)) for rule in frame.index]
    bounds = np.quantile(result.distances[rows], OUTER, axis=1).T
    points = frame["distance"].to_numpy(np.float64)
    sheet = PlotSheet.of_rows(ax, len(rows))
    looks = [SOLID if rule == result.best else HOLLOW for rule in frame.index]
    sheet.draw_intervals(sheet.names(frame.index), points, bounds, looks)
    sheet.ax.set_xlim(left=0.0)
    notes = [*result.summary_parts()[0], "point: mean; bar: from 5 % to 95 % of splits"]
    return sheet.finish(notes, axis="share of pairs in different order in the two halves")
