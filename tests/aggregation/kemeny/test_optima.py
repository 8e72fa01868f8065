"""The set of optima against all permutations, and on data whose numbers are known."""

import itertools
import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg.aggregation.kemeny import optima as module
from rankagg.aggregation.kemeny import optimal_relation
from rankagg.exceptions import (
    InformationLostError,
    InvalidInputError,
    ItemMismatchError,
    OutOfTimeError,
    TooLargeError,
)
from tests import oracles
from tests.aggregation.kemeny.test_aggregator import integer_matrices
from tests.strategies import policies, profiles, rankings


def brute(votes: ra.PairwiseMatrix) -> tuple[Fraction, set[tuple[int, ...]]]:
    cost, orders = oracles.kemeny(votes.scaled_wins.tolist())
    return cost, {tuple(order) for order in orders}


def check(votes: ra.PairwiseMatrix, optima: ra.Optima) -> None:
    n = votes.n_items
    _, orders = brute(votes)
    places = [np.argsort(order) for order in orders]
    always = np.all([place[:, None] < place[None, :] for place in places], axis=0)
    assert np.array_equal(optima.relation(), always)
    assert optima.count() == len(orders)
    assert optima.is_unique == (len(orders) == 1)
    assert optima.n_undecided_pairs == n * (n - 1) // 2 - always.sum()
    listed = [tuple(votes.items.indices(ranking.order)) for ranking in optima]
    assert len(listed) == len(orders)
    assert set(listed) == orders
    ranks = 1 + np.array(places)
    best, worst = optima.rank_ranges()
    assert best.tolist() == ranks.min(axis=0).tolist()
    assert worst.tolist() == ranks.max(axis=0).tolist()
    assert optima.winners() == votes.items.where((ranks == 1).any(axis=0))


@given(votes=integer_matrices((1, 3, 10**6, 2**65)))
def test_optima_of_any_matrix_equal_brute_force(votes: ra.PairwiseMatrix) -> None:
    check(votes, ra.Kemeny().aggregate(votes).optima)


@given(profile=profiles(max_size=5), unranked=policies)
def test_optima_of_profiles_equal_brute_force(profile: ra.Profile, unranked: str) -> None:
    votes = profile.with_unranked(unranked).pairwise()
    check(votes, ra.Kemeny().aggregate(votes).optima)


@given(votes=integer_matrices(), ranking=rankings(unlisted=False))
def test_nearest_and_farthest_optimum(votes: ra.PairwiseMatrix, ranking: ra.PartialRanking) -> None:
    n = min(votes.n_items, ranking.n_items)
    smaller = ra.PairwiseMatrix.from_wins(votes.wins[:n, :n])
    target = ra.PartialRanking.from_ranks(
        np.where(ranking.ranks[:n] >= 0, ranking.ranks[:n], np.nan), items=range(n)
    )
    optima = ra.Kemeny().aggregate(smaller).optima
    before = np.array(oracles.probability_before(target), dtype=float)

    def distance(optimum: ra.PartialRanking) -> float:
        ahead = optimum.ranks[:, None] < optimum.ranks[None, :]
        return float((ahead * before.T).sum())

    distances = [distance(optimum) for optimum in optima]
    assert distance(optima.nearest(target)) == pytest.approx(min(distances))
    assert distance(optima.farthest(target)) == pytest.approx(max(distances))
    assert optima.nearest(target) in set(optima)


def test_the_addition_radius_equals_brute_force() -> None:
    rng = random.Random(5)
    for _ in range(8):
        orders = [rng.sample("ABC", 3) for _ in range(rng.randrange(1, 6))]
        profile = ra.Profile.from_orders(orders, items="ABC")
        exact = ra.Kemeny().aggregate(profile)
        radius = exact.optima.addition_radius
        ballots = [ra.Permutation.from_order(o, items="ABC") for o in itertools.permutations("ABC")]

        def can_be_beaten(size: int, profile=profile, exact=exact, ballots=ballots) -> bool:
            for added in itertools.combinations_with_replacement(ballots, size):
                votes = ra.Profile([*profile, *added]).pairwise()
                cost, _ = oracles.kemeny(votes.wins.tolist())
                if votes.cost(exact.ranking) > cost:
                    return True
            return False

        assert can_be_beaten(radius)
        assert radius == 1 or not can_be_beaten(radius - 1)


def test_three_cycle_has_three_optima_in_one_block() -> None:
    optima = ra.Kemeny().aggregate(ra.datasets.load("three_cycle")).optima
    assert (optima.count(), optima.blocks, optima.is_unique) == (3, (("A", "B", "C"),), False)
    assert not optima.relation().any()
    assert repr(optima) == "<Optima: 3 pairs of 3 items undecided>"
    assert [len(optima.first(limit)) for limit in (1, 2, 9)] == [1, 2, 3]
    assert repr(ra.Kemeny().aggregate(ra.datasets.load("tennessee")).optima) == "<Optima: one>"
    with pytest.raises(InvalidInputError, match="`limit` must be an integer of at least 1"):
        optima.first(0)
    with pytest.raises(ItemMismatchError, match="The optima and a ranking"):
        optima.nearest(ra.Permutation.from_order("AB"))


