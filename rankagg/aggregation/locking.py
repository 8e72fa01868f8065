"""Majorities that are locked in, the clearest first: equal ones together, or in every order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.core.graphs import strong_parts

__all__ = ["TooManyWaysError", "locked_in_every_way", "locked_paths"]

# Work on ways beyond the first, three seconds or so; and what has few choices may be followed some
# times over, however large it is.
MOST_WORK = 10_000_000
MOST_TIMES = 10
NEVER = Deadline()

#: Pairs of items, one a row: the one above, and the one below.
Arcs = NDArray[np.intp]


class TooManyWaysError(Exception):
    """Equal majorities can be ordered in more ways than are followed."""


def locked_paths(margins: Integers, ends: Deadline = NEVER) -> Bools:
    """Say of row and column whether locked majorities lead from row to column.

    Majorities of equal margin that close a cycle with each other are left out together.
    """
    above = np.zeros(margins.shape, dtype=bool)
    for arcs in _by_size(margins):
        _lock_what_is_clear(above, arcs, ends)
    return above


def locked_in_every_way(margins: Integers, ends: Deadline = NEVER) -> Iterator[Bools]:
    """Yield what is locked for every order in which equal majorities can be taken, each once.

    Of majorities of one size, what an order locks is a largest set of them that closes no cycle
    with what is locked before. Parts of the graph that share no cycle choose independently.

    Parameters
    ----------
    margins : ndarray of int, shape (n, n)
        The margins of row over column.
    ends : Deadline, optional
        When to raise `OutOfTimeError`.

    Yields
    ------
    ndarray of bool, shape (n, n)
        Whether locked majorities lead from row to column.

    Raises
    ------
    TooManyWaysError
        After as much work as some seconds hold.
    """
    sizes = _by_size(margins)
    step = 50 + margins.size // 1000  # of one size of majorities
    budget = _Budget(MOST_WORK + MOST_TIMES * step * len(sizes), ends)
    open_ways = [iter([(np.zeros(margins.shape, dtype=bool), 0)])]
    while open_ways:
        way = next(open_ways[-1], None)
        if way is None:
            open_ways.pop()
            continue
        above, size = way
        cyclic = np.zeros((0, 2), dtype=np.intp)
        while size < len(sizes) and not len(cyclic):
            cyclic = _lock_what_is_clear(above, sizes[size], ends)
            size += 1
            if len(open_ways) > 1:
                budget.spend(step)
        if len(cyclic):
            open_ways.append(_choices(above, cyclic, size, budget))
        else:
            yield above


def _by_size(margins: Integers) -> list[Arcs]:
    """Return the majorities, those of equal margin together, the clearest first."""
    rows, columns = np.nonzero(margins > 0)
    found = margins[rows, columns]
    ordered = np.argsort(-found, kind="stable")
    arcs, found = np.stack([rows, columns], axis=1)[ordered], found[ordered]
    if not len(arcs):
        return []
    return np.split(arcs, np.flatnonzero(found[1:] != found[:-1]) + 1)


def _lock_what_is_clear(above: Bools, arcs: Arcs, ends: Deadline) -> Arcs:
    """Lock equal majorities in place, but for those on cycles with each other: return these."""
    i, j = arcs.T
    fresh = arcs[~(above[i, j] | above[j, i])]
    part = _parts(above, fresh)
    cyclic = part[fresh[:, 0]] == part[fresh[:, 1]]
    _lock(above, fresh[~cyclic], ends)
    left: Arcs = fresh[cyclic]
    return left


def _parts(above: Bools, arcs: Arcs) -> NDArray[np.intp]:
    """Return the number of each item's part: equal for two where paths lead both ways."""
    part = np.arange(len(above), dtype=np.intp)
    if len(arcs) > 1:
        # What is locked is transitive, so items without a fresh majority need not be looked at.
        ends, number = np.unique(arcs, return_inverse=True)
        i, j = number.reshape(arcs.shape).T
        graph = above[np.ix_(ends, ends)]
        graph[i, j] = True
        part[ends] = len(above) + strong_parts(graph)
    return part


def _lock(above: Bools, arcs: Arcs, ends: Deadline) -> None:
    """Lock majorities in place, which close no cycle, with all paths through them."""
    for i, j in arcs.tolist():
        if above[i, j]:
            continue  # through one of the others
        ends.seconds_left()
        before = ~above[:, j] & above[:, i]
        before[i] = True
        after = above[j].copy()
        after[j] = True
        above[before] |= after


class _Budget:
    """Counts work, and ends a search that takes too much, or too long."""

    def __init__(self, units: int, ends: Deadline) -> None:
        self._left, self.ends = units, ends

    def spend(self, units: int) -> None:
        self.ends.seconds_left()
        self._left -= units
        if self._left < 0:
            raise TooManyWaysError


def _choices(above: Bools, cyclic: Arcs, size: int, budget: _Budget) -> Iterator[tuple[Bools, int]]:
    """Yield what is locked after each way to lock majorities on cycles, and the size it is at."""
    part = _parts(above, cyclic)[cyclic[:, 0]]
    of_parts = []
    for number in np.unique(part):
        arcs = cyclic[part == number]
        ends, inner = np.unique(arcs, return_inverse=True)
        rows = [_bits(row) for row in above[np.ix_(ends, ends)]]
        pairs = [(i, j) for i, j in inner.reshape(arcs.shape).tolist()]
        of_parts.append([arcs[kept] for kept in _largest_acyclic(rows, pairs, budget)])
    for chosen in product(*of_parts):
        budget.spend(50 + above.size // 1000)
        after = above.copy()
        for arcs in chosen:
            _lock(after, arcs, budget.ends)
        yield after, size


def _bits(row: Bools) -> int:
    return sum(1 << int(k) for k in np.flatnonzero(row))


def _largest_acyclic(
    above: list[int], arcs: list[tuple[int, int]], budget: _Budget
) -> Iterator[list[int]]:
    """Yield the largest sets of arcs that close no cycle with what is above what.

    Each arc on a cycle is tried in, and then out; out it stays only if the others lead back past
    it in the end. Rows of items are the bits of integers.

    Yields
    ------
    list of int
        The numbers of the arcs; no set is within another.
    """
    ways = [(above, arcs, arcs[:0])]
    while ways:
        above, still, left_out = ways.pop()
        budget.spend(len(above) ** 2 + len(still))
        still = [(i, j) for i, j in still if not (above[i] >> j | above[j] >> i) & 1]
        reach = _with_paths(above, still)
        clear = [(i, j) for i, j in still if not reach[j] >> i & 1]
        above = _with_paths(above, clear)
        left_out = [(i, j) for i, j in left_out if not above[j] >> i & 1]
        if any(above[i] >> j & 1 or not reach[j] >> i & 1 for i, j in left_out):
            continue
        if len(clear) == len(still):
            yield [number for number, (i, j) in enumerate(arcs) if above[i] >> j & 1]
            continue
        still = [arc for arc in still if arc not in clear]
        ways.append((above, still[1:], [*left_out, still[0]]))
        ways.append((_with_paths(above, still[:1]), still[1:], left_out))


def _with_paths(above: list[int], arcs: list[tuple[int, int]]) -> list[int]:
    """Return what is above what once there are these arcs too."""
    reach = above.copy()
    for i, j in arcs:
        reach[i] |= 1 << j
    for k in range(len(reach)):
        for i, row in enumerate(reach):
            if row >> k & 1:
                reach[i] = row | reach[k]
    return reach
