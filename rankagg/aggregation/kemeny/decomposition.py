"""Splitting a Kemeny problem where strict majorities leave no cycle across the cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.core.graphs import Parts, strong_parts

__all__ = ["components_of", "majority_components"]

# From so many items on, cuts and the part of one item are looked for in the matrix itself.
DENSE = 256


def majority_components(problem: Problem) -> list[NDArray[np.intp]]:
    """Return the strong components of the strict majority relation, best first.

    An arc goes from i to j where placing i before j is strictly cheaper. Some optimal order puts
    the components one after the other, each in an optimal order of its own; ties between
    components are free. That holds for one optimum, not for all of them.

    Parameters
    ----------
    problem : Problem
        Any integer costs.

    Returns
    -------
    list of ndarray of int
        Positions of the items of each component.

    References
    ----------
    Truchon (1998), "An extension of the Condorcet criterion and Kemeny orders".
    """
    return components_of(problem.margins < 0)


def components_of(arcs: Bools) -> list[NDArray[np.intp]]:
    """Return the strong components of a relation, each before those that arcs lead to from it."""
    if len(arcs) < DENSE:
        return _parts(arcs, strong_parts(arcs))
    parts = []
    for block in _blocks(arcs):
        inside = arcs[np.ix_(block, block)]
        parts += [block[part] for part in _parts(inside, _dense_parts(inside))]
    return parts


def _blocks(arcs: Bools) -> list[NDArray[np.intp]]:
    """Return groups of items, each behind those that it has no arcs to: parts or more."""
    order = np.argsort(arcs.sum(axis=0) - arcs.sum(axis=1), kind="stable")
    placed = arcs[np.ix_(order, order)]
    first = np.where(placed.any(axis=1), placed.argmax(axis=1), len(order))
    # No arc leads back over a cut.
    reached = np.minimum.accumulate(first[::-1])[::-1]
    cuts = np.flatnonzero(reached >= np.arange(len(order)))
    return [np.sort(block) for block in np.split(order, cuts[cuts > 0])]


def _parts(arcs: Bools, component: Parts) -> list[NDArray[np.intp]]:
    """Return the items of each component, those above before those below."""
    members = np.argsort(component, kind="stable")
    starts = np.flatnonzero(np.diff(component[members], prepend=-1))
    if len(starts) == 1:
        return [members]
    # Arcs between components, by rows and then by columns.
    rows = np.logical_or.reduceat(arcs[members], starts, axis=0)
    between = np.logical_or.reduceat(rows[:, members], starts, axis=1)
    np.fill_diagonal(between, False)
    parts = np.split(members, starts[1:])
    return [parts[c] for c in _sorted(between)]


def _sorted(above: Bools) -> list[int]:
    """Return the nodes of a graph without circles, each behind all that are above it."""
    waits = above.sum(axis=0)
    order: list[int] = []
    while len(order) < len(above):
        ready = np.flatnonzero(waits == 0)
        order += ready.tolist()
        waits -= above[ready].sum(axis=0)
        waits[ready] = -1
    return order


def _dense_parts(arcs: Bools) -> Parts:
    """Return the strongly connected parts; quick where one of them is large.

    A part is what can be reached from one of its items and reaches it. No chain of arcs between
    other items of one part leads through it.
    """
    back = np.ascontiguousarray(arcs.T)
    middle = int(np.argmax(np.minimum(arcs.sum(axis=1), back.sum(axis=1))))
    part = _reached(arcs, middle) & _reached(back, middle)
    others = np.flatnonzero(~part)
    component: Parts = np.zeros(len(arcs), dtype=np.int32)
    if len(others):
        component[others] = 1 + strong_parts(arcs[np.ix_(others, others)])
    return component


def _reached(arcs: Bools, start: int) -> Bools:
    """Return what chains of arcs lead to from an item, and itself."""
    seen: Bools = np.zeros(len(arcs), dtype=bool)
    seen[start] = True
    new = np.array([start])
    while len(new):
        new = np.flatnonzero(arcs[new].any(axis=0) & ~seen)
        seen[new] = True
    return seen
