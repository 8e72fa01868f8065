"""Heuristics for orders: starting orders, insertion search and kicks.

They work on the float margin matrix: `margins[i, j]` is the cost of i before j minus the cost of j
before i. So gains are approximate if integers exceed 53 bits; the caller recomputes costs exactly.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Generator, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.kernels.local_search import Numbers

Order = Positions

#: Gains below this share of the largest margin are rounding error.
NEGLIGIBLE = 1e-9


def starting_orders(margins: Numbers) -> list[Order]:
    """Return the orders of Borda (sum of margins) and Copeland (number of majorities)."""
    strengths = (-margins.sum(axis=1), (margins < 0).sum(axis=1) - (margins > 0).sum(axis=1))
    return [np.argsort(-strength, kind="stable") for strength in strengths]


def threshold_of(margins: Numbers) -> float:
    """Return the largest gain that may be rounding error: 0 for integers."""
    if margins.dtype.kind == "i":
        return 0
    return NEGLIGIBLE * float(np.abs(margins).max(initial=0.0))


def insertion_gains(permuted: NDArray[Any]) -> NDArray[Any]:
    """Return the gains of moving the item at place p to place q.

    Passing a later item gains `permuted[p, k]`; passing an earlier one loses it.
    """
    n = len(permuted)
    # Sums up to each place, exclusive and inclusive; the item itself adds nothing.
    sums = np.zeros((n, n + 1), dtype=permuted.dtype)
    np.cumsum(permuted, axis=1, out=sums[:, 1:])
    gains = np.where(_before(n), sums[:, :-1], sums[:, 1:])
    gains -= sums.diagonal()[:, None]
    return gains


@lru_cache(maxsize=64)
def _before(n: int) -> Bools:
    """Return the mask of columns before the row."""
    mask = np.tri(n, k=-1, dtype=bool)
    mask.flags.writeable = False
    return mask


def improve(margins: Floats, order: Order, deadline: Deadline = NEVER) -> Order:
    """Move single items to better places until no such move helps, or the deadline has passed.

    Each pass evaluates all n^2 moves in time n^2. Moves within disjoint stretches of the order are
    independent, so their gains add up. A pass makes the best move and every further move that is
    disjoint from those made. There are fewer than n passes in practice.
    """
    order = order.copy()
    threshold = threshold_of(margins)
    permuted = margins[np.ix_(order, order)]
    while not deadline.is_over:
        gains = insertion_gains(permuted)
        targets = gains.argmax(axis=1)
        best = gains[np.arange(len(order)), targets]
        sources = np.flatnonzero(best > threshold)
        if len(sources) == 0:
            return order
        sources = sources[np.argsort(-best[sources], kind="stable")]
        route = _disjoint_moves(len(order), sources.tolist(), targets[sources].tolist())
        order = order[route]
        permuted = permuted[np.ix_(route, route)]
    return order


def _disjoint_moves(n: int, sources: list[int], targets: list[int]) -> Order:
    """Return the positions after the moves, except moves that overlap an earlier one."""
    route = np.arange(n)
    touched = bytearray(n)
    for source, target in zip(sources, targets, strict=True):
        low, high = min(source, target), max(source, target) + 1
        if not any(touched[low:high]):
            touched[low:high] = b"\x01" * (high - low)
            _turn(route, low, high, source > target)
    return route


def _turn(route: Order, low: int, high: int, last_first: bool) -> None:
    """Move the last position of a stretch to its start, or the first to its end."""
    if last_first:
        last = route[high - 1]
        route[low + 1 : high] = route[low : high - 1].copy()
        route[low] = last
    else:
        first = route[low]
        route[low : high - 1] = route[low + 1 : high].copy()
        route[high - 1] = first


def moved(n: int, source: int, target: int) -> Order:
    """Return the positions after moving one item."""
    route = np.arange(n)
    _turn(route, min(source, target), max(source, target) + 1, source > target)
    return route


def kicked(order: Order, rng: Generator, strength: int) -> Order:
    """Return the order with random items moved to random places."""
    result = order
    for _ in range(strength):
        source, target = rng.integers(len(order), size=2)
        result = result[moved(len(order), int(source), int(target))]
    return result
