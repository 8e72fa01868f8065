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
from rankagg.inference import HoeffdingEstimator, sampling
from rankagg.inference.sampling import _Sampler
from tests import oracles, strategies
from tests.inference.test_dispersion import distance

SMALL = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[2, 1, 1], weights=[1, 2, 0.5])
# More choices than are drawn.
MANY = ra.Profile.from_ranks(
    np.random.default_rng(0).permuted(np.tile(np.arange(5), (60, 1)), axis=1)
)
RULE = HoeffdingEstimator(epsilon=0.6, alpha=0.1)
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
    """A function of two rankings that depends on their order too."""
    return sum((place + 3) / 3 ** (k + 1) for k, place in enumerate(r.ranks[0] for r in rankings))


@given(strategies.profiles(min_size=2))
def test_few_pairs_are_all_evaluated(profile):
    assume(profile.n_rankings > 1)
    estimate = HoeffdingEstimator(epsilon=0.1, alpha=0.01).estimate(profile, ordered, high=3)
    expected = exact_mean(profile, lambda *rankings: Fraction(ordered(*rankings)))
    assert estimate.value == pytest.approx(expected, abs=1e-9)


def test_no_more_choices_are_evaluated_than_would_be_drawn(monkeypatch):
    monkeypatch.setattr(sampling, "CHOICES_HELD", 1000)
    exact = ra.inference.spread(MANY, average=True)
    for epsilon, is_exact in ((0.22, True), (0.23, False)):  # 3811 and 3487 for 3600 choices
        found = HoeffdingEstimator(epsilon=epsilon, alpha=0.05).estimate(MANY, rng=1)
        assert found.is_exact == is_exact
        assert abs(found.value - exact) < (1e-9 if is_exact else epsilon)
        assert found.n_samples == (60 * 59 if is_exact else 3487)


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


# -- a number of samples that is fixed beforehand -------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 2.0, 10.0])
@pytest.mark.parametrize("alpha", [0.01, 0.5])
def test_the_number_of_samples_follows_from_the_range(epsilon, alpha):
    estimator = HoeffdingEstimator(epsilon=epsilon, alpha=alpha)
    expected = ceil(144 * log(2 / alpha) / (2 * epsilon**2))
    assert estimator.n_samples(12) == expected >= 1
    if expected < 1000:
        estimate = estimator.estimate(MANY, FOOTRULE, high=12, rng=0)
        assert (estimate.n_samples, estimate.is_exact) == (expected, False)
        assert estimate.alpha == alpha


# -- both -----------------------------------------------------------------------------------------


def test_a_distance_beyond_the_largest_is_refused():
    rule = RULE
    with pytest.raises(InvalidInputError, match="a distance of 4, outside 0 to 3"):
        rule.estimate(SMALL, FOOTRULE, high=3, rng=0)
    for bad in (nan, -1e-6):
        with pytest.raises(InvalidInputError, match=f"a distance of {bad:g}, outside"):
            rule.estimate(SMALL, lambda *_, bad=bad: bad, high=3, rng=0)


def test_a_single_ranking_is_refused():
    one = ra.Profile.from_orders(["ABC"])
    with pytest.raises(InvalidInputError, match=r"2 rankings or more. Got 1 ranking"):
        RULE.estimate(one, rng=0)
    assert RULE.estimate(ra.Profile.from_orders(["AB"], counts=[2]), rng=0).lower == 0


def test_one_ranking_with_nearly_all_weight_is_refused(monkeypatch):
    monkeypatch.setattr(sampling, "REDRAWS", 100)
    heavy = ra.Profile.from_orders(["ABC", "BCA"], weights=[1e9, 1])
    with pytest.raises(InvalidInputError, match="one ranking with nearly all of the weight"):
        HoeffdingEstimator(epsilon=2.5, alpha=0.1).estimate(heavy, rng=0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: RULE.estimate(SMALL.pairwise()), "`data` must be "),
        (lambda: RULE.estimate(SMALL, ra.kendall_distance), "`high` must be a number"),
        (lambda: RULE.estimate(SMALL, "kendall", high=3), "`distance` must be a func"),
        (lambda: RULE.estimate(SMALL, high=3), "`distance` must be a function"),
        (lambda: RULE.estimate(SMALL, rng="seed"), "`rng` must be"),
        (
            lambda: HoeffdingEstimator(epsilon=0.1, alpha=1),
            r"`alpha` must be a number in",
        ),
        (
            lambda: HoeffdingEstimator(epsilon=0, alpha=0.1),
            "`epsilon` must be a number in",
        ),
    ],
)
def test_bad_parameters_are_refused(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()
