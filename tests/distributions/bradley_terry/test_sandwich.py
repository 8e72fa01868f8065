"""Errors by cluster against the jackknife, and how often their intervals hold."""

import numpy as np
import pytest

import rankagg as ra
from tests.distributions.battles import MODELS, battles, jackknife


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
