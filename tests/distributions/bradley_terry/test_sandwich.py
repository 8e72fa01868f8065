"""Errors by cluster against the jackknife, and how often their intervals hold."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from tests.distributions.battles import MODELS, battles, jackknife

N, SIDE = 6, 0.3
# Of two alike one in five is a tie, by Davidson's model and by that of Rao and Kupper.
NU = 0.5
WORTHS = np.linspace(0.8, -0.8, N)
TASTE = {"independent": 0.0, "judges": 0.7, "unequal": 0.7, "rare": 0.7}
OUTCOMES = np.array([1, 0, -1])


def chances(odds):
    """Return the probabilities of outcomes, shape (..., 3), by Davidson's model."""
    even = np.full_like(odds, NU)
    weights = np.stack([np.exp(odds / 2), even, np.exp(-odds / 2)], axis=-1)
    return weights / weights.sum(axis=-1, keepdims=True)


def drawn(kind, n_clusters, rng):
    """Return battles of judges."""
    sizes = np.full(n_clusters, 60)
    if kind == "unequal":
        sizes = np.maximum(rng.lognormal(np.log(40), 1, n_clusters), 3).astype(int)
    judge = np.repeat(np.arange(n_clusters), sizes)
    first = rng.integers(0, N, len(judge))
    second = (first + rng.integers(1, N, len(judge))) % N
    if kind == "rare":
        # A quarter of the judges see the first item, three at least.
        kept = (judge < max(n_clusters // 4, 3)) | ((first > 0) & (second > 0))
        judge, first, second = judge[kept], first[kept], second[kept]
    taste = rng.normal(size=(n_clusters, N), scale=TASTE[kind])
    own_side = rng.normal(size=n_clusters, scale=TASTE[kind] / 2)
    worths = WORTHS + taste[judge]
    rows = np.arange(len(judge))
    odds = worths[rows, first] - worths[rows, second] + SIDE + own_side[judge]
    at = (rng.random(len(judge))[:, None] > chances(odds).cumsum(axis=1)).sum(axis=1)
    return ra.Comparisons(range(N), first, second, OUTCOMES[np.minimum(at, 2)], clusters=judge)


@cache
def truth(kind, ties):
    """Return the parameters that infinitely many judges would give."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    first, second = np.nonzero(~np.eye(N, dtype=bool))
    spread = TASTE[kind] * np.sqrt(2.25)  # of two tastes and of that of the side
    odds = (WORTHS[first] - WORTHS[second] + SIDE)[:, None] + spread * nodes
    mean = np.einsum("pko,k->po", chances(odds), weights / weights.sum())
    if kind == "rare":
        mean = mean * np.where((first == 0) | (second == 0), 0.25, 1.0)[:, None]
    data = ra.Comparisons(
        range(N), np.repeat(first, 3), np.repeat(second, 3), np.tile(OUTCOMES, len(first)),
        weights=mean.ravel(),
    )  # fmt: skip
    return ra.BradleyTerry.fit(data, ties=ties, side=True, cov_type="model").estimates


def rates(kind, n_clusters, ties, repetitions, cov_type="cluster"):
    """Return how often intervals miss: of pairs on average, of the worst pair, of the side."""
    rng = np.random.default_rng([n_clusters, len(kind)])
    true = truth(kind, ties)
    missed, used = np.zeros((N, N)), 0
    side = 0
    for _ in range(repetitions):
        try:
            fit = ra.BradleyTerry.fit(
                drawn(kind, n_clusters, rng), ties=ties, side=True, cov_type=cov_type
            )
        except ra.exceptions.RankaggError:
            continue
        used += 1
        # The intervals of `pairs`, without the time that tables take.
        spread = np.diag(fit.covariance)[:N, None] - fit.covariance[:N, :N]
        degrees = fit.degrees_of_freedom[:N]
        quantiles = stats.t.ppf(0.975, np.minimum(degrees[:, None], degrees))
        radius = np.where(np.isinf(degrees).any(), 1.96, quantiles) * np.sqrt(spread + spread.T)
        gap = fit.log_worths - true[:N]
        missed += np.abs(gap[:, None] - gap) > radius
        low, high = fit.conf_int().iloc[N]
        side += not low <= true[N] <= high
    pairs = missed[np.triu_indices(N, 1)] / used
    return pairs.mean(), pairs.max(), side / used, used


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.parametrize("kind", TASTE)
@pytest.mark.parametrize("n_clusters", [4, 8, 20, 50])
def test_intervals_by_cluster_miss_in_one_of_twenty(kind, n_clusters, ties):
    mean, worst, side, used = rates(kind, n_clusters, ties, 400)
    assert used >= 390
    assert mean <= 0.07
    # Three standard errors of one share of 400 above 7 %.
    assert max(worst, side) <= 0.11


def test_the_truth_of_independent_judges_is_what_is_drawn_from():
    found = truth("independent", "davidson")
    assert found[:N] == pytest.approx(WORTHS, abs=1e-6)
    assert found[N:] == pytest.approx([SIDE, np.log(NU)], abs=1e-6)


@pytest.mark.parametrize("ties", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_clusters", [5, 25, 60])
def test_errors_by_cluster_are_the_jackknife_cluster_by_cluster(ties, weighted, n_clusters):
    rng = np.random.default_rng(n_clusters)
    clusters = np.append(rng.integers(0, n_clusters, 120 - n_clusters), np.arange(n_clusters))
    weights = rng.integers(1, 4, 120).astype(float) if weighted else None
    data = battles(120, 4, 3, clusters=clusters, weights=weights)
    fit = ra.BradleyTerry.fit(data, ties=ties, side=True, covariates=["x"])
    _, sandwich = jackknife(data, fit, ties=ties, side=True, covariates=["x"], clusters=clusters)
    assert (fit.cov_type, fit.n_clusters) == ("cluster", n_clusters)
    assert fit.covariance == pytest.approx(sandwich, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("ties", MODELS)
def test_robust_errors_are_those_of_clusters_of_one(ties):
    data = battles(90, 3, 4)
    fit = ra.BradleyTerry.fit(data, ties=ties, side=True, covariates=["x"], cov_type="robust")
    _, sandwich = jackknife(
        data, fit, ties=ties, side=True, covariates=["x"], clusters=np.arange(90)
    )
    assert fit.covariance == pytest.approx(sandwich, rel=1e-4, abs=1e-6)
    alone = battles(90, 3, 4, clusters=np.arange(90))
    by_cluster = ra.BradleyTerry.fit(alone, ties=ties, side=True, covariates=["x"])
    assert by_cluster.covariance == pytest.approx(fit.covariance, rel=1e-9)


def test_errors_by_large_and_small_clusters_agree():
    # Clusters of more parts than parameters take another way than the small ones.
    clusters = np.repeat([0, 1, 2, 3, 4], [100, 100, 60, 30, 10])
    data = battles(300, 4, 6, clusters=clusters)
    fit = ra.BradleyTerry.fit(data, ties="davidson", side=True, covariates=["x"])
    _, sandwich = jackknife(
        data, fit, ties="davidson", side=True, covariates=["x"], clusters=clusters
    )
    assert fit.covariance == pytest.approx(sandwich, rel=1e-4)
