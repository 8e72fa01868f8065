"""Maximum likelihood for Mallows against the best of all centers and a grid of thetas."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests import oracles
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
        (ra.Profile.from_orders(["A"]), {}, "order some items.*all thetas are equally likely"),
        (profile_of([[0, 0], [0, 0]], "AB"), {}, "order some items.*all thetas are equally likely"),
        (profile_of([[0, 0, 2], [0, 0, 2]], "ABC"), {}, AGREED),
        (profile_of([[0, 1, UNLISTED, UNLISTED]], "ABCD"), {}, AGREED),
        (profile_of([[0, UNRANKED, 1, UNRANKED], *[[UNLISTED] * 4] * 2], "ABCD"),
         {}, AGREED),
        (HALF, {}, r"observe every item somewhere\. Got C"),
        (None, {}, "`data` must be a Profile"),
        (ra.Permutation.from_order("AB"), {}, "`data` must be a Profile"),
    ],
)  # fmt: skip
def test_data_without_a_fit_are_refused(profile, options, words):
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


# -- the summary ----------------------------------------------------------------------------------


def test_the_fit_reports_its_numbers():
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
def test_one_exchange_among_any_number_of_rankings_has_a_finite_theta(count):
    fit = ra.Mallows.fit(ra.Profile.from_orders(["AB", "BA"], counts=[count, 1]))
    assert fit.distribution.theta == pytest.approx(np.log(count), rel=1e-9)
    if count > 1:
        # A Poisson number of exchanges, of mean x: x - log x - 1 is 1.9207 at .05706 and 4.403.
        lower, upper = fit.conf_int().loc["theta"]
        assert lower == pytest.approx(np.log(count / 4.403), abs=0.05)
        assert upper == pytest.approx(np.log(count / 0.05706), abs=0.06)


# -- the center -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_center_is_an_exact_kemeny_consensus(seed):
    profile = random_votes(seed)
    fit = ra.Mallows.fit(profile)
    cost, orders = oracles.kemeny(oracles.pairwise_votes(profile)[0])
    assert tuple(profile.items.indices(fit.distribution.center.order)) in orders
    assert fit.consensus.cost == pytest.approx(float(cost))
    assert fit.consensus.certificate.status == "optimal"
    assert any("Other centers are as likely" in note for note in fit.notes) == (len(orders) > 1)


def test_given_center_is_kept():
    for center in (list("DCBA"), ra.Permutation.from_ranks([3, 2, 1, 0], items="ABCD")):
        fit = ra.Mallows.fit(VOTES, center=center)
        assert fit.distribution.center.order == ("D", "C", "B", "A")
        assert fit.consensus is None
    fit = ra.Mallows.fit(VOTES, center=list("BACD"))
    theta, height = best_theta(VOTES, (1, 0, 2, 3))
    assert fit.distribution.theta == pytest.approx(theta, abs=1e-4)
    assert fit.log_likelihood == pytest.approx(height)


def test_a_borda_center_is_noted_as_no_maximum():
    # Borda puts B first, the majorities A.
    profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    fit = ra.Mallows.fit(profile, center="borda")
    assert fit.distribution.center.order == ("B", "A", "C")
    assert fit.consensus == ra.Borda().aggregate(profile)
    assert any("not the maximum of the likelihood" in note for note in fit.notes)
    assert fit.log_likelihood < ra.Mallows.fit(profile).log_likelihood


def test_center_of_other_items_or_another_name_is_refused():
    with pytest.raises(InvalidInputError, match="`center` must be 'kemeny' or 'borda'"):
        ra.Mallows.fit(VOTES, center="copeland")
    with pytest.raises(ItemMismatchError):
        ra.Mallows.fit(VOTES, center=ra.Permutation.from_order("ABCE"))
    with pytest.raises(InvalidInputError, match="`center` must be complete and strict"):
        ra.Mallows.fit(VOTES, center=ra.PartialRanking([0, 0, 2, 3], "ABCD"))


@pytest.mark.parametrize(("seed", "kind"), CASES[::4])
def test_given_center_of_incomplete_rankings_has_its_best_theta(seed, kind):
    profile = random_incomplete(seed, kind)
    for center in ((0, 1, 2, 3), (1, 0, 2, 3)):
        ranks = center[: profile.n_items]
        fit = ra.Mallows.fit(profile, center=ra.Permutation.from_ranks(ranks, items=profile.items))
        theta, height = best_theta(profile, ranks)
        assert fit.log_likelihood == pytest.approx(height, abs=1e-7)
        assert fit.distribution.theta == pytest.approx(theta, abs=1e-3)


def test_few_iterations_do_not_converge(monkeypatch):
    profile = random_incomplete(1, "gaps")
    assert ra.Mallows.fit(profile).converged
    monkeypatch.setattr("rankagg.distributions.mallows.center.MOST_STEPS", 1)
    assert not ra.Mallows.fit(profile).converged


# -- the test of uniformity -----------------------------------------------------------------------


def test_uniformity_of_concentrated_rankings_is_rejected():
    fit = ra.Mallows.fit(ra.Mallows("ABC", 1.5).sample(30, rng=3))
    found = fit.test_uniform(n_resamples=39, rng=0)
    assert found.p_value == 1 / 40
    assert found.statistic < found.expected
    assert found.n_resamples == 39
    assert found == fit.test_uniform(n_resamples=39, rng=0)
    assert found.statistic == pytest.approx(fit.distribution.mean_distance)


def test_uniformity_of_incomplete_rankings_is_tested_with_their_gaps():
    gaps = [[0, 1, UNRANKED], [UNRANKED, 0, 1], [0, UNRANKED, 1]]
    rows = [*gaps, [0, 1, 1], [0, UNLISTED, UNLISTED], [1, 0, 2]]
    profile = profile_of(rows, "ABC", counts=[6, 6, 6, 3, 3, 1])
    found = ra.Mallows.fit(profile).test_uniform(n_resamples=39, rng=1)
    assert found.p_value == 1 / 40
    assert found.statistic == pytest.approx(1 / 25)


@pytest.mark.parametrize("times", [0, -1, 1.5, True])
def test_number_of_resamples_must_be_positive(times):
    with pytest.raises(InvalidInputError, match="`n_resamples` must be an integer"):
        ra.Mallows.fit(VOTES).test_uniform(n_resamples=times)
