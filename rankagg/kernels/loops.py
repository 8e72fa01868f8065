"""The same as plain loops, for numba; loaded only where it is installed and the work is large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["count_above", "count_inversions"]

Array = NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])
# Compiled once per machine: what was compiled is kept beside the module.
njit: Callable[[F], F] = numba.njit(cache=True, nogil=True)


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
