"""Sampled mean distances of rankings against exact ones, and the promises about them."""

from fractions import Fraction
from itertools import permutations
from math import ceil, log, nan

import numpy as np
import pytest
from hypothesis import assume, given
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import sampling
from rankagg.inference.sampling import _Sampler
from tests import oracles, strategies
from tests.inference.test_dispersion import distance

HALVES = ra.Profile.from_orders(["AB", "BA"], counts=[500, 500])
SMALL = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[2, 1, 1], weights=[1, 2, 0.5])
UNANIMOUS = ra.Profile.from_orders(["ABCD"], counts=[1000])
# More choices than are drawn.
MANY = ra.Profile.from_ranks(
    np.random.default_rng(0).permuted(np.tile(np.arange(5), (60, 1)), axis=1)
)
FOOTRULE = ra.distances.spearman_footrule


# -- the slow twins -------------------------------------------------------------------------------


def pairs_of(profile):
    """Return rows and weight of every ordered pair of different observations."""
    rows = np.repeat(np.arange(len(profile)), profile.counts).tolist()
    weights = [oracles.as_fraction(profile.weights[row]) for row in rows]
    found = {}
    for one, other in permutations(range(len(rows)), 2):
        key = (rows[one], rows[other])
        found[key] = found.get(key, 0) + weights[one] * weights[other]
    return found


def exact_mean(profile, distance):
    law = pairs_of(profile)
    total = sum(
        weight * Fraction(distance(*(profile[row] for row in rows))) for rows, weight in law.items()
    )
    return float(total / sum(law.values()))


def sampler(profile, distance=None, high=1, rng=0):
    return _Sampler(profile, distance, high, np.random.default_rng(rng))


# -- kernels --------------------------------------------------------------------------------------


@given(strategies.profiles(min_size=2, max_size=4))
def test_the_default_is_the_distance_of_two_rankings(profile):
    m = len(profile)
    rows = np.array([(s, t) for s in range(m) for t in range(m)])
    places = [oracles.as_places(ranking) for ranking in profile]
    expected = [
        float(distance(places[s], places[t], "uniform", Fraction(0))) for s, t in rows.tolist()
    ]
    np.testing.assert_allclose(sampler(profile)._values(rows), expected, atol=1e-12)


def test_distances_do_not_depend_on_the_size_of_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    profile = ra.Profile.from_ranks(rng.random((20, 5)))
    rows = rng.integers(0, 20, (57, 2))
    whole = sampler(profile)._values(rows)
    monkeypatch.setattr(sampling, "CELLS_HELD", 5**2 * 10)
    assert sampler(profile)._values(rows).tolist() == whole.tolist()


def ordered(*rankings):
    """A function of two rankings that looks at their order too."""
    return sum((place + 3) / 3 ** (k + 1) for k, place in enumerate(r.ranks[0] for r in rankings))


def test_any_function_of_two_rankings_is_estimated():
    estimate = ra.HoeffdingEstimator(epsilon=0.02, alpha=0.01).estimate(
        SMALL, ordered, high=3, rng=3
    )
    expected = exact_mean(SMALL, lambda *rankings: Fraction(ordered(*rankings)))
    assert (estimate.value, estimate.stopped) == (pytest.approx(expected, abs=1e-12), "all")
    assert (estimate.lower, estimate.upper) == (estimate.value, estimate.value)
    assert estimate.n_samples == len(pairs_of(SMALL))
    assert "exact" in str(estimate)


@given(strategies.profiles(min_size=2))
def test_few_pairs_are_all_evaluated(profile):
    assume(profile.n_rankings > 1)
    estimate = ra.HoeffdingEstimator(epsilon=0.1, alpha=0.01).estimate(profile, ordered, high=3)
    expected = exact_mean(profile, lambda *rankings: Fraction(ordered(*rankings)))
    assert estimate.value == pytest.approx(expected, abs=1e-9)


def test_no_more_choices_are_evaluated_than_would_be_drawn(monkeypatch):
    monkeypatch.setattr(sampling, "CHOICES_HELD", 1000)
    exact = ra.inference.spread(MANY, average=True)
    for epsilon, stopped in ((0.22, "all"), (0.23, "fixed")):  # 3811 and 3487 for 3600 choices
        found = ra.HoeffdingEstimator(epsilon=epsilon, alpha=0.05).estimate(MANY, rng=1)
        assert found.stopped == stopped
        assert abs(found.value - exact) < (1e-9 if stopped == "all" else epsilon)
        assert found.n_samples == (60 * 59 if stopped == "all" else 3487)


