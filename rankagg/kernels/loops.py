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
def _move(order: Array, unchecked: Array, place: int, target: int) -> None:
    """Move an item; mark it as checked, and the items that it passes as unchecked."""
    item = order[place]
    if place < target:
        for k in range(place, target):
            order[k] = order[k + 1]
            unchecked[k] = True
    else:
        for k in range(place, target, -1):
            order[k] = order[k - 1]
            unchecked[k] = True
    order[target], unchecked[target] = item, False


@njit
def _kick(margins: Array, order: Array, unchecked: Array, seeds: Array, reach: int) -> Any:
    """Move a random item to a random place, and return the decrease in cost."""
    n = len(order)
    place = _draw(seeds) % n
    step = 1 + _draw(seeds) % (2 * reach)
    target = place - step if step <= reach else place + step - reach
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
    _move(order, unchecked, place, target)
    unchecked[target] = True
    return gain


@njit
def _best_place(row: Array, order: Array, place: int) -> Any:
    """Return the gain of the best place for an item, and the first such place."""
    total = row[order[place]]  # 0 of the right type
    best, gap = total, 0
    for k in range(place):
        total += row[np.uint32(order[k])]  # unsigned, so that numba skips the check for negatives
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
    """Take `steps` steps in each search, as in `local_search.Searches`."""
    orders, kept, saved, ahead, all_unchecked, seeds = state
    strength, reach = kicks
    n_searches, n = orders.shape
    for at in range(n_searches):
        order, unchecked = orders[at], all_unchecked[at]
        low = 0  # all items before it are checked
        for _ in range(steps):
            while low < n and not unchecked[low]:
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
                    ahead[at] += _kick(margins, order, unchecked, seeds[at], reach)
                low = 0
                while not unchecked[low]:
                    low += 1
            gain, target = _best_place(margins[order[low]], order, low)
            unchecked[low] = False
            if gain > threshold:
                _move(order, unchecked, low, target)
                ahead[at] += gain
                low = min(low, target)
