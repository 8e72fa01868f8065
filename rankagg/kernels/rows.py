"""Sums along rankings, and counts of who scores above whom in how many units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Ranks
from rankagg.kernels.backend import compiled
from rankagg.kernels.counting import count_true


def row_sums(table: NDArray[Any]) -> NDArray[np.int64]:
    """Return the sum of each row of truth values, or of places of one ranking: O(m n).

    NumPy's own sum is slow on rows as short as rankings are.

    Examples
    --------
    >>> import numpy as np
    >>> row_sums(np.array([[True, True], [False, True]]))
    array([2, 1])
    """
    # The largest sum is that of the places 0, ..., n - 1.
    kind = np.int32 if table.shape[1] < 2**16 else np.int64
    sums: NDArray[np.int64] = np.einsum("ij->i", table.astype(kind, copy=False)).astype(np.int64)
    return sums


def strict_rows(ranks: Ranks) -> Bools:
    """Say of each ranking whether all its listed items have places of their own: O(m n).

    Examples
    --------
    >>> import numpy as np
    >>> strict_rows(np.array([[0, 1, -1], [0, 0, 2], [0, -2, -2]], dtype=np.int32))
    array([ True, False,  True])
    """
    # Places count the items above, so only without ties do they add up to 0 + ... + k - 1.
    if int(ranks.min(initial=0)) >= 0:
        k = ranks.shape[1]
        strict: Bools = row_sums(ranks) == k * (k - 1) // 2
    else:
        listed = row_sums(ranks >= 0)
        strict = row_sums(np.maximum(ranks, 0)) == listed * (listed - 1) // 2
    return strict


# Units looked at in one go: what is compared to a column stays in the cache. A multiple of 8.
UNITS_AT_ONCE = 4096


def count_scores(columns: Floats, *, leads: bool) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Count the units in which one system scores above another: O(m n^2 / 2).

    Examples
    --------
    >>> import numpy as np
    >>> wins, leads = count_scores(np.array([[3.0, 1.0], [2.0, 1.0]]), leads=True)
    >>> wins.tolist(), leads.tolist()
    ([[0, 1], [0, 0]], [[-1, 0], [1, 0]])
    """
    n, m = columns.shape
    wins = np.zeros((n, n), dtype=np.int64)
    behind = np.zeros((n, m) if leads else (0, 0), dtype=np.int16)
    fast = compiled(m * n * n)
    if fast is not None:
        fast.add_scores(np.ascontiguousarray(columns), leads, wins, behind)
        return wins, behind
    size = max(8, min(UNITS_AT_ONCE, -(-m // 8) * 8))
    above = np.zeros((n, size), dtype=bool)
    below = np.zeros((n, size), dtype=bool)
    for start in range(0, m, size):
        block = columns[:, start : start + size]
        width = block.shape[1]
        if width < size:  # the words that are counted hold nothing of the block before
            above[:, width:] = below[:, width:] = False
        _compare(block, above, below, wins, behind[:, start : start + width])
    return wins, behind


def _compare(
    block: Floats,
    above: NDArray[np.bool_],
    below: NDArray[np.bool_],
    wins: NDArray[np.int64],
    behind: NDArray[np.int16],
) -> None:
    """Add up half of the pairs in both directions."""
    n, width = block.shape
    kind = np.int8 if n <= 127 else np.int16  # what holds wins less losses
    room = np.empty((n, width), dtype=kind)
    total = np.zeros((n, width), dtype=kind)
    for i in range(n - 1):
        one, others = block[i], block[i + 1 :]
        more, less = above[i + 1 :], below[i + 1 :]
        np.greater(one, others, out=more[:, :width])
        np.less(one, others, out=less[:, :width])
        wins[i, i + 1 :] += count_true(more)
        wins[i + 1 :, i] += count_true(less)
        if behind.size:
            led = room[i + 1 :]
            np.subtract(more[:, :width], less[:, :width], out=led, dtype=kind, casting="unsafe")
            total[i + 1 :] += led
            total[i] -= led.sum(axis=0, dtype=kind)
    if behind.size:
        behind[:] = total
