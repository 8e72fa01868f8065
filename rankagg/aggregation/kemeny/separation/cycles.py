"""Cycles of three arcs that a point of the relaxation violates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.relaxation.relaxation import Cycles

__all__ = ["violated_cycles"]

VIOLATION = 1e-6
CELLS = 2**17  # of a block, in floats: they stay in the cache

# What a margin counts beside a violation, and what a pair without one does beside a margin.
PREFERENCE, NO_MARGIN = 1e-2, 1e-3
ROWS_PER_ARC = 4


def violated_cycles(before: Floats, margins: Floats, limit: int, deadline: Deadline) -> Cycles:
    """Return cycles of which a point uses less than one arc, at most `limit`, the best first.

    For every arc of the reverse a -> b -> c -> a, two of which an order uses at most, the third
    item is the one that violates most; of equal ones the one with large margins, for a row raises
    the bound by no more than its least margin. Rows that share an arc do little for each other, so
    each arc is in a few of them only.

    Parameters
    ----------
    before : ndarray of float, shape (n, n)
        The point.
    margins : ndarray of float, shape (n, n)
        What it costs more to place row before column than the reverse.
    limit : int
        The most rows.
    deadline : Deadline
        When to stop with `OutOfTimeError`.

    Returns
    -------
    ndarray of int, shape (m, 3)
        Positions, the least of each cycle first.
    """
    n = len(before)
    weights = np.abs(margins)
    weights /= max(float(weights.max(initial=0.0)), 1.0)
    cycles, over = _worst_of_arcs(before, before + PREFERENCE * weights, deadline)
    first = np.argmin(cycles, axis=1)
    turned = np.take_along_axis(cycles, (first[:, None] + np.arange(3)) % 3, axis=1)
    _, unique = np.unique(turned @ np.array([n * n, n, 1]), return_index=True)
    turned, over = turned[unique], over[unique]
    arcs = [(turned[:, k], turned[:, (k + 1) % 3]) for k in range(3)]
    least = np.minimum.reduce([weights[arc] for arc in arcs])
    turned = turned[np.argsort(-over * (least + NO_MARGIN), kind="stable")]
    keys = turned * n + np.roll(turned, -1, axis=1)
    rows = turned[(_times_before(keys.ravel()).reshape(-1, 3) < ROWS_PER_ARC).all(axis=1)]
    return rows[:limit][:, [0, 2, 1]]


def _worst_of_arcs(before: Floats, preferred: Floats, deadline: Deadline) -> tuple[Cycles, Floats]:
    """Return for each arc the cycle that uses too much of its reverse, and by how much."""
    n = len(before)
    found, excess = [], []
    # [a, b, c]: the arcs b -> c and c -> a, for some a at a time.
    block = max(CELLS // n**2, 1)
    for start in range(0, n, block):
        deadline.seconds_left()
        firsts = np.arange(start, min(start + block, n))
        used = preferred[None, :, :] + preferred.T[firsts, None, :]
        used[:, np.arange(n), np.arange(n)] = -np.inf
        used[np.arange(len(firsts)), :, firsts] = -np.inf
        third = np.argmax(used, axis=2)
        over = before[firsts] + before[np.arange(n), third] - 2.0
        over += np.take_along_axis(before.T[firsts], third, axis=1)
        over[third == firsts[:, None]] = -1.0
        over[third == np.arange(n)] = -1.0
        over[np.arange(len(firsts)), firsts] = -1.0
        first, second = np.nonzero(over > VIOLATION)
        found.append(np.column_stack([firsts[first], second, third[first, second]]))
        excess.append(over[first, second])
    return np.concatenate(found), np.concatenate(excess)


def _times_before(keys: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how often each key stands before."""
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    starts = np.flatnonzero(np.r_[True, sorted_keys[1:] != sorted_keys[:-1]])
    lengths = np.diff(np.r_[starts, len(keys)])
    times = np.empty_like(order)
    times[order] = np.arange(len(keys)) - np.repeat(starts, lengths)
    return times
