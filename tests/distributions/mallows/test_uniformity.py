"""The simulated test that rankings are not concentrated."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import InvalidInputError
from tests.distributions.mallows_data import VOTES, profile_of


def test_concentration_is_found():
    fit = ra.Mallows.fit(ra.Mallows("ABC", 1.5).sample(30, rng=3))
    found = fit.test_uniform(n_resamples=39, rng=0)
    assert found.p_value == 1 / 40
    assert found.mean_distance < found.expected
    assert found.n_resamples == 39
    assert found == fit.test_uniform(n_resamples=39, rng=0)
    assert found.mean_distance == pytest.approx(fit.distribution.mean_distance)


def test_p_values_are_uniform_without_concentration():
    law = ra.distributions.Uniform("ABC")
    rng = np.random.default_rng(8)
    values = []
    for _ in range(12):
        fit = ra.Mallows.fit(law.sample(15, rng=rng), center=law.mode)
        values.append(fit.test_uniform(n_resamples=9, rng=rng).p_value)
    # Ranks among ten; ties of the statistic only make them larger.
    for level in (0.2, 0.5):
        low, high = stats.binom.interval(1 - 1e-4, len(values), level)
        assert low / 2 <= np.sum(np.array(values) <= level + 1e-9) <= high


def test_uniformity_of_incomplete_rankings_is_tested_with_their_gaps():
    gaps = [[0, 1, UNRANKED], [UNRANKED, 0, 1], [0, UNRANKED, 1]]
    rows = [*gaps, [0, 1, 1], [0, UNLISTED, UNLISTED], [1, 0, 2]]
    profile = profile_of(rows, "ABC", counts=[6, 6, 6, 3, 3, 1])
    found = ra.Mallows.fit(profile).test_uniform(n_resamples=39, rng=1)
    assert found.p_value == 1 / 40
    assert found.mean_distance == pytest.approx(1 / 25)


@pytest.mark.parametrize("times", [0, -1, 1.5, True])
def test_number_of_resamples_must_be_positive(times):
    with pytest.raises(InvalidInputError, match="`n_resamples` must be an integer"):
        ra.Mallows.fit(VOTES).test_uniform(n_resamples=times)
