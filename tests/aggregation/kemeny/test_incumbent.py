"""The best order of a part: decided pairs, and the memetic search in slices of time."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import incumbent as module
from rankagg.aggregation.kemeny import orders
from rankagg.aggregation.kemeny.incumbent import (
    Incumbent,
    _crossed,
    _Memetic,
    _order_costs,
    _survivors,
)
from rankagg.aggregation.kemeny.orders import insertion_gains
from rankagg.aggregation.kemeny.problem import Problem, SubsetTable
from rankagg.aggregation.kemeny.strict_search import Search


def tangled(n: int, seed: int = 0, factor: int = 1, kind: type = np.int64) -> Problem:
    costs = np.random.default_rng(seed).integers(0, 30, (n, n)).astype(kind) * factor
    np.fill_diagonal(costs, 0)
    return Problem(costs, 0, 1)


def nothing(n: int) -> np.ndarray:
    return np.zeros((n, n), dtype=bool)


def incumbent(problem: Problem, decided=None, **options) -> Incumbent:
    decided = nothing(problem.n) if decided is None else decided
    return Incumbent(problem, problem.unit, decided, **options)


class Clock:
    """Seconds that pass with steps, so that tests count work."""

    def __init__(self, monkeypatch, seconds_each: float = 1e-4) -> None:
        self.now = 1000.0
        advance = _Memetic.advance

        def counted(search: _Memetic, steps: int) -> None:
            self.now += steps * seconds_each
            advance(search, steps)

        monkeypatch.setattr(_Memetic, "advance", counted)
        monkeypatch.setattr(module, "monotonic", lambda: self.now)
        monkeypatch.setattr("rankagg.aggregation.deadline.monotonic", lambda: self.now)

    def deadline(self, seconds: float) -> Deadline:
        return Deadline(self.now + seconds)


def test_decided_pairs_are_respected() -> None:
    problem = tangled(9)
    rng = np.random.default_rng(0)
    chain = rng.permutation(9)[:5].tolist()
    decided = nothing(9)
    for above, item in enumerate(chain):
        decided[item, chain[above + 1 :]] = True
    best = incumbent(problem, decided)
    before = best.cost
    best._search_as_if(0.1)
    best.offer(rng.permutation(9))
    assert best.cost == problem.cost(best.order) <= before
    assert [item for item in best.order if item in chain] == chain
    # The least cost, by a penalty in the costs of an exact table.
    heavy = problem.costs.astype(object) + decided.T * 10**6
    assert best.cost == problem.cost(SubsetTable(Problem(heavy, 0, 1)).order())


@pytest.mark.parametrize("n", [8, 40])
@pytest.mark.parametrize("large", [1, 300])
def test_a_better_start_is_kept_and_orders_are_local_optima(monkeypatch, n, large) -> None:
    monkeypatch.setattr(module, "ONE_SEARCH_FROM", large)
    problem = tangled(n, 5)
    found = incumbent(problem)
    found._search_as_if(0.1)
    again = incumbent(problem, start=found.order)
    assert again.cost <= found.cost
    for best in (found, again):
        assert insertion_gains(problem.margins[np.ix_(best.order, best.order)]).max() <= 0


def test_without_a_limit_the_work_is_the_same_each_time(monkeypatch) -> None:
    monkeypatch.setattr(module, "WORTH_SECONDS", 0.001)
    steps = []
    for speed in (1e-6, 1e-2):
        with monkeypatch.context() as patch:
            clock = Clock(patch, speed)
            best = incumbent(tangled(30, 2))
            best.prepare()
            for _ in range(30):
                clock.now += speed
                best.search()
            steps.append((best.steps, best.order.tolist()))
    assert steps[0] == steps[1]
    assert steps[0][0] > 0


def test_easy_problems_are_not_searched() -> None:
    votes = ra.datasets.load("tennessee").pairwise()
    for problem in (Problem.from_pairwise(votes), tangled(8)):
        search = Search(problem)
        search.run()
        assert search.is_done
        assert search._best.steps == 0


# -- moves ----------------------------------------------------------------------------------------


def random_margins(seed: int, n: int = 12) -> np.ndarray:
    margins = np.triu(np.random.default_rng(seed).integers(-5, 6, size=(n, n)), k=1)
    return (margins - margins.T).astype(float)


def cost(margins: np.ndarray, order: np.ndarray) -> float:
    return sum(margins[i, j] for p, i in enumerate(order) for j in order[p + 1 :]) / 2


@pytest.mark.parametrize("seed", range(3))
def test_gains_of_disjoint_moves_add_up(seed: int) -> None:
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
    child = module._recombined(first, second, rng)
    assert sorted(child) == list(range(12))
    assert (child == first).sum() >= 6
    moved = [item for item in child if child.tolist().index(item) != first.tolist().index(item)]
    places = [second.tolist().index(item) for item in moved]
    assert places == sorted(places)


@pytest.mark.parametrize("seed", range(3))
def test_descendants_are_no_worse_than_their_best_ancestor(seed: int) -> None:
    margins, rng = random_margins(seed, 30), np.random.default_rng(seed)
    parents = [orders.improve(margins, rng.permutation(30)) for _ in range(8)]
    best = module._evolved(margins, parents, rng, patience=40)
    least = min(cost(margins, parent) for parent in parents)
    assert cost(margins, best) <= least


# -- the memetic search ---------------------------------------------------------------------------


def drawn(n: int, seed: int) -> np.ndarray:
    above = np.triu(np.random.default_rng(seed).integers(-9, 10, (n, n)), k=1)
    return above - above.T


def sum_of_margins(margins: np.ndarray, order: np.ndarray) -> int:
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
    assert search.cost == min(
        sum_of_margins(margins, order) for order in permutations(range(len(above)))
    )
    assert search.cost == sum_of_margins(margins, search.order)


@pytest.mark.parametrize("size", [1, 6])
def test_work_can_be_done_in_parts(monkeypatch, size) -> None:
    monkeypatch.setattr(module, "POPULATION", size)
    monkeypatch.setattr(module, "ONE_SEARCH_FROM", 30 if size > 1 else 1)
    monkeypatch.setattr(module, "GENERATIONS", 4)
    margins = drawn(20, 3)
    whole, parts = begun(margins), begun(margins)
    whole.advance(20 * 250)
    for steps in (1, 1199, 40, 3760):
        parts.advance(steps)
    assert whole.order.tolist() == parts.order.tolist()
    assert whole.cost == parts.cost == sum_of_margins(margins, whole.order)
    assert whole.steps == parts.steps == 20 * 250 * size
    assert size == 1 or len(whole._ends) >= 1  # one population at least has come to its end


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


def test_survivors_have_low_costs_and_differ() -> None:
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
    monkeypatch.setattr(module, "SUMMED_MARGINS", block)
    rng, margins = np.random.default_rng(0), drawn(9, 0).astype(kind)
    orders = np.array([rng.permutation(9) for _ in range(4)])
    costs = _order_costs(margins, orders)
    assert costs.dtype == kind
    assert costs.tolist() == [sum_of_margins(margins, order) for order in orders]
