"""Who stands first in some optimum, against all permutations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation.kemeny import optima as module
from rankagg.exceptions import BlockTooLargeError
from tests import oracles
from tests.aggregation.kemeny.test_aggregator import integer_matrices
from tests.strategies import policies, profiles, quick

CYCLE = ra.Profile.from_orders(["ABC", "BCA", "CAB"])


@pytest.fixture(params=["tables", "searches"], scope="module")
def way(request):
    """Look winners up in tables of subsets, or search for an order that begins with each."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "searches":
            patch.setattr(module, "RANGED", 1)
        yield request.param


def winners_of(votes):
    """Return the first items of all optimal orders, in the order of the items."""
    _, orders = oracles.kemeny(votes.scaled_wins.tolist())
    return tuple(votes.items[i] for i in sorted({order[0] for order in orders}))


def check(votes):
    exact = ra.Kemeny(unranked=votes.unranked or "uniform").aggregate(votes)
    found = exact.optima.winners()
    assert found == winners_of(votes)
    assert exact.order[0] in found


@quick
@given(votes=integer_matrices())
def test_any_matrix(way, votes):
    check(votes)


@quick
@given(profile=profiles(max_size=6), unranked=policies)
def test_profiles_of_every_kind(way, profile, unranked):
    check(profile.pairwise(unranked))


@quick
@given(data=st.data(), n=st.integers(2, 6))
def test_small_margins_with_many_optima(way, data, n):
    cells = data.draw(st.lists(st.integers(0, 1), min_size=n * n, max_size=n * n))
    check(ra.PairwiseMatrix.from_wins(np.array(cells).reshape(n, n)))


@quick
@given(data=st.data(), n=st.integers(2, 5))
def test_costs_beyond_64_bits(way, data, n):
    huge = st.sampled_from([0.0, 1.0, 2.0**61, 1e20])
    cells = data.draw(st.lists(huge, min_size=n * n, max_size=n * n))
    check(ra.PairwiseMatrix.from_wins(np.array(cells).reshape(n, n)))


def test_each_of_a_cycle_may_win(way):
    assert ra.Kemeny().aggregate(CYCLE).optima.winners() == ("A", "B", "C")


def test_a_unique_optimum_has_one_winner(way):
    exact = ra.Kemeny().aggregate(ra.datasets.load("tennessee"))
    assert exact.optima.winners() == ("Nashville",)
    assert ra.Kemeny().aggregate(ra.Profile.from_orders(["A"])).optima.winners() == ("A",)


def test_all_may_win_where_all_is_tied(way):
    nothing = ra.PairwiseMatrix.from_wins(np.zeros((4, 4)), items="DCBA")
    assert ra.Kemeny().aggregate(nothing).optima.winners() == ("D", "C", "B", "A")


def test_only_the_first_block_may_win(way):
    # A and B are tied above the cycle of C, D and E.
    orders = ["ABCDE", "BADEC", "ABECD", "BACDE", "ABDEC", "BAECD"]
    optima = ra.Kemeny().aggregate(ra.Profile.from_orders(orders)).optima
    assert optima.winners() == ("A", "B")
    assert optima.blocks == (("A", "B"), ("C", "D", "E"))


# The optima are CEBAD, CBAED, CAEDB, ACEDB, ADCEB and AEDCB: E follows no single other in all of
# them, and yet it is first in none.
LATE = np.array(
    [
        [0, 0, 0, 2, 1],
        [2, 0, 0, 1, 0],
        [0, 1, 0, 1, 1],
        [0, 2, 2, 0, 1],
        [0, 1, 0, 2, 0],
    ]
)


def test_an_item_that_follows_no_single_other_may_still_never_win(way):
    optima = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(LATE, items="ABCDE")).optima
    assert not optima.relation()[:, 4].any()
    assert optima.winners() == ("A", "C")
    best, _ = optima.rank_ranges()
    assert best.tolist() == [1, 2, 1, 2, 2]


def test_winners_of_a_block_that_is_too_large_to_count():
    nothing = ra.PairwiseMatrix.from_wins(np.zeros((21, 21)))
    optima = ra.Kemeny().aggregate(nothing).optima
    with pytest.raises(BlockTooLargeError):
        optima.count()
    assert optima.winners() == tuple(range(21))
