"""All that is said of optima of eight items, where bounds leave pairs that a search must settle.

With six items the bounds and a walk over moves of single items settle nearly every pair; here all
40,320 orders are priced at once and compared with what searches found and proved.
"""

from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import optima as module
from rankagg.aggregation.kemeny import optimal_relation

N = 8
ORDERS = np.array(list(permutations(range(N))))
PLACES = np.argsort(ORDERS, axis=1)
ITEMS = ["A", "B", "C", "D", "E", "F", "G", "H"]


def all_optima(votes: ra.PairwiseMatrix) -> np.ndarray:
    """Return the places of the items in each order of least cost."""
    wins = votes.scaled_wins
    cost = np.zeros(len(PLACES), dtype=np.int64)
    for i in range(N):
        for j in range(i):
            cost += np.where(PLACES[:, i] < PLACES[:, j], wins[j, i], wins[i, j])
    return PLACES[cost == cost.min()]


def even_ballots(seed: int) -> ra.PairwiseMatrix:
    rng = np.random.default_rng([N, seed])
    rows = [rng.permutation(N) for _ in range(4 + seed % 2)]
    return ra.Profile.from_ranks(rows, items=ITEMS).pairwise()


def single_votes(seed: int) -> ra.PairwiseMatrix:
    """Return one vote or none for each order of each pair."""
    cells = np.random.default_rng([N, seed]).integers(0, 2, size=(N, N))
    return ra.PairwiseMatrix.from_wins(cells, items=ITEMS)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note how each pair was settled that the bounds had left open."""
    ways: list[str] = []
    force = optimal_relation._Component._force

    def spy(self: optimal_relation._Component, first: int, second: int) -> None:
        follows = bool((self.always[second] & self.always[:, first]).any())
        assert not follows, "what is known is closed under transitivity"
        force(self, first, second)
        ways.append("proved" if self.always[second, first] else "met")

    monkeypatch.setattr(optimal_relation._Component, "_force", spy)
    return ways


def test_relation_count_and_places_are_those_of_all_orders(settled: list[str]) -> None:
    for seed in range(14):
        votes = even_ballots(seed)
        places = all_optima(votes)
        optima = ra.Kemeny().aggregate(votes).optima
        always = (places[:, :, None] < places[:, None, :]).all(axis=0)
        assert np.array_equal(optima.relation(), always)
        assert optima.count() == len(places)
        assert optima.is_unique == (len(places) == 1)
        best, worst = optima.rank_ranges()
        assert np.array_equal(best, 1 + places.min(axis=0))
        assert np.array_equal(worst, 1 + places.max(axis=0))
    assert {"proved", "met"} <= set(settled)


@pytest.mark.parametrize("seed", [82, 497, 859])
def test_optima_are_found_that_no_move_leads_to_and_no_bound_rules_out(seed: int) -> None:
    # The searches for these begin with an order that costs more and a bound that is lower.
    votes = single_votes(seed)
    places = all_optima(votes)
    always = (places[:, :, None] < places[:, None, :]).all(axis=0)
    assert np.array_equal(ra.Kemeny().aggregate(votes).optima.relation(), always)


@pytest.mark.parametrize("ranged", [module.RANGED, 1], ids=["tables", "searches"])
def test_winners_are_those_of_all_orders(monkeypatch: pytest.MonkeyPatch, ranged: int) -> None:
    monkeypatch.setattr(module, "RANGED", ranged)
    for votes in (*map(even_ballots, range(4)), *map(single_votes, range(4))):
        first = (all_optima(votes) == 0).any(axis=0)
        assert ra.Kemeny().aggregate(votes).optima.winners() == votes.items.where(first)
