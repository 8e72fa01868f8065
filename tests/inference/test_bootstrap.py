"""The bootstrap against direct simulation, SciPy and normal theory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg import PairwiseIntervals
from rankagg.inference import pair_bounds
from rankagg.inference.pair_bounds import _resampled_parts, _Resamples
from rankagg.inference.units import Units
from tests import strategies

CHOICES = [
    {}, {"unit": "task"}, {"is_direct": False},
    {"unit": "task", "is_direct": False},
]  # fmt: skip


def resampled_means(units, n_resamples, rng):
    """Return the resampled means of all pairs at once."""
    ((_, whole),) = _resampled_parts(units, n_resamples, rng, max(len(units.pairs[0]), 1))
    return whole


def generator(seed=1):
    return np.random.default_rng(seed)


# -- drawing --------------------------------------------------------------------------------------


@given(strategies.profiles(groups=True, max_rows=6), st.sampled_from(CHOICES))
def test_the_mean_of_the_sample_is_that_of_the_moments(profile, choice):
    held = Units.of(profile, **choice)
    resamples = resampled_means(held, 5, generator())
    np.testing.assert_allclose(resamples.mean, held.moments.mean, atol=1e-12)
    assert resamples.means.shape == (5, len(held.pairs[0]))


@pytest.mark.parametrize("numbers", [1, 50, 1000])
def test_drawing_in_chunks_changes_nothing(numbers, monkeypatch):
    held = Units.of(ra.Profile.from_orders(["ABC", "BCA", "CBA"], counts=[5, 3, 2]))
    whole = resampled_means(held, 200, generator()).means
    monkeypatch.setattr(pair_bounds, "DRAWN_AT_ONCE", numbers)
    np.testing.assert_array_equal(resampled_means(held, 200, generator()).means, whole)


def test_a_resample_without_votes_on_a_pair_has_no_mean():
    profile = ra.Profile.from_orders(["AB", "A"], items="AB", counts=[1, 1])
    means = resampled_means(Units.of(profile), 4000, generator()).means[:, 0]
    assert np.isnan(means).mean() == pytest.approx(1 / 4, abs=0.04)
    assert set(means[~np.isnan(means)]) == {1.0}


# -- percentile -----------------------------------------------------------------------------------


def test_percentile_is_a_direct_simulation_of_weighted_rankings():
    profile = ra.Profile.from_orders(
        ["AB", "BA", "AB", "BA"], counts=[12, 9, 20, 14], weights=[0.5, 1.5, 1, 2]
    )
    low, high = resampled_means(Units.of(profile), 20_000, generator()).percentile(0.05, 2)
    above = np.repeat([1, 0, 1, 0], profile.counts)
    weights = np.repeat(profile.weights, profile.counts)
    drawn = generator(2).integers(len(above), size=(20_000, len(above)))
    means = (above * weights)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    assert [low[0], high[0]] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.006)


# -- max-t ----------------------------------------------------------------------------------------


def test_max_t_quantile_is_that_of_independent_normals():
    n_pairs, alpha = 6, 0.05
    errors = np.array([0.01, 0.02, 0.03, 0.01, 0.05, 0.04])
    means = 0.5 + errors * generator().standard_normal((200_000, n_pairs))
    resamples = _Resamples(np.full(n_pairs, 0.5), means)
    for sides, alternative in ((1, "greater"), (1, "less"), (2, "two-sided")):
        each = (1 - alpha) ** (1 / n_pairs)
        quantile = stats.norm.ppf(each if sides == 1 else (1 + each) / 2)
        low, high = resamples.max_t(alpha, alternative)
        radius = (high - low) / 2
        assert radius / errors == pytest.approx(quantile, rel=0.01)
        np.testing.assert_allclose(high - 0.5, radius)
        np.testing.assert_allclose(0.5 - low, radius)


# -- nothing varies -------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [[1, 1], [0.1, 0.7]])
def test_constant_data_do_not_vary(weights):
    profile = ra.Profile.from_orders(["AB", "AB"], counts=[4, 3], weights=weights)
    resamples = resampled_means(Units.of(profile), 200, generator())
    assert resamples.varies.tolist() == [False]
    low, high = resamples.percentile(0.05, 2)
    assert (low[0], high[0]) == pytest.approx((1, 1), abs=1e-12)


def test_pairs_that_do_not_vary_do_not_widen_the_others():
    profile = ra.Profile.from_orders(["ABC", "BAC"], counts=[30, 20])
    resamples = resampled_means(Units.of(profile), 2000, generator())
    assert resamples.varies.tolist() == [True, False, False]
    kept = resamples.take(resamples.varies)
    assert kept.means.shape == (2000, 1)
    found = PairwiseIntervals.from_data(profile, method="percentile", simultaneous="max-t", rng=1)
    assert found.lower[0, 1] == pytest.approx(kept.max_t(0.05, "two-sided")[0][0], abs=0.021)


# -- instances in tasks, and runs of instances ----------------------------------------------------


def table_of(values, tasks, **more):
    """Return scores of instances in tasks."""
    return ra.ScoreTable(
        values, tasks=list(tasks), instances=range(len(tasks)), higher_is_better=True, **more
    )


def in_tasks(seed=0, sizes=(3, 5, 2, 6), systems=3, gaps=0.0, **more):
    rng = np.random.default_rng(seed)
    columns = sum(sizes)
    values = rng.normal(size=(systems, columns)) + np.repeat(rng.normal(size=len(sizes)), sizes)
    values[rng.random(values.shape) < gaps] = np.nan
    return table_of(values, np.repeat(range(len(sizes)), sizes), **more)


# -- fixed tasks ----------------------------------------------------------------------------------


QUESTIONS = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_drawn_rows_stay_in_their_fixed_task():
    units = Units.of(in_tasks(sizes=(6, 4)), unit="instance", fixed_tasks=True, instances=QUESTIONS)
    drawn = units.resampled_rows(50, np.random.default_rng(0))
    assert (drawn[:, :6].sum(axis=1) == 6).all()
    assert (drawn[:, 6:].sum(axis=1) == 4).all()
    assert (drawn[:, ::2] == drawn[:, 1::2]).all()
