"""Iterated insertion search as plain loops, for numba."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
njit = numba.njit(cache=True, nogil=True)


@njit
def _draw(seeds: Array) -> Any:
    """Return the next random number of a search, as in `local_search`."""
    first = 40014 * seeds[0] % 2147483563
    second = 40692 * seeds[1] % 2147483399
    seeds[0], seeds[1] = first, second
    return (first - second) % 2147483562


@njit
def _move(order: Array, unsure: Array, place: int, target: int) -> None:
    """Move an item; all that it passes is to be looked at again, it is not."""
    item = order[place]
    if place < target:
        for k in range(place, target):
            order[k] = order[k + 1]
            unsure[k] = True
    else:
        for k in range(place, target, -1):
            order[k] = order[k - 1]
            unsure[k] = True
    order[target], unsure[target] = item, False


@njit
def _kick(margins: Array, order: Array, unsure: Array, seeds: Array, reach: int) -> Any:
    """Move a random item to a random place, and return how much cheaper the order gets."""
    n = len(order)
    place = _draw(seeds) % n
    way = 1 + _draw(seeds) % (2 * reach)
    target = place - way if way <= reach else place + way - reach
    if target < 0 or target >= n:
        target = min(max(2 * place - target, 0), n - 1)
    row = margins[order[place]]
    gain = row[order[place]]  # 0 of the right type
    if place < target:
        for k in range(place + 1, target + 1):
            gain += row[order[k]]
    else:
        for k in range(target, place):
            gain += row[order[k]]
        gain = -gain
    _move(order, unsure, place, target)
    unsure[target] = True
    return gain


@njit
def _look(row: Array, order: Array, place: int) -> Any:
    """Return what the best place for an item gains, and that place; the first of equal ones."""
    total = row[order[place]]  # 0 of the right type
    best, gap = total, 0
    for k in range(place):
        total += row[np.uint32(order[k])]  # unsigned: not counted from the end
        if total > best:
            best, gap = total, k + 1
    here = total
    for k in range(place + 1, len(order)):
        total += row[np.uint32(order[k])]
        if total > best:
            best, gap = total, k + 1
    return best - here, gap if gap <= place else gap - 1


@njit
def search_steps(margins: Array, state: Any, steps: int, kicks: Any, threshold: float) -> None:
    """Take so many steps in each search, as in `local_search.Searches`."""
    orders, kept, saved, ahead, unsures, seeds = state
    strength, reach = kicks
    n_searches, n = orders.shape
    for at in range(n_searches):
        order, unsure = orders[at], unsures[at]
        low = 0  # nothing before it is to be looked at
        for _ in range(steps):
            while low < n and not unsure[low]:
                low += 1
            if low == n:
                if ahead[at] >= 0:
                    saved[at] += ahead[at]
                    kept[at, :] = order
                else:
                    order[:] = kept[at]
                ahead[at] = 0
                if strength == 0:
                    break
                for _ in range(strength):
                    ahead[at] += _kick(margins, order, unsure, seeds[at], reach)
                low = 0
                while not unsure[low]:
                    low += 1
            gain, target = _look(margins[order[low]], order, low)
            unsure[low] = False
            if gain > threshold:
                _move(order, unsure, low, target)
                ahead[at] += gain
                low = min(low, target)