TWO_BLOCKS = ["ABCDE", "BADEC", "ABECD", "BACDE", "ABDEC", "BAECD"]  # a tie above a cycle


@pytest.mark.parametrize(
    ("orders", "text"),
    [
        (["ABC"], "this one only"),
        (["ABC", "BCA", "CAB"], "3 rankings, which differ on 3 of 3 pairs, in one block"),
        (["ABCD", "ABDC"], "2 rankings, which differ on 1 of 6 pairs, in one block"),
        (TWO_BLOCKS, "6 rankings, which differ on 4 of 10 pairs, in 2 blocks"),
    ],
)
def test_the_summary_counts_rankings_pairs_and_blocks(orders: list[str], text: str) -> None:
    optima = ra.Kemeny().aggregate(ra.Profile.from_orders(orders)).optima
    assert optima.summary() == str(optima) == text


def test_the_summary_states_what_was_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    optima = ra.Kemeny().aggregate(ra.Profile.from_orders(TWO_BLOCKS)).optima
    monkeypatch.setattr(module, "ENUMERABLE", 3)
    assert optima.count() == 6
    monkeypatch.setattr(module, "ENUMERABLE", 2)
    again = optima.within(None)
    # Moves of single items meet both orders of the tie, and all three of the cycle.
    assert again.summary() == (
        "more than one, which differ on 4 of 10 pairs, in 2 blocks; not counted: The optima "
        "differ within a block of 3 items; blocks of at most 2 can be counted. At least 6 optima "
        "exist; `relation()` and `blocks` are complete."
    )
    target = ra.Permutation.from_order("ABCDE")
    for ask in (lambda: list(again), lambda: again.nearest(target)):
        with pytest.raises(TooLargeError, match="block of 3 items; blocks of at most 2"):
            ask()


def test_gaps_and_other_rules_have_no_set_of_optima_and_one_item_no_radius() -> None:
    stopped = ra.Kemeny(time_limit=0).aggregate(ra.datasets.load("three_cycle"))
    with pytest.raises(InformationLostError, match="gap"):
        _ = stopped.optima
    assert ra.Borda().aggregate(ra.datasets.load("tennessee")).optima is None
    votes = ra.PairwiseMatrix.from_wins([[0]])
    assert ra.Kemeny().aggregate(votes).optima.addition_radius is None


def test_known_numbers_of_optima(data) -> None:
    expected = {"tasks/xtreme.csv": (42, None), "tasks/glue.csv": (16_230_240, 47)}
    for name, (count, pairs) in expected.items():
        table = ra.read_scores(data(name), higher_is_better=True)
        optima = ra.Kemeny().aggregate(table).optima
        assert optima.count() == count
        if pairs is not None:
            assert optima.n_undecided_pairs == pairs


# -- winners and places of large blocks -----------------------------------------------------------

# The optima are CEBAD, CBAED, CAEDB, ACEDB, ADCEB and AEDCB: E follows no single other in all of
# them, and yet it is first in none.
LATE = np.array(
    [[0, 0, 0, 2, 1], [2, 0, 0, 1, 0], [0, 1, 0, 1, 1], [0, 2, 2, 0, 1], [0, 1, 0, 2, 0]]
)


def with_one_above(wins):
    """Return the votes with one more item, X, that beats all others."""
    n = len(wins)
    larger = np.zeros((n + 1, n + 1))
    larger[:n, :n] = wins
    larger[n, :n] = 1
    return ra.PairwiseMatrix.from_wins(larger, items="ABCDE"[:n] + "X")


def test_places_in_large_blocks_are_bounded_by_the_relation(monkeypatch):
    monkeypatch.setattr(module, "RANGED", 1)
    optima = ra.Kemeny().aggregate(with_one_above(LATE)).optima
    above = optima.relation().sum(axis=0)
    below = optima.relation().sum(axis=1)
    best, worst = optima.rank_ranges()
    assert best.tolist() == (1 + above).tolist()
    assert worst.tolist() == (6 - below).tolist()


@pytest.mark.parametrize(("ranged", "searched"), [(5, False), (4, True)])
def test_tables_serve_blocks_up_to_a_size(monkeypatch, ranged, searched):
    began = []
    monkeypatch.setattr(module, "RANGED", ranged)
    search = optimal_relation.can_lead
    monkeypatch.setattr(
        optimal_relation, "can_lead", lambda *args: began.append(1) or search(*args)
    )
    optima = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(LATE)).optima
    assert optima.winners() == (0, 2)
    assert bool(began) == searched
    late = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(LATE)).optima
    late.relation()
    with pytest.raises(OutOfTimeError):
        late.within(0).winners()


# -- eight items ----------------------------------------------------------------------------------

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
def test_optima_out_of_reach_of_moves_and_bounds_are_found(seed: int) -> None:
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
