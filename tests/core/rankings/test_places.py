"""Rows that are places already are found, and nothing else."""

from itertools import product

import numpy as np
import pytest

from rankagg.core.rankings.places import are_permutations, competition_ranks


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_rows_of_small_numbers(n):
    for row in product([-1, 0, 1, 2, 3, 4, 1.5, np.nan, np.inf], repeat=n):
        values = np.array([row, range(1, n + 1)], dtype=np.float64)
        expected = sorted(row) == list(range(1, n + 1))
        assert are_permutations(values) == expected


@pytest.mark.parametrize("n", [20, 56, 57])
def test_places_of_permutations_are_those_of_any_numbers(n):
    values = np.argsort(np.random.default_rng(n).random((50, n)), axis=1) + 1.0
    assert are_permutations(values) == (n <= 56)
    assert competition_ranks(values).tolist() == competition_ranks(2 * values).tolist()
    assert competition_ranks(values).dtype == np.int32
    twice = values.copy()
    twice[3, 1] = twice[3, 0]
    assert not are_permutations(twice)
    assert competition_ranks(twice).tolist() == competition_ranks(2 * twice).tolist()


def test_a_tolerance_still_ties():
    assert competition_ranks(np.array([[1.0, 2.0, 3.0]]), 1.0).tolist() == [[0, 0, 0]]
    assert competition_ranks(np.array([[1.0, 2.0]]), np.array([[1.0]])).tolist() == [[0, 0]]