# -- drawing --------------------------------------------------------------------------------------


def test_pairs_have_the_product_of_their_weights():
    law = pairs_of(SMALL)
    total = sum(law.values())
    size = 20_000
    drawn = [tuple(row) for row in sampler(SMALL)._choices(size).tolist()]
    assert set(drawn) <= set(law)
    observed = [drawn.count(key) for key in law]
    expected = [float(size * weight / total) for weight in law.values()]
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_samples_are_drawn_in_chunks(monkeypatch):
    monkeypatch.setattr(sampling, "CHOICES_HELD", 40)
    chunks = list(sampler(MANY).chunks(150))
    assert [len(chunk) for chunk in chunks] == [40, 40, 40, 30]
    # Each goes on drawing where the one before it stopped.
    assert chunks[0].tolist() != chunks[1].tolist()


# -- a number of samples that is fixed beforehand -------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 2.0, 10.0])
@pytest.mark.parametrize("alpha", [0.01, 0.5])
def test_the_number_of_samples_follows_from_the_range(epsilon, alpha):
    estimator = ra.HoeffdingEstimator(epsilon=epsilon, alpha=alpha)
    expected = ceil(144 * log(2 / alpha) / (2 * epsilon**2))
    assert estimator.n_samples(12) == expected >= 1
    if expected < 1000:
        estimate = estimator.estimate(MANY, FOOTRULE, high=12, rng=0)
        assert (estimate.n_samples, estimate.stopped) == (expected, "fixed")
        assert estimate.alpha == alpha


def test_the_interval_stays_within_the_range():
    estimator = ra.HoeffdingEstimator(epsilon=0.4, alpha=0.1)
    for value, lower, upper in ((0, 0, 0.4), (1, 0.6, 1)):
        found = estimator.estimate(MANY, lambda *_, value=value: value, high=1, rng=0)
        assert (found.value, found.lower, found.upper) == (value, lower, upper)


# -- stopping early -------------------------------------------------------------------------------


def test_relative_precision_holds_as_often_as_promised():
    epsilon, alpha, runs = 0.3, 0.2, 20
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=epsilon, alpha=alpha)
    exact = ra.inference.spread(SMALL, average=True)
    estimates = [rule.estimate(SMALL, rng=seed) for seed in range(runs)]
    assert {estimate.stopped for estimate in estimates} == {"relative"}
    errors = sum(abs(estimate.value - exact) > epsilon * exact for estimate in estimates)
    assert errors <= stats.binom.ppf(0.999, runs, alpha)
    outside = sum(not estimate.lower <= exact <= estimate.upper for estimate in estimates)
    assert outside <= stats.binom.ppf(0.999, runs, alpha)
    assert all(estimate.lower <= estimate.value <= estimate.upper for estimate in estimates)


def test_what_stops_is_what_the_interval_says():
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.2, alpha=0.1)
    for seed in range(5):
        estimate = rule.estimate(SMALL, rng=seed)
        assert estimate.stopped == "relative"
        # No mean within the interval is farther off, relatively.
        assert estimate.value <= 1.2 * estimate.lower * (1 + 1e-12)
        assert estimate.value >= 0.8 * estimate.upper * (1 - 1e-12)


def test_where_all_rankings_are_equal_an_absolute_precision_is_enough():
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.1, alpha=0.05, floor=0.05)
    estimate = rule.estimate(UNANIMOUS, rng=0)
    assert estimate.stopped == "absolute"
    assert 0 <= estimate.value <= 0.05 * 6
    assert (estimate.lower, estimate.upper) == (0, pytest.approx(2 * estimate.value))
    assert estimate.upper - estimate.lower <= 2 * 0.05 * 6
    finer = ra.inference.EmpiricalBernsteinStopping(epsilon=0.1, alpha=0.05, floor=0.01)
    assert finer.estimate(UNANIMOUS, rng=0).n_samples > estimate.n_samples
    first = stopping(max_samples=32).estimate(UNANIMOUS, rng=0)  # the first look alone
    assert first.upper == pytest.approx(3 * 6 * np.log(3 * 1 * 2 / 0.1) / 32)


@pytest.mark.parametrize("limit", [10, 100, 1e2])
def test_no_more_samples_than_allowed(limit):
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.01, alpha=0.05, max_samples=limit)
    estimate = rule.estimate(SMALL, rng=0)
    assert (estimate.n_samples, estimate.stopped) == (limit, "max_samples")
    assert 0 <= estimate.lower <= estimate.value <= estimate.upper <= 3
    assert estimate.lower <= ra.inference.spread(SMALL, average=True) <= estimate.upper


