"""The same as plain loops, for numba; loaded only where it is installed and the work is large."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])


def cache_folder() -> Path | None:
    """Return where compiled loops are kept: a folder of the user, or None where none can be made.

    Never beside this file, where an uninstalled package would leave them as a package of its own.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        folder = (Path(home) if home else Path.home() / ".cache") / "rankagg" / "loops"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no room, no right, no home
        return None
    return folder if os.access(folder, os.W_OK) else None


FOLDER = cache_folder()


def njit(function: F) -> F:
    """Compile a function when it is called first, and keep the result on disk where that can be."""
    if FOLDER is None:
        return cast(F, numba.njit(nogil=True)(function))
    # Numba takes the folder of a function from its settings, and NUMBA_CACHE_DIR goes first.
    settings: Any = numba.config
    stated = settings.CACHE_DIR
    settings.CACHE_DIR = stated or str(FOLDER)
    try:
        return cast(F, numba.njit(cache=True, nogil=True)(function))
    finally:
        settings.CACHE_DIR = stated


@njit
def count_above(columns: Array, strict: bool, counts: Array) -> None:
    """Add to `counts` how often a row's number is smaller, as in `counting.above`.

    With `strict` the upper triangle is enough. The sums of a block fit 32 bits.
    """
    n, m = columns.shape
    for i in range(n):
        for j in range(i + 1, n):
            one, other = columns[i], columns[j]
            less = np.int32(0)
            for k in range(m):
                less += np.int32(one[k] < other[k])
            counts[i, j] += less
            if not strict:
                more = np.int32(0)
                for k in range(m):
                    more += np.int32(one[k] > other[k])
                counts[j, i] += more


@njit
def weigh_above(columns: Array, weights: Array, strict: bool, counts: Array) -> None:
    """Add to `counts` the weight of the rankings in which a row's number is smaller."""
    n, m = columns.shape
    for i in range(n):
        for j in range(i + 1, n):
            one, other = columns[i], columns[j]
            less = 0
            for k in range(m):
                less += weights[k] if one[k] < other[k] else 0
            counts[i, j] += less
            if not strict:
                more = 0
                for k in range(m):
                    more += weights[k] if one[k] > other[k] else 0
                counts[j, i] += more


@njit
def count_inversions(values: Array, room: Array) -> int:
    """Count inversions by merging runs of doubling length; both arrays are overwritten."""
    n = len(values)
    total = 0
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            end = min(start + 2 * width, n)
            left, right = start, middle
            for at in range(start, end):
                if left < middle and (right >= end or values[left] <= values[right]):
                    room[at] = values[left]
                    left += 1
                else:
                    room[at] = values[right]
                    right += 1
                    total += middle - left
        values, room = room, values
        width *= 2
    return total


@njit
def double_places(ranks: Array, sizes: Array, doubled: Array) -> None:
    """Write twice the mean places from 1; `sizes` has room for n + 2 counters.

    No branch depends on a place: the processor could not guess it.
    """
    m, n = ranks.shape
    for t in range(m):
        sizes[:] = 0
        for i in range(n):
            rank = ranks[t, i]
            sizes[rank if rank >= 0 else n - 1 - rank] += 1  # n: unranked, n + 1: unlisted
        listed = n - sizes[n] - sizes[n + 1]
        for i in range(n):
            rank = ranks[t, i]
            begin = rank if rank >= 0 else listed
            size = sizes[rank if rank >= 0 else n + 1]
            doubled[t, i] = (2 * begin + 1 + size) * (rank != -1)


@njit
def sum_places(keys: Array, weights: Array, doubled: Array, seen: Array, placed: Array) -> None:
    """Add what each ranking weighs and places to the sums of its key."""
    m, n = doubled.shape
    for t in range(m):
        weight = weights[t]
        there, sums = seen[keys[t]], placed[keys[t]]
        for i in range(n):
            place = np.int64(doubled[t, i])
            there[i] += weight if place > 0 else 0
            sums[i] += weight * place


@njit
def sum_absent(weights: Array, absent: Array, values: Array, total: Array) -> None:
    """Add each ranking's values to the sums of the items that it is without."""
    m, n = absent.shape
    units = np.empty(n, dtype=np.int64)
    for t in range(m):
        for i in range(n):
            units[i] = weights[t] * np.int64(values[t, i])
        for u in range(n):
            if absent[t, u]:
                for i in range(n):
                    total[u, i] += units[i]


@njit
def write_best_moves(permuted: Array, gains: Array, targets: Array) -> None:
    """Write the best place to move each item to, and what that gains; the first of equal ones."""
    n = len(permuted)
    sums = np.zeros(n + 1)  # up to each place, without it
    for p in range(n):
        for q in range(n):
            sums[q + 1] = sums[q] + permuted[p, q]
        gains[p], targets[p] = -np.inf, 0
        for q in range(n):
            gain = (sums[q] if q < p else sums[q + 1]) - sums[p]
            if gain > gains[p]:
                gains[p], targets[p] = gain, q


@njit
def add_scores(columns: Array, leads: bool, wins: Array, behind: Array) -> None:
    """Add to `wins` who has the higher score, and to `behind` as in `scores.count_scores`."""
    n, m = columns.shape
    size = 2048  # units whose scores stay in the cache
    for start in range(0, m, size):
        stop = min(start + size, m)
        for i in range(n):
            one = columns[i, start:stop]
            for j in range(i + 1, n):
                other = columns[j, start:stop]
                more, less = np.int32(0), np.int32(0)
                for k in range(stop - start):
                    more += np.int32(one[k] > other[k])
                    less += np.int32(one[k] < other[k])
                wins[i, j] += more
                wins[j, i] += less
                if leads:
                    mine, theirs = behind[i, start:stop], behind[j, start:stop]
                    for k in range(stop - start):
                        lead = np.int16(one[k] > other[k]) - np.int16(one[k] < other[k])
                        mine[k] -= lead
                        theirs[k] += lead


@njit
def draw(seeds: Array) -> Any:
    """Return the next random number of a search, as in `local_search`."""
    first = 40014 * seeds[0] % 2147483563
    second = 40692 * seeds[1] % 2147483399
    seeds[0], seeds[1] = first, second
    return (first - second) % 2147483562


@njit
def move(order: Array, unsure: Array, place: int, target: int) -> None:
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
def kick(margins: Array, order: Array, unsure: Array, seeds: Array, reach: int) -> Any:
    """Move a random item to a random place, and return how much cheaper the order gets."""
    n = len(order)
    place = draw(seeds) % n
    way = 1 + draw(seeds) % (2 * reach)
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
    move(order, unsure, place, target)
    unsure[target] = True
    return gain


@njit
def look(row: Array, order: Array, place: int) -> Any:
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
                    ahead[at] += kick(margins, order, unsure, seeds[at], reach)
                low = 0
                while not unsure[low]:
                    low += 1
            gain, target = look(margins[order[low]], order, low)
            unsure[low] = False
            if gain > threshold:
                move(order, unsure, low, target)
                ahead[at] += gain
                low = min(low, target)
