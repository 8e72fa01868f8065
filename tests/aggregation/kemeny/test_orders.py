"""Moves against their costs, counted one by one."""

import numpy as np
import pytest

from rankagg.aggregation.kemeny import orders
from rankagg.kernels.local_search import insertion_gains


def random_margins(seed: int, n: int = 12) -> np.ndarray:
    margins = np.triu(np.random.default_rng(seed).integers(-5, 6, size=(n, n)), k=1)
    return (margins - margins.T).astype(float)


def cost(margins: np.ndarray, order: np.ndarray) -> float:
    return sum(margins[i, j] for p, i in enumerate(order) for j in order[p + 1 :]) / 2


@pytest.mark.parametrize("seed", range(3))
def test_disjoint_moves_gain_what_each_gains(seed: int) -> None:
    margins = random_margins(seed)
    gains = insertion_gains(margins)
    moves = [(0, 3), (9, 7), (2, 5), (4, 6), (7, 8)]
    # The third move meets the first, the fifth the second.
    route = orders._disjoint_moves(12, *map(list, zip(*moves, strict=True)))
    made = sum(gains[move] for move in ((0, 3), (9, 7), (4, 6)))
    assert cost(margins, np.arange(12)) - cost(margins, route) == made


@pytest.mark.parametrize("seed", range(3))
def test_child_has_places_of_one_parent_and_the_order_of_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.permutation(12), rng.permutation(12)
    child = orders._recombined(first, second, rng)
    assert sorted(child) == list(range(12))
    assert (child == first).sum() >= 6
    moved = [item for item in child if child.tolist().index(item) != first.tolist().index(item)]
    places = [second.tolist().index(item) for item in moved]
    assert places == sorted(places)


@pytest.mark.parametrize("seed", range(3))
def test_descendants_are_no_worse_than_their_best_ancestor(seed: int) -> None:
    margins, rng = random_margins(seed, 30), np.random.default_rng(seed)
    parents = [orders.improve(margins, rng.permutation(30)) for _ in range(8)]
    best = orders.evolve(margins, parents, rng, patience=40)
    least = min(orders._order_cost(margins, parent) for parent in parents)
    assert orders._order_cost(margins, best) <= least
    assert orders._order_cost(margins, best) == cost(margins, best) * 2
