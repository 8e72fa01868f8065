"""Majority graphs: who beats whom by how much, cycles, tournament solutions, and export."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linprog

from rankagg._typing import Bools, Floats, Integers, Label, Positions
from rankagg._validation import check_integer
from rankagg.aggregation import Evidence, widest_paths
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Result,
    clean_label,
    counted,
    listed,
    pair_signs,
)
from rankagg.core.graphs import strong_parts
from rankagg.exceptions import Described, InvalidInputError

# Integers of any size.
Whole = NDArray[np.object_]


# -- Split Cycle ----------------------------------------------------------------------------------


def _undefeated_items(margins: Integers) -> Bools:
    """Return the items that no other one defeats under Split Cycle.

    A majority for a over b is a defeat unless a path of majorities that are all as clear leads
    from b to a.
    """
    defeats = np.maximum(margins, 0) > widest_paths(margins).T
    return np.asarray(defeats.sum(axis=0) == 0)


# -- the essential set ----------------------------------------------------------------------------


def _essential_lottery(margins: Integers) -> Whole:
    """Return an optimal mixed strategy of the margin game that plays all items that any plays.

    There are x >= 0 with gains y >= 0 and x + y >= 1. Then x'y = 0, so for each item one of x and
    y is 0 and the other at least 1. The items with x > 0 are the set, since no optimal strategy
    plays an item with y > 0. HiGHS finds such numbers in floats, and elimination finds the
    integers with the same signs (x > 1/2) that are returned. An error is raised if there are none:
    the margins differ too much in size.

    On such numbers see Tucker (1956), "Dual systems of homogeneous linear relations", in Linear
    inequalities and related systems.
    """
    whole: Whole = margins.astype(object)
    guess = _in_floats(whole)
    lottery = None if guess is None else _exact_lottery(whole, guess)
    if lottery is None:
        found = Described(f"margins up to {abs(whole).max()} that differ too much in size")
        raise InvalidInputError("votes", "margins that floats can weigh", found, "Try `smith_set`.")
    return lottery


def _in_floats(margins: Whole) -> Floats | None:
    """Return x >= 0 with x' margins >= 0 and x + x' margins >= 1, or None where HiGHS fails."""
    n, largest = len(margins), max(abs(margins).max(), 1)
    # Python divides integers that are larger than any float.
    gains = (margins.T / largest).astype(np.float64)
    found = linprog(
        np.ones(n),
        A_ub=-np.vstack([gains, gains + np.eye(n)]),
        b_ub=np.concatenate([np.zeros(n), -np.ones(n)]),
        bounds=(0, None),
        method="highs",
    )
    return None if found.x is None else np.asarray(found.x, dtype=np.float64)


def _exact_lottery(margins: Whole, guess: Floats) -> Whole | None:
    """Return an exact strategy that gains 0 by items that it plays, more by all others."""
    inside, outside = np.flatnonzero(guess > 0.5), np.flatnonzero(guess <= 0.5)
    if not len(inside):
        return None
    strategy = _null_vector(margins[np.ix_(inside, inside)], guess[inside])
    gains = strategy @ margins[np.ix_(inside, outside)]
    if not ((strategy > 0).all() and (gains > 0).all()):
        return None
    lottery = np.zeros(len(margins), dtype=object)
    lottery[inside] = strategy
    return lottery


def _null_vector(square: Whole, near: Floats) -> Whole:
    """Return integers x with x' square = 0, near a multiple of some floats; 0 if x = 0 only."""
    table, n = square.T.copy(), len(square)
    pivots: list[int] = []
    last = 1
    for column in range(n):
        row = len(pivots)
        below = np.flatnonzero(table[row:, column])
        if len(below):
            table[[row, row + below[0]]] = table[[row + below[0], row]]
            pivot, others = table[row, column], np.arange(n) != row
            crossed = np.outer(table[others, column], table[row])
            # As in Bareiss's method, division by the last pivot keeps the numbers determinants.
            table[others] = (table[others] * pivot - crossed) // last
            last = pivot
            pivots.append(column)
    vector: Whole = np.zeros(n, dtype=object)
    free = np.setdiff1d(np.arange(n), pivots)
    if len(free):
        # Rounded to a fine part of the largest.
        chosen = np.array([int(part * 2**60) for part in near[free] / near[free].max()], object)
        vector[free] = chosen * last
        vector[pivots] = -(table[: len(pivots), free] @ chosen)
    return vector if last > 0 else -vector


