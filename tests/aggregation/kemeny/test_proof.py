"""Proofs against brute force: no bound is too high for any weights, cases and thresholds."""

from itertools import permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import (
    Form,
    Proof,
    Weighting,
    _compact,
)
from rankagg.aggregation.kemeny.strict_search import Search
from rankagg.check_certificate import (
    WEIGHT_DENOMINATOR,
    Branch,
    Derived,
    Enumeration,
    Fixing,
    Leaf,
    RefusedError,
)
from tests.aggregation.kemeny.forging import N, random_rows, random_tree
from tests.conftest import seeds


def random_problem(rng: Random) -> Problem:
    step = rng.choice((1, 1, 2, 5))
    wins = [[step * rng.randrange(6) for _ in range(N)] for _ in range(N)]
    return Problem.from_pairwise(ra.PairwiseMatrix.from_wins(wins))


def costs_of_orders(problem: Problem) -> dict[tuple[int, ...], int]:
    return {order: problem.cost(np.array(order)) for order in permutations(range(problem.n))}


@pytest.mark.parametrize("seed", seeds(12, 60))
def test_made_up_trees_bound_every_order(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    costs = costs_of_orders(problem)
    threshold = min(costs.values()) + rng.randrange(-2, 8)
    nodes = random_tree(rng, threshold)
    assert Proof(tuple(range(N)), nodes).bound(problem) <= min(costs.values())
    forced = Proof(tuple(range(N)), nodes).forced_bounds(problem)
    for i, j in permutations(range(N), 2):
        least = min(cost for order, cost in costs.items() if order.index(i) < order.index(j))
        assert forced[i, j] <= least


def test_forced_bounds_use_the_weights_of_a_cycle() -> None:
    # The cheapest order turns round the pair of margin 2; other orders that have one of the
    # three pairs the weaker way cost 3 or 4.
    problem = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 2, 0], [0, 0, 3], [4, 0, 0]]))
    for weight in (2 * WEIGHT_DENOMINATOR, 2 * WEIGHT_DENOMINATOR - 1):
        leaf = Leaf(((1, 0, 2),), (weight,))
        # What is fixed without weights, and what they tell of the rest, is as much.
        for tree in ((leaf,), (Fixing(Leaf(), 4, 1), leaf)):
            forced = Proof((0, 1, 2), tree).forced_bounds(problem)
            assert [forced[1, 0], forced[2, 1], forced[0, 2]] == [2, 3, 4]
            assert [forced[0, 1], forced[1, 2], forced[2, 0]] == [2, 2, 2]
    with pytest.raises(TypeError, match="An enumeration has no weights"):
        Proof((0, 1, 2), (Enumeration(),)).forced_bounds(problem)


@pytest.mark.parametrize("bits", [61, 62, 63, 64, 90])
def test_large_weights_do_not_overflow(bits: int) -> None:
    # Too much of a cycle proves nothing; three times the largest weight leave 64 bits.
    problem = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 2, 0], [0, 0, 3], [4, 0, 0]]))
    for cycle in ((0, 1, 2), (1, 0, 2)):
        proof = Proof((0, 1, 2), (Leaf((cycle,), (2**bits - 1,)),))
        assert proof.bound(problem) == problem.floor


