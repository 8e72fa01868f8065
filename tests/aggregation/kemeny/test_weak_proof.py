"""Proofs against brute force: whatever weights, cases and thresholds say, no bound is too high."""

from random import Random

import numpy as np
import pytest

from rankagg.aggregation.kemeny import weak_proof
from rankagg.aggregation.kemeny.proof import Weighting
from rankagg.aggregation.kemeny.weak_search import WeakSearch
from rankagg.exceptions import VerificationError
from tests.aggregation.kemeny.weak_brute import weak_orders
from tests.aggregation.kemeny.weak_forging import N, random_leaf, random_tree
from tests.conftest import seeds


def random_problem(rng: Random, n: int = N) -> weak_proof.WeakProblem:
    step = rng.choice((1, 1, 2, 5))
    above = np.array([[step * rng.randrange(6) * (i != j) for j in range(n)] for i in range(n)])
    half = np.array([[step * rng.randrange(6) * (i < j) for j in range(n)] for i in range(n)])
    return weak_proof.WeakProblem(above, half + half.T, 1)


def costs_of(problem: weak_proof.WeakProblem) -> dict[tuple[int, ...], int]:
    return {w: problem.cost(np.array(w)) for w in weak_orders(problem.n)}


@pytest.mark.parametrize("seed", seeds(5, 30))
def test_made_up_trees_bound_every_weak_order(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    least = min(costs_of(problem).values())
    threshold = least + rng.randrange(-2, 8)
    proof = weak_proof.WeakProof(tuple(range(N)), random_tree(rng, max(threshold, 0)))
    try:
        assert proof.bound(problem) <= least
    except VerificationError:
        pytest.fail("some case holds a weak order")


@pytest.mark.parametrize("seed", seeds(3, 30))
def test_what_is_set_aside_costs_the_threshold(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    costs = costs_of(problem)
    weighting = Weighting.of(random_leaf(rng), np.arange(N))
    threshold = min(costs.values()) + rng.randrange(0, 12)
    known = random_known(rng)
    fixed = weak_proof._set_aside(problem, weighting, known, threshold)
    for levels, cost in costs.items():
        z = np.less_equal.outer(levels, levels)
        if known.holds(z):
            assert weak_proof.weak_bound(problem, weighting, known) <= cost
            if cost < threshold:
                assert fixed is not None
                assert fixed.holds(z)


def random_known(rng: Random, n: int = N) -> weak_proof.Known:
    known = weak_proof.nothing(n)
    for _ in range(rng.randrange(4)):
        more = weak_proof.learn(known, *rng.sample(range(n), 2), below=rng.random() < 0.5)
        known = known if more is None else more
    return known


@pytest.mark.parametrize("seed", seeds(15, 60))
def test_what_is_known_is_closed_and_loses_no_weak_order(seed: int) -> None:
    rng = Random(seed)
    n = 4
    known, said = weak_proof.nothing(n), []
    for _ in range(rng.randrange(1, 6)):
        i, j = rng.sample(range(n), 2)
        below = rng.random() < 0.5
        said.append((i, j, below))
        left = [
            w for w in weak_orders(n) if all((w[a] > w[b]) == is_below for a, b, is_below in said)
        ]
        more = weak_proof.learn(known, i, j, below=below)
        assert (more is None) == (not left)
        if more is None:
            return
        # What all that are left have in common is what is known, and `consequences` finds the same.
        z = np.array([np.less_equal.outer(w, w) for w in left])
        assert np.array_equal(more.not_below, z.all(axis=0))
        assert np.array_equal(more.above, ~z.any(axis=0).T)
        not_below, above = np.zeros((2, n, n), dtype=bool)
        for a, b, is_below in said:
            (above if is_below else not_below)[(b, a) if is_below else (a, b)] = True
        again = weak_proof.consequences(not_below, above)
        assert np.array_equal(again.not_below, more.not_below)
        assert np.array_equal(again.above, more.above)
        known = more


def test_rows_and_totals_are_all_there_is_on_three_items() -> None:
    """Any integer costs of three items are closed by weighted rows at the root."""
    rng = Random(4)
    for _ in range(10):
        problem = random_problem(rng, 3)
        search = WeakSearch(problem)
        search.run()
        assert len(search.nodes) == 1
        assert search.upper == min(costs_of(problem).values())
