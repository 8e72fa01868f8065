"""The majority graph in the order of a ranking: few items on a circle, many on a line with arcs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path

from rankagg._typing import Floats, Ranks
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core.items import ItemSet, counted
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.sheet import legend_above, name_letters, widest, write_below
from rankagg.plotting.theme import ACCENTS, INK, NO_RANK, canvas, plot_labels

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
    """Two items, by their positions in the item set."""

    # Winner and loser; where there is none, as the ranking has them.
    first: int
    second: int
    # How the majority stands to the ranking.
    kind: Kind
    # Another ranking has the two the other way round.
    differs: bool
    # Votes for less against; None without a majority.
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
    """Return one link for every two items."""
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


ROW = 1.4  # letters
NUMBER = 0.85  # size of margins beside other text
START = 0.7  # where arcs begin, right of the points


def draw_arcs(
    items: ItemSet, ranks: Ranks, links: list[Link], ax: Axes | None, *, room: tuple[float, float]
) -> Axes:
    """Draw items from top to bottom in the order of their ranks, and arcs for the links.

    Arcs over equally many items reach equally far to the right, and others by at least the width
    of a margin less or more, so that no two margins meet.
    """
    n = len(items)
    order = np.argsort(np.where(ranks >= 0, ranks, n), kind="stable")
    row = np.empty(n, dtype=int)
    row[order] = np.arange(n)
    spans = sorted({abs(int(row[link.first] - row[link.second])) for link in links})
    step = 1.4 + widest((link.text for link in links), NUMBER)
    reach = {span: START + 1.5 + step * (1 + k) for k, span in enumerate(spans)}
    names = plot_labels(items)
    width = max([room[0], *(far + step for far in reach.values())])
    margin = 4 + widest(names)
    ax = canvas(ax, margin + width, room[1] + 2 + ROW * n)
    ax.set_xlim(-0.5, width)
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_xticks([])
    size = float(mpl.rcParams["font.size"])
    for item in range(n):
        ax.plot(
            0, row[item], "o", ms=0.5 * size, mfc=INK, mec=INK, gid=f"item-{item}", clip_on=False
        )
    for link in links:
        far = reach[abs(int(row[link.first] - row[link.second]))]
        _arc(ax, link, float(row[link.first]), float(row[link.second]), far)
    places = [str(rank + 1) if rank >= 0 else NO_RANK for rank in ranks[order].tolist()]
    labels = [f"{place}  {names[i]}" for place, i in zip(places, order, strict=True)]
    ax.set_yticks(range(n), labels, parse_math=False)
    ax.tick_params(axis="y", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _arc(ax: Axes, link: Link, start: float, end: float, far: float) -> None:
    size, base = float(mpl.rcParams["font.size"]), float(mpl.rcParams["lines.linewidth"])
    look = LOOKS[link.kind]
    # A cubic curve comes three quarters of the way to its control points.
    control = START + (far - START) * 4 / 3
    path = Path(
        [(START, start), (control, start), (control, end), (START, end)],
        [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
    )
    if link.differs:
        ax.add_patch(
            PathPatch(
                path, fc="none", ec=BAND, lw=band_width(), zorder=1,
                gid=f"differs-{link.first}-{link.second}",
            )
        )  # fmt: skip
    ax.add_patch(
        FancyArrowPatch(
            path=path, arrowstyle="-" if link.margin is None else "-|>", mutation_scale=0.9 * size,
            color=look.color, linestyle=look.line, linewidth=look.width * base, gid=link.mark,
            zorder=3 if link.margin is not None else 2, fill=False if link.margin is None else None,
        )
    )  # fmt: skip
    if link.text:
        ax.text(
            far, (start + end) / 2, link.text, ha="center", va="center", fontsize=NUMBER * size,
            color=look.color, zorder=6, gid=f"margin-{link.first}-{link.second}",
            bbox={"boxstyle": "square,pad=0.1", "fc": "white", "lw": 0},
        )  # fmt: skip


# All lengths are in letters.
NODE = 1.0
SHARES = np.concatenate([[0.5], np.linspace(0.48, 0.16, 33)])  # of the way from winner to loser


def draw_circle(
    items: ItemSet, ranks: Ranks, links: list[Link], ax: Axes | None, *, room: tuple[float, float]
) -> Axes:
    """Draw items clockwise from the top in the order of their ranks, and all links."""
    n = len(items)
    order = np.argsort(np.where(ranks >= 0, ranks, n), kind="stable")
    radius = max(8.0, n * (1.4 + 0.3 * widest((link.text for link in links), NUMBER)))
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    points = np.empty((n, 2))
    points[order] = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    names = plot_labels(items, name_letters(ax, share=0.2))
    # How far names reach to the left and to the right of the center.
    left, right = NODE + 1, NODE + 1
    for point, name in zip(points, names, strict=True):
        length, side, start = widest([name]), _side(point), _beside(point)[0]
        left = max(left, 1 - start + (1 - side) / 2 * length)
        right = max(right, 1 + start + (1 + side) / 2 * length)
    right = max(right, room[0] - left)
    low, high = points[:, 1].min() - NODE - 2, points[:, 1].max() + NODE + 2
    ax = canvas(ax, left + right + 1, high - low + room[1] + 1)
    # The layout measures legends from the corner of the place of the axes, which a circle keeps.
    ax.set_aspect("equal", anchor="NW")
    ax.set_xlim(-left, right)
    ax.set_ylim(low, high)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    for item, (point, rank) in enumerate(zip(points, ranks.tolist(), strict=True)):
        _node(ax, item, point, names[item], str(rank + 1) if rank >= 0 else NO_RANK)
    for link in links:
        _arrow(ax, link, points[link.first], points[link.second])
    _margins(ax, [link for link in links if link.text], points)
    return ax


def _node(ax: Axes, item: int, point: Floats, name: str, place: str) -> None:
    size = float(mpl.rcParams["font.size"])
    ax.plot(
        *point, "o", ms=2 * NODE * size, mfc="white", mec=INK, mew=0.1 * size, zorder=4,
        gid=f"item-{item}",
    )  # fmt: skip
    x, y = point
    ax.text(
        x, y, place, ha="center", va="center", zorder=5, fontsize=0.9 * size,
        gid=f"rank-{item}",
    )  # fmt: skip
    align = {1: "left", 0: "center", -1: "right"}[_side(point)]
    rise = point[1] / np.hypot(*point)
    height = "center" if abs(rise) < 0.7 else ("bottom" if rise > 0 else "top")
    x, y = _beside(point)
    ax.text(x, y, name, ha=align, va=height, parse_math=False, zorder=5, gid=f"name-{item}")


def _beside(point: Floats) -> Floats:
    """Return where the name of a point starts: a little further out."""
    return cast(Floats, point * (1 + (NODE + 0.4) / np.hypot(*point)))


def _side(point: Floats) -> int:
    """Return on which side of its point a name stands: 1 is right, 0 above or below."""
    return int(np.sign(round(point[0], 6)))


def _arrow(ax: Axes, link: Link, start: Floats, end: Floats) -> None:
    size, base = float(mpl.rcParams["font.size"]), float(mpl.rcParams["lines.linewidth"])
    look = LOOKS[link.kind]
    if link.differs:
        ax.plot(
            *np.column_stack([start, end]), color=BAND, linewidth=band_width(), zorder=1,
            gid=f"differs-{link.first}-{link.second}",
        )  # fmt: skip
    gap = 1.1 * NODE * size
    ax.add_patch(
        FancyArrowPatch(
            tuple(start), tuple(end), arrowstyle="-" if link.margin is None else "-|>",
            mutation_scale=size, shrinkA=gap, shrinkB=gap, color=look.color, linestyle=look.line,
            linewidth=look.width * base, zorder=3 if link.is_notable else 2, gid=link.mark,
        )
    )  # fmt: skip


def _margins(ax: Axes, links: list[Link], points: Floats) -> None:
    """Write every margin on its arrow, where it hides neither another one nor a crossing."""
    size = NUMBER * float(mpl.rcParams["font.size"])
    for link, share in zip(links, _label_shares(links, points), strict=True):
        look = LOOKS[link.kind]
        x, y = points[link.first] + share * (points[link.second] - points[link.first])
        ax.text(
            x, y, link.text,
            ha="center", va="center", fontsize=size, zorder=6, color=look.color,
            weight="bold" if link.is_notable else "normal",
            gid=f"margin-{link.first}-{link.second}",
            bbox={"boxstyle": "square,pad=0.1", "fc": "white", "lw": 0},
        )  # fmt: skip


def _label_shares(links: list[Link], points: Floats) -> list[float]:
    """Return how far along its arrow each margin stands, at best halfway.

    Short arrows leave least choice and choose first; then all choose again, until none moves.
    """
    if not links:
        return []
    starts = np.array([[points[link.first]] for link in links])
    ends = np.array([[points[link.second]] for link in links])
    spots = starts + SHARES[None, :, None] * (ends - starts)
    half = np.array([[0.4 + widest([link.text], NUMBER), 1.5 * NUMBER] for link in links]) / 2
    fixed = np.array([_crossings(spots[k], starts, ends, k) for k in range(len(links))])
    fixed = fixed + 3 * (0.5 - SHARES)
    chosen: dict[int, int] = {}
    lengths = np.hypot(*(ends - starts)[:, 0].T)
    for _ in range(6):
        before = dict(chosen)
        for k in np.argsort(lengths, kind="stable").tolist():
            others = [other for other in chosen if other != k]
            cost = fixed[k].copy()
            for other in others:
                apart = np.abs(spots[k] - spots[other, chosen[other]])
                room = half[k] + half[other]
                cost += 100.0 * (apart < room).all(axis=1)
            chosen[k] = int(np.argmin(cost))
        if chosen == before:
            break
    return [float(SHARES[chosen[k]]) for k in range(len(links))]


def _crossings(spots: Floats, starts: Floats, ends: Floats, own: int) -> Floats:
    """Return how many other arrows run under a label at each spot."""
    total = np.zeros(len(spots))
    for k, (start, end) in enumerate(zip(starts[:, 0], ends[:, 0], strict=True)):
        if k == own:
            continue
        way = end - start
        along = np.clip((spots - start) @ way / (way @ way), 0, 1)
        apart = np.hypot(*(spots - start - along[:, None] * way).T)
        total += np.clip(1.5 - apart / 0.9, 0, 1)
    return total


# So many items stand on a circle with all their arrows; more stand on a line.
ON_CIRCLE: Final = 8


def tournament_plot(
    graph: TournamentGraph,
    ranking: PartialRanking | Consensus | None = None,
    *,
    against: PartialRanking | Consensus | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the majorities in the order of a ranking.

    Up to 8 items stand on a circle, clockwise from the top, with an arrow from winner to loser of
    every pair and its margin. More stand on a line, where only the pairs whose majority does not
    follow the order have arcs (Wattenberg, 2002). Majorities that the ranking goes against are
    dashed; pairs that another ranking has the other way round lie on a broad band.

    Parameters
    ----------
    graph : TournamentGraph
        The majorities.
    ranking : PartialRanking or Consensus, optional
        The order of the items; the exact `Kemeny` consensus of the votes by default.
    against : PartialRanking or Consensus, optional
        Another ranking, such as Borda's: pairs that the two order differently are marked.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If an argument is of the wrong kind.
    ItemMismatchError
        If a ranking is of other items.

    References
    ----------
    Wattenberg (2002), "Arc diagrams: visualizing structure in strings",
    https://doi.org/10.1109/INFVIS.2002.1173155.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> voters = ra.datasets.load("borda_fails_condorcet")
    >>> graph = ra.TournamentGraph.from_data(voters)
    >>> ax = plotting.tournament_plot(graph, against=ra.Borda().aggregate(voters))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['majority: arrow to the loser, margin', 'Kemeny and Borda differ']
    """
    if not isinstance(graph, TournamentGraph):
        raise InvalidInputError(
            "graph", "a TournamentGraph", graph, "`TournamentGraph.from_data` makes one."
        )
    if ranking is None:
        ranking = Kemeny(unranked=graph.votes.unranked or "uniform").aggregate(graph.votes)
    order = _Order.of(graph, ranking, "ranking", "the ranking")
    other = None if against is None else _Order.of(graph, against, "against", "the other ranking")
    links = links_of(graph, order.ranks, None if other is None else other.ranks)
    names = plot_labels([order.name] if other is None else [order.name, other.name], 24)
    notes = [note for o in (order, other) if o is not None for note in o.notes]
    if other is not None and (half := ordered_once(order.ranks, other.ranks)):
        which = f"{counted(half, 'pair')} {'is' if half == 1 else 'are'}"
        notes.append(f"{which} ordered by only one of {names[0]} and {names[-1]}")
    draw, shown = draw_circle, links
    if len(graph.items) > ON_CIRCLE:
        draw, shown = draw_arcs, _notable(links, len(graph.items))
        notes = [*_rest(links, shown, names[0]), *notes]
    handles = _handles(shown, names)
    width = max(24.0, 5 + widest(str(handle.get_label()) for handle in handles))
    height = 1.6 * len(handles) + 2.5 * len(notes) + 1
    new = ax is None
    ax = draw(graph.items, order.ranks, shown, ax, room=(width, height))
    write_below(ax, notes, width if new else None)
    if handles:
        legend_above(ax, handles, new=new)
    return ax


