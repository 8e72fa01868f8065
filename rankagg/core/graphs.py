"""Parts of graphs that are given by which item is linked to which."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from rankagg._typing import Bools

#: The number of the part of every item, from 0.
Parts: TypeAlias = NDArray[np.int32]


def connected_parts(linked: Bools) -> Parts:
    """Return the parts that links join, whichever way they point."""
    _, parts = connected_components(_sparse(linked), directed=False)
    return np.asarray(parts, dtype=np.int32)


def strong_parts(arcs: Bools) -> Parts:
    """Return the strongly connected parts of a directed graph."""
    _, parts = connected_components(_sparse(arcs), connection="strong")
    return np.asarray(parts, dtype=np.int32)


def ordered_parts(arcs: Bools) -> list[NDArray[np.intp]]:
    """Return the strongly connected parts of a directed graph, sources first."""
    part = strong_parts(arcs)
    number = int(part.max()) + 1
    reach = np.zeros((number, number), dtype=bool)
    first, second = np.nonzero(arcs)
    reach[part[first], part[second]] = True
    np.fill_diagonal(reach, False)
    # Take the parts that no arc from what is left leads to.
    order: list[NDArray[np.intp]] = []
    left = np.ones(number, dtype=bool)
    arriving = reach.sum(axis=0)
    while left.any():
        free = left & (arriving == 0)
        order += [np.flatnonzero(part == at) for at in np.flatnonzero(free)]
        arriving = arriving - reach[free].sum(axis=0)
        left &= ~free
    return order


def _sparse(arcs: Bools) -> csr_array:
    """Return a graph as SciPy takes it at once; made of a matrix it is looked through thrice."""
    n = len(arcs)
    ends = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(arcs.sum(axis=1), out=ends[1:])
    heads = np.nonzero(arcs)[1].astype(np.int32)
    return csr_array((np.ones(len(heads)), heads, ends), shape=(n, n))