def _in_dot(value: object) -> str:
    """Return a name quoted for the DOT language."""
    text = str(clean_label(value)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


class TournamentGraph(Result):
    """The majority graph: an arc from a to b where a majority puts a above b.

    `plot` draws a `rankagg.plotting.tournament_plot`.

    Parameters
    ----------
    votes : ScoreTable, ScoreSummary, Profile, PairwiseMatrix, Comparisons or Evidence
        Votes, or data that determine them.

    Attributes
    ----------
    votes : PairwiseMatrix
        The pairwise votes of the data. A pair without a majority, or never compared, has no arc.

    References
    ----------
    For the sets: Brandt, Brill and Harrenstein (2016), "Tournament solutions", in the Handbook of
    computational social choice, https://doi.org/10.1017/CBO9781107446984.004.

    Examples
    --------
    >>> import rankagg as ra
    >>> graph = ra.TournamentGraph(ra.datasets.load("condorcet_1785"))
    >>> graph.condorcet_winner, graph.smith_set()
    (None, ('A', 'B', 'C'))
    >>> graph.arcs().to_string(index=False).splitlines()[1].split()
    ['B', 'C', '24.0', '42.0', '18.0']
    """

    votes: PairwiseMatrix = field(kw_only=False)

    _schema = "rankagg.tournament"
    _plot = "tournament_plot"
    _prints_table = False

    def __post_init__(self) -> None:
        # Scores, rankings and comparisons are turned into votes.
        self._set(votes=Evidence.of(self.votes).votes)
        super().__post_init__()

    @property
    def items(self) -> ItemSet:
        """The items."""
        return self.votes.items

    # -- majorities ---------------------------------------------------------------------------

    @cached_property
    def beats(self) -> Bools:
        """A majority puts row above column, shape (n, n)."""
        compared = self.votes.scaled_comparisons > 0
        return (self.votes.scaled_wins > self.votes.scaled_wins.T) & compared

    @property
    def margins(self) -> Floats:
        """Votes for row above column minus those for the reverse, shape (n, n)."""
        return self.votes.margins

    def arcs(self) -> pd.DataFrame:
        """Return the majorities, the largest margin first.

        Returns
        -------
        pandas.DataFrame
            above, below, margin, votes_for, votes_against.
        """
        return self._frame(np.argwhere(self.beats))

    def draws(self) -> tuple[tuple[Label, Label], ...]:
        """Return the pairs without a majority."""
        return self.items.pairs_where(np.triu(~(self.beats | self.beats.T), k=1))

    def _frame(self, pairs: Positions) -> pd.DataFrame:
        first, second = pairs.T
        wins = self.votes.wins
        return pd.DataFrame(
            {
                "above": self.items.at(first),
                "below": self.items.at(second),
                "margin": self.margins[first, second],
                "votes_for": wins[first, second],
                "votes_against": wins[second, first],
            }
        ).sort_values("margin", ascending=False, kind="stable", ignore_index=True)

    # -- winners ------------------------------------------------------------------------------

    @property
    def condorcet_winner(self) -> Label | None:
        """The item that beats all others; None if there is none."""
        return self._only(self.beats.sum(axis=1))

    @property
    def condorcet_loser(self) -> Label | None:
        """The item that all others beat; None if there is none."""
        return self._only(self.beats.sum(axis=0))

    def _only(self, number: Any) -> Label | None:
        found = np.flatnonzero(number == len(self.items) - 1)
        return self.items[int(found[0])] if len(found) else None

    def smith_set(self) -> tuple[Label, ...]:
        """Return the smallest set of items that beat all others; never empty."""
        return self.condensation()[0]

    def schwartz_set(self) -> tuple[Label, ...]:
        """Return the union of all minimal sets that no item outside beats; within Smith's set."""
        part = strong_parts(self.beats)
        outside = self.beats & (part[:, None] != part)
        return self.items.where(~np.isin(part, part[outside.any(axis=0)]))

    def uncovered_set(self) -> tuple[Label, ...]:
        """Return the items that no other covers, in the sense of Gillies (1959).

        An item covers one that it beats if all items that beat the first beat the second too.
        Without draws this is the uncovered set. With draws there are other definitions of a cover
        (Duggan 2013, https://doi.org/10.1007/s00355-012-0696-9).
        """
        beats = self.beats.astype(np.float32)
        # k beats i and not j, for some k
        escapes = beats.T @ (1 - beats) > 0
        covers = self.beats & ~escapes
        return self.items.where(~covers.any(axis=0))

    def split_cycle_winners(self) -> tuple[Label, ...]:
        """Return the items that no other defeats under Split Cycle; within Smith's set.

        A majority is no defeat if it is the weakest of a majority cycle. Holliday and
        Pacuit (2023), https://doi.org/10.1007/s11127-023-01042-3.
        """
        return self.items.where(_undefeated_items(self._scaled_margins))

    def essential_set(self) -> pd.Series[float]:
        """Return a maximal lottery: the items that optimal mixed strategies of margins play.

        Each of two players names an item, and the loser pays the margin. Within Smith's set;
        `uncovered_set`, which ignores margins, may lack some. Dutta and Laslier (1999),
        https://doi.org/10.1007/s003550050158; as a rule, Fishburn (1984),
        https://doi.org/10.2307/2297786.

        Returns
        -------
        pandas.Series
            The index is the essential set, in the order of the items. The values are the
            probabilities in a lottery that no item beats on average, the only one if all margins
            are odd.
        """
        inside = self.items.indices(self.smith_set())
        lottery = _essential_lottery(self._scaled_margins[np.ix_(inside, inside)])
        played = np.flatnonzero(lottery)
        chances = [float(Fraction(number, lottery.sum())) for number in lottery[played]]
        items = self.items.at(np.array(inside)[played])
        return pd.Series(chances, index=pd.Index(items, name="item"), name="probability")

    @property
    def _scaled_margins(self) -> Integers:
        margins = self.votes.scaled_wins - self.votes.scaled_wins.T
        return np.where(self.votes.scaled_comparisons > 0, margins, 0)

    # -- cycles -------------------------------------------------------------------------------

    def condensation(self) -> tuple[tuple[Label, ...], ...]:
        """Return the items in groups, best first: every item beats all items of later groups.

        Cycles of majorities and draws join the items of a group; see `cyclic_components` for
        majorities alone.
        """
        part = strong_parts(~self.beats.T)
        outside = (self.beats & (part[:, None] != part)).sum(axis=1)
        later = {int(p): int(outside[part == p].max()) for p in np.unique(part)}
        return tuple(self.items.where(part == p) for p in sorted(later, key=lambda p: -later[p]))

    def cyclic_components(self) -> tuple[tuple[Label, ...], ...]:
        """Return the strong components of more than one item: the items on Condorcet cycles.

        Draws do not count. Every item of a component is on a cycle with every other.
        """
        part = strong_parts(self.beats)
        groups = [self.items.where(part == p) for p in np.flatnonzero(np.bincount(part) > 1)]
        return tuple(sorted(groups, key=lambda group: self.items.index(group[0])))

    def cycles(self, *, length: int = 3) -> list[tuple[Label, ...]]:
        """Return the Condorcet cycles up to a length.

        Parameters
        ----------
        length : int, default 3
            Maximum number of items of a cycle, at least 3. The number of cycles grows quickly.

        Returns
        -------
        list of tuple
            Each starts with its first item in the order of the item set.
        """
        bound = check_integer(length, "length", low=3)
        part = strong_parts(self.beats)
        above, below = np.nonzero(self.beats & (part[:, None] == part))
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_edges_from(zip(above.tolist(), below.tolist(), strict=True))
        cycles = list(nx.simple_cycles(graph, length_bound=bound))
        starts = [cycle.index(min(cycle)) for cycle in cycles]
        turned = [cycle[k:] + cycle[:k] for cycle, k in zip(cycles, starts, strict=True)]
        return [self.items.at(cycle) for cycle in sorted(turned, key=lambda c: (len(c), c))]

    def shortest_cycle(self, first: Label, second: Label) -> tuple[Label, ...]:
        """Return a shortest Condorcet cycle in which one of two items beats the other directly.

        Parameters
        ----------
        first, second : str or int
            The two items.

        Returns
        -------
        tuple
            Each beats the next by a majority, and the last beats the first; empty if none exists.
        """
        beats, (i, j) = self.beats, self.items.indices([first, second])
        end, start = (i, j) if beats[i, j] else (j, i)
        steps = np.full(len(beats), -1)  # to the end, of a shortest path
        here = np.arange(len(beats)) == end
        while here.any():
            steps[here] = steps.max() + 1
            here = beats[:, here].any(axis=1) & (steps < 0)
        if not beats[end, start] or steps[start] < 0:
            return ()
        cycle = [end, start]
        while steps[cycle[-1]] > 1:
            nearer = beats[cycle[-1]] & (steps == steps[cycle[-1]] - 1)
            cycle.append(int(nearer.argmax()))
        return self.items.at(cycle)

    @property
    def is_acyclic(self) -> bool:
        """True if there is no Condorcet cycle."""
        return not self.cyclic_components()

    # -- rankings -----------------------------------------------------------------------------

    def feedback_arcs(self, ranking: PartialRanking) -> pd.DataFrame:
        """Return the majorities that a ranking contradicts.

        Their margins sum to the cost of the ranking in excess of the cheaper side of every pair,
        so the exact consensus minimizes the sum.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.

        Returns
        -------
        pandas.DataFrame
            As `arcs`; above and below are in the order of the majority.
        """
        if not isinstance(ranking, PartialRanking):
            raise InvalidInputError("ranking", "a PartialRanking or Permutation", ranking)
        self.items.require_same(ranking.items, "A tournament and a ranking")
        return self._frame(np.argwhere(self.beats & (pair_signs(ranking.ranks) < 0)))

    # -- export -------------------------------------------------------------------------------

    def to_networkx(self) -> nx.DiGraph[Label]:
        """Return the graph; arcs have margin, votes_for and votes_against."""
        graph: nx.DiGraph[Label] = nx.DiGraph()
        graph.add_nodes_from(self.items)
        # The order of the items determines the cycles found. A frame would turn labels into text.
        margins, wins = self.margins.tolist(), self.votes.wins.tolist()
        for i, j in np.argwhere(self.beats).tolist():
            graph.add_edge(
                self.items[i],
                self.items[j],
                margin=margins[i][j],
                votes_for=wins[i][j],
                votes_against=wins[j][i],
            )
        return graph

    def to_dot(self) -> str:
        """Return the graph in the DOT language of Graphviz; labels of arcs are margins."""
        lines = [f"  {_in_dot(item)};" for item in self.items]
        lines += [
            f"  {_in_dot(arc.above)} -> {_in_dot(arc.below)} [label={_in_dot(f'{arc.margin:g}')}];"
            for arc in self.arcs().itertuples(index=False)
        ]
        return "\n".join(["digraph tournament {", *lines, "}", ""])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item: wins, losses, draws, and whether it is in each set."""
        wins, losses = self.beats.sum(axis=1), self.beats.sum(axis=0)
        columns = {"wins": wins, "losses": losses, "draws": len(self.items) - 1 - wins - losses}
        for name in ("smith", "schwartz", "uncovered"):
            chosen = set(getattr(self, f"{name}_set")())
            columns[name] = np.array([item in chosen for item in self.items])
        return pd.DataFrame(columns, index=pd.Index(list(self.items), name="item"))

    def _content(self) -> dict[str, Any]:
        return {
            **self._plain("items"),
            "arcs": self.arcs().to_dict("records"),
            **self._plain("draws", "condorcet_winner", "condorcet_loser", "smith_set"),
            **self._plain("schwartz_set", "uncovered_set", "condensation", "cyclic_components"),
        }

    def _facts(self) -> list[str]:
        winner, loser = self.condorcet_winner, self.condorcet_loser
        lines = [
            f"{counted(len(self.items), 'item')}; pairs with a majority: {int(self.beats.sum())}, "
            f"without: {len(self.draws())}",
            f"Condorcet winner  {'none' if winner is None else winner}",
            f"Condorcet loser   {'none' if loser is None else loser}",
            f"Smith set         {listed(self.smith_set())}",
            f"Schwartz set      {listed(self.schwartz_set())}",
            f"uncovered set     {listed(self.uncovered_set())}",
        ]
        lines += [f"Condorcet cycles  among {listed(group)}" for group in self.cyclic_components()]
        return lines

    def __repr__(self) -> str:
        return (
            f"<TournamentGraph of {counted(len(self.items), 'item')}, "
            f"{counted(int(self.beats.sum()), 'majority')}>"
        )
