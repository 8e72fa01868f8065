"""The authors' program run again: its columns, and its sort."""

import numpy as np
import pytest

from replication.experiment import Bench
from replication.p1_as_run import as_read, unstable_order
from tests.examples.papers.independent import their_sort


def test_columns_are_shifted_as_by_the_authors(leaderboards):
    board = leaderboards
    table, values = as_read(Bench(board))["XTREME"]
    assert table == board["XTREME"]
    assert (values[:, 1:] == table.values[:, :3]).all()
    assert (values[:, 0] == board["XTREME Score"].values[:, 0]).all()
    assert values.shape == (15, 4)


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 40, 105, 400])
def test_ties_are_broken_by_the_unstable_sort_of_the_authors(size):
    rng = np.random.default_rng(size)
    for _ in range(20):
        scores = rng.integers(0, 1 + size // 3, size).astype(float)
        order = unstable_order(scores)
        assert order.tolist() == their_sort(scores).tolist()
        assert (np.diff(scores[order]) >= 0).all()
        if size <= 16:
            assert order.tolist() == np.argsort(scores, kind="stable").tolist()
