"""Generalized Mallows against stages by hand and the best of all centers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.distributions import GeneralizedMallows
from rankagg.exceptions import InvalidInputError
from tests import oracles
from tests.distributions.enumeration import effective_weights, strict_ranks
from tests.strategies import strict_rankings, top_k_rankings

fitted = GeneralizedMallows.fit
LAW = GeneralizedMallows(ra.Permutation.from_ranks([2, 0, 3, 1], items="ABCD"), [1.5, 0.0, 0.4])
THETA = st.sampled_from([0.0, 1e-6, 0.2, 1.0, 3.0])


def passed_over(center, places):
    """Return for each rank how many items that are left and better in the center it passes."""
    left = sorted(range(len(center)), key=lambda item: center[item])
    counts = []
    for item in sorted(range(len(places)), key=lambda item: places[item]):
        counts.append(left.index(item))
        left.remove(item)
    return counts[:-1]


def log_likelihood(profile, center, thetas):
    """Sum the log probabilities of all stages of all rankings."""
    total = 0.0
    for ranking, weight in zip(profile, effective_weights(profile), strict=True):
        for k, v in enumerate(passed_over(center, oracles.as_places(ranking))):
            sizes = np.arange(len(center) - k)
            total -= weight * (thetas[k] * v + np.log(np.exp(-thetas[k] * sizes).sum()))
    return total


def mean_passed_over(profile, center):
    weights = profile.counts * profile.weights
    counts = [passed_over(center, oracles.as_places(ranking)) for ranking in profile]
    return weights @ np.array(counts) / weights.sum()


def votes(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    thetas = rng.choice([0.0, 0.3, 1.0, 2.0], n - 1)
    rows = GeneralizedMallows(rng.permutation(n).tolist(), thetas).sample(12, rng=rng)
    return ra.Profile(rows, counts=rng.integers(1, 4, 12), weights=rng.choice([0.5, 1.0, 2.0], 12))


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda thetas=thetas: GeneralizedMallows("ABCD", thetas),
           r"`thetas` must be one number per rank.*\(3 of")
          for thetas in ([], [1.0], [1.0, 2.0, 3.0, 4.0])),
        *((lambda bad=bad: GeneralizedMallows("ABC", [1.0, bad]), "`thetas` must be")
          for bad in (-0.1, float("inf"), float("nan"), "x", None)),
        (lambda: GeneralizedMallows(ra.PartialRanking([0, 0, 2], "ABC"), [1.0, 1.0]),
         "`center` must be complete and strict"),
        (lambda: fitted(None), "`data` must be a Profile"),
        (lambda: fitted([["A"]]), "`data` must be complete strict rankings of two or more"),
        (lambda: fitted([[0, 1]]), "`data` must be orders of labels that are texts"),
        *((lambda bad=bad: fitted(ra.Profile.from_orders(["AB", "BA"]), max_theta=bad),
           "`max_theta` must be") for bad in (0, float("inf"), float("nan"), True, "20")),
        *((lambda ranks=ranks: fitted(ra.Profile([ra.PartialRanking(ranks, "ABC")])),
           "complete strict rankings of two or more items")
          for ranks in ([0, 0, 2], [0, 1, UNRANKED], [0, UNLISTED, UNLISTED])),
    ],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()


def test_thetas_given_are_copied():
    given_thetas = np.array([1.0, 2.0])
    law = GeneralizedMallows("ABC", given_thetas)
    given_thetas[0] = 7.0
    assert law.thetas.tolist() == [1.0, 2.0]
    assert law == GeneralizedMallows("ABC", (1, 2))
    assert GeneralizedMallows("ABC", [1, -0.0]) == GeneralizedMallows("ABC", [1, 0.0])


# -- probabilities --------------------------------------------------------------------------------


def test_chances_are_products_of_stages():
    center = oracles.as_places(LAW.center)
    for places in strict_ranks(4):
        profile = ra.Profile([ra.Permutation.from_ranks(places, items="ABCD")])
        assert LAW.log_prob(profile) == pytest.approx(log_likelihood(profile, center, LAW.thetas))


@given(ranking=top_k_rankings(min_size=2, max_size=5), data=st.data())
def test_top_list_has_the_chance_of_its_compatible_permutations(ranking, data):
    n = ranking.n_items
    thetas = data.draw(st.lists(THETA, min_size=n - 1, max_size=n - 1))
    law = GeneralizedMallows(data.draw(strict_rankings(ranking.items)), thetas)
    expected = sum(
        law.prob(ra.Permutation.from_ranks(places, items=law.items))
        for places in oracles.compatible_permutations(ranking)
    )
    assert law.prob(ranking) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "ranks", [[0, 0, 2, 3], [0, 1, UNRANKED, UNRANKED], [0, 1, 1, 3], [0, 0, UNLISTED, UNLISTED]]
)
def test_other_partial_rankings_have_no_chance_here(ranks):
    with pytest.raises(InvalidInputError, match="strict rankings, complete or of the first items"):
        LAW.log_prob(ra.PartialRanking(ranks, "ABCD"))


@given(center=strict_rankings(min_size=1, max_size=5), theta=THETA)
def test_equal_thetas_are_the_mallows_law(center, theta):
    law = GeneralizedMallows(center, [theta] * (center.n_items - 1))
    other = ra.Mallows(center, theta)
    rows = ra.Profile.from_ranks(strict_ranks(center.n_items), items=center.items)
    np.testing.assert_allclose(law.log_probs(rows), other.log_probs(rows), atol=1e-11)
    assert law.log_normalizer == pytest.approx(other.log_normalizer, abs=1e-12)


# -- fit ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_fit_is_the_best_of_all_centers(seed):
    profile = votes(seed)
    n = profile.n_items
    grid = np.concatenate([np.linspace(0.0, 6.0, 601), np.linspace(6.0, 20.0, 141)])
    powers = [np.exp(-np.outer(grid, np.arange(n - k))).sum(axis=1) for k in range(n - 1)]
    best = -np.inf
    for center in strict_ranks(n):
        means = mean_passed_over(profile, center)
        heights = [
            (-grid * mean - np.log(power)).max() for mean, power in zip(means, powers, strict=True)
        ]
        best = max(best, effective_weights(profile).sum() * sum(heights))
    fit = GeneralizedMallows.fit(profile)
    # The grid misses each theta by no more than half a step.
    assert best - 1e-9 <= fit.log_likelihood <= best + 4e-3
    center = oracles.as_places(fit.distribution.center)
    assert fit.log_likelihood == pytest.approx(log_likelihood(profile, center, fit.estimates))
    logs = fit.distribution.log_probs(profile)
    assert fit.log_likelihood == pytest.approx(effective_weights(profile) @ logs)
    assert "All centers were tried." in fit.notes


def test_many_items_are_climbed_to_a_maximum():
    law = GeneralizedMallows("GDFABCE", [2.0, 1.5, 1.0, 1.0, 1.0, 1.0])
    profile = law.sample(80, rng=4)
    fit = GeneralizedMallows.fit(profile)
    assert "The center is a local maximum." in fit.notes
    center = oracles.as_places(law.center)
    means = mean_passed_over(profile, center)
    assert fit.log_likelihood >= log_likelihood(profile, center, law.thetas)
    assert fit.distribution.center.order[:3] == ("G", "D", "F")
    assert means.shape == fit.estimates.shape
    order = list(fit.distribution.center.order)
    for k in range(6):
        swapped = [*order[:k], order[k + 1], order[k], *order[k + 2 :]]
        ranks = oracles.as_places(ra.Permutation.from_order(swapped, items=profile.items))
        assert log_likelihood(profile, ranks, fit.estimates) <= fit.log_likelihood + 1e-9


def test_standard_errors_are_those_of_the_stages():
    fit = GeneralizedMallows.fit(LAW.sample(60, rng=1))
    for k, (theta, error) in enumerate(zip(fit.estimates, fit.standard_errors, strict=True)):
        v = np.arange(4 - k)
        chances = np.exp(-theta * v) / np.exp(-theta * v).sum()
        assert error == pytest.approx((60 * (chances @ v**2 - (chances @ v) ** 2)) ** -0.5)
    np.testing.assert_array_equal(fit.covariance, np.diag(np.diag(fit.covariance)))
    assert list(fit.names) == ["theta 1", "theta 2", "theta 3"]
    assert fit.n_parameters == 3


def test_places_where_all_agree_are_set_to_the_bound():
    profile = ra.Profile.from_orders(["ABCD", "ABDC", "ACBD", "ACDB", "ADBC"])
    fit = GeneralizedMallows.fit(profile, max_theta=9.0)
    assert fit.estimates[0] == 9.0
    assert (fit.estimates[1:] < 9.0).all()
    assert "No finite maximum at rank 1: set to the bound 9." in fit.notes
    assert np.isnan(fit.standard_errors[0])
    assert np.isfinite(fit.standard_errors[1:]).all()
    # Five firsts as in the center: (1 + e^-t + e^-2t + e^-3t)^-5 is exp(-1.92) at the lower end.
    lower, upper = fit.conf_int().loc["theta 1"]
    assert np.exp(-lower * np.arange(4)).sum() ** -5 == pytest.approx(np.exp(-1.9207), rel=1e-2)
    assert upper == np.inf
    assert fit.to_dict()["parameters"][0]["std_err"] is None
    assert "theta 1" in str(fit)


def test_a_theta_beyond_the_bound_is_told_from_an_infinite_one():
    profile = ra.Profile.from_orders(["ABC", "BAC"], counts=[10**9, 1])
    fit = GeneralizedMallows.fit(profile)
    assert fit.notes[-2] == "No finite maximum at rank 2: set to the bound 20."
    assert fit.notes[-1].startswith("The maximum is beyond the bound 20 at rank 1: raise")
    higher = GeneralizedMallows.fit(profile, max_theta=50)
    assert higher.estimates[0] == pytest.approx(np.log(10**9), rel=1e-6)
    assert higher.notes[-1] == "No finite maximum at rank 2: set to the bound 50."


def test_intervals_are_conditional_and_say_so():
    profile = ra.Mallows("ABCD", 0.3).sample(20, rng=0)
    fit = GeneralizedMallows.fit(profile)
    assert "intervals are conditional on the center, which these rankings chose" in fit.notes[1]
    for k, (lower, upper) in enumerate(fit.conf_int(0.1).to_numpy()):
        theta = fit.estimates[k]
        assert 0 <= lower < theta < upper < np.inf
        for end in (lower, upper):
            moved = np.where(np.arange(3) == k, end, fit.estimates)
            at = GeneralizedMallows(fit.distribution.center, moved).log_prob(profile)
            chance = stats.chi2.sf(2 * (fit.log_likelihood - at), df=1)
            assert chance == pytest.approx(0.1) or (end == 0 and chance > 0.1)
    assert fit.to_frame()[["z", "p_value"]].isna().all(axis=None)
    assert "P>|z|" not in str(fit.summary())
