"""The likelihood interval of theta: against an enumeration, and its coverage."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.distributions.mallows.mallows import _likelihood_interval
from rankagg.exceptions import InvalidInputError
from tests.distributions.enumeration import log_likelihoods
from tests.distributions.mallows_data import KINDS, VOTES, random_incomplete, random_votes

# Pairs that were never compared: A and D, B and D.
NEVER_COMPARED = ra.Profile.from_orders(["AB", "CBA", "DC"], counts=[6, 4, 4], items="ABCD")


def with_gaps(theta, n, m, missing, rng):
    ranks = ra.Mallows(range(n), theta).sample(m, rng=rng).ranks.astype(float)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    return ra.Profile.from_ranks(ranks[(~np.isnan(ranks)).any(axis=1)], items=range(n))


# -- content --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "profile",
    [
        NEVER_COMPARED,
        VOTES,
        ra.Profile.from_orders(["ABCDE", "BACDE"]),
        random_incomplete(0, "gaps"),
        *(
            pytest.param(profile, marks=pytest.mark.slow)
            for profile in (random_votes(0), *(random_incomplete(1, kind) for kind in KINDS))
        ),
    ],
)
@pytest.mark.parametrize("center", [None, "given"])
def test_ends_of_the_interval_match_the_likelihood_ratio_test(profile, center):
    given = (
        None
        if center is None
        else ra.Permutation.from_ranks(range(profile.n_items), items=profile.items)
    )
    fit = ra.Mallows.fit(profile, center=given)
    own = tuple(fit.distribution.center.ranks.tolist())
    for alpha in (0.05, 0.3):
        lower, upper = fit.conf_int(alpha).loc["theta"]
        assert 0 <= lower <= fit.distribution.theta < upper < np.inf
        heights = log_likelihoods(profile, own, [0.0, lower, upper])
        drops = 2 * (fit.log_likelihood - heights)
        allowed = stats.chi2.isf(alpha, 1)
        assert drops[2] == pytest.approx(allowed, rel=1e-5)
        at_0 = allowed if center else stats.chi2.isf(alpha, profile.n_items - 1)
        assert (lower == 0) == (drops[0] <= at_0)
        assert lower == 0 or drops[1] == pytest.approx(allowed, rel=1e-5)


@pytest.mark.parametrize("distance", ["footrule", "spearman"])
def test_other_distances_have_the_same_interval(distance):
    profile = with_gaps(1.0, 4, 30, 0.0, np.random.default_rng(0))
    fit = ra.Mallows.fit(profile, distance=distance)
    lower, upper = fit.conf_int().loc["theta"]
    assert 0 < lower < fit.distribution.theta < upper
    for end in (lower, upper):
        at = ra.Mallows(fit.distribution.center, end, distance).log_prob(profile)
        assert 2 * (fit.log_likelihood - at) == pytest.approx(stats.chi2.isf(0.05, 1), rel=1e-6)


def test_the_interval_from_an_estimated_center_may_reach_theta_0():
    # Twice the log likelihood drops by 5.76 to theta 0: between chi-squared of 1 and of 3.
    votes = ra.Profile.from_orders(["ABCD", "BACD", "ACDB", "DABC", "CDBA"], counts=[3, 2, 2, 1, 2])
    chosen = ra.Mallows.fit(votes)
    given = ra.Mallows.fit(votes, center=chosen.distribution.center)
    drop = 2 * (chosen.log_likelihood - chosen.log_likelihood_at(0.0))
    assert stats.chi2.isf(0.05, 1) < drop < stats.chi2.isf(0.05, 3)
    assert chosen.conf_int().loc["theta", "lower"] == 0
    assert given.conf_int().loc["theta", "lower"] > 0
    assert (chosen.conf_int() == given.conf_int()).to_numpy().tolist() == [[False, True]]


def test_no_interval_is_made_where_all_rankings_agree():
    with pytest.raises(InvalidInputError, match="grows with it"):
        ra.Mallows.fit(ra.Profile.from_orders(["ABC", "AB", "BC"], items="ABC"))
    # Where nothing disagrees a likelihood does not fall again.
    lower, upper = _likelihood_interval(lambda at: -np.exp(-at), 20.0, np.nan, 0.05)
    assert (lower, upper) == (0.0, np.inf)


# -- notes of a fit -------------------------------------------------------------------------------


def test_a_fit_notes_that_the_interval_is_conditional_on_the_center():
    chosen, given = ra.Mallows.fit(VOTES), ra.Mallows.fit(VOTES, center=list("ABCD"))
    assert not chosen.center_is_given
    assert given.center_is_given
    assert chosen.notes[1].endswith("conditional on the center, which is estimated.")
    assert given.notes[1].endswith("conditional on the center, which is given.")


@pytest.mark.parametrize(("theta", "m", "is_noted"), [(0.1, 15, True), (0.1, 400, False)])
def test_a_fit_notes_if_few_rankings_make_theta_too_high(theta, m, is_noted):
    law, far = ra.Mallows(range(12), theta), []
    for seed in range(6):
        profile = law.sample(m, rng=seed)
        fit = ra.Mallows.fit(profile)
        assert any("likely too high" in note for note in fit.notes) == is_noted
        far.append((fit.distribution.theta - theta) / fit.standard_errors[0])
        given = ra.Mallows.fit(profile, center=law.center)
        assert not any("likely too high" in note for note in given.notes)
    assert (np.mean(far) > 0.5) == is_noted


# -- coverage -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("theta", "m", "missing"), [(0.7, 20, 0.3), (1.5, 60, 0.6)])
def test_the_interval_of_rankings_with_gaps_covers(theta, m, missing):
    rng, held, times = np.random.default_rng(7), 0, 0
    while times < 200:
        try:
            fit = ra.Mallows.fit(with_gaps(theta, 5, m, missing, rng))
        except InvalidInputError:
            continue  # all rankings agree
        lower, upper = fit.conf_int().loc["theta"]
        held, times = held + (lower <= theta <= upper), times + 1
    low, high = stats.binom.interval(1 - 1e-3, 200, 0.95)
    assert low <= held <= high
