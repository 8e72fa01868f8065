"""Who beats whom how often, in the order of a consensus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from rankagg._typing import Floats
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.style.layout import name_letters, number_size
from rankagg.plotting.style.theme import ACCENTS, DIVERGING, INK, NO_RANK, canvas, plot_labels

if TYPE_CHECKING:
    from rankagg.inference.decisions import Decisions

__all__ = ["compared_shares", "pairwise_heatmap", "share_matrix"]

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
