"""Pairs that some best list has in one order: exchanging the two would cost no less.

Let x above any other item z cost no more than y above z does, z above x no less than z above y,
and x above y no more than y above x. Where y stands above x, let them change places. The pair and
those with an item between then cost no more, at the same weight; of those with an item behind
both, the cheaper x now has the larger weight. So the list costs no more. Every such exchange
brings it nearer to one order of all items (see `keys`), so some best list has all these pairs in
their order. It takes nothing but weights that do not grow from place to place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers
from rankagg.aggregation.deadline import Deadline

__all__ = ["contenders", "keys"]

# Items that are held against one other in one go, at first.
BLOCK = 64


def keys(gains: Integers) -> NDArray[np.intp]:
    """Return the items by what they cost above all others, and then by what others cost above them.

    Where two can be exchanged for a cost that is no more, the better one comes first.

    Parameters
    ----------
    gains : ndarray of int, shape (n, n)
        See `PlacedProblem`.

    Returns
    -------
    ndarray of int, shape (n,)
        Positions.
    """
    above, below = gains.sum(axis=1), gains.sum(axis=0)
    first = np.argsort(-below, kind="stable")
    return first[np.argsort(above[first], kind="stable")]


def contenders(gains: Integers, k: int, deadline: Deadline) -> tuple[NDArray[np.intp], Bools]:
    """Return the items that may be among the first k of a best list, and pairs that it keeps.

    Parameters
    ----------
    gains : ndarray of int, shape (n, n)
        See `PlacedProblem`.
    k : int
        The number of places.
    deadline : Deadline
        Raises `OutOfTimeError` where it passes.

    Returns
    -------
    items : ndarray of int, shape (r,)
        Positions; all others are below k items in some best list, or below one that is.
    above : ndarray of bool, shape (r, r)
        Pairs (row above column) of these that the same best list has in this order.
    """
    order = keys(gains)
    columns: Integers = gains.T.copy(order="C")
    is_out = np.zeros(len(gains), dtype=bool)
    better: dict[int, list[int]] = {}
    for at, item in enumerate(order.tolist()):
        deadline.seconds_left()
        found: list[int] = []
        start, size = 0, BLOCK
        while start < at and not is_out[item]:
            block = order[start : min(start + size, at)]
            found += block[_above(gains, columns, block, item)].tolist()
            is_out[item] = len(found) >= k or is_out[found].any()
            start, size = start + size, 2 * size
        better[item] = found
    items = order[~is_out[order]]
    place = {item: at for at, item in enumerate(items.tolist())}
    above = np.zeros((len(items), len(items)), dtype=bool)
    for item, at in place.items():
        above[[place[other] for other in better[item]], at] = True
    return items, above


def _above(
    gains: Integers, columns: Integers, others: NDArray[np.intp], item: int
) -> NDArray[np.bool_]:
    """Return which others an exchange puts above an item, of those before it among the keys."""
    likely: NDArray[np.bool_] = gains[others, item] <= gains[item, others]
    block = others[likely]
    # The pair itself is compared already, and the diagonal holds nothing.
    itself = np.zeros((len(block), len(gains)), dtype=bool)
    itself[:, item] = True
    itself[np.arange(len(block)), block] = True
    above = (gains[block] <= gains[item]) | itself
    below = (columns[block] >= columns[item]) | itself
    likely[likely] = above.all(axis=1) & below.all(axis=1)
    return likely
