"""Components of graphs, and the connectivity of comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, Label, Positions, Unranked
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.results import Result, plain_rows

#: Graphs up to this number of items use matrix products. Importing SciPy's sparse matrices takes
#: longer.
CLOSED_AT_ONCE = 64

#: The component number of every item, from 0.
Parts: TypeAlias = NDArray[np.int32]
# Block size in cells of a table.
CELLS_AT_ONCE = 2**20
# Graphs with this many items are first split by their degrees.
MANY = 1000
Group = tuple[Label, ...]
GROUPS_LISTED = 8
# Groups that a note names.
GROUPS_NOTED = 4


def connected_parts(linked: Bools) -> Parts:
    """Return the connected components, ignoring the direction of links."""
    if len(linked) <= CLOSED_AT_ONCE:
        # The first item identifies its component.
        first = _reached(linked | linked.T).argmax(axis=1)
        return np.unique(first, return_inverse=True)[1].astype(np.int32)
    _, parts = scipy.sparse.csgraph.connected_components(_sparse(linked), directed=False)
    return np.asarray(parts, dtype=np.int32)


def strong_parts(arcs: Bools) -> Parts:
    """Return the strongly connected components of a directed graph.

    Their numbers decide which of several optima is printed, so they equal SciPy's for every size:
    the order in which a depth-first search, last items first, leaves the components.
    """
    if len(arcs) > CLOSED_AT_ONCE:
        _, parts = scipy.sparse.csgraph.connected_components(_sparse(arcs), connection="strong")
        return np.asarray(parts, dtype=np.int32)
    # A path leads to an item that the search leaves later only within a component.
    left = _reached(arcs) * _exit_places(arcs)
    return np.unique(left.max(axis=1, initial=0), return_inverse=True)[1].astype(np.int32)


def _exit_places(arcs: Bools) -> Positions:
    """Return the order in which a depth-first search, last items first, leaves the items."""
    places = np.zeros(len(arcs), dtype=np.intp)
    unseen = np.ones(len(arcs), dtype=bool)

    def visit(item: int) -> None:
        unseen[item] = False
        while len(ahead := np.flatnonzero(arcs[item] & unseen)):
            visit(ahead[-1])
        places[item] = places.max() + 1

    for item in range(len(arcs)):
        if unseen[item]:
            visit(item)
    return places


def _reached(arcs: Bools) -> Bools:
    """Return the reflexive transitive closure, by repeated squaring."""
    reached = arcs | np.eye(len(arcs), dtype=bool)
    while True:
        steps = reached.astype(np.float32)
        longer = steps @ steps > 0
        if np.array_equal(longer, reached):
            return reached
        reached = longer


def ordered_parts(arcs: Bools) -> list[Positions]:
    """Return the strongly connected components of a directed graph, sources first."""
    groups = _degree_groups(arcs) if len(arcs) >= MANY else []
    if len(groups) <= 1:
        return _ordered_parts(arcs)
    parts: list[Positions] = []
    for group in groups:
        if len(group) == 1:
            parts.append(group)
        else:
            parts += [group[part] for part in _ordered_parts(arcs[np.ix_(group, group)])]
    return parts


def _degree_groups(arcs: Bools) -> list[Positions]:
    """Return groups of items, ordered such that no arc leads to an earlier group."""
    n = len(arcs)
    order = np.argsort(arcs.sum(axis=0) - arcs.sum(axis=1), kind="stable")
    # The first place that an arc from each place leads to.
    first = [arcs[i].take(order).argmax() for i in order]
    back = np.where(arcs.sum(axis=1)[order] > 0, first, n)
    furthest = np.minimum.accumulate(back[::-1])[::-1]
    starts = np.flatnonzero(furthest >= np.arange(n))
    return [np.sort(group) for group in np.split(order, starts[starts > 0])]


def _ordered_parts(arcs: Bools) -> list[Positions]:
    part = strong_parts(arcs)
    members = np.argsort(part, kind="stable")
    starts = np.flatnonzero(np.diff(part[members], prepend=-1))
    number = len(starts)
    reach = arcs[members]
    if number < len(arcs):
        reach = np.logical_or.reduceat(reach, starts, axis=0)
    reach = reach[:, members]
    if number < len(arcs):
        reach = np.logical_or.reduceat(reach, starts, axis=1)
    np.fill_diagonal(reach, False)
    # Take the components without arcs from the remaining ones.
    parts = np.split(members, starts[1:])
    order: list[Positions] = []
    left = np.ones(number, dtype=bool)
    arriving = reach.sum(axis=0)
    while left.any():
        free = left & (arriving == 0)
        order += [parts[at] for at in np.flatnonzero(free)]
        arriving = arriving - reach[free].sum(axis=0)
        left &= ~free
    return order


def _sparse(arcs: Bools) -> scipy.sparse.csr_array:
    """Return a graph as a sparse array; SciPy's own conversion scans the matrix three times."""
    n = len(arcs)
    ends = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(arcs.sum(axis=1), out=ends[1:])
    heads = np.tile(np.arange(n, dtype=np.int32), (n, 1))[arcs]
    return scipy.sparse.csr_array((np.ones(len(heads)), heads, ends), shape=(n, n))


