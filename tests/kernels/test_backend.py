"""Both ways of running give the same, and which one runs is said."""

import sys

import numpy as np
import pytest

import rankagg as ra
from rankagg.kernels import backend
from tests.kernels.rankings_drawn import drawn_ranks


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
