"""Whether a fit fits: statistics by hand, p-values by counting, level and power."""

import numpy as np
import pytest
from joblib import parallel_config

import rankagg as ra
from rankagg.distributions.model_checks import (
    NAMED_MODELS,
    STATISTICS,
    _anderson_darling,
    _cycles_of_three,
    _freeman_tukey,
    _Shares,
)  # fmt: skip
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.conftest import slow_but

KENDALL = ra.Mallows("CADB", theta=0.8)
LUCE = ra.PlackettLuce([1.0, 0.4, -0.2, -1.2], items="ABCD")


def shares_by_hand(made, name):
    """Return the law of distances, and chances of ranks and pairs, ranking by ranking."""
    every, chances = made.enumerated
    n = made.n_items
    laws, ranks, pairs = {}, np.zeros((n, n)), np.zeros((n, n))
    for row, chance in zip(every.tolist(), chances, strict=True):
        mode = made.mode.ranks
        if name == "kendall":
            far = sum(
                (row[a] - row[b]) * (mode[a] - mode[b]) < 0 for a in range(n) for b in range(a)
            )
        else:
            far = sum(abs(row[a] - mode[a]) for a in range(n))
        laws[far] = laws.get(far, 0.0) + chance
        for item in range(n):
            ranks[item, row[item]] += chance
            for other in range(n):
                pairs[item, other] += chance * (row[item] < row[other])
    return laws, ranks, pairs


@pytest.mark.parametrize(
    ("made", "name"),
    [(KENDALL, "kendall"), (LUCE, "kendall"), (ra.Mallows("CADB", 0.8, "footrule"), "footrule")],
)
def test_expected_shares_are_those_of_all_rankings(made, name):
    seen, expected = _Shares.both(made.sample(10, rng=0), made, np.random.default_rng(0))
    laws, ranks, pairs = shares_by_hand(made, name)
    assert expected.distances.keys() == laws.keys()
    for far, chance in laws.items():
        assert expected.distances[far] == pytest.approx(chance)
    np.testing.assert_allclose(expected.ranks, ranks)
    np.testing.assert_allclose(expected.pairs, pairs)
    np.testing.assert_allclose(expected.ranks, made.rank_probabilities())
    np.testing.assert_allclose(expected.pairs, made.pairwise_probabilities(), atol=1e-12)
    assert (seen.number, expected.number) == (pytest.approx(10.0), np.inf)


def test_expected_shares_of_many_items_are_simulated():
    made = ra.Mallows(range(12), theta=0.5)
    expected = _Shares.both(made.sample(3, rng=0), made, np.random.default_rng(0))[1]
    assert expected.number == pytest.approx(5_000)
    error = (expected.pairs - made.pairwise_probabilities()) / np.sqrt(0.25 / 5_000)
    assert np.abs(error).max() < 4.5


def test_weights_are_shares_of_the_observed_rankings():
    rows = ra.Profile.from_orders(["ABC", "CAB"], weights=[3.0, 1.0])
    seen, _ = _Shares.both(rows, ra.Mallows("ABC", 1.0), np.random.default_rng(0))
    assert seen.distances == {0.0: 0.75, 2.0: 0.25}
    np.testing.assert_allclose(seen.ranks, [[0.75, 0.25, 0], [0, 0.75, 0.25], [0.25, 0, 0.75]])
    np.testing.assert_allclose(seen.pairs, [[0, 1, 0.75], [0, 0, 0.75], [0.25, 0.25, 0]])
    assert seen.number == pytest.approx(16 / 10)


def test_statistics_equal_those_by_hand():
    seen, expected = {0.0: 0.5, 2.0: 0.5}, {0.0: 0.2, 1.0: 0.5, 2.0: 0.3}
    by_hand = 0.2 * 0.3**2 / (0.2 * 0.8) + 0.5 * 0.2**2 / (0.7 * 0.3)
    assert _anderson_darling(seen, expected) == pytest.approx(by_hand)
    assert _anderson_darling(expected, expected) == 0.0
    by_hand = 4 * ((0.5 - 0.6) ** 2 + (1 - 0.8) ** 2)
    assert _freeman_tukey(np.array([0.25, 1.0]), np.array([0.36, 0.64])) == pytest.approx(by_hand)


