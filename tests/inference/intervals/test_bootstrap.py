"""The bootstrap against direct simulation, SciPy and normal theory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg import PairwiseIntervals
from rankagg.inference.intervals import bootstrap
from rankagg.inference.intervals.bootstrap import Resamples, resample_counts, resampled_means
from rankagg.inference.units import units_of
from tests import strategies

CHOICES = [
    {},
    {"unit": "task"},
    {"fixed_tasks": True},
    {"estimand": "imputed"},
    {"unit": "task", "estimand": "imputed"},
]


def generator(seed=1):
    return np.random.default_rng(seed)


def instances_of(n_instances, n_metrics, seed=0):
    """Return units of two items whose values are averages, many of them different."""
    rng = generator(seed)
    above = rng.random((n_instances, n_metrics)) < rng.beta(2, 1, n_instances)[:, None]
    orders = ["AB" if first else "BA" for first in above.ravel()]
    labels = np.repeat(np.arange(n_instances), n_metrics).tolist()
    held = units_of(ra.Profile.from_orders(orders), unit="instance", instances=labels)
    return held, above.mean(axis=1)


# -- drawing --------------------------------------------------------------------------------------


@given(strategies.profiles(groups=True, max_rows=6), st.sampled_from(CHOICES))
@strategies.quick
def test_the_mean_of_the_sample_is_that_of_the_moments(profile, choice):
    held = units_of(profile, **choice)
    resamples = resampled_means(held, 5, generator())
    np.testing.assert_allclose(resamples.mean, held.moments.mean, atol=1e-12)
    assert resamples.means.shape == (5, len(held.pairs[0]))


@given(strategies.profiles(groups=True, max_rows=6), st.booleans())
@strategies.quick
def test_as_many_units_are_drawn_of_each_fixed_task_as_it_has(profile, fixed):
    block = units_of(profile, fixed_tasks=fixed).whole()
    counts = resample_counts(block.counts, block.strata, 30, generator())
    assert counts.shape == (30, len(block.counts))
    for s in np.unique(block.strata):
        inside = block.strata == s
        assert (counts[:, inside].sum(axis=1) == block.counts[inside].sum()).all()


def test_a_unit_is_drawn_as_often_as_it_was_observed():
    block = units_of(ra.Profile.from_orders(["AB", "BA"], counts=[30, 10])).whole()
    often = resample_counts(block.counts, block.strata, 20_000, generator())
    at = int(np.argmax(block.counts))
    assert often[:, at].mean() == pytest.approx(30, abs=6 * np.sqrt(7.5 / 20_000))
    assert often[:, at].var() == pytest.approx(40 * 0.75 * 0.25, rel=0.05)


@pytest.mark.parametrize("numbers", [1, 50, 1000])
def test_drawing_in_chunks_changes_nothing(numbers, monkeypatch):
    held = units_of(ra.Profile.from_orders(["ABC", "BCA", "CBA"], counts=[5, 3, 2]))
    whole = resampled_means(held, 200, generator()).means
    monkeypatch.setattr(bootstrap, "DRAWN_AT_ONCE", numbers)
    np.testing.assert_array_equal(resampled_means(held, 200, generator()).means, whole)


def test_means_spread_as_theory_says():
    held, values = instances_of(50, 4)
    means = resampled_means(held, 20_000, generator()).means[:, 0]
    error = np.sqrt(values.var() / 50)
    assert means.mean() == pytest.approx(values.mean(), abs=6 * error / np.sqrt(20_000))
    assert means.std() == pytest.approx(error, rel=0.03)


def test_means_of_fixed_tasks_spread_as_theory_says():
    profile = ra.Profile.from_orders(
        ["AB", "BA", "AB", "BA"], counts=[15, 5, 3, 7], groups="xxyy", weights=[3, 3, 1, 1]
    )
    means = resampled_means(units_of(profile, fixed_tasks=True), 20_000, generator()).means
    # Unbiased variances of means: one draw less than a task has makes them.
    expected = np.sqrt((3 / 4) ** 2 * 0.75 * 0.25 / 19 + (1 / 4) ** 2 * 0.3 * 0.7 / 9)
    assert means.std() == pytest.approx(expected, rel=0.03)
    assert means.mean() == pytest.approx(3 / 4 * 0.75 + 1 / 4 * 0.3, abs=0.005)


def test_a_resample_without_a_word_on_a_pair_has_no_mean():
    profile = ra.Profile.from_orders(["AB", "A"], items="AB", counts=[1, 1])
    means = resampled_means(units_of(profile), 4000, generator()).means[:, 0]
    assert np.isnan(means).mean() == pytest.approx(1 / 4, abs=0.04)
    assert set(means[~np.isnan(means)]) == {1.0}


# -- percentile -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("alpha", "sides"), [(0.05, 2), (0.1, 1)])
def test_percentile_is_a_direct_simulation_of_averaged_units(alpha, sides):
    held, values = instances_of(40, 5)
    low, high = resampled_means(held, 20_000, generator()).percentile(alpha, sides)
    drawn = generator(2).choice(values, size=(20_000, len(values))).mean(axis=1)
    expected = np.quantile(drawn, [alpha / sides, 1 - alpha / sides])
    assert [low[0], high[0]] == pytest.approx(expected, abs=0.006)


def test_percentile_is_a_direct_simulation_of_weighted_rankings():
    profile = ra.Profile.from_orders(
        ["AB", "BA", "AB", "BA"], counts=[12, 9, 20, 14], weights=[0.5, 1.5, 1, 2]
    )
    low, high = resampled_means(units_of(profile), 20_000, generator()).percentile(0.05, 2)
    above = np.repeat([1, 0, 1, 0], profile.counts)
    weights = np.repeat(profile.weights, profile.counts)
    drawn = generator(2).integers(len(above), size=(20_000, len(above)))
    means = (above * weights)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    assert [low[0], high[0]] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.006)


def test_percentile_is_a_direct_simulation_within_fixed_tasks():
    profile = ra.Profile.from_orders(
        ["AB", "BA", "AB", "BA"], counts=[25, 10, 9, 11], groups="xxyy", weights=[1, 1, 3, 3]
    )
    held = units_of(profile, fixed_tasks=True)
    low, high = resampled_means(held, 20_000, generator()).percentile(0.05, 2)
    rng = generator(2)
    first, second = rng.binomial(34, 25 / 35, 20_000) / 34, rng.binomial(19, 9 / 20, 20_000) / 19
    middle = (25 / 35 + 3 * 9 / 20) / 4
    parts = [(1 / 4) ** 2 * (25 * 10 / 35**2) / 34, (3 / 4) ** 2 * (9 * 11 / 20**2) / 19]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 34 + parts[1] ** 2 / 19)
    wider = stats.t.isf(0.025, freedom) / stats.norm.isf(0.025)
    quantiles = np.quantile((first + 3 * second) / 4, [0.025, 0.975])
    expected = middle + wider * (quantiles - middle)
    assert [low[0], high[0]] == pytest.approx(expected, abs=0.008)


# -- BCa ------------------------------------------------------------------------------------------


class Drawn:
    """Resampled means in the form that SciPy takes over from an earlier call."""

    def __init__(self, means):
        self.bootstrap_distribution = means


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("seed", [0, 8])
def test_bca_is_that_of_scipy(alpha, alternative, seed):
    held, values = instances_of(30, 4, seed)
    resamples = resampled_means(held, 4000, generator(seed))
    theirs = stats.bootstrap(
        (values,), np.mean, method="BCa", n_resamples=0, confidence_level=1 - alpha,
        alternative=alternative, bootstrap_result=Drawn(resamples.means[:, 0]),
    ).confidence_interval  # fmt: skip
    low, high = resamples.bca(alpha, 2 if alternative == "two-sided" else 1)
    if alternative != "less":
        assert low[0] == pytest.approx(theirs.low, abs=1e-9)
    if alternative != "greater":
        assert high[0] == pytest.approx(theirs.high, abs=1e-9)


def test_the_acceleration_counts_every_observation():
    orders = ["AB"] * 7 + ["BA"] * 3
    many = resampled_means(units_of(ra.Profile.from_orders(orders)), 10, generator())
    counted = ra.Profile.from_orders(["AB", "BA"], counts=[7, 3])
    few = resampled_means(units_of(counted), 10, generator())
    assert few.skewness == pytest.approx(many.skewness)
    assert few.skewness == pytest.approx([(1 - 2 * 0.7) / (6 * np.sqrt(10 * 0.7 * 0.3))])


# -- max-t ----------------------------------------------------------------------------------------


def test_max_t_knows_the_largest_of_independent_normals():
    n_pairs, alpha = 6, 0.05
    errors = np.array([0.01, 0.02, 0.03, 0.01, 0.05, 0.04])
    means = 0.5 + errors * generator().standard_normal((200_000, n_pairs))
    resamples = Resamples(np.full(n_pairs, 0.5), means, np.zeros(n_pairs))
    for sides, alternative in ((1, "greater"), (1, "less"), (2, "two-sided")):
        each = (1 - alpha) ** (1 / n_pairs)
        quantile = stats.norm.ppf(each if sides == 1 else (1 + each) / 2)
        low, high = resamples.max_t(alpha, alternative)
        radius = (high - low) / 2
        assert radius / errors == pytest.approx(quantile, rel=0.01)
        np.testing.assert_allclose(high - 0.5, radius)
        np.testing.assert_allclose(0.5 - low, radius)


def test_max_t_covers_all_pairs_in_the_resamples():
    profile = ra.Profile.from_orders(
        ["ABCD", "BADC", "DCBA", "CABD", "BDAC"], counts=[13, 9, 12, 7, 10]
    )
    resamples = resampled_means(units_of(profile), 4000, generator())
    low, high = resamples.max_t(0.1, "two-sided")
    slack = 1e-12
    inside = (low - slack <= resamples.means) & (resamples.means <= high + slack)
    assert 0.9 <= inside.all(axis=1).mean() < 0.93
    assert inside.mean(axis=0).min() > 0.94
    low, high = resamples.percentile(0.1, 2)
    inside = (low - slack <= resamples.means) & (resamples.means <= high + slack)
    assert inside.all(axis=1).mean() < 0.85


def test_max_t_is_no_wider_than_needed_for_equal_pairs():
    profile = ra.Profile.from_orders(["ABC", "CBA"], counts=[30, 20])
    resamples = resampled_means(units_of(profile), 4000, generator())
    low, high = resamples.max_t(0.05, "two-sided")
    assert np.ptp(low) == pytest.approx(0, abs=1e-12)
    alone = Resamples(resamples.mean[:1], resamples.means[:, :1], resamples.skewness[:1])
    assert (low[0], high[0]) == pytest.approx(
        [bound[0] for bound in alone.max_t(0.05, "two-sided")]
    )


def test_max_t_has_bounds_where_few_rankings_compare():
    profile = ra.Profile.from_orders(["AB", "BA", "A"], items="AB", counts=[2, 1, 3])
    resamples = resampled_means(units_of(profile), 2000, generator())
    assert np.isnan(resamples.means).any()
    low, high = resamples.max_t(0.05, "two-sided")
    radius = (high - low) / 2
    assert np.isfinite([low, high]).all()
    told = resamples.means[~np.isnan(resamples.means)]
    assert (np.abs(told - 2 / 3) > radius[0] + 1e-12).mean() <= 0.05


# -- nothing varies -------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [[1, 1], [0.1, 0.7]])
def test_constant_data_do_not_vary(weights):
    profile = ra.Profile.from_orders(["AB", "AB"], counts=[4, 3], weights=weights)
    resamples = resampled_means(units_of(profile), 200, generator())
    assert resamples.varies.tolist() == [False]
    for low, high in (resamples.percentile(0.05, 2), resamples.bca(0.05, 2)):
        assert (low[0], high[0]) == pytest.approx((1, 1), abs=1e-12)


@given(strategies.profiles(max_rows=6))
@strategies.quick
def test_pairs_vary_where_two_units_disagree(profile):
    held = units_of(profile)
    resamples = resampled_means(held, 200, generator())
    values = held.whole().values
    for p in range(values.shape[1]):
        told = set(values[:, p][~np.isnan(values[:, p])])
        assert resamples.varies[p] == (len(told) > 1)


def test_pairs_that_do_not_vary_do_not_widen_the_others():
    profile = ra.Profile.from_orders(["ABC", "BAC"], counts=[30, 20])
    resamples = resampled_means(units_of(profile), 2000, generator())
    assert resamples.varies.tolist() == [True, False, False]
    kept = resamples.take(resamples.varies)
    assert kept.means.shape == (2000, 1)
    alone = resampled_means(
        units_of(ra.Profile.from_orders(["AB", "BA"], counts=[30, 20])), 2000, generator()
    )
    sides = "two-sided"
    for mine, theirs in zip(kept.max_t(0.05, sides), alone.max_t(0.05, sides), strict=True):
        assert mine == pytest.approx(theirs, rel=0.1)
    found = PairwiseIntervals.from_data(profile, method="percentile", simultaneous="max-t", rng=1)
    assert found.lower[0, 1] == pytest.approx(alone.max_t(0.05, sides)[0][0], abs=0.021)
