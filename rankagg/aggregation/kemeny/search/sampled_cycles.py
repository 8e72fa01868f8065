"""Violated 3-cycles through the arcs that an order turns round, the heaviest ones first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.search.first_order import Cycles, Floats32

__all__ = ["cycles_against"]

#: What is less is rounding.
VIOLATION = 1e-3
#: Pairs that are looked at in one go.
BLOCK = 2**20


def cycles_against(
    before: Floats32,
    margins: Floats32,
    order: NDArray[np.intp],
    limit: int,
    deadline: Deadline,
    *,
    heavy: float = 0.0,
) -> Cycles:
    """Return violated rows, one for each arc against an order: the one that is violated most.

    Every cycle has an arc that points back in the order, so where these arcs are few, few are
    looked at. Of more than `limit` arcs those are taken that cost the most.

    Parameters
    ----------
    before : ndarray of float32, shape (n, n)
        How much row stands before column: numbers whose sum with those of the reverse is 1.
    margins : ndarray of float32, shape (n, n)
        Cost of row before column less cost of the reverse.
    order : ndarray of int, shape (n,)
        Positions, best first.
    limit : int
        How many arcs are looked at.
    deadline : Deadline
        When to give up with `OutOfTimeError`.
    heavy : float, default 0
        How much less a cycle may be violated if its lightest arc has the largest margin: heavier
        cycles raise the bound sooner, but some others are not found.

    Returns
    -------
    ndarray of int, shape (k, 3)
        a, b, c: an order uses at least one arc of a -> b -> c -> a. The most violated first.
    """
    n = len(before)
    tails, heads = _arcs_back(before, margins, order, limit)
    thirds = np.empty(len(tails), dtype=np.int32)
    over = np.empty(len(tails), dtype=np.float32)
    size = max(1, BLOCK // n)
    price = np.float32(heavy / max(float(np.abs(margins).max()), 1.0))
    for start in range(0, len(tails), size):
        deadline.seconds_left()
        some = slice(start, start + size)
        # [., c]: the arcs b -> c and c -> a, less 1. It is 0 where c is b, 1/2 where it is a.
        used = before[heads[some]]
        used -= before[tails[some]]
        if price:
            least = np.minimum(-margins[heads[some]], margins[tails[some]])
            np.maximum(least, 0.0, out=least)
            least *= price
            best = (used + least).argmax(axis=1)
        else:
            best = used.argmax(axis=1)
        thirds[some] = best
        over[some] = used[np.arange(len(best)), best]
    over += before[tails, heads] - 1
    found = np.flatnonzero(over > VIOLATION)
    # The order uses less than one arc of the reverse.
    cycles = np.column_stack([thirds[found], heads[found], tails[found]])
    first = cycles.argmin(axis=1)
    turned = np.take_along_axis(cycles, (first[:, None] + np.arange(3)) % 3, axis=1)
    keys = turned.astype(np.int64) @ np.array([n * n, n, 1])
    _, unique = np.unique(keys, return_index=True)
    ranked = unique[np.argsort(-over[found][unique], kind="stable")]
    return turned[ranked]


def _arcs_back(
    before: Floats32, margins: Floats32, order: NDArray[np.intp], limit: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return tails and heads of the dearest arcs from later to earlier items of an order."""
    n = len(before)
    place = np.empty(n, dtype=np.int32)
    place[order] = np.arange(n)
    tails: list[NDArray[np.int32]] = []
    heads: list[NDArray[np.int32]] = []
    prices: list[Floats32] = []
    size = max(1, BLOCK // n)
    for start in range(0, n, size):
        rows = slice(start, start + size)
        used = (before[rows] > VIOLATION) & (place[rows, None] > place)
        tail, head = np.nonzero(used)
        tail += start
        tails.append(tail.astype(np.int32))
        heads.append(head.astype(np.int32))
        prices.append(np.abs(margins[tail, head]) * before[tail, head])
    all_tails, all_heads = np.concatenate(tails), np.concatenate(heads)
    if len(all_tails) > limit:
        dearest = np.sort(np.argpartition(-np.concatenate(prices), limit)[:limit])
        return all_tails[dearest], all_heads[dearest]
    return all_tails, all_heads
