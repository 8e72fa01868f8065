"""The inner loops against their definition, in NumPy and compiled."""

import sys
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rankagg as ra
from rankagg.core.rankings import places
from rankagg.kernels import backend, counting, placing
from rankagg.kernels.counting import count
from rankagg.kernels.insertion import best_moves
from rankagg.kernels.inversions import inversions
from rankagg.kernels.placing import absent_sums, doubled_places, place_sums
from tests import strategies


def test_few_rankings_are_counted_as_many_are(monkeypatch):
    monkeypatch.setattr(backend, "WORTH_IT", float("inf"))
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
    """Count ranking by ranking and pair by pair: above, both, half, off."""
    n = ranks.shape[1]
    counts = np.zeros((4, n, n), dtype=object)
    for row, weight in zip(ranks.tolist(), weights.tolist(), strict=True):
        low = [{-2: n, -1: n + 1}.get(rank, rank) for rank in row]
        for i, j in product(range(n), repeat=2):
            there = row[i] != -1, row[j] != -1
            off = row[i] == -2, row[j] == -2
            said = low[i] < low[j], all(there), off[0] and there[1], all(off)
            counts[:, i, j] += [weight * one for one in said]
    return counts.tolist()


def told(counts):
    return [array.tolist() for array in counts]


#: Rankings with anything: ties, unranked and unlisted items.
any_ranks = st.tuples(st.integers(1, 9), st.integers(1, 6)).flatmap(
    lambda shape: st.lists(
        strategies.places(shape[1]), min_size=shape[0], max_size=shape[0]
    ).map(lambda rows: np.array(rows, dtype=np.int32))
)  # fmt: skip


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


SIZES = [(1, 1), (7, 2), (8, 3), (1000, 5), (3, 253), (3, 254), (3, 255), (17, 300)]
KINDS = ["", "ties", "gaps", "ties gaps", "lists", "ties gaps lists"]


@pytest.mark.usefixtures("kernels")
class TestCount:
    @given(data=st.data(), ranks=any_ranks)
    def test_any_rankings(self, data, ranks):
        some = st.sampled_from([1, 1, 2, 3, 2**40])
        weights = np.array(data.draw(st.lists(some, min_size=len(ranks), max_size=len(ranks))))
        assert told(count(ranks)) == each_counted(ranks, np.ones(len(ranks), dtype=int))
        assert told(count(ranks, weights)) == each_counted(ranks, weights)

    @pytest.mark.parametrize("kinds", KINDS)
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
            for array, (mine, theirs) in zip(
                found[1:], [(there, there), (off, there), (off, off)], strict=True
            ):
                assert array.tolist() == ((mine * each[:, None]).T @ (theirs * 1)).tolist()

    def test_what_is_complete_takes_one_matrix(self):
        counts = count(drawn_ranks(50, 30, ""))
        assert [array.base is not None for array in counts] == [False, True, True, True]

    def test_before_bits_could_be_counted(self, kernels, monkeypatch):
        if kernels == "numba" or not hasattr(np, "bitwise_count"):
            pytest.skip("NumPy 2 counts bits; what was before it is tried in NumPy")
        ranks = drawn_ranks(100, 7, "ties gaps lists")
        expected = told(count(ranks))
        monkeypatch.delattr(np, "bitwise_count")
        assert told(count(ranks)) == expected


@pytest.mark.usefixtures("kernels")
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


@pytest.mark.parametrize("weighed", [False, True])
def test_results_are_the_same_with_both(weighed, monkeypatch):
    pytest.importorskip("numba", reason="the extra `fast` is not installed")
    ranks = drawn_ranks(300, 12, "ties gaps lists")
    weights = np.random.default_rng(2).random(300) if weighed else None
    profile = ra.Profile._trusted(ra.ItemSet.numbered(12), ranks, weights=weights)
    found = []
    for least in (0, float("inf")):
        monkeypatch.setattr(backend, "WORTH_IT", least)
        votes = [profile.pairwise(policy) for policy in ("uniform", "ignore", "last")]
        orders = ra.Borda(), ra.Bucklin(), ra.FootruleOptimal(), ra.InsertionSearch()
        found.append((votes, [rule.aggregate(profile).ranking for rule in orders]))
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
