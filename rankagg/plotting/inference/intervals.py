"""Intervals of ranks and of pairs, and which pairs these decide."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Bools
from rankagg._validation import check_integer
from rankagg.core.items import counted
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import Decisions
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.ranks.rank_intervals import RankIntervals
from rankagg.plotting.style.layout import (
    OPEN,
    SOLID,
    add_height,
    interval_rows,
    legend_above,
    letters_across,
    name_letters,
    note_height,
    rank_ticks,
    widest,
    write_below,
)
from rankagg.plotting.style.theme import canvas, plot_labels
from rankagg.plotting.votes.heatmap import share_matrix

__all__ = ["forest_plot", "intervals_heatmap"]


def forest_plot(ranks: RankIntervals, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw confidence intervals for ranks: a row for each item, the best rank first.

    The point is the rank in the data, the bar goes from the best to the worst rank that the
    decided pairs leave the item. The point is filled where the item is one of `ranks.first`. These
    are asked of the first item alone, the bars hold for all at once; so a bar can reach the first
    rank although the point is open.

    Parameters
    ----------
    ranks : RankIntervals
        Made by `rank_intervals`.
    top : int, optional
        Only the first so many rows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `ranks` is something else, or `top` is no positive number.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries",
    https://doi.org/10.1093/restud/rdad006.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ax = plotting.forest_plot(ra.rank_intervals(profile, of="borda"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  A', '2  B', '3  C']
    """
    if not isinstance(ranks, RankIntervals):
        raise InvalidInputError(
            "ranks", "RankIntervals", ranks, "`rank_intervals(data)` makes them."
        )
    if top is not None:
        check_integer(top, "top", low=1)
    order = np.lexsort((ranks.worst, ranks.best, ranks.rank))[:top]
    names = plot_labels(ranks.items.at(order), name_letters(ax))
    rows = [f"{rank}  {name}" for rank, name in zip(ranks.rank[order], names, strict=True)]
    n, size = len(rows), len(ranks.rank)
    notes = [ranks.describe(), *(f"note: {note}" for note in ranks.notes)]
    if n < size:
        notes.insert(0, f"the first {n} of {counted(size, 'item')}")
    width, new = min(max(28.0, 1.2 * size), 44.0), ax is None
    height = 6.4 + 1.35 * n + note_height(notes, width)
    ax = canvas(ax, width + 4 + widest(rows), height)
    bounds = np.column_stack([ranks.best[order], ranks.worst[order]]).astype(np.float64)
    first = np.isin(order, ranks.items.indices(ranks.first))
    interval_rows(ax, rows, ranks.rank[order].astype(np.float64), bounds, first)
    ax.set_xlim(0.5, size + 0.5)
    ax.set_xticks(rank_ticks(size))
    _explain(ax, new=new, may_be_first=bool(first.any()), not_first=bool((~first).any()))
    write_below(ax, notes, width if new else None, axis="rank")
    return ax


def _explain(ax: Axes, *, new: bool, may_be_first: bool, not_first: bool) -> None:
    kinds = ((may_be_first, SOLID, "may be first"), (not_first, OPEN, "not first"))
    legend_above(
        ax,
        [
            Line2D([], [], marker="o", linestyle="none", label=text, **look)
            for occurs, look, text in kinds
            if occurs
        ],
        new=new,
        columns=2,
    )


def intervals_heatmap(intervals: PairwiseIntervals, *, ax: Axes | None = None) -> Axes:
    """Draw the estimated proportions, row above column, with a dot on every decided pair.

    Items are in the order of their ranks by majorities, or of the sums of their proportions
    where the intervals decide nothing. A frame surrounds a cell where the order has row above
    column although the proportion is below one half. Pairs that nobody compared are hatched.

    Parameters
    ----------
    intervals : PairwiseIntervals
        Made by `PairwiseIntervals.from_data`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `intervals` is something else.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ax = plotting.intervals_heatmap(ra.PairwiseIntervals.from_data(profile))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  A', '2  B', '3  C']
    """
    if not isinstance(intervals, PairwiseIntervals):
        raise InvalidInputError(
            "intervals", "PairwiseIntervals", intervals,
            "`PairwiseIntervals.from_data(data)` makes them.",
        )  # fmt: skip
    how = _how(intervals)
    if how is None:
        order, decisions = _by_sums(intervals), None
    else:
        ranks = RankIntervals.from_intervals(intervals, how)
        order = PartialRanking.from_ranks(ranks.rank, items=intervals.items)
        decisions = ranks.decisions
    what = {
        "direct": f"share of {intervals.unit}s\nwith row above column",
        "imputed": "mean proportion\nwith row above column",
    }[intervals.estimand]
    above = None if decisions is None else decisions.above
    new = ax is None
    ax = share_matrix(intervals.estimate, order, above=above, label=what, ax=ax)
    notes = _sentences(intervals, decisions, _is_framed(intervals, order))
    # There is room below the color bar too.
    width = max(20.0, 1.5 * len(intervals.items)) if new else letters_across(ax)
    if new:
        add_height(ax, note_height(notes, width))
    write_below(ax, notes, width)
    return ax


def _how(intervals: PairwiseIntervals) -> Literal["holm", "intervals"] | None:
    """Return how pairs can be decided, Holm's procedure first; None where they cannot."""
    if intervals.estimand != "direct":
        return None
    if not intervals.anytime:
        return "holm"
    return None if intervals.simultaneous is None else "intervals"


def _by_sums(intervals: PairwiseIntervals) -> PartialRanking:
    known = np.where(np.isnan(intervals.estimate), 0.5, intervals.estimate)
    return PartialRanking.from_scores(
        known.sum(axis=1), higher_is_better=True, items=intervals.items, tolerance=1e-9
    )


def _is_framed(intervals: PairwiseIntervals, order: PartialRanking) -> bool:
    before: Bools = order.ranks[:, None] < order.ranks
    return bool((before & (intervals.estimate < 0.5)).any())


def _sentences(
    intervals: PairwiseIntervals, decisions: Decisions | None, is_framed: bool
) -> list[str]:
    if decisions is None:
        first = "these intervals cannot decide pairs; rows by mean proportion"
    else:
        bound = "about" if decisions.is_approximate else "at most"
        first = (
            f"dot: decided by {decisions.how}, family-wise error rate {bound} "
            f"{decisions.alpha:g}; rows by majorities lost"
        )
    return [
        first,
        "frame: below one half against the order of rows" if is_framed else "",
        "hatched: never compared" if intervals.never_compared else "",
        *(f"note: {note}" for note in intervals.notes),
    ]