def gap_notes(
    items: ItemSet, part: Parts, unseen: Bools, unit: str, policy: Unranked | None = None
) -> tuple[str, ...]:
    """Return a sentence for each kind of gap between items: absence, and missing links.

    Parameters
    ----------
    items : ItemSet
        The items.
    part : ndarray of int, shape (n,)
        The number of the group of each item; chains of units join the items of a group.
    unseen : ndarray of bool, shape (n,)
        True for items that no unit compares.
    unit : str
        The noun for an observation, such as "ranking".
    policy : {"uniform", "ignore", "last"} or None
        The policy for absent items, if any.
    """
    notes = []
    if unseen.any():
        placed = f"placed by the policy {policy!r} alone" if policy else "so placed by nothing"
        notes.append(f"in no {unit}, {placed}: {listed(items.where(unseen))}")
    numbers = np.unique(part[~unseen]).tolist()
    if len(numbers) > 1:
        *most, last = [
            f"{{{listed(items.where((part == number) & ~unseen))}}}"
            for number in numbers[:GROUPS_NOTED]
        ]
        if len(numbers) > GROUPS_NOTED:
            most, last = [*most, last], counted(len(numbers) - GROUPS_NOTED, "more group")
        basis = f"the policy {policy!r} for absent items alone" if policy else "no comparison"
        notes.append(
            f"no {unit} joins {', '.join(most)} and {last}: their order relative to each other "
            f"rests on {basis}"
        )
    return tuple(notes)


class Connectivity(Result):
    """Connectivity of items by comparisons, which a common order or scale needs.

    Made by `Comparisons.connectivity`; it has no plot.

    Parameters
    ----------
    items : ItemSet
        The items.
    wins, ties, losses : ndarray of int, shape (n,)
        Comparisons that each item won, tied and lost.
    parts : tuple of tuples of labels
        Items joined by chains of comparisons; no comparison has items of two parts.
    groups : tuple of tuples of labels
        Items joined in both directions by wins and ties. No item of a group ever beat or tied one
        of an earlier group.

    Examples
    --------
    >>> import rankagg as ra
    >>> battles = ra.Comparisons.from_arrays("AAB", "BCC", [1, 1, 0])
    >>> print(battles.connectivity())
    3 comparisons of 3 items, 1 tie
    Chains of comparisons join all items.
    2 groups, no item ever beat or tied one of an earlier group: A | B, C
    never lost or tied: A
    never won or tied: none
       wins  ties  losses  group
    A     2     0       0      1
    B     0     1       1      2
    C     0     1       1      2
    """

    items: ItemSet
    wins: Integers
    ties: Integers
    losses: Integers
    parts: tuple[Group, ...]
    groups: tuple[Group, ...]

    _schema: ClassVar[str] = "rankagg.connectivity"

    @property
    def n_comparisons(self) -> int:
        """The number of comparisons."""
        return int(self.wins.sum() + self.ties.sum() // 2)

    @property
    def never_compared(self) -> Group:
        """The items without a comparison."""
        return self.items.where(self.wins + self.ties + self.losses == 0)

    @property
    def never_lost(self) -> Group:
        """The items that were compared, and neither lost nor tied."""
        return self.items.where((self.wins > 0) & (self.ties + self.losses == 0))

    @property
    def never_won(self) -> Group:
        """The items that were compared, and neither won nor tied."""
        return self.items.where((self.losses > 0) & (self.ties + self.wins == 0))

    @property
    def gaps(self) -> tuple[str, ...]:
        """Sentences about items that comparisons do not join; empty if they join all."""
        part = np.empty(len(self.items), dtype=np.int32)
        for number, members in enumerate(self.parts):
            part[self.items.indices(members)] = number
        return gap_notes(self.items, part, self.wins + self.ties + self.losses == 0, "comparison")

    def _facts(self) -> Iterable[str]:
        ties = counted(int(self.ties.sum()) // 2, "tie", ",")
        size = counted(self.n_comparisons, "comparison", ",")
        yield f"{size} of {counted(len(self.items), 'item')}, {ties}"
        if len(self.parts) == 1:
            yield "Chains of comparisons join all items."
        else:
            number = counted(len(self.parts), "part")
            yield f"{number} that no comparison joins: {_listed_groups(self.parts)}"
        if self.never_compared:
            yield f"in no comparison: {listed(self.never_compared)}"
        if len(self.groups) == 1:
            yield "Chains of wins and ties lead from every item to every other."
            return
        number = counted(len(self.groups), "group")
        yield (
            f"{number}, no item ever beat or tied one of an earlier group: "
            f"{_listed_groups(self.groups)}"
        )
        yield f"never lost or tied: {listed(self.never_lost) or 'none'}"
        yield f"never won or tied: {listed(self.never_won) or 'none'}"

    def to_frame(self) -> pd.DataFrame:
        """Return the wins, ties, losses and group, from 1, of every item.

        Returns
        -------
        pandas.DataFrame
            With "wins", "ties", "losses" and "group".
        """
        group = np.empty(len(self.items), dtype=np.int64)
        for number, members in enumerate(self.groups, start=1):
            group[self.items.indices(members)] = number
        columns = dict(wins=self.wins, ties=self.ties, losses=self.losses, group=group)
        return pd.DataFrame(columns, index=pd.Index(self.items.labels, name="item"))

    def _content(self) -> Mapping[str, Any]:
        return {
            "n_comparisons": self.n_comparisons,
            "parts": [list(part) for part in self.parts],
            "groups": [list(group) for group in self.groups],
            "never_compared": list(self.never_compared),
            "never_lost": list(self.never_lost),
            "never_won": list(self.never_won),
            "items": plain_rows(self.to_frame().reset_index()),
        }


def _listed_groups(groups: tuple[Group, ...]) -> str:
    more = f" | ... {counted(len(groups), 'group')} in all" if len(groups) > GROUPS_LISTED else ""
    return " | ".join(listed(group) for group in groups[:GROUPS_LISTED]) + more
