"""Worths that are linear in features: a maximum by hand, battles, new items, what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import rankagg as ra
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.conftest import DATA

ACIDS = pd.DataFrame({"acetic": [0.5, 0.5, 1, 0], "gluconic": [0, 10, 0, 10]}, index=list("ABCD"))


def drawn(n=8, k=3, m=400, seed=0):
    """Return features, their effects, and rankings."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, k)), columns=[f"x{at}" for at in range(k)])
    effects = rng.normal(size=k)
    worths = table.to_numpy() @ effects
    profile = ra.PlackettLuce(worths - worths.mean(), items=range(n)).sample(m, rng=seed)
    return table, effects, profile


def height(effects, table, orders):
    """Return the log likelihood, choice by choice."""
    worths, total = table @ effects, 0.0
    for order in orders:
        for at in range(len(order) - 1):
            left = worths[order[at:]]
            total += left[0] - np.log(np.exp(left).sum())
    return total


def test_the_maximum_is_that_of_the_likelihood_by_hand():
    table, _, profile = drawn(5, 2, 60)
    fit = ra.PlackettLuce.fit(profile, features=table)
    orders = [list(ranking.order) for ranking in profile]
    found = minimize(lambda b: -height(b, table.to_numpy(), orders), np.zeros(2), tol=1e-12)
    np.testing.assert_allclose(fit.estimates, found.x, atol=2e-5)
    assert fit.log_likelihood == pytest.approx(-found.fun, rel=1e-10)
    step, unit = 1e-4, np.eye(2)
    curvature = [
        [
            sum(
                a * b * height(found.x + step * (a * one + b * other), table.to_numpy(), orders)
                for a in (1, -1)
                for b in (1, -1)
            )
            / (4 * step**2)
            for one in unit
        ]
        for other in unit
    ]
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(-np.array(curvature)), rtol=1e-4)


def test_salad_dressings():
    path = DATA / "rankings" / "salad_ranks.csv"
    if not path.exists():
        pytest.skip("data/rankings/salad_ranks.csv is not there")
    ranks = pd.read_csv(path)[list("ABCD")].to_numpy() - 1
    profile = ra.Profile.from_ranks(ranks, items="ABCD")
    single = ra.PlackettLuce.fit(profile)
    assert single.relative_to("A")["estimate"].round(3).tolist() == [0.0, 2.73, 1.562, 1.027]
    fit = ra.PlackettLuce.fit(profile, features=ACIDS, formula="~ acetic + gluconic")
    assert fit.estimates.round(5).tolist() == [3.27405, 0.27389]
    assert fit.standard_errors.round(4).tolist() == [0.5765, 0.045]
    assert -2 * fit.log_likelihood == pytest.approx(152.904989, abs=1e-6)
    assert -2 * single.log_likelihood == pytest.approx(152.831, abs=1e-3)
    page = (Path(__file__).parents[3] / "docs" / "howto" / "from_r.rst").read_text("utf-8")
    assert "2.730, 1.562 and 1.027" in page
    assert "at 3.27405 and 0.27389, deviance 152.905" in page


def test_effects_are_recovered_and_new_items_predicted():
    table, effects, profile = drawn(20, 5, 3000)
    fit = ra.PlackettLuce.fit(profile, features=table)
    assert np.abs((fit.estimates - effects) / fit.standard_errors).max() < 4
    said = fit.predict(pd.DataFrame(np.eye(5), columns=table.columns, index=list("abcde")))
    true = effects - (table.to_numpy() @ effects).mean()
    assert (np.abs(said["estimate"] - true) < 4 * said["std_err"]).all()
    known = fit.predict(table)["estimate"]
    np.testing.assert_allclose(known, fit.distribution.log_worths, atol=1e-9)


