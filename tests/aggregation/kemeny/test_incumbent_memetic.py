"""The memetic search against enumeration, itself in smaller steps, and itself compiled."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankagg.aggregation.kemeny import incumbent
from rankagg.aggregation.kemeny.incumbent import _crossed, _Memetic, _order_costs, _survivors
from tests.conftest import choose_kernels


def drawn(n: int, seed: int) -> np.ndarray:
    above = np.triu(np.random.default_rng(seed).integers(-9, 10, (n, n)), k=1)
    return above - above.T


def cost(margins: np.ndarray, order: np.ndarray) -> int:
    return sum(margins[i, j] for p, i in enumerate(order) for j in order[p + 1 :])


def begun(margins: np.ndarray, seed: int = 0) -> _Memetic:
    return _Memetic(margins, np.arange(len(margins))[None], np.random.default_rng(seed))


@settings(max_examples=15)
@given(
    above=st.integers(2, 6).flatmap(
        lambda n: arrays(np.int64, (n, n), elements=st.integers(-3, 3)).map(lambda a: np.triu(a, 1))
    )
)
def test_few_items_are_solved(above: np.ndarray) -> None:
    margins = above - above.T
    search = begun(margins)
    search.advance(100)
    assert search.cost == min(cost(margins, order) for order in permutations(range(len(above))))
    assert search.cost == cost(margins, search.order)


@pytest.mark.parametrize("size", [1, 6])
def test_work_can_be_done_in_parts(monkeypatch, size) -> None:
    monkeypatch.setattr(incumbent, "POPULATION", size)
    monkeypatch.setattr(incumbent, "ONE_SEARCH_FROM", 30 if size > 1 else 1)
    monkeypatch.setattr(incumbent, "GENERATIONS", 4)
    margins = drawn(20, 3)
    whole, parts = begun(margins), begun(margins)
    whole.advance(20 * 250)
    for steps in (1, 1199, 40, 3760):
        parts.advance(steps)
    assert whole.order.tolist() == parts.order.tolist()
    assert whole.cost == parts.cost == cost(margins, whole.order)
    assert whole.steps == parts.steps == 20 * 250 * size
    assert size == 1 or len(whole._ends) >= 1  # one population at least has come to its end


def test_compiled_loops_find_the_same_orders(monkeypatch) -> None:
    monkeypatch.setattr(incumbent, "GENERATIONS", 2)
    found = []
    for name in ("numpy", "numba"):
        choose_kernels(name, monkeypatch)
        search = begun(drawn(12, 1))
        orders = []
        for _ in range(6):
            search.advance(200)
            orders.append((search.order.tolist(), search._searches.orders.tolist()))
        found.append(orders)
    assert found[0] == found[1]


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 12))
def test_children_have_each_place_from_a_parent(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (np.array([rng.permutation(n) for _ in range(8)]) for _ in range(2))
    children = _crossed(first, second, rng)
    assert ((children == first) | (children == second)).all()
    assert (np.sort(children, axis=1) == np.arange(n)).all()
    # Each cycle has a coin of its own: three cycles of two places make eight children.
    first, second = (np.tile(order, (400, 1)) for order in (np.arange(6), [1, 0, 3, 2, 5, 4]))
    assert len({tuple(child) for child in _crossed(first, second, rng).tolist()}) == 8


def test_survivors_are_good_and_apart() -> None:
    values = np.array([5, 0, 1, 2, 3])
    points = np.array([0, 10, 11, 30, 30])
    distances = np.abs(points[:, None] - points)
    # Without a distance the best, but none twice.
    assert _survivors(values, distances, 4, 0.0) == [1, 2, 3, 0]
    # 2 is too near to 1; 4 is equal to 3.
    assert _survivors(values, distances, 3, 5.0) == [1, 3, 0]
    # Where none is far enough, the furthest.
    assert _survivors(values, distances, 2, 50.0) == [1, 3]
    assert sorted(_survivors(values, distances, 5, 5.0)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("block", [1, 50, 10**6])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_costs_are_sums_of_margins(monkeypatch, block, kind) -> None:
    monkeypatch.setattr(incumbent, "SUMMED_MARGINS", block)
    rng, margins = np.random.default_rng(0), drawn(9, 0).astype(kind)
    orders = np.array([rng.permutation(9) for _ in range(4)])
    costs = _order_costs(margins, orders)
    assert costs.dtype == kind
    assert costs.tolist() == [cost(margins, order) for order in orders]
