"""Rows that a point of the relaxation violates."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.relaxation import Cycles

__all__ = ["violated_cycles"]

VIOLATION = 1e-6
CELLS = 2**17  # of a block, in floats: they stay in the cache


def violated_cycles(before: Floats, limit: int, deadline: Deadline) -> Cycles:
    """Return cycles of which a point uses less than one arc, at most `limit`, the worst first.

    For every arc of the reverse a -> b -> c -> a, two of which an order uses at most, the third
    item is the one that violates most; so a round has few rows per arc and covers all of them.
    Raises `OutOfTimeError` where the deadline passes.
    """
    n = len(before)
    found, excess = [], []
    # [a, b, c]: the arcs b -> c and c -> a, for some a at a time.
    block = max(CELLS // n**2, 1)
    for start in range(0, n, block):
        deadline.seconds_left()
        firsts = np.arange(start, min(start + block, n))
        used = before[None, :, :] + before.T[firsts, None, :]
        used[:, np.arange(n), np.arange(n)] = -3.0
        used[np.arange(len(firsts)), :, firsts] = -3.0
        worst = np.argmax(used, axis=2)
        over = before[firsts] + np.take_along_axis(used, worst[:, :, None], axis=2)[:, :, 0] - 2.0
        over[np.arange(len(firsts)), firsts] = -1.0
        first, second = np.nonzero(over > VIOLATION)
        found.append(np.column_stack([firsts[first], second, worst[first, second]]))
        excess.append(over[first, second])
    cycles, over = np.concatenate(found), np.concatenate(excess)
    first = np.argmin(cycles, axis=1)
    turned = np.take_along_axis(cycles, (first[:, None] + np.arange(3)) % 3, axis=1)
    _, unique = np.unique(turned @ np.array([n * n, n, 1]), return_index=True)
    order = unique[np.argsort(-over[unique], kind="stable")][:limit]
    return turned[order][:, [0, 2, 1]]
