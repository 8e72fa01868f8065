"""Where the lines of a rank-flow chart run, and which items move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Ranks

__all__ = ["GAP", "flow_slots", "moves"]

#: The empty slots between ranked and unranked items.
GAP = 1.0


def flow_slots(ranks: Ranks) -> NDArray[np.float64]:
    """Return a height for every item in every column, ties in the order of the column before.

    The first column looks to the second one, so that lines out of a tie do not cross.

    Parameters
    ----------
    ranks : ndarray of int, shape (columns, n)
        From 0; negative where an item is not ranked.

    Returns
    -------
    ndarray of float, shape (columns, n)
        From 0; those that are not ranked stand a gap below.
    """
    slots = np.empty(ranks.shape)
    n = ranks.shape[1]
    before = np.where(ranks[-1] >= 0, ranks[-1], n).astype(np.float64)
    for column in (*range(len(ranks) - 1, -1, -1), *range(len(ranks))):
        listed = np.where(ranks[column] >= 0, ranks[column], n)
        order = np.lexsort((np.arange(n), before, listed))
        slots[column, order] = np.arange(n)
        before = slots[column].copy()
    slots[ranks < 0] += GAP
    return slots


def moves(ranks: Ranks) -> NDArray[np.intp]:
    """Return by how many ranks every item moves between columns; unranked ones stand last.

    Parameters
    ----------
    ranks : ndarray of int, shape (columns, n)
        From 0; negative where an item is not ranked.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    listed = np.where(ranks >= 0, ranks, ranks.shape[1])
    width: NDArray[np.intp] = listed.max(axis=0) - listed.min(axis=0)
    return width