def test_the_variance_decides_when_to_stop():
    rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.1, alpha=0.05)
    sure, unsure = (
        rule.estimate(HALVES, distance, high=2, rng=1)
        for distance in (lambda *_: 1.0, lambda one, _: 2.0 * one.ranks[0])
    )
    assert unsure.n_samples > 3 * sure.n_samples
    assert sure.value == pytest.approx(1, rel=0.1)


# -- both -----------------------------------------------------------------------------------------

RULES = (
    ra.HoeffdingEstimator(epsilon=0.6, alpha=0.1),
    ra.inference.EmpiricalBernsteinStopping(epsilon=0.3, alpha=0.1),
)
both_rules = pytest.mark.parametrize("rule", RULES, ids=["fixed", "stopping"])


@both_rules
def test_equal_seeds_give_equal_estimates(rule):
    first, second = (rule.estimate(MANY, rng=7) for _ in range(2))
    assert first == second
    assert rule.estimate(MANY, rng=np.random.default_rng(7)) == first
    assert rule.estimate(MANY, rng=8) != first


@both_rules
def test_a_distance_beyond_the_largest_is_refused(rule):
    with pytest.raises(InvalidInputError, match="a distance of 4, outside 0 to 3"):
        rule.estimate(SMALL, FOOTRULE, high=3, rng=0)
    for bad in (nan, -1e-6):
        with pytest.raises(InvalidInputError, match=f"a distance of {bad:g}, outside"):
            rule.estimate(SMALL, lambda *_, bad=bad: bad, high=3, rng=0)


@both_rules
def test_there_are_two_rankings(rule):
    one = ra.Profile.from_orders(["ABC"])
    with pytest.raises(InvalidInputError, match=r"2 rankings or more. Got 1 ranking"):
        rule.estimate(one, rng=0)
    assert rule.estimate(ra.Profile.from_orders(["AB"], counts=[2]), rng=0).lower == 0


def test_one_ranking_of_nearly_all_the_weight_is_told(monkeypatch):
    monkeypatch.setattr(sampling, "REDRAWS", 100)
    heavy = ra.Profile.from_orders(["ABC", "BCA"], weights=[1e9, 1])
    with pytest.raises(InvalidInputError, match="nearly every pair holds a ranking twice"):
        RULES[1].estimate(heavy, rng=0)


def stopping(**options):
    return ra.inference.EmpiricalBernsteinStopping(**{"epsilon": 0.1, "alpha": 0.1, **options})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda rule=rule, data=data: rule.estimate(data), "`data` must be ")
          for rule in RULES for data in (SMALL.pairwise(), None)),
        *((lambda rule=rule: rule.estimate(SMALL, ra.kendall_distance), "`high` must be a number")
          for rule in RULES),
        *((lambda rule=rule: rule.estimate(SMALL, "kendall", high=3), "`distance` must be a func")
          for rule in RULES),
        *((lambda bad=bad: RULES[0].estimate(SMALL, FOOTRULE, high=bad), "`high` must be a number")
          for bad in (0, nan, np.inf)),
        (lambda: RULES[0].estimate(SMALL, high=3), "`distance` must be a function"),
        *((lambda rule=rule: rule.estimate(SMALL, rng="seed"), "`rng` must be") for rule in RULES),
        *((lambda kind=kind, alpha=alpha: kind(epsilon=0.1, alpha=alpha),
           r"`alpha` must be a number in \(0, 1\)")
          for kind in map(type, RULES) for alpha in (0, 1, nan, "0.1", True)),
        *((lambda kind=kind, bad=bad: kind(epsilon=bad, alpha=0.1), "`epsilon` must be a number in")
          for kind in map(type, RULES) for bad in (0, nan, np.inf, None)),
        (lambda: stopping(epsilon=1), r"`epsilon` must be a number in \(0, 1\)"),
        *((lambda bad=bad: stopping(floor=bad), "`floor`") for bad in (0, 1.5)),
        *((lambda bad=bad: stopping(max_samples=bad), "`max_samples`") for bad in (9, 10.5)),
    ],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()


def test_all_pairs_are_evaluated_where_they_are_as_many_as_the_samples():
    profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    for epsilon, size, stopped in ((1.3, 4, "all"), (1.5, 3, "fixed")):  # for 4 choices
        estimator = ra.HoeffdingEstimator(epsilon=epsilon, alpha=0.5)
        assert estimator.n_samples(3.0) == size
        assert estimator.estimate(profile, rng=0).stopped == stopped
