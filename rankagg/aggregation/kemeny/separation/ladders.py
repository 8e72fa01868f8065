"""Möbius ladders on six items.

The 3-cycles a -> b -> c -> a, a -> b -> e -> a, a -> d -> c -> a and a -> d -> f -> a and the cycle
b -> e -> d -> f -> b stand in a ring in which each shares one arc with the next. Half of their sum
counts eleven arcs once; an order uses three of them at least. These rows, and those with all arcs
turned round, are facets (Reinelt 1985, "The linear ordering problem: algorithms and applications").

Given a, b, d, the other three are chosen each by itself, so that all are searched in little time.
At a point that violates no cycle, a row is violated only if the pairs a, b and a, d are open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.proofs.rows import Derived, Source

__all__ = ["violated_ladders"]

FRACTIONAL = 1e-6
VIOLATION = 0.01
# How many of the best items for each of c, e, f are tried, for they must differ.
TRIED = 3


def violated_ladders(before: Floats, limit: int, deadline: Deadline) -> list[Derived]:
    """Return rows of ladders that a point violates, at most `limit`, the worst first.

    Parameters
    ----------
    before : ndarray of float, shape (n, n)
        The point: how much row stands before column; it should violate no cycle.
    limit : int
    deadline : Deadline
        Raises `OutOfTimeError` where it passes.

    Returns
    -------
    list of Derived
        Each is violated by the point.
    """
    if len(before) < 6:
        return []
    found, short, turns = [], [], []
    for turn, arcs in ((False, before), (True, before.T)):
        for a in range(len(arcs)):
            deadline.seconds_left()
            items, missing = _around(np.ascontiguousarray(arcs), a)
            found.append(items)
            short.append(missing)
            turns.append(np.full(len(items), turn))
    missing = np.concatenate(short)
    worst = np.argsort(-missing, kind="stable")[:limit]
    ladders, is_turned = np.concatenate(found)[worst], np.concatenate(turns)[worst]
    return [
        _row(ladder, turned=turned)
        for ladder, turned in zip(ladders.tolist(), is_turned.tolist(), strict=True)
    ]


def _around(arcs: Floats, a: int) -> tuple[NDArray[np.intp], Floats]:
    """Return violated ladders around an item, as a to f, and what the point is short of in each."""
    near = np.flatnonzero(np.minimum(arcs[a], arcs[:, a]) > FRACTIONAL)
    places = np.triu_indices(len(near), 1)  # turning b, e and d, f about is the same ladder
    b, d = near[places[0]], near[places[1]]
    others = np.stack([
        arcs[b] + arcs[:, a] + arcs[d],  # c: b -> c, c -> a, d -> c
        arcs[b] + arcs[:, a] + arcs[:, d].T,  # e: b -> e, e -> a, e -> d
        arcs[d] + arcs[:, a] + arcs[:, b].T,  # f: d -> f, f -> a, f -> b
    ])  # fmt: skip
    rows = np.arange(len(b))
    others[:, rows, a] = others[:, rows, b] = others[:, rows, d] = np.inf
    missing = 3.0 - arcs[a, b] - arcs[a, d] - others.min(axis=2).sum(axis=0)
    short = np.flatnonzero(missing > VIOLATION)
    b, d, others = b[short], d[short], others[:, short]
    best = np.argpartition(others, TRIED - 1, axis=2)[:, :, :TRIED]
    prices = np.take_along_axis(others, best, axis=2)
    c, e, f = best[0][:, :, None, None], best[1][:, None, :, None], best[2][:, None, None, :]
    sums = prices[0][:, :, None, None] + prices[1][:, None, :, None] + prices[2][:, None, None, :]
    sums = np.where((c == e) | (c == f) | (e == f), np.inf, sums).reshape(-1, TRIED**3)
    chosen = np.argmin(sums, axis=1)
    rows = np.arange(len(b))
    missing = 3.0 - arcs[a, b] - arcs[a, d] - sums[rows, chosen]
    at = np.unravel_index(chosen, (TRIED,) * 3)
    third, fifth, sixth = (best[which][rows, place] for which, place in enumerate(at))
    items = np.column_stack([np.full(len(b), a), b, third, d, fifth, sixth])
    keep = missing > VIOLATION
    return items[keep], missing[keep]


def _row(items: list[int], *, turned: bool) -> Derived:
    a, b, c, d, e, f = items
    cycles = [(a, b, c), (a, b, e), (a, d, c), (a, d, f), (b, e, d, f)]
    terms: list[tuple[int, Source]] = [(1, cycle[::-1] if turned else cycle) for cycle in cycles]
    return Derived(tuple(terms), 2)
