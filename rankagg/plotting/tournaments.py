"""Graphs: majorities in the order of a ranking, and all orders of a few items with their costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path

from rankagg._typing import Floats, Label, Ranks
from rankagg.aggregation import Consensus
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core import ItemSet, PartialRanking, Permutation, counted, pair_signs, shortened
from rankagg.exceptions import Described, InvalidInputError
from rankagg.plotting.heatmaps import SIDES
from rankagg.plotting.sheet import PlotSheet, first_of, open_frame, text_width
from rankagg.plotting.theme import (
    ACCENTS,
    GRAY,
    INK,
    MOST_DRAWN,
    NO_RANK,
    SHARE_COLORS,
    letter,
    plot_labels,
    plot_of,
    stroke,
)
from rankagg.teaching import Steps

Kind = Literal["with", "against", "open", "level", "never"]
# Lighter than ink, and darker than the band in gray print.
DIM: Final = "#666666"
#: Lies under a link that two rankings order differently.
BAND: Final = ACCENTS[5]
# Where margins may stand, of the way from winner to loser.
SHARES_OF_WAY = np.concatenate([[0.5], np.linspace(0.48, 0.16, 33)])
# So many items stand on a circle with all their arrows; more stand on a line.
ON_CIRCLE: Final = 8
# The size of margins beside other text; where arcs begin, and the radius of the circle of an item,
# in multiples of the font size.
MARGIN_SIZE, ARC_START, NODE = 0.85, 0.7, 1.0
#: Five items have 120 orders, which nobody tells apart in a picture.
MOST_PERMUTED: Final = 4


class _LinkLook(NamedTuple):
    """Color, line and width (in usual lines) of a kind of link, and its words in the legend."""

    color: str
    line: Any
    width: float
    label: str


LINK_LOOKS: Final[dict[Kind, _LinkLook]] = {
    "with": _LinkLook(INK, "-", 0.6, "majority: arrow to the loser, margin"),
    "against": _LinkLook(ACCENTS[1], "--", 1.2, "majority against {name}"),
    "open": _LinkLook(ACCENTS[2], "-.", 1.0, "majority not ordered by {name}"),
    "level": _LinkLook(DIM, "-", 0.8, "as many votes each way"),
    "never": _LinkLook(DIM, ":", 0.8, "never compared"),
}


@dataclass(frozen=True)
class _Link:
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

    def gid(self, what: str) -> str:
        """Return the name of a part of its picture."""
        return f"{what}-{self.first}-{self.second}"


def _links_of(
    graph: TournamentGraph, ranks: Ranks, others: Ranks | None, drawn: list[int]
) -> list[_Link]:
    """Return one link for every two of the items that are drawn."""
    above, beats, margins = pair_signs(ranks), graph.beats, graph.margins
    differs = np.zeros_like(above, dtype=bool) if others is None else above * pair_signs(others) < 0
    kinds: dict[int, Kind] = {1: "with", -1: "against", 0: "open"}
    links = []
    for a, b in combinations(drawn, 2):
        is_turned = beats[b, a] or (above[a, b] < 0 and not beats[a, b])
        i, j = (b, a) if is_turned else (a, b)
        kind, margin = kinds[int(above[i, j])], float(margins[i, j])
        if not beats[i, j]:
            kind = "level" if graph.votes.scaled_comparisons[i, j] > 0 else "never"
        links.append(_Link(i, j, kind, bool(differs[i, j]), margin if beats[i, j] else None))
    return links


def _draw_arcs(
    ax: Axes | None, items: ItemSet, ranks: Ranks, links: list[_Link], n: int
) -> PlotSheet:
    """Draw the first n items from top to bottom in the order of their ranks, with arcs for links.

    Arcs over equally many items reach equally far to the right, and others by at least the width
    of a margin less or more, so that no two margins meet.
    """
    order = _in_order(ranks)
    row, order = np.argsort(order), order[:n]
    spans = sorted({abs(int(row[link.first] - row[link.second])) for link in links})
    step = 1.4 + text_width((link.text for link in links), MARGIN_SIZE)
    reach = {span: ARC_START + 1.5 + step * (1 + k) for k, span in enumerate(spans)}
    width = max([24.0, *(far + step for far in reach.values())])
    sheet = PlotSheet(ax, width, 1.4 * n)
    ax, names = sheet.ax, sheet.names(items.at(order))
    ax.set_xlim(-0.5, width)
    ax.set_ylim(n - 0.4, -0.6)
    for item in order:
        look: dict[str, Any] = {"ms": letter(0.5), "color": INK, "clip_on": False}
        ax.plot(0, row[item], "o", gid=f"item-{item}", **look)
    for link in links:
        start, end = float(row[link.first]), float(row[link.second])
        far = reach[abs(int(start - end))]
        # A cubic curve comes three quarters of the way to its control points.
        control = ARC_START + (far - ARC_START) * 4 / 3
        corners = [(ARC_START, start), (control, start), (control, end), (ARC_START, end)]
        path = Path(corners, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        if link.differs:
            look = {"fc": "none", "ec": BAND, "lw": letter(0.6), "zorder": 1}
            ax.add_patch(PathPatch(path, gid=link.gid("differs"), **look))
        look = {"mutation_scale": letter(0.9), "zorder": 2 if link.margin is None else 3}
        look["fill"] = False if link.margin is None else None
        ax.add_patch(FancyArrowPatch(path=path, **look, **_arrow_look(link)))
        if link.text:
            _write_margin(ax, link, (far, (start + end) / 2))
    labels = [f"{_place_told(ranks[i])}  {name}" for i, name in zip(order, names, strict=True)]
    ax.set_yticks(range(n), labels, parse_math=False)
    ax.tick_params(axis="y", length=0)
    return sheet


def _in_order(ranks: Ranks) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    return np.argsort(np.where(ranks >= 0, ranks, len(ranks)), kind="stable")


def _place_told(rank: int) -> str:
    return str(rank + 1) if rank >= 0 else NO_RANK


def _arrow_look(link: _Link) -> dict[str, Any]:
    look, head = LINK_LOOKS[link.kind], "-" if link.margin is None else "-|>"
    line = {"color": look.color, "linestyle": look.line, "linewidth": stroke(look.width)}
    return {"arrowstyle": head, "gid": link.gid(link.kind), **line}


def _write_margin(ax: Axes, link: _Link, at: tuple[float, float], weight: str = "normal") -> None:
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": letter(MARGIN_SIZE)}
    text = ax.text(*at, link.text, color=LINK_LOOKS[link.kind].color, zorder=6, **look)
    text.set(gid=link.gid("margin"), weight=weight)
    text.set_bbox({"boxstyle": "square,pad=0.1", "fc": "white", "lw": 0})


def _draw_circle(ax: Axes | None, items: ItemSet, ranks: Ranks, links: list[_Link]) -> PlotSheet:
    """Draw items clockwise from the top in the order of their ranks, and all links."""
    n = len(items)
    radius = max(8.0, n * (1.4 + 0.3 * text_width((link.text for link in links), MARGIN_SIZE)))
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    points = np.empty((n, 2))
    points[_in_order(ranks)] = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    # Names start a little further out: right of points, left of them, or above and below.
    starts = points * (1 + (NODE + 0.4) / radius)
    sides = np.sign(points[:, 0].round(6)).astype(int)
    names = plot_labels(items) if ax is None else PlotSheet(ax, 0.0, 0.0).names(items, share=0.2)
    lengths = np.array([text_width([name]) for name in names])
    left = max(NODE + 1, float(np.max(1 - starts[:, 0] + (1 - sides) / 2 * lengths)))
    right = max(NODE + 1, float(np.max(1 + starts[:, 0] + (1 + sides) / 2 * lengths)), 24.0 - left)
    low, high = points[:, 1].min() - NODE - 2, points[:, 1].max() + NODE + 2
    sheet = PlotSheet(ax, left + right, high - low)
    ax = sheet.ax
    # The layout measures legends from the corner of the place of the axes, which a circle keeps.
    ax.set_aspect("equal", anchor="NW")
    ax.set_xlim(-left, right)
    ax.set_ylim(low, high)
    ax.set_yticks([])
    node: dict[str, Any] = {"ms": letter(2 * NODE), "mfc": "white", "mec": INK, "zorder": 4}
    for item, point in enumerate(points):
        ax.plot(*point, "o", mew=letter(0.1), gid=f"item-{item}", **node)
        place = ax.text(point[0], point[1], _place_told(ranks[item]), ha="center", va="center")
        place.set(fontsize=letter(0.9), gid=f"rank-{item}", zorder=5)
        rise, align = point[1] / radius, ("center", "left", "right")[sides[item]]
        height = "center" if abs(rise) < 0.7 else ("bottom" if rise > 0 else "top")
        x, y = starts[item]
        name = ax.text(x, y, names[item], ha=align, va=height, gid=f"name-{item}", zorder=5)
        name.set_parse_math(False)
    gap = letter(1.1 * NODE)
    for link in links:
        start, end = points[link.first], points[link.second]
        if link.differs:
            band: dict[str, Any] = {"color": BAND, "lw": letter(0.6), "zorder": 1}
            ax.plot(*np.column_stack([start, end]), gid=link.gid("differs"), **band)
        look: dict[str, Any] = {"mutation_scale": letter(), "zorder": 2 + link.is_notable}
        look |= {"shrinkA": gap, "shrinkB": gap, **_arrow_look(link)}
        ax.add_patch(FancyArrowPatch(tuple(start), tuple(end), **look))
    # No margin hides another one.
    told = [link for link in links if link.text]
    for link, share in zip(told, _label_shares(told, points), strict=True):
        x, y = points[link.first] + share * (points[link.second] - points[link.first])
        _write_margin(ax, link, (x, y), "bold" if link.is_notable else "normal")
    return sheet


def _label_shares(links: list[_Link], points: Floats) -> list[float]:
    """Return how far along its arrow each margin is: at best halfway, and on no other margin.

    Short arrows leave least choice and choose first.
    """
    ways = np.array([points[link.second] - points[link.first] for link in links])
    taken: dict[int, tuple[Floats, Floats]] = {}
    shares = np.full(len(links), SHARES_OF_WAY[-1])
    for k in np.argsort(np.hypot(*ways.T), kind="stable").tolist() if links else ():
        half = np.array([0.4 + text_width([links[k].text], MARGIN_SIZE), 1.5 * MARGIN_SIZE]) / 2
        for share in SHARES_OF_WAY:
            spot = points[links[k].first] + share * ways[k]
            if all((np.abs(spot - at) >= half + size).any() for at, size in taken.values()):
                shares[k] = share
                break
        taken[k] = points[links[k].first] + shares[k] * ways[k], half
    return [float(share) for share in shares]


@plot_of(TournamentGraph, "TournamentGraph")
def tournament_plot(
    result: TournamentGraph,
    ranking: PartialRanking | Consensus | None = None,
    *,
    against: PartialRanking | Consensus | None = None,
    top: int | None = MOST_DRAWN,
    ax: Axes | None = None,
) -> Axes:
    """Draw the majorities in the order of a ranking.

    Up to 8 items stand on a circle, clockwise from the top, with an arrow from winner to loser of
    every pair and its margin. More stand on a line, where only the pairs whose majority does not
    follow the order have arcs (Wattenberg, 2002). Majorities that the ranking goes against are
    dashed; pairs that another ranking has the other way round lie on a broad band.

    Parameters
    ----------
    result : TournamentGraph
        The majorities.
    ranking : PartialRanking or Consensus, optional
        The order of the items; the exact `Kemeny` consensus of the votes by default.
    against : PartialRanking or Consensus, optional
        Another ranking, such as Borda's: pairs that the two order differently are marked.

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
    >>> graph = ra.TournamentGraph(voters)
    >>> ax = plotting.tournament_plot(graph, against=ra.Borda().aggregate(voters))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['majority: arrow to the loser, margin', 'Kemeny and Borda differ']
    """
    if ranking is None:
        ranking = Kemeny().aggregate(result.votes)
    order = _Order.of(result, ranking, "ranking", "the ranking")
    other = None if against is None else _Order.of(result, against, "against", "the other ranking")
    n, said = first_of(len(result.items), top, "item")
    drawn = sorted(_in_order(order.ranks)[:n].tolist())
    links = _links_of(result, order.ranks, None if other is None else other.ranks, drawn)
    names = plot_labels([order.name] if other is None else [order.name, other.name], 24)
    notes = [note for o in (order, other) if o is not None for note in o.notes]
    if other is not None:
        ordered = [pair_signs(one.ranks[drawn]) != 0 for one in (order, other)]
        half = int(np.triu(ordered[0] != ordered[1]).sum())
        which = f"{counted(half, 'pair')} {'is' if half == 1 else 'are'}"
        notes += [f"{which} ordered by only one of {names[0]} and {names[-1]}"] if half else []
    shown = links
    if len(result.items) > ON_CIRCLE or said:
        shown = _notable(links, n)
        notes = [said, *_rest(links, shown, names[0]), *notes]
        sheet = _draw_arcs(ax, result.items, order.ranks, shown, n)
    else:
        sheet = _draw_circle(ax, result.items, order.ranks, links)
    sheet.ax.set_xticks([])
    open_frame(sheet.ax, SIDES, "")
    return sheet.finish(notes, handles=_kinds_told(shown, names))


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
            name = ranking.rule.name
            if ranking.is_proved is False:
                notes = (f"the order by {plot_labels([name])[0]} is not proved optimal",)
            ranking = ranking.ranking
        if not isinstance(ranking, PartialRanking):
            allowed = "a PartialRanking, a Permutation or a Consensus"
            raise InvalidInputError(parameter, allowed, ranking)
        graph.items.require_same(ranking.items, f"The tournament and `{parameter}`")
        return cls(ranking.ranks, name, notes)


def _notable(links: list[_Link], n: int) -> list[_Link]:
    """Return the links of an arc diagram; so many pairs without a majority would hide the rest."""
    shown = [link for link in links if link.is_notable]
    for kind in ("level", "never"):
        if sum(link.kind == kind for link in shown) > n:
            shown = [link for link in shown if link.kind != kind or link.differs]
    return shown


def _rest(links: list[_Link], shown: list[_Link], name: str) -> list[str]:
    """Say what is not drawn."""
    left = Counter(link.kind for link in set(links) - set(shown))
    agreeing, verb = counted(left["with"], "majority"), "agrees" if left["with"] == 1 else "agree"
    level, never = (f"not drawn: {counted(left[kind], 'pair')}" for kind in ("level", "never"))
    return [
        f"{'the other' if shown else 'all'} {agreeing} {verb} with {name}" if left["with"] else "",
        f"{level} with as many votes each way" if left["level"] else "",
        f"{never} that were never compared" if left["never"] else "",
    ]


def _kinds_told(shown: list[_Link], names: list[str]) -> list[Line2D]:
    """Return a line of the legend for each kind of link that is drawn."""
    kinds = {link.kind for link in shown}
    handles = []
    for kind, look in LINK_LOOKS.items():
        if kind in kinds:
            told = look.label.format(name=names[0])
            line = {"color": look.color, "ls": look.line, "lw": stroke(look.width)}
            handles.append(Line2D([], [], label=told, **line))
    if any(link.differs for link in shown):
        band: dict[str, Any] = {"color": BAND, "lw": letter(0.6), "solid_capstyle": "butt"}
        handles.append(Line2D([], [], label=f"{names[0]} and {names[-1]} differ", **band))
    return handles


@plot_of()
def permutohedron_plot(consensus: Consensus | Steps, *, ax: Axes | None = None) -> Axes:
    """Draw all orders of up to four items with their Kemeny costs; a line is a swap of neighbors.

    The cheapest order stands at the bottom, and the others above it by how many pairs they have
    the other way round. Darker orders cost more. Optima have a thick frame, and below what the
    rule returned is a triangle.

    Parameters
    ----------
    consensus : Consensus or Steps
        Of any rule; costs are those of its votes.

    Raises
    ------
    InvalidInputError
        If the steps are of no rule, or there are more than four items.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> steps = ra.teaching.show_steps(ra.Kemeny(), ra.datasets.load("condorcet_1785"))
    >>> ax = plotting.permutohedron_plot(steps)
    >>> [text.get_text().split() for text in ax.texts if text.get_gid() == "order"][0]
    ['BCA', '76']
    """
    consensus = _consensus_of(consensus)
    items, n = consensus.items, len(consensus.items)
    costs = {
        order: consensus.cost_of(Permutation.from_order(items.at(order), items=items))
        for order in permutations(range(n))
    }
    names, key = _item_letters(items.labels)
    best = min(costs, key=lambda order: (costs[order], order))
    spots = _order_spots(best)
    between = "" if all(len(name) == 1 for name in names) else " "
    labels = {
        order: f"{between.join(names[i] for i in order)}\n{cost:.6g}"
        for order, cost in costs.items()
    }
    levels = [height for _, height in spots.values()]
    across = max(levels.count(level) for level in levels)
    width = (text_width(labels.values()) + 3.0) * (max(across, 2) + 0.5)
    sheet = PlotSheet(ax, max(width, 22.0), 4.2 * (max(levels) + 1))
    ax = sheet.ax
    for order, spot in spots.items():
        for k in range(n - 1):
            other = (*order[:k], order[k + 1], order[k], *order[k + 2 :])
            if order < other:
                ax.plot(*zip(spot, spots[other], strict=True), color=GRAY, zorder=1, gid="swap")
    least = min(costs.values())
    span = max(costs.values()) - least or 1.0
    for order, (x, y) in spots.items():
        # No darker than ink is read on.
        shade = SHARE_COLORS(0.42 * (costs[order] - least) / span)
        edge, width = (ACCENTS[1], stroke(2)) if costs[order] == least else (GRAY, stroke(0.6))
        box: dict[str, Any] = {"boxstyle": "round,pad=0.3", "fc": shade, "ec": edge, "lw": width}
        text = ax.annotate(labels[order], (x, y), color=INK, zorder=3, bbox=box)
        text.set(ha="center", va="center", parse_math=False, gid="order")
        # It breaks the ties of a ranking of all items; all do where none is.
        along = consensus.ranking.ranks[list(order)]
        if (along >= 0).all() and (np.diff(along) >= 0).all():
            ax.plot(x, y - 0.44, "^", color=ACCENTS[0], zorder=4, gid="answer")
    ax.set_xticks([])
    ax.set_yticks([])
    open_frame(ax, SIDES, "")
    ax.set_xlim(-across / 2 - 0.25, across / 2 + 0.25)
    ax.set_ylim(-0.8, max(levels) + 0.6)
    name, ranking = consensus.rule.name, consensus.ranking
    told = f"Triangles: the orders that break the ties of {name}."
    if not ranking.is_complete:
        told = f"{name} leaves items out, so no order is marked as its own."
    elif ranking.is_strict:
        told = f"Triangle: what {name} returns."
    orders = "Orders, best first, and the votes that each contradicts; thick frames: the least."
    return sheet.finish([f"{orders} A line swaps two neighbors.", told, key])


def _consensus_of(given: object) -> Consensus:
    consensus = given.consensus if isinstance(given, Steps) else given
    if not isinstance(consensus, Consensus):
        remedy = "`rankagg.teaching.show_steps` makes some."
        raise InvalidInputError("consensus", "a Consensus, or Steps of a rule", given, remedy)
    n = len(consensus.items)
    if n > MOST_PERMUTED:
        allowed, got = f"of at most {MOST_PERMUTED} items", Described(counted(n, "item"))
        raise InvalidInputError("consensus", allowed, got, "`profile.restrict` leaves some out.")
    return consensus


def _item_letters(labels: tuple[Label, ...]) -> tuple[list[str], str]:
    """Return a letter or two for each item, and what they stand for where they are not labels."""
    texts = [" ".join(str(label).split()) for label in labels]
    if all(0 < len(text) <= 2 for text in texts):
        return texts, ""
    letters = [text[:1].upper() for text in texts]
    if len(set(letters)) < len(letters) or not all(letter.isalpha() for letter in letters):
        letters = list("ABCD"[: len(texts)])
    parts = (f"{a} {shortened(b, 24)}" for a, b in zip(letters, texts, strict=True))
    return letters, ", ".join(parts)


def _order_spots(best: Sequence[Any]) -> dict[Any, tuple[float, int]]:
    """Put orders as high as their distance to the best, side by side as their neighbors are."""
    levels: dict[int, list[tuple[int, list[int], Any]]] = {}
    for order in permutations(best):
        seen = [best.index(item) for item in order]
        turned = sum(a > b for a, b in combinations(seen, 2))
        # A look from the side on which the fewest lines cross: none of three items, eight of four.
        look = seen.index(0) + seen.index(len(seen) - 1)
        levels.setdefault(turned, []).append((look, seen, order))
    return {
        order: (at - (len(level) - 1) / 2, height)
        for height, level in levels.items()
        for at, (*_, order) in enumerate(sorted(level))
    }
