"""From stages to permutations and back, and what follows for single items.

Arrays are in the order of the center: column i is the item at place i of the center. There is one
theta per stage, of n, n - 1, ..., 2 items left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Ranks

__all__ = [
    "pair_probabilities",
    "place_probabilities",
    "places_from_stages",
    "sample_stages",
    "stages_from_places",
]


def sample_stages(thetas: Floats, size: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Draw how many items each stage passes over, many times."""
    n = len(thetas) + 1
    stages = np.empty((n - 1, size), dtype=np.int32)
    for k, theta in enumerate(thetas):
        left = n - k
        if theta == 0.0:
            stages[k] = rng.integers(0, left, size)
            continue
        # Invert P(v >= x) = (e^(-theta x) - e^(-theta left))/(1 - e^(-theta left)).
        with np.errstate(over="ignore"):
            tail = np.log1p(rng.random(size) * np.expm1(-theta * left))
        stages[k] = np.minimum(tail / -theta, left - 1)
    return stages


def orders_from_stages(stages: NDArray[np.integer]) -> Ranks:
    """Return which item of the center is at each place, shape (n, size).

    Read from the last place to the first, place k takes the item with v unplaced ones before it:
    inserting that number at the front raises those at and above it.
    """
    n, size = len(stages) + 1, stages.shape[1]
    kind = np.int8 if n < 127 else np.int32
    orders = np.zeros((n, size), dtype=kind)
    for k in reversed(range(n - 1)):
        passed = stages[k].astype(kind)
        orders[k + 1 :] += orders[k + 1 :] >= passed
        orders[k] = passed
    return orders.astype(np.int32)


def places_from_stages(stages: NDArray[np.integer]) -> Ranks:
    """Return the place of each item of the center, shape (n, size)."""
    orders = orders_from_stages(stages)
    places = np.empty_like(orders)
    np.put_along_axis(places, orders, np.arange(len(orders), dtype=np.int32)[:, None], axis=0)
    return places


def stages_from_places(places: Ranks) -> NDArray[np.int64]:
    """Return how many items each stage passes over; the inverse."""
    orders = np.argsort(places, axis=1)
    n = places.shape[1]
    stages = np.empty((len(places), n - 1), dtype=np.int64)
    for k in range(n - 1):
        stages[:, k] = (orders[:, k + 1 :] < orders[:, [k]]).sum(axis=1)
    return stages


def choice_probabilities(theta: float, left: int) -> Floats:
    """Return the probabilities of passing over 0 to left - 1 items."""
    weights = np.exp(-theta * np.arange(left))
    chances: Floats = weights / weights.sum()
    return chances


def place_probabilities(thetas: Floats) -> Floats:
    """Return the chance of every place for every item of the center, shape (n, n).

    An item with a items before it that are left is chosen with the chance of passing over a; it
    has one fewer before it where a smaller number is passed over.
    """
    n = len(thetas) + 1
    table = np.zeros((n, n))
    ahead = np.eye(n)  # P(item i is left, with a items before it)
    for k in range(n - 1):
        left = n - k
        chance = choice_probabilities(thetas[k], left)
        table[:, k] = ahead[:, :left] @ chance
        below = np.concatenate([[0.0], np.cumsum(chance)[:-1]])  # P(fewer than a are passed)
        above = 1.0 - np.cumsum(chance)
        moved = np.zeros((n, n))
        moved[:, : left - 1] = ahead[:, 1:left] * below[1:]
        moved[:, :left] += ahead[:, :left] * above
        ahead = moved
    table[:, n - 1] = ahead[:, 0]
    return table


def pair_probabilities(thetas: Floats) -> Floats:
    """Return the chance that row comes before column, for items of the center, shape (n, n).

    It depends only on how many items are left before the first of the two, between them and
    behind them; one table of all these numbers serves all pairs.
    """
    n = len(thetas) + 1
    # first[a, b]: the chance that the first of two items is chosen before the second, with a
    # items before them and b between them, and the rest of those left behind.
    first = np.zeros((n, n))
    for left in range(2, n + 1):
        chance = choice_probabilities(thetas[n - left], left)
        upto = np.concatenate([[0.0], np.cumsum(chance)])
        grown = np.zeros((n, n))
        for a in range(left - 1):
            b = np.arange(left - 1 - a)
            behind = left - 2 - a - b
            step = chance[a] + np.zeros(len(b))
            if a:
                step += upto[a] * first[a - 1, b]
            between = upto[a + 1 + b] - upto[a + 1]
            step[1:] += (between * np.where(b > 0, first[a, b - 1], 0.0))[1:]
            step += np.where(behind > 0, (1.0 - upto[a + b + 2]) * first[a, b], 0.0)
            grown[a, b] = step
        first = grown
    before = np.zeros((n, n))
    for a in range(n):
        for c in range(a + 1, n):
            before[a, c] = first[a, c - a - 1]
            before[c, a] = 1.0 - before[a, c]
    # Sums of chances may be off by rounding.
    return np.clip(before, 0.0, 1.0)
