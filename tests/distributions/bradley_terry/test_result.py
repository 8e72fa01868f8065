"""Results of a fit of battles: differences, ratings, predictions."""

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
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
    table = fit.elo(anchor={"B": 1000})
    assert table.loc["B", "elo"] == 1000
    assert np.isnan(table.loc["B", "std_err"])
    # Odds of ten to one are 400 points apart.
    ten = np.log(10) / 400
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


def test_parameters_other_than_worths_are_named(fit):
    assert list(fit.effects().index) == ["side", "x", "log nu"]
    assert fit.effects().loc["side", "factor"] == pytest.approx(np.exp(fit.side))
    text = fit.summary()
    assert "12 clusters" in text
    assert "log nu" in text
    assert "Log worths less that of B." in fit.summary(reference="B")
    assert fit.to_dict()["n_units"] == 12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fit: fit.compare("A", "A"), "another item than the first"),
        (lambda fit: fit.predict("A", "A"), "another item than the first"),
        (lambda fit: fit.predict("A", "Z"), "one of the 4 items"),
        (lambda fit: fit.predict("A", "B", side=2), "`side` must be 1 or 0 or -1"),
        (lambda fit: fit.predict("A", "B", covariates={"y": 1}), "among those of the fit ('x')"),
        (lambda fit: fit.elo(anchor="A"), "a mapping from one item to its rating"),
        (lambda fit: fit.elo(anchor={"A": 1, "B": 2}), "a mapping from one item to its rating"),
        (lambda fit: fit.pairs(alpha=0), "alpha"),
    ],
)
def test_bad_questions_are_refused_in_one_sentence(fit, call, message):
    with pytest.raises(InvalidInputError) as error:
        call(fit)
    assert message in str(error.value)
