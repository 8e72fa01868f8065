"""Maximum likelihood for Mallows against the best of all centers and a grid of thetas."""

import json

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.exceptions import InvalidInputError
from tests.distributions.enumeration import (
    best_theta,
    greatest_likelihood,
    log_likelihoods,
    strict_ranks,
)  # fmt: skip
from tests.distributions.mallows_data import (
    CASES,
    VOTES,
    pd_equal,
    profile_of,
    random_incomplete,
    random_votes,
)  # fmt: skip

# -- complete strict rankings ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_fit_of_complete_rankings_is_the_best_of_all_laws(seed):
    profile = random_votes(seed)
    fit = ra.Mallows.fit(profile)
    _, theta, height = greatest_likelihood(profile)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-8)
    assert fit.distribution.theta == pytest.approx(theta, abs=1e-4)
    center = tuple(fit.distribution.center.ranks.tolist())
    assert best_theta(profile, center)[1] == pytest.approx(height, abs=1e-8)
    grid = np.linspace(0.0, 5.0, 60)
    assert (log_likelihoods(profile, center, grid) <= fit.log_likelihood + 1e-9).all()


def test_weights_count_by_their_effective_number():
    plain = ra.Mallows.fit(VOTES)
    doubled = ra.Mallows.fit(ra.Profile(list(VOTES), counts=VOTES.counts, weights=[2.0] * 5))
    assert doubled.n_observations == pytest.approx(11)
    assert doubled.log_likelihood == pytest.approx(plain.log_likelihood)
    np.testing.assert_allclose(doubled.standard_errors, plain.standard_errors)
    pd_equal(doubled.conf_int(), plain.conf_int())
    unequal = ra.Mallows.fit(ra.Profile(list(VOTES), weights=[1.0, 2.0, 0.5, 1.0, 1.0]))
    assert unequal.n_observations == pytest.approx(5.5**2 / 7.25)
    variance = unequal.distribution.distance_variance
    assert unequal.standard_errors[0] == pytest.approx((5.5**2 / 7.25 * variance) ** -0.5)


def test_criteria_count_theta_alone():
    fit = ra.Mallows.fit(VOTES)
    assert fit.n_parameters == 1
    assert fit.aic == pytest.approx(2 - 2 * fit.log_likelihood)
    assert fit.bic == pytest.approx(np.log(11) - 2 * fit.log_likelihood)
    assert fit.log_likelihood == pytest.approx(fit.distribution.log_prob(VOTES))
    assert fit.log_likelihood_at(fit.distribution.theta) == fit.log_likelihood


# -- centers --------------------------------------------------------------------------------------


def test_theta_is_zero_where_data_are_no_closer_than_chance():
    everything = ra.Profile.from_ranks(strict_ranks(3), items="ABC")
    for fit in (ra.Mallows.fit(everything), ra.Mallows.fit(VOTES, center=list("DCBA"))):
        assert fit.distribution.theta == 0.0
        assert any("Theta is at its bound 0" in note for note in fit.notes)
        lower, upper = fit.conf_int().loc["theta"]
        assert lower == 0.0
        assert upper > 0.0


# -- data without a maximum -----------------------------------------------------------------------


AGREED = r"do not all agree.*no finite maximum"
HALF = profile_of([[0, 1, UNRANKED], [1, 0, UNRANKED]], "ABC")


