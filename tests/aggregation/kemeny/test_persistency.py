"""Pairs that are decided before any solve, compared with all orders of a few items."""

from dataclasses import replace
from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import strict_search
from rankagg.aggregation.kemeny.persistency import Persistence, all_by_cut, all_by_exchange, closed
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof, _node_to_dict, _renumbered
from rankagg.check_certificate import Branch, Cut, Exchange, Fixing, Leaf
from rankagg.exceptions import VerificationError
from tests.aggregation.kemeny.forging import holds, holds_alone, of_certificate, random_leaf
from tests.aggregation.kemeny.test_optima import (
    all_optima,
    even_ballots,
    single_votes,
)
from tests.conftest import seeds


def random_problem(seed: int, n: int) -> Problem:
    """Return a problem of one of many kinds: few or many ties of pairs and of optima, rankings."""
    rng = np.random.default_rng([seed, n])
    kind = seed % 4
    if kind == 0:
        rows = [rng.permutation(n) for _ in range(2 + seed % 5)]
        return Problem.from_pairwise(ra.Profile.from_ranks(rows, items=range(n)).pairwise())
    wins = rng.integers(0, (2, 4, 40)[kind - 1], size=(n, n))
    wins[np.triu_indices(n, k=1)] += int(rng.integers(0, 2))
    return Problem.from_pairwise(ra.PairwiseMatrix.from_wins(wins))


def relation_of(problem: Problem) -> np.ndarray:
    """Return which pairs all optima have."""
    orders = np.array(list(permutations(range(problem.n))))
    costs = np.array([problem.cost(order) for order in orders])
    places = np.argsort(orders[costs == costs.min()], axis=1)
    return (places[:, :, None] < places[:, None, :]).all(axis=0)


def some_of(relation: np.ndarray, rng: Random) -> np.ndarray:
    """Return a part of a relation, closed."""
    known = relation & (np.array([[rng.random() for _ in row] for row in relation]) < 0.3)
    found = closed(known)
    assert found is not None
    return found


# -- one pair -------------------------------------------------------------------------------------


def by_exchange(problem: Problem, known: np.ndarray, x: int, y: int, by: tuple[int, int]) -> bool:
    up, down = by
    gain = (-problem.margins).tolist()
    total = (up + down) * gain[x][y]
    for k in set(range(problem.n)) - {x, y}:
        if not known[k, y] and not known[x, k]:
            total += min(0, up * gain[x][k] + down * gain[k][y])
    return total > 0


def by_cut(problem: Problem, known: np.ndarray, upper: set[int], x: int, y: int) -> bool:
    gain = (-problem.margins).tolist()
    between = {k for k in range(problem.n) if not known[k, y] and not known[x, k]}
    total = gain[x][y]
    for u in between & upper:
        for v in between - upper:
            if (u, v) != (x, y) and not known[u, v]:
                total += min(0, gain[u][v])
    return total > 0


@pytest.mark.parametrize("seed", seeds(5, 40))
def test_exchanges_and_cuts_that_pass_hold_in_every_optimum(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(seed, 5)
    truth = relation_of(problem)
    known = some_of(truth, rng)
    for x, y in permutations(range(5), 2):
        pair = np.array([[x, y]])
        for up, down in ((1, 1), (1, 0), (0, 1), (2, 1), (0, 0), (3, 7), (10**9, 1)):
            passes = all_by_exchange(problem, known, pair, up, down)
            assert passes == by_exchange(problem, known, x, y, (up, down))
            assert truth[x, y] or not passes
        others = sorted(set(range(5)) - {x, y})
        for size in range(4):
            for more in combinations(others, size):
                passes = all_by_cut(problem, known, np.array([x, *more]), pair)
                assert passes == by_cut(problem, known, {x, *more}, x, y)
                assert truth[x, y] or not passes


def test_a_node_of_several_pairs_needs_all_to_pass() -> None:
    problem = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 2, 2], [0, 0, 0], [0, 0, 0]]))
    nothing = np.zeros((3, 3), dtype=bool)
    good, tied = [0, 1], [1, 2]
    assert all_by_exchange(problem, nothing, np.array([good, [0, 2]]), 1, 1)
    assert not all_by_exchange(problem, nothing, np.array([good, tied]), 1, 1)
    assert all_by_cut(problem, nothing, np.array([0]), np.array([good, [0, 2]]))
    assert not all_by_cut(problem, nothing, np.array([0, 1]), np.array([[0, 2], tied]))
    # A pair of a cut is across it.
    chain = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 2, 2], [0, 0, 2], [0, 0, 0]]))
    assert all_by_cut(chain, nothing, np.array([0, 1]), np.array([[0, 2]]))
    for above in ([0, 1], [1], []):
        assert not all_by_cut(chain, nothing, np.array(above, dtype=int), np.array([[0, 1]]))


