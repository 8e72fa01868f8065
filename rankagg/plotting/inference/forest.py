"""Between which ranks every item may stand."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._validation import check_integer
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.inference.ranks.rank_intervals import RankIntervals
from rankagg.plotting.style.legends import legend_above
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import name_letters, note_height, rank_ticks, write_below
from rankagg.plotting.style.rows import OPEN, SOLID, interval_rows
from rankagg.plotting.style.theme import canvas, plot_labels

__all__ = ["forest_plot"]


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
