"""Footrule optima against sums over all rankings, and over all compatible permutations."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation.searches import (
    _expected_distances,
    _footrule_costs,
    _summed_distances,
)
from rankagg.core.rankings import places
from tests.aggregation.test_positional import any_weights
from tests.strategies import policies, profiles


def costs_by_cells(profile: ra.Profile, policy: str) -> np.ndarray:
    """The sum over rankings of an n x n table each."""
    n = profile.n_items
    ranks = places.unranked_last(profile.ranks) if policy == "last" else profile.ranks
    costs = np.zeros((n, n))
    at = np.arange(n)
    for row, mids, weight in zip(
        ranks, places.mid_ranks(ranks), profile.counts * profile.weights, strict=True
    ):
        k = int((row != ra.UNRANKED).sum())
        for item in range(n):
            if policy == "uniform" and k < n:
                doubled = 2 * k if np.isnan(mids[item]) else round(2 * mids[item])
                far = _expected_distances(n, k)[doubled]
            elif np.isnan(mids[item]):
                far = np.zeros(n)
            else:
                place = (mids[item] + 0.5) * n / k - 0.5 if policy == "ignore" else mids[item]
                far = np.abs(place - at)
            costs[item] += weight * far
    return costs


@given(profile=profiles(weights=any_weights), policy=policies)
def test_footrule_costs_are_sums_over_all_rankings(profile: ra.Profile, policy: str) -> None:
    found = _footrule_costs(profile.with_unranked(policy))
    np.testing.assert_allclose(found, costs_by_cells(profile, policy), rtol=1e-9, atol=1e-100)


@given(weights=st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1))
def test_distances_are_summed_from_every_column(weights: list[list[int]]) -> None:
    table = np.array(weights)
    expected = table @ np.abs(np.arange(4)[:, None] - np.arange(4))
    assert _summed_distances(table).tolist() == expected.tolist()
    assert (
        _summed_distances(table.astype(object) * 10**30).tolist()
        == (expected.astype(object) * 10**30).tolist()
    )


@pytest.mark.parametrize(("n", "k"), [(4, 0), (4, 1), (4, 3), (6, 4)])
def test_expected_distances_are_means_over_all_choices_of_places(n: int, k: int) -> None:
    table = _expected_distances(n, k)
    chosen = np.array(list(combinations(range(n), k)))
    for r in range(k):
        far = [np.abs(chosen[:, r] - p).mean() for p in range(n)]
        np.testing.assert_allclose(table[2 * r], far, atol=1e-12)
        if r:  # two items that are tied have the place halfway
            np.testing.assert_allclose(
                table[2 * r - 1], (table[2 * r - 2] + table[2 * r]) / 2, atol=1e-12
            )
    anywhere = [np.abs(np.arange(n) - p).mean() for p in range(n)]
    np.testing.assert_allclose(table[2 * k], anywhere, atol=1e-12)


@given(orders=st.lists(st.permutations(range(4)), min_size=1, max_size=5))
def test_no_ranking_is_nearer_by_footrule(orders):
    profile = ra.Profile.from_orders(orders, items=range(4))
    found = ra.FootruleOptimal().aggregate(profile).ranking

    def total(ranking):
        return sum(ra.distances.spearman_footrule(ranking, vote) for vote in profile)

    assert total(found) == min(total(ra.Permutation.from_ranks(p)) for p in permutations(range(4)))
