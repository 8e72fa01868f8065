"""Bounds and orders without a linear program: never false, and near what the program would give."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.large import _cycles_against, _FirstOrder
from rankagg.aggregation.kemeny.problem import Problem, SubsetTable, improve_windows
from rankagg.aggregation.kemeny.strict_search import Search
from tests.conftest import seeds

NEVER = Deadline()


def problem_of(costs) -> Problem:
    costs = np.array(costs)
    np.fill_diagonal(costs, 0)
    return Problem(costs, 0, 1)


def uniform(n: int, m: int, seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    ranks = np.argsort(rng.random((m, n)), axis=1)
    return Problem.from_pairwise(ra.Profile.from_ranks(ranks, items=range(n)).pairwise())


@st.composite
def problems(draw, most: int = 7) -> Problem:
    n = draw(st.integers(2, most))
    largest = draw(st.sampled_from([1, 2, 9, 10**6, 10**15, 10**25]))
    numbers = draw(st.lists(st.integers(0, largest), min_size=n * n, max_size=n * n))
    dtype = object if largest > 10**15 else np.int64
    return problem_of(np.array(numbers, dtype=dtype).reshape(n, n))


def least_cost(problem: Problem) -> int:
    return min(problem.cost(np.array(order)) for order in permutations(range(problem.n)))


def found_first(problem: Problem, deadline: Deadline = NEVER) -> tuple[int, Search]:
    search = Search(problem, deadline)
    search.warm_up()
    return search.lower, search


# -- bounds -----------------------------------------------------------------------------------


@given(problems(5))
@settings(deadline=None, max_examples=20)
def test_no_bound_is_above_the_optimum(problem: Problem) -> None:
    optimum = least_cost(problem)
    lower, search = found_first(problem)
    assert problem.floor <= lower <= optimum <= search.upper
    assert search.upper == problem.cost(search.order)


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_the_bound_reaches_97_percent_of_the_linear_program(seed: int) -> None:
    problem = uniform(30, 7, seed)
    exact = Search(problem)
    exact.run()
    lower, search = found_first(problem)
    assert lower <= exact.upper <= search.upper
    program = Search(problem)
    program._expand()
    best = program._open[0][1].value if program._open.get(0) else program.lower
    assert lower - problem.floor >= 0.97 * (best - problem.floor) > 0


def test_a_stop_at_any_moment_leaves_a_valid_bound(monkeypatch) -> None:
    problem = uniform(40, 9, 1)
    best, _ = found_first(problem)
    lowers = []
    for steps in (0, 1, 3, 10):
        method_run, left = _FirstOrder.run, [steps]

        def run(self, deadline, method_run=method_run, left=left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            method_run(self, deadline)

        with monkeypatch.context() as patch:
            patch.setattr(_FirstOrder, "run", run)
            search = Search(problem)
            with pytest.raises(KeyboardInterrupt):
                search.warm_up()
        lowers.append(search.lower)
        assert search.nodes[0] == search._open[0][1].leaf()
    assert lowers == sorted(lowers)
    assert problem.floor == lowers[0] < lowers[-1] <= best


# -- rows -------------------------------------------------------------------------------------


@given(problems(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_a_cycle_is_found_where_one_is_violated(problem: Problem, random) -> None:
    n = problem.n
    margins = np.sign(problem.margins.astype(np.float64)).astype(np.float32)
    before = (margins < 0).astype(np.float32)
    before[margins == 0] = 0.5
    order = np.array(random.sample(range(n), n))
    used = {
        (a, b, c): before[a, b] + before[b, c] + before[c, a]
        for a, b, c in permutations(range(n), 3)
        if a == min(a, b, c)
    }
    violated = {cycle for cycle, sum_of in used.items() if sum_of < 1}
    found = _cycles_against(before, margins, order, 10**6, NEVER)
    assert len({*map(tuple, found.tolist())}) == len(found)
    assert {*map(tuple, found.tolist())} <= violated
    assert bool(len(found)) == bool(violated)
    sums = [used[a, b, c] for a, b, c in found.tolist()]
    assert sums == sorted(sums)
    # Whole and half numbers differ by more than what weight counts.
    heavy = _cycles_against(before, margins, order, 10**6, NEVER, heavy=0.4)
    assert {*map(tuple, heavy.tolist())} <= violated
    assert bool(len(heavy)) == bool(violated)


# -- windows ----------------------------------------------------------------------------------


@given(problems(), st.integers(2, 7), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_windows_never_worsen_an_order(problem: Problem, width: int, random) -> None:
    order = np.array(random.sample(range(problem.n), problem.n))
    better = improve_windows(problem, order, width=width)
    assert sorted(better.tolist()) == list(range(problem.n))
    assert problem.cost(better) <= problem.cost(order)
    if width >= problem.n:
        assert problem.cost(better) == SubsetTable(problem).cost


def test_bounds_reported_during_the_search_are_valid(monkeypatch) -> None:
    problem = uniform(14, 9, 0)
    optimum = SubsetTable(problem).cost
    through = _FirstOrder.run

    def run(method: _FirstOrder, deadline: Deadline) -> None:
        through(method, deadline)
        method.value = 1e9  # as if rounding had gone wrong

    monkeypatch.setattr(_FirstOrder, "run", run)
    bounds: list[int] = []
    search = Search(problem, report=lambda lower, upper: bounds.append(lower))
    search.warm_up()
    assert problem.floor < max(bounds) <= optimum
