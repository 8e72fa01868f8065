"""Speed of common tasks: pytest -o addopts='' tests/benchmarks

Nothing here fails for being slow; the figures are there to be read and compared within one run.
"""

import subprocess
import sys

import numpy as np
import pytest

import rankagg as ra


@pytest.mark.parametrize(
    "args",
    [["-c", "import numpy"], ["-m", "rankagg", "--help"], ["-m", "rankagg", "rank", "--help"]],
)
def test_commands_start(benchmark, args: list[str]) -> None:
    done = benchmark(subprocess.run, [sys.executable, *args], capture_output=True, check=True)
    assert not done.stderr


def test_glue_is_resampled_a_thousand_times(benchmark, data) -> None:
    profile = ra.read_scores(data("tasks/glue.csv"), higher_is_better=True).rankings()
    m = len(profile)
    counts = np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=1000)
    results = benchmark.pedantic(ra.analysis.resample_kemeny, args=(profile, counts), rounds=1)
    assert all(result.is_proved for result in results)
    some = [ra.Kemeny().aggregate(result.pairwise).cost for result in results[:100]]
    assert some == [result.cost for result in results[:100]]
