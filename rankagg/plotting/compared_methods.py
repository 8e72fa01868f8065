"""Rankings of several methods beside each other: bump charts, overlaps of the first items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from rankagg._typing import Ranks
from rankagg._validation import check_integer
from rankagg.analysis.comparison.agreement import flow_slots
from rankagg.analysis.comparison.compare import Comparison
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.sheet import GRID, name_letters, rank_ticks, widest, write_below
from rankagg.plotting.theme import ACCENTS, GRAY, INK, LINES, MARKERS, NO_RANK, canvas, plot_labels


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


# Curves of so many points have a marker at each.
MARKED: Final = 12
WIDTH, HEIGHT = 34.0, 25.0


def overlap_plot(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw for every k how many of the exact consensus's first k each method has among its own.

    A dotted line shows what a ranking drawn at random has. Methods with the same curve share a
    line.

    Parameters
    ----------
    comparison : Comparison
        The consensuses, an exact one among them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If no exact rule is among the methods.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("superglue_human"))
    >>> ax = plotting.overlap_plot(comparison)
    >>> [text.get_text().split() for text in ax.get_legend().get_texts()]
    [['Copeland', 'Kemeny'], ['Mean', 'Borda'], ['at', 'random']]
    """
    if not isinstance(comparison, Comparison):
        raise InvalidInputError(
            "comparison", "a Comparison", comparison, "`rankagg.compare` makes one."
        )
    curves = comparison.overlap_curves()
    exact = comparison.exact
    assert exact is not None, "curves need an exact consensus"
    groups = _alike(curves)
    names = dict(zip(curves.columns, plot_labels(curves.columns, 24), strict=True))
    new = ax is None
    ax = canvas(ax, WIDTH + widest(names.values()) + 6, HEIGHT)
    handles = [
        _curve(ax, curves[group[0]], (number, len(groups)), "\n".join(names[m] for m in group))
        for number, group in enumerate(groups)
    ]
    total = comparison.votes.n_items
    if len(curves) == total:
        (line,) = ax.plot(
            curves.index, curves.index / total, color=GRAY, linestyle=":", zorder=1,
            label="at random", gid="random",
        )  # fmt: skip
        handles.append(line)
    _frame(ax, len(curves))
    lead = names[exact.aggregator.name]
    ax.set_ylabel(f"expected overlap with\n{lead}'s first k", parse_math=False)
    notes = _notes(comparison, len(curves))
    write_below(ax, notes, WIDTH if new else None, axis="k: how many of the first items")
    legend = ax.legend(
        handles=handles, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False,
        borderaxespad=0, handlelength=3, fontsize="medium",
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax


def _alike(curves: pd.DataFrame) -> list[list[str]]:
    """Return the methods in groups with one curve, the best on average first."""
    groups: list[list[str]] = []
    for method in curves:
        for group in groups:
            if (abs(curves[group[0]] - curves[method]) < 1e-9).all():
                group.append(str(method))
                break
        else:
            groups.append([str(method)])
    return sorted(groups, key=lambda group: -float(curves[group[0]].mean()))


def _curve(ax: Axes, curve: pd.Series[float], place: tuple[int, int], label: str) -> Line2D:
    """Draw a curve; later ones are narrower, so that earlier ones stay in sight below them."""
    number, total = place
    width = float(mpl.rcParams["lines.linewidth"])
    size = float(mpl.rcParams["lines.markersize"])
    fat = 1 + 0.9 * (total - 1 - number) / max(total - 1, 1)
    every = 1 if len(curve) <= MARKED else -(-len(curve) // 8)
    look = number % len(ACCENTS)
    (line,) = ax.plot(
        curve.index, curve, color=ACCENTS[look], linestyle=LINES[look], marker=MARKERS[look],
        markevery=(number % every, every), label=label, zorder=3, linewidth=fat * width,
        markersize=fat * size, gid=f"curve-{number}", clip_on=False,
        markerfacecolor=(ACCENTS[look], "white", GRAY)[number // len(ACCENTS) % 3],
    )  # fmt: skip
    return line


def _frame(ax: Axes, depth: int) -> None:
    ax.set_xlim(1 if depth > 1 else 0.5, max(depth, 1.5))
    ax.set_ylim(0, 1.03)
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.set_xticks(rank_ticks(depth))
    ax.grid(color=GRID, linewidth=0.5 * float(mpl.rcParams["lines.linewidth"]))
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _notes(comparison: Comparison, depth: int) -> list[str]:
    """Say what the curves do not show."""
    exact, total = comparison.exact, comparison.votes.n_items
    notes = []
    if depth < total:
        notes.append(
            f"only {depth} of {counted(total, 'item')} {'is' if depth == 1 else 'are'} ranked by "
            "all methods"
        )
    if exact is not None and exact.is_proved is False:
        notes.append("the exact consensus is not proved optimal")
    return notes
