"""Worths from battles against optimizers and other programs."""

import numpy as np
import pytest
from scipy import optimize

import rankagg as ra
from tests.conftest import slow_but
from tests.distributions.battles import MODELS, battles, jackknife, log_likelihood


def by_optimizer(data, ties, side, covariates):
    """Maximize the written-down log likelihood; the first log worth is held at 0."""
    n, k = data.n_items, data.n_items + side + len(covariates)
    free = k - 1 + (ties != "half")

    def parameters(x):
        return np.concatenate([[0.0], x])

    def loss(x):
        return -log_likelihood(data, ties, side, covariates, parameters(x))

    start = np.zeros(free)
    start[-1] = 0.5
    found = optimize.minimize(loss, start, method="Nelder-Mead", options={
        "maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-7, "fatol": 1e-10, "adaptive": True,
    })  # fmt: skip
    best = parameters(found.x)
    best[:n] -= best[:n].mean()
    return best, -found.fun


@pytest.mark.parametrize("ties", MODELS)
@pytest.mark.parametrize("weighted", slow_but([True], [False, True]))
def test_estimates_are_those_of_a_general_optimizer(ties, weighted):
    weights = np.random.default_rng(1).uniform(0.5, 2, 40) if weighted else None
    data = battles(40, 3, 5, weights=weights)
    fit = ra.BradleyTerry.fit(data, ties=ties, side=True, covariates=["x"])
    best, height = by_optimizer(data, ties, True, ["x"])
    assert fit.converged
    assert fit.estimates == pytest.approx(best, abs=2e-4)
    # Of as many comparisons of equal weight as these are worth.
    height *= 1.0 if weights is None else weights.sum() / (weights**2).sum()
    assert fit.log_likelihood == pytest.approx(height, abs=1e-6)
    assert fit.log_likelihood >= height - 1e-9


@pytest.mark.parametrize("ties", MODELS)
def test_errors_by_the_model_are_the_inverse_curvature(ties):
    data = battles(120, 4, 2)
    fit = ra.BradleyTerry.fit(data, ties=ties, side=True, covariates=["x"], cov_type="model")
    inverse, _ = jackknife(
        data, fit, ties=ties, side=True, covariates=["x"], clusters=np.arange(120)
    )
    assert fit.covariance == pytest.approx(inverse, abs=2e-5)


# -- other programs -------------------------------------------------------------------------------

# First, second, wins of the first, wins of the second: drawn once.
HOME = [
    ("A", "B", 7, 3), ("A", "C", 5, 6), ("A", "D", 9, 2), ("B", "A", 2, 3), ("B", "C", 7, 2),
    ("B", "D", 6, 4), ("C", "A", 4, 2), ("C", "B", 4, 4), ("C", "D", 7, 4), ("D", "A", 5, 3),
    ("D", "B", 7, 4), ("D", "C", 5, 2),
]  # fmt: skip
# First, second, wins, ties, losses of the first.
TIED = [
    ("A", "B", 5, 3, 3), ("A", "C", 8, 4, 0), ("A", "D", 6, 2, 0), ("B", "A", 1, 7, 1),
    ("B", "C", 5, 1, 1), ("B", "D", 4, 2, 5), ("C", "A", 3, 3, 6), ("C", "B", 6, 1, 5),
    ("C", "D", 9, 3, 1), ("D", "A", 0, 3, 7), ("D", "B", 1, 3, 2), ("D", "C", 6, 0, 6),
]  # fmt: skip


def repeated(rows, outcomes):
    first, second, found = [], [], []
    for one, other, *numbers in rows:
        for outcome, number in zip(outcomes, numbers, strict=True):
            first += [one] * number
            second += [other] * number
            found += [outcome] * number
    return ra.Comparisons.from_arrays(first, second, found)


def test_home_advantage_is_that_of_bradleyterry2():
    # R 4.2.2, BradleyTerry2 1.1-2: BTm(cbind(w1, w2), home, away, ~ team + at.home).
    fit = ra.BradleyTerry.fit(repeated(HOME, (1, -1)), side=True)
    against = fit.relative_to("A")
    estimates = [-0.109114495407, -0.158860968595, -0.178804142002, 0.539518077648]
    errors = [0.363552138466, 0.358437654190, 0.347979809063, 0.203588299090]
    assert against["estimate"].iloc[1:].to_numpy() == pytest.approx(estimates, abs=1e-9)
    assert against["std_err"].iloc[1:].to_numpy() == pytest.approx(errors, abs=1e-8)
    assert fit.cov_type == "model"