@pytest.mark.parametrize("seed", seeds(12, 60))
def test_fixed_pairs_hold_in_every_order_below_the_threshold(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    costs = costs_of_orders(problem)
    threshold = min(costs.values()) + rng.randrange(8)
    leaf = Search(problem)
    leaf.run()
    (weighted, *_) = [node for node in leaf.nodes if isinstance(node, Leaf)]
    proof = Proof(tuple(range(N)), (weighted,), tuple(leaf.rows))
    nothing = np.zeros((N, N), dtype=bool)
    fixed = Proof.fixed(problem, proof.weighting(weighted), nothing, threshold)
    below = [order for order, cost in costs.items() if cost < threshold]
    if fixed is None:
        assert not below
        return
    for order in below:
        assert not np.tril(fixed[np.ix_(order, order)]).any()


def weighted(problem: Problem, *cycles: tuple[int, int, int, int]) -> tuple:
    rows = np.array([cycle[:3] for cycle in cycles], dtype=np.intp).reshape(-1, 3)
    weights = np.array([cycle[3] for cycle in cycles], dtype=np.int64)
    return problem, Weighting(rows, weights), np.zeros((problem.n, problem.n), dtype=bool)


def test_a_case_at_the_threshold_leaves_no_order() -> None:
    # The floor is 0 and the optimum 2; the weight proves the 2, and nothing is left below it.
    votes = ra.PairwiseMatrix.from_wins([[0, 2, 0], [0, 0, 3], [4, 0, 0]])
    problem = Problem.from_pairwise(votes)
    case = weighted(problem, (1, 0, 2, 2 * WEIGHT_DENOMINATOR))
    assert problem.floor == 0
    assert Proof.least(*case) == 2
    assert Proof.fixed(*case, 2) is None
    assert Proof.fixed(*case, 0) is None
    # Nor below the floor, however bad the weights are.
    bad = weighted(problem, (0, 1, 2, 50 * WEIGHT_DENOMINATOR))
    assert Proof.least(*bad) == 0
    assert Proof.fixed(*bad, 0) is None
    assert not Proof.fixed(*bad, 1).any()
    left = Proof.fixed(*case, 3)
    assert left is not None
    assert (left[1, 2], left[2, 0], left[0, 1]) == (True, True, False)


def test_a_pair_is_fixed_exactly_from_the_threshold_on() -> None:
    # Turning round the first pair costs 2, the second 3, the third 4.
    votes = ra.PairwiseMatrix.from_wins([[0, 2, 4], [0, 0, 3], [0, 0, 0]])
    problem = Problem.from_pairwise(votes)
    counts = [int(Proof.fixed(*weighted(problem), threshold).sum()) for threshold in range(1, 6)]
    assert counts == [3, 3, 2, 1, 0]


def rounded(duals, unit):
    return Weighting.rounded(np.zeros((len(duals), 3), dtype=np.intp), duals, unit).weights


def test_rounding_is_exact_for_any_unit_and_integer_type() -> None:
    for size in (1, 2**70):
        duals = np.array([0.0, 0.5, 1.0, 2.0**-21, 3 * 2.0**-20])
        expected = [0, 2**19 * size, 2**20 * size, 0, 3 * size]
        assert rounded(duals, size).tolist() == expected
    for unit in (1, 2**62, 2**63, 2**64, 10**100):
        for nothing in ([], [0.0, 0.0], [1e-30, -1.0], [np.nan, np.inf, -np.inf]):
            assert not any(rounded(np.array(nothing), unit).tolist())
    for unit, dtype in ((5, np.int64), (2**39, np.int64), (2**41, object)):
        assert rounded(np.array([1.0, 2.0]), unit).dtype == dtype


def test_cases_that_contradict_themselves_are_left_out() -> None:
    problem = random_problem(Random(1))
    # 0 before 1, 1 before 2, 2 before 0: the last case is dropped, whatever its leaf would prove.
    rest = (Leaf(), Branch(2, 0, 5, 6), Leaf(), Leaf(), Leaf())
    tree = (Branch(0, 1, 1, 2), Branch(1, 2, 3, 4), *rest)
    visited = [at for at, *_ in Proof(tuple(range(N)), tree).walk(problem)]
    assert sorted(visited) == [0, 1, 2, 3, 4, 6]


def ring(n: int, closing: int) -> Problem:
    """Return a problem where only neighbors have margins, of 10, and the last and the first."""
    wins = np.diag([10] * (n - 1), k=1)
    wins[n - 1, 0] = closing
    return Problem.from_pairwise(ra.PairwiseMatrix.from_wins(wins))


@pytest.mark.parametrize("n", [3, 4, 6, 11])
def test_fixed_pairs_are_transitively_closed(n: int) -> None:
    fixed = Proof.fixed(*weighted(ring(n, 0)), 5)
    assert fixed is not None
    assert np.array_equal(fixed, np.triu(np.ones((n, n), dtype=bool), k=1))
    # Where the last beats the first, the fixed pairs are a cycle, and no order is left.
    assert Proof.fixed(*weighted(ring(n, 10)), 5) is None


# -- rows that are derived ------------------------------------------------------------------------


def used(form: Form, order: tuple[int, ...]) -> int:
    arcs = zip(form.tails, form.heads, form.counts, strict=True)
    return sum(int(count) for i, j, count in arcs if order.index(i) < order.index(j))


def test_every_order_obeys_a_derived_row() -> None:
    for seed in range(25):
        for form in Form.of_rows(random_rows(Random(seed))):
            assert all(used(form, order) >= form.least for order in permutations(range(N)))


def test_rounding_derives_rows_that_are_no_sums_of_cycles() -> None:
    # Five cycles round a circle, each sharing an arc with the next: half of five is three.
    cycles = [tuple((at + step) % 5 for step in range(3)) for at in range(5)]
    row = Derived(tuple((1, cycle) for cycle in cycles), 2)
    (form,) = Form.of_rows([row])
    assert form.least == 3
    assert min(used(form, order) for order in permutations(range(N))) == 3


def test_unused_rows_are_left_out() -> None:
    a, b, c = Derived(((1, (0, 1, 2)),)), Derived(((2, 0),), 2), Derived(((1, 1), (1, (1, 2))))
    rows, numbers = _compact([a, a, b, c], [3])
    assert rows == (a, Derived(((1, 0), (1, (1, 2)))))
    assert numbers == [-1, 0, -1, 1]


def test_numbers_that_no_row_needs_are_refused() -> None:
    rows = [Derived(((2**20, (0, 1, 2)),)), Derived(((2**12, 0),))]
    with pytest.raises(RefusedError, match="counts more than"):
        Form.of_rows(rows)
