"""How often every item takes every rank when the data are drawn again."""

from __future__ import annotations

from math import ceil

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from rankagg._typing import Floats
from rankagg.analysis.robustness.rank_shares import RankShares
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.style.layout import (
    name_letters,
    note_height,
    number_size,
    rank_ticks,
    widest,
    write_below,
)
from rankagg.plotting.style.theme import GRAY, INK, NO_RANK, SHARES, canvas, plot_labels

__all__ = ["rank_distribution_plot"]

# Cells of so many items still hold their number, of that size.
NUMBERED, USUAL = 14, 0.9
# A share that is no larger is the rounding of 0.
ZERO = 1e-9
# The slot between the ranks and the column of those without one.
GAP = 0.4


def rank_distribution_plot(shares: RankShares, *, ax: Axes | None = None) -> Axes:
    """Draw the share of resamples in which each item takes each rank, as a heat map.

    Rows are in the order of mean ranks. Where a resample leaves an item several ranks, each has
    an equal part, as in `RankShares.ranks`. Resamples in which an item has no rank are in a
    hatched column of their own. Numbers are percent, in the cells of up to 14 items.

    Parameters
    ----------
    shares : RankShares
        Made by `rank_shares`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `shares` is something else.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[4, 3, 3])
    >>> shares = ra.rank_shares(profile, ra.Borda(), n_resamples=200, rng=0)
    >>> ax = plotting.rank_distribution_plot(shares)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    if not isinstance(shares, RankShares):
        raise InvalidInputError("shares", "RankShares", shares, "`rank_shares(data)` makes them.")
    frame = shares.ranks()
    cells, n = frame.to_numpy(), len(frame)
    names = plot_labels(frame.index, name_letters(ax))
    order = shares.items.indices(frame.index)
    without = (shares.best == 0).mean(axis=0)[order]
    columns = n + (1 + GAP) * bool(without.any())
    width = columns * max(1.2 if n > NUMBERED else 2.6, 28 / n)
    margin = 4 + widest(names)
    notes, new = _sentences(shares), ax is None
    height = n * max(1.35 if n > NUMBERED else 2, 10 / n) + 3.9 + note_height(notes, width)
    ax = canvas(ax, width + margin + 9, height)
    top = min(1.0, max(ceil(10 * cells.max() - ZERO) / 10, 0.1))
    image = ax.imshow(
        cells, cmap=SHARES, vmin=0, vmax=top, interpolation="none", aspect="auto",
        extent=(0.5, n + 0.5, n - 0.5, -0.5), gid="shares",
    )  # fmt: skip
    ax.set_xlim(0.5, columns + 0.5)
    ax.set_yticks(range(n), names, parse_math=False)
    ticks = rank_ticks(n)
    ax.set_xticks(ticks, [str(place) for place in ticks])
    if without.any():
        _add_column(ax, without, n + 1 + GAP, Normalize(0.0, top))
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.add_patch(Rectangle((0.5, -0.5), n, n, fill=False, ec=GRAY, lw=0.8, clip_on=False))
    bar = ax.figure.colorbar(
        image, ax=ax, fraction=0.04, pad=0.02, label="share of resamples",
        format=PercentFormatter(1.0, decimals=0),
    )  # fmt: skip
    bar.outline.set_visible(False)
    if n <= NUMBERED:
        texts = [percent(share) for share in cells[cells > ZERO]]
        size = USUAL if new else number_size(ax, texts, (n, columns), USUAL)
        if size is not None:
            _number(ax, cells, top, size)
    write_below(ax, notes, width if new else None, axis="rank")
    return ax


def _add_column(ax: Axes, without: Floats, x: float, norm: Normalize) -> None:
    """Draw how often every item has no rank."""
    for row, share in enumerate(without):
        ax.add_patch(
            Rectangle(
                (x - 0.5, row - 0.5), 1, 1, fc=SHARES(norm(share)), ec=GRAY, lw=0.3,
                hatch="////" if share > 0 else None, gid=f"without-{row}",
            )
        )  # fmt: skip
        if len(without) <= NUMBERED and share > ZERO:
            ax.text(
                x, row, percent(share), ha="center", va="center", gid="without-number",
                fontsize=0.9 * float(mpl.rcParams["font.size"]),
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )  # fmt: skip
    ticks = rank_ticks(len(without))
    ax.set_xticks([*ticks, x], [*map(str, ticks), NO_RANK])


def _number(ax: Axes, cells: Floats, top: float, scale: float) -> None:
    size = scale * float(mpl.rcParams["font.size"])
    for (row, column), share in np.ndenumerate(cells):
        if share > ZERO:
            ax.text(
                column + 1, row, percent(share), ha="center", va="center", gid="share",
                color="white" if share > 0.6 * top else INK, fontsize=size,
            )  # fmt: skip


def percent(share: float) -> str:
    """Return a share in percent, never rounded to none or all of them."""
    if ZERO < share < 0.005:
        return "<1"
    if 0.995 <= share < 1 - ZERO:
        return ">99"
    return f"{100 * share:.0f}"


def _sentences(shares: RankShares) -> list[str]:
    within = " within tasks" if shares.fixed_tasks else ""
    several = bool((shares.best != shares.worst).any())
    return [
        f"ranks by {shares.aggregator.name} in {counted(shares.n_resamples, 'resample')} of "
        f"{shares.unit}s{within}",
        "shares of resamples, not confidence; rows by mean rank",
        *(f"note: {note}" for note in shares.notes),
        "note: where a resample leaves several ranks, equal parts" if several else "",
    ]