def test_cycles_are_those_of_three_items():
    cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"])
    seen, _ = _Shares.both(cycle, ra.distributions.Uniform("ABC"), np.random.default_rng(0))
    assert _cycles_of_three(seen.pairs) == 1.0
    four = ra.Profile.from_orders(["ABCD", "BCAD", "CABD"])
    assert _cycles_of_three(_Shares.both(four, LUCE, np.random.default_rng(0))[0].pairs) == 1.0
    tied = ra.Profile.from_orders(["ABC", "CBA"])
    assert (
        _cycles_of_three(_Shares.both(tied, ra.distributions.Uniform("ABC"), None)[0].pairs) == 0.0
    )


def test_p_values_are_shares_of_simulated_samples():
    rankings = ra.distributions.Uniform(range(6)).sample(9, rng=2)  # without a cycle, which is rare
    test = ra.distributions.goodness_of_fit(
        ra.distributions.Uniform.fit(rankings), rankings, n_resamples=39, rng=2
    )
    every = np.vstack([test.values, test.samples])
    every[:, 3] = np.abs(every[:, 3] - every[:, 3].mean())
    each = np.array(
        [[np.mean(c >= x - 1e-9) for c, x in zip(every.T, row, strict=True)] for row in every]
    )
    np.testing.assert_allclose(test.p_values, each[0])
    least = each.min(axis=1)
    assert test.p_value == pytest.approx(np.mean(least <= least[0] + 1e-9))
    frame = test.to_frame()
    assert list(frame.index) == list(STATISTICS)
    np.testing.assert_allclose(frame["expected"], test.samples.mean(axis=0))


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_workers_change_no_result(backend):
    rankings = KENDALL.sample(30, rng=1)
    fit = ra.Mallows.fit(rankings)
    with parallel_config(backend):
        one, two = (
            ra.distributions.goodness_of_fit(fit, rankings, n_resamples=4, rng=3, n_jobs=jobs)
            for jobs in (1, 2)
        )
    assert one == two


def test_counts_are_treated_as_rankings():
    rankings = KENDALL.sample(50, rng=1)
    fit = ra.Mallows.fit(rankings)
    first = ra.distributions.goodness_of_fit(fit, rankings, n_resamples=3, rng=0)
    again = ra.distributions.goodness_of_fit(fit, rankings.compress(), n_resamples=3, rng=0)
    np.testing.assert_allclose(first.values, again.values)
    assert first.n_rankings == pytest.approx(again.n_rankings)


def test_a_given_center_is_kept():
    rankings = KENDALL.sample(40, rng=1)
    fit = ra.Mallows.fit(rankings, center=list("CABD"))
    seen = []

    def refit(profile):
        seen.append(ra.Mallows.fit(profile, center=list("CABD")))
        return seen[-1]

    first = ra.distributions.goodness_of_fit(fit, rankings, n_resamples=5, rng=0)
    assert first == ra.distributions.goodness_of_fit(
        fit, rankings, refit=refit, n_resamples=5, rng=0
    )
    assert len(seen) == 6


@pytest.mark.parametrize(
    "name",
    slow_but(["uniform", "mallows-kendall", "mallows-footrule", "plackett-luce"], NAMED_MODELS),
)
def test_every_named_model_is_refitted(name):
    rankings = LUCE.sample(60, rng=4)
    fit = NAMED_MODELS[name](rankings)
    test = ra.distributions.goodness_of_fit(fit, rankings, n_resamples=3, rng=0)
    own = ra.distributions.goodness_of_fit(
        fit, rankings, refit=NAMED_MODELS[name], n_resamples=3, rng=0
    )
    assert test == own


