from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from rankagg import PartialRanking, Permutation, kendall_distance, kendall_tau
from rankagg.distances import spearman_footrule, spearman_rho, tau_x
from rankagg.exceptions import InvalidInputError
from tests import oracles, strategies
from tests.distances.test_common import assert_same, have_common_items

NAN = float("nan")
ABC = Permutation.from_order("ABC")


# -- against the definitions ----------------------------------------------------------------------


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
def test_kendall_distance_counts_pairs(both):
    first, second = both
    for p in (0.0, 0.25, 0.5, 1.0):
        assert kendall_distance(first, second, tie_cost=p) == oracles.kendall_distance(
            first, second, Fraction(p)
        )


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
def test_a_normalized_distance_is_a_share_of_the_compared_pairs(both):
    compared = len(oracles.judged_pairs(*both))
    computed = kendall_distance(*both, tie_cost=0.5, normalized=True)
    expected = oracles.kendall_distance(*both, Fraction(1, 2)) / compared if compared else NAN
    assert_same(computed, expected)


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
def test_tau_follows_its_definitions(both):
    assert_same(kendall_tau(*both, variant="a"), oracles.kendall_tau_a(*both))
    assert_same(kendall_tau(*both, variant="b"), oracles.kendall_tau_b(*both))
    assert_same(kendall_tau(*both), oracles.kendall_tau_b(*both))


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
def test_tau_x_is_the_product_of_the_score_matrices(both):
    # Emond and Mason: 1 for ahead or tied, -1 for behind, in both orders of each compared pair.
    judged = oracles.judged_pairs(*both)
    score = {oracles.ABOVE: (1, -1), oracles.TIED: (1, 1), oracles.BELOW: (-1, 1)}
    products = [x * y for pair in judged for x, y in zip(*map(score.get, pair), strict=True)]
    assert_same(tau_x(*both), sum(products) / len(products) if products else NAN)


# -- known values ---------------------------------------------------------------------------------


def test_tau_x_counts_what_both_tie_as_agreement():
    tied = PartialRanking([0, 0, 0], "ABC")
    assert (tau_x(tied, tied), tau_x(tied, ABC), tau_x(ABC, ABC.reverse())) == (1, 0, -1)


@given(strategies.ranking_pairs(min_size=2, max_size=40, unranked=False, unlisted=False))
def test_complete_rankings_agree_with_scipy(both):
    first, second = (ranking.ranks for ranking in both)
    if min(len(set(first)), len(set(second))) > 1:  # SciPy warns of constant input
        assert_same(kendall_tau(*both), stats.kendalltau(first, second).statistic)
        assert_same(spearman_rho(*both), stats.spearmanr(first, second).statistic)


@pytest.mark.parametrize("n", [2, 3, 4, 1001])
def test_a_ranking_is_opposed_to_its_reverse(n):
    both = (Permutation.identity(range(n)), Permutation.identity(range(n)).reverse())
    for distance, largest in ((kendall_distance, n * (n - 1) / 2), (spearman_footrule, n * n // 2)):
        assert (distance(*both), distance(*both, normalized=True)) == (largest, 1)
    assert kendall_tau(*both) == kendall_tau(*both, variant="a") == spearman_rho(*both) == -1


def test_large_rankings_are_counted_exactly():
    rng = np.random.default_rng(5)
    first, second = (Permutation.from_ranks(rng.permutation(3000)) for _ in range(2))
    order = second.ranks[np.argsort(first.ranks)]
    inversions = sum(int((order[i + 1 :] < order[i]).sum()) for i in range(3000))
    assert kendall_distance(first, second) == inversions


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


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda p=p: kendall_distance(ABC, ABC, tie_cost=p), "`tie_cost` must be a number in ")
          for p in (-0.1, 1.1, NAN, "0", None, True)),
        *((lambda v=v: kendall_tau(ABC, ABC, variant=v), "`variant` must be 'a' or 'b'")
          for v in ("c", "B", None, 1)),
    ],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()
