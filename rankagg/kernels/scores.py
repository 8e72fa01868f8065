"""Who scores above whom in how many units, and how far down each stands: O(m n^2 / 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.kernels.backend import compiled
from rankagg.kernels.counting import count_true

# Units looked at in one go: what is compared to a column stays in the cache. A multiple of 8.
UNITS_AT_ONCE = 4096


def count_scores(columns: Floats, *, leads: bool) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Count the units in which one system scores above another.

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
