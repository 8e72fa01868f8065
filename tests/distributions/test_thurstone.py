"""Thurstone's case V against orthants of the normal distribution."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import rankagg as ra
from rankagg.distributions import Thurstone
from rankagg.exceptions import InvalidInputError


def orthant(above, locations):
    """Return the chance that the first of each pair is above the second."""
    rows = np.zeros((len(above), len(locations)))
    for row, (i, j) in zip(rows, above, strict=True):
        row[[j, i]] = 1, -1
    zeros, covariance = np.zeros(len(above)), rows @ rows.T / 2
    return multivariate_normal.cdf(
        zeros, rows @ locations, covariance, allow_singular=True, abseps=1e-7, releps=1e-7
    )


@pytest.mark.parametrize("spread", [0.1, 1.0, 4.0])
def test_orders_have_the_probabilities_of_orthants(spread):
    rng = np.random.default_rng(0)
    for _ in range(5):
        locations = rng.normal(size=5, scale=spread)
        order = rng.permutation(5)
        found = Thurstone(locations).prob(ra.Permutation.from_order(order.tolist()))
        pairs = list(pairwise(order))
        assert found == pytest.approx(orthant(pairs, locations), rel=1e-3, abs=1e-7)


def test_parts_of_rankings_have_the_probabilities_of_orthants():
    locations = np.array([0.7, 0.1, -0.3, 1.0, -1.5])
    parts = {
        (0, -1, 1, -1, -1): [(0, 2)],
        (-1, 2, 0, 1, -1): [(2, 3), (3, 1)],
        (0, -2, 1, -2, -2): [(0, 2), (2, 1), (2, 3), (2, 4)],
    }
    for ranks, above in parts.items():
        found = Thurstone(locations).prob(ra.PartialRanking(ranks, range(5)))
        assert found == pytest.approx(orthant(above, locations), abs=1e-6)
    assert Thurstone(locations).prob(ra.PartialRanking([0, 0, 2, 3, 4], range(5))) == 0


def test_only_differences_matter():
    assert Thurstone([3.0, 2.0]) == Thurstone([0.5, -0.5])
    assert Thurstone([3.0, 2.0]) != Thurstone([0.5, -0.5], items="AB")


@pytest.mark.parametrize(
    ("locations", "items"), [([np.nan, 0], "AB"), ([2000.0, 0], "AB"), ([1.0, 0], "ABC")]
)
def test_other_locations_are_refused(locations, items):
    with pytest.raises(InvalidInputError, match="one number up to 1000 in size for each item"):
        Thurstone(locations, items=items)
