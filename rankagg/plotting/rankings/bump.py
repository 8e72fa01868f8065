"""How items move between the rankings of several methods."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rankagg._typing import Ranks
from rankagg._validation import check_integer
from rankagg.analysis.comparison.agreement import flow_slots
from rankagg.analysis.comparison.comparison import Comparison
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.style.layout import name_letters, write_below
from rankagg.plotting.style.theme import ACCENTS, GRAY, INK, LINES, NO_RANK, canvas, plot_labels

__all__ = ["bump_chart"]


def bump_chart(
    comparison: Comparison,
    *,
    methods: Sequence[str] | None = None,
    top: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a rank-flow (bump) chart: a column for each method, a line for each item.

    Every item has a height of its own in every column; tied items are joined by a bar. Items
    whose order against others changes between two columns are colored, the others gray.

    Parameters
    ----------
    comparison : Comparison
        The consensuses.
    methods : sequence of str, optional
        Names of the methods to draw, in this order; all by default.
    top : int, optional
        Draw only the first items of the exact method (of the last one where none is exact),
        in their order among themselves.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If a method is not among those of the comparison.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("borda_fails_condorcet"))
    >>> ax = plotting.bump_chart(comparison)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['Borda', 'Copeland', 'Kemeny']
    """
    names = list(comparison.methods if methods is None else methods)
    if not names:
        raise InvalidInputError("methods", "one or more methods", names)
    ranks = np.stack([comparison[name].ranking.ranks for name in names])
    kept, note = _kept(comparison, names, top)
    ranks = ranks[:, kept]
    slots = flow_slots(ranks)
    labels = plot_labels(comparison.votes.items.at(kept), name_letters(ax, share=0.25))
    columns = plot_labels(names, 24)
    width = 2 * (4 + 0.55 * max(map(len, labels))) + _spacing(columns) * max(len(names) - 1, 0.5)
    ax = canvas(ax, width, 5 + 1.35 * (slots.max() + 1))
    moved = _moved(slots, ranks)
    for position, column in enumerate(slots.T):
        look = _look(int(np.count_nonzero(moved[:position]))) if moved[position] else None
        ax.plot(
            range(len(names)), column, marker="o", gid=f"item-{position}", zorder=3 if look else 2,
            color=GRAY if look is None else look[0], linestyle="-" if look is None else look[1],
            linewidth=None if look else 0.6 * _base_width(), label=f"_{labels[position]}",
        )  # fmt: skip
    _join_ties(ax, slots, ranks)
    _label(ax, slots, ranks, labels)
    ax.set_xticks(range(len(names)), columns, parse_math=False)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    ax.set_xlim(-0.15, len(names) - 0.85)
    ax.set_ylim(slots.max() + 0.7, -0.7)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if note:
        write_below(ax, [note])
    return ax


def _kept(
    comparison: Comparison, names: list[str], top: int | None
) -> tuple[NDArray[np.intp], str]:
    """Return the items to draw and, where some are left out, a sentence that says so."""
    total = comparison.votes.n_items
    if top is None or check_integer(top, "top", low=1) >= total:
        return np.arange(total), ""
    lead = comparison.exact or comparison[names[-1]]
    ranks = lead.ranking.ranks
    order = np.argsort(np.where(ranks >= 0, ranks, total), kind="stable")
    return np.sort(
        order[:top]
    ), f"the first {top} of {counted(total, 'item')} by {lead.aggregator.name}"


def _moved(slots: NDArray[np.float64], ranks: Ranks) -> NDArray[np.bool_]:
    """Say which items change ranks with another, by their ranks, between any two columns."""
    listed = np.where(ranks >= 0, ranks, ranks.shape[1])
    signs = np.sign(listed[:, :, None] - listed[:, None, :])
    moved: NDArray[np.bool_] = ((signs.max(axis=0) - signs.min(axis=0)) > 0).any(axis=1)
    return moved


def _look(number: int) -> tuple[str, object]:
    turn = number // len(ACCENTS) % len(LINES)
    return ACCENTS[number % len(ACCENTS)], LINES[turn]


def _base_width() -> float:
    return float(mpl.rcParams["lines.linewidth"])


def _spacing(columns: list[str]) -> float:
    return max(9.0, 0.62 * max(map(len, columns)) + 2)


def _join_ties(ax: Axes, slots: NDArray[np.float64], ranks: Ranks) -> None:
    for x, (heights, places) in enumerate(zip(slots, ranks, strict=True)):
        for place in np.unique(places[places >= 0]):
            tied = heights[places == place]
            if len(tied) > 1:
                ax.plot(
                    [x, x], [tied.min(), tied.max()], color=INK, alpha=0.35, zorder=1,
                    linewidth=5 * _base_width(), solid_capstyle="round", gid="tie",
                )  # fmt: skip


def _label(ax: Axes, slots: NDArray[np.float64], ranks: Ranks, labels: list[str]) -> None:
    """Write rank and name at both ends."""
    sides = [(0, ax.yaxis), (len(ranks) - 1, ax.secondary_yaxis("right").yaxis)]
    for column, axis in sides if len(ranks) > 1 else sides[:1]:
        places = [str(rank + 1) if rank >= 0 else NO_RANK for rank in ranks[column].tolist()]
        right = column > 0
        texts = [
            f"{place}  {label}" if right else f"{label}  {place}"
            for place, label in zip(places, labels, strict=True)
        ]
        axis.set_ticks(slots[column], texts, parse_math=False)
        axis.set_tick_params(length=0)
        if right:
            axis.axes.spines["right"].set_visible(False)
