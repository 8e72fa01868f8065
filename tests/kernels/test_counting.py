"""Counts of rankings, and inversions, against their definition."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.aggregation import positional
from rankagg.aggregation.positional import _place_sums
from rankagg.core import places, tally
from rankagg.core.tally import _absent_sums
from rankagg.distances.unweighted import _inversions
from rankagg.kernels import counting
from rankagg.kernels.counting import count, doubled_places
from tests import strategies

KINDS = ["", "ties", "gaps", "ties gaps", "lists", "ties gaps lists"]


def as_lists(counts):
    return [array.tolist() for array in counts]


#: Rankings with anything: ties, unranked and unlisted items.
rows = st.integers(1, 6).flatmap(lambda n: st.lists(strategies.places(n), min_size=1, max_size=9))
any_ranks = rows.map(lambda rows: np.array(rows, dtype=np.int32))


def drawn_ranks(m, n, kinds):
    """Draw rankings of some size: strict, or with ties, gaps and lists among them."""
    rng = np.random.default_rng(m * n)
    values = rng.random((m, n))
    if "ties" in kinds:
        values[::3] = values[::3].round(1)
    if "gaps" in kinds:
        values[rng.random((m, n)) < 0.3] = np.nan
    ranks = places.competition_ranks(values)
    if "lists" in kinds:
        ranks[1::2] = np.where(ranks[1::2] >= n // 2, places.UNLISTED, ranks[1::2])
    return ranks


SIZES = [(1, 1), (7, 2), (200, 5), (3, 254), (3, 255)]


def test_few_rankings_are_counted_as_many_are(monkeypatch):
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 5, 20)
    for ranks in (rng.integers(-2, 6, (20, 6)), np.argsort(rng.random((20, 6)), axis=1)):
        counted = []
        for few in (0, 2**19):
            monkeypatch.setattr(counting, "COMPARED_AT_ONCE", few)
            both = count(ranks.astype(np.int32), weights), count(ranks.astype(np.int32))
            counted.append([as_lists(one) for one in both])
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
            cells = low[i] < low[j], all(there), all(off)
            counts[:, i, j] += [weight * one for one in cells]
    return counts.tolist()


class TestCount:
    @given(data=st.data(), ranks=any_ranks)
    def test_counts_of_any_rankings_equal_the_loop(self, data, ranks):
        some = st.sampled_from([1, 1, 2, 3, 2**40])
        weights = np.array(data.draw(st.lists(some, min_size=len(ranks), max_size=len(ranks))))
        assert as_lists(count(ranks)) == each_counted(ranks, np.ones(len(ranks), dtype=int))
        assert as_lists(count(ranks, weights)) == each_counted(ranks, weights)

    @pytest.mark.parametrize("kinds", KINDS[::2])
    @pytest.mark.parametrize(("m", "n"), SIZES)
    def test_counts_do_not_depend_on_blocks(self, m, n, kinds, monkeypatch):
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

    def test_counts_without_a_bit_count_instruction_are_equal(self, monkeypatch):
        if not hasattr(np, "bitwise_count"):
            pytest.skip("NumPy 2 counts bits")
        ranks = drawn_ranks(100, 7, "ties gaps lists")
        expected = as_lists(count(ranks))
        monkeypatch.delattr(np, "bitwise_count")
        assert as_lists(count(ranks)) == expected


class TestInversions:
    @given(values=st.integers(1, 70).flatmap(lambda n: st.permutations(range(n))))
    def test_inversions_of_any_order_equal_the_loop(self, values):
        expected = sum(a > b for a, b in combinations(values, 2))
        assert _inversions(np.array(values)) == expected

    @pytest.mark.parametrize("n", [1, 16, 17, 256, 257, 1000])
    def test_inversions_of_extreme_orders_are_counted(self, n):
        values = np.arange(n)
        assert _inversions(values) == 0
        assert _inversions(values[::-1].copy()) == n * (n - 1) // 2
        drawn = np.random.default_rng(n).permutation(n)
        assert _inversions(drawn) == int(np.triu(drawn[:, None] > drawn, k=1).sum())

    def test_inversions_beyond_sixteen_bits_are_counted(self):
        n = 70_000
        values = np.roll(np.arange(n), 1)  # the largest comes first
        assert _inversions(values) == n - 1


# -- places ---------------------------------------------------------------------------------------


class TestPlaces:
    @given(ranks=any_ranks)
    def test_mean_places_are_halfway_through_the_bucket(self, ranks):
        expected = []
        for row in ranks.tolist():
            low = [len(row) if rank == -2 else rank for rank in row]
            expected.append([
                0 if rank == -1
                else 2 + 2 * sum(0 <= r < rank for r in low) + low.count(rank) - 1
                for rank in low
            ])  # fmt: skip
        assert doubled_places(ranks).tolist() == expected

    @pytest.mark.parametrize("kinds", KINDS)
    def test_places_do_not_depend_on_blocks(self, kinds, monkeypatch):
        ranks = drawn_ranks(70, 9, kinds)
        whole = doubled_places(ranks).tolist()
        monkeypatch.setattr(counting, "ENTRIES_AT_ONCE", 64)
        assert doubled_places(ranks).tolist() == whole

    @given(data=st.data(), ranks=any_ranks)
    @pytest.mark.parametrize("few", [0, 64])
    def test_sums_by_key_equal_the_loop(self, data, ranks, few):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(positional, "RANKINGS_OF_A_KEY", few)
            m, n = ranks.shape
            doubled = doubled_places(ranks)
            drawn = st.lists(st.sampled_from([1, 2, 2**52]), min_size=m, max_size=m)
            weights = np.array(data.draw(drawn))
            keys = np.array(data.draw(st.lists(st.integers(0, 3), min_size=m, max_size=m)))
            seen = np.zeros((keys.max() + 1, n), dtype=object)
            placed = seen.copy()
            for key, weight, row in zip(keys, weights.tolist(), doubled.tolist(), strict=True):
                placed[key] += [weight * place for place in row]
                seen[key] += [weight * (place > 0) for place in row]
            found = _place_sums(keys, weights, doubled)
            assert as_lists(found) == [seen.tolist(), placed.tolist()]

    @given(data=st.data(), ranks=any_ranks)
    def test_sums_over_absent_items_equal_the_loop(self, data, ranks):
        m, n = ranks.shape
        weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=m, max_size=m)))
        values = np.where(ranks == -1, 0, data.draw(st.sampled_from([3, 2**40 + 1, 2**54])))
        expected = [
            [
                sum(int(weights[t]) * int(values[t, i]) for t in range(m) if ranks[t, u] == -1)
                for i in range(n)
            ]
            for u in range(n)
        ]
        assert _absent_sums(weights, ranks == -1, values).tolist() == expected

    def test_sums_over_absent_items_do_not_depend_on_blocks(self, monkeypatch):
        ranks = drawn_ranks(500, 6, "gaps")
        values = np.random.default_rng(0).integers(0, 2**50, ranks.shape)
        weights = np.random.default_rng(1).integers(0, 8, len(ranks))
        whole = _absent_sums(weights, ranks == -1, values).tolist()
        monkeypatch.setattr(tally, "SUMMED_RANKINGS", 7)
        assert _absent_sums(weights, ranks == -1, values).tolist() == whole
