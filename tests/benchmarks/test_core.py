"""Speed of what users wait for: pytest -o addopts='' tests/benchmarks

Nothing here fails for being slow; the figures are there to be read and compared within one run.
"""

import subprocess
import sys

import numpy as np
import pytest

import rankagg as ra

RANKINGS, ITEMS, MISSING = 200_000, 20, 0.1


@pytest.mark.parametrize(
    "args",
    [["-c", "import numpy"], ["-m", "rankagg", "--help"], ["-m", "rankagg", "rank", "--help"]],
)
def test_start(benchmark, args: list[str]) -> None:
    done = benchmark(subprocess.run, [sys.executable, *args], capture_output=True, check=True)
    assert not done.stderr


@pytest.fixture(scope="module")
def profile() -> ra.Profile:
    rng = np.random.default_rng(0)
    scores = rng.random((RANKINGS, ITEMS))
    scores[rng.random(scores.shape) < MISSING] = np.nan
    return ra.Profile.from_scores(scores, higher_is_better=True)


def test_profile_from_scores(benchmark) -> None:
    scores = np.random.default_rng(0).random((RANKINGS, ITEMS))
    result = benchmark(ra.Profile.from_scores, scores, higher_is_better=True)
    assert len(result) == RANKINGS


def test_borda_closed_form(benchmark, profile: ra.Profile) -> None:
    consensus = benchmark(ra.Borda().aggregate, profile)
    expected = profile.total_weight * (ITEMS - 1) * ITEMS / 2
    assert consensus.scores.sum() == pytest.approx(expected)


@pytest.mark.parametrize("unranked", ["uniform", "ignore", "last"])
def test_pairwise_matrix(benchmark, profile: ra.Profile, unranked: str) -> None:
    votes = benchmark(profile.pairwise, unranked)
    borda = ra.Borda(unranked=unranked)
    np.testing.assert_allclose(
        borda.aggregate(votes).scores, borda.aggregate(profile).scores, rtol=1e-9
    )


def test_kendall_distance_of_long_rankings(benchmark) -> None:
    rng = np.random.default_rng(0)
    first, second = (ra.Permutation(rng.permutation(100_000)) for _ in range(2))
    distance = benchmark(ra.kendall_distance, first, second, normalized=True)
    assert distance == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("backend", ["lazy", "naive"])
def test_kemeny_of_nine_noisy_rankings(benchmark, backend: str) -> None:
    # 30 items seen through noise by nine judges: a benchmark table of the usual kind.
    rng = np.random.default_rng(1)
    scores = np.arange(30.0) + rng.normal(scale=8.0, size=(9, 30))
    votes = ra.Profile.from_scores(scores, higher_is_better=True).pairwise()
    rule = ra.Kemeny(backend=backend)
    consensus = benchmark.pedantic(rule.aggregate, args=(votes,), rounds=3, warmup_rounds=1)
    assert consensus.certificate.status == "optimal"


def test_a_thousand_resamples_of_glue(benchmark, data) -> None:
    profile = ra.read_scores(data("tasks/glue.csv"), higher_is_better=True).rankings()
    m = len(profile)
    counts = np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=1000)
    results = benchmark.pedantic(ra.resample_kemeny, args=(profile, counts), rounds=1)
    assert all(result.is_proved for result in results)
    some = [ra.Kemeny().aggregate(result.pairwise).cost for result in results[:100]]
    assert some == [result.cost for result in results[:100]]
