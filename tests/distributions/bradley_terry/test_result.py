"""What a fit of battles says: differences, ratings, predictions, intransitivity."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.distributions.bradley_terry.intransitivity import _Pairs
from rankagg.distributions.bradley_terry.model import Model
from rankagg.distributions.maximum import newton
from rankagg.exceptions import InvalidInputError
from tests.distributions.battles import MODELS, battles, log_probability


@pytest.fixture(scope="module")
def fit():
    data = battles(400, 4, 3, clusters=np.arange(400) % 12)
    return ra.BradleyTerry.fit(data, ties="davidson", side=True, covariates=["x"])


def test_differences_have_errors_of_their_own(fit):
    pairs = fit.pairs(alpha=0.1)
    assert len(pairs) == 6
    for row in pairs.itertuples():
        i, j = (fit.distribution.items.index(item) for item in (row.first, row.second))
        covariance = fit.covariance
        error = np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        degrees = min(fit.degrees_of_freedom[[i, j]])
        assert row.estimate == pytest.approx(fit.log_worths[i] - fit.log_worths[j])
        assert row.std_err == pytest.approx(error)
        assert row.upper - row.estimate == pytest.approx(error * stats.t.ppf(0.95, degrees))
        assert row.p_value == pytest.approx(2 * stats.t.sf(row.estimate / error, degrees))
        alone = fit.compare(row.first, row.second, alpha=0.1)
        assert alone["lower"] == pytest.approx(row.lower)
        against = fit.relative_to(row.second, alpha=0.1).loc[row.first]
        assert against["upper"] == pytest.approx(row.upper)
    assert (pairs["estimate"] >= 0).all()


def test_all_pairs_together_are_adjusted_by_holm(fit):
    pairs = fit.pairs()
    p = np.sort(pairs["p_value"].to_numpy())
    by_hand = np.minimum(np.maximum.accumulate(p * np.arange(6, 0, -1)), 1.0)
    assert np.sort(pairs["p_holm"].to_numpy()) == pytest.approx(by_hand)


def test_elo_is_a_scale_of_log_worths(fit):
    table = fit.elo(reference="B", rating=1000, points=200)
    assert table.loc["B", "elo"] == 1000
    assert np.isnan(table.loc["B", "std_err"])
    # Odds of ten to one are 200 points apart.
    ten = np.log(10) / 200
    against = fit.compare("A", "B")
    assert (table.loc["A", "elo"] - 1000) * ten == pytest.approx(against["estimate"])
    assert table.loc["A", "std_err"] * ten == pytest.approx(against["std_err"])
    assert table.loc["A", "upper"] == pytest.approx(1000 + against["upper"] / ten)
    mean = fit.elo()
    assert mean["elo"].mean() == pytest.approx(1500)
    assert list(mean.index) == list(np.array(list("ABCD"))[np.argsort(-fit.log_worths)])


@pytest.mark.parametrize("ties", MODELS)
def test_predictions_are_probabilities_of_the_model(ties):
    fit = ra.BradleyTerry.fit(battles(400, 4, 3), ties=ties, side=True, covariates=["x"])
    table = fit.predict("A", "C", side=-1, covariates={"x": 0.5})
    odds = fit.log_worths[0] - fit.log_worths[2] - fit.side + 0.5 * fit.estimates[5]
    for name, outcome in (("first wins", 1), ("second wins", -1), ("tie", 0)):
        if ties != "half" or outcome:
            expected = np.exp(log_probability(ties, odds, fit.tie, outcome))
            assert table.loc[name, "probability"] == pytest.approx(expected)
    assert table["probability"].sum() == pytest.approx(1)
    turned = fit.predict("C", "A", side=1, covariates={"x": -0.5})
    assert turned.to_numpy()[::-1] == pytest.approx(table.to_numpy())


def test_intervals_of_predictions_follow_from_the_covariance(fit):
    table = fit.predict("A", "B", side=1)
    row = np.array([1, -1, 0, 0, 1, 0, 0.0])

    def log_odds(parameters):
        value = np.exp(log_probability("davidson", row @ parameters, parameters[-1], 0))
        return np.log(value / (1 - value))

    slope = np.array(
        [log_odds(fit.estimates + h) - log_odds(fit.estimates - h) for h in 1e-5 * np.eye(7)]
    )
    error = np.sqrt((slope / 2e-5) @ fit.covariance @ (slope / 2e-5))
    radius = stats.t.ppf(0.975, fit.degrees_of_freedom[[0, 1, 4, 6]].min()) * error
    expected = 1 / (1 + np.exp(-log_odds(fit.estimates) - np.array([-radius, radius])))
    assert table.loc["tie", ["lower", "upper"]].to_list() == pytest.approx(expected.tolist())


def test_quasi_variances_give_the_errors_of_differences(fit):
    quasi = fit.quasi_variances()
    assert list(quasi.to_frame().index) == list(fit.comparison_intervals().index)
    for row in fit.pairs().itertuples():
        i, j = (quasi.items.index(item) for item in (row.first, row.second))
        near = np.sqrt(quasi.variances[i] + quasi.variances[j])
        assert near == pytest.approx(row.std_err, rel=quasi.worst_error + 1e-9)
    assert (fit.comparison_intervals()["quasi_se"] > 0).all()


def test_what_stands_beside_worths_is_named(fit):
    assert list(fit.effects().index) == ["side", "x", "log nu"]
    assert fit.effects().loc["side", "factor"] == pytest.approx(np.exp(fit.side))
    text = fit.summary()
    assert "12 clusters" in text
    assert "log nu" in text
    assert "Log worths less that of B." in fit.summary(reference="B")
    assert fit.to_dict()["n_clusters"] == 12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fit: fit.compare("A", "A"), "another item than the first"),
        (lambda fit: fit.predict("A", "A"), "another item than the first"),
        (lambda fit: fit.predict("A", "Z"), "one of the 4 items"),
        (lambda fit: fit.predict("A", "B", side=2), "`side` must be 1 or 0 or -1"),
        (lambda fit: fit.predict("A", "B", covariates={"y": 1}), "among those of the fit ('x')"),
        (lambda fit: fit.elo(points=0), "points"),
        (lambda fit: fit.pairs(alpha=0), "alpha"),
    ],
)
def test_wrong_questions_get_one_sentence(fit, call, message):
    with pytest.raises(InvalidInputError) as error:
        call(fit)
    assert message in str(error.value)


# -- intransitivity -------------------------------------------------------------------------------


def test_rock_paper_scissors_is_intransitive():
    first, second = np.repeat([0, 1, 2], 40), np.repeat([1, 2, 0], 40)
    outcomes = np.tile(np.repeat([1, -1], [34, 6]), 3)
    data = ra.Comparisons(["rock", "scissors", "paper"], first, second, outcomes)
    found = ra.BradleyTerry.fit(data).intransitivity(n_resamples=199, rng=0)
    assert found.n_cycles == found.n_triples == 1
    assert found.p_value == found.cycles_p_value or found.cycles_p_value < 0.5
    assert found.p_value == 1 / 200
    assert found.statistic == pytest.approx(3 * 14**2 / 10)  # 34 of 40 against 20, variance 10
    assert found.to_frame()["expected"].to_numpy() == pytest.approx(20)
    assert found.to_frame()["p_holm"].max() < 1e-4


def test_one_battle_of_each_pair_by_hand():
    data = ra.Comparisons("ABC", np.array([0, 1, 2]), np.array([1, 2, 0]), np.ones(3, dtype=int))
    found = ra.BradleyTerry.fit(data).intransitivity(n_resamples=4000, rng=0)
    # Worths are equal, so eight results are equally likely, and two of them are cycles. What the
    # worths leave free is the cycle: a third of the variance 1/4 of each pair.
    assert found.expected_cycles == pytest.approx(1 / 4, abs=4 * np.sqrt(3 / 16 / 4000))
    assert found.statistic == pytest.approx(3)
    assert found.expected_statistic == pytest.approx(1, abs=4 * np.sqrt(4 / 3 / 4000))
    assert np.abs(found.residuals) == pytest.approx(np.sqrt(3))


def test_the_covariance_of_the_model_stands_beside_that_of_clusters(fit):
    data = battles(400, 4, 3, clusters=np.arange(400) % 12)
    by_model = ra.BradleyTerry.fit(
        data, ties="davidson", side=True, covariates=["x"], cov_type="model"
    )
    assert fit.cov_type == "cluster"
    assert fit.model_covariance == pytest.approx(by_model.covariance, rel=1e-9, abs=1e-12)
    assert by_model.model_covariance == pytest.approx(by_model.covariance, rel=1e-9, abs=1e-12)
    assert fit.covariance != pytest.approx(by_model.covariance, rel=0.01)


def test_data_of_the_model_is_transitive():
    data = battles(600, 6, 11)
    fit = ra.BradleyTerry.fit(data, ties="rao-kupper", side=True, covariates=["x"])
    found = fit.intransitivity(n_resamples=199, rng=0)
    assert found.p_value > 0.01
    assert (found.n_triples, found.n_comparisons.sum()) == (20, 600)
    # Points in all are points in all: those of the fit add up to what was observed.
    assert found.to_frame()["comparisons"].sum() == 600


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_draws_are_freed_of_what_estimation_takes_up(ties):
    # To first order, the score of the pairs of a data set at its own maximum.
    fit = ra.BradleyTerry.fit(battles(20_000, 4, 2, covariate=False), ties=ties, side=True)
    at = _Pairs(Model(fit._contests, ties), fit.estimates)
    results = at.sample(1, np.random.default_rng(3))[0]
    drawn = fit._contests
    drawn = dataclasses.replace(drawn, results=results, squares=results)
    own = newton(Model(drawn, ties), 1e-10)
    _, freed = at.of(results[None])
    refitted = _Pairs(Model(drawn, ties), own.parameters)
    _, scores = refitted.of(results[None])
    assert freed[0] / np.sqrt(at.variance) == pytest.approx(
        scores[0] / np.sqrt(refitted.variance), abs=0.05
    )


@pytest.mark.slow
def test_the_test_of_intransitivity_holds_its_level():
    p_values = []
    for seed in range(400):
        data = battles(300, 5, seed)
        fit = ra.BradleyTerry.fit(data, ties="davidson", side=True, covariates=["x"])
        p_values.append(fit.intransitivity(n_resamples=99, rng=seed).p_value)
    shares = [np.mean(np.array(p_values) <= level) for level in (0.05, 0.2, 0.5)]
    assert shares == pytest.approx([0.05, 0.2, 0.5], abs=0.06)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_without_a_model_nothing_can_be_drawn():
    with pytest.raises(InvalidInputError, match="half a win has none for ties"):
        ra.BradleyTerry.fit(battles(90, 3, 1)).intransitivity()
    weighted = battles(90, 3, 1, weights=np.full(90, 2.0))
    with pytest.raises(InvalidInputError, match="Weights are no counts"):
        ra.BradleyTerry.fit(weighted, ties="davidson").intransitivity()
