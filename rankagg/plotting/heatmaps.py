"""Heat maps: shares of votes by pairs, and shares of ranks by items."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from rankagg._typing import Floats
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.analysis.robustness.rank_shares import RankShares
from rankagg.core.items import counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.sheet import (
    name_letters,
    note_height,
    number_size,
    rank_ticks,
    widest,
    write_below,
)
from rankagg.plotting.theme import (
    ACCENTS,
    DIVERGING,
    GRAY,
    INK,
    NO_RANK,
    SHARES,
    canvas,
    plot_labels,
)

if TYPE_CHECKING:
    from rankagg.inference.decisions import Decisions

# Cells of so many items still hold their number, of that size.
NUMBERED, USUAL = 14, 0.9


def pairwise_heatmap(
    votes: PairwiseMatrix,
    ranking: PartialRanking | Consensus | None = None,
    *,
    decisions: Decisions | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw for each two items the share of votes with row above column, in consensus order.

    Where the consensus has row above column although most votes say the reverse, a frame
    surrounds the cell. Pairs that nobody compared are hatched, whatever a policy imputes.

    Parameters
    ----------
    votes : PairwiseMatrix
        The votes.
    ranking : PartialRanking or Consensus, optional
        The order of rows and columns; the exact `Kemeny` consensus by default.
    decisions : Decisions, optional
        Decided pairs get a dot; see `PairwiseIntervals.decisions`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ItemMismatchError
        If ranking or decisions are on other items.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> voters = ra.datasets.load("tennessee")
    >>> ax = plotting.pairwise_heatmap(voters.pairwise())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  Nashville', '2  Chattanooga', '3  Knoxville', '4  Memphis']
    """
    if not isinstance(votes, PairwiseMatrix):
        raise InvalidInputError(
            "votes", "a PairwiseMatrix", votes, "`profile.pairwise()` makes one."
        )
    if ranking is None:
        ranking = Kemeny(unranked=votes.unranked or "uniform").aggregate(votes)
    if isinstance(ranking, Consensus):
        ranking = ranking.ranking
    votes.items.require_same(ranking.items, "The votes and the ranking")
    above = None
    if decisions is not None:
        votes.items.require_same(decisions.items, "The votes and the decisions")
        above = decisions.above
    return share_matrix(compared_shares(votes), ranking, above=above, ax=ax)


def compared_shares(votes: PairwiseMatrix) -> Floats:
    """Return the share of votes with row above column, NaN where nobody compared the two.

    A policy may impute votes for such pairs; they would look like any other even pair.
    """
    return np.where(votes.comparisons > 0, votes.proportion, np.nan)


def share_matrix(
    shares: Floats,
    ranking: PartialRanking,
    *,
    above: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None = None,
    label: str = "share of votes\nwith row above column",
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of shares in the order of a ranking."""
    n, ranks = len(ranking.items), ranking.ranks
    order = np.argsort(np.where(ranks >= 0, ranks, n), kind="stable")
    names = plot_labels(ranking.items.at(order), name_letters(ax))
    places = [str(rank + 1) if rank >= 0 else NO_RANK for rank in ranks[order].tolist()]
    new = ax is None
    side = max(1.5 if n > NUMBERED else 2.4, 14 / n) * n
    margin = 2 + 0.62 * max(map(len, names))
    ax = canvas(ax, side + margin + 9, side + margin)
    cells = np.ma.masked_invalid(shares[np.ix_(order, order)])
    cells[np.diag_indices(n)] = np.ma.masked
    image = ax.imshow(cells, cmap=DIVERGING, vmin=0, vmax=1, interpolation="none", aspect="auto")
    rows = [f"{place}  {name}" for place, name in zip(places, names, strict=True)]
    ax.set_yticks(range(n), rows, parse_math=False)
    ax.set_xticks(range(n), names, rotation=90, parse_math=False)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.04, pad=0.02, label=label)
    bar.outline.set_visible(False)
    size: float | None = None
    if n <= NUMBERED:
        texts = [_percent(value) for value in cells.compressed()]
        size = USUAL if new else number_size(ax, texts, (n, n), USUAL)
    _mark(ax, cells, ranks[order], None if above is None else above[np.ix_(order, order)], size)
    return ax


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def _mark(
    ax: Axes, cells: np.ma.MaskedArray, ranks: np.ndarray, above: np.ndarray | None,
    scale: float | None,
) -> None:  # fmt: skip
    n = len(ranks)
    size = float(mpl.rcParams["font.size"])
    for i in range(n):
        for j in range(n):
            if i == j:
                ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fc="#e8e8e8", ec="none"))
                continue
            value = cells[i, j]
            if value is np.ma.masked:
                ax.add_patch(
                    Rectangle(
                        (j - 0.5, i - 0.5), 1, 1, fill=False, hatch="////", ec="#cccccc", lw=0
                    )
                )
                continue
            dark = value > 0.8 or value < 0.1
            if scale is not None:
                ax.text(
                    j, i, _percent(value), ha="center", va="center", gid="share",
                    color="white" if dark else INK, fontsize=scale * size,
                )  # fmt: skip
            if 0 <= ranks[i] < ranks[j] and value < 0.5:
                ax.add_patch(
                    Rectangle(
                        (j - 0.44, i - 0.44), 0.88, 0.88, fill=False, ec=ACCENTS[1],
                        lw=0.2 * size, gid="against",
                    )
                )  # fmt: skip
            if above is not None and above[i, j]:
                height = i + (0.33 if scale is not None else 0)
                ax.plot(
                    j, height, "o", ms=0.3 * size, mew=0, gid="decided",
                    color="white" if dark else INK,
                )  # fmt: skip


# Cells of so many items still hold their number, of that size.
NUMBERED_R, USUAL_R = 14, 0.9
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
    width = columns * max(1.2 if n > NUMBERED_R else 2.6, 28 / n)
    margin = 4 + widest(names)
    notes, new = _sentences(shares), ax is None
    height = n * max(1.35 if n > NUMBERED_R else 2, 10 / n) + 3.9 + note_height(notes, width)
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
    if n <= NUMBERED_R:
        texts = [percent(share) for share in cells[cells > ZERO]]
        size = USUAL_R if new else number_size(ax, texts, (n, columns), USUAL_R)
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
        if len(without) <= NUMBERED_R and share > ZERO:
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
