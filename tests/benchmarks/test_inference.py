"""Speed of inference with missing scores.

    pytest -o addopts='' tests/benchmarks/test_inference.py --benchmark-json=figures.json

Memory is in the extra information of each benchmark.
"""

import tracemalloc

import numpy as np
import pytest

import rankagg as ra

RANKINGS, ITEMS, MISSING = 1_000_000, 20, 0.2
GIB = 2.0**30


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