def test_davidson_with_home_advantage_equals_a_loglinear_model_in_r():
    # R 4.2.2: glm(counts ~ contest + worths + home + tie, family = poisson).
    fit = ra.BradleyTerry.fit(repeated(TIED, (1, 0, -1)), side=True, ties="davidson")
    against = fit.relative_to("A")
    expected = [
        (-0.916413856362, 0.415599485965), (-1.252537648677, 0.404731528990),
        (-1.845095034226, 0.447152496232), (0.434359548687, 0.235428776473),
        (-0.203955634642, 0.214306116748),
    ]  # fmt: skip
    shown = against[["estimate", "std_err"]].iloc[1:].to_numpy(dtype=float)
    assert shown == pytest.approx(np.array(expected), abs=1e-9)
    assert fit.log_likelihood == pytest.approx(-121.39613365994, abs=1e-9)


# -- invariances ----------------------------------------------------------------------------------


def test_without_ties_and_extras_the_fit_is_that_of_the_votes():
    data = battles(300, 5, 1, ties=0.0)
    votes = ra.BradleyTerry.fit(data.pairwise())
    for ties in MODELS:
        fit = ra.BradleyTerry.fit(data, ties=ties)
        assert fit.tie is None
        assert fit.estimates == pytest.approx(votes.estimates, abs=1e-7)
        assert fit.covariance == pytest.approx(votes.covariance, abs=1e-9)
        assert fit.aic == pytest.approx(votes.aic)


# -- equal battles put together -------------------------------------------------------------------


@pytest.mark.parametrize("ties", MODELS)
def test_swapping_sides_and_outcomes_changes_no_estimate(ties):
    data = battles(200, 4, 9)
    turned = np.arange(200) % 3 == 0
    mirrored = ra.Comparisons(
        data.items, np.where(turned, data.second, data.first),
        np.where(turned, data.first, data.second), np.where(turned, -1, 1) * data.outcomes,
        sides=np.where(turned, -1, 1) * data.sides,
        covariates={"x": np.where(turned, -1, 1) * data.covariates["x"]},
    )  # fmt: skip
    options = {"ties": ties, "side": True, "covariates": ["x"], "cov_type": "robust"}
    one, other = ra.BradleyTerry.fit(data, **options), ra.BradleyTerry.fit(mirrored, **options)
    assert other.estimates == pytest.approx(one.estimates, abs=1e-9)
    assert other.covariance == pytest.approx(one.covariance, abs=1e-9)


def test_the_unit_of_weights_and_of_covariates_does_not_matter():
    weights = np.random.default_rng(1).uniform(1, 3, 200)
    data = battles(200, 4, 9, weights=weights)
    scaled = ra.Comparisons(
        data.items, data.first, data.second, data.outcomes, sides=data.sides,
        weights=1e-60 * weights, covariates={"x": 1e100 * data.covariates["x"]},
    )  # fmt: skip
    for cov_type in ("model", "robust"):
        options = {"ties": "davidson", "side": True, "covariates": ["x"], "cov_type": cov_type}
        one, other = ra.BradleyTerry.fit(data, **options), ra.BradleyTerry.fit(scaled, **options)
        unit = np.array([1.0] * 5 + [1e100, 1.0])
        assert unit * other.estimates == pytest.approx(one.estimates, abs=1e-7)
        assert unit * other.standard_errors == pytest.approx(one.standard_errors, rel=1e-6)


# -- errors by cluster ----------------------------------------------------------------------------


@pytest.mark.parametrize("ties", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_clusters", [5, 60])
def test_errors_by_cluster_are_the_jackknife_cluster_by_cluster(ties, weighted, n_clusters):
    rng = np.random.default_rng(n_clusters)
    clusters = np.append(rng.integers(0, n_clusters, 120 - n_clusters), np.arange(n_clusters))
    weights = rng.integers(1, 4, 120).astype(float) if weighted else None
    data = battles(120, 4, 3, clusters=clusters, weights=weights)
    fit = ra.BradleyTerry.fit(data, ties=ties, side=True, covariates=["x"])
    _, sandwich = jackknife(data, fit, ties=ties, side=True, covariates=["x"], clusters=clusters)
    assert (fit.cov_type, fit.n_units) == ("cluster", n_clusters)
    assert fit.covariance == pytest.approx(sandwich, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("ties", MODELS)
def test_robust_errors_equal_those_of_clusters_of_size_one(ties):
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


def test_a_large_design_is_summed_as_a_small_one(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 6, 400)
    data = ra.Comparisons(
        range(6),
        first,
        (first + rng.integers(1, 6, 400)) % 6,
        rng.choice([1, 0, -1], 400),
        covariates={"x": rng.normal(size=400)},
        sides=rng.choice([-1, 0, 1], 400),
    )
    options = {"side": True, "covariates": ["x"], "ties": "davidson"}
    dense = ra.BradleyTerry.fit(data, **options)
    monkeypatch.setattr("rankagg.distributions.bradley_terry.contests.MOST_CELLS", 0)
    sparse = ra.BradleyTerry.fit(data, **options)
    assert sparse.estimates == pytest.approx(dense.estimates, abs=1e-9)
    errors = [fit.to_frame()["std_err"].to_numpy() for fit in (dense, sparse)]
    assert errors[1] == pytest.approx(errors[0], abs=1e-9)
