"""Good orders quickly: starting orders, insertion search, and kicks out of local optima.

All of it works on the float margin matrix, `margins[i, j]` = cost of i before j less cost of j
before i, so a move's gain is approximate where integers leave 53 bits; costs are recomputed
exactly by the caller.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats

__all__ = ["Order", "improve", "kicked", "starting_orders"]

Order = NDArray[np.intp]

#: Gains below this share of the largest margin are rounding.
NEGLIGIBLE = 1e-9


def starting_orders(margins: Floats) -> list[Order]:
    """Return the orders of Borda (sum of margins) and Copeland (number of majorities)."""
    strengths = (-margins.sum(axis=1), (margins < 0).sum(axis=1) - (margins > 0).sum(axis=1))
    return [np.argsort(-strength, kind="stable") for strength in strengths]


def improve(margins: Floats, order: Order) -> Order:
    """Move single items to better places until no such move helps.

    All n^2 moves are weighed in one pass from cumulative sums of the permuted margins; the best
    is made, and its effect on the sums repaired by permuting again.
    """
    order = order.copy()
    threshold = NEGLIGIBLE * float(np.abs(margins).max(initial=0.0))
    permuted = margins[np.ix_(order, order)]
    while True:
        gains = insertion_gains(permuted)
        best = int(np.argmax(gains))
        source, target = divmod(best, len(order))
        if gains[source, target] <= threshold:
            return order
        route = moved(len(order), source, target)
        order = order[route]
        permuted = permuted[np.ix_(route, route)]


def insertion_gains(permuted: NDArray[Any]) -> NDArray[Any]:
    """Return how much cheaper the order gets when the item at place p moves to place q.

    Passing an item that stood behind gains `permuted[p, k]`, one that stood before loses it.
    """
    before = _before(len(permuted))
    # With both halves summed outwards from the diagonal, which is zero, each place has the sum
    # over the items that are passed on the way to it.
    later = np.cumsum(np.where(before, 0, permuted), axis=1)
    earlier = np.cumsum(np.where(before, permuted, 0)[:, ::-1], axis=1)[:, ::-1]
    return np.where(before, -earlier, later)


@lru_cache(maxsize=64)
def _before(n: int) -> Bools:
    """Return where the column is a smaller place than the row."""
    mask: Bools = np.tri(n, k=-1, dtype=bool)
    mask.flags.writeable = False
    return mask


def moved(n: int, source: int, target: int) -> Order:
    """Return the positions in the order in which they stand after one item has moved."""
    route = np.arange(n)
    low, high = min(source, target), max(source, target)
    route[low : high + 1] = np.roll(route[low : high + 1], 1 if source > target else -1)
    return route


def kicked(order: Order, rng: np.random.Generator, strength: int) -> Order:
    """Return the order with some random items put into random places."""
    result = order
    for _ in range(strength):
        source, target = rng.integers(len(order), size=2)
        result = result[moved(len(order), int(source), int(target))]
    return result