def test_battles_are_choices_of_two():
    table, _, profile = drawn(5, 2, 80)
    rows = [(o[a], o[b]) for o in (r.order for r in profile) for a in range(5) for b in range(a)]
    battles = ra.Comparisons.from_arrays(
        [r[1] for r in rows], [r[0] for r in rows], [1] * len(rows)
    )
    fit = ra.PlackettLuce.fit(battles, features=table.loc[list(battles.items)])
    pairs = ra.Profile.from_orders([(r[1], r[0]) for r in rows], items=range(5))
    # The other items of a pair were not ranked.
    ranks = np.where(pairs.ranks >= 0, pairs.ranks, np.nan)
    same = ra.PlackettLuce.fit(ra.Profile.from_ranks(ranks, items=range(5)), features=table)
    np.testing.assert_allclose(fit.estimates, same.estimates, atol=1e-8)
    assert isinstance(fit.distribution, ra.PlackettLuce)


def test_ties_and_residuals():
    table, effects, _ = drawn(6, 2)
    worths = table.to_numpy() @ effects
    true = ra.PlackettLuce(worths - worths.mean(), items=range(6), log_ties={2: -1.0})
    fit = ra.PlackettLuce.fit(true.sample(1500, rng=0), features=table)
    assert fit.names == ("x0", "x1", "log tie 2")
    assert (np.abs(fit.estimates - np.append(effects, -1.0)) < 4 * fit.standard_errors).all()
    moved = worths + np.array([2.0, 0, 0, 0, 0, -2.0])
    shifted = ra.PlackettLuce(moved - moved.mean(), items=range(6)).sample(800, rng=1)
    with_rest = ra.PlackettLuce.fit(shifted, features=table, ridge=0.5)
    assert (with_rest.residuals.idxmax(), with_rest.residuals.idxmin()) == (0, 5)
    found = with_rest.distribution.log_worths
    np.testing.assert_allclose(found, moved - moved.mean(), atol=0.4)
    assert (with_rest.predict(table)["std_err"] > 2**0.5 - 1e-9).all()


def test_formulas_take_kinds_and_products():
    table, _, profile = drawn(8, 2)
    table["kind"] = list("aabbccab")
    fit = ra.PlackettLuce.fit(profile, features=table, formula="~ x0 * x1 + C(kind)")
    assert fit.names == ("x0", "x1", "C(kind)[T.b]", "C(kind)[T.c]", "x0:x1")
    new = table.iloc[:2].set_axis(["new", "newer"])
    np.testing.assert_allclose(
        fit.predict(new)["estimate"], fit.distribution.log_worths[:2], atol=1e-9
    )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"formula": "~ x0 + zz"}, "zz"),
        ({"formula": "y ~ x0"}, "y"),
        ({"formula": "~ x0 +"}, "Operator"),
        ({"formula": "~ frame"}, "frame"),
        ({"formula": "~ items"}, "items"),
        ({"formula": 3}, "a text such as"),
        ({"ridge": -1.0}, "ridge"),
        ({"pseudo_rankings": 0.5}, "`pseudo_rankings` must be 0 with `features`"),
        ({"features": pd.DataFrame({"x0": [1.0]}, index=[0])}, "one row for each item"),
        ({"features": pd.DataFrame({"x0": ["a"] * 8})}, "finite numbers. Got words in 'x0'"),
        ({"features": pd.DataFrame({"x0": [np.nan, *range(7)]})}, "Got a gap or more in 'x0'"),
        ({"features": pd.DataFrame({"x0": [1.0] * 8})}, "differs between items"),
        ({"features": [1, 2]}, "a DataFrame"),
        ({"data": 3}, "a Profile"),
    ],
)
def test_what_cannot_be_is_said(changes, told):
    table, _, profile = drawn()
    asked = {"data": profile, "features": table} | changes
    with pytest.raises(InvalidInputError, match=told):
        ra.PlackettLuce.fit(**asked)


def test_what_is_not_identified_is_said():
    table, _, profile = drawn()
    with pytest.raises(NotIdentifiedError, match="'again' cannot be told from those of x0"):
        ra.PlackettLuce.fit(profile, features=table.assign(again=2 * table["x0"] + 1))
    sure = ra.Profile.from_orders(["ABC", "ABC"])
    size = pd.DataFrame({"size": [3, 2, 1]}, index=list("ABC"))
    with pytest.raises(NotIdentifiedError, match="it still rises as size grows"):
        ra.PlackettLuce.fit(sure, features=size)
    assert np.isfinite(ra.PlackettLuce.fit(sure, features=size, ridge=1).estimates).all()
