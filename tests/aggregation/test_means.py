"""Means against NumPy, SciPy and the definition of a weighted median."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg.aggregation.searches import (
    _footrule_costs,
)
from rankagg.core import places
from rankagg.core.places import UNRANKED
from rankagg.exceptions import InvalidInputError
from tests.aggregation.test_positional import any_weights
from tests.strategies import profiles

INVALID = ra.exceptions.InvalidInputError


@st.composite
def positive_tables(draw: st.DrawFn) -> tuple[np.ndarray, list[float]]:
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    cell = st.sampled_from([0.1, 0.5, 1.0, 3.0, 90.0])
    values = draw(st.lists(st.lists(cell, min_size=m, max_size=m), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=m, max_size=m))
    return np.array(values), weights


def table_of(values: np.ndarray, weights: list[float], *, higher: bool = True) -> ra.ScoreTable:
    return ra.ScoreTable(values, higher_is_better=higher, task_weights=dict(enumerate(weights)))


@given(drawn=positive_tables())
def test_means_equal_scipy(drawn: tuple[np.ndarray, list[float]]) -> None:
    values, weights = drawn
    table = table_of(values, weights)
    expected = {
        ra.Mean(): np.average(values, axis=1, weights=weights),
        ra.GeometricMean(): stats.gmean(values, axis=1, weights=weights),
        ra.HarmonicMean(): stats.hmean(values, axis=1, weights=weights),
    }
    for rule, scores in expected.items():
        np.testing.assert_allclose(rule.aggregate(table).scores, scores, rtol=1e-12)


@given(drawn=positive_tables())
def test_median_is_that_of_every_task_repeated_by_its_weight(drawn) -> None:
    values, weights = drawn
    repeated = np.repeat(values, (2 * np.array(weights)).astype(int), axis=1)
    median = ra.Median().aggregate(table_of(values, weights)).scores
    np.testing.assert_allclose(median, np.median(repeated, axis=1))


def test_lower_is_better_tasks_are_negated_and_instances_averaged_before_tasks() -> None:
    table = ra.ScoreTable([[1.0, 9.0], [2.0, 1.0]], higher_is_better={0: True, 1: False})
    assert ra.Mean().aggregate(table).scores.tolist() == [-4.0, 0.5]
    costs = table_of(np.array([[1.0, 4.0], [1.0, 1.0]]), [1, 1], higher=False)
    assert ra.GeometricMean().aggregate(costs).order == (1, 0)
    assert ra.GeometricMean().aggregate(costs).scores.tolist() == [-2.0, -1.0]
    table = ra.ScoreTable(
        [[0.0, 0.0, 0.0, 8.0]], tasks="xxxy", instances=[0, 1, 2, 0], higher_is_better=True
    )
    assert ra.Mean().aggregate(table).scores.tolist() == [4.0]


def test_missing_tasks_are_left_out_and_named() -> None:
    values = [[1.0, np.nan], [2.0, 6.0], [np.nan, np.nan]]
    consensus = ra.Mean().aggregate(ra.ScoreTable(values, systems="ABC", higher_is_better=True))
    assert consensus.scores[:2].tolist() == [1.0, 4.0]
    assert consensus.ranking.unranked == ("C",)
    notes = (
        "over the tasks that are present for A",
        "without any score, so unranked: C",
        "in no task, so placed by nothing: C",
    )
    assert consensus.notes == notes


def test_tasks_on_other_scales_are_noted() -> None:
    values = np.array([[0.9, 70.0, 0.0], [0.8, 75.0, 0.0]])
    table = ra.ScoreTable(values, systems="AB", tasks=["x", "y", "z"], higher_is_better=True)
    note = "scores on y are over ten times as large as on x: a mean of both is hard to interpret"
    assert ra.Mean().aggregate(table).notes == (note,)
    assert ra.GeometricMean().aggregate(table.drop(tasks=["z"])).notes == ()
    table = ra.ScoreTable([[3 * 2.0**-800, 3 * 2.0**800], [9, 1]], higher_is_better=True)
    assert ra.GeometricMean().aggregate(table).buckets == ((0, 1),)
    # Ten times is one scale yet, and zeros are of any.
    values[:, 1] = [9.0, 8.0]
    table = ra.ScoreTable(values, systems="AB", higher_is_better=True)
    assert ra.Mean().aggregate(table).notes == ()


@pytest.mark.parametrize("rule", [ra.GeometricMean(), ra.HarmonicMean()], ids=repr)
def test_ratio_means_refuse_scores_that_are_not_positive(rule: ra.Aggregator) -> None:
    for bad in (0.0, -1.0):
        table = ra.ScoreTable([[1.0], [bad]], systems="AB", tasks=["x"], higher_is_better=True)
        with pytest.raises(INVALID, match=f"positive scores. Got {bad:g} of 'B' on 'x'"):
            rule.aggregate(table)
    mixed = ra.ScoreTable([[1.0, 1.0]], higher_is_better={0: True, 1: False})
    with pytest.raises(INVALID, match="tasks of one direction"):
        rule.aggregate(mixed)


# -- metasearch -----------------------------------------------------------------------------------


@given(profile=profiles(weights=any_weights))
def test_footrule_costs_are_sums_over_all_rankings(profile: ra.Profile) -> None:
    listed = profile.with_unranked("last")
    costs, at = np.zeros((profile.n_items, profile.n_items)), np.arange(profile.n_items)
    ranks = places.mid_ranks(listed.ranks)
    for mids, weight in zip(ranks, profile.counts * profile.weights, strict=True):
        costs += weight * np.abs(mids[:, None] - at)
    np.testing.assert_allclose(_footrule_costs(listed), costs, rtol=1e-9, atol=1e-100)


def test_footrule_optimal_refuses_unranked_items() -> None:
    gaps = ra.Profile.from_orders(["ABC", "BA"])
    with pytest.raises(INVALID, match="'last' where rankings leave items unranked"):
        ra.FootruleOptimal().aggregate(gaps)
    assert ra.FootruleOptimal().aggregate(gaps.with_unranked("last")).order[2] == "C"


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


def test_unobserved_items_are_unranked_and_unlisted_items_last() -> None:
    unseen = ra.Profile([ra.PartialRanking.from_order("AB", items="ABC")])
    assert ra.ReciprocalRankFusion().aggregate(unseen).ranking.ranks.tolist() == [0, 1, UNRANKED]
    off = ra.Profile([ra.PartialRanking.from_top_k("AB", items="ABC")])
    assert ra.ReciprocalRankFusion().aggregate(off).ranking.ranks.tolist() == [0, 1, 2]


def test_weights_of_any_size_are_accepted() -> None:
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


def effects_by_regression(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Fit score = system + task by one column of zeros and ones for each of them."""
    n, m = values.shape
    deviation = np.nanstd(values, axis=0)
    z = (values - np.nanmean(values, axis=0)) / np.where(deviation > 1e-12, deviation, 1.0)
    row, column = np.nonzero(~np.isnan(values))
    root = np.sqrt(weights[column])
    design = np.zeros((len(row), n + m))
    design[np.arange(len(row)), row] = design[np.arange(len(row)), n + column] = root
    return np.linalg.lstsq(design, z[row, column] * root, rcond=None)[0][:n]


