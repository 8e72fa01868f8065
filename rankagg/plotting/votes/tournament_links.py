"""What there is to draw of two items, and how each kind looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import matplotlib as mpl
import numpy as np

from rankagg._typing import Ranks
from rankagg.analysis.tournament.tournament import TournamentGraph
from rankagg.plotting.style.theme import ACCENTS, INK

__all__ = ["BAND", "LOOKS", "Kind", "Link", "Look", "band_width", "links_of", "ordered_once"]

Kind = Literal["with", "against", "open", "level", "never"]


class Look(NamedTuple):
    """Color, line and width (in usual lines) of a kind of link, and its words in the legend."""

    color: str
    line: Any
    width: float
    label: str


# Lighter than ink, and darker than the band in gray print.
DIM: Final = "#666666"
LOOKS: Final[dict[Kind, Look]] = {
    "with": Look(INK, "-", 0.6, "majority: arrow to the loser, margin"),
    "against": Look(ACCENTS[1], "--", 1.2, "majority against {name}"),
    "open": Look(ACCENTS[2], "-.", 1.0, "majority not ordered by {name}"),
    "level": Look(DIM, "-", 0.8, "as many votes each way"),
    "never": Look(DIM, ":", 0.8, "never compared"),
}
#: Lies under a link that two rankings order differently.
BAND: Final = ACCENTS[5]


@dataclass(frozen=True)
class Link:
    """Two items, by their positions in the item set.

    Attributes
    ----------
    first, second : int
        Winner and loser; where there is none, as the ranking has them.
    kind : str
        How the majority stands to the ranking.
    differs : bool
        Another ranking has the two the other way round.
    margin : float or None
        Votes for less against; None without a majority.
    """

    first: int
    second: int
    kind: Kind
    differs: bool
    margin: float | None = None

    @property
    def is_notable(self) -> bool:
        """True unless all agree."""
        return self.kind != "with" or self.differs

    @property
    def text(self) -> str:
        """The margin as it is written beside the arrow; empty without one."""
        if self.margin is None:
            return ""
        whole = round(self.margin)
        if abs(self.margin - whole) < 1e-9:
            return str(whole)
        return f"{self.margin:.3g}" if abs(self.margin) < 100 else f"{self.margin:.0f}"

    @property
    def mark(self) -> str:
        """Tell it apart from others of the picture."""
        return f"{self.kind}-{self.first}-{self.second}"


def band_width() -> float:
    """Return the width of the band, in points."""
    return 0.6 * float(mpl.rcParams["font.size"])


def links_of(graph: TournamentGraph, ranks: Ranks, others: Ranks | None) -> list[Link]:
    """Return one link for every two items.

    Parameters
    ----------
    graph : TournamentGraph
        The majorities.
    ranks : ndarray of int32, shape (n,)
        The ranks that they are held against.
    others : ndarray of int32, shape (n,), or None
        The ranks of another ranking.

    Returns
    -------
    list of Link
    """
    above = _signs(ranks)
    differs = np.zeros_like(above, dtype=bool) if others is None else above * _signs(others) < 0
    index = graph.items.index
    links = []
    for winner, loser, data in graph.to_networkx().edges(data=True):
        i, j = index(winner), index(loser)
        kind: Kind = {1: "with", -1: "against", 0: "open"}[int(above[i, j])]  # type: ignore[assignment]
        links.append(Link(i, j, kind, bool(differs[i, j]), float(data["margin"])))
    for first, second in graph.draws():
        i, j = index(first), index(second)
        compared = bool(graph.votes.scaled_comparisons[i, j] > 0)
        i, j = (j, i) if above[i, j] < 0 else (i, j)
        links.append(Link(i, j, "level" if compared else "never", bool(differs[i, j])))
    return links


def ordered_once(ranks: Ranks, others: Ranks) -> int:
    """Return how many pairs are tied, or not ranked, by one of two rankings alone."""
    first, second = _signs(ranks) != 0, _signs(others) != 0
    return int(np.triu(first != second).sum())


def _signs(ranks: Ranks) -> Any:
    """Return 1 where row is above column, -1 where below, 0 where neither is known."""
    known = (ranks[:, None] >= 0) & (ranks >= 0)
    return np.where(known, np.sign(ranks - ranks[:, None]), 0)
