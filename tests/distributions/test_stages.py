"""Stages to permutations and back, and their place and pair probabilities, against enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.distributions.mallows.kendall_distances import (
    orders_from_stages,
    pair_probabilities,
    place_probabilities,
    places_from_stages,
    sample_stages,
    stages_from_places,
)
from tests.distributions.enumeration import discordant, strict_ranks
from tests.strategies import quick


@st.composite
def thetas(draw: st.DrawFn, max_items: int = 6) -> np.ndarray:
    n = draw(st.integers(1, max_items))
    theta = st.sampled_from([0.0, 1e-10, 0.01, 0.3, 1.0, 2.5, 12.0, 700.0])
    return np.array(draw(st.lists(theta, min_size=n - 1, max_size=n - 1)))


def law_of(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


@pytest.mark.parametrize("n", range(1, 7))
def test_all_stages_and_all_permutations_are_one_to_one(n: int) -> None:
    stages = np.array(list(product(*(range(j) for j in range(n, 1, -1)))), dtype=int).T
    places = places_from_stages(stages)
    assert sorted(map(tuple, places.T.tolist())) == sorted(strict_ranks(n))
    np.testing.assert_array_equal(stages_from_places(places.T), stages.T)
    np.testing.assert_array_equal(np.argsort(places, axis=0), orders_from_stages(stages))


@pytest.mark.parametrize("n", range(1, 7))
def test_stages_sum_to_the_distance(n: int) -> None:
    rows = np.array(strict_ranks(n))
    distances = [discordant(row, tuple(range(n))) for row in strict_ranks(n)]
    assert stages_from_places(rows).sum(axis=1).tolist() == distances


def test_stages_count_the_items_passed_over() -> None:
    # The order is C, A, D, B: C passes A and B, A none, D passes B.
    assert stages_from_places(np.array([[1, 3, 0, 2]])).tolist() == [[2, 0, 1]]


@pytest.mark.parametrize("n", [126, 127, 128, 129, 300])
def test_many_items_go_to_places_and_back(n: int) -> None:
    rng = np.random.default_rng(n)
    stages = rng.integers(0, np.arange(n, 1, -1)[:, None], size=(n - 1, 5))
    stages[:, 0] = np.arange(n - 1, 0, -1)
    stages[:, 1] = 0
    places = places_from_stages(stages)
    assert (np.sort(places, axis=0) == np.arange(n)[:, None]).all()
    assert places[:, 0].tolist() == list(range(n))[::-1]
    assert places[:, 1].tolist() == list(range(n))
    np.testing.assert_array_equal(stages_from_places(places.T), stages.T)


@quick
@given(values=thetas())
def test_place_probabilities_are_those_of_enumeration(values: np.ndarray) -> None:
    rows, chances = law_of(values)
    at = np.tensordot(chances, rows[:, :, None] == np.arange(len(values) + 1), axes=1)
    np.testing.assert_allclose(place_probabilities(values), at, atol=1e-12)


@quick
@given(values=thetas())
def test_pair_probabilities_are_those_of_enumeration(values: np.ndarray) -> None:
    rows, chances = law_of(values)
    above = np.tensordot(chances, rows[:, :, None] < rows[:, None, :], axes=1)
    np.testing.assert_allclose(pair_probabilities(values), above, atol=1e-12)


def test_draws_pass_over_as_many_items_as_they_should() -> None:
    values = np.array([0.0, 1e-9, 0.4, 3.0, 800.0])
    drawn = sample_stages(values, 40_000, np.random.default_rng(5))
    for k, theta in enumerate(values):
        left = len(values) + 1 - k
        chances = np.exp(-theta * np.arange(left))
        chances /= chances.sum()
        shares = np.bincount(drawn[k], minlength=left) / drawn.shape[1]
        # Three over the root of the size: six standard errors of any share at least.
        assert (np.abs(shares - chances) <= 3 / np.sqrt(drawn.shape[1])).all()
        assert len(shares) == left
    assert (drawn[-1] == 0).all()


def test_pair_probabilities_stay_between_zero_and_one() -> None:
    for theta in np.linspace(10.0, 60.0, 60):
        table = pair_probabilities(np.full(19, theta))
        assert ((table >= 0) & (table <= 1)).all()
