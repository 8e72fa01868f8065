"""The reported parameters of every fit."""

import json

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.distributions.fit_result import holm
from rankagg.distributions.model_checks import NAMED_MODELS
from rankagg.exceptions import InvalidInputError
from tests.distributions.enumeration import effective_weights
from tests.distributions.luce_by_hand import DATA


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
    assert holm(np.array([0.3, 0.01, 0.012])) == pytest.approx([0.3, 0.03, 0.03])  # never falls


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, np.nan, "a"])
def test_the_level_is_checked(alpha):
    fit = ra.PlackettLuce.fit(DATA["complete"])
    for call in (fit.conf_int, fit.to_frame):
        with pytest.raises(InvalidInputError, match="alpha"):
            call(alpha)
    with pytest.raises(InvalidInputError, match="alpha"):
        fit.summary(alpha=alpha)
    with pytest.raises(InvalidInputError, match="alpha"):
        fit.summary(alpha=alpha, reference="A")


def test_the_summary_shows_the_parameters():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    text = str(fit.summary(alpha=0.1))
    for part in ("PlackettLuce fit", "log tie 2", "[0.05", "0.95]", "Log worths sum to 0"):
        assert part in text
    assert f"{fit.estimates[0]:.4f}" in text
    assert str(fit) == str(fit.summary())


def test_the_weights_of_ties_are_printed_below_any_number_of_items():
    fit = ra.PlackettLuce.fit(DATA["ties of 2"])
    lines = fit.summary(rows=2).splitlines()
    assert [line[:5] for line in lines if line[:2] in ("A ", "B ", "C ", "D ", "lo")] == [
        "A    ", "B    ", "log t"
    ]  # fmt: skip
    assert "... and 2 more parameters" in lines


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


# -- weights --------------------------------------------------------------------------------------

UNITS = [1 / 200]
DRAWN = ra.Mallows("ABCD", 0.7).sample(40, rng=0)
SOME = np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(DRAWN))
FITTERS = {
    **NAMED_MODELS,
    "mixture": lambda profile: ra.Mixture.fit(profile, 2, n_starts=2, rng=0),
    "bradley-terry": ra.BradleyTerry.fit,
}


@pytest.mark.parametrize("name", FITTERS)
def test_the_unit_of_weights_changes_nothing(name):
    def fitted(unit):
        weighted = ra.Profile(list(DRAWN), counts=DRAWN.counts, weights=unit * SOME)
        return FITTERS[name](weighted)

    one = fitted(1.0)
    content = [one.log_likelihood, one.aic, one.bic, one.n_observations, getattr(one, "icl", 0.0)]
    assert content[1] == 2 * one.n_parameters - 2 * one.log_likelihood
    for other in map(fitted, UNITS):
        found = [other.log_likelihood, other.aic, other.bic, other.n_observations]
        assert [*found, getattr(other, "icl", 0.0)] == pytest.approx(content, rel=1e-7)
        np.testing.assert_allclose(other.estimates, one.estimates, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(other.conf_int(), one.conf_int(), rtol=1e-4, atol=1e-6)
    if name not in ("bradley-terry", "mixture"):
        weighted = ra.Profile(list(DRAWN), counts=DRAWN.counts, weights=SOME)
        expected = effective_weights(weighted) @ one.distribution.log_probs(weighted)
        assert one.log_likelihood == pytest.approx(expected, rel=1e-7)


def test_counts_are_rankings_and_weights_are_not():
    copied = ra.Profile(list(DRAWN), counts=3 * DRAWN.counts)
    heavy = ra.Profile(list(DRAWN), counts=DRAWN.counts, weights=[3.0] * len(DRAWN))
    for fitter in NAMED_MODELS.values():
        plain = fitter(DRAWN)
        assert fitter(copied).log_likelihood == pytest.approx(3 * plain.log_likelihood)
        assert fitter(heavy).log_likelihood == pytest.approx(plain.log_likelihood)
