"""Sums by place against fractions and against sums over all cells."""

import tracemalloc
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import positional
from rankagg.aggregation.metasearch import _expected_distances, distances, footrule_costs
from rankagg.core.arithmetic import exact
from rankagg.core.rankings import places
from tests import oracles, strategies
from tests.strategies import policies, profiles, quick

any_weights = st.one_of(strategies.weights, st.floats(1e-3, 1e3), st.sampled_from([1e15, 1e-90]))


def exact_weights(profile: ra.Profile) -> list[Fraction]:
    """Every weight as the simple fraction it was written as, or as the float that it is."""
    return [exact.as_fraction(weight) for weight in profile.weights.tolist()]


# -- Borda ----------------------------------------------------------------------------------------


@quick
@given(profile=profiles(weights=any_weights), policy=policies)
def test_points_are_the_exact_ones_rounded_once(profile: ra.Profile, policy: str) -> None:
    exact_ones = exact.as_rational(profile.weights).step == 0
    weights = [
        int(count) * (simple if exact_ones else Fraction(float(weight)))
        for count, simple, weight in zip(
            profile.counts, exact_weights(profile), profile.weights, strict=True
        )
    ]
    expected = [float(points) for points in oracles.borda(list(profile), policy, weights)]
    assert ra.Borda(unranked=policy).aggregate(profile).scores.tolist() == expected


@quick
@given(profile=profiles(), policy=policies)
def test_points_from_votes_are_the_same_bits(profile: ra.Profile, policy: str) -> None:
    rule = ra.Borda(unranked=policy)
    assert (
        rule.aggregate(profile.pairwise(policy)).scores.tolist()
        == rule.aggregate(profile).scores.tolist()
    )


# -- Bucklin --------------------------------------------------------------------------------------


def bucklin(profile: ra.Profile) -> list[float]:
    weights = [int(c) * w for c, w in zip(profile.counts, exact_weights(profile), strict=True)]
    n, whole = profile.n_items, sum(weights)
    scores = []
    for item in range(n):
        if (profile.ranks[:, item] == ra.UNRANKED).all():
            scores.append(float("nan"))
            continue
        for depth in range(1, n + 1):
            share = Fraction(0)
            for ranking, weight in zip(profile, weights, strict=True):
                mine = ranking.ranks[item]
                if mine == ra.UNRANKED:
                    continue
                bucket = int((ranking.ranks == mine).sum())
                first = int(mine) if mine >= 0 else int((ranking.ranks >= 0).sum())
                share += weight * min(max(Fraction(depth - first, bucket), 0), 1) / whole
            if share > Fraction(1, 2) or depth == n:
                scores.append(n - depth + float(share))
                break
    return scores


@quick
@given(profile=profiles())
def test_bucklin_counts_every_share_exactly(profile: ra.Profile) -> None:
    assert np.array_equal(ra.Bucklin().aggregate(profile).scores, bucklin(profile), equal_nan=True)


# -- footrule -------------------------------------------------------------------------------------


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


@quick
@given(profile=profiles(weights=any_weights), policy=policies)
def test_footrule_costs_are_sums_over_all_rankings(profile: ra.Profile, policy: str) -> None:
    found = footrule_costs(profile.ranks, profile.counts, profile.weights, policy)
    np.testing.assert_allclose(found, costs_by_cells(profile, policy), rtol=1e-9, atol=1e-100)


@quick
@given(weights=st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1))
def test_distances_are_summed_from_every_column(weights: list[list[int]]) -> None:
    table = np.array(weights)
    expected = table @ np.abs(np.arange(4)[:, None] - np.arange(4))
    assert distances(table).tolist() == expected.tolist()
    assert (
        distances(table.astype(object) * 10**30).tolist()
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


# -- blocks, order, memory ------------------------------------------------------------------------


@quick
@given(profile=profiles(max_rows=6, weights=any_weights), policy=policies, data=st.data())
def test_blocks_and_order_change_no_bit(
    profile: ra.Profile, policy: str, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(profile))))
    rules = [ra.Borda(unranked=policy), ra.Bucklin()]
    whole = [rule.aggregate(profile).scores.tobytes() for rule in rules]
    costs = footrule_costs(profile.ranks, profile.counts, profile.weights, policy)
    turned = profile[order]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positional, "BLOCK", 1)
        assert [rule.aggregate(turned).scores.tobytes() for rule in rules] == whole
        again = footrule_costs(turned.ranks, turned.counts, turned.weights, policy)
    assert again.tobytes() == costs.tobytes()


@pytest.mark.parametrize("rule", [ra.Borda(), ra.Bucklin(), ra.FootruleOptimal()], ids=repr)
@pytest.mark.parametrize("gaps", [False, True])
def test_memory_does_not_grow_with_the_rankings(rule: ra.Aggregator, gaps: bool) -> None:
    scores = np.random.default_rng(0).random((30_000, 20))
    if gaps:
        scores[scores < 0.02] = np.nan
    profile = ra.Profile.from_scores(scores, higher_is_better=True)
    rule.aggregate(profile[:10])  # what is imported late
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positional, "BLOCK", 20_000)
        tracemalloc.start()
        rule.aggregate(profile)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # An array of floats for every cell would be twice the input, and n of them 40 times.
    assert peak < 3 * profile.ranks.nbytes
