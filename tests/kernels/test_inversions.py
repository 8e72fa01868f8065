"""Inversions against their definition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.kernels.counting import inversions


class TestInversions:
    @given(values=st.integers(1, 70).flatmap(lambda n: st.permutations(range(n))))
    def test_any_order(self, values):
        expected = sum(a > b for a, b in combinations(values, 2))
        assert inversions(np.array(values)) == expected

    @pytest.mark.parametrize("n", [1, 16, 17, 256, 257, 1000])
    def test_ends_and_sizes(self, n):
        values = np.arange(n)
        assert inversions(values) == 0
        assert inversions(values[::-1].copy()) == n * (n - 1) // 2
        drawn = np.random.default_rng(n).permutation(n)
        assert inversions(drawn) == int(np.triu(drawn[:, None] > drawn, k=1).sum())

    def test_beyond_sixteen_bits(self):
        n = 70_000
        values = np.roll(np.arange(n), 1)  # the largest comes first
        assert inversions(values) == n - 1
