"""Speed of inference with missing scores.

    pytest -o addopts='' tests/benchmarks/test_inference.py --benchmark-json=figures.json

Ratios and memory are in the extra information of each benchmark.
"""

import tracemalloc
from functools import cache
from math import comb, factorial, perm
from time import perf_counter

import numpy as np
import pytest

import rankagg as ra

RANKINGS, ITEMS, MISSING = 1_000_000, 20, 0.2
GIB = 2.0**30


# -- the matrices of Himmi et al. (2023), as the paper describes them -----------------------------


def proportion_before(n, k, r):
    """Evaluate their equation 6, with S and V mended: a sum of products of factorials."""
    everything = factorial(n - k) * comb(n, k)
    total = 0
    for i in range(n - k):
        heads = perm(n - k - 1, i) * (i + 1) * comb(r + i + 1, r)
        tails = factorial(n - k - i - 1) * comb(n - r - i - 2, k - r - 1)
        total += heads * tails
    return total / everything


def at_mean_place(n, k, r):
    """Evaluate it at a mean place; those of ties may be halves, which the paper does not have."""
    if r == int(r):
        return proportion_before(n, k, int(r))
    return (proportion_before(n, k, int(r)) + proportion_before(n, k, int(r) + 1)) / 2


def matrix_of(scores, before):
    """Return the matrix of one ranking, cell by cell; rows are before columns."""
    n = len(scores)
    observed = [i for i in range(n) if scores[i] == scores[i]]
    k = len(observed)
    place = {}
    for i in observed:
        better = sum(scores[j] > scores[i] for j in observed)
        level = sum(scores[j] == scores[i] for j in observed)
        place[i] = better + (level - 1) / 2
    matrix = [[0.5] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i == j:
                matrix[i][j] = 0.0
            elif i in place and j in place:
                matrix[i][j] = 0.5 + 0.5 * ((place[i] < place[j]) - (place[i] > place[j]))
            elif j in place:
                matrix[i][j] = before(n, k, place[j])
            elif i in place:
                matrix[i][j] = 1.0 - before(n, k, place[i])
    return matrix


def borda_by_matrices(columns, before):
    """Sum the matrices of all rankings; the column sums are expected places."""
    n = len(columns[0])
    total = np.zeros((n, n))
    for scores in columns:
        total += np.array(matrix_of(scores.tolist(), before))
    return total.sum(axis=0)


def intervals_of(table):
    """Return intervals whose unit is the instance that all metrics share."""
    return ra.PairwiseIntervals.from_data(table, unit="instance")


def seconds(call):
    """Return what a call returns and the seconds that it took."""
    start = perf_counter()
    result = call()
    return result, perf_counter() - start


def test_borda_with_missing_scores_against_matrices_of_permutations(benchmark, data):
    table = ra.read_scores(data("instances/tac_08.csv"), higher_is_better=True, instance="instance")
    rng = np.random.default_rng(0)
    gone = rng.random((table.n_systems, table.n_tasks)) < 0.2
    values = np.where(gone[:, table.unit_tasks], np.nan, table.values)
    gaps = ra.ScoreTable(
        values,
        systems=table.systems,
        tasks=[table.tasks[int(t)] for t in table.unit_tasks],
        instances=table.instances,
        higher_is_better=True,
    )
    consensus = benchmark(lambda: ra.Borda().aggregate(gaps))
    # Each cell evaluates equation 6, which makes a matrix O(n^3) as the paper says; and, kinder
    # than that, each value is computed once for all rankings.
    places, slow = seconds(lambda: borda_by_matrices(gaps.values.T, at_mean_place))
    _, kind = seconds(lambda: borda_by_matrices(gaps.values.T, cache(at_mean_place)))
    expected = gaps.n_units * (gaps.n_systems - 1) - places
    np.testing.assert_allclose(consensus.scores, expected, rtol=1e-9)
    assert intervals_of(gaps).n_units.max() == 48
    _, intervals = seconds(lambda: intervals_of(gaps))
    fast = benchmark.stats.stats.median
    benchmark.extra_info.update(
        matrices=slow, ratio=slow / fast, remembered=kind / fast, intervals=intervals
    )


@pytest.mark.parametrize("estimand", ["direct", "imputed"])
def test_borda_and_intervals_of_a_million_rankings(benchmark, estimand):
    rng = np.random.default_rng(0)
    scores = rng.random((RANKINGS, ITEMS), dtype=np.float32).astype(np.float64)
    scores[rng.random(scores.shape, dtype=np.float32) < MISSING] = np.nan

    def everything():
        profile = ra.Profile.from_scores(scores, higher_is_better=True)
        consensus = ra.Borda().aggregate(profile)
        return consensus, ra.PairwiseIntervals.from_data(profile, estimand=estimand)

    benchmark.pedantic(everything, rounds=1)
    tracemalloc.start()
    consensus, intervals = everything()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert consensus.scores.sum() == pytest.approx(RANKINGS * ITEMS * (ITEMS - 1) / 2)
    off = ~np.eye(ITEMS, dtype=bool)
    assert np.abs(intervals.estimate[off] - 0.5).max() < 0.01
    benchmark.extra_info["peak_gib"] = peak / GIB
    benchmark.extra_info["scores_gib"] = scores.nbytes / GIB


def test_intervals_by_bootstrap_of_ten_thousand_rankings(benchmark):
    rng = np.random.default_rng(0)
    scores = rng.random((10_000, ITEMS))
    scores[rng.random(scores.shape) < MISSING] = np.nan
    profile = ra.Profile.from_scores(scores, higher_is_better=True)
    intervals = benchmark.pedantic(
        lambda: ra.PairwiseIntervals.from_data(
            profile, method="percentile", simultaneous="max-t", rng=0
        ),
        rounds=1,
    )
    assert (intervals.lower <= intervals.upper).all()
