"""Stages of insertion and Kendall distances against enumeration."""

from decimal import Decimal, localcontext
from itertools import combinations
from math import factorial

import numpy as np
import pytest

import rankagg as ra
from rankagg.distributions.mallows.distances import (
    SERIES_BELOW,
    _stage_variances,
    pair_stays,
    stage_log_normalizers,
    stage_means,
)
from rankagg.exceptions import InvalidInputError
from tests.distributions.enumeration import discordant, strict_ranks

SIZES = (1, 2, 3, 7, 20, 150)
THETAS = (0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0, 800.0)


def around_the_series(size):
    """Return thetas on both sides of where closed forms take over."""
    edge = SERIES_BELOW / size
    return (0.5 * edge, edge * (1 - 1e-9), edge, edge * (1 + 1e-9), 2 * edge)


def direct(size, theta):
    """Return log normaliser, mean and variance of a stage by summing its terms."""
    with localcontext() as context:
        context.prec = 60
        q = (-Decimal(theta)).exp()
        weights = [q**v for v in range(size)] if theta else [Decimal(1)] * size
        total = sum(weights)
        mean = sum(v * w for v, w in enumerate(weights)) / total
        variance = sum((v - mean) ** 2 * w for v, w in enumerate(weights)) / total
        return total.ln(), mean, variance


def close(found, expected, scale=1.0):
    """Equal to 12 digits, or to rounding of numbers of the given size."""
    return abs(found - float(expected)) <= 1e-12 * float(abs(expected)) + 2e-15 * scale


# -- distances ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_distance_counts_are_those_of_enumeration(n):
    center = tuple(range(n))
    distances = [discordant(places, center) for places in strict_ranks(n)]
    assert ra.distributions.kendall_distance_counts(n) == np.bincount(distances).tolist()


@pytest.mark.parametrize("n", [12, 40])
def test_distance_counts_are_exact_and_symmetric_for_many_items(n):
    counts = ra.distributions.kendall_distance_counts(n)
    assert sum(counts) == factorial(n)
    assert counts == counts[::-1]
    assert len(counts) == n * (n - 1) // 2 + 1
    assert counts[:2] == [1, n - 1]


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "3"])
def test_number_of_items_must_be_a_positive_integer(n):
    with pytest.raises(InvalidInputError, match="`n_items` must be an integer of at least 1"):
        ra.distributions.kendall_distance_counts(n)


# -- stages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_stage_is_that_of_the_direct_sum(size):
    for theta in (*THETAS, *around_the_series(size)):
        log_normalizer, mean, variance = direct(size, theta)
        assert close(float(stage_log_normalizers(size, theta)), log_normalizer)
        assert close(float(stage_means(size, theta)), mean, scale=size)
        assert close(float(_stage_variances(size, theta)), variance, scale=size**2)


# -- pairs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 6])
def test_probabilities_of_kept_pairs_equal_enumeration(n):
    rows = np.array(strict_ranks(n))
    distances = [discordant(row, tuple(range(n))) for row in strict_ranks(n)]
    for theta in (0.0, 1e-9, 0.01, 0.3, 1.0, 6.0, 40.0):
        weights = np.exp(-theta * np.array(distances))
        stays = pair_stays(n, theta)
        assert np.isnan(stays[0])
        for first, second in combinations(range(n), 2):
            chance = weights[rows[:, first] < rows[:, second]].sum() / weights.sum()
            assert stays[second - first] == pytest.approx(chance, abs=1e-14)
