"""Parts of graphs that are given by which item is linked to which."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from rankagg._typing import Bools, Positions

#: Graphs of so many items are done by products of matrices, without importing SciPy's sparse
#: matrices, which takes longer than NumPy.
CLOSED_AT_ONCE = 64

#: The number of the part of every item, from 0.
Parts: TypeAlias = NDArray[np.int32]
# Cells of a table that are looked at in one go.
CELLS_AT_ONCE = 2**20
# Many items with an arc between most of them are split by their places before anything else.
MANY = 1000


def connected_parts(linked: Bools) -> Parts:
    """Return the parts that links join, whichever way they point."""
    if len(linked) <= CLOSED_AT_ONCE:
        # Each part is known by its first item.
        first = _reached(linked | linked.T).argmax(axis=1)
        return np.unique(first, return_inverse=True)[1].astype(np.int32)
    _, parts = scipy.sparse.csgraph.connected_components(_sparse(linked), directed=False)
    return np.asarray(parts, dtype=np.int32)


def parts_of_rows(present: Bools) -> Parts:
    """Return the parts of the columns of a table, where each row joins all columns that it has."""
    n = present.shape[1]
    part = np.arange(n, dtype=np.int32)
    size = max(1, CELLS_AT_ONCE // n)
    for start in range(0, len(present), size):
        block = present[start : start + size]
        # Most often the first column is together with each other one somewhere.
        if block[block[:, 0]].any(axis=0).all():
            return np.zeros(n, dtype=np.int32)
        rows, columns = block.nonzero()
        ends = part[block.argmax(axis=1)[rows]], part[columns]
        number = int(part.max()) + 1
        if number <= CLOSED_AT_ONCE:
            linked = np.zeros((number, number), dtype=bool)
            linked[ends] = True
            joined = connected_parts(linked)
        else:
            graph = scipy.sparse.coo_array((np.ones(len(rows)), ends), shape=(number, number))
            _, joined = scipy.sparse.csgraph.connected_components(graph, directed=False)
        part = joined[part]
        if not part.any():
            break
    return part


def strong_parts(arcs: Bools) -> Parts:
    """Return the strongly connected parts of a directed graph.

    Their numbers decide which of several optima is shown: they are SciPy's for every size, in the
    order in which a depth-first search that takes the last items first leaves the parts.
    """
    if len(arcs) > CLOSED_AT_ONCE:
        _, parts = scipy.sparse.csgraph.connected_components(_sparse(arcs), connection="strong")
        return np.asarray(parts, dtype=np.int32)
    # Paths lead to an item that is left later only where others lead back from it.
    left = _reached(arcs) * _places_left(arcs)
    return np.unique(left.max(axis=1, initial=0), return_inverse=True)[1].astype(np.int32)


def _places_left(arcs: Bools) -> Positions:
    """Return at which place a depth-first search, the last items first, leaves each item."""
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
    """Return which items paths lead to, from each item: ever longer ones, until none is new."""
    reached = arcs | np.eye(len(arcs), dtype=bool)
    while True:
        steps = reached.astype(np.float32)
        further = steps @ steps > 0
        if np.array_equal(further, reached):
            return reached
        reached = further


def ordered_parts(arcs: Bools) -> list[Positions]:
    """Return the strongly connected parts of a directed graph, sources first."""
    groups = _apart(arcs) if len(arcs) >= MANY else []
    if len(groups) <= 1:
        return _ordered_parts(arcs)
    parts: list[Positions] = []
    for group in groups:
        if len(group) == 1:
            parts.append(group)
        else:
            parts += [group[part] for part in _ordered_parts(arcs[np.ix_(group, group)])]
    return parts


def _apart(arcs: Bools) -> list[Positions]:
    """Return groups of items such that no arc leads from one of them to one before it."""
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
    # Take the parts that no arc from what is left leads to.
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
    """Return a graph as SciPy takes it at once; made of a matrix it is looked through thrice."""
    n = len(arcs)
    ends = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(arcs.sum(axis=1), out=ends[1:])
    heads = np.tile(np.arange(n, dtype=np.int32), (n, 1))[arcs]
    return scipy.sparse.csr_array((np.ones(len(heads)), heads, ends), shape=(n, n))
