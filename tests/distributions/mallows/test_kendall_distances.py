"""Stages of insertion and Kendall distances against enumeration."""

from decimal import Decimal, localcontext
from itertools import combinations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.distributions.mallows.generalized import (
    _pair_probabilities,
    _places_from_stages,
    _stages_from_places,
)  # fmt: skip
from rankagg.distributions.mallows.kendall_distances import (
    SERIES_BELOW,
    orders_from_stages,
    pair_stays,
    place_probabilities,
    stage_log_normalizers,
    stage_means,
    stage_variances,
)  # fmt: skip
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
        assert close(float(stage_variances(size, theta)), variance, scale=size**2)


# -- pairs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 6])
def test_pairs_stay_as_often_as_enumeration_says(n):
    rows = np.array(strict_ranks(n))
    distances = [discordant(row, tuple(range(n))) for row in strict_ranks(n)]
    for theta in (0.0, 1e-9, 0.01, 0.3, 1.0, 6.0, 40.0):
        weights = np.exp(-theta * np.array(distances))
        stays = pair_stays(n, theta)
        assert np.isnan(stays[0])
        for first, second in combinations(range(n), 2):
            chance = weights[rows[:, first] < rows[:, second]].sum() / weights.sum()
            assert stays[second - first] == pytest.approx(chance, abs=1e-14)


@st.composite
def thetas(draw, max_items=6):
    n = draw(st.integers(1, max_items))
    theta = st.sampled_from([0.0, 1e-10, 0.01, 0.3, 1.0, 2.5, 12.0, 700.0])
    return np.array(draw(st.lists(theta, min_size=n - 1, max_size=n - 1)))


def law_of(values):
    """Return the places of all permutations and their probabilities, stage by stage."""
    n = len(values) + 1
    rows = np.array(strict_ranks(n))
    chances = np.ones(len(rows))
    for row, places in enumerate(rows.tolist()):
        left = list(range(n))
        for theta, item in zip(values, np.argsort(places), strict=False):
            weights = np.exp(-theta * np.arange(len(left)))
            chances[row] *= weights[left.index(item)] / weights.sum()
            left.remove(item)
    return rows, chances


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_all_stages_and_all_permutations_are_one_to_one(n):
    stages = np.array(list(product(*(range(j) for j in range(n, 1, -1)))), dtype=int).T
    places = _places_from_stages(stages)
    assert sorted(map(tuple, places.T.tolist())) == sorted(strict_ranks(n))
    np.testing.assert_array_equal(_stages_from_places(places.T), stages.T)
    distances = [discordant(row, tuple(range(n))) for row in places.T.tolist()]
    assert stages.sum(axis=0).tolist() == distances
    np.testing.assert_array_equal(np.argsort(places, axis=0), orders_from_stages(stages))


@pytest.mark.parametrize("n", [127, 128, 300])
def test_many_items_go_to_places_and_back(n):
    stages = np.random.default_rng(n).integers(0, np.arange(n, 1, -1)[:, None], size=(n - 1, 5))
    stages[:, 0] = np.arange(n - 1, 0, -1)
    stages[:, 1] = 0
    places = _places_from_stages(stages)
    assert (np.sort(places, axis=0) == np.arange(n)[:, None]).all()
    assert places[:, 0].tolist() == list(range(n))[::-1]
    assert places[:, 1].tolist() == list(range(n))
    np.testing.assert_array_equal(_stages_from_places(places.T), stages.T)


@given(values=thetas())
def test_place_and_pair_probabilities_are_those_of_enumeration(values):
    rows, chances = law_of(values)
    at = np.tensordot(chances, rows[:, :, None] == np.arange(len(values) + 1), axes=1)
    np.testing.assert_allclose(place_probabilities(values), at, atol=1e-12)
    above = np.tensordot(chances, rows[:, :, None] < rows[:, None, :], axes=1)
    np.testing.assert_allclose(_pair_probabilities(values), above, atol=1e-12)
