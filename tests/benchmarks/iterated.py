"""An iterated local search of the plainest kind, compiled: what ours is held against.

Each item goes to its best place until no item moves; then some random pairs of items swap places,
and the search goes on from there where it ends no worse, else from where it was.
"""

from __future__ import annotations

from time import process_time

import numba
import numpy as np

#: Swaps of a kick.
FEWEST, MOST = 2, 9
#: Kicks between two looks at the clock.
KICKS = 50


@numba.njit
def descend(margins: np.ndarray, order: np.ndarray) -> int:
    """Move items to their best places until none moves; return half of what that saves."""
    n, saved, moves = len(order), 0, 1
    while moves:
        moves = 0
        for place in range(n):
            item = order[place]
            row = margins[item]
            total = best = 0
            target = place
            for k in range(place + 1, n):
                total += row[order[k]]
                if total > best:
                    best, target = total, k
            total = 0
            for k in range(place - 1, -1, -1):
                total -= row[order[k]]
                if total > best:
                    best, target = total, k
            if best > 0:
                for k in range(place, target):
                    order[k] = order[k + 1]
                for k in range(place, target, -1):
                    order[k] = order[k - 1]
                order[target] = item
                saved += best
                moves += 1
    return saved


@numba.njit
def swap(margins: np.ndarray, order: np.ndarray, first: int, last: int) -> int:
    """Let two items swap places; return half of what that costs."""
    if first > last:
        first, last = last, first
    i, j = order[first], order[last]
    order[first], order[last] = j, i
    costs = margins[j, i] if i != j else 0
    for k in range(first + 1, last):
        costs += margins[j, order[k]] - margins[i, order[k]]
    return costs


@numba.njit
def kick(margins: np.ndarray, kept: np.ndarray, kicks: int, seed: int) -> None:
    """Kick an order some times, in place."""
    np.random.seed(seed)
    n = len(kept)
    for _ in range(kicks):
        order, costs = kept.copy(), 0
        for _ in range(np.random.randint(FEWEST, MOST + 1)):
            costs += swap(margins, order, np.random.randint(n), np.random.randint(n))
        if costs <= descend(margins, order):
            kept[:] = order


def searched(margins: np.ndarray, order: np.ndarray, seconds: float, seed: int) -> np.ndarray:
    """Return the best order after so many seconds of the processor."""
    rng, order = np.random.default_rng(seed), order.copy()
    kick(np.zeros((2, 2), dtype=np.int64), np.arange(2), 1, 0)  # compiles
    began = process_time()
    descend(margins, order)
    while process_time() - began < seconds:
        kick(margins, order, KICKS, int(rng.integers(2**31)))
    return order
