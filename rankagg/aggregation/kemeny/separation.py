"""Rows that a point of the relaxation violates."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.relaxation import Cycles

__all__ = ["violated_cycles"]

VIOLATION = 1e-6


def violated_cycles(before: Floats, limit: int, deadline: Deadline) -> Cycles:
    """Return cycles of which a point uses less than one arc, at most `limit`, the worst first.

    For every arc of the reverse a -> b -> c -> a, two of which an order uses at most, the third
    item is the one that violates most; so a round has few rows per arc and covers all of them.
    Raises `OutOfTimeError` where the deadline passes.
    """
    n = len(before)
    items = np.arange(n)
    found, excess = [], []
    for a in range(n):
        deadline.seconds_left()
        used = before + before[:, a]  # [b, c]: the arcs b -> c and c -> a
        np.fill_diagonal(used, -3.0)
        used[:, a] = -3.0
        worst = np.argmax(used, axis=1)
        over = before[a] + used[items, worst] - 2.0
        over[a] = -1.0
        picked = np.flatnonzero(over > VIOLATION)
        found.append(np.column_stack([np.full(len(picked), a), picked, worst[picked]]))
        excess.append(over[picked])
    cycles, over = np.concatenate(found), np.concatenate(excess)
    first = np.argmin(cycles, axis=1)
    turned = np.take_along_axis(cycles, (first[:, None] + np.arange(3)) % 3, axis=1)
    _, unique = np.unique(turned @ np.array([n * n, n, 1]), return_index=True)
    order = unique[np.argsort(-over[unique], kind="stable")][:limit]
    return turned[order][:, [0, 2, 1]]
