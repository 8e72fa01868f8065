"""Distances in which all ranks matter alike, against definitions, searches and SciPy."""

from collections import deque
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
import rankagg.distances
from rankagg import PartialRanking, Permutation, kendall_distance, kendall_tau
from rankagg.distances import spearman_footrule, spearman_rho, tau_x, top_k_agreement
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from rankagg.testing.distributions import DistanceContract
from tests import oracles, strategies
from tests.strategies import strict_rankings

ABC = Permutation.from_order("ABC")
NAN = float("nan")
ALL = [kendall_distance, kendall_tau, spearman_footrule, spearman_rho]
MOVES = (ra.distances.cayley_distance, ra.distances.hamming_distance, ra.distances.ulam_distance)


def have_common_items(first, second):
    return len(oracles.common(first, second)[0]) > 0


PAIRS = strategies.ranking_pairs().filter(lambda both: have_common_items(*both))


def assert_same(computed, expected):
    """Compare two numbers; both may be NaN."""
    if isnan(expected):
        assert isnan(computed)
    else:
        assert computed == pytest.approx(float(expected), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    "other",
    [Permutation.from_order("ABD"), Permutation.from_order("AB"), ABC.reindex("CBA")],
    ids=["other items", "fewer items", "another order"],
)
def test_rankings_of_other_items_are_refused(other):
    for measure in ALL:
        with pytest.raises(ItemMismatchError, match="reindex"):
            measure(ABC, other)
    with pytest.raises(ItemMismatchError, match="reindex"):
        top_k_agreement(ABC, other, 1)


def test_rankings_share_an_observed_item():
    first = PartialRanking.from_order("A", items="ABC")
    second = PartialRanking.from_order("BC", items="ABC")
    for measure in ALL:
        with pytest.raises(InvalidInputError, match="observe an item in common"):
            measure(first, second)


class TestMetrics(DistanceContract):
    distances = (
        ra.kendall_distance, ra.distances.spearman_footrule, ra.distances.cayley_distance,
        ra.distances.hamming_distance, ra.distances.ulam_distance,
    )  # fmt: skip


class TestCorrelations(DistanceContract):
    kind = "similarity"
    distances = (
        ra.kendall_tau, ra.distances.spearman_rho, ra.distances.weighted_kendall_tau,
        ra.distances.tau_ap, ra.distances.tau_x,
    )  # fmt: skip


class TestAgreement(DistanceContract):
    kind = "similarity"
    separates = False
    distances = (
        partial(ra.distances.top_k_agreement, k=2),
        partial(ra.distances.last_k_agreement, k=3),
        ra.distances.rank_biased_overlap,
    )


def test_every_public_distance_has_a_contract() -> None:
    suites = DistanceContract.__subclasses__()
    tested = {getattr(one, "func", one).__name__ for suite in suites for one in suite.distances}
    assert tested == set(rankagg.distances.__all__)


@given(PAIRS)
def test_kendall_distance_counts_pairs(both):
    first, second = both
    for p in (0.0, 0.25, 0.5, 1.0):
        assert kendall_distance(first, second, tie_cost=p) == oracles.kendall_distance(
            first, second, Fraction(p)
        )


@given(PAIRS)
def test_a_normalized_distance_is_a_share_of_the_compared_pairs(both):
    compared = len(oracles.judged_pairs(*both))
    computed = kendall_distance(*both, tie_cost=0.5, normalized=True)
    expected = oracles.kendall_distance(*both, Fraction(1, 2)) / compared if compared else NAN
    assert_same(computed, expected)


@given(PAIRS)
def test_tau_follows_its_definitions(both):
    assert_same(kendall_tau(*both, variant="a"), oracles.kendall_tau_a(*both))
    assert_same(kendall_tau(*both, variant="b"), oracles.kendall_tau_b(*both))
    assert_same(kendall_tau(*both), oracles.kendall_tau_b(*both))


@given(PAIRS)
def test_tau_x_is_the_product_of_the_score_matrices(both):
    # Emond and Mason: 1 for ahead or tied, -1 for behind, in both orders of each compared pair.
    judged = oracles.judged_pairs(*both)
    score = {oracles.ABOVE: (1, -1), oracles.TIED: (1, 1), oracles.BELOW: (-1, 1)}
    products = [x * y for pair in judged for x, y in zip(*map(score.get, pair), strict=True)]
    assert_same(tau_x(*both), sum(products) / len(products) if products else NAN)


