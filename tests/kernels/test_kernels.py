"""The inner loops against their definition, in NumPy and compiled."""

import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rankagg as ra
from rankagg.core import places
from rankagg.kernels import backend, counting
from rankagg.kernels.counting import above
from rankagg.kernels.inversions import inversions


@pytest.fixture(params=["numpy", "numba"])
def kernels(request, monkeypatch):
    """Let every call run in NumPy, or compiled."""
    if request.param == "numba":
        pytest.importorskip("numba", reason="the extra `fast` is not installed")
        monkeypatch.setattr(backend, "WORTH_IT", 0)
    else:
        monkeypatch.setattr(backend, "WORTH_IT", float("inf"))
    return request.param


def each_above(numbers):
    """Count pair by pair."""
    n = numbers.shape[1]
    return [[int((numbers[:, i] < numbers[:, j]).sum()) for j in range(n)] for i in range(n)]


@pytest.mark.usefixtures("kernels")
class TestAbove:
    @given(
        values=st.tuples(st.integers(1, 9), st.integers(1, 6)).flatmap(
            lambda shape: arrays(
                np.float64, shape, elements=st.sampled_from([0, 1, 2, 3, 4, 5, np.nan, np.inf])
            )
        )
    )
    def test_any_rankings(self, values):
        ranks = places.competition_ranks(values)
        ranks[np.isinf(values)] = places.UNLISTED
        numbers = places.comparable(ranks)
        assert above(numbers).tolist() == each_above(numbers)

    @pytest.mark.parametrize(("m", "n"), [(1, 1), (7, 2), (8, 3), (1000, 5), (3, 254), (17, 300)])
    @pytest.mark.parametrize("ties", [False, True])
    def test_blocks_and_sizes(self, m, n, ties, monkeypatch):
        monkeypatch.setattr(counting, "BLOCK", 64 * n)
        rng = np.random.default_rng(m * n)
        numbers = np.argsort(rng.random((m, n)), axis=1).astype(np.int32)
        if ties:
            numbers[::3] = places.competition_ranks(numbers[::3] // 2.0)
        assert above(numbers).tolist() == each_above(numbers)

    def test_tied_places_that_add_up_as_if_they_were_not(self):
        # Codes of gaps are large: a ranking with one may have the sum of a strict one.
        numbers = np.array([[0, 0, 3], [0, 1, 2], [0, 0, 2]], dtype=np.int32)
        assert above(numbers).tolist() == each_above(numbers)


@pytest.mark.usefixtures("kernels")
class TestInversions:
    @given(values=st.integers(1, 70).flatmap(lambda n: st.permutations(range(n))))
    def test_any_order(self, values):
        expected = sum(a > b for a, b in combinations(values, 2))
        assert inversions(np.array(values)) == expected

    @pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 255, 256, 257, 300, 1000])
    def test_ends_and_sizes(self, n):
        values = np.arange(n)
        assert inversions(values) == 0
        assert inversions(values[::-1].copy()) == n * (n - 1) // 2
        drawn = np.random.default_rng(n).permutation(n)
        assert inversions(drawn) == int(np.triu(drawn[:, None] > drawn, k=1).sum())

    def test_the_argument_stays_what_it_was(self):
        values = np.array([3, 0, 2, 1])
        inversions(values)
        assert values.tolist() == [3, 0, 2, 1]

    def test_beyond_sixteen_bits(self):
        n = 70_000
        values = np.roll(np.arange(n), 1)  # the largest comes first
        assert inversions(values) == n - 1


def test_votes_are_the_same_with_both(monkeypatch):
    pytest.importorskip("numba", reason="the extra `fast` is not installed")
    scores = np.random.default_rng(0).random((300, 12)).round(1)
    scores[np.random.default_rng(1).random(scores.shape) < 0.1] = np.nan
    profile = ra.Profile.from_scores(scores, higher_is_better=True)
    found = []
    for least in (0, float("inf")):
        monkeypatch.setattr(backend, "WORTH_IT", least)
        found.append([profile.pairwise(policy) for policy in ("uniform", "ignore", "last")])
    assert found[0] == found[1]


def test_what_runs_is_said(monkeypatch):
    backend._is_wanted.cache_clear()
    monkeypatch.setenv(backend.VARIABLE, "numpy")
    assert backend.described() == f"NumPy {np.__version__}"
    assert backend.compiled(10**12) is None
    backend._is_wanted.cache_clear()
    monkeypatch.delenv(backend.VARIABLE)
    if "numba" in sys.modules or backend._is_wanted():
        assert backend.described().startswith("numba ")
    backend._is_wanted.cache_clear()