@pytest.mark.parametrize(
    ("profile", "options", "words"),
    [
        (ra.Profile.from_orders(["BCA"] * 3), {}, AGREED),
        (ra.Profile.from_orders(["A"]), {}, "order some items.*every theta is as likely"),
        (profile_of([[0, 0], [0, 0]], "AB"), {}, "order some items.*every theta is as likely"),
        (profile_of([[0, 0, 2], [0, 0, 2]], "ABC"), {}, AGREED),
        (profile_of([[0, 1, UNLISTED, UNLISTED]], "ABCD"), {}, AGREED),
        (profile_of([[0, UNRANKED, 1, UNRANKED], *[[UNLISTED] * 4] * 2], "ABCD"),
         {}, AGREED),
        (HALF, {}, r"observe every item somewhere\. Got C"),
        (None, {}, "`data` must be a Profile"),
        (ra.Permutation.from_order("AB"), {}, "`data` must be a Profile"),
    ],
)  # fmt: skip
def test_what_has_no_fit_is_refused(profile, options, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.Mallows.fit(profile, **options)


# -- partial and tied rankings --------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "kind"), CASES)
def test_fit_of_incomplete_rankings_is_the_best_of_all_laws(seed, kind):
    profile = random_incomplete(seed, kind)
    fit = ra.Mallows.fit(profile)
    _, _, height = greatest_likelihood(profile)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-7)
    center = tuple(fit.distribution.center.ranks.tolist())
    theta, own = best_theta(profile, center)
    assert own == pytest.approx(height, abs=1e-7)
    assert fit.distribution.theta == pytest.approx(theta, abs=1e-3)
    assert fit.log_likelihood == pytest.approx(
        log_likelihoods(profile, center, fit.estimates)[0], abs=1e-9
    )
    assert any("local maximum, by expectation-maximization" in note for note in fit.notes)


@pytest.mark.parametrize(("seed", "kind"), CASES[1::4])
def test_information_is_minus_the_second_derivative(seed, kind):
    fit = ra.Mallows.fit(random_incomplete(seed, kind))
    theta = fit.distribution.theta
    assert theta > 0.1
    h = 1e-3
    low, middle, high = (fit.log_likelihood_at(at) for at in (theta - h, theta, theta + h))
    information = -(low - 2 * middle + high) / h**2
    assert fit.standard_errors[0] == pytest.approx(information**-0.5, rel=1e-3)


# -- how it is told -------------------------------------------------------------------------------


def test_fit_tells_its_numbers():
    fit = ra.Mallows.fit(VOTES)
    frame = fit.to_frame()
    assert frame.index.tolist() == list(fit.names) == ["theta"]
    assert frame.columns.tolist() == ["estimate", "std_err", "z", "p_value", "lower", "upper"]
    # A center that was chosen to fit makes a z of theta say too much.
    assert frame.loc["theta", ["z", "p_value"]].isna().all()
    given = ra.Mallows.fit(VOTES, center=list("ABCD"))
    frame = given.to_frame()
    z = given.estimates[0] / given.standard_errors[0]
    assert frame.loc["theta", "z"] == pytest.approx(z)
    assert frame.loc["theta", "p_value"] == pytest.approx(2 * stats.norm.sf(z))
    assert fit.conf_int().columns.tolist() == ["lower", "upper"]
    assert fit.conf_int().index.name == "parameter"


@pytest.mark.parametrize("count", [1, 10**4, 10**9, 10**12, 2**52])
def test_one_exchange_among_any_number_has_a_finite_theta(count):
    fit = ra.Mallows.fit(ra.Profile.from_orders(["AB", "BA"], counts=[count, 1]))
    assert fit.distribution.theta == pytest.approx(np.log(count), rel=1e-9)
    if count > 1:
        # A Poisson number of exchanges, of mean x: x - log x - 1 is 1.9207 at .05706 and 4.403.
        lower, upper = fit.conf_int().loc["theta"]
        assert lower == pytest.approx(np.log(count / 4.403), abs=0.05)
        assert upper == pytest.approx(np.log(count / 0.05706), abs=0.06)


def test_weights_of_very_different_size_have_a_finite_theta():
    fit = ra.Mallows.fit(ra.Profile.from_orders(["ABC", "BAC"], weights=[1e60, 1.0]))
    assert fit.distribution.theta == pytest.approx(np.log(2e60), rel=1e-6)
    # As much as one ranking: it agrees for sure, or its 1e-60 would be 1.92.
    lower, upper = fit.conf_int().loc["theta"]
    assert lower == 0.0
    assert upper == pytest.approx(1.9207e60, rel=1e-3)
    json.dumps(fit.to_dict(), allow_nan=False)
