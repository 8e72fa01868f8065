"""Pairs that are decided before anything is solved, against all orders of a few items."""

from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import persistency
from rankagg.aggregation.kemeny.persistency import Persistence, all_by_cut, all_by_exchange, closed
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.check_certificate import Cut, Exchange, Leaf
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
def test_whatever_passes_is_so_in_every_optimum(seed: int) -> None:
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


def test_all_pairs_must_pass() -> None:
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
def test_what_is_found_is_so_in_every_optimum(n: int) -> None:
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


def test_cuts_decide_what_no_exchange_does(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [random_problem(seed, 8) for seed in (1, 6, 18, 25, 30)]
    both = [Persistence(problem) for problem in problems]
    monkeypatch.setattr(persistency, "CUTS_UP_TO", 0)
    for problem, found in zip(problems, both, strict=True):
        assert any(isinstance(node, Cut) for node in found.nodes)
        alone = Persistence(problem)
        assert not any(isinstance(node, Cut) for node in alone.nodes)
        assert found.known.sum() > alone.known.sum()


def larger_problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    strength = np.linspace(0, 6, 70)
    rows = [np.argsort(np.argsort(strength + rng.normal(size=70))) for _ in range(9)]
    return Problem.from_pairwise(ra.Profile.from_ranks(rows, items=range(70)).pairwise())


def test_among_more_items_than_a_block_has_columns() -> None:
    problem = larger_problem(0)
    truth = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(problem.costs.T)).optima.relation()
    known = Persistence(problem).known
    assert not (known & ~truth).any()
    nothing = np.zeros((70, 70), dtype=bool)
    first, *_ = Persistence(problem).nodes
    listed = np.zeros((70, 70), dtype=bool)
    for x, y in permutations(range(70), 2):
        listed[x, y] = by_exchange(problem, nothing, x, y, (1, 1))
    pairs = np.array(first.pairs)
    assert (first.up, first.down) == (1, 1)
    assert listed[tuple(pairs.T)].all()
    stated = nothing.copy()
    stated[tuple(pairs.T)] = True
    assert np.array_equal(closed(stated), closed(listed))
    assert len(pairs) < listed.sum() / 2


def test_numbers_of_all_sizes_are_rounded_so_that_less_is_proved() -> None:
    rng = np.random.default_rng(3)
    for exponent in (20, 25, 40):
        wins = rng.integers(0, 9, size=(6, 6)).astype(object) * 10**exponent
        wins += rng.integers(0, 9, size=(6, 6))
        problem = Problem((wins - np.diag(wins.diagonal())).T, 0, 1)
        found = Persistence(problem)
        assert not (found.known & ~relation_of(problem)).any()
        *_, (_, _, decided) = Proof(tuple(range(6)), (*found.nodes, Leaf())).walk(problem)
        assert np.array_equal(decided, found.known)


def test_a_deadline_ends_it() -> None:
    assert Persistence(larger_problem(0), Deadline(0.0)).nodes == []