def test_the_uniform_fit_has_no_parameters():
    fit = ra.distributions.Uniform.fit(
        ra.Profile.from_orders(["ABC", "CBA"], counts=[3, 1], weights=[1.0, 2.0])
    )
    # Of 25/7 rankings of equal weight.
    assert fit.log_likelihood == pytest.approx(-25 / 7 * np.log(6))
    assert (fit.n_parameters, fit.aic) == (0, pytest.approx(50 / 7 * np.log(6)))
    assert fit.n_observations == pytest.approx(25 / 7)


def test_fits_that_cannot_be_tested_are_refused():
    rankings = KENDALL.sample(40, rng=1)
    fit = ra.Mallows.fit(rankings)
    for one, profile, message in (
        (fit, ra.Profile.from_orders(["AB", "CD"], items="ABCD"), "complete strict"),
        (fit, KENDALL.sample(40, rng=2), "`refit` must be such that"),
        (ra.PlackettLuce.fit(rankings, ridge=5.0), rankings, "`refit` must be such that"),
        (ra.BradleyTerry.fit(rankings), rankings, "`refit` must be given for a BradleyTerry"),
        (KENDALL, rankings, "`fit` must be"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            ra.distributions.goodness_of_fit(one, profile, n_resamples=3)


def test_a_fit_whose_samples_have_no_fit_is_refused():
    rankings = ra.Profile.from_orders(["ABC", "BAC"], counts=[400, 1])
    with pytest.raises(NotIdentifiedError, match="of 20 samples from the fit"):
        # Nearly all samples of so concentrated a fit agree in full, or C is last in all.
        ra.distributions.goodness_of_fit(
            ra.PlackettLuce.fit(rankings, pseudo_rankings=0.001),
            rankings,
            refit=lambda profile: ra.PlackettLuce.fit(
                profile, pseudo_rankings=0.001 if profile.n_rankings and profile is rankings else 0
            ),
            n_resamples=1,
            rng=0,
        )


def rejections(made, fitter, repetitions, n_resamples=39):
    """Return the share of samples of 80 rankings whose fit is refuted at 0.05."""
    found = []
    for seed in range(repetitions):
        rankings = made(seed)
        fit = fitter(rankings)
        options = {"refit": fitter, "n_resamples": n_resamples}
        found.append(
            ra.distributions.goodness_of_fit(fit, rankings, rng=seed, **options).p_value <= 0.05
        )
    return np.mean(found)


def mixed(seed):
    first, second = (
        ra.Permutation.from_order(order, items="ABCDE") for order in ("ABCDE", "DECAB")
    )
    return ra.Mallows(first, 1.2).sample(40, rng=seed) + ra.Mallows(second, 1.2).sample(
        40, rng=900 + seed
    )


CONCENTRATED = ra.Mallows("ABCDE", theta=0.8)


def test_a_wrong_model_is_rejected_and_a_right_one_is_not():
    # The level on many samples, of four families, is below.
    assert rejections(mixed, ra.Mallows.fit, 1) == 1
    assert rejections(lambda seed: CONCENTRATED.sample(80, rng=seed), ra.Mallows.fit, 1) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "name"),
    [
        (ra.distributions.Uniform("ABCDE"), "uniform"),
        (CONCENTRATED, "mallows-kendall"),
        (ra.Mallows("ABCDE", 0.4, "footrule"), "mallows-footrule"),
        (ra.PlackettLuce([1.0, 0.5, 0.0, -0.5, -1.0], items="ABCDE"), "plackett-luce"),
    ],
)
def test_the_test_keeps_its_level_for_four_models(made, name):
    share = rejections(lambda seed: made.sample(80, rng=seed), NAMED_MODELS[name], 400, 99)
    # Four standard errors.
    assert share <= 0.05 + 4 * (0.05 * 0.95 / 400) ** 0.5