def test_adjusted_means_are_those_of_a_regression() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        n, m = rng.integers(2, 7, 2)
        values = rng.integers(0, 9, (n, m)) * 10.0 ** rng.integers(-3, 4, m)
        values[rng.random((n, m)) < 0.3] = np.nan
        values[0] = np.nan_to_num(values[0])  # the first system joins all others
        weights = rng.integers(1, 4, m).astype(float)
        scores = ra.AdjustedMean().aggregate(table_of(values, list(weights))).scores
        expected = effects_by_regression(values, weights)
        scored = ~np.isnan(values).all(axis=1)
        assert (np.isnan(scores) == ~scored).all()
        off = (scores - scores[0]) - (expected - expected[0])
        np.testing.assert_allclose(off[scored], 0, atol=1e-9)


def test_adjusted_means_depend_on_the_proportions_of_the_weights() -> None:
    nan = float("nan")
    scores = [[1, 2, 5, nan], [2, 5, 1, nan], [3, nan, nan, nan], [nan, nan, 3, nan],
              [nan, nan, nan, 4], [nan, nan, nan, 2]]  # fmt: skip
    expected = effects_by_regression(np.array(scores)[:4, :3], np.array([1.0, 2, 3]))
    for factor in (1.0, 1e-15, 1e-60, 1e60):
        # The last task, which no chain joins to the others, has one weight.
        weights = [factor, 2 * factor, 3 * factor, 1.0]
        found = ra.AdjustedMean().aggregate(table_of(np.array(scores), weights)).scores
        np.testing.assert_allclose(found[:4] - found[0], expected - expected[0], atol=1e-9)
        np.testing.assert_allclose(found[4:], [1, -1])


def test_adjusted_means_without_gaps_are_means_of_standardized_scores() -> None:
    values = np.random.default_rng(1).normal(size=(5, 7))
    found = ra.AdjustedMean().aggregate(table_of(values, [1.0] * 7))
    np.testing.assert_allclose(found.scores, stats.zscore(values, axis=0).mean(axis=1))
    far = ra.AdjustedMean().aggregate(table_of(values * 1e300, [1.0] * 7))
    assert far.ranking == found.ranking


def test_scoring_on_an_easy_task_alone_gains_no_rank() -> None:
    nan = float("nan")
    table = ra.ScoreTable([[95, 50, 45], [85, nan, nan], [80, 40, 35]], higher_is_better=True)
    assert ra.Mean().aggregate(table).order == (1, 0, 2)
    assert ra.AdjustedMean().aggregate(table).order == (0, 1, 2)


def test_groups_that_no_task_joins_are_noted() -> None:
    nan = float("nan")
    table = ra.ScoreTable(
        [[2, 3, nan], [1, 1, nan], [nan, nan, 5], [nan, nan, 6]], systems="ABCD",
        higher_is_better=True,
    )  # fmt: skip
    found = ra.AdjustedMean().aggregate(table)
    np.testing.assert_allclose(found.scores, [1, -1, -1, 1])
    assert any("no task joins {A, B} and {C, D}" in note for note in found.notes)
