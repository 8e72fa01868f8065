"""Pairs that stand in the wrong order: O(n log n)."""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import Any

import numpy as np

from rankagg._typing import Integers64

# Groups of 2**LAST values are compared pair by pair: quicker than four more splits.
LAST = 4
# So few values are sorted in one by one: quicker than the calls of NumPy.
FEW = 64


def inversions(values: Integers64) -> int:
    """Count the pairs in which the earlier value is the larger.

    Notes
    -----
    Values are split by their binary digits, from the highest: among values that agree in all
    higher digits (they stand together, in their original order) a pair is an inversion if the
    earlier has a 1 and the later a 0. As every value occurs once, after padding to a power of two
    each group has as many zeros as ones, so groups are the rows of a matrix, and the inversions of
    a digit follow from the sum of the positions of its zeros.

    Examples
    --------
    >>> import numpy as np
    >>> inversions(np.array([2, 0, 1])), inversions(np.array([3, 2, 1, 0]))
    (2, 6)
    """
    n = len(values)
    if n <= FEW:
        return _sorted_in(values.tolist())
    digits = max(LAST, (n - 1).bit_length())
    size = 1 << digits
    left = np.arange(size, dtype=_holding(digits))  # what is appended is in order
    left[:n] = values
    total = 0
    for digit in reversed(range(LAST, digits)):
        # Higher digits are those of the group: they are told by the position.
        left = left.astype(_holding(digit + 1), copy=False)
        half, groups = 1 << digit, size >> (digit + 1)
        ones = (left & left.dtype.type(half)).astype(bool)
        zeros = np.flatnonzero(~ones)
        # In group g the i-th zero is preceded by 2 half g + i values that are no ones of it.
        before = 2 * half * half * (groups * (groups - 1) // 2) + groups * (half * (half - 1) // 2)
        total += int(zeros.sum()) - before
        split = np.empty((groups, 2 * half), dtype=left.dtype)
        split[:, :half] = left[zeros].reshape(groups, half)
        split[:, half:] = left[ones].reshape(groups, half)
        left = split.reshape(-1)
    last = left & left.dtype.type((1 << LAST) - 1)
    places = np.ascontiguousarray(last.astype(np.uint8).reshape(-1, 1 << LAST).T)
    return total + sum(
        int(np.count_nonzero(places[at] > places[at + 1 :])) for at in range((1 << LAST) - 1)
    )


def _sorted_in(values: list[int]) -> int:
    """Count the inversions while values are sorted in one by one."""
    before: list[int] = []
    total = 0
    for value in values:
        total += len(before) - bisect_right(before, value)
        insort(before, value)
    return total


def smaller_before(values: Integers64) -> Integers64:
    """Count for every value the earlier ones that are smaller.

    Notes
    -----
    Values are split by their binary digits, as in `inversions`: what agrees in all higher digits
    stands together, from the first of these numbers on, and every 1 has the zeros before it as
    earlier and smaller ones.

    Examples
    --------
    >>> import numpy as np
    >>> smaller_before(np.array([2, 0, 1, 3])).tolist()
    [0, 0, 1, 3]
    """
    n = len(values)
    found, at, left = np.zeros(n, dtype=np.int64), np.arange(n), values.astype(np.int64)
    for digit in reversed(range((n - 1).bit_length())):
        ones = (left >> digit & 1).astype(bool)
        start = left >> (digit + 1) << (digit + 1)
        zeros = np.concatenate([[0], np.cumsum(~ones)])
        before = zeros[:-1] - zeros[start]
        found[at[ones]] += before[ones]
        # In their order, the zeros of a group first and then its ones.
        rank = np.where(ones, np.arange(n) - start - before, before)
        place = (left >> digit << digit) + rank
        moved, moved_at = np.empty_like(left), np.empty_like(at)
        moved[place], moved_at[place] = left, at
        left, at = moved, moved_at
    return found


def _holding(digits: int) -> np.dtype[Any]:
    """Return the smallest type that holds numbers of so many binary digits."""
    return np.min_scalar_type((1 << digits) - 1)
