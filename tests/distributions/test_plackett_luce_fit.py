"""Maximum likelihood for Plackett-Luce: the maximum, its errors, tests and refusals."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from scipy import optimize, stats

import rankagg as ra
from rankagg.distributions.plackett_luce import choices
from rankagg.distributions.plackett_luce.fit import FitOptions
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.distributions.luce_by_hand import (
    from_rows,
    log_likelihood_by_hand,
    log_likelihood_function,
    numerical_gradient,
)

DATA = {
    "complete": from_rows(
        ["A>B>C>D", "B>A>D>C", "D>C>A>B", "C>A>B>D", "A>D>B>C"], "ABCD", counts=[5, 3, 2, 2, 1]
    ),
    "partial": from_rows(
        ["A>B", "B>C", "C>D>A", "D>B", "B>A>D", "C>B"], "ABCD", counts=[4, 3, 1, 2, 2, 1]
    ),
    "top": from_rows(
        ["A>...", "B>C>...", "D>...", "C>A>...", "B>...", "A>D>..."], "ABCD",
        counts=[5, 2, 1, 3, 2, 1],
    ),
    "ties of 2": from_rows(
        ["A=B>C>D", "B>A>C=D", "D>C>A>B", "C>A=D", "A>B>...", "D>B"], "ABCD",
        counts=[3, 2, 1, 2, 4, 2],
    ),
    "ties of 2 and 3": from_rows(
        ["A=B>C>D", "B>A=C=D", "D>C>A>B", "C>A=D", "A=B=D>C", "D>B", "A>B>C"], "ABCD",
        counts=[3, 2, 1, 2, 1, 2, 3],
    ),
}  # fmt: skip
every_kind = pytest.mark.parametrize("kind", DATA)


def likelihood_of(profile, fit):
    """Return the log likelihood by hand as a function of the parameters of a fit."""
    return log_likelihood_function(profile, [*fit.distribution.log_ties])


def centered_inverse(information, n):
    """Return the covariance of log worths with sum 0, by bordering the information with that."""
    p = len(information)
    border = np.zeros((p + 1, p + 1))
    border[:p, :p] = information
    border[p, :n] = border[:n, p] = 1.0
    return np.linalg.inv(border)[:p, :p]


# -- the maximum ----------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("bits", [62, 0])
def test_both_methods_reach_the_same_maximum(kind, bits, monkeypatch):
    monkeypatch.setattr(choices, "BITS", bits)
    newton = ra.PlackettLuce.fit(DATA[kind])
    climbed = ra.PlackettLuce.fit(DATA[kind], method="mm")
    assert newton.converged
    assert climbed.converged
    assert newton.n_iterations < climbed.n_iterations
    assert climbed.estimates == pytest.approx(newton.estimates, abs=1e-6)
    assert climbed.log_likelihood == pytest.approx(newton.log_likelihood, abs=1e-9)
    assert climbed.covariance == pytest.approx(newton.covariance, rel=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_both_methods_agree_on_random_ties(seed):
    rng = np.random.default_rng(seed)
    profile = ra.Profile.from_ranks(rng.integers(0, 3, (15, 5)))
    newton = ra.PlackettLuce.fit(profile)
    climbed = ra.PlackettLuce.fit(profile, method="mm")
    assert climbed.converged
    assert climbed.estimates == pytest.approx(newton.estimates, abs=1e-5)


@every_kind
def test_the_gradient_is_0(kind):
    fit = ra.PlackettLuce.fit(DATA[kind])
    assert fit.gradient_norm < 1e-7
    slope = numerical_gradient(likelihood_of(DATA[kind], fit), fit.estimates)
    assert slope == pytest.approx(0, abs=1e-5)


@every_kind
def test_no_other_parameters_are_as_likely(kind):
    fit = ra.PlackettLuce.fit(DATA[kind])
    value = likelihood_of(DATA[kind], fit)
    assert value(fit.estimates) == pytest.approx(fit.log_likelihood, rel=1e-12)
    law = fit.distribution
    by_hand = log_likelihood_by_hand(DATA[kind], law.log_worths, law.log_ties)
    assert by_hand == pytest.approx(fit.log_likelihood, rel=1e-12)
    rng = np.random.default_rng(0)
    for size in (0.01, 0.3, 2.0):
        for _ in range(10):
            step = size * rng.standard_normal(len(fit.estimates))
            step[:4] -= step[:4].mean()
            assert value(fit.estimates + step) < fit.log_likelihood


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_a_general_optimizer_finds_the_same(n, seed):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(0, n, (12, n)).astype(float)
    ranks[rng.random((12, n)) < 0.2] = np.nan
    ranks[0] = np.arange(n)
    ranks[1] = np.arange(n)[::-1]
    profile = ra.Profile.from_ranks(ranks, weights=rng.choice([0.5, 1.0, 2.0], 12))
    fit = ra.PlackettLuce.fit(profile)
    value = likelihood_of(profile, fit)

    def loss(free):
        return -value(np.concatenate([[0.0], free]))

    found = optimize.minimize(loss, np.zeros(len(fit.estimates) - 1), method="BFGS")
    worths = np.concatenate([[0.0], found.x])[:n]
    assert -found.fun == pytest.approx(fit.log_likelihood, abs=1e-7)
    assert worths - worths.mean() == pytest.approx(fit.estimates[:n], abs=1e-3)
    assert found.x[n - 1 :] == pytest.approx(fit.estimates[n:], abs=1e-3)


def test_parameters_are_recovered():
    law = ra.PlackettLuce([1.0, 0.4, 0.0, -0.5, -0.9], log_ties={2: -0.5, 3: -1.0})
    fit = ra.PlackettLuce.fit(law.sample(4000, rng=0))
    truth = np.array([*law.log_worths, -0.5, -1.0])
    assert (np.abs(fit.estimates - truth) < 4 * fit.standard_errors).all()
    assert fit.standard_errors.max() < 0.1


def test_two_items_have_their_shares():
    fit = ra.PlackettLuce.fit(ra.Profile.from_orders(["AB", "BA"], counts=[3, 1]))
    assert fit.distribution.worths == pytest.approx([0.75, 0.25])
    # var(log odds) = 1/3 + 1, and each log worth is half of it.
    assert fit.standard_errors == pytest.approx(np.full(2, np.sqrt(4 / 3) / 2))


def test_log_worths_sum_to_0_and_parameters_are_named():
    fit = ra.PlackettLuce.fit(DATA["ties of 2 and 3"])
    assert fit.names == ("A", "B", "C", "D", "log tie 2", "log tie 3")
    assert fit.estimates[:4].sum() == pytest.approx(0, abs=1e-12)
    assert fit.distribution.log_worths == pytest.approx(fit.estimates[:4])
    assert list(fit.distribution.log_ties.values()) == fit.estimates[4:].tolist()
    assert fit.n_parameters == 5
    assert fit.aic == pytest.approx(10 - 2 * fit.log_likelihood)
    assert fit.bic == pytest.approx(5 * np.log(14) - 2 * fit.log_likelihood)


def test_a_size_of_ties_that_does_not_occur_is_not_modeled():
    profile = from_rows(["A=B=C>D", "D>A>B>C", "C>B>A>D", "B>D>A>C"], "ABCD")
    assert list(ra.PlackettLuce.fit(profile).distribution.log_ties) == [3]


# -- counts and weights ---------------------------------------------------------------------------


@every_kind
def test_counts_are_repeated_rankings(kind):
    profile = DATA[kind]
    repeated = ra.Profile([r for r, k in zip(profile, profile.counts, strict=True)
                           for _ in range(k)])  # fmt: skip
    first, second = ra.PlackettLuce.fit(profile), ra.PlackettLuce.fit(repeated)
    assert second.estimates == pytest.approx(first.estimates, abs=1e-9)
    assert second.covariance == pytest.approx(first.covariance, rel=1e-7)
    assert second.log_likelihood == pytest.approx(first.log_likelihood)
    assert second.n_observations == first.n_observations == profile.n_rankings
    assert not any("Weighted" in note for note in first.notes)


def test_weights_count_by_their_effective_number():
    profile = DATA["complete"]
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0])
    fit = ra.PlackettLuce.fit(ra.Profile(list(profile), counts=profile.counts, weights=weights))
    total = profile.counts @ weights
    effective = total**2 / (profile.counts @ weights**2)
    assert fit.n_observations == pytest.approx(effective)
    bend = -numerical_gradient(
        lambda x: numerical_gradient(likelihood_of(
            ra.Profile(list(profile), counts=profile.counts, weights=weights), fit), x, 1e-4),
        fit.estimates, 1e-4,
    )  # fmt: skip
    expected = centered_inverse(bend, 4) * total / effective
    assert fit.covariance == pytest.approx(expected, rel=1e-4)
    assert any("effective number" in note for note in fit.notes)
    statistic = 2 * (fit.log_likelihood - fit.log_likelihood_equal) * effective / total
    assert fit.test_equal_worths().statistic == pytest.approx(statistic)


@pytest.mark.parametrize("weight", [3.0, 0.1, 1e3])
@every_kind
def test_equal_weights_change_no_estimate_and_no_error(kind, weight):
    profile = DATA[kind]
    weighted = ra.Profile(list(profile), counts=profile.counts, weights=[weight] * len(profile))
    first, second = ra.PlackettLuce.fit(profile), ra.PlackettLuce.fit(weighted)
    assert second.estimates == pytest.approx(first.estimates, abs=1e-7)
    assert second.covariance == pytest.approx(first.covariance, rel=1e-6)
    assert second.log_likelihood == pytest.approx(weight * first.log_likelihood)
    for method in ("lr", "wald"):
        p_values = [fit.test_equal_worths(method).pvalue for fit in (first, second)]
        assert p_values[1] == pytest.approx(p_values[0], rel=1e-5)


@pytest.mark.parametrize("method", ["newton", "mm"])
@pytest.mark.parametrize("weight", [1e-6, 1e-10, 1e-50])
def test_small_equal_weights_change_no_estimate(weight, method):
    profile = DATA["complete"]
    weighted = ra.Profile(list(profile), counts=profile.counts, weights=[weight] * len(profile))
    fit = ra.PlackettLuce.fit(weighted, method=method)
    expected = ra.PlackettLuce.fit(profile).estimates
    assert fit.estimates == pytest.approx(expected, abs=1e-6)


# -- errors, intervals, tables --------------------------------------------------------------------


@every_kind
def test_standard_errors_are_from_the_curvature(kind):
    fit = ra.PlackettLuce.fit(DATA[kind])
    value = likelihood_of(DATA[kind], fit)
    bend = -numerical_gradient(lambda x: numerical_gradient(value, x, 1e-4), fit.estimates, 1e-4)
    expected = centered_inverse(bend, 4)
    assert fit.covariance == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert fit.standard_errors == pytest.approx(np.sqrt(np.diag(expected)), rel=1e-3)


def test_intervals_are_estimate_and_error():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    frame = fit.conf_int(0.1)
    assert list(frame.index) == ["A", "B", "C", "D", "log tie 2"]
    radius = stats.norm.ppf(0.95) * fit.standard_errors
    assert frame["upper"].to_numpy() == pytest.approx(fit.estimates + radius)
    assert frame["lower"].to_numpy() == pytest.approx(fit.estimates - radius)
    table = fit.to_frame(0.1)
    assert list(table.columns) == ["estimate", "std_err", "z", "p_value", "lower", "upper"]
    z = fit.estimates / fit.standard_errors
    assert table["z"].to_numpy() == pytest.approx(z)
    assert table["p_value"].to_numpy() == pytest.approx(2 * stats.norm.sf(np.abs(z)))
    assert (table["upper"] == frame["upper"]).all()


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, np.nan, "a"])
def test_the_level_is_checked(alpha):
    fit = ra.PlackettLuce.fit(DATA["complete"])
    for call in (fit.conf_int, fit.to_frame, fit.comparison_intervals):
        with pytest.raises(InvalidInputError, match="alpha"):
            call(alpha)
    with pytest.raises(InvalidInputError, match="alpha"):
        fit.summary(alpha=alpha)
    with pytest.raises(InvalidInputError, match="alpha"):
        fit.summary(alpha=alpha, reference="A")


@every_kind
def test_relative_to_an_item(kind):
    fit = ra.PlackettLuce.fit(DATA[kind])
    frame = fit.relative_to("C")
    assert frame.loc["C", "estimate"] == 0
    assert frame.loc["C", ["std_err", "z", "p_value"]].isna().all()
    for item, i in (("A", 0), ("B", 1), ("D", 3)):
        difference = fit.estimates[i] - fit.estimates[2]
        cov = fit.covariance
        error = np.sqrt(cov[i, i] + cov[2, 2] - 2 * cov[i, 2])
        assert frame.loc[item, "estimate"] == pytest.approx(difference)
        assert frame.loc[item, "std_err"] == pytest.approx(error)
        assert frame.loc[item, "z"] == pytest.approx(difference / error)
        p_value = 2 * stats.norm.sf(abs(difference / error))
        assert frame.loc[item, "p_value"] == pytest.approx(p_value)
    for name, i in zip(fit.names[4:], range(4, len(fit.names)), strict=True):
        assert frame.loc[name, "estimate"] == pytest.approx(fit.estimates[i])
        assert frame.loc[name, "std_err"] == pytest.approx(fit.standard_errors[i])


def test_an_unknown_reference_is_refused():
    fit = ra.PlackettLuce.fit(DATA["complete"])
    for call in (fit.relative_to, lambda item: fit.summary(reference=item)):
        with pytest.raises((KeyError, ValueError), match="Z"):
            call("Z")


def test_the_summary_shows_the_parameters():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    text = str(fit.summary(alpha=0.1))
    for part in ("PlackettLuce fit", "log tie 2", "[0.05", "0.95]", "Log worths sum to 0"):
        assert part in text
    assert f"{fit.estimates[0]:.4f}" in text
    assert str(fit) == str(fit.summary())


def test_the_summary_relative_to_an_item():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    text = str(fit.summary(alpha=0.1, reference="B"))
    row = fit.relative_to("B").loc["A"]
    radius = stats.norm.ppf(0.95) * row["std_err"]
    for part in ("Log worths less that of B.", "[0.05", f"{row['estimate']:.4f}",
                 f"{row['estimate'] - radius:.4f}", f"{row['estimate'] + radius:.4f}"):  # fmt: skip
        assert part in text
    assert "sum to 0" not in text
    assert "Buckets of up to 2" in text


def test_comparison_intervals_are_of_quasi_standard_errors():
    fit = ra.PlackettLuce.fit(DATA["complete"])
    frame = fit.comparison_intervals(0.1)
    assert list(frame["estimate"]) == sorted(fit.estimates, reverse=True)
    errors = fit.quasi_variances().standard_errors
    expected = dict(zip("ABCD", errors, strict=True))
    assert frame["quasi_se"].to_dict() == pytest.approx(expected)
    radius = stats.norm.ppf(0.95) * frame["quasi_se"]
    assert (frame["upper"] - frame["estimate"]).to_numpy() == pytest.approx(radius.to_numpy())
    assert (frame["estimate"] - frame["lower"]).to_numpy() == pytest.approx(radius.to_numpy())


def test_quasi_variances_leave_the_tie_weights_out():
    assert len(ra.PlackettLuce.fit(DATA["ties of 2"]).quasi_variances().variances) == 4


@every_kind
def test_the_dict_is_json(kind):
    plain = ra.PlackettLuce.fit(DATA[kind]).to_dict()
    text = json.dumps(plain, allow_nan=False)
    assert json.loads(text) == plain
    assert (plain["schema"], plain["model"], plain["items"]) == (
        "rankagg.fit", "PlackettLuce", list("ABCD"),
    )  # fmt: skip
    assert [row["parameter"] for row in plain["parameters"]][:4] == list("ABCD")


def test_a_dict_has_no_nan():
    # Equal worths known for sure have z = 0/0.
    fit = ra.PlackettLuce.fit(DATA["complete"])
    broken = ra.distributions.FitResult(
        distribution=fit.distribution, names=fit.names, estimates=np.zeros(4),
        covariance=np.diag([0.0, np.nan, 1.0, 1.0]), log_likelihood=-1.0, n_parameters=3,
        n_observations=2, converged=True, n_iterations=0,
    )  # fmt: skip
    rows = broken.to_dict()["parameters"]
    assert rows[0]["z"] is None
    assert rows[1]["std_err"] is None
    assert rows[2]["z"] == 0
    json.dumps(rows, allow_nan=False)


def test_equal_fits_are_equal():
    first, second = (ra.PlackettLuce.fit(DATA["complete"]) for _ in range(2))
    assert first == second
    assert first != ra.PlackettLuce.fit(DATA["complete"], ridge=1.0)


# -- tests of hypotheses --------------------------------------------------------------------------


def test_wald_statistics_are_those_of_the_formula():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    contrasts = np.array([[1, -1, 0, 0, 0], [0.5, 0.5, -1, 0, 2.0]])
    value = contrasts @ fit.estimates
    statistic = value @ np.linalg.solve(contrasts @ fit.covariance @ contrasts.T, value)
    test = fit.wald_test(contrasts)
    assert test.statistic == pytest.approx(statistic)
    assert test.pvalue == pytest.approx(stats.chi2.sf(statistic, 2))
    one = fit.wald_test([[1, 0, -1, 0, 0]])
    z = fit.relative_to("C").loc["A", "z"]
    assert one.statistic == pytest.approx(z**2)
    assert one.pvalue == pytest.approx(fit.relative_to("C").loc["A", "p_value"])


def test_redundant_contrasts_count_once():
    fit = ra.PlackettLuce.fit(DATA["complete"])
    pairs = np.array([np.eye(4)[i] - np.eye(4)[j] for i in range(4) for j in range(i)])
    test = fit.wald_test(pairs)
    expected = fit.test_equal_worths("wald")
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.pvalue == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(
    ("contrasts", "words"),
    [
        ([[1, 0, 0, 0]], "sum to 0"),
        ([[1, -1, 0]], "rows of 4 numbers"),
        ([[1, -1, 0, 0, 0]], "rows of 4 numbers"),
        ([1, -1, 0, 0], "two-dimensional"),
        ([[1, np.nan, 0, 0]], "finite"),
    ],
)
def test_contrasts_are_checked(contrasts, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.PlackettLuce.fit(DATA["complete"]).wald_test(contrasts)


@every_kind
def test_the_likelihood_ratio_of_equal_worths(kind):
    profile = DATA[kind]
    fit = ra.PlackettLuce.fit(profile)
    value = likelihood_of(profile, fit)
    t = len(fit.estimates) - 4
    if t:
        found = optimize.minimize(lambda ties: -value(np.r_[np.zeros(4), ties]), np.zeros(t))
        equal = -found.fun
    else:
        equal = value(np.zeros(4))
    assert fit.log_likelihood_equal == pytest.approx(equal, abs=1e-6)
    test = fit.test_equal_worths()
    assert test.statistic == pytest.approx(2 * (fit.log_likelihood - equal), abs=1e-5)
    assert test.pvalue == pytest.approx(stats.chi2.sf(test.statistic, 3))


def test_the_wald_statistic_of_equal_worths():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    statistic = fit.estimates[:4] @ np.linalg.pinv(fit.covariance[:4, :4]) @ fit.estimates[:4]
    test = fit.test_equal_worths("wald")
    assert test.statistic == pytest.approx(statistic)
    assert test.pvalue == pytest.approx(stats.chi2.sf(statistic, 3))
    with pytest.raises(InvalidInputError, match="'lr' or 'wald'"):
        fit.test_equal_worths("score")


def test_both_statistics_agree_in_large_samples():
    law = ra.PlackettLuce([0.02, 0.0, -0.02])
    fit = ra.PlackettLuce.fit(law.sample(20_000, rng=0))
    first, second = fit.test_equal_worths(), fit.test_equal_worths("wald")
    assert first.statistic == pytest.approx(second.statistic, rel=0.01)


def test_equal_worths_are_refuted_as_often_as_they_say():
    law = ra.PlackettLuce(np.zeros(4))
    rng = np.random.default_rng(0)
    p_values = [
        ra.PlackettLuce.fit(law.sample(60, rng=rng)).test_equal_worths().pvalue for _ in range(300)
    ]
    low, high = stats.binom.interval(0.999, 300, 0.05)
    assert low <= np.sum(np.array(p_values) < 0.05) <= high


@pytest.mark.parametrize("ties", [{}, pytest.param({2: -0.7}, marks=pytest.mark.slow)], ids=str)
def test_intervals_of_contrasts_cover(ties):
    law = ra.PlackettLuce([0.8, 0.2, -0.3, -0.7], log_ties=ties)
    rng = np.random.default_rng(1)
    covered = np.zeros(3, dtype=int)
    for _ in range(300):
        frame = ra.PlackettLuce.fit(law.sample(80, rng=rng)).relative_to(0)
        truth = law.log_worths[1:] - law.log_worths[0]
        error = np.abs(frame["estimate"].to_numpy()[1:4] - truth)
        covered += error <= 1.96 * frame["std_err"].to_numpy()[1:4]
    low, high = stats.binom.interval(0.9999, 300, 0.95)
    assert ((low <= covered) & (covered <= high)).all()


# -- pseudo-rankings and ridge --------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("bits", [62, 0])
def test_a_ridge_is_subtracted_from_what_is_climbed(kind, bits, monkeypatch):
    monkeypatch.setattr(choices, "BITS", bits)
    fit = ra.PlackettLuce.fit(DATA[kind], ridge=1.5)
    value = likelihood_of(DATA[kind], fit)
    assert fit.log_likelihood == pytest.approx(value(fit.estimates))

    def climbed(x):
        return value(x) - 0.75 * (x[:4] ** 2).sum()

    assert numerical_gradient(climbed, fit.estimates) == pytest.approx(0, abs=1e-5)
    bend = -numerical_gradient(lambda x: numerical_gradient(climbed, x, 1e-4), fit.estimates, 1e-4)
    inverse = np.linalg.inv(bend)
    project = np.eye(len(inverse))
    project[:4, :4] -= 0.25
    expected = project @ inverse @ project.T
    assert fit.covariance == pytest.approx(expected, rel=1e-3, abs=1e-4)
    free = ra.PlackettLuce.fit(DATA[kind])
    assert np.abs(fit.estimates[:4]).sum() < np.abs(free.estimates[:4]).sum()
    assert fit.log_likelihood < free.log_likelihood
    assert np.isnan(fit.log_likelihood_equal)
    assert any("ridge of 1.5" in note for note in fit.notes)


@every_kind
def test_pseudo_rankings_are_votes_with_a_ghost(kind):
    profile = DATA[kind]
    fit = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5)
    items = "ABCDG"
    rows = [ra.PartialRanking([*ranking.ranks, ra.UNRANKED], items) for ranking in profile]
    votes = from_rows([row for item in "ABCD" for row in (f"{item}>G", f"G>{item}")], items)
    wider = ra.Profile(
        [*rows, *votes], counts=[*profile.counts, *[1] * 8], weights=[1.0] * len(rows) + [0.5] * 8
    )
    ghostly = ra.PlackettLuce.fit(wider)
    worths = ghostly.estimates[:4] - ghostly.estimates[:4].mean()
    assert fit.estimates[:4] == pytest.approx(worths, abs=1e-7)
    assert fit.estimates[4:] == pytest.approx(ghostly.estimates[5:], abs=1e-7)
    by_hand = likelihood_of(profile, fit)(fit.estimates)
    assert fit.log_likelihood == pytest.approx(by_hand)
    assert fit.log_likelihood < ra.PlackettLuce.fit(profile).log_likelihood
    assert fit.n_observations == profile.n_rankings
    assert any("0.5 pseudo-rankings" in note for note in fit.notes)
    again = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5, method="mm")
    assert again.estimates == pytest.approx(fit.estimates, abs=1e-6)


@every_kind
def test_errors_with_pseudo_rankings_are_from_the_data(kind):
    fit = ra.PlackettLuce.fit(DATA[kind], pseudo_rankings=0.5)
    value = likelihood_of(DATA[kind], fit)
    bend = -numerical_gradient(lambda x: numerical_gradient(value, x, 1e-4), fit.estimates, 1e-4)
    expected = centered_inverse(bend, 4)
    assert fit.covariance == pytest.approx(expected, rel=1e-3, abs=1e-4)


@every_kind
def test_little_pseudo_rankings_and_little_ridge_change_little(kind):
    free = ra.PlackettLuce.fit(DATA[kind]).estimates
    for options in ({"pseudo_rankings": 1e-6}, {"ridge": 1e-6}):
        assert ra.PlackettLuce.fit(DATA[kind], **options).estimates == pytest.approx(free, abs=1e-4)


def test_both_at_once_shrink_more():
    one = ra.PlackettLuce.fit(DATA["complete"], ridge=1.0)
    both = ra.PlackettLuce.fit(DATA["complete"], ridge=1.0, pseudo_rankings=1.0)
    assert np.abs(both.estimates).max() < np.abs(one.estimates).max()
    assert np.isfinite(both.standard_errors).all()


SEPARABLE = ra.Profile.from_orders(["ABCD", "BACD", "ABDC"])
UNLINKED = from_rows(["A>B", "B>A", "C>D", "D>C", "A>B"], "ABCD")
REGULAR = [{"pseudo_rankings": 0.5}, {"ridge": 1.0}, {"pseudo_rankings": 0.5, "ridge": 1.0}]


def test_separable_rankings_name_the_groups():
    with pytest.raises(NotIdentifiedError) as caught:
        ra.PlackettLuce.fit(SEPARABLE)
    text = str(caught.value)
    assert "(A, B | C, D)" in text
    assert "`pseudo_rankings=0.5`" in text
    assert "`ridge`" in text


def test_an_item_that_always_wins_is_named():
    with pytest.raises(NotIdentifiedError, match=r"\(A \| B, C\).*never beaten: A\."):
        ra.PlackettLuce.fit(ra.Profile.from_orders(["ABC", "ACB"]))


def test_an_item_that_always_loses_is_named():
    with pytest.raises(NotIdentifiedError, match=r"\(B, C \| A\).*never above another: A\."):
        ra.PlackettLuce.fit(ra.Profile.from_orders(["BCA", "CBA"]))


def test_groups_that_never_meet_are_named():
    with pytest.raises(NotIdentifiedError, match=r"\(A, B \| C, D\)"):
        ra.PlackettLuce.fit(UNLINKED)


@pytest.mark.parametrize("options", REGULAR, ids=str)
@pytest.mark.parametrize("profile", [SEPARABLE, UNLINKED], ids=["separable", "unlinked"])
def test_regular_fits_are_finite(profile, options):
    fit = ra.PlackettLuce.fit(profile, **options)
    assert fit.converged
    assert np.isfinite(fit.estimates).all()
    assert np.isfinite(fit.standard_errors).all()
    assert (fit.standard_errors > 0.1).all()
    assert (fit.standard_errors < 10).all()
    assert fit.estimates[:4].sum() == pytest.approx(0, abs=1e-9)


def test_unlinked_groups_have_the_errors_of_the_ghost():
    # Two separate pairs; what links them are votes with the ghost.
    fit = ra.PlackettLuce.fit(from_rows(["A>B", "B>A", "C>D", "D>C"], "ABCD"), pseudo_rankings=2.0)
    assert fit.estimates == pytest.approx(0, abs=1e-9)
    pairs = np.zeros((5, 5))
    for i, j, votes in [(0, 1, 2), (2, 3, 2), *((i, 4, 4) for i in range(4))]:
        pairs[i, j] = pairs[j, i] = -votes / 4
    information = pairs - np.diag(pairs.sum(axis=1))
    inverse = np.linalg.pinv(information)[:4, :4]
    project = np.eye(4) - 0.25
    assert fit.covariance == pytest.approx(project @ inverse @ project, abs=1e-9)


def test_one_ranking_is_separable():
    profile = ra.Profile.from_orders(["CAB"])
    with pytest.raises(NotIdentifiedError, match=r"\(C \| A \| B\)"):
        ra.PlackettLuce.fit(profile)
    fit = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5)
    assert fit.distribution.mode.order == ("C", "A", "B")


def test_one_ranking_with_all_items_tied_is_not_determined():
    with pytest.raises(NotIdentifiedError, match="no finite maximum"):
        ra.PlackettLuce.fit(from_rows(["A=B=C"], "ABC"))


@pytest.mark.parametrize("rows", [["A=B", "B=C", "C=A"], ["A=B=C"], ["A=B", "B=C", "A>C"]])
def test_ties_wherever_they_could_be_are_refused(rows):
    with pytest.raises(NotIdentifiedError, match="no finite maximum"):
        ra.PlackettLuce.fit(from_rows(rows, "ABC"))


@pytest.mark.slow
def test_ties_wherever_they_could_be_are_refused_by_mm():
    with pytest.raises(NotIdentifiedError, match="no finite maximum"):
        ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "C=A"], "ABC"), method="mm")


def test_pseudo_rankings_make_the_weight_of_such_ties_finite():
    fit = ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "C=A"], "ABC"), pseudo_rankings=0.5)
    assert fit.estimates == pytest.approx([0, 0, 0, np.log(2)], abs=1e-7)


@pytest.mark.parametrize(
    "rows",
    [
        # With worths (t, 0, -t) and log tie t the likelihood rises for all t: A = B and B = C tend
        # to certainty, and A > C and A = C to one half each.
        ["A=B", "B=C", "A>C", "A=C"],
        # The weights of ties of 2 and of 3 grow together: the choice from four is always tied.
        ["A=D>B=C", "C=D>A=B", "A=D>B=C", "A=B=C>D"],
    ],
)
def test_parameters_that_grow_together_are_refused(rows):
    with pytest.raises(NotIdentifiedError):
        ra.PlackettLuce.fit(from_rows(rows, sorted({c for row in rows for c in row} - {*"=>"})))


def test_a_rare_tie_has_a_finite_weight():
    count = 10**8
    profile = from_rows(["A>B", "B>A", "A=B"], "AB", counts=[count, count, 1])
    fit = ra.PlackettLuce.fit(profile)
    assert fit.estimates == pytest.approx([0, 0, -np.log(count)], abs=1e-6)


def test_items_that_were_never_observed_are_named():
    profile = from_rows(["A>B", "B>A"], "ABCD")
    with pytest.raises(InvalidInputError, match=r"C, D.*restrict"):
        ra.PlackettLuce.fit(profile, pseudo_rankings=0.5)


def test_more_tied_items_than_wanted_are_refused():
    profile = DATA["ties of 2 and 3"]
    with pytest.raises(InvalidInputError, match="3 or more"):
        ra.PlackettLuce.fit(profile, max_tied=2)
    with pytest.raises(InvalidInputError, match="max_tied"):
        ra.PlackettLuce.fit(profile, max_tied=0)
    assert ra.PlackettLuce.fit(profile, max_tied=3) == ra.PlackettLuce.fit(profile)
    assert ra.PlackettLuce.fit(DATA["complete"], max_tied=1).converged


def test_nobody_ties_where_nobody_chooses():
    alone = ra.Profile.from_orders(["A", "B"], items="AB")
    fit = ra.PlackettLuce.fit(alone, pseudo_rankings=1.0, max_tied=1)
    assert fit.estimates.tolist() == [0, 0]
    # One win and one loss each against a ghost: variances 2 to it, 4 between the two, 1 of half.
    assert fit.standard_errors == pytest.approx([1, 1])
    assert fit.log_likelihood == 0


# -- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["newton", "mm"])
def test_too_few_steps_do_not_converge(method):
    fit = ra.PlackettLuce.fit(DATA["complete"], method=method, max_iterations=1)
    assert not fit.converged
    assert fit.n_iterations == 1
    assert fit.gradient_norm > 1e-6
    assert re.search(r"Converged:\s+no\b", fit.summary())
    assert fit.to_dict()["converged"] is False


def test_a_loose_tolerance_takes_fewer_steps():
    exact = ra.PlackettLuce.fit(DATA["complete"], method="mm")
    loose = ra.PlackettLuce.fit(DATA["complete"], method="mm", tolerance=1e-3)
    assert loose.n_iterations < exact.n_iterations
    assert loose.gradient_norm > exact.gradient_norm
    assert loose.estimates == pytest.approx(exact.estimates, abs=0.1)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "bfgs"}, {"pseudo_rankings": -1}, {"ridge": -0.1}, {"ridge": np.inf},
        {"tolerance": 0}, {"max_iterations": 0}, {"max_iterations": 1.5},
        {"method": "mm", "ridge": 1.0},
    ],
    ids=str,
)  # fmt: skip
def test_options_are_checked(options):
    with pytest.raises(InvalidInputError, match=next(iter(reversed(options)))):
        ra.PlackettLuce.fit(DATA["complete"], **options)


@pytest.mark.parametrize("data", [ra.Profile.from_orders(["A"]), [[0, 1]], "AB"])
def test_data_must_be_a_profile_of_two_items(data):
    with pytest.raises(InvalidInputError, match="a Profile of two or more items"):
        ra.PlackettLuce.fit(data)


@pytest.mark.parametrize("pseudo", [0.5, 2.0, 10.0])
def test_shrunk_fits_have_no_likelihood_ratio(pseudo):
    rows = ["A=B>C", "C>A=B", "B=C>A", "A>B=C", "A=C>B", "B>A=C"]
    fit = ra.PlackettLuce.fit(from_rows(rows, "ABC"), pseudo_rankings=pseudo)
    with pytest.raises(InvalidInputError, match="'wald' with pseudo-rankings or a ridge"):
        fit.test_equal_worths()
    assert fit.test_equal_worths("wald").pvalue > 0.9
    assert np.isnan(fit.log_likelihood_equal)


# -- larger data ----------------------------------------------------------------------------------


def test_many_items_are_fitted_from_short_rankings():
    rng = np.random.default_rng(0)
    truth = np.linspace(1.5, -1.5, 80)
    ranks = np.full((1500, 80), np.nan)
    rings = rng.exponential(size=(1500, 80)) / np.exp(truth)
    for row, ring in zip(ranks, rings, strict=True):
        seen = rng.choice(80, 6, replace=False)
        row[seen] = np.argsort(np.argsort(ring[seen]))
    fit = ra.PlackettLuce.fit(ra.Profile.from_ranks(ranks))
    assert fit.converged
    z = (fit.estimates - truth) / fit.standard_errors
    assert np.abs(z).max() < 4.5
    assert 0.6 < z.std() < 1.4


def test_the_sushi_rankings(data):
    profile = ra.read_preflib(data("preflib/00014-00000001.soc"))
    assert (profile.n_rankings, profile.n_items) == (5000, 10)
    fit = ra.PlackettLuce.fit(profile)
    assert fit.converged
    assert fit.n_iterations < 15
    # Complete rankings: the order by worth is close to Borda's.
    borda = ra.Borda().aggregate(profile).ranking
    assert ra.kendall_tau(fit.distribution.mode, borda) > 0.85
    assert fit.standard_errors.max() < 0.03
    assert fit.test_equal_worths().pvalue < 1e-100
    uniform = ra.Uniform(profile.items).log_prob(profile)
    mallows = ra.Mallows.fit(profile)
    assert mallows.converged
    assert uniform < mallows.log_likelihood < fit.log_likelihood
    assert mallows.distribution.center == ra.Kemeny().aggregate(profile).ranking
    assert 0.1 < mallows.distribution.theta < 0.5
    assert mallows.distribution.center.order[0] == fit.distribution.mode.order[0]


def test_a_first_step_that_overflows_is_halved(data) -> None:
    table = ra.read_scores(data("tasks/superglue.csv"), higher_is_better=True)
    fit = ra.PlackettLuce.fit(table.rankings(), pseudo_rankings=0.5)
    assert fit.converged
    assert np.isfinite(fit.log_likelihood)


# -- numbers and words, to the letter -------------------------------------------------------------


def test_the_defaults_of_a_climb():
    options = FitOptions()
    assert (options.method, options.max_iterations, options.tolerance) == ("newton", 100, 1e-9)
    assert (options.pseudo_rankings, options.ridge, options.tie_ridge) == (0.0, 0.0, 0.0)
    assert FitOptions(method="mm").max_iterations == 100_000
    assert FitOptions(method="mm", max_iterations=7).max_iterations == 7
    assert FitOptions(max_iterations=1).max_iterations == 1


@pytest.mark.parametrize(
    ("options", "is_regular", "is_plain"),
    [
        ({}, False, True), ({"pseudo_rankings": 1e-9}, True, False), ({"ridge": 1e-9}, True, False),
        ({"tie_ridge": 1e-9}, False, False), ({"ridge": 1.0, "tie_ridge": 1.0}, True, False),
    ],
)  # fmt: skip
def test_what_changes_the_maximum(options, is_regular, is_plain):
    found = FitOptions(**options)
    assert found.is_regular is is_regular
    assert found.is_plain is is_plain


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: FitOptions(method="mm", ridge=2.0),
         "`ridge` must be 0 with method 'mm'. Got 2.0. Use method='newton'."),
        (lambda: FitOptions(method="mm", tie_ridge=3.0),
         "`ridge` must be 0 with method 'mm'. Got 3.0. Use method='newton'."),
        (lambda: FitOptions(tie_ridge=-1.0), "`tie_ridge` must be a number in [0, inf). Got -1.0."),
        (lambda: FitOptions(pseudo_rankings=-1.0),
         "`pseudo_rankings` must be a number in [0, inf). Got -1.0."),
        (lambda: FitOptions(tolerance=-1.0), "`tolerance` must be a number in (0, inf). Got -1.0."),
        (lambda: ra.PlackettLuce.fit(DATA["ties of 2 and 3"], max_tied=2),
         "`max_tied` must be 3 or more: so many items are tied somewhere. Got 2. Break such ties "
         "first, or leave the rankings out."),
        (lambda: ra.PlackettLuce.fit(DATA["complete"], ridge=1.0).test_equal_worths(),
         "`method` must be 'wald' with pseudo-rankings or a ridge. Got 'lr'. The estimates do not "
         "maximize the likelihood of the data."),
        (lambda: ra.PlackettLuce.fit(DATA["complete"]).test_equal_worths("score"),
         "`method` must be 'lr' or 'wald'. Got 'score'."),
        (lambda: ra.PlackettLuce.fit(DATA["complete"], method="bfgs"),
         "`method` must be 'newton' or 'mm'. Got 'bfgs'."),
        (lambda: ra.PlackettLuce.fit(DATA["complete"]).wald_test([1, -1, 0, 0]),
         "`contrasts` must be two-dimensional. Got shape (4,)."),
        (lambda: ra.PlackettLuce.fit(DATA["complete"]).wald_test([[1, 0, 0, 0]]),
         "`contrasts` must be rows that sum to 0 over the items. Got a row that does not. Only "
         "differences of log worths are determined."),
        (lambda: ra.PlackettLuce.fit(DATA["complete"]).wald_test(np.zeros((2, 4))),
         "`contrasts` must be rows that are not 0. Got zeros."),
        (lambda: ra.PlackettLuce.fit(DATA["ties of 2"]).wald_test([[1, -1]]),
         "`contrasts` must be rows of 5 numbers, one per parameter. Got shape (1, 2)."),
    ],
)  # fmt: skip
def test_refusals_to_the_letter(call, sentence):
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert str(caught.value) == sentence


def test_the_kind_of_data_is_named():
    with pytest.raises(InvalidInputError, match="`profile` must be a Profile of two or more items"):
        ra.PlackettLuce.fit("AB")


@pytest.mark.parametrize(
    ("options", "notes"),
    [
        ({}, []),
        ({"pseudo_rankings": 0.5},
         ["With 0.5 pseudo-rankings per item; the likelihood is of the data."]),
        ({"ridge": 2.0, "tie_ridge": 0.25},
         ["With a ridge of 2; the likelihood is of the data.",
          "With a ridge on ties of 0.25; the likelihood is of the data."]),
        ({"tie_ridge": 0.25}, ["With a ridge on ties of 0.25; the likelihood is of the data."]),
    ],
    ids=str,
)  # fmt: skip
def test_notes_to_the_letter(options, notes):
    first = [
        "Log worths sum to 0; standard errors are for that contrast.",
        "Buckets of up to 2 items are modeled.",
    ]
    profile = DATA["ties of 2"]
    assert list(ra.PlackettLuce.fit(profile, **options).notes) == first + notes
    weighted = ra.Profile(list(profile), weights=[1.0, 1.0, 1.0, 1.0, 1.0, 1.5])
    fit = ra.PlackettLuce.fit(weighted, pseudo_rankings=0.1)
    last = "Weighted rankings: errors are for the effective number of observations."
    assert fit.notes[-1] == last
    assert ra.PlackettLuce.fit(DATA["complete"]).notes == tuple(first[:1])


def test_a_fit_that_did_not_arrive_says_so():
    fit = ra.PlackettLuce.fit(DATA["complete"], max_iterations=1)
    assert fit.notes[-1] == (
        "Not converged in 1 step; what is shown is not the maximum. Raise `max_iterations`."
    )
    heavy = 2.0**60
    wins = [[0, heavy, 0, 0], [heavy, 0, 9, 0], [0, 1, 0, heavy], [0, 0, heavy, 0]]
    stuck = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items="ABCD"))
    assert stuck.notes[-1] == (
        "Not converged: rounding hides the maximum, since weights or worths differ too much. What "
        "is shown is not the maximum."
    )


@every_kind
@pytest.mark.parametrize("bits", [62, 0])
@pytest.mark.parametrize("more", [{"ridge": 1.5}, {"ridge": 0.7, "tie_ridge": 2.0}], ids=str)
def test_errors_with_a_ghost_and_ridges_are_from_what_is_climbed(kind, bits, more, monkeypatch):
    monkeypatch.setattr(choices, "BITS", bits)
    profile = DATA[kind]
    fit = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5, **more)
    items = "ABCDG"
    rows = [ra.PartialRanking([*ranking.ranks, ra.UNRANKED], items) for ranking in profile]
    votes = from_rows([row for item in "ABCD" for row in (f"{item}>G", f"G>{item}")], items)
    wider = ra.Profile(
        [*rows, *votes], counts=[*profile.counts, *[1] * 8], weights=[1.0] * len(rows) + [0.5] * 8
    )
    value = log_likelihood_function(wider, [*fit.distribution.log_ties])
    ridges = np.array([more["ridge"]] * 5 + [more.get("tie_ridge", 0.0)] * len(fit.names[4:]))

    def climbed(x):
        return value(x) - ridges @ x**2 / 2

    found = optimize.minimize(lambda x: -climbed(x), np.zeros(len(ridges)), tol=1e-10).x
    worths = found[:4] - found[:4].mean()
    assert fit.estimates == pytest.approx(np.r_[worths, found[5:]], abs=1e-4)
    bend = -numerical_gradient(lambda x: numerical_gradient(climbed, x, 1e-4), found, 1e-4)
    keep = [0, 1, 2, 3, *range(5, len(ridges))]
    inverse = np.linalg.inv(bend)[np.ix_(keep, keep)]
    project = np.eye(len(keep))
    project[:4, :4] -= 0.25
    assert fit.covariance == pytest.approx(project @ inverse @ project.T, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("kind", ["ties of 2", "ties of 2 and 3"])
def test_a_ridge_on_ties_alone_pulls_their_weights_only(kind):
    profile = DATA[kind]
    fit = ra.PlackettLuce.fit(profile, tie_ridge=2.0)
    value = likelihood_of(profile, fit)

    def climbed(x):
        return value(x) - (x[4:] ** 2).sum()

    assert numerical_gradient(climbed, fit.estimates) == pytest.approx(0, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(value(fit.estimates), rel=1e-12)
    bend = -numerical_gradient(lambda x: numerical_gradient(climbed, x, 1e-4), fit.estimates, 1e-4)
    assert fit.covariance == pytest.approx(centered_inverse(bend, 4), rel=1e-3, abs=1e-4)
    assert np.isnan(fit.log_likelihood_equal)
    with pytest.raises(InvalidInputError, match="'wald' with pseudo-rankings or a ridge"):
        fit.test_equal_worths()


def test_weights_and_pseudo_rankings_scale_the_errors_of_the_data():
    profile = DATA["complete"]
    weighted = ra.Profile(list(profile), counts=profile.counts, weights=[1.0, 2.0, 0.5, 1.0, 3.0])
    fit = ra.PlackettLuce.fit(weighted, pseudo_rankings=0.5)
    value = log_likelihood_function(weighted)
    bend = -numerical_gradient(lambda x: numerical_gradient(value, x, 1e-4), fit.estimates, 1e-4)
    total = float(weighted.counts @ weighted.weights)
    expected = centered_inverse(bend, 4) * total / fit.n_observations
    assert fit.covariance == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert fit.n_parameters == 3


def test_five_in_a_hundred_is_the_default():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    for call in (fit.conf_int, fit.to_frame, fit.comparison_intervals):
        assert call().equals(call(0.05))
    for options in ({}, {"reference": "B"}):
        text = str(fit.summary(**options))
        assert text == str(fit.summary(alpha=0.05, **options))
        assert "[0.025" in text
        assert "0.975]" in text
    assert fit.comparison_intervals().index.name == "item"
    assert fit.relative_to("A").index.name == "parameter"
    assert fit.relative_to("A").equals(fit.relative_to("A", alpha=0.05))
    assert list(fit.relative_to("A").columns) == list(fit.to_frame().columns)


def test_items_that_rounding_does_not_tell_apart_are_as_good_as_each_other():
    # A and C met so often that the error of their difference is below that of their errors.
    wins = [[0, 1, 2.0**59], [1, 0, 1], [2.0**59, 1, 0]]
    fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items="ABC"))
    for reference in "AC":
        row = fit.relative_to(reference)
        assert row["estimate"].tolist() == pytest.approx([0, 0, 0], abs=1e-9)
        assert row["std_err"].drop(reference).max() == pytest.approx(1, rel=0.1)
        assert not (row["z"].abs() > 1e-6).any()
        assert row.loc[reference, ["std_err", "z", "p_value"]].isna().all()


def test_the_summary_relative_to_an_item_has_all_its_parts():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"], ridge=1.0)
    lines = fit.summary(alpha=0.2, reference="B").splitlines()
    (at,) = (number for number, line in enumerate(lines) if "coef" in line)
    assert lines[at].split() == ["coef", "std", "err", "z", "P>|z|", "[0.1", "0.9]"]
    for row, name in zip(lines[at + 2 :], fit.names, strict=False):
        assert row.startswith(f"{name} ")
    text = fit.summary(reference="B")
    for part in ("PlackettLuce fit", "No. Items:", "Log-Likelihood:", "With a ridge of 1;"):
        assert part in text
    assert text.count("Log worths less that of B.") == 1


def test_items_as_good_as_each_other_stay_in_their_order():
    fit = ra.PlackettLuce.fit(ra.Profile.from_orders(["CAB", "CBA", "ACB", "BCA"], items="ABC"))
    assert fit.estimates[0] == pytest.approx(fit.estimates[1], abs=1e-12)
    assert fit.comparison_intervals().index[0] == "C"


def test_bradley_terry_fits_carry_their_own_name_and_notes():
    votes = from_rows(["A>B", "B>A", "B>C", "C>A"], "ABC").pairwise("ignore")
    fit = ra.BradleyTerry.fit(votes)
    assert type(fit.distribution) is ra.BradleyTerry
    assert str(fit.summary()).count("BradleyTerry fit") == 1
    tied = ra.BradleyTerry.fit(from_rows(["A>B", "B>A", "A=B"], "AB"))
    assert tied.notes[-1] == "Ties (1): half a win for each."


def test_tests_have_their_degrees_of_freedom():
    fit = ra.PlackettLuce.fit(DATA["ties of 2 and 3"])
    assert fit.test_equal_worths().df_denom == 3
    assert fit.test_equal_worths("wald").df_denom == 3
    assert fit.wald_test([[0, 0, 0, 0, 1.0, 0]]).df_denom == 1
    one = fit.wald_test([[0, 0, 0, 0, 1.0, 0]]).statistic
    assert one == pytest.approx((fit.estimates[4] / fit.standard_errors[4]) ** 2)


def test_a_fit_is_drawn_at_its_level():
    fit = ra.PlackettLuce.fit(DATA["complete"])
    figure, axes = plt.subplots(1, 2)
    drawn = fit.plot(ax=axes[0]), fit.plot(alpha=0.2, ax=axes[1])
    assert drawn == tuple(axes)
    words = ["".join(text.get_text() for text in ax.findobj(Text)).split() for ax in axes]
    assert "95 % intervals" in " ".join(words[0])
    assert "80 % intervals" in " ".join(words[1])
    plt.close(figure)
