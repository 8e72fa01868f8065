"""Pairs of every optimum in proofs and in searches, and what both checkers say of them."""

from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import strict_search
from rankagg.aggregation.kemeny.persistency import Persistence
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof, _node_to_dict, forced_bounds, renumbered
from rankagg.check_certificate import Branch, Cut, Exchange, Fixing, Leaf
from rankagg.exceptions import VerificationError
from tests.aggregation.kemeny.forging import holds, holds_alone, of_certificate, random_leaf
from tests.aggregation.kemeny.test_optimal_relation_eight_items import (
    all_optima,
    even_ballots,
    single_votes,
)
from tests.aggregation.kemeny.test_persistency import by_exchange, random_problem, relation_of


@pytest.fixture
def always_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_search, "EARLY_FROM", 2)


# -- in a proof -----------------------------------------------------------------------------------


def test_lines_that_do_not_hold_are_refused() -> None:
    problem = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 3, 0], [1, 0, 3], [2, 0, 0]]))
    every = (0, 1, 2)
    assert by_exchange(problem, np.zeros((3, 3), dtype=bool), 1, 2, (1, 1))
    assert Proof(every, (Exchange(((1, 2),), 1, 1, 1), Leaf())).bound(problem) == problem.floor
    for node in (
        Exchange(((2, 1),), 1, 1, 1),
        Exchange(((1, 2), (2, 0)), 1, 1, 1),
        Exchange(((1, 2),), 0, 0, 1),
        Cut((2,), ((2, 0),), 1),
        Cut((1,), ((0, 1),), 1),
    ):
        with pytest.raises(VerificationError, match="every optimum is not proved"):
            Proof(every, (node, Leaf())).bound(problem)


def test_only_what_holds_in_every_optimum_may_be_known() -> None:
    case = of_certificate(*early_certificate())
    tree = case.plain["proofs"][0]["nodes"]
    last = len(tree) - 1
    exchange = tree[0]
    for before in (
        {"cycles": [], "rows": [], "threshold": 0, "rest": 1},
        {"pair": [0, 1], "before": 1, "after": last + 1},
    ):
        moved = [before, *shifted(tree), {"cycles": [], "rows": []}][: len(tree) + 1]
        if "pair" in before:
            moved.append({"cycles": [], "rows": []})
        data = {**case.plain, "proofs": [{**case.plain["proofs"][0], "nodes": moved}]}
        assert not holds(data, case)
        assert not holds_alone(data, case)
    assert exchange["rest"] == 1


def stated(problem: Problem, *nodes: Exchange | Cut) -> tuple[bool, bool]:
    """Return what both checkers say of a proof that begins with some nodes."""
    votes = ra.PairwiseMatrix.from_wins(problem.costs.T)
    order = np.argsort(-relation_of(problem).sum(axis=1), kind="stable").tolist()
    genuine = ra.Certificate.build(votes, order, [Proof(tuple(range(problem.n)))])
    case = of_certificate(genuine, votes)
    (proof,) = case.plain["proofs"]
    plain = [_node_to_dict(node) for node in nodes]
    data = {**case.plain, "proofs": [{**proof, "nodes": [*plain, *proof["nodes"]]}]}
    return holds(data, case), holds_alone(data, case)


def test_moves_that_gain_nothing_prove_nothing() -> None:
    tied = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    clear = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 2, 2], [1, 0, 2], [1, 1, 0]]))
    for node in (Exchange(((0, 1),), 1, 1, 1), Cut((0,), ((0, 1),), 1)):
        assert stated(tied, node) == (False, False)
        assert stated(clear, node) == (True, True)
    assert stated(clear, Exchange(((0, 1),), 0, 0, 1)) == (False, False)


def test_a_cut_counts_nothing_for_what_is_known_across_it() -> None:
    # Item 4 is before item 1 in every optimum, against the majority of the votes for the two.
    problem = random_problem(47, 5)
    first, *_ = Persistence(problem).nodes
    cut = Cut((0, 2, 4), ((2, 3),), 2)
    assert problem.margins[4, 1] > 0
    assert stated(problem, first, cut) == (True, True)
    assert stated(problem, replace(cut, rest=1)) == (False, False)


