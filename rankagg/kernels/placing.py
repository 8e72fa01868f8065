"""Mean places in buckets, and their sums: Borda's, and what unranked items get."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers64, Ranks
from rankagg.kernels.counting import row_sums, strict_rows

# Entries that are looked at in one go.
ENTRIES_AT_ONCE = 2**18
# Sums of so many numbers below 2**LOW_DIGITS are whole numbers that floats hold.
SUMMED_RANKINGS = 2**13
LOW_DIGITS = 40
# Rankings of a key from which on it is summed by itself.
RANKINGS_OF_A_KEY = 64

Doubled = NDArray[np.int32]


def doubled_places(ranks: Ranks) -> Doubled:
    """Return twice the mean place of each item's bucket, from 1; 0 where unranked: O(m n).

    Unlisted items share a bucket below the listed ones.

    Examples
    --------
    >>> import numpy as np
    >>> doubled_places(np.array([[0, 1, 1, -1], [-2, 0, 1, -2]], dtype=np.int32))
    array([[2, 5, 5, 0],
           [7, 2, 4, 7]], dtype=int32)
    """
    m, n = ranks.shape
    doubled = np.empty((m, n), dtype=np.int32)
    size = max(1, ENTRIES_AT_ONCE // n)
    for start in range(0, m, size):
        rows = slice(start, start + size)
        doubled[rows] = _doubled(ranks[rows])
    return doubled


def _doubled(ranks: Ranks) -> Doubled:
    n = ranks.shape[1]
    doubled = 2 * ranks + 2
    least = int(ranks.min(initial=0))
    if least < 0:
        doubled[ranks == -1] = 0
    begins = ranks
    if least < -1:
        off = ranks == -2
        listed = row_sums(ranks >= 0).astype(np.int32)
        # From `listed` to the number of observed items, both without the other's half.
        doubled = np.where(off, (2 * listed + row_sums(off) + 1)[:, None], doubled)
        begins = np.where(off, np.int32(-1), ranks)
    tied = ~strict_rows(ranks)
    if tied.any():
        some = begins[tied]
        # One bucket counter per ranking and place; other items go to a spare one.
        cell = np.where(some >= 0, some, n) + (n + 1) * np.arange(len(some))[:, None]
        sizes = np.bincount(cell.ravel(), minlength=len(some) * (n + 1))[cell]
        doubled[tied] += np.where(some >= 0, sizes - 1, 0).astype(np.int32)
    return doubled.astype(np.int32, copy=False)


def place_sums(
    keys: Integers64, weights: Integers64, doubled: Doubled
) -> tuple[Integers64, Integers64]:
    """Return for each key and item what its rankings weigh and place: O(m n).

    Examples
    --------
    >>> import numpy as np
    >>> seen, placed = place_sums(np.array([0, 0]), np.array([1, 2]), np.array([[2, 4], [4, 0]]))
    >>> seen, placed
    (array([[3, 1]]), array([[10,  4]]))
    """
    m, n = doubled.shape
    shape = int(keys.max(initial=-1)) + 1, n
    seen, placed = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    starts = np.zeros(min(m, 1), dtype=np.intp)
    if shape[0] > 1:
        order = np.argsort(keys, kind="stable")
        keys, weights, doubled = keys[order], weights[order], doubled[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if len(starts) * RANKINGS_OF_A_KEY > m:
        here = keys[starts]
        placed[here] = np.add.reduceat(weights[:, None] * doubled, starts, axis=0)
        seen[here] = np.add.reduceat(weights[:, None] * (doubled > 0), starts, axis=0)
        return seen, placed
    for start, stop in pairwise([*starts.tolist(), m]):
        rows, key = slice(start, stop), keys[start]
        placed[key] = _dot(weights[rows], doubled[rows])
        there = doubled[rows] > 0
        seen[key] = weights[rows].sum() if there.all() else _dot(weights[rows], there)
    return seen, placed


def _dot(weights: Integers64, values: NDArray[np.int32] | Bools) -> Integers64:
    """Return the weighted sum of the rows."""
    if int(weights.sum()) * int(values.max(initial=0)) >= 2**53:
        return weights @ values.astype(np.int64)
    total = np.zeros(values.shape[1])
    size = max(1, ENTRIES_AT_ONCE // values.shape[1])
    for start in range(0, len(values), size):
        rows = slice(start, start + size)
        total += weights[rows].astype(np.float64) @ values[rows].astype(np.float64)
    return total.astype(np.int64)


def absent_sums(
    weights: Integers64, absent: Bools, values: NDArray[np.signedinteger]
) -> Integers64:
    """Return the weighted sum of the column's values over the rankings without the row's item.

    Notes
    -----
    Time grows with the pairs of an absent and any item: m n^2 at most.

    Examples
    --------
    >>> import numpy as np
    >>> absent = np.array([[False, True], [False, True]])
    >>> absent_sums(np.array([1, 2]), absent, np.array([[3, 0], [4, 0]]))
    array([[ 0,  0],
           [11,  0]])
    """
    m, n = absent.shape
    total = np.zeros((n, n), dtype=np.int64)
    size = min(SUMMED_RANKINGS, max(1, ENTRIES_AT_ONCE // n))
    for start in range(0, m, size):
        rows = slice(start, start + size)
        units = weights[rows, None] * values[rows].astype(np.int64)
        left = absent[rows].T.astype(np.float64)
        low = left @ (units & (2**LOW_DIGITS - 1)).astype(np.float64)
        total += low.astype(np.int64)
        if int(units.max(initial=0)) >> LOW_DIGITS:
            high = left @ (units >> LOW_DIGITS).astype(np.float64)
            total += high.astype(np.int64) << LOW_DIGITS
    return total
