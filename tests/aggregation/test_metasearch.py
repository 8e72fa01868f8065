"""Rules of metasearch against sums over rankings and scores, one by one, and in fractions."""

from fractions import Fraction
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
from rankagg.core import places
from rankagg.core.places import UNRANKED
from rankagg.exceptions import InvalidInputError
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


def slow_scores(profile, k):
    """Average over the orders of a bucket, one place after the other; None for what is unseen."""
    totals = []
    for item in range(profile.n_items):
        column = profile.ranks[:, item].tolist()
        if all(place == UNRANKED for place in column):
            totals.append(None)
            continue
        total = Fraction(0)
        for row, count, weight in zip(
            profile.ranks.tolist(), profile.counts, profile.weights, strict=True
        ):
            place = row[item]
            if place < 0:
                continue
            mates = row.count(place)
            gains = [1 / (Fraction(k) + place + 1 + step) for step in range(mates)]
            size = int(count) * Fraction(float(weight)).limit_denominator(10**6)
            total += size * sum(gains) / mates
        totals.append(total)
    return totals


@given(profile=profiles(), k=st.sampled_from([0, 0.5, 1, 60, 1000]))
def test_scores_are_sums_of_reciprocals(profile: ra.Profile, k: float) -> None:
    scores = ra.ReciprocalRankFusion(k=k).aggregate(profile).scores
    expected = [np.nan if found is None else float(found) for found in slow_scores(profile, k)]
    np.testing.assert_allclose(scores, expected, rtol=1e-13, atol=0)


def test_what_no_ranking_observes_is_unranked_and_what_all_leave_off_is_last() -> None:
    unseen = ra.Profile([ra.PartialRanking.from_order("AB", items="ABC")])
    assert ra.ReciprocalRankFusion().aggregate(unseen).ranking.ranks.tolist() == [0, 1, UNRANKED]
    off = ra.Profile([ra.PartialRanking.from_top_k("AB", items="ABC")])
    assert ra.ReciprocalRankFusion().aggregate(off).ranking.ranks.tolist() == [0, 1, 2]


def test_weights_of_any_size() -> None:
    """What each weighs is read as a fraction, or as the binary number that it is."""
    orders, rule = ["AB", "BA"], ra.ReciprocalRankFusion()
    for weights in ([1e-99, 3e-99], [2**0.5, 1e9], [1e15, 1e-9], [1e99, 1e99]):
        scores = rule.aggregate(ra.Profile.from_orders(orders, weights=weights)).scores
        expected = [weights[0] / 61 + weights[1] / 62, weights[0] / 62 + weights[1] / 61]
        assert scores == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "60", True, None])
def test_k_is_a_number_from_0(wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="k of ReciprocalRankFusion"):
        ra.ReciprocalRankFusion(k=wrong)


@pytest.mark.parametrize("rule", [ra.CombSUM(), ra.CombMNZ()], ids=str)
def test_sums_of_scores_are_those_of_a_loop(rule):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(7, 4)).round(2)
    values[rng.random((7, 4)) < 0.4] = np.nan
    values[0], values[1] = 0.5, 2.5
    table = ra.ScoreTable(
        values, higher_is_better={0: True, 1: False, 2: True, 3: True}, task_weights={2: 0.5}
    )
    expected = []
    for row in values:
        total, found = 0.0, 0.0
        for task, value in enumerate(row):
            column = [x for x in values[:, task] if not np.isnan(x)]
            if not np.isnan(value):
                found += 0.5 if task == 2 else 1
                share = (value - min(column)) / (max(column) - min(column))
                total += (1 - share if task == 1 else share) * (0.5 if task == 2 else 1.0)
        expected.append(total * (found if isinstance(rule, ra.CombMNZ) else 1))
    assert rule.aggregate(table).scores == pytest.approx(np.array(expected), abs=1e-12)


def test_equal_scores_of_a_run_count_in_full():
    table = ra.ScoreTable([[3.0, 1.0], [3.0, None]], systems="AB", higher_is_better=True)
    assert ra.CombSUM().aggregate(table).scores.tolist() == [2.0, 1.0]
