"""The fewest numbers, each there a few times, that together reach a target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers

__all__ = ["chosen", "fewest"]


def fewest(targets: Integers, gains: Integers, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many units must go at least for each of several targets.

    The gains of the units that go add up, whatever else goes, so the largest first is best: of
    all sets of one size, that of the largest gains has the largest sum.

    Parameters
    ----------
    targets : ndarray of int, shape (p,)
        What the gains have to reach.
    gains : ndarray of int, shape (k, p)
        What one unit of each class adds.
    counts : ndarray of int, shape (k,)
        How many units a class has.

    Returns
    -------
    ndarray of int, shape (p,)
        The number of all units where fewer do not suffice: they cannot all go.
    """
    total = int(counts.sum())
    order = np.argsort(-gains, axis=0, kind="stable")
    sorted_gains = np.maximum(np.take_along_axis(gains, order, axis=0), 0)
    copies = counts[order]
    # Python integers where a sum might not fit.
    bound = int(sorted_gains.max(initial=0)) * total
    kind = np.int64 if gains.dtype != object and bound < 2**62 else object
    reached = np.cumsum(sorted_gains.astype(kind) * copies.astype(kind), axis=0, dtype=kind)
    used = np.cumsum(copies, axis=0)
    results = np.full(len(targets), total, dtype=np.int64)
    results[targets <= 0] = 0
    open_targets = np.flatnonzero((targets > 0) & (reached[-1] >= targets))
    if len(open_targets):
        row = (reached[:, open_targets] >= targets[open_targets]).argmax(axis=0)
        gain = sorted_gains[row, open_targets]
        before = used[row, open_targets] - copies[row, open_targets]
        missing = targets[open_targets] - (
            reached[row, open_targets] - gain * copies[row, open_targets]
        )
        results[open_targets] = (before + -(-missing // gain)).astype(np.int64)
    return results


def chosen(number: int, gains: Integers, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many units of each class the so many largest gains take."""
    left = number
    taken = np.zeros(len(counts), dtype=np.int64)
    for k in np.argsort(-gains, kind="stable").tolist():
        taken[k] = min(left, int(counts[k]))
        left -= int(taken[k])
        if not left:
            break
    return taken
