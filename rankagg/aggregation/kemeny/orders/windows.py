"""Windows of consecutive items of an order, each put into its best order, many at once.

Moving the items of a window among its places leaves all other pairs as they are, so windows that
do not overlap are solved together: the dynamic programming of `subset_dp`, with the windows as a
second axis. Then they slide by half of their width, until no window gets cheaper.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.subset_dp import by_size

__all__ = ["WIDTH", "improve_windows"]

#: Items of a window: 4,096 subsets.
WIDTH = 12
#: Numbers of all tables.
BLOCK = 2**22

NEVER = Deadline()


def improve_windows(
    problem: Problem, order: NDArray[np.intp], deadline: Deadline = NEVER, width: int = WIDTH
) -> NDArray[np.intp]:
    """Return an order that no window of consecutive items improves, or the best at the deadline.

    Parameters
    ----------
    problem : Problem
        Any integer costs.
    order : ndarray of int, shape (n,)
        Positions, best first.
    deadline : Deadline
        When to look no further.
    width : int, optional
        Items of a window.

    Returns
    -------
    ndarray of int, shape (n,)
        It never costs more than `order`. Windows start at every multiple of half the width, and
        one ends with the order.
    """
    order = order.copy()
    n = problem.n
    width = min(width, n)
    if width < 2:
        return order
    last = n - width
    groups = [np.arange(start, last + 1, width) for start in (0, width // 2)] + [np.array([last])]
    dry = turn = 0
    while dry < len(groups) and not deadline.is_over:
        cheaper = _improve_at(problem, order, groups[turn % len(groups)], width, deadline)
        dry = 0 if cheaper else dry + 1
        turn += 1
    return order


def _improve_at(
    problem: Problem,
    order: NDArray[np.intp],
    starts: NDArray[np.intp],
    width: int,
    deadline: Deadline,
) -> bool:
    """Put windows that do not overlap into their best orders, in place; say if one was not."""
    is_cheaper = False
    size = max(1, BLOCK // (width << width))
    for at in range(0, len(starts), size):
        if deadline.is_over:
            break
        places = starts[at : at + size, None] + np.arange(width)
        items = order[places]
        costs = problem.costs[items[:, :, None], items[:, None, :]]
        best = _best_orders(costs)
        better = np.flatnonzero(_costs_of(costs, best) < np.triu(costs, k=1).sum(axis=(1, 2)))
        order[places[better]] = np.take_along_axis(items[better], best[better], axis=1)
        is_cheaper = is_cheaper or len(better) > 0
    return is_cheaper


def _costs_of(costs: NDArray[Any], orders: NDArray[np.intp]) -> NDArray[Any]:
    """Return what an order of each window costs."""
    window = np.arange(len(costs))[:, None, None]
    sorted_costs = costs[window, orders[:, :, None], orders[:, None, :]]
    totals: NDArray[Any] = np.triu(sorted_costs, k=1).sum(axis=(1, 2))
    return totals


def _best_orders(costs: NDArray[Any]) -> NDArray[np.intp]:
    """Return a best order of each window, from costs of shape (windows, width, width)."""
    windows, width, _ = costs.shape
    subsets = np.arange(1 << width)
    # What the item costs behind each subset.
    behind = np.zeros((width, 1 << width, windows), dtype=costs.dtype)
    for item in range(width):
        for other in range(width):
            half = 1 << other
            step = costs[:, other, item] if other != item else 0
            behind[item, half : 2 * half] = behind[item, :half] + step
    best = np.zeros((1 << width, windows), dtype=costs.dtype)
    last = np.zeros((1 << width, windows), dtype=np.int8)
    for group in by_size(width):
        is_first = np.ones(len(group), dtype=bool)
        for item in range(width):
            holds = (group >> item & 1).astype(bool)
            whole = group[holds]
            rest = whole ^ (1 << item)
            cost = best[rest] + behind[item, rest]
            better = is_first[holds, None] | (cost < best[whole])
            best[whole] = np.where(better, cost, best[whole])
            last[whole] = np.where(better, np.int8(item), last[whole])
            is_first[holds] = False
    orders = np.empty((windows, width), dtype=np.intp)
    left = np.full(windows, subsets[-1])
    for place in range(width - 1, -1, -1):
        orders[:, place] = last[left, np.arange(windows)]
        left ^= 1 << orders[:, place]
    return orders