def test_tau_x_counts_shared_ties_as_agreement():
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


def test_undefined_coefficients_are_nan():
    tied = PartialRanking([0, 0, 0], "ABC")
    assert isnan(kendall_tau(tied, ABC))
    assert kendall_tau(tied, ABC, variant="a") == 0
    assert isnan(spearman_rho(tied, ABC))
    alone = PartialRanking([0, -1, -1], "ABC")
    assert kendall_distance(alone, ABC) == spearman_footrule(alone, ABC) == 0
    assert isnan(kendall_distance(alone, ABC, normalized=True))
    assert isnan(spearman_footrule(alone, ABC, normalized=True))
    assert isnan(kendall_tau(alone, ABC, variant="a"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda p=p: kendall_distance(ABC, ABC, tie_cost=p), "`tie_cost` must be a number in ")
          for p in (-0.1, 1.1, NAN, "0", None, True)),
        *((lambda v=v: kendall_tau(ABC, ABC, variant=v), "`variant` must be 'a' or 'b'")
          for v in ("c", "B", None, 1)),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()


@given(PAIRS)
def test_footrule_and_rho_follow_their_definitions(both):
    footrule = oracles.footrule(*both)
    assert spearman_footrule(*both) == footrule
    n = len(oracles.common(*both)[0])
    assert_same(spearman_footrule(*both, normalized=True), footrule / (n * n // 2) if n > 1 else
                float("nan"))  # fmt: skip
    assert_same(spearman_rho(*both), oracles.spearman_rho(*both))


def exchanges(order):
    for i, j in combinations(range(len(order)), 2):
        changed = list(order)
        changed[i], changed[j] = changed[j], changed[i]
        yield tuple(changed)


def insertions(order):
    for i, j in permutations(range(len(order)), 2):
        rest = [*order[:i], *order[i + 1 :]]
        yield (*rest[:j], order[i], *rest[j:])


def steps_from(start, moves):
    """Count the moves to every order, by breadth."""
    found, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for there in moves(here):
            if there not in found:
                found[there] = found[here] + 1
                queue.append(there)
    return found


@pytest.mark.parametrize("n", [1, 3, 5])
@pytest.mark.parametrize(
    ("distance", "moves"),
    [(ra.distances.cayley_distance, exchanges), (ra.distances.ulam_distance, insertions)],
)
def test_the_distance_is_the_least_number_of_moves(distance, moves, n):
    start = ra.Permutation.from_order(range(n))
    for order, steps in steps_from(tuple(range(n)), moves).items():
        assert distance(start, ra.Permutation.from_order(order)) == steps


@given(first=strict_rankings(), data=st.data())
def test_hamming_counts_other_places(first, data):
    order = data.draw(st.permutations(list(first.items)))
    second = ra.Permutation.from_order(order, items=first.items)
    expected = sum(first.rank(item) != second.rank(item) for item in first.items)
    assert ra.distances.hamming_distance(first, second) == expected


@pytest.mark.parametrize("distance", MOVES)
def test_the_largest_distance_is_one_when_normalized(distance):
    start, *others = map(ra.Permutation.from_order, permutations(range(5)))
    assert max(distance(start, other, normalized=True) for other in others) == 1
    one = ra.Permutation.from_order("A")
    assert np.isnan(ra.distances.cayley_distance(one, one, normalized=True))


@pytest.mark.parametrize("distance", MOVES)
def test_a_partial_ranking_without_ties_and_gaps_is_a_permutation(distance):
    first, second = (ra.PartialRanking.from_order(order) for order in ("ABC", "CBA"))
    expected = distance(*map(ra.Permutation.from_order, ("ABC", "CBA")))
    assert distance(first, second) == distance(first, ra.Permutation.from_order("CBA")) == expected


@pytest.mark.parametrize("distance", MOVES)
def test_ties_and_gaps_are_refused(distance):
    whole = ra.Permutation.from_order("ABC")
    for other in (ra.PartialRanking.from_ranks([0, 0, 2], items="ABC"), [0, 1, 2]):
        with pytest.raises(InvalidInputError, match="`second` must be a complete strict ranking"):
            distance(whole, other)
        with pytest.raises(InvalidInputError, match="`first` must be a complete strict ranking"):
            distance(other, whole)
