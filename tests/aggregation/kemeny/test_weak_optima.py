"""The set of optimal weak orders against brute force."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import tied_optima as module
from rankagg.exceptions import InformationLostError, OutOfTimeError, TooLargeError
from tests.aggregation.kemeny import weak_brute
from tests.aggregation.kemeny.random_votes import random_votes

HALF = (Fraction(1, 2), Fraction(1, 2))


def check(votes: ra.PairwiseMatrix, prices) -> int:
    """Compare every statement about all optima with all weak orders."""
    found = weak_brute.rule(prices).aggregate(votes).optima
    _, best = weak_brute.optima(votes, prices)
    n = votes.n_items
    assert found.is_unique == (len(best) == 1)
    every = list(found)
    assert len(every) == found.count() == len(best)
    assert {weak_brute.levels_of(one) for one in every} == best
    above = np.array([np.less.outer(w, w) for w in best])
    assert np.array_equal(found.relation(), above.all(axis=0))
    alike = (
        above.all(axis=0) | above.all(axis=0).T | ~(above | above.transpose(0, 2, 1)).any(axis=0)
    )
    assert found.n_undecided_pairs == int(np.triu(~alike, k=1).sum())
    ranks = 1 + above.sum(axis=1)
    low, high = found.rank_ranges()
    assert np.array_equal(low, ranks.min(axis=0))
    assert np.array_equal(high, ranks.max(axis=0))
    assert found.winners() == votes.items.where((ranks == 1).any(axis=0))
    place = {item: at for at, block in enumerate(found.blocks) for item in block}
    assert sorted(place, key=str) == sorted(votes.items, key=str)
    for one in every:
        for i in range(n):
            for j in range(n):
                if place[votes.items[i]] < place[votes.items[j]]:
                    assert one.ranks[i] < one.ranks[j]
    target = ra.PartialRanking.from_ranks(list(range(n)), items=votes.items)
    distances = [ra.kendall_distance(one, target, tie_cost=0.5) for one in every]
    assert ra.kendall_distance(found.nearest(target), target, tie_cost=0.5) == min(distances)
    assert ra.kendall_distance(found.farthest(target), target, tie_cost=0.5) == max(distances)
    return len(best)


@pytest.mark.parametrize(
    ("seeds", "sizes"),
    [
        (range(7), (1, 2, 3, 4, 5)),
        pytest.param(range(7, 416), (3, 4, 5, 5), marks=pytest.mark.slow),
    ],
)
def test_statements_about_all_optima_equal_brute_force(seeds, sizes) -> None:
    found = []
    for rng in map(Random, seeds):
        votes = random_votes(rng, rng.choice(sizes))
        found.append(check(votes, rng.choice(weak_brute.PRICES)))
    assert sum(number > 1 for number in found) > len(found) / 5


def test_without_votes_all_weak_orders_are_optimal() -> None:
    votes = ra.PairwiseMatrix.from_wins(np.zeros((3, 3)))
    assert check(votes, HALF) == 13


def test_counting_too_many_optima_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_OPTIMA", 10)
    votes = ra.PairwiseMatrix.from_wins(np.zeros((4, 4)))
    found = weak_brute.rule(HALF).aggregate(votes).optima
    with pytest.raises(TooLargeError, match="more than 10"):
        found.count()
    assert not found.is_unique
    assert found.n_undecided_pairs == 6
    assert not found.relation().any()
    assert len(found.first(4)) == 4
    assert len(set(found.first(4))) == 4
    low, high = found.rank_ranges()
    assert low.tolist() == [1] * 4
    assert high.tolist() == [4] * 4
    assert found.winners() == (0, 1, 2, 3)
    assert "not counted" in found.summary()


@pytest.mark.parametrize("seed", range(2))
def test_rank_bounds_hold_if_optima_are_too_many_to_count(monkeypatch, seed: int) -> None:
    monkeypatch.setattr(module, "MOST_OPTIMA", 0)
    rng = Random(seed)
    votes, prices = random_votes(rng, 4), rng.choice(weak_brute.PRICES)
    _, best = weak_brute.optima(votes, prices)
    ranks = 1 + np.array([np.less.outer(w, w) for w in best]).sum(axis=1)
    low, high = weak_brute.rule(prices).aggregate(votes).optima.rank_ranges()
    assert (low <= ranks.min(axis=0)).all()
    assert (high >= ranks.max(axis=0)).all()
    assert np.array_equal(low == 1, (ranks == 1).any(axis=0))


def test_a_time_limit_keeps_earlier_results() -> None:
    votes = ra.PairwiseMatrix.from_wins(np.zeros((4, 4)))
    found = weak_brute.rule(HALF).aggregate(votes).optima
    with pytest.raises(OutOfTimeError):
        _ = found.within(0).is_unique
    assert not found.is_unique
    assert not found.within(0).is_unique
    assert found.within(10).count() == 75
    stopped = weak_brute.rule(HALF, time_limit=0).aggregate(ra.datasets.load("condorcet_1785"))
    with pytest.raises(InformationLostError, match="this ranking has a gap"):
        _ = stopped.optima
