"""Stages against direct sums in sixty digits, and distances against enumeration."""

from decimal import Decimal, localcontext
from functools import cache
from math import factorial

import numpy as np
import pytest

import rankagg as ra
from rankagg.distributions.mallows.kendall_distances import (
    SERIES_BELOW,
    pair_stays,
    stage_log_normalizers,
    stage_means,
    stage_variances,
)
from rankagg.exceptions import InvalidInputError
from tests.distributions.enumeration import discordant, strict_ranks

SIZES = (1, 2, 3, 7, 20, 150)
THETAS = (0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0, 800.0)


def around_the_series(size: int) -> tuple[float, ...]:
    """Return thetas on both sides of where closed forms take over."""
    edge = SERIES_BELOW / size
    return (0.5 * edge, edge * (1 - 1e-9), edge, edge * (1 + 1e-9), 2 * edge)


CASES = [(size, theta) for size in SIZES for theta in (*THETAS, *around_the_series(size))]


@cache
def direct(size: int, theta: float) -> tuple[Decimal, Decimal, Decimal]:
    """Return log normaliser, mean and variance of a stage by summing its terms."""
    with localcontext() as context:
        context.prec = 60
        q = (-Decimal(theta)).exp()
        weights = [q**v for v in range(size)] if theta else [Decimal(1)] * size
        total = sum(weights)
        mean = sum(v * w for v, w in enumerate(weights)) / total
        variance = sum((v - mean) ** 2 * w for v, w in enumerate(weights)) / total
        return total.ln(), mean, variance


def close(found: float, expected: Decimal, scale: float = 1.0) -> bool:
    """Equal to 12 digits, or to rounding of numbers of the given size."""
    return abs(found - float(expected)) <= 1e-12 * float(abs(expected)) + 2e-15 * scale


# -- distances ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 8))
def test_distance_counts_are_those_of_enumeration(n: int) -> None:
    center = tuple(range(n))
    distances = [discordant(places, center) for places in strict_ranks(n)]
    assert ra.distributions.kendall_distance_counts(n) == np.bincount(distances).tolist()


@pytest.mark.parametrize("n", [12, 40])
def test_distance_counts_are_exact_and_symmetric_for_many_items(n: int) -> None:
    counts = ra.distributions.kendall_distance_counts(n)
    assert sum(counts) == factorial(n)
    assert counts == counts[::-1]
    assert len(counts) == n * (n - 1) // 2 + 1
    assert counts[:2] == [1, n - 1]


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "3"])
def test_number_of_items_must_be_a_positive_integer(n: object) -> None:
    with pytest.raises(InvalidInputError, match="`n_items` must be an integer of at least 1"):
        ra.distributions.kendall_distance_counts(n)


# -- stages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "theta"), CASES)
def test_stage_is_that_of_the_direct_sum(size: int, theta: float) -> None:
    log_normalizer, mean, variance = direct(size, theta)
    assert close(float(stage_log_normalizers(size, theta)), log_normalizer)
    assert close(float(stage_means(size, theta)), mean, scale=size)
    assert close(float(stage_variances(size, theta)), variance, scale=size**2)


def test_stages_without_concentration_are_uniform() -> None:
    sizes = np.arange(1, 30)
    np.testing.assert_array_equal(stage_log_normalizers(sizes, 0.0), np.log(sizes))
    np.testing.assert_array_equal(stage_means(sizes, 0.0), (sizes - 1) / 2)
    np.testing.assert_allclose(stage_variances(sizes, 0.0), (sizes**2 - 1) / 12, rtol=1e-14)


@pytest.mark.parametrize("size", [2, 5, 40])
@pytest.mark.parametrize("theta", [1e-3, 0.01, 0.05, 0.2, 1.0, 4.0])
def test_mean_and_variance_are_derivatives(size: int, theta: float) -> None:
    h = 1e-5 * theta
    steps = np.array([theta - h, theta + h])
    slope = np.diff(stage_log_normalizers(size, steps))[0] / (2 * h)
    assert stage_means(size, theta) == pytest.approx(-slope, rel=1e-6)
    h = 1e-3 * theta
    fall = np.diff(stage_means(size, np.array([theta - h, theta + h])))[0] / (2 * h)
    assert stage_variances(size, theta) == pytest.approx(-fall, rel=1e-5)


def test_means_fall_with_theta_across_the_series() -> None:
    for size in SIZES[1:]:
        thetas = np.sort([*np.linspace(0.0, 3.0, 400), *around_the_series(size)])
        assert (np.diff(stage_means(size, thetas)) < 1e-15 * size).all()


def test_sizes_and_thetas_broadcast() -> None:
    sizes, thetas = np.array([1, 2, 5]), np.array([0.0, 0.3, 2.0, 9.0])
    for function in (stage_log_normalizers, stage_means, stage_variances):
        table = function(sizes[:, None], thetas)
        assert table.shape == (3, 4)
        for i, size in enumerate(sizes):
            for k, theta in enumerate(thetas):
                assert table[i, k] == function(size, theta)


@pytest.mark.parametrize("theta", [1e17, 1e40, 1e300])
def test_the_largest_thetas_need_no_warning(theta: float) -> None:
    assert stage_means(5, theta) == 0.0
    assert stage_variances(5, theta) == 0.0


# -- pairs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, 1e-9, 0.01, 0.3, 1.0, 6.0, 40.0])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_pairs_stay_as_often_as_enumeration_says(n: int, theta: float) -> None:
    rows = np.array(strict_ranks(n))
    distances = [discordant(row, tuple(range(n))) for row in strict_ranks(n)]
    weights = np.exp(-theta * np.array(distances))
    stays = pair_stays(n, theta)
    assert np.isnan(stays[0])
    for first in range(n):
        for second in range(first + 1, n):
            chance = weights[rows[:, first] < rows[:, second]].sum() / weights.sum()
            assert stays[second - first] == pytest.approx(chance, abs=1e-14)


def test_pairs_farther_apart_stay_more_often() -> None:
    for theta in (0.01, 0.5, 2.0):
        stays = pair_stays(30, theta)[1:]
        assert (np.diff(stays) > -1e-15).all()
        assert (stays > 0.5).all()
        assert (stays <= 1.0).all()
    assert (pair_stays(30, 0.0)[1:] == 0.5).all()
