"""The simulated test that rankings are not concentrated."""

import pytest

import rankagg as ra
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.exceptions import InvalidInputError
from tests.distributions.mallows_data import VOTES, profile_of


def test_concentration_is_found():
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
