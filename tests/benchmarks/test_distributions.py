"""Speed of sampling: pytest -o addopts='' tests/benchmarks/test_distributions.py"""

import numpy as np
import pytest

import rankagg as ra

DRAWS, ITEMS = 1_000_000, 20


@pytest.mark.parametrize("name", ["mallows", "plackett-luce", "generalized-mallows", "uniform"])
def test_a_million_draws(benchmark, name):
    law = {
        "mallows": ra.Mallows(range(ITEMS), 0.3),
        "plackett-luce": ra.PlackettLuce(np.linspace(0, 2, ITEMS)),
        "generalized-mallows": ra.GeneralizedMallows(range(ITEMS), np.full(ITEMS - 1, 0.3)),
        "uniform": ra.Uniform(range(ITEMS)),
    }[name]
    profile = benchmark.pedantic(law.sample, args=(DRAWS,), kwargs={"rng": 0}, rounds=3)
    assert len(profile) == DRAWS
    assert np.bincount(profile.ranks[:, 0], minlength=ITEMS).sum() == DRAWS
