from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.strategies import ranking_pairs


@given(pair=ranking_pairs(), persistence=st.sampled_from([0.1, 0.5, 0.9, 0.99]))
def test_rank_biased_overlap_averages_the_overlap_of_the_first_k(pair, persistence):
    first, second = pair
    both = (first.ranks != ra.UNRANKED) & (second.ranks != ra.UNRANKED)
    if not both.any():
        with pytest.raises(InvalidInputError, match="in common"):
            ra.distances.rank_biased_overlap(first, second)
        return
    n = int(both.sum())
    overlap = [ra.distances.top_k_agreement(first, second, k) for k in range(1, n + 1)]
    expected = sum((1 - persistence) * persistence**k * a for k, a in enumerate(overlap))
    found = ra.distances.rank_biased_overlap(first, second, persistence=persistence)
    assert found == pytest.approx(expected + persistence**n)
    assert 0 <= found <= 1 + 1e-12


def test_rank_biased_overlap_of_equal_and_of_reversed_rankings():
    abc = ra.Permutation.from_order("ABC")
    assert ra.distances.rank_biased_overlap(abc, abc) == pytest.approx(1)
    low = ra.distances.rank_biased_overlap(abc, abc.reverse(), persistence=0.5)
    assert low == pytest.approx(0.5 * 0 + 0.25 * 0.5 + 0.125 + 0.125)
    for wrong in (0, 1, -1, "x"):
        with pytest.raises(InvalidInputError, match="persistence"):
            ra.distances.rank_biased_overlap(abc, abc, persistence=wrong)


@given(orders=st.lists(st.permutations(range(6)), min_size=2, max_size=2), additive=st.booleans())
def test_weighted_tau_sums_over_pairs(orders, additive):
    first, second = (ra.Permutation.from_order(order) for order in orders)

    def by_places_of(lead):
        total = weight_sum = 0.0
        for i, j in combinations(range(6), 2):
            r, s = 1 / (lead.ranks[i] + 1), 1 / (lead.ranks[j] + 1)
            weight = r + s if additive else r * s
            agree = (first.ranks[i] < first.ranks[j]) == (second.ranks[i] < second.ranks[j])
            total += weight * (1 if agree else -1)
            weight_sum += weight
        return total / weight_sum

    expected = (by_places_of(first) + by_places_of(second)) / 2
    assert ra.distances.weighted_kendall_tau(first, second, additive=additive) == pytest.approx(
        expected
    )
