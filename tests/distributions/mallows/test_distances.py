"""Three distances: against enumeration, printed values, and draws."""

from itertools import permutations
from math import lgamma, log

import numpy as np
import pytest
from scipy.stats import chisquare

import rankagg as ra
from rankagg.distributions.base import _all_places
from rankagg.distributions.mallows.distances import DISTANCES, MOST_IN_SETS
from rankagg.exceptions import InvalidInputError

THETAS = (0.0, 0.1, 0.7, 2.5)
OF_TWO = {
    "kendall": ra.kendall_distance, "footrule": ra.distances.spearman_footrule,
    "spearman": lambda one, two: float(np.square(one.ranks - two.ranks, dtype=float).sum()),
}  # fmt: skip


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_are_those_of_two_rankings(name):
    items = range(5)
    center = ra.Permutation.from_ranks([2, 0, 4, 1, 3], items=items)
    every = [ra.Permutation.from_ranks(ranks, items=items) for ranks in permutations(items)]
    ranks = np.array([one.ranks for one in every])[:, np.argsort(center.ranks)]
    expected = [OF_TWO[name](one, center) for one in every]
    assert DISTANCES[name].of(ranks).tolist() == expected


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("n", [2, 5, *(pytest.param(n, marks=pytest.mark.slow) for n in (7, 8))])
def test_counts_moments_and_tables_are_those_of_enumeration(name, n):
    distance, places = DISTANCES[name], _all_places(n)
    distances = distance.of(places)
    there, times = np.unique(distances, return_counts=True)
    known, logs = distance.log_counts(n)
    finite = np.isfinite(logs)
    assert known[finite].tolist() == there.tolist()
    np.testing.assert_allclose(np.exp(logs[finite]), times, rtol=1e-12)
    for theta in THETAS:
        weights = np.exp(-theta * distances)
        total, chances = weights.sum(), weights / weights.sum()
        mean = chances @ distances
        moments = distance.moments(n, theta)
        expected = log(total), mean, chances @ (distances - mean) ** 2
        np.testing.assert_allclose(moments, expected, rtol=1e-10, atol=1e-12)
        before = np.einsum("k,kij->ij", chances, places[:, :, None] < places[:, None, :])
        at = np.einsum("k,kij->ij", chances, places[:, :, None] == np.arange(n))
        mallows = ra.Mallows(range(n), theta, name)
        np.testing.assert_allclose(mallows.pairwise_probabilities(), before, atol=1e-12)
        np.testing.assert_allclose(mallows.rank_probabilities(), at, atol=1e-12)


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize(
    ("theta", "size"),
    [(0.3, 3_000), *(pytest.param(at, 20_000, marks=pytest.mark.slow) for at in (0.0, 1.2))],
)
def test_draws_have_the_distribution(name, theta, size):
    n = 5
    mallows = ra.Mallows("BADCE", theta, name)
    places = _all_places(n)
    expected = np.exp(mallows.log_probs(ra.Profile.from_ranks(places, items=mallows.items))) * size
    number = {tuple(row): at for at, row in enumerate(places.tolist())}
    drawn = mallows.sample(size, rng=3).compress()
    rows = [number[tuple(row)] for row in drawn.ranks.tolist()]
    seen = np.bincount(rows, weights=drawn.counts, minlength=len(places))
    often = expected > 5
    kinds = [np.append(of[often], of[~often].sum()) for of in (seen, expected)]
    if kinds[1][-1] == 0:
        kinds = [of[:-1] for of in kinds]
    assert chisquare(*kinds).pvalue > 1e-4


@pytest.mark.parametrize(
    ("name", "alpha", "n", "mean"),
    [
        ("kendall", 5, 5, 1.74913673651759),
        ("footrule", 157.5, 45, 0.0804585327652995), ("spearman", 40, 10, 0.00603271004508636),
    ],
)  # fmt: skip
def test_means_are_those_that_bayesmallows_tests(name, alpha, n, mean):
    assert ra.Mallows(range(n), alpha / n, name).mean_distance == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("n", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_many_items_are_as_all_rankings_where_theta_is_0(n):
    """Diaconis and Graham (1977) have mean and variance of the footrule of a random ranking."""
    found = DISTANCES["footrule"].moments(n, 0.0)
    assert found.log_normalizer == pytest.approx(lgamma(n + 1), rel=1e-12)
    assert found.mean == pytest.approx((n * n - 1) / 3, rel=1e-9)
    assert found.variance == pytest.approx((n + 1) * (2 * n * n + 7) / 45, rel=1e-6)


def test_many_items_are_drawn_near_the_center():
    for name, n in {"footrule": 24, "spearman": MOST_IN_SETS}.items():
        mallows = ra.Mallows(range(n), 0.5, name)
        mean = DISTANCES[name].of(mallows.sample(100, rng=0).ranks).mean()
        error = (mallows.distance_variance / 100) ** 0.5
        assert abs(mean - mallows.mean_distance) < 4.5 * error, name


def test_too_many_items_are_refused():
    with pytest.raises(InvalidInputError, match="16 items at most for the squared Spearman"):
        ra.Mallows(range(MOST_IN_SETS + 1), 1.0, "spearman").sample(1)
    with pytest.raises(InvalidInputError, match="8 items at most to count"):
        ra.Mallows(range(9), 1.0, "spearman").distance_probabilities()
    with pytest.raises(InvalidInputError, match="distance"):
        ra.Mallows("ABC", 1.0, "euclid")
