"""What there is to draw of two items, and how each kind looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import matplotlib as mpl

from rankagg.plotting.style import ACCENTS, GREY, INK

__all__ = ["BAND", "LOOKS", "Kind", "Link", "Look", "band_width"]

Kind = Literal["with", "against", "open", "level", "never"]


class Look(NamedTuple):
    """Colour, line and width (in usual lines) of a kind of link, and its words in the legend."""

    color: str
    line: Any
    width: float
    label: str


LOOKS: Final[dict[Kind, Look]] = {
    "with": Look(INK, "-", 0.6, "majority: arrow to the loser, margin"),
    "against": Look(ACCENTS[1], "--", 1.2, "majority against {name}"),
    "open": Look(ACCENTS[2], "-.", 1.0, "majority not ordered by {name}"),
    "level": Look(GREY, "-", 0.8, "as many votes each way"),
    "never": Look(GREY, ":", 0.8, "never compared"),
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
