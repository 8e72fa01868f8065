"""Constraints by brute force: all orders of few items, and random constraints on them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from random import Random
from typing import Any

import rankagg as ra
from tests.aggregation.kemeny.random_votes import random_votes as drawn

Order = tuple[str, ...]
Keeps = Callable[[Order], bool]


def demands_of(wish: ra.Constraints) -> list[Keeps]:
    """Return one test per constraint, where each item of a list is one."""

    def above(a: Any, b: Any) -> Keeps:
        return lambda order: order.index(a) < order.index(b)

    def within(items: Any, places: int, least: int) -> Keeps:
        return lambda order: len(set(order[:places]) & set(items)) >= least

    def at_the_end(item: Any, places: int) -> Keeps:
        return lambda order: item in order[len(order) - places :]

    tests = [above(a, b) for a, b in wish.above]
    tests += [within([i], len(wish.first), 1) for i in wish.first]
    tests += [at_the_end(i, len(wish.last)) for i in wish.last]
    for quota in wish.quotas:
        if quota.at_least == len(quota.items):
            tests += [within([i], quota.within, 1) for i in quota.items]
        else:
            tests.append(within(quota.items, quota.within, quota.at_least))
    return tests


def allowed(items: str, wish: ra.Constraints) -> list[Order]:
    """Return all orders that keep the constraints."""
    tests = demands_of(wish)
    return [order for order in permutations(items) if all(test(order) for test in tests)]


def random_wish(rng: Random, items: str) -> ra.Constraints:
    """Return constraints of every kind, often more than can be kept."""
    n = len(items)
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        pairs = [tuple(rng.sample(items, 2)) for _ in range(rng.randrange(1, 4))]
        options["above"] = dict.fromkeys(pairs)
    for name in ("first", "last"):
        if rng.random() < 0.25:
            options[name] = rng.sample(items, rng.randrange(1, 3))
    quotas = []
    if rng.random() < 0.3:
        some = rng.sample(items, rng.randrange(1, 3))
        quotas.append(ra.Quota(some, rng.randrange(len(some), n + 1), len(some)))
    for _ in range(rng.randrange(4)):
        some = rng.sample(items, rng.randrange(1, n + 1))
        within = rng.randrange(1, n + 1)
        quotas.append(ra.Quota(some, within, rng.randrange(1, min(within, len(some)) + 1)))
    return ra.Constraints(**options, quotas=dict.fromkeys(quotas))


def random_votes(seed: int) -> tuple[str, ra.PairwiseMatrix]:
    """Return a few items, and votes on them."""
    rng = Random(seed)
    items = "ABCDEF"[: rng.randrange(2, 7)]
    return items, drawn(rng, len(items), items)


def least_cost(votes: ra.PairwiseMatrix, orders: list[Order], tie_cost: float) -> Any:
    """Return what the cheapest of some orders costs, exactly."""
    rankings = (ra.Permutation.from_order(order, items=votes.items) for order in orders)
    return min(votes.exact_cost(ranking, tie_cost=tie_cost) for ranking in rankings)
