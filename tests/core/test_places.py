"""Places against all compatible permutations, and rows that are places already."""

from itertools import product

import numpy as np
import pytest

from rankagg.core import places
from rankagg.core.places import _are_permutations, competition_ranks
from tests import oracles


@pytest.mark.parametrize("n", [1, 2, 3])
def test_all_rows_of_small_numbers(n):
    for row in product([-1, 0, 1, 2, 3, 4, 1.5, np.nan, np.inf], repeat=n):
        values = np.array([row, range(1, n + 1)], dtype=np.float64)
        expected = sorted(row) == list(range(1, n + 1))
        assert _are_permutations(values) == expected


@pytest.mark.parametrize("n", [20, 56, 57])
def test_places_of_permutations_are_those_of_any_numbers(n):
    values = np.argsort(np.random.default_rng(n).random((50, n)), axis=1) + 1.0
    assert _are_permutations(values) == (n <= 56)
    assert competition_ranks(values).tolist() == competition_ranks(2 * values).tolist()
    assert competition_ranks(values).dtype == np.int32
    twice = values.copy()
    twice[3, 1] = twice[3, 0]
    assert not _are_permutations(twice)
    assert competition_ranks(twice).tolist() == competition_ranks(2 * twice).tolist()


def test_a_tolerance_still_ties():
    assert competition_ranks(np.array([[1.0, 2.0, 3.0]]), 1.0).tolist() == [[0, 0, 0]]
    assert competition_ranks(np.array([[1.0, 2.0]]), np.array([[1.0]])).tolist() == [[0, 0]]
    values, errors = np.array([[1, 2.5, np.nan, 4]]), np.array([[1, 0.5, 9, 0.75]])
    assert competition_ranks(values, errors=errors).tolist() == [[0, 0, -1, 2]]


def is_canonical(row):
    listed = [place for place in row if place >= 0]
    return min(row) >= -2 and all(sum(p < place for p in listed) == place for place in listed)


ALL = [*product(range(-3, 4), repeat=3)]
ROWS = [*filter(is_canonical, ALL)]


def test_rows_of_three_places_by_hand():
    ranks, code = np.array(ROWS), {-2: 3, -1: 4}
    assert places.are_canonical(np.array(ALL)).tolist() == [*map(is_canonical, ALL)]
    assert places.comparable(ranks).tolist() == [[code.get(p, p) for p in row] for row in ROWS]
    wrong = [(a > b) + (a > c) + (b > c) for a, b, c in ROWS]
    assert places.discordances(ranks).tolist() == wrong
    for row, signs in zip(ROWS, map(places.pair_signs, ranks), strict=True):
        assert signs.tolist() == [[(min(a, b) >= 0) * np.sign(b - a) for b in row] for a in row]


def test_places_are_those_of_all_compatible_permutations():
    for row in ROWS:
        check_places(row)


def check_places(row):
    one, coded = np.array([row], dtype=np.int32), oracles.coded(row)
    every = sorted(oracles.compatible_permutations(coded))
    assert sorted(tuple(each.tolist()) for each in places.compatible_ranks(one[0])) == every
    assert places.count_compatible(one[0]) == len(every)
    drawn = places.sample_compatible(np.repeat(one, 1200, axis=0), np.random.default_rng(0))
    found, times = np.unique(drawn, axis=0, return_counts=True)
    assert list(map(tuple, found.tolist())) == every
    assert np.abs(times / 1200 - 1 / len(every)).max() < 0.06  # five standard errors
    seen = [at for at, place in enumerate(coded) if place is not None]
    among = np.array(oracles.compatible_permutations([coded[at] for at in seen]))
    expected = np.array([[np.nan] * 3, *[[0.0] * 3] * 3])
    expected[:, seen] = among.mean(axis=0), *((among < k).mean(axis=0) for k in (1, 2, 3))
    shares = (places.top_k_shares(one, k) for k in (1, 2, 3))
    assert np.vstack([places.mid_ranks(one), *shares]) == pytest.approx(expected, nan_ok=True)
