"""Maximum likelihood for Mallows against the best of all centers and a grid of thetas."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import rankagg as ra
from rankagg.core.rankings.places import UNLISTED, UNRANKED, competition_ranks
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests import oracles
from tests.distributions.enumeration import (
    best_theta,
    greatest_likelihood,
    log_likelihoods,
    strict_ranks,
)

VOTES = ra.Profile.from_orders(["ABCD", "BACD", "ACDB", "DABC", "ABDC"], counts=[4, 2, 3, 1, 1])


def profile_of(rows: Any, items: Any, **options: Any) -> ra.Profile:
    return ra.Profile([ra.PartialRanking(row, items) for row in rows], **options)


def random_votes(seed: int) -> ra.Profile:
    """Return complete strict rankings with counts and weights."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 5)), int(rng.integers(2, 8))
    law = ra.Mallows(range(n), float(rng.choice([0.0, 0.5, 1.5])))
    rows = [*law.sample(m, rng=rng), law.center, law.center.reverse()]
    return ra.Profile(
        rows, counts=rng.integers(1, 5, m + 2), weights=rng.choice([0.5, 1.0, 2.0], m + 2)
    )


def random_incomplete(seed: int, kind: str) -> ra.Profile:
    """Return rankings with gaps, with ties or cut off, and two whole ones that disagree."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 5)), int(rng.integers(3, 9))
    rows = ra.Mallows(range(n), float(rng.uniform(0.2, 1.5))).sample(m, rng=rng).ranks.astype(float)
    if kind == "gaps":
        rows[rng.random(rows.shape) < 0.3] = np.nan
        ranks = competition_ranks(rows)
    elif kind == "ties":
        ranks = competition_ranks(np.floor(rows * rng.uniform(0.4, 1.0, (m, 1))))
    else:
        lengths = rng.integers(1, n + 1, size=(m, 1))
        ranks = np.where(rows < lengths, rows, UNLISTED).astype(np.int32)
    return profile_of([*ranks, np.arange(n), [1, 0, *range(2, n)]], range(n))


# -- complete strict rankings ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_fit_of_complete_rankings_is_the_best_of_all_laws(seed: int) -> None:
    profile = random_votes(seed)
    fit = ra.Mallows.fit(profile)
    _, theta, height = greatest_likelihood(profile)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-8)
    assert fit.distribution.theta == pytest.approx(theta, abs=1e-4)
    center = tuple(fit.distribution.center.ranks.tolist())
    assert best_theta(profile, center)[1] == pytest.approx(height, abs=1e-8)
    grid = np.linspace(0.0, 5.0, 60)
    assert (log_likelihoods(profile, center, grid) <= fit.log_likelihood + 1e-9).all()


@pytest.mark.parametrize("seed", range(12))
def test_center_is_an_exact_kemeny_consensus(seed: int) -> None:
    profile = random_votes(seed)
    fit = ra.Mallows.fit(profile)
    cost, orders = oracles.kemeny(oracles.pairwise_votes(profile)[0])
    positions = tuple(profile.items.indices(fit.distribution.center.order))
    assert positions in orders
    assert fit.consensus.cost == pytest.approx(float(cost))
    assert fit.consensus.certificate.status == "optimal"
    assert any("Other centers are as likely" in note for note in fit.notes) == (len(orders) > 1)


@pytest.mark.parametrize("seed", range(12))
def test_theta_makes_the_expected_distance_the_observed_one(seed: int) -> None:
    profile = random_votes(seed)
    law = ra.Mallows.fit(profile).distribution
    cost = oracles.kemeny(oracles.pairwise_votes(profile)[0])[0]
    mean = float(cost) / profile.total_weight
    if law.theta > 0:
        assert law.mean_distance == pytest.approx(mean, rel=1e-10)
    else:
        assert mean >= ra.Mallows(law.center, 0.0).mean_distance * (1 - 1e-9)


def test_standard_error_is_that_of_the_information() -> None:
    fit = ra.Mallows.fit(VOTES)
    expected = 1 / np.sqrt(11 * fit.distribution.distance_variance)
    assert fit.standard_errors.tolist() == pytest.approx([expected])
    assert fit.n_observations == 11


def test_copies_and_counts_are_the_same_data() -> None:
    rows = [row for row, count in zip(VOTES, VOTES.counts, strict=True) for _ in range(count)]
    copied, counted = ra.Mallows.fit(ra.Profile(rows)), ra.Mallows.fit(VOTES)
    assert copied.estimates == pytest.approx(counted.estimates)
    assert copied.log_likelihood == pytest.approx(counted.log_likelihood)
    pd_equal(copied.conf_int(), counted.conf_int())


def pd_equal(first: Any, second: Any) -> None:
    np.testing.assert_allclose(first.to_numpy(), second.to_numpy(), rtol=1e-8)


def test_weights_count_by_their_effective_number() -> None:
    plain = ra.Mallows.fit(VOTES)
    doubled = ra.Mallows.fit(ra.Profile(list(VOTES), counts=VOTES.counts, weights=[2.0] * 5))
    assert doubled.n_observations == pytest.approx(11)
    assert doubled.log_likelihood == pytest.approx(2 * plain.log_likelihood)
    np.testing.assert_allclose(doubled.standard_errors, plain.standard_errors)
    for method in ("profile", "wald"):
        pd_equal(doubled.conf_int(method=method), plain.conf_int(method=method))
    unequal = ra.Mallows.fit(ra.Profile(list(VOTES), weights=[1.0, 2.0, 0.5, 1.0, 1.0]))
    assert unequal.n_observations == pytest.approx(5.5**2 / 7.25)
    variance = unequal.distribution.distance_variance
    assert unequal.standard_errors[0] == pytest.approx((5.5**2 / 7.25 * variance) ** -0.5)


def test_criteria_count_theta_alone() -> None:
    fit = ra.Mallows.fit(VOTES)
    assert fit.n_parameters == 1
    assert fit.aic == pytest.approx(2 - 2 * fit.log_likelihood)
    assert fit.bic == pytest.approx(np.log(11) - 2 * fit.log_likelihood)
    assert fit.log_likelihood == pytest.approx(fit.distribution.log_prob(VOTES))
    assert fit.log_likelihood_at(fit.distribution.theta) == fit.log_likelihood


# -- centers --------------------------------------------------------------------------------------


def test_equally_good_centers_are_told() -> None:
    fit = ra.Mallows.fit(ra.Profile.from_orders(["ABC", "BAC"]))
    assert set(fit.consensus.optima) == {
        ra.Permutation.from_order("ABC"), ra.Permutation([1, 0, 2], "ABC")
    }  # fmt: skip
    assert any("Other centers are as likely: 1 pair left open" in note for note in fit.notes)


def test_given_center_is_kept() -> None:
    for center in (list("DCBA"), ra.Permutation([3, 2, 1, 0], "ABCD")):
        fit = ra.Mallows.fit(VOTES, center=center)
        assert fit.distribution.center.order == ("D", "C", "B", "A")
        assert fit.consensus is None
    fit = ra.Mallows.fit(VOTES, center=list("BACD"))
    theta, height = best_theta(VOTES, (1, 0, 2, 3))
    assert fit.distribution.theta == pytest.approx(theta, abs=1e-4)
    assert fit.log_likelihood == pytest.approx(height)


def test_borda_center_is_borda_and_says_so() -> None:
    # Borda puts B first, the majorities A.
    profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    fit = ra.Mallows.fit(profile, center="borda")
    assert fit.distribution.center.order == ("B", "A", "C")
    assert fit.consensus == ra.Borda().aggregate(profile)
    assert any("not the maximum of the likelihood" in note for note in fit.notes)
    assert fit.log_likelihood < ra.Mallows.fit(profile).log_likelihood


def test_center_of_other_items_or_another_name_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="`center` must be 'kemeny' or 'borda'"):
        ra.Mallows.fit(VOTES, center="copeland")
    with pytest.raises(ItemMismatchError):
        ra.Mallows.fit(VOTES, center=ra.Permutation.from_order("ABCE"))
    with pytest.raises(InvalidInputError, match="`center` must be complete and strict"):
        ra.Mallows.fit(VOTES, center=ra.PartialRanking([0, 0, 2, 3], "ABCD"))


def test_theta_is_zero_where_data_are_no_closer_than_chance() -> None:
    everything = ra.Profile.from_ranks(strict_ranks(3), items="ABC")
    fits = (
        ra.Mallows.fit(everything),
        ra.Mallows.fit(VOTES, center=list("DCBA")),
    )
    for fit in fits:
        assert fit.distribution.theta == 0.0
        assert any("Theta is at its bound 0" in note for note in fit.notes)
        lower, upper = fit.conf_int().loc["theta"]
        assert lower == 0.0
        assert upper > 0.0


# -- data without a maximum -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "profile",
    [
        ra.Profile.from_orders(["BCA"] * 3),
        ra.Profile.from_orders(["A"]),
        profile_of([[0, 0, 2], [0, 0, 2]], "ABC"),
        profile_of([[0, 1, UNLISTED, UNLISTED]], "ABCD"),
    ],
    ids=["equal", "one item", "tied", "cut off"],
)
def test_rankings_that_all_agree_have_no_finite_theta(profile: ra.Profile) -> None:
    with pytest.raises(InvalidInputError, match=r"do not all agree.*no finite maximum"):
        ra.Mallows.fit(profile)


def test_gaps_that_agree_with_one_order_have_no_finite_theta() -> None:
    profile = profile_of([[0, UNRANKED, 1, UNRANKED], *[[UNLISTED] * 4] * 2], "ABCD")
    with pytest.raises(InvalidInputError, match=r"do not all agree.*no finite maximum"):
        ra.Mallows.fit(profile, max_iterations=60)


def test_items_that_are_never_observed_are_refused() -> None:
    profile = profile_of([[0, 1, UNRANKED], [1, 0, UNRANKED]], "ABC")
    with pytest.raises(InvalidInputError, match=r"observe every item somewhere\. Got C"):
        ra.Mallows.fit(profile)


@pytest.mark.parametrize("data", [None, [["A", "B"]], ra.Permutation.from_order("AB")])
def test_what_is_no_profile_is_refused(data: Any) -> None:
    with pytest.raises(InvalidInputError, match="`profile` must be a Profile"):
        ra.Mallows.fit(data)


@pytest.mark.parametrize("steps", [0, -1, 2.5, True])
def test_number_of_iterations_must_be_positive(steps: Any) -> None:
    with pytest.raises(InvalidInputError, match="`max_iterations` must be an integer"):
        ra.Mallows.fit(VOTES, max_iterations=steps)


# -- intervals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_profile_interval_ends_where_the_likelihood_ratio_test_begins(alpha: float) -> None:
    fit = ra.Mallows.fit(VOTES)
    lower, upper = fit.conf_int(alpha, method="profile").loc["theta"]
    assert 0 < lower < fit.distribution.theta < upper
    for end in (lower, upper):
        ratio = 2 * (fit.log_likelihood - fit.log_likelihood_at(end))
        assert stats.chi2.sf(ratio, df=1) == pytest.approx(alpha, rel=1e-6)


def test_weighted_profile_interval_scales_the_likelihood() -> None:
    fit = ra.Mallows.fit(ra.Profile(list(VOTES), weights=[3.0, 1.0, 2.0, 0.5, 1.0]))
    scale = fit.n_observations / 7.5
    for end in fit.conf_int(method="profile").loc["theta"]:
        if end > 0:
            ratio = 2 * scale * (fit.log_likelihood - fit.log_likelihood_at(end))
            assert stats.chi2.sf(ratio, df=1) == pytest.approx(0.05, rel=1e-6)


def test_wald_interval_is_estimate_and_standard_error() -> None:
    fit = ra.Mallows.fit(VOTES)
    theta, error = fit.estimates[0], fit.standard_errors[0]
    for alpha in (0.05, 0.2):
        radius = stats.norm.ppf(1 - alpha / 2) * error
        found = fit.conf_int(alpha, method="wald").loc["theta"]
        assert found.tolist() == pytest.approx([max(theta - radius, 0.0), theta + radius])
    wide = ra.Mallows.fit(ra.Profile.from_orders(["ABC", "BAC"])).conf_int(method="wald")
    assert wide.loc["theta", "lower"] == 0.0


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2, True, float("nan"), "0.05"])
def test_alpha_must_be_a_probability(alpha: Any) -> None:
    fit = ra.Mallows.fit(VOTES)
    for method in ("inversion", "profile", "wald"):
        with pytest.raises(InvalidInputError, match="`alpha` must be"):
            fit.conf_int(alpha, method=method)
    with pytest.raises(InvalidInputError, match="'inversion' or 'profile' or 'wald'"):
        fit.conf_int(method="bootstrap")


def test_profile_interval_covers_theta_as_often_as_it_says() -> None:
    law = ra.Mallows("ABCDE", 0.6)
    rng = np.random.default_rng(11)
    covered, replicates = 0, 300
    for _ in range(replicates):
        fit = ra.Mallows.fit(law.sample(40, rng=rng), center=law.center)
        lower, upper = fit.conf_int(0.1).loc["theta"]
        covered += lower <= law.theta <= upper
    low, high = stats.binom.interval(1 - 1e-4, replicates, 0.9)
    assert low <= covered <= high


# -- partial and tied rankings --------------------------------------------------------------------

KINDS = ("gaps", "ties", "cut off")
CASES = [(seed, kind) for kind in KINDS for seed in range(5)]


@pytest.mark.parametrize(("seed", "kind"), CASES)
def test_fit_of_incomplete_rankings_is_the_best_of_all_laws(seed: int, kind: str) -> None:
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


@pytest.mark.parametrize(("seed", "kind"), CASES[::3])
def test_fit_is_no_worse_than_the_kemeny_center(seed: int, kind: str) -> None:
    profile = random_incomplete(seed, kind)
    fit = ra.Mallows.fit(profile)
    for policy in ("uniform", "ignore"):
        start = ra.Kemeny(unranked=policy).aggregate(profile).ranking
        kemeny = ra.Mallows.fit(profile, center=start)
        assert fit.log_likelihood >= kemeny.log_likelihood - 1e-8


@pytest.mark.parametrize(("seed", "kind"), CASES[1::3])
def test_given_center_of_incomplete_rankings_has_its_best_theta(seed: int, kind: str) -> None:
    profile = random_incomplete(seed, kind)
    for center in ((0, 1, 2, 3), (1, 0, 2, 3)):
        ranks = center[: profile.n_items]
        fit = ra.Mallows.fit(profile, center=ra.Permutation(ranks, profile.items))
        theta, height = best_theta(profile, ranks)
        assert fit.log_likelihood == pytest.approx(height, abs=1e-7)
        assert fit.distribution.theta == pytest.approx(theta, abs=1e-3)


@pytest.mark.parametrize(("seed", "kind"), CASES[2::3])
def test_information_is_minus_the_second_derivative(seed: int, kind: str) -> None:
    profile = random_incomplete(seed, kind)
    fit = ra.Mallows.fit(profile)
    theta = fit.distribution.theta
    assert theta > 0.1
    h = 1e-3
    low, middle, high = (fit.log_likelihood_at(at) for at in (theta - h, theta, theta + h))
    information = -(low - 2 * middle + high) / h**2
    assert fit.standard_errors[0] == pytest.approx(information**-0.5, rel=1e-3)


def test_profile_interval_of_incomplete_rankings() -> None:
    profile = random_incomplete(2, "gaps")
    fit = ra.Mallows.fit(profile)
    center = tuple(fit.distribution.center.ranks.tolist())
    allowed = stats.chi2.ppf(0.95, df=1) / 2

    def short(theta: float) -> float:
        return fit.log_likelihood - log_likelihoods(profile, center, np.array([theta]))[0] - allowed

    lower, upper = fit.conf_int(method="profile").loc["theta"]
    assert upper == pytest.approx(brentq(short, fit.distribution.theta, 50.0), abs=1e-6)
    assert lower == 0.0 if short(0.0) <= 0 else short(lower) == pytest.approx(0.0, abs=1e-6)


def test_rows_that_say_nothing_change_nothing() -> None:
    blank = profile_of([[UNRANKED] * 4, [0] * 4, [UNLISTED] * 4], "ABCD")
    fit, plain = ra.Mallows.fit(VOTES + blank), ra.Mallows.fit(VOTES)
    assert fit.distribution.center == plain.distribution.center
    assert fit.distribution.theta == pytest.approx(plain.distribution.theta, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)


def test_many_rows_that_say_nothing_change_nothing() -> None:
    plain = profile_of([[0, 1, 2, 3, 4], [0, 1, 2, 4, 3]], "ABCDE", counts=[29, 1])
    fit = ra.Mallows.fit(plain + profile_of([[0] * 5], "ABCDE", counts=[970]))
    best = ra.Mallows.fit(plain)
    assert fit.distribution.theta == pytest.approx(best.distribution.theta, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(best.log_likelihood, abs=1e-7)


def test_theta_of_incomplete_rankings_is_zero_at_the_bound() -> None:
    profile = profile_of([[2, 1, 0], [2, 1, 0], [1, 0, UNRANKED]], "ABC")
    fit = ra.Mallows.fit(profile, center=list("ABC"))
    assert fit.distribution.theta == 0.0
    assert any("Theta is at its bound 0" in note for note in fit.notes)


def test_few_iterations_are_told() -> None:
    profile = random_incomplete(1, "gaps")
    assert ra.Mallows.fit(profile).converged
    assert not ra.Mallows.fit(profile, max_iterations=1).converged


# -- the test that theta is 0 ---------------------------------------------------------------------


def test_concentration_is_found() -> None:
    fit = ra.Mallows.fit(ra.Mallows("ABC", 1.5).sample(30, rng=3))
    found = fit.test_uniform(n_resamples=39, rng=0)
    assert found.p_value == 1 / 40
    assert found.mean_distance < found.expected
    assert found.n_resamples == 39
    assert found == fit.test_uniform(n_resamples=39, rng=0)
    assert found.mean_distance == pytest.approx(fit.distribution.mean_distance)


def test_p_values_are_uniform_without_concentration() -> None:
    law = ra.Uniform("ABC")
    rng = np.random.default_rng(8)
    values = []
    for _ in range(60):
        fit = ra.Mallows.fit(law.sample(15, rng=rng), center=law.mode)
        values.append(fit.test_uniform(n_resamples=9, rng=rng).p_value)
    # Ranks among ten; ties of the statistic only make them larger.
    for level in (0.2, 0.5):
        low, high = stats.binom.interval(1 - 1e-4, len(values), level)
        assert low / 2 <= np.sum(np.array(values) <= level + 1e-9) <= high


def test_uniformity_of_incomplete_rankings_is_tested_with_their_gaps() -> None:
    orders = [
        [0, 1, UNRANKED],
        [UNRANKED, 0, 1],
        [0, UNRANKED, 1],
        [0, 1, 1],
        [0, UNLISTED, UNLISTED],
    ]
    profile = profile_of([*orders, [1, 0, 2]], "ABC", counts=[6, 6, 6, 3, 3, 1])
    found = ra.Mallows.fit(profile).test_uniform(n_resamples=39, rng=1)
    assert found.p_value == 1 / 40
    assert found.mean_distance == pytest.approx(1 / 25)


@pytest.mark.parametrize("times", [0, -1, 1.5, True])
def test_number_of_resamples_must_be_positive(times: Any) -> None:
    with pytest.raises(InvalidInputError, match="`n_resamples` must be an integer"):
        ra.Mallows.fit(VOTES).test_uniform(n_resamples=times)


# -- how it is told -------------------------------------------------------------------------------


def test_fit_tells_its_numbers() -> None:
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


def test_fit_goes_to_json() -> None:
    for profile in (VOTES, random_incomplete(3, "ties")):
        fit = ra.Mallows.fit(profile)
        told = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
        assert (told["schema"], told["version"], told["model"]) == ("rankagg.fit", 1, "Mallows")
        assert told["items"] == list(profile.items)
        assert told["log_likelihood"] == fit.log_likelihood
        assert told["parameters"][0]["parameter"] == "theta"
        assert told["parameters"][0]["estimate"] == fit.distribution.theta
        assert told["notes"] == list(fit.notes)


def test_fit_prints_and_shows() -> None:
    fit = ra.Mallows.fit(VOTES)
    text = str(fit.summary(alpha=0.1))
    for word in (
        "Mallows fit",
        "theta",
        "[0.05",
        "0.95]",
        "No. Observations:",
        "11",
        "Center: A > B",
    ):
        assert word in text
    assert str(fit) == str(fit.summary())
    assert repr(fit) == f"<MallowsFit: {fit.distribution!r}>"
    with pytest.raises(InvalidInputError, match="`alpha` must be"):
        fit.summary(alpha=0)


def test_fit_is_a_value() -> None:
    fit = ra.Mallows.fit(VOTES)
    again = pickle.loads(pickle.dumps(fit))
    assert again == fit == ra.Mallows.fit(VOTES)
    assert hash(again) == hash(fit)
    pd_equal(again.conf_int(), fit.conf_int())
    with pytest.raises(AttributeError):
        fit.estimates = None
    assert not fit.estimates.flags.writeable
    assert fit != ra.Mallows.fit(VOTES, center="borda")


@pytest.mark.parametrize("count", [1, 10**4, 10**9, 10**12, 2**52])
def test_one_exchange_among_any_number_has_a_finite_theta(count: int) -> None:
    fit = ra.Mallows.fit(ra.Profile.from_orders(["AB", "BA"], counts=[count, 1]))
    assert fit.distribution.theta == pytest.approx(np.log(count), rel=1e-9)
    if count > 1:
        # A Poisson number of exchanges: 1 is at least 0.0253 and at most 5.57, at 95 %.
        lower, upper = fit.conf_int().loc["theta"]
        assert lower == pytest.approx(np.log(count / 5.57), abs=0.1)
        assert upper == pytest.approx(np.log(count / 0.0253), abs=0.1)


def test_weights_of_very_different_size_have_a_finite_theta() -> None:
    profile = ra.Profile.from_orders(["ABC", "BAC"], weights=[1e60, 1.0])
    fit = ra.Mallows.fit(profile)
    assert fit.distribution.theta == pytest.approx(np.log(2e60), rel=1e-6)
    # Two rankings that differ, whatever they weigh: a chance of .025 at about 4 exp(-theta).
    lower, upper = fit.conf_int().loc["theta"]
    assert lower == 0.0
    assert upper == pytest.approx(np.log(4 / 0.025), abs=0.6)
    json.dumps(fit.to_dict(), allow_nan=False)
