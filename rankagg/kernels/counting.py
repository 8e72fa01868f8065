"""Who is above whom in how many rankings: O(m n^2 / 2) comparisons of bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.kernels.backend import compiled

__all__ = ["above"]

# Numbers looked at in one go: they stay in the cache with what is compared to them.
BLOCK = 2**18
WORD = 8


def above(numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the rows in which one column's number is smaller than another's.

    Parameters
    ----------
    numbers : ndarray of int, shape (m, n)
        Competition ranks of n items in m rankings, from 0; numbers from n on for items without
        one, as `core.places.comparable` gives them.

    Returns
    -------
    ndarray of int, shape (n, n)
        How often the number of the first item is the smaller one.

    Notes
    -----
    Where every ranking is complete and strict, half of the pairs tell the other half. Comparisons
    are made on columns of one byte where that holds a place, eight of them a word, and counted as
    bits.

    Examples
    --------
    >>> import numpy as np
    >>> above(np.array([[0, 1, 2], [1, 0, 1]], dtype=np.int32))
    array([[0, 1, 1],
           [1, 0, 2],
           [0, 0, 0]])
    """
    m, n = numbers.shape
    fast = compiled(m * n * n)
    size = max(WORD, BLOCK // n // WORD * WORD)
    size = min(size, -(-m // WORD) * WORD)
    columns = np.empty((n, size), dtype=np.min_scalar_type(n + 1))
    outcome = np.empty((n, size), dtype=bool)
    counts = np.zeros((n, n), dtype=np.int64)
    for start in range(0, m, size):
        block = numbers[start : start + size]
        columns[:, : len(block)] = block.T
        columns[:, len(block) :] = 0  # equal numbers are not above each other
        once = np.zeros((n, n), dtype=np.int64)
        strict = _are_strict(columns[:, : len(block)])
        if fast is None:
            _compare(columns, outcome, once, strict=strict)
        else:
            fast.count_above(columns, strict, once)
        if strict:
            once += np.tril(len(block) - once.T, k=-1)
        counts += once
    return counts


def _are_strict(columns: NDArray[np.unsignedinteger]) -> bool:
    """Say whether all rankings are complete and without ties."""
    n, m = columns.shape
    if int(columns.max(initial=0)) >= n:
        return False
    # Places count the items above, so only without ties do they add up to 0 + ... + n - 1.
    sums = np.zeros(m, dtype=np.uint32)
    for column in columns:
        sums += column
    return bool((sums == n * (n - 1) // 2).all())


def _compare(
    columns: NDArray[np.unsignedinteger], outcome: Bools, counts: NDArray[np.int64], *, strict: bool
) -> None:
    """Add up who is above whom; of strict rankings the upper triangle."""
    for i in range(len(columns) - 1):
        one, others, told = columns[i], columns[i + 1 :], outcome[i + 1 :]
        np.less(one, others, out=told)
        counts[i, i + 1 :] += _ones(told)
        if not strict:
            np.greater(one, others, out=told)
            counts[i + 1 :, i] += _ones(told)


def _ones(outcome: Bools) -> NDArray[np.int64]:
    """Count what is true in each row, whose length is a multiple of eight."""
    counts: NDArray[np.int64]
    if hasattr(np, "bitwise_count"):  # from NumPy 2 on
        counts = np.bitwise_count(outcome.view(np.uint64)).sum(axis=1, dtype=np.int64)
    else:
        counts = np.asarray(np.count_nonzero(outcome, axis=1), dtype=np.int64)
    return counts
