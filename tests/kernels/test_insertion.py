"""Gains of moves against their definition, in NumPy and compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankagg.kernels import backend
from rankagg.kernels.insertion import best_moves


@pytest.mark.usefixtures("kernels")
class TestInsertion:
    @given(
        margins=st.integers(1, 7).flatmap(
            lambda n: arrays(np.float64, (n, n), elements=st.sampled_from([-2.0, -1, 0, 0.5, 3]))
        )
    )
    def test_the_first_of_the_best_places(self, margins):
        n = len(margins)
        permuted = np.triu(margins, k=1) - np.triu(margins, k=1).T
        gains, targets = best_moves(permuted)
        cost = np.triu(permuted, k=1).sum()
        for p in range(n):
            saved = []
            for q in range(n):
                order = [k for k in range(n) if k != p]
                order.insert(q, p)
                saved.append(cost - np.triu(permuted[np.ix_(order, order)], k=1).sum())
            assert 2 * gains[p] == max(saved)  # what is less here is more there
            assert targets[p] == saved.index(max(saved))

    def test_sums_are_rounded_alike(self, monkeypatch):
        pytest.importorskip("numba", reason="the extra `fast` is not installed")
        margins = np.random.default_rng(0).normal(size=(60, 60))
        found = []
        for least in (0, float("inf")):
            monkeypatch.setattr(backend, "WORTH_IT", least)
            found.append([array.tolist() for array in best_moves(margins - margins.T)])
        assert found[0] == found[1]
