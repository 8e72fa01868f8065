"""Proofs against brute force: whatever weights, cases and thresholds say, no bound is too high."""

from itertools import permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny.branch_and_bound import Search
from rankagg.aggregation.kemeny.nodes import WEIGHT_DENOMINATOR, Branch, Fixing, Leaf
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof, fixed_below, forced_bounds
from rankagg.exceptions import VerificationError

N = 5


def random_problem(rng: Random) -> Problem:
    step = rng.choice((1, 1, 2, 5))
    wins = [[step * rng.randrange(6) for _ in range(N)] for _ in range(N)]
    return Problem.from_pairwise(ra.PairwiseMatrix.from_wins(wins))


def random_leaf(rng: Random) -> Leaf:
    cycles = tuple(tuple(rng.sample(range(N), 3)) for _ in range(4))
    return Leaf(cycles, tuple(rng.randrange(3 * WEIGHT_DENOMINATOR) for _ in cycles))


def random_tree(rng: Random, threshold: int) -> tuple:
    """Return fixings and branches in every mixture, with children behind their parents."""
    first, second = rng.sample(range(N), 2)
    leaves = [random_leaf(rng) for _ in range(3)]
    return (
        Fixing(random_leaf(rng), threshold, 1),
        Branch(first, second, 2, 3),
        Fixing(random_leaf(rng), threshold + rng.randrange(3), 4),
        leaves[0],
        Branch(*rng.sample(range(N), 2), 5, 6),
        *leaves[1:],
    )


def costs_of_orders(problem: Problem) -> dict[tuple[int, ...], int]:
    return {order: problem.cost(np.array(order)) for order in permutations(range(problem.n))}


@pytest.mark.parametrize("seed", range(60))
def test_made_up_trees_bound_every_order(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    costs = costs_of_orders(problem)
    threshold = min(costs.values()) + rng.randrange(-2, 8)
    nodes = random_tree(rng, threshold)
    assert Proof(tuple(range(N)), nodes).bound(problem) <= min(costs.values())
    forced = forced_bounds(problem, nodes)
    for i, j in permutations(range(N), 2):
        least = min(cost for order, cost in costs.items() if order.index(i) < order.index(j))
        assert forced[i, j] <= least


@pytest.mark.parametrize("seed", range(60))
def test_fixed_pairs_are_so_in_every_order_below_the_threshold(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    costs = costs_of_orders(problem)
    threshold = min(costs.values()) + rng.randrange(8)
    leaf = Search(problem)
    leaf.run()
    (weighted, *_) = [node for node in leaf.nodes if isinstance(node, Leaf)]
    cycles = np.array(weighted.cycles, dtype=np.intp).reshape(-1, 3)
    weights = np.array(weighted.weights, dtype=np.int64)
    nothing = np.zeros((N, N), dtype=bool)
    fixed = fixed_below(problem, cycles, weights, nothing, threshold)
    below = [order for order, cost in costs.items() if cost < threshold]
    if fixed is None:
        assert not below
        return
    for order in below:
        assert not np.tril(fixed[np.ix_(order, order)]).any()


def test_pairs_are_fixed_at_all() -> None:
    # Unanimous votes: turning any pair round costs at least three.
    problem = Problem.from_pairwise(ra.Profile.from_orders([list("abcd")] * 3).pairwise())
    nothing = np.zeros((4, 4), dtype=bool)
    weights = np.zeros(0, dtype=np.int64)
    cycles = np.empty((0, 3), dtype=np.intp)
    assert fixed_below(problem, cycles, weights, nothing, 3).sum() == 6
    assert fixed_below(problem, cycles, weights, nothing, 4).sum() == 0
    assert fixed_below(problem, cycles, weights, nothing, 0) is None


def hard_orders(seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.permutation(45).tolist() for _ in range(10)]


@pytest.fixture(scope="module")
def branched() -> tuple[ra.PairwiseMatrix, ra.Certificate]:
    """A consensus whose proof needs cases and fixes pairs in some of them."""
    for seed in range(30):
        votes = ra.Profile.from_orders(hard_orders(seed)).pairwise()
        certificate = ra.Kemeny().aggregate(votes).certificate
        if any(isinstance(node, Fixing) for proof in certificate.proofs for node in proof.nodes):
            return votes, certificate
    raise AssertionError("no proof of 30 fixes a pair")


def test_fixing_survives_json(branched: tuple[ra.PairwiseMatrix, ra.Certificate]) -> None:
    votes, certificate = branched
    again = ra.Certificate.from_dict(certificate.to_dict())
    assert again == certificate
    assert again.verify(votes)
    assert certificate.status == "optimal"


def changed(certificate: ra.Certificate, change) -> ra.Certificate:
    data = certificate.to_dict()
    for proof in data["proofs"]:
        for node in proof["nodes"]:
            if "threshold" in node:
                change(node)
                return ra.Certificate.from_dict(data)
    raise AssertionError("the proof fixes nothing")


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.update(threshold=0),
        lambda node: node.update(rest=0),
        lambda node: node.update(rest=10**6),
        lambda node: node.update(cycles=[[*cycle[:3], -cycle[3]] for cycle in node["cycles"]]),
        lambda node: node.update(cycles=[[0, 1, 1, 5]]),
    ],
    ids=["threshold lower", "child is the root", "no child", "negative weights", "no cycle"],
)
def test_corrupted_fixing_is_refused(
    branched: tuple[ra.PairwiseMatrix, ra.Certificate], change
) -> None:
    votes, certificate = branched
    with pytest.raises(VerificationError):
        changed(certificate, change).verify(votes)
