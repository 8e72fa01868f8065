"""Equal battles put together, whichever way they are told."""

import numpy as np
import pytest

import rankagg as ra
from tests.distributions.battles import MODELS, battles


@pytest.mark.parametrize("ties", MODELS)
def test_from_which_side_a_battle_is_told_does_not_matter(ties):
    data = battles(200, 4, 9)
    turned = np.arange(200) % 3 == 0
    told = ra.Comparisons(
        data.items, np.where(turned, data.second, data.first),
        np.where(turned, data.first, data.second), np.where(turned, -1, 1) * data.outcomes,
        sides=np.where(turned, -1, 1) * data.sides,
        covariates={"x": np.where(turned, -1, 1) * data.covariates["x"]},
    )  # fmt: skip
    options = {"ties": ties, "side": True, "covariates": ["x"], "cov_type": "robust"}
    one, other = ra.BradleyTerry.fit(data, **options), ra.BradleyTerry.fit(told, **options)
    assert other.estimates == pytest.approx(one.estimates, abs=1e-9)
    assert other.covariance == pytest.approx(one.covariance, abs=1e-9)


def test_the_unit_of_weights_and_of_covariates_does_not_matter():
    weights = np.random.default_rng(1).uniform(1, 3, 200)
    data = battles(200, 4, 9, weights=weights)
    scaled = ra.Comparisons(
        data.items, data.first, data.second, data.outcomes, sides=data.sides,
        weights=1e-60 * weights, covariates={"x": 1e100 * data.covariates["x"]},
    )  # fmt: skip
    for cov_type in ("model", "robust"):
        options = {"ties": "davidson", "side": True, "covariates": ["x"], "cov_type": cov_type}
        one, other = ra.BradleyTerry.fit(data, **options), ra.BradleyTerry.fit(scaled, **options)
        unit = np.array([1.0] * 5 + [1e100, 1.0])
        assert unit * other.estimates == pytest.approx(one.estimates, abs=1e-7)
        assert unit * other.standard_errors == pytest.approx(one.standard_errors, rel=1e-6)