def test_a_chain_is_moved_to_the_items_of_its_part() -> None:
    nodes = (Exchange(((0, 2),), 1, 2, 1), Cut((2, 1), ((1, 0),), 2), Leaf())
    assert tuple(renumbered(node, [5, 3, 7].__getitem__, int) for node in nodes) == (
        Exchange(((5, 7),), 1, 2, 1),
        Cut((7, 3), ((3, 5),), 2),
        Leaf(),
    )


def shifted(tree: list[dict]) -> list[dict]:
    return [
        {k: v + 1 if k in ("rest", "before", "after") else v for k, v in node.items()}
        for node in tree
    ]


def early_certificate() -> tuple[ra.Certificate, ra.PairwiseMatrix]:
    votes = even_ballots(1)
    problem = Problem.from_pairwise(votes)
    nodes = Persistence(problem).nodes
    assert nodes
    order = ra.Kemeny().aggregate(votes).order
    positions = [votes.items.labels.index(item) for item in order]
    proof = Proof(tuple(range(8)), (*nodes, Leaf()))
    return ra.Certificate.build(votes, positions, [proof]), votes


@pytest.mark.parametrize("seed", range(8))
def test_forced_bounds_hold_outside_of_what_is_left(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(seed, 5)
    orders = list(permutations(range(5)))
    costs = {order: problem.cost(np.array(order)) for order in orders}
    best = min(costs.values())
    nodes = Persistence(problem).nodes
    at = len(nodes)
    tail = (
        Fixing(random_leaf(rng), best + rng.randrange(4), at + 1),
        Branch(*rng.sample(range(5), 2), at + 2, at + 3),
        random_leaf(rng),
        random_leaf(rng),
    )
    for tree in ((*nodes, *tail), (*nodes, Leaf())):
        forced = forced_bounds(problem, Proof(tuple(range(5)), tree))
        for i, j in permutations(range(5), 2):
            least = min(cost for order, cost in costs.items() if order.index(i) < order.index(j))
            assert forced[i, j] <= least


@pytest.mark.usefixtures("always_early")
def test_a_search_that_begins_with_them_finds_all_optima() -> None:
    kinds = set()
    for votes in (*map(even_ballots, range(4)), *map(single_votes, range(4))):
        places = all_optima(votes)
        exact = ra.Kemeny().aggregate(votes)
        assert exact.certificate.status == "optimal"
        kinds |= {type(node) for proof in exact.certificate.proofs for node in proof.nodes}
        always = (places[:, :, None] < places[:, None, :]).all(axis=0)
        assert np.array_equal(exact.optima.relation(), always)
        case = of_certificate(exact.certificate, votes)
        assert holds_alone(case.plain, case)
    assert Exchange in kinds


@pytest.mark.parametrize("kind", ["rankings", "weights"])
def test_the_certificate_of_a_larger_part_begins_with_them(monkeypatch, kind) -> None:
    rng = np.random.default_rng(3)
    if kind == "rankings":
        rows = [rng.permutation(46) for _ in range(7)]
        votes = ra.Profile.from_ranks(rows, items=range(46)).pairwise()
    else:
        sizes = np.exp(rng.normal(scale=1.5, size=46))
        wins = rng.exponential(np.outer(sizes, sizes), size=(46, 46)).astype(int)
        votes = ra.PairwiseMatrix.from_wins(wins - np.diag(wins.diagonal()))
    certificate = ra.Kemeny().aggregate(votes).certificate
    nodes = max(certificate.proofs, key=lambda proof: len(proof.positions)).nodes
    assert isinstance(nodes[0], Exchange)
    assert certificate.n_decided > 40
    assert f"{certificate.n_decided} pairs that every optimum has" in certificate.summary()
    case = of_certificate(certificate, votes)
    assert ra.Certificate.from_dict(case.plain) == certificate
    assert holds_alone(case.plain, case)
    monkeypatch.setattr(strict_search, "EARLY_FROM", 10**9)
    plain = ra.Kemeny().aggregate(votes).certificate
    assert plain.n_decided == 0
    assert plain.scaled_cost == certificate.scaled_cost == certificate.scaled_lower_bound
