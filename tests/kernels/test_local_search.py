"""Insertion search: NumPy and compiled loops alike, and against costs counted one by one."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankagg.aggregation.kemeny import incumbent
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.kernels import local_search
from rankagg.kernels.local_search import Searches
from tests.conftest import choose_kernels


def antisymmetric(values):
    above = np.triu(values, k=1)
    return above - above.T


def cost(margins, order):
    """Sum the margins of the pairs, halved: what differs between two orders."""
    return sum(margins[i, j] for p, i in enumerate(order) for j in order[p + 1 :]) / 2


def drawn(n, seed, kind=np.int64):
    rng = np.random.default_rng(seed)
    values = rng.integers(-9, 10, (n, n)) if kind is np.int64 else rng.normal(size=(n, n))
    return antisymmetric(values.astype(kind))


def searches(margins, seed=0, size=5, **options):
    rng = np.random.default_rng(seed)
    orders = np.array([rng.permutation(len(margins)) for _ in range(size)])
    return orders, Searches(margins, orders, rng, **options)


small = st.integers(2, 7).flatmap(
    lambda n: arrays(np.int64, (n, n), elements=st.integers(-4, 4)).map(antisymmetric)
)


@pytest.mark.usefixtures("kernels")
class TestSearches:
    @settings(max_examples=12)
    @given(margins=small, seed=st.integers(0, 99), steps=st.integers(1, 60))
    def test_saved_cost_is_the_difference_of_costs(self, margins, seed, steps):
        begun, search = searches(margins, seed, size=3)
        for _ in range(2):
            search.advance(steps)
            for at, first in enumerate(begun):
                kept, now = search.kept[at], search.orders[at]
                assert sorted(kept) == sorted(now) == list(range(len(margins)))
                assert search.saved[at] == cost(margins, first) - cost(margins, kept) >= 0
                assert search.gained[at] == cost(margins, first) - cost(margins, now)

    @pytest.mark.parametrize("seed", range(2))
    def test_steps_can_be_taken_in_parts(self, seed):
        margins = drawn(15, seed)
        _, whole = searches(margins, seed, reach=4)
        _, parts = searches(margins, seed, reach=4)
        whole.advance(400)
        for steps in (1, 2, 130, 0, 67, 200):
            parts.advance(steps)
        assert whole.kept.tolist() == parts.kept.tolist()
        assert whole.orders.tolist() == parts.orders.tolist()

    @pytest.mark.parametrize("reach", [1, 3, 11])
    def test_a_kick_moves_an_item_no_further_than_it_may(self, reach):
        margins = np.zeros((12, 12), dtype=np.int64)  # nothing else moves an item
        begun, search = searches(margins, size=200, strength=1, reach=reach)
        search.advance(13)  # all items, and the first after a kick
        places, before = np.argsort(search.orders, axis=1), np.argsort(begun, axis=1)
        ways = np.abs(places - before).max(axis=1)
        assert set(ways.tolist()) == set(range(1, reach + 1))

    def test_a_worse_order_is_discarded(self):
        margins = -np.ones((6, 6), dtype=np.int64)
        margins = antisymmetric(margins)  # the identity is the only local optimum
        search = Searches(margins, np.arange(6)[None], np.random.default_rng(0))
        for _ in range(50):
            search.advance(1)
            assert search.kept.tolist() == [list(range(6))]
            assert search.saved.tolist() == [0]

    @pytest.mark.parametrize("seed", range(2))
    def test_kicks_find_the_optimum_of_seven_items(self, seed):
        margins = drawn(7, seed)
        least = min(cost(margins, order) for order in permutations(range(7)))
        _, search = searches(margins, seed)
        search.advance(400)
        assert min(cost(margins, order) for order in search.kept) == least


@pytest.mark.parametrize("n", [2, 8, 31])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("strength", [0, 2])
def test_compiled_loops_meet_the_same_orders(monkeypatch, n, kind, strength):
    margins = drawn(n, n, kind)
    found = []
    for name in ("numpy", "numba"):
        choose_kernels(name, monkeypatch)
        _, search = searches(margins, strength=strength, reach=n // 2, threshold=1e-9)
        states = []
        for steps in (1, 7, 500):
            search.advance(steps)
            arrays_ = search.orders, search.kept, search.saved, search.gained
            states.append([array.tolist() for array in arrays_])
        found.append(states)
    assert found[0] == found[1]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("seed", range(2))
def test_descent_leaves_no_move_of_a_single_item(kind, seed):
    margins = drawn(40, seed, kind)
    begun = np.random.default_rng(seed).permutation(40)
    found = incumbent._descended(margins, begun, threshold=heuristics.threshold_of(margins))
    assert sorted(found) == list(range(40))
    assert heuristics.insertion_gains(margins[np.ix_(found, found)]).max() <= 1e-8
    assert cost(margins, found) <= cost(margins, begun)


@given(
    margins=st.integers(1, 7).flatmap(
        lambda n: arrays(np.float64, (n, n), elements=st.sampled_from([-2.0, -1, 0, 0.5, 3]))
    )
)
def test_the_first_of_the_best_places_is_chosen(margins):
    n = len(margins)
    permuted = np.triu(margins, k=1) - np.triu(margins, k=1).T
    all_gains = heuristics.insertion_gains(permuted)
    gains, targets = all_gains.max(axis=1), all_gains.argmax(axis=1)
    cost = np.triu(permuted, k=1).sum()
    for p in range(n):
        saved = []
        for q in range(n):
            order = [k for k in range(n) if k != p]
            order.insert(q, p)
            saved.append(cost - np.triu(permuted[np.ix_(order, order)], k=1).sum())
        assert 2 * gains[p] == max(saved)  # what is less here is more there
        assert targets[p] == saved.index(max(saved))


@pytest.fixture
def afresh():
    """Forget, before and after a test, whether numba is there."""
    local_search._is_wanted.cache_clear()
    yield
    local_search._is_wanted.cache_clear()


@pytest.mark.usefixtures("afresh")
def test_the_running_implementation_is_described(monkeypatch):
    monkeypatch.setenv(local_search.VARIABLE, "numpy")
    assert local_search.described() == f"NumPy {np.__version__}"
    assert local_search._compiled(1e9) is None
    local_search._is_wanted.cache_clear()
    monkeypatch.delenv(local_search.VARIABLE)
    if local_search._is_wanted():
        assert local_search.described().startswith("numba ")


def test_loops_are_loaded_where_numpy_takes_longer_than_that(monkeypatch):
    monkeypatch.setattr(local_search, "_is_wanted", lambda: True)
    monkeypatch.setattr(local_search, "_load", cache(lambda: "loops"))
    assert local_search._compiled(local_search.LOADING - 0.1) is None
    assert local_search._compiled(local_search.LOADING + 0.1) == "loops"
    assert local_search._compiled(0.0) == "loops"  # they are there
