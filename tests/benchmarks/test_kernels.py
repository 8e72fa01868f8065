"""The inner loops beside their peers, and how time grows: pytest -o addopts='' -s tests/benchmarks

Ratios are of processor seconds within one run, the medians of interleaved pairs; above 1 the
library is faster. What fails here is far from what was measured.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pytest
import scipy.stats

import rankagg as ra
from rankagg.kernels import backend
from tests.benchmarks.growth import ENTRIES

ROUNDS = 5


def say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")


def seconds(work: Callable[[], Any]) -> float:
    start = process_time()
    work()
    return process_time() - start


def ratio(mine: Callable[[], Any], peer: Callable[[], Any], rounds: int = ROUNDS) -> float:
    mine()
    pairs = [(seconds(peer), seconds(mine)) for _ in range(rounds)]
    return median(theirs / ours for theirs, ours in pairs)


def profile_of(m: int, n: int, missing: float = 0.0, **options: Any) -> ra.Profile:
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 2, n) + rng.normal(size=(m, n)) * 2
    scores[rng.random((m, n)) < missing] = np.nan
    return ra.Profile.from_scores(scores, higher_is_better=True, **options)


def plain_counts(ranks: np.ndarray) -> np.ndarray:
    """Count as one writes it down: every ordered pair, in blocks, gaps by products."""
    n = ranks.shape[1]
    low = np.where(ranks < 0, n, ranks)
    above = np.zeros((n, n), dtype=np.int64)
    for start in range(0, len(low), 5000):
        columns = np.ascontiguousarray(low[start : start + 5000].T)
        for i in range(n):
            above[i] += np.count_nonzero(columns[i] < columns, axis=1)
    there = (ranks >= 0).astype(np.float64)
    return above - (there.T @ (1.0 - there)).astype(np.int64)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(("m", "n"), [(200_000, 20), (10_000, 100)])
def test_counting_beside_a_plain_loop(m, n, missing) -> None:
    profile = profile_of(m, n, missing)
    ranks = profile.ranks
    assert (profile.pairwise("ignore").wins == plain_counts(ranks)).all()
    found = ratio(lambda: profile.pairwise("ignore"), lambda: plain_counts(ranks))
    say(f"counting {m} x {n}, {missing:.0%} missing: {found:.1f} times as fast")
    assert found > (1 if missing else 3)


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000, 1_000_000])
def test_kendall_beside_scipy(n) -> None:
    rng = np.random.default_rng(n)
    first, second = (ra.Permutation(rng.permutation(n)) for _ in range(2))
    peer = lambda: scipy.stats.kendalltau(first.ranks, second.ranks).statistic  # noqa: E731
    assert ra.kendall_tau(first, second) == pytest.approx(peer(), abs=1e-9)
    found = ratio(lambda: ra.kendall_tau(first, second), peer)
    say(f"Kendall's tau of {n}: {found:.2f} times SciPy's speed")
    assert found > 0.2


def test_fit_beside_choix() -> None:
    choix = pytest.importorskip("choix", reason="choix is not installed")
    profile = profile_of(500, 20)
    orders = [list(map(int, row)) for row in np.argsort(profile.ranks, axis=1)]
    found = ratio(
        lambda: ra.PlackettLuce.fit(profile), lambda: choix.opt_rankings(20, orders), rounds=1
    )
    say(f"Plackett-Luce fit: {found:.1f} times choix's speed")
    assert found > 1


def test_schulze_beside_pref_voting() -> None:
    pytest.importorskip("pref_voting", reason="pref_voting is not installed")
    from pref_voting.margin_based_methods import schulze  # noqa: PLC0415
    from pref_voting.profiles import Profile  # noqa: PLC0415

    profile = profile_of(51, 40)
    peer = Profile(np.argsort(profile.ranks, axis=1).tolist())
    found = ratio(lambda: ra.Schulze().aggregate(profile), lambda: schulze(peer), rounds=1)
    say(f"Schulze of 40 items: {found:.1f} times pref_voting's speed")
    assert found > 1


# -- growth -----------------------------------------------------------------------------------

#: Sizes of what `growth` measures, and the exponent that is stated where it is computed.
STATED = {
    "pairwise": ((100, 200, 400, 800), 2),
    "pairwise, in rankings": ((50_000, 200_000, 800_000), 1),
    "Borda, of rankings": ((1_000, 4_000, 16_000), 1),
    "Bucklin": ((500, 1_000, 2_000), 2),
    "kendall_tau": ((10_000, 100_000, 1_000_000), 1),
    "rank_biased_overlap": ((10_000, 100_000, 1_000_000), 1),
    "KwikSort": ((100, 200, 400, 800), 3),
    "RankedPairs": ((100, 200, 400), 3),
    "InsertionSearch": ((100, 200, 400, 800), 3),
    "PlackettLuce.fit": ((80, 160, 320), 2),
}


def near(n: int) -> ra.Profile:
    """Return rankings of items of which none is far ahead, so that all fits take as many steps."""
    scores = np.linspace(0, 1, n) + np.random.default_rng(0).gumbel(size=(50, n))
    return ra.Profile.from_scores(scores, higher_is_better=True)


@pytest.mark.parametrize("name", STATED)
def test_growth(name) -> None:
    entry, (sizes, stated) = ENTRIES[name], STATED[name]
    make = near if name == "PlackettLuce.fit" else entry.make
    entry.call(make(sizes[0]))
    taken = []
    for data in map(make, sizes):
        taken.append(median(seconds(lambda data=data: entry.call(data)) for _ in range(3)))
    found = np.polyfit(np.log(sizes), np.log(taken), 1)[0]
    say(f"{name}: exponent {found:.2f}, stated {stated}")
    # Small sizes are mostly fixed costs, large ones leave the cache.
    assert found < stated + 0.4


def test_compiled_loops_make_no_job_slower(monkeypatch) -> None:
    pytest.importorskip("numba", reason="the extra `fast` is not installed")
    margins = np.random.default_rng(0).integers(-9, 10, (60, 60))
    margins = np.triu(margins, k=1) - np.triu(margins, k=1).T
    script = """
import sys, time, numpy as np
from rankagg.kernels.local_search import Searches
margins = np.load(sys.argv[1])
began = time.process_time()
rng = np.random.default_rng(0)
orders = np.array([rng.permutation(60) for _ in range(8)])
Searches(margins, orders, rng).advance(int(sys.argv[2]))
print(time.process_time() - began)
"""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "margins.npy"), margins)
        for steps in (10_000, 60_000, 120_000, 400_000):
            taken = []
            for runs in ("numpy", "numba"):
                monkeypatch.setenv(backend.VARIABLE, runs)
                call = [sys.executable, "-c", script, f"{folder}/margins.npy", str(steps)]
                told = [float(subprocess.check_output(call, text=True)) for _ in range(3)]
                taken.append(median(told))
            say(f"{steps} steps of 8 searches, NumPy beside the choice: {taken[0] / taken[1]:.2f}")
            assert taken[1] < 1.2 * taken[0]
