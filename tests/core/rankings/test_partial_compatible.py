from collections import Counter
from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankagg import PartialRanking, Permutation, Profile
from rankagg.exceptions import InvalidInputError
from tests import oracles, strategies

# Chance that a correct sampler fails a test, had the seed not been fixed.
ALPHA = 1e-6
DRAWS = 24_000
SEED = 20_240_229

# Items A, B, C, D with places None, 0, 1, None: B before C, A and D not observed.
EXAMPLE = PartialRanking.from_order("BC", items="ABCD")


# -- their number ---------------------------------------------------------------------------------


@given(strategies.rankings())
@strategies.quick
def test_all_of_them_are_listed_once_and_counted(ranking):
    found = list(ranking.compatible_permutations())
    assert all(type(p) is Permutation and p.items == ranking.items for p in found)
    listed = [tuple(p.ranks.tolist()) for p in found]
    assert sorted(listed) == sorted(oracles.compatible_permutations(ranking))
    assert len(listed) == ranking.n_compatible_permutations


@pytest.mark.parametrize(("n", "k"), [(1, 0), (4, 2), (5, 5), (6, 0), (30, 4)])
def test_a_strict_ranking_of_k_of_n_items_has_n_over_k_factorials(n, k):
    ranking = PartialRanking.from_order(range(k), items=range(n))
    assert ranking.n_compatible_permutations == factorial(n) // factorial(k)


def test_every_bucket_multiplies_their_number_by_its_factorial():
    tied = PartialRanking.from_buckets([[0, 1, 2], [3], [4, 5]], items=range(9))
    assert tied.n_compatible_permutations == factorial(9) // factorial(6) * 6 * 2
    top = PartialRanking.from_top_k([0, 1], items=range(7))
    assert top.n_compatible_permutations == factorial(5)


# -- what they say on average ---------------------------------------------------------------------


@given(strategies.rankings())
@strategies.quick
def test_pairwise_probabilities_are_those_of_an_enumeration(ranking):
    expected = np.array(oracles.probability_before(ranking), dtype=float)
    np.testing.assert_allclose(ranking.pairwise_probabilities(), expected, rtol=0, atol=1e-14)


@given(strategies.rankings())
@strategies.quick
def test_expected_ranks_are_those_of_an_enumeration(ranking):
    expected = np.array(oracles.expected_places(ranking), dtype=float)
    np.testing.assert_allclose(ranking.expected_ranks(), expected, rtol=0, atol=1e-13)


def test_the_missing_items_example():
    # The oracle itself is held to a known answer, in sixths.
    sixths = [[0, 2, 4, 3], [4, 0, 6, 4], [2, 0, 0, 2], [3, 2, 4, 0]]
    expected = [[Fraction(value, 6) for value in row] for row in sixths]
    assert oracles.probability_before((None, 0, 1, None)) == expected
    np.testing.assert_allclose(
        EXAMPLE.pairwise_probabilities(), np.array(expected, dtype=float), atol=1e-15
    )
    assert EXAMPLE.n_compatible_permutations == 12


@pytest.mark.parametrize("n", [5, 9, 40])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_an_unobserved_item_precedes_place_r_of_k_alike_for_every_n(n, k):
    before = PartialRanking.from_order(range(k), items=range(n)).pairwise_probabilities()
    for r in range(k):
        assert before[n - 1, r] == pytest.approx((r + 1) / (k + 1), abs=1e-15)
        assert before[r, n - 1] == pytest.approx(1 - (r + 1) / (k + 1), abs=1e-15)


@given(strategies.rankings(max_size=40))
@strategies.quick
def test_probabilities_and_expected_ranks_agree_for_any_size(ranking):
    n = ranking.n_items
    before = ranking.pairwise_probabilities()
    np.testing.assert_allclose(before + before.T, 1.0 - np.eye(n), atol=1e-14)
    np.testing.assert_allclose(before.sum(axis=0), ranking.expected_ranks(), atol=1e-11)


# -- drawing them ---------------------------------------------------------------------------------


def draw_rows(*rankings):
    """Draw many compatible permutations of each ranking at once, in turns."""
    rows = np.arange(DRAWS * len(rankings)) % len(rankings)
    return Profile(rankings)[rows].sample_compatible(rng=SEED).ranks


