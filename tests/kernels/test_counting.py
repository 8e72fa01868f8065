"""Counts of rankings, and inversions, against their definition."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.core import places
from rankagg.kernels import counting
from rankagg.kernels.counting import count, inversions
from tests.kernels.rankings_drawn import KINDS, any_ranks, drawn_ranks, told

SIZES = [(1, 1), (7, 2), (200, 5), (3, 254), (3, 255)]


def test_few_rankings_are_counted_as_many_are(monkeypatch):
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 5, 20)
    for ranks in (rng.integers(-2, 6, (20, 6)), np.argsort(rng.random((20, 6)), axis=1)):
        counted = []
        for few in (0, 2**19):
            monkeypatch.setattr(counting, "COMPARED_AT_ONCE", few)
            both = count(ranks.astype(np.int32), weights), count(ranks.astype(np.int32))
            counted.append([told(one) for one in both])
        assert counted[0] == counted[1]


def each_counted(ranks, weights):
    """Count ranking by ranking and pair by pair: above, both, off."""
    n = ranks.shape[1]
    counts = np.zeros((3, n, n), dtype=object)
    for row, weight in zip(ranks.tolist(), weights.tolist(), strict=True):
        low = [{-2: n, -1: n + 1}.get(rank, rank) for rank in row]
        for i, j in product(range(n), repeat=2):
            there = row[i] != -1, row[j] != -1
            off = row[i] == -2, row[j] == -2
            said = low[i] < low[j], all(there), all(off)
            counts[:, i, j] += [weight * one for one in said]
    return counts.tolist()


class TestCount:
    @given(data=st.data(), ranks=any_ranks)
    def test_any_rankings(self, data, ranks):
        some = st.sampled_from([1, 1, 2, 3, 2**40])
        weights = np.array(data.draw(st.lists(some, min_size=len(ranks), max_size=len(ranks))))
        assert told(count(ranks)) == each_counted(ranks, np.ones(len(ranks), dtype=int))
        assert told(count(ranks, weights)) == each_counted(ranks, weights)

    @pytest.mark.parametrize("kinds", KINDS[::2])
    @pytest.mark.parametrize(("m", "n"), SIZES)
    def test_blocks_and_sizes(self, m, n, kinds, monkeypatch):
        monkeypatch.setattr(counting, "COLUMN_PLACES", 64 * n)
        monkeypatch.setattr(counting, "FEWEST_RANKINGS", 64)
        ranks = drawn_ranks(m, n, kinds)
        there, off = ranks != -1, ranks == -2
        low = places.comparable(ranks)
        weights = np.random.default_rng(m).integers(1, 2**40, m)
        for scale in (None, weights):
            each = np.ones(m, dtype=np.int64) if scale is None else scale
            above = [((low[:, [i]] < low) * each[:, None]).sum(axis=0) for i in range(n)]
            found = count(ranks, scale)
            assert found.above.tolist() == np.array(above).tolist()
            for array, mine in zip(found[1:], (there, off), strict=True):
                assert array.tolist() == ((mine * each[:, None]).T @ (mine * 1)).tolist()

    def test_before_bits_could_be_counted(self, monkeypatch):
        if not hasattr(np, "bitwise_count"):
            pytest.skip("NumPy 2 counts bits")
        ranks = drawn_ranks(100, 7, "ties gaps lists")
        expected = told(count(ranks))
        monkeypatch.delattr(np, "bitwise_count")
        assert told(count(ranks)) == expected


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
