"""How the relation is found: the queries of searches, and what moves without cost show."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import optimal_relation
from rankagg.aggregation.kemeny.optimal_relation import Relation, can_lead, is_beaten
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.exceptions import OutOfTimeError
from tests import oracles, strategies
from tests.aggregation.kemeny.test_optima import N, even_ballots

CYCLE = [[0, 2, 1], [1, 0, 2], [2, 1, 0]]  # each of three rankings begins with another item


def problem_of(wins: object) -> Problem:
    return Problem.from_pairwise(ra.PairwiseMatrix.from_wins(wins))


def costs_of_orders(problem: Problem) -> dict[tuple[int, ...], int]:
    return {order: problem.cost(np.array(order)) for order in permutations(range(problem.n))}


def random_problems(n: int, count: int) -> list[Problem]:
    """Return problems of all kinds of components: tied pairs, blocks, cycles, unanimous votes."""
    rng = np.random.default_rng([n, 7])
    return [problem_of(rng.integers(0, rng.choice([2, 3, 9]), size=(n, n))) for _ in range(count)]


def with_best_first(problem: Problem) -> Problem:
    """Return the problem with its items in an optimal order."""
    costs = costs_of_orders(problem)
    return problem.restrict(np.array(min(costs, key=costs.__getitem__)))


def hard_problem() -> Problem:
    """Return eight items, best first, with pairs that only searches settle."""
    votes = even_ballots(23)
    best = ra.Kemeny().aggregate(votes).order
    return Problem.from_pairwise(votes).restrict(np.array(votes.items.indices(best)))


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[optimal_relation.Search]:
    """Note every search that the relation begins."""
    begun: list[optimal_relation.Search] = []

    class Noted(optimal_relation.Search):
        def __post_init__(self) -> None:
            begun.append(self)
            super().__post_init__()

    monkeypatch.setattr(optimal_relation, "Search", Noted)
    return begun


# -- questions about one order --------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_an_order_is_beaten_where_another_costs_less(n: int) -> None:
    for problem in random_problems(n, 12):
        costs = costs_of_orders(problem)
        for order, cost in costs.items():
            assert is_beaten(problem, np.array(order)) == (cost > min(costs.values()))


def test_an_item_can_lead_that_is_first_in_some_optimum() -> None:
    for problem in map(with_best_first, random_problems(5, 12)):
        costs = costs_of_orders(problem)
        leaders = {order[0] for order, cost in costs.items() if cost == min(costs.values())}
        assert {i for i in range(problem.n) if can_lead(problem, i)} == leaders


QUESTIONS = {
    "relation": lambda problem, limit: Relation(problem, np.arange(N), limit),
    "beaten": lambda problem, limit: is_beaten(problem, np.arange(N), limit),
    "leads": lambda problem, limit: can_lead(problem, 1, limit),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_search_gets_the_deadline(question: str, searches: list) -> None:
    problem, limit = hard_problem(), Deadline(1e18)
    QUESTIONS[question](problem, limit)
    asked = [search for search in searches if search.deadline is limit]
    assert asked
    assert len(asked) == len(searches)
    with pytest.raises(OutOfTimeError):
        QUESTIONS[question](problem, Deadline(0.0))


# -- the relation ---------------------------------------------------------------------------------


def test_the_relation_is_that_of_all_orders() -> None:
    for problem in random_problems(5, 14):
        costs = costs_of_orders(problem)
        best = min(costs.values())
        optima = [np.argsort(order) for order, cost in costs.items() if cost == best]
        always = np.all([place[:, None] < place for place in optima], axis=0)
        found = Relation(problem, np.argsort(optima[-1]))
        assert np.array_equal(found.always, always)
        assert min(len(optima), 2) <= found.n_seen <= len(optima)


def test_optima_of_parts_that_follow_each_other_multiply() -> None:
    wins = np.zeros((7, 7), dtype=int)
    wins[:3, :3] = wins[3:6, 3:6] = CYCLE
    wins[:3, 3:] = wins[3:6, 6] = 3
    assert Relation(problem_of(CYCLE), np.arange(3)).n_seen == 3
    assert Relation(problem_of(wins), np.arange(7)).n_seen == 9


def test_moves_without_cost_save_searches(searches: list) -> None:
    # All is tied: to put an item behind or before another is to move it.
    found = Relation(problem_of(np.zeros((6, 6))), np.arange(6))
    assert not found.always.any()
    with pytest.raises(ValueError, match="read-only"):
        found.always[0, 1] = True
    assert len(searches) == 1
    # Each order that is met turns round one more of the 15 pairs at least.
    assert 2 <= found.n_seen <= 16
    with pytest.raises(OutOfTimeError):  # moves heed the deadline too
        Relation(problem_of(np.zeros((4, 4))), np.arange(4), Deadline(0.0))


# -- one optimum, drawn ---------------------------------------------------------------------------

FEWER = 2  # no part is small enough to be enumerated


def twin(optima, rng):
    """Return the optimum that is left, of a list of all, when pairs are settled one by one."""
    n = len(optima[0])
    rank, turn = rng.permutation(n), rng.permutation(n * n).reshape(n, n)
    for i, j in sorted(oracles.pairs(n), key=lambda pair: turn[pair]):
        above, below = (i, j) if rank[i] < rank[j] else (j, i)
        wanted = [order for order in optima if order.index(above) < order.index(below)]
        optima = wanted or optima
    (left,) = optima
    return list(left)


def proved(votes, backend="cuts"):
    return ra.Kemeny(backend=backend).aggregate(votes).certificate


def drawn(problem, certificate, seed):
    order, always = np.array(certificate.order), optimal_relation.shown_in_all(problem, certificate)
    return optimal_relation.draw_optimum(problem, order, always, np.random.default_rng(seed))


def cyclic(n, m, seed):
    """Return votes of m random rankings; of an even number, with many optima."""
    rng = np.random.default_rng(seed)
    return ra.Profile.from_orders([rng.permutation(n) for _ in range(m)], items=range(n)).pairwise()


@given(strategies.profiles(max_size=5))
def test_the_drawn_optimum_equals_brute_force_from_any_start(profile):
    votes = profile.pairwise()
    problem = Problem.from_pairwise(votes)
    _, optima = oracles.kemeny(oracles.pairwise_votes(profile)[0])
    proofs = proved(votes).proofs
    expected = twin(optima, np.random.default_rng(7))
    for known in [optima[0], optima[-1], optima[len(optima) // 2]]:
        certificate = ra.Certificate.build(votes, known, proofs)
        found = drawn(problem, certificate, 7)
        assert found.tolist() == expected


@pytest.mark.parametrize("few", [9, FEWER])
def test_enumeration_and_relaxations_equal_brute_force(few, monkeypatch):
    answers = Counter()
    solved = optimal_relation._Draw._solved

    def noted(*given):
        found = solved(*given)
        answers[found is not None] += 1
        return found

    monkeypatch.setattr(optimal_relation, "ENUMERATED_UP_TO", few)
    monkeypatch.setattr(optimal_relation._Draw, "_solved", noted)
    for number in range(6):
        votes = cyclic(10, 6, number)
        problem, consensus = Problem.from_pairwise(votes), ra.Kemeny().aggregate(votes)
        optima = [tuple(ranking.order) for ranking in consensus.optima]
        assert len(optima) > 1
        if number % 2:  # less is known in advance
            monkeypatch.setattr(optimal_relation, "_more_in_all", lambda *known, **_: known[2])
        for key in range(4):
            found = drawn(problem, consensus.certificate, key)
            assert found.tolist() == twin(optima, np.random.default_rng(key))
    assert min(answers[True], answers[False]) > 5


@pytest.mark.parametrize("seed", range(3))
def test_pairs_shown_by_weights_hold_in_all_optima(seed):
    votes = cyclic(14, 6, seed)
    consensus = ra.Kemeny().aggregate(votes)
    always = consensus.optima.relation()
    found = optimal_relation.shown_in_all(Problem.from_pairwise(votes), consensus.certificate)
    assert not (found & ~always).any()
    # Of what all optima have, weights show most.
    assert found.sum() > 0.9 * always.sum()


def test_no_item_is_preferred_where_all_are_equal():
    problem = Problem.from_pairwise(ra.Profile.from_ranks([[0] * 5], items="ABCDE").pairwise())
    rng, nothing = np.random.default_rng(0), np.zeros((5, 5), dtype=bool)
    orders = [
        optimal_relation.draw_optimum(problem, np.arange(5), nothing, rng) for _ in range(200)
    ]
    firsts = np.bincount([order[0] for order in orders], minlength=5)
    assert stats.chisquare(firsts).pvalue > 1e-3
    with pytest.raises(OutOfTimeError):
        optimal_relation.draw_optimum(problem, np.arange(5), nothing, rng, Deadline.after(0))