# -- all that is found ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_found_pairs_hold_in_every_optimum(n: int) -> None:
    found = true = 0
    kinds = set()
    for seed in range(40 if n < 6 else 24):
        problem = random_problem(seed, n)
        truth = relation_of(problem)
        early_pairs = Persistence(problem)
        assert not (early_pairs.known & ~truth).any()
        found += int(early_pairs.known.sum())
        true += int(truth.sum())
        # The lines say all of it.
        *_, (_, _, decided) = Proof(tuple(range(n)), (*early_pairs.nodes, Leaf())).walk(problem)
        assert np.array_equal(decided, early_pairs.known)
        kinds |= {type(node) for node in early_pairs.nodes}
    assert found > 0.4 * true
    assert Exchange in kinds
    assert Cut in kinds or n < 4


def larger_problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    strength = np.linspace(0, 6, 70)
    rows = [np.argsort(np.argsort(strength + rng.normal(size=70))) for _ in range(9)]
    return Problem.from_pairwise(ra.Profile.from_ranks(rows, items=range(70)).pairwise())


def test_rounding_of_numbers_of_any_size_proves_no_more() -> None:
    rng = np.random.default_rng(3)
    for exponent in (20, 25, 40):
        wins = rng.integers(0, 9, size=(6, 6)).astype(object) * 10**exponent
        wins += rng.integers(0, 9, size=(6, 6))
        problem = Problem((wins - np.diag(wins.diagonal())).T, 0, 1)
        found = Persistence(problem)
        assert not (found.known & ~relation_of(problem)).any()
        *_, (_, _, decided) = Proof(tuple(range(6)), (*found.nodes, Leaf())).walk(problem)
        assert np.array_equal(decided, found.known)


def test_a_deadline_ends_the_search() -> None:
    assert Persistence(larger_problem(0), Deadline(0.0)).nodes == []


# -- in proofs and searches -----------------------------------------------------------------------


@pytest.fixture
def always_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_search, "EARLY_FROM", 2)


# -- in a proof -----------------------------------------------------------------------------------


def test_invalid_exchanges_are_refused() -> None:
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
        with pytest.raises(VerificationError, match="a pair is in every optimum"):
            Proof(every, (node, Leaf())).bound(problem)


def test_false_known_pairs_are_refused() -> None:
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


def test_moves_without_gain_prove_nothing() -> None:
    tied = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    clear = Problem.from_pairwise(ra.PairwiseMatrix.from_wins([[0, 2, 2], [1, 0, 2], [1, 1, 0]]))
    for node in (Exchange(((0, 1),), 1, 1, 1), Cut((0,), ((0, 1),), 1)):
        assert stated(tied, node) == (False, False)
        assert stated(clear, node) == (True, True)
    assert stated(clear, Exchange(((0, 1),), 0, 0, 1)) == (False, False)


def test_a_cut_does_not_count_known_pairs_across_it() -> None:
    # Item 4 is before item 1 in every optimum, against the majority of the votes for the two.
    problem = random_problem(47, 5)
    first, *_ = Persistence(problem).nodes
    cut = Cut((0, 2, 4), ((2, 3),), 2)
    assert problem.margins[4, 1] > 0
    assert stated(problem, first, cut) == (True, True)
    assert stated(problem, replace(cut, rest=1)) == (False, False)
    nothing, known = np.zeros((2, 5, 5), dtype=bool)
    known[tuple(np.transpose(first.pairs))] = True
    for is_known, passes in ((closed(known), True), (nothing, False)):
        pair, above = np.array([[2, 3]]), np.array([0, 2, 4])
        assert all_by_cut(problem, is_known, above, pair) == passes


def test_a_chain_is_renumbered_to_the_items_of_its_part() -> None:
    nodes = (Exchange(((0, 2),), 1, 2, 1), Cut((2, 1), ((1, 0),), 2), Leaf())
    assert tuple(_renumbered(node, [5, 3, 7].__getitem__, int) for node in nodes) == (
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


@pytest.mark.parametrize("seed", range(3))
def test_forced_bounds_hold_for_all_excluded_orders(seed: int) -> None:
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
        forced = Proof(tuple(range(5)), tree).forced_bounds(problem)
        for i, j in permutations(range(5), 2):
            least = min(cost for order, cost in costs.items() if order.index(i) < order.index(j))
            assert forced[i, j] <= least


@pytest.mark.usefixtures("always_early")
def test_a_search_that_starts_from_known_pairs_finds_all_optima() -> None:
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
def test_the_certificate_of_a_larger_part_starts_with_known_pairs(monkeypatch, kind) -> None:
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
