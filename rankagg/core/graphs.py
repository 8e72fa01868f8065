"""Parts of graphs that are given by which item is linked to which."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from rankagg._typing import Bools

__all__ = ["Parts", "connected_parts", "strong_parts"]

#: The number of the part of every item, from 0.
Parts: TypeAlias = NDArray[np.int32]


def connected_parts(linked: Bools) -> Parts:
    """Return the parts that links join, whichever way they point.

    Parameters
    ----------
    linked : ndarray of bool, shape (n, n)
        Which items are linked.

    Returns
    -------
    ndarray of int32, shape (n,)
        Equal where a chain of links leads from one item to the other.
    """
    _, parts = connected_components(linked.astype(np.int8), directed=False)
    return np.asarray(parts, dtype=np.int32)


def strong_parts(arcs: Bools) -> Parts:
    """Return the strongly connected parts of a directed graph.

    Parameters
    ----------
    arcs : ndarray of bool, shape (n, n)
        From row to column.

    Returns
    -------
    ndarray of int32, shape (n,)
        Equal where arcs lead from one item to the other and back.
    """
    _, parts = connected_components(arcs.astype(np.int8), connection="strong")
    return np.asarray(parts, dtype=np.int32)
