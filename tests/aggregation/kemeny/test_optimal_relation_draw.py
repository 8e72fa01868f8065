"""One optimum of many: what chance and the votes leave, whichever optimum is known."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import optimal_relation
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.relaxation import Relaxation
from rankagg.exceptions import OutOfTimeError, SolverError
from tests import oracles, strategies

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
def test_the_draw_is_what_the_slow_twin_draws_whichever_optimum_is_known(profile):
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
def test_enumeration_and_relaxations_answer_as_the_slow_twin_does(few, monkeypatch):
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
def test_what_is_shown_holds_in_all_optima(seed):
    votes = cyclic(14, 6, seed)
    consensus = ra.Kemeny().aggregate(votes)
    always = consensus.optima.relation()
    found = optimal_relation.shown_in_all(Problem.from_pairwise(votes), consensus.certificate)
    assert not (found & ~always).any()
    # Of what all optima have, weights show most.
    assert found.sum() > 0.9 * always.sum()


def test_an_interior_point_that_is_not_found_changes_nothing(monkeypatch):
    def fail(*_):
        raise SolverError("HiGHS did not reach an optimum: Unknown.")

    votes = cyclic(12, 4, 1)
    problem, certificate = Problem.from_pairwise(votes), proved(votes)
    expected = [drawn(problem, certificate, seed).tolist() for seed in range(3)]
    monkeypatch.setattr(Relaxation, "solve_inside", fail)
    assert [drawn(problem, certificate, seed).tolist() for seed in range(3)] == expected


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
