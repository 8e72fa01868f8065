"""In what proportion one item is above another, and which pairs that decides."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Bools
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import Decisions
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.ranks.rank_intervals import RankIntervals
from rankagg.plotting.style.margins import add_height, letters_across, note_height, write_below
from rankagg.plotting.votes.heatmap import share_matrix

__all__ = ["intervals_heatmap"]


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
