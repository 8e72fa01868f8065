"""Memory and time of counting and summing: pytest -o addopts='' tests/benchmarks

What fails here takes more memory than a few times its input or result; times are there to be read.
"""

import tracemalloc

import numpy as np
import pytest

import rankagg as ra

RNG = np.random.default_rng(0)


def with_gaps(m: int, n: int, share: float = 0.2) -> ra.Profile:
    scores = RNG.normal(size=(m, n)) + np.linspace(0, 2, n)
    scores[RNG.random(scores.shape) < share] = np.nan
    return ra.Profile.from_scores(scores, higher_is_better=True)


def peak(work, *arguments) -> int:
    tracemalloc.start()
    try:
        work(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("unranked", ["uniform", "ignore"])
@pytest.mark.parametrize("n", [100, 300, 1000])
def test_votes_of_many_items_take_little_memory(benchmark, n: int, unranked: str) -> None:
    profile = with_gaps(100, n)
    votes = benchmark.pedantic(profile.pairwise, args=(unranked,), rounds=2)
    if n > 100:
        assert votes.scaled_wins.dtype == np.int64
        assert peak(profile.pairwise, unranked) < 40 * votes.wins.nbytes


@pytest.mark.parametrize("rule", [ra.FootruleOptimal(), ra.Borda(), ra.Bucklin()], ids=repr)
def test_sums_by_place_take_little_memory(benchmark, rule: ra.Aggregator) -> None:
    profile = with_gaps(100_000, 50, share=0.02).with_unranked("last")
    benchmark.pedantic(rule.aggregate, args=(profile,), rounds=2)
    assert peak(rule.aggregate, profile) < 5 * profile.ranks.nbytes


def test_resampled_consensuses_take_little_memory(benchmark) -> None:
    # 200 rankings of 50 items, one of them far ahead of the next: all is counting.
    scores = np.arange(50.0) + RNG.normal(scale=0.4, size=(200, 50))
    profile = ra.Profile.from_scores(scores, higher_is_better=True)
    counts = RNG.multinomial(200, np.ones(200) / 200, size=20)
    ra.analysis.resample_kemeny(profile, counts[:1])
    results = benchmark.pedantic(ra.analysis.resample_kemeny, args=(profile, counts), rounds=2)
    assert {one.certificate.status for one in results} == {"optimal"}
    # A matrix per ranking would be 100 times the input.
    assert peak(ra.analysis.resample_kemeny, profile, counts[:2]) < 40 * profile.ranks.nbytes
