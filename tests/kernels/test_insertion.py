"""Gains of moves against their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankagg.kernels.local_search import best_moves


@given(
    margins=st.integers(1, 7).flatmap(
        lambda n: arrays(np.float64, (n, n), elements=st.sampled_from([-2.0, -1, 0, 0.5, 3]))
    )
)
def test_the_first_of_the_best_places(margins):
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