def count_each(ranking, drawn):
    counted = Counter(map(tuple, drawn))
    possible = oracles.compatible_permutations(ranking)
    assert set(counted) <= set(possible)
    return [counted[places] for places in possible]


def assert_equally_likely(counts):
    statistic = stats.chisquare(counts).statistic
    assert statistic < stats.chi2.isf(ALPHA, df=len(counts) - 1)
    # Too even to be random is wrong as well.
    assert statistic > stats.chi2.ppf(ALPHA, df=len(counts) - 1)


@given(strategies.rankings(), st.integers(0, 2**32))
@strategies.quick
def test_every_draw_is_compatible(ranking, seed):
    drawn = ranking.sample_compatible(5, rng=seed)
    assert len(drawn) == 5
    assert all(type(p) is Permutation and p.items == ranking.items for p in drawn)
    assert sum(count_each(ranking, [p.ranks.tolist() for p in drawn])) == 5


@pytest.mark.parametrize(
    "places",
    [
        [0, 1, -1],  # a shuffle that tosses a fair coin for the next item gives 1/2, 1/4 and 1/4
        [1, 0, -1],
        [-1, 0, 1, -1],
        [0, 0, -1],
        [0, 1, 1, -1],
        [-1, -1, -1],
        [0, -2, -2, -1],
        [-2, -2, -2, 0],
        [0, 0, 2, 2],
        [1, -1, 0, -1, -2],
    ],
    ids=str,
)
def test_all_compatible_permutations_are_equally_likely(places):
    ranking = PartialRanking(places)
    assert_equally_likely(count_each(ranking, draw_rows(ranking).tolist()))


def test_draws_of_one_ranking_are_uniform_and_independent():
    ranking = PartialRanking.from_order("AB", items="ABC")
    drawn = [p.rank("C") for p in ranking.sample_compatible(6000, rng=SEED)]
    assert_equally_likely([drawn.count(rank) for rank in (1, 2, 3)])
    neighbors = Counter(zip(drawn[::2], drawn[1::2], strict=True))
    assert_equally_likely([neighbors[a, b] for a in (1, 2, 3) for b in (1, 2, 3)])


def test_rows_of_a_profile_are_drawn_independently():
    row = PartialRanking.from_buckets([["B"], ["C", "D"]], items="ABCD")
    top = PartialRanking.from_top_k("A", items="ABCD")
    drawn = draw_rows(row, top)
    assert_equally_likely(count_each(row, drawn[::2].tolist()))
    assert_equally_likely(count_each(top, drawn[1::2].tolist()))
    both = Counter(zip(drawn[::2, 0].tolist(), drawn[1::2, 1].tolist(), strict=True))
    assert_equally_likely([both[a, b] for a in range(4) for b in range(1, 4)])


def test_a_seed_or_a_generator_decides_the_draws():
    assert EXAMPLE.sample_compatible(0, rng=1) == []
    first = EXAMPLE.sample_compatible(20, rng=7)
    assert first == EXAMPLE.sample_compatible(20, rng=7)
    assert first == EXAMPLE.sample_compatible(20, rng=np.random.default_rng(7))
    assert first != EXAMPLE.sample_compatible(20, rng=8)
    generator = np.random.default_rng(7)
    assert EXAMPLE.sample_compatible(20, rng=generator) == first
    assert EXAMPLE.sample_compatible(20, rng=generator) != first


@pytest.mark.parametrize("size", [-1, 1.5, "3", None, True])
def test_a_size_is_a_whole_number(size):
    with pytest.raises(InvalidInputError, match="`size`"):
        EXAMPLE.sample_compatible(size, rng=1)


@pytest.mark.parametrize("rng", [-1, "seed", 1.5])
def test_a_random_state_is_a_seed_or_a_generator(rng):
    with pytest.raises(InvalidInputError, match="`rng`"):
        EXAMPLE.sample_compatible(1, rng=rng)
    with pytest.raises(InvalidInputError, match="`rng`"):
        Profile([EXAMPLE]).sample_compatible(rng=rng)
