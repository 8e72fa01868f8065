"""Places and their sums against their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.kernels import placing
from rankagg.kernels.placing import absent_sums, doubled_places, place_sums
from tests.kernels.rankings_drawn import KINDS, any_ranks, drawn_ranks, told


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
    def test_blocks(self, kinds, monkeypatch):
        ranks = drawn_ranks(70, 9, kinds)
        whole = doubled_places(ranks).tolist()
        monkeypatch.setattr(placing, "ENTRIES_AT_ONCE", 64)
        assert doubled_places(ranks).tolist() == whole

    @given(data=st.data(), ranks=any_ranks)
    @pytest.mark.parametrize("few", [0, 64])
    def test_sums_by_key(self, data, ranks, few):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(placing, "RANKINGS_OF_A_KEY", few)
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
            found = place_sums(keys, weights, doubled)
            assert told(found) == [seen.tolist(), placed.tolist()]

    @given(data=st.data(), ranks=any_ranks)
    def test_sums_over_absent_items(self, data, ranks):
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
        assert absent_sums(weights, ranks == -1, values).tolist() == expected

    def test_many_blocks_over_absent_items(self, monkeypatch):
        ranks = drawn_ranks(500, 6, "gaps")
        values = np.random.default_rng(0).integers(0, 2**50, ranks.shape)
        weights = np.random.default_rng(1).integers(0, 8, len(ranks))
        whole = absent_sums(weights, ranks == -1, values).tolist()
        monkeypatch.setattr(placing, "SUMMED_RANKINGS", 7)
        assert absent_sums(weights, ranks == -1, values).tolist() == whole
