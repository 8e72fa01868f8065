from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from rankagg import PartialRanking, Permutation, kendall_distance, kendall_tau
from rankagg.distances import spearman_footrule, spearman_rho
from rankagg.exceptions import InvalidInputError
from tests import oracles, strategies
from tests.distances.test_common import assert_same, have_common_items

NAN = float("nan")
ABC = Permutation.from_order("ABC")


# -- against the definitions ----------------------------------------------------------------------


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
@strategies.quick
def test_kendall_distance_counts_pairs(both):
    first, second = both
    for p in (0.0, 0.25, 0.5, 1.0):
        assert kendall_distance(first, second, p=p) == oracles.kendall_distance(
            first, second, Fraction(p)
        )


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
@strategies.quick
def test_a_normalized_distance_is_a_share_of_the_compared_pairs(both):
    compared = len(oracles.judged_pairs(*both))
    computed = kendall_distance(*both, p=0.5, normalized=True)
    expected = oracles.kendall_distance(*both, Fraction(1, 2)) / compared if compared else NAN
    assert_same(computed, expected)


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
@strategies.quick
def test_tau_follows_its_definitions(both):
    assert_same(kendall_tau(*both, variant="a"), oracles.kendall_tau_a(*both))
    assert_same(kendall_tau(*both, variant="b"), oracles.kendall_tau_b(*both))
    assert_same(kendall_tau(*both), oracles.kendall_tau_b(*both))


# -- known values ---------------------------------------------------------------------------------


@given(strategies.ranking_pairs(min_size=2, max_size=40, unranked=False, unlisted=False))
@strategies.quick
def test_complete_rankings_agree_with_scipy(both):
    first, second = (ranking.ranks for ranking in both)
    if min(len(set(first)), len(set(second))) > 1:  # SciPy warns of constant input
        assert_same(kendall_tau(*both), stats.kendalltau(first, second).statistic)
        assert_same(spearman_rho(*both), stats.spearmanr(first, second).statistic)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8, 100, 1001])
def test_a_ranking_agrees_with_itself_and_is_opposed_to_its_reverse(n):
    ranking = Permutation.identity(range(n))
    opposite = ranking.reverse()
    assert kendall_distance(ranking, ranking) == spearman_footrule(ranking, ranking) == 0
    assert kendall_distance(ranking, opposite) == n * (n - 1) / 2
    assert kendall_distance(ranking, opposite, normalized=True) == 1
    assert spearman_footrule(ranking, opposite) == n * n // 2
    assert spearman_footrule(ranking, opposite, normalized=True) == 1
    for variant in "ab":
        assert kendall_tau(ranking, ranking, variant=variant) == 1
        assert kendall_tau(ranking, opposite, variant=variant) == -1
    assert spearman_rho(ranking, ranking) == 1
    assert spearman_rho(ranking, opposite) == -1


@given(strategies.ranking_pairs(min_size=2, max_size=30, unranked=False, unlisted=False))
@strategies.quick
def test_correlations_stay_between_their_bounds(both):
    first, second = both
    for tau in (kendall_tau(first, second), kendall_tau(first, first), spearman_rho(first, first)):
        assert isnan(tau) or -1 <= tau <= 1


def test_large_rankings_are_counted_exactly():
    rng = np.random.default_rng(5)
    first, second = (Permutation(rng.permutation(3000)) for _ in range(2))
    order = second.ranks[np.argsort(first.ranks)]
    inversions = sum(int((order[i + 1 :] < order[i]).sum()) for i in range(3000))
    assert kendall_distance(first, second) == inversions


# -- distributions --------------------------------------------------------------------------------


def test_what_has_no_value_is_nan():
    tied = PartialRanking([0, 0, 0], "ABC")
    assert isnan(kendall_tau(tied, ABC))
    assert kendall_tau(tied, ABC, variant="a") == 0
    assert isnan(spearman_rho(tied, ABC))
    alone = PartialRanking([0, -1, -1], "ABC")
    assert kendall_distance(alone, ABC) == spearman_footrule(alone, ABC) == 0
    assert isnan(kendall_distance(alone, ABC, normalized=True))
    assert isnan(spearman_footrule(alone, ABC, normalized=True))
    assert isnan(kendall_tau(alone, ABC, variant="a"))


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [-0.1, 1.1, NAN, "0", None, True])
def test_the_cost_of_a_tie_is_between_nothing_and_one(p):
    with pytest.raises(InvalidInputError, match=r"`p` must be a number in \[0, 1\]"):
        kendall_distance(ABC, ABC, p=p)


@pytest.mark.parametrize("variant", ["c", "B", None, 1])
def test_tau_has_two_variants(variant):
    with pytest.raises(InvalidInputError, match="`variant` must be 'a' or 'b'"):
        kendall_tau(ABC, ABC, variant=variant)
