"""The majority graph in the order of a ranking, and where the ranking goes against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Ranks
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.analysis.tournament.tournament import TournamentGraph
from rankagg.core.items import counted
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.style.legends import legend_above
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import write_below
from rankagg.plotting.style.theme import plot_labels
from rankagg.plotting.votes.tournament_arcs import draw_arcs
from rankagg.plotting.votes.tournament_circle import draw_circle
from rankagg.plotting.votes.tournament_links import (
    BAND,
    LOOKS,
    Link,
    band_width,
    links_of,
    ordered_once,
)

__all__ = ["tournament_plot"]

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