@dataclass(frozen=True)
class _Order:
    """The ranks of the items, whose they are, and what a reader should know of them."""

    ranks: Ranks
    name: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, graph: TournamentGraph, ranking: object, parameter: str, name: str) -> _Order:
        notes: tuple[str, ...] = ()
        if isinstance(ranking, Consensus):
            name = ranking.aggregator.name
            if ranking.is_proved is False:
                notes = (f"the order by {plot_labels([name])[0]} is not proved optimal",)
            ranking = ranking.ranking
        if not isinstance(ranking, PartialRanking):
            raise InvalidInputError(
                parameter, "a PartialRanking, a Permutation or a Consensus", ranking
            )
        graph.items.require_same(ranking.items, f"The tournament and `{parameter}`")
        return cls(ranking.ranks, name, notes)


def _notable(links: list[Link], n: int) -> list[Link]:
    """Return the links of an arc diagram; so many pairs without a majority would hide the rest."""
    shown = [link for link in links if link.is_notable]
    for kind in ("level", "never"):
        if sum(link.kind == kind for link in shown) > n:
            shown = [link for link in shown if link.kind != kind or link.differs]
    return shown


def _rest(links: list[Link], shown: list[Link], name: str) -> list[str]:
    """Say what is not drawn."""
    left = [link.kind for link in set(links) - set(shown)]
    agreeing = left.count("with")
    which = "the other" if shown else "all"
    majorities = counted(agreeing, "majority")
    verb = "agrees" if agreeing == 1 else "agree"
    notes = [f"{which} {majorities} {verb} with {name}"] if agreeing else []
    if left.count("level"):
        notes.append(
            f"not drawn: {counted(left.count('level'), 'pair')} with as many votes each way"
        )
    if left.count("never"):
        notes.append(f"not drawn: {counted(left.count('never'), 'pair')} that were never compared")
    return notes


def _handles(shown: list[Link], names: list[str]) -> list[Line2D]:
    """Return a line of the legend for each kind of link that is drawn."""
    kinds = {link.kind for link in shown}
    width = float(mpl.rcParams["lines.linewidth"])
    handles = [
        Line2D(
            [], [], color=look.color, linestyle=look.line, linewidth=look.width * width,
            label=look.label.format(name=names[0]),
        )
        for kind, look in LOOKS.items()
        if kind in kinds
    ]  # fmt: skip
    if any(link.differs for link in shown):
        label = f"{names[0]} and {names[-1]} differ"
        handles.append(
            Line2D([], [], color=BAND, linewidth=band_width(), solid_capstyle="butt", label=label)
        )
    return handles
