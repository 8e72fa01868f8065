"""Graphs: majorities in the order of a ranking, and all orders of up to four items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path

from rankagg._typing import Label, Ranks
from rankagg.aggregation import Consensus
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core import ItemSet, PartialRanking, Permutation, counted, pair_signs, shortened
from rankagg.exceptions import Described, InvalidInputError
from rankagg.plotting.heatmaps import SIDES
from rankagg.plotting.sheet import PlotSheet, first_of, in_order, open_frame, rank_text, text_width
from rankagg.plotting.theme import (
    ACCENTS,
    GRAY,
    INK,
    MOST_DRAWN,
    SHARE_COLORS,
    letter,
    plot_labels,
    plot_of,
    stroke,
)
from rankagg.teaching import Steps

Kind = Literal["with", "against", "open", "level", "never"]
# Lighter than ink, and darker than the band in gray print.
DIM = "#666666"
#: Marks pairs that two rankings order differently.
BAND = ACCENTS[5]
# Position of margins from winner (0) to loser (1), by the number of items on a circle: no two
# margins are closer than with other positions.
MARGIN_AT = {3: 0.5, 4: 0.33, 5: 0.28, 6: 0.25, 7: 0.23, 8: 0.36}
# More items than these are on a line, not on a circle.
ON_CIRCLE = 8
# Font of margins, start of arcs, and radius of items, in multiples of the font size.
MARGIN_SIZE, ARC_START, NODE = 0.85, 0.7, 1.0
#: Most items of a permutohedron; five have 120 orders.
MOST_PERMUTED = 4


class _LinkLook(NamedTuple):
    """Style of a kind of link: color, line style, relative width and legend."""

    color: str
    line: Any
    width: float
    label: str

    def style(self) -> dict[str, Any]:
        """Return the style for Matplotlib."""
        return {"color": self.color, "linestyle": self.line, "linewidth": stroke(self.width)}


LINK_LOOKS: dict[Kind, _LinkLook] = {
    "with": _LinkLook(INK, "-", 0.6, "majority: arrow to the loser, margin"),
    "against": _LinkLook(ACCENTS[1], "--", 1.2, "majority against {name}"),
    "open": _LinkLook(ACCENTS[2], "-.", 1.0, "majority not ordered by {name}"),
    "level": _LinkLook(DIM, "-", 1.6, "as many votes each way"),
    "never": _LinkLook(DIM, ":", 0.8, "never compared"),
}


@dataclass(frozen=True)
class _Link:
    """A pair of items, by their positions in the item set."""

    # Winner and loser; without a majority, in the order of the ranking.
    first: int
    second: int
    kind: Kind
    # Whether another ranking reverses the pair.
    differs: bool
    # None without a majority.
    margin: float | None = None

    @property
    def is_notable(self) -> bool:
        """True unless the majority and both rankings agree."""
        return self.kind != "with" or self.differs

    @property
    def text(self) -> str:
        """The margin next to the arrow; empty without a majority."""
        if self.margin is None:
            return ""
        whole = round(self.margin)
        if abs(self.margin - whole) < 1e-9:
            return str(whole)
        return f"{self.margin:.3g}" if abs(self.margin) < 100 else f"{self.margin:.0f}"

    def gid(self, what: str) -> str:
        """Return the id of a part of its drawing."""
        return f"{what}-{self.first}-{self.second}"


def _links_of(
    graph: TournamentGraph, ranks: Ranks, others: Ranks | None, drawn: list[int]
) -> list[_Link]:
    """Return a link for each pair of the drawn items."""
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
    """Draw the first n items from top to bottom by rank, with arcs for links.

    Arcs of equal span have equal width. Widths differ by at least the width of a margin, so that
    margins do not overlap.
    """
    order = in_order(ranks)
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
        # A cubic curve covers three quarters of the distance to its control points.
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
    labels = [f"{rank_text(ranks[i])}  {name}" for i, name in zip(order, names, strict=True)]
    ax.set_yticks(range(n), labels, parse_math=False)
    ax.tick_params(axis="y", length=0)
    return sheet


def _arrow_look(link: _Link) -> dict[str, Any]:
    head = "-" if link.margin is None else "-|>"
    return {"arrowstyle": head, "gid": link.gid(link.kind), **LINK_LOOKS[link.kind].style()}


def _write_margin(ax: Axes, link: _Link, at: tuple[float, float], weight: str = "normal") -> None:
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": letter(MARGIN_SIZE)}
    text = ax.text(*at, link.text, color=LINK_LOOKS[link.kind].color, zorder=6, **look)
    text.set(gid=link.gid("margin"), weight=weight)
    text.set_bbox({"boxstyle": "square,pad=0.1", "fc": "white", "lw": 0})


def _draw_circle(ax: Axes | None, items: ItemSet, ranks: Ranks, links: list[_Link]) -> PlotSheet:
    """Draw items clockwise from the top by rank, and all links."""
    n = len(items)
    radius = max(8.0, n * (1.4 + 0.35 * text_width((link.text for link in links), MARGIN_SIZE)))
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    points = np.empty((n, 2))
    points[in_order(ranks)] = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    # Names are outside: to the right or left of points, or above and below.
    starts = points * (1 + (NODE + 0.4) / radius)
    sides = np.sign(points[:, 0].round(6)).astype(int)
    low, high = points[:, 1].min() - NODE - 2, points[:, 1].max() + NODE + 2
    left = radius + NODE + 1
    right = max(left, 24.0 - left)
    sheet = PlotSheet(ax, left + right, high - low)
    ax, names = sheet.ax, sheet.names(items, share=0.2)
    # The layout measures legends from the upper left corner.
    ax.set_aspect("equal", anchor="NW")
    ax.set_xlim(-left, right)
    ax.set_ylim(low, high)
    ax.set_yticks([])
    node: dict[str, Any] = {"ms": letter(2 * NODE), "mfc": "white", "mec": INK, "zorder": 4}
    for item, point in enumerate(points):
        ax.plot(*point, "o", mew=letter(0.1), gid=f"item-{item}", **node)
        place = ax.text(point[0], point[1], rank_text(ranks[item]), ha="center", va="center")
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
        if link.text:
            x, y = start + MARGIN_AT.get(n, 0.5) * (end - start)
            _write_margin(ax, link, (x, y), "bold" if link.is_notable else "normal")
    return sheet


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

    Up to 8 items are on a circle, clockwise from the top, with an arrow from winner to loser and
    its margin for each pair. More items are on a line, with arcs only for pairs whose majority
    does not follow the order (Wattenberg, 2002). Of more than `top` items the first of the
    ranking are drawn. Majorities that the ranking contradicts are dashed. Pairs that another
    ranking reverses have a broad band.

    Parameters
    ----------
    result : TournamentGraph
        Majorities to draw.
    ranking : PartialRanking or Consensus, optional
        Order of the items; the exact `Kemeny` consensus of the votes by default.
    against : PartialRanking or Consensus, optional
        Another ranking, such as that by Borda; pairs that the two order differently are marked.

    Raises
    ------
    ItemMismatchError
        If a ranking has other items.

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
    ranks, *others = (
        _ranks_of(result, one, parameter)
        for one, parameter in ((ranking, "ranking"), (against, "against"))
        if one is not None
    )
    used = {"the ranking": ranking} | ({} if against is None else {"the other ranking": against})
    names = [one.rule.name if isinstance(one, Consensus) else name for name, one in used.items()]
    names = plot_labels(names, 24)
    notes = [
        f"the order by {name} is not proved optimal"
        for name, one in zip(names, used.values(), strict=True)
        if isinstance(one, Consensus) and one.is_proved is False
    ]
    n, note = first_of(len(result.items), top, "item")
    drawn = sorted(in_order(ranks)[:n].tolist())
    for other in others:
        half = (pair_signs(ranks[drawn]) != 0) != (pair_signs(other[drawn]) != 0)
        if n_half := int(np.triu(half).sum()):
            which = f"{counted(n_half, 'pair')} {'is' if n_half == 1 else 'are'}"
            notes.append(f"{which} ordered by only one of {names[0]} and {names[-1]}")
    links = _links_of(result, ranks, others[0] if others else None, drawn)
    if len(result.items) > ON_CIRCLE or note:
        shown = _notable(links, n)
        notes = [note, *_undrawn_links(links, shown, names[0]), *notes]
        sheet = _draw_arcs(ax, result.items, ranks, shown, n)
    else:
        shown, sheet = links, _draw_circle(ax, result.items, ranks, links)
    sheet.ax.set_xticks([])
    open_frame(sheet.ax, SIDES, "")
    return sheet.finish(notes, handles=_link_legend(shown, names))


def _ranks_of(graph: TournamentGraph, given: object, parameter: str) -> Ranks:
    ranking = given.ranking if isinstance(given, Consensus) else given
    if not isinstance(ranking, PartialRanking):
        allowed = "a PartialRanking, a Permutation or a Consensus"
        raise InvalidInputError(parameter, allowed, ranking)
    graph.items.require_same(ranking.items, f"The tournament and `{parameter}`")
    return ranking.ranks


def _notable(links: list[_Link], n: int) -> list[_Link]:
    """Return the links of an arc diagram, without ties or gaps that would hide the rest."""
    shown = [link for link in links if link.is_notable]
    for kind in ("level", "never"):
        if sum(link.kind == kind for link in shown) > n:
            shown = [link for link in shown if link.kind != kind or link.differs]
    return shown


def _undrawn_links(links: list[_Link], shown: list[_Link], name: str) -> list[str]:
    left = Counter(link.kind for link in set(links) - set(shown))
    agreeing, verb = counted(left["with"], "majority"), "agrees" if left["with"] == 1 else "agree"
    level, never = (f"not drawn: {counted(left[kind], 'pair')}" for kind in ("level", "never"))
    return [
        f"{'the other' if shown else 'all'} {agreeing} {verb} with {name}" if left["with"] else "",
        f"{level} with as many votes each way" if left["level"] else "",
        f"{never} that were never compared" if left["never"] else "",
    ]


def _link_legend(shown: list[_Link], names: list[str]) -> list[Line2D]:
    """Return a legend entry for each kind of link that is drawn."""
    kinds = {link.kind for link in shown}
    handles = [
        Line2D([], [], label=look.label.format(name=names[0]), **look.style())
        for kind, look in LINK_LOOKS.items()
        if kind in kinds
    ]
    if any(link.differs for link in shown):
        band: dict[str, Any] = {"color": BAND, "lw": letter(0.6), "solid_capstyle": "butt"}
        handles.append(Line2D([], [], label=f"{names[0]} and {names[-1]} differ", **band))
    return handles


@plot_of()
def permutohedron_plot(consensus: Consensus | Steps, *, ax: Axes | None = None) -> Axes:
    """Draw all orders of up to four items with their Kemeny costs; lines swap two neighbors.

    The cheapest order is at the bottom. The height of the others is their Kendall distance to it.
    Darker orders cost more. Optima have a thick frame, and a triangle marks the consensus.

    Parameters
    ----------
    consensus : Consensus or Steps
        Consensus by any rule, or the steps to it; costs are those of its votes.

    Raises
    ------
    InvalidInputError
        If the steps have no consensus, or there are more than four items.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> steps = ra.teaching.show_steps(ra.Kemeny(), ra.datasets.load("condorcet_1785"))
    >>> ax = plotting.permutohedron_plot(steps)
    >>> [text.get_text().split() for text in ax.texts if text.get_gid() == "order"][0]
    ['BCA', '76']
    """
    consensus = _checked_consensus(consensus)
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
        # Light enough for text.
        shade = SHARE_COLORS(0.42 * (costs[order] - least) / span)
        edge, width = (ACCENTS[1], stroke(2)) if costs[order] == least else (GRAY, stroke(0.6))
        box = {"boxstyle": "round,pad=0.3", "fc": shade, "ec": edge, "lw": width}
        text = ax.annotate(labels[order], (x, y), color=INK, zorder=3, bbox=box)
        text.set(ha="center", va="center", parse_math=False, gid="order")
        # Orders that agree with the consensus, except for its ties.
        along = consensus.ranking.ranks[list(order)]
        if (along >= 0).all() and (np.diff(along) >= 0).all():
            ax.plot(x, y - 0.44, "^", color=ACCENTS[0], zorder=4, gid="answer")
    ax.set_xticks([])
    ax.set_yticks([])
    open_frame(ax, SIDES, "")
    ax.set_xlim(-across / 2 - 0.25, across / 2 + 0.25)
    ax.set_ylim(-0.8, max(levels) + 0.6)
    name, ranking = consensus.rule.name, consensus.ranking
    marked = f"Triangles: the orders that break the ties of {name}."
    if not ranking.is_complete:
        marked = f"{name} leaves items out, so that no order is marked."
    elif ranking.is_strict:
        marked = f"Triangle: the consensus by {name}."
    orders = "Orders, best first, with the votes against each; thick frames: the fewest."
    return sheet.finish([f"{orders} A line swaps two neighbors.", marked, key])


def _checked_consensus(given: object) -> Consensus:
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
    """Return one or two letters for each item, and a key unless these are the labels."""
    texts = [" ".join(str(label).split()) for label in labels]
    if all(0 < len(text) <= 2 for text in texts):
        return texts, ""
    letters = [text[:1].upper() for text in texts]
    if len(set(letters)) < len(letters) or not all(letter.isalpha() for letter in letters):
        letters = list("ABCD"[: len(texts)])
    parts = (f"{a} {shortened(b, 24)}" for a, b in zip(letters, texts, strict=True))
    return letters, ", ".join(parts)


def _order_spots(best: Sequence[Any]) -> dict[Any, tuple[float, int]]:
    """Return a place for each order: its height is the distance to the best."""
    levels: dict[int, list[tuple[int, list[int], Any]]] = {}
    for order in permutations(best):
        ranks = [best.index(item) for item in order]
        distance = sum(a > b for a, b in combinations(ranks, 2))
        # The projection with the fewest crossings: none for three items, eight for four.
        ends = ranks.index(0) + ranks.index(len(ranks) - 1)
        levels.setdefault(distance, []).append((ends, ranks, order))
    return {
        order: (at - (len(level) - 1) / 2, height)
        for height, level in levels.items()
        for at, (*_, order) in enumerate(sorted(level))
    }
