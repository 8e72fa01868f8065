"""Worths from battles against optimizers and other programs."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.conftest import slow_but
from tests.distributions.battles import MODELS, battles, design, jackknife, log_likelihood


def by_optimizer(data, ties, side, covariates):
    """Maximize the written-down log likelihood; the first log worth is held at 0."""
    n, k = data.n_items, data.n_items + side + len(covariates)
    free = k - 1 + (ties != "half")

    def parameters(x):
        return np.concatenate([[0.0], x])

    def loss(x):
        if ties == "rao-kupper" and x[-1] <= 0:
            return np.inf
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


def test_davidson_with_home_advantage_is_a_loglinear_model_of_r():
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


@pytest.mark.parametrize("clustered", [False, True])
def test_the_probit_link_is_that_of_statsmodels(clustered):
    clusters = np.random.default_rng(3).integers(0, 150, 4000)
    data = battles(4000, 4, 8, ties=0.0, clusters=clusters if clustered else None)
    fit = ra.BradleyTerry.fit(data, side=True, covariates=["x"], link="probit")
    rows = design(data, True, ["x"])[:, 1:]
    family = sm.families.Binomial(link=sm.families.links.Probit())
    how = {"cov_type": "cluster", "cov_kwds": {"groups": clusters}} if clustered else {}
    peer = sm.GLM(data.outcomes > 0, rows, family=family).fit(**how)
    against = fit.relative_to("A").iloc[1:]
    assert against["estimate"].to_numpy() == pytest.approx(peer.params, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(peer.llf)
    # Errors there are by the expected information, here by the observed one.
    assert against["std_err"].to_numpy() == pytest.approx(peer.bse, rel=0.02)
    exact = sm.Probit(data.outcomes > 0, rows).fit(disp=0)
    if not clustered:
        assert against["std_err"].to_numpy() == pytest.approx(exact.bse, rel=1e-5)


def test_the_probit_link_gives_the_distribution_of_thurstone():
    data = repeated(TIED, (1, 0, -1))
    fit = ra.BradleyTerry.fit(data, link="probit")
    assert (fit.link, fit.ties, fit.cov_type) == ("probit", "half", "robust")
    assert type(fit.distribution) is ra.distributions.Thurstone
    assert fit.distribution.locations == pytest.approx(fit.estimates)
    chance = stats.norm.cdf(fit.compare("A", "C")["estimate"])
    assert fit.predict("A", "C").loc["first wins", "probability"] == pytest.approx(chance)
    assert fit.distribution.pairwise_probabilities()[0, 2] == pytest.approx(chance)
    bounds = stats.norm.cdf(fit.compare("A", "C")[["lower", "upper"]].astype(float))
    shown = fit.predict("A", "C").loc["first wins", ["lower", "upper"]]
    assert shown.to_numpy() == pytest.approx(bounds, abs=0.01)
    assert fit.to_dict()["link"] == "probit"
    assert any("case V" in note for note in fit.notes)
    assert ra.distributions.distribution_from_dict(fit.distribution.to_dict()) == fit.distribution
    assert fit.effects().empty
    assert fit.estimates * 1.65 == pytest.approx(ra.BradleyTerry.fit(data).estimates, abs=0.03)
    assert ra.inference.rank_sets(fit, n_resamples=100).unit == "comparison"


def test_what_the_probit_link_has_not_is_refused():
    data = battles(200, 4, 1)
    with pytest.raises(InvalidInputError, match="`ties` must be 'half' or 'ignore' with link"):
        ra.BradleyTerry.fit(data, link="probit", ties="davidson")
    fit = ra.BradleyTerry.fit(data, link="probit")
    with pytest.raises(InvalidInputError, match="`link` must be 'logit' for `elo`"):
        fit.elo()
    with pytest.raises(InvalidInputError, match="half a win has none for ties"):
        fit.intransitivity()
    plain = ra.BradleyTerry.fit(battles(200, 4, 1, ties=0.0), link="probit")
    assert plain.intransitivity(n_resamples=99, rng=0).p_value > 0.01
    lost = ra.Comparisons.from_arrays("ABAB", "BACC", [1, 1, 1, 1])
    with pytest.raises(ra.exceptions.NotIdentifiedError, match="no finite maximum"):
        ra.BradleyTerry.fit(lost, link="probit")


# -- what must not matter -------------------------------------------------------------------------


def test_without_ties_and_extras_it_is_the_fit_of_the_votes():
    data = battles(300, 5, 1, ties=0.0)
    votes = ra.BradleyTerry.fit(data.pairwise())
    for ties in MODELS:
        fit = ra.BradleyTerry.fit(data, ties=ties)
        assert fit.tie is None
        assert fit.estimates == pytest.approx(votes.estimates, abs=1e-7)
        assert fit.covariance == pytest.approx(votes.covariance, abs=1e-9)
        assert fit.aic == pytest.approx(votes.aic)
