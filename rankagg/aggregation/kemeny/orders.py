"""Good orders quickly: starting orders, insertion search, kicks, and windows of an order.

All of it works on the float margin matrix, `margins[i, j]` = cost of i before j less cost of j
before i, so a move's gain is approximate where integers leave 53 bits; costs are recomputed
exactly by the caller. Moving the items of a window of consecutive ones among its places leaves all
other pairs as they are, so windows that do not overlap are solved together by dynamic programming
over subsets, as in `SubsetTable`, with the windows as a second axis. Then they slide by half of
their width, until no window gets cheaper.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Generator, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny.problem import Problem, by_size
from rankagg.kernels.local_search import Numbers, Searches, best_moves

Order = Positions

#: Gains below this share of the largest margin are rounding.
NEGLIGIBLE = 1e-9

#: Additions between two looks at the clock.
BETWEEN_CLOCKS = 300_000


def starting_orders(margins: Numbers) -> list[Order]:
    """Return the orders of Borda (sum of margins) and Copeland (number of majorities)."""
    strengths = (-margins.sum(axis=1), (margins < 0).sum(axis=1) - (margins > 0).sum(axis=1))
    return [np.argsort(-strength, kind="stable") for strength in strengths]


def threshold_of(margins: Numbers) -> float:
    """Return up to which gains are rounding: 0 for integers."""
    if margins.dtype.kind == "i":
        return 0
    return NEGLIGIBLE * float(np.abs(margins).max(initial=0.0))


def improve(margins: Floats, order: Order, deadline: Deadline = NEVER) -> Order:
    """Move single items to better places until no such move helps, or the deadline has passed.

    All n^2 moves are weighed in one pass of time n^2; moves within disjoint stretches of the order
    do not meet, so their gains add up: each pass makes the best move and every further one that
    keeps clear of those made. Passes are fewer than n in practice.
    """
    order = order.copy()
    threshold = threshold_of(margins)
    permuted = margins[np.ix_(order, order)]
    while not deadline.is_over:
        best, targets = best_moves(permuted)
        sources = np.flatnonzero(best > threshold)
        if len(sources) == 0:
            return order
        sources = sources[np.argsort(-best[sources], kind="stable")]
        route = _disjoint_moves(len(order), sources.tolist(), targets[sources].tolist())
        order = order[route]
        permuted = permuted[np.ix_(route, route)]
    return order


def descend(
    margins: Numbers, order: Order, deadline: Deadline = NEVER, threshold: float = 0
) -> Order:
    """Do the same as `improve`, item by item: for many items, whose moves no matrix should hold."""
    unused = np.random.default_rng(0)
    search = Searches(margins, order[None], unused, strength=0, threshold=threshold)
    steps, before = 0, None
    # What no move has passed is not looked at again, so in the end everything is.
    while before is None or search.gained[0] > before:
        before = search.gained[0]
        search.look_again()
        while not (search.is_over or deadline.is_over):
            some = max(1, BETWEEN_CLOCKS // len(order))
            steps += some
            search.advance(some, of=steps)
        if deadline.is_over:
            break
    found: Order = search.orders[0]
    return found


def _disjoint_moves(n: int, sources: list[int], targets: list[int]) -> Order:
    """Return the positions after the moves, leaving out those that meet an earlier one."""
    route = np.arange(n)
    touched = bytearray(n)
    for source, target in zip(sources, targets, strict=True):
        low, high = min(source, target), max(source, target) + 1
        if not any(touched[low:high]):
            touched[low:high] = b"\x01" * (high - low)
            _turn(route, low, high, source > target)
    return route


def _turn(route: Order, low: int, high: int, last_first: bool) -> None:
    """Move the last position of a stretch before the others, or the first behind them."""
    if last_first:
        last = route[high - 1]
        route[low + 1 : high] = route[low : high - 1].copy()
        route[low] = last
    else:
        first = route[low]
        route[low : high - 1] = route[low + 1 : high].copy()
        route[high - 1] = first


def moved(n: int, source: int, target: int) -> Order:
    """Return the positions in the order in which they stand after one item has moved."""
    route = np.arange(n)
    _turn(route, min(source, target), max(source, target) + 1, source > target)
    return route


def exchanged(n: int, first: int, second: int) -> Order:
    """Return the positions in the order in which they stand after two have changed places."""
    route = np.arange(n)
    route[[first, second]] = second, first
    return route


def kicked(order: Order, rng: Generator, strength: int) -> Order:
    """Return the order with some random items put into random places."""
    result = order
    for _ in range(strength):
        source, target = rng.integers(len(order), size=2)
        result = result[moved(len(order), int(source), int(target))]
    return result


def evolve(
    margins: Numbers,
    parents: list[Order],
    rng: Generator,
    patience: int,
    deadline: Deadline = NEVER,
) -> Order:
    """Recombine local optima until `patience` children in a row bring no cheaper order.

    The deadline ends it too.

    A child keeps half of the places of one parent and fills the others in the order of a second
    parent; it is improved and takes the place of the worst order, unless it is there already.

    Notes
    -----
    After the memetic algorithm of Schiavinotto and Stützle (2004), "The linear ordering problem:
    instances, search space analysis and algorithms", https://doi.org/10.1023/B:JMMA.0000049426.06305.d8.
    """
    population = {order.tobytes(): order for order in parents}
    costs = {key: _order_cost(margins, order) for key, order in population.items()}
    waiting = 0
    while waiting < patience and len(population) > 1 and not deadline.is_over:
        keys = list(population)
        first, second = rng.choice(len(keys), size=2, replace=False)
        child = _recombined(population[keys[first]], population[keys[second]], rng)
        child = improve(margins, child, deadline)
        key = child.tobytes()
        waiting += 1
        if key in population:
            child = improve(margins, kicked(child, rng, max(2, len(child) // 12)), deadline)
            key = child.tobytes()
        worst = max(costs, key=lambda k: costs[k])
        cost = _order_cost(margins, child)
        if key in population or cost > costs[worst]:
            continue
        if cost < min(costs.values()):
            waiting = 0
        del population[worst], costs[worst]
        population[key], costs[key] = child, cost
    return population[min(costs, key=lambda k: costs[k])]


def _recombined(first: Order, second: Order, rng: Generator) -> Order:
    """Return the first order with the items of half its places sorted as in the second."""
    n = len(first)
    places = np.sort(rng.choice(n, size=n // 2, replace=False))
    rank = np.empty(n, dtype=np.intp)
    rank[second] = np.arange(n)
    items = first[places]
    child = first.copy()
    child[places] = items[np.argsort(rank[items])]
    return child


def _order_cost(margins: Numbers, order: Order) -> float:
    """Return the sum of margins of the order's pairs: its cost, less that of the reverse."""
    return float(np.triu(margins[np.ix_(order, order)], k=1).sum())


def improve_windows(
    problem: Problem, order: Positions, deadline: Deadline = NEVER, width: int = 12
) -> Positions:
    """Return an order that no window of consecutive items improves, or the best at the deadline."""
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
    order: Positions,
    starts: Positions,
    width: int,
    deadline: Deadline,
) -> bool:
    """Put windows that do not overlap into their best orders, in place; say if one was not."""
    is_cheaper = False
    size = max(1, 2**22 // (width << width))  # of all tables
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


def _costs_of(costs: NDArray[Any], orders: Positions) -> NDArray[Any]:
    """Return what an order of each window costs."""
    window = np.arange(len(costs))[:, None, None]
    sorted_costs = costs[window, orders[:, :, None], orders[:, None, :]]
    totals: NDArray[Any] = np.triu(sorted_costs, k=1).sum(axis=(1, 2))
    return totals


def _best_orders(costs: NDArray[Any]) -> Positions:
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
