"""The unit of the weights changes no estimate, with penalties either."""

import numpy as np
import pytest

import rankagg as ra

RNG = np.random.default_rng(0)
FIRST = RNG.integers(0, 4, 200)
SECOND = (FIRST + RNG.integers(1, 4, 200)) % 4
WEIGHTS, WON = RNG.uniform(0.5, 2, 200), RNG.choice([1, 1, 0, -1], 200)
RANKS = np.argsort(RNG.random((30, 4)), axis=1) + 1


def battles(unit):
    options = {"weights": unit * WEIGHTS, "clusters": FIRST}
    return ra.Comparisons("ABCD", FIRST, SECOND, WON, **options)


def rankings(unit):
    return ra.Profile.from_ranks(RANKS, items="ABCD", weights=unit * WEIGHTS[:30])


@pytest.mark.parametrize(
    ("estimate", "data"),
    [
        (lambda x: ra.BradleyTerry.fit(x, pseudo_rankings=0.5).elo(), battles),
        (lambda x: ra.BradleyTerry.fit(x, ridge=0.3, cov_type="model").to_frame(), battles),
        (lambda x: ra.BradleyTerry.fit(x, judges=True, ridge=0.1).to_frame(), battles),
        (lambda x: ra.PlackettLuce.fit(x, ridge=0.3).to_frame(), rankings),
        (lambda x: ra.PlackettLuce.fit(x, pseudo_rankings=0.5).to_frame(), rankings),
    ],
)
def test_the_unit_of_weights_changes_nothing(estimate, data):
    for unit in (1e-3, 50.0):
        changed, plain = np.array(estimate(data(unit))), np.array(estimate(data(1.0)))
        assert changed == pytest.approx(plain, rel=1e-6, abs=1e-8, nan_ok=True)


def test_equal_weights_are_no_weights():
    alone = ra.Comparisons("ABCD", FIRST, SECOND, WON)
    weighted = ra.Comparisons("ABCD", FIRST, SECOND, WON, weights=np.full(200, 0.01))
    for options in ({"pseudo_rankings": 0.5}, {"ridge": 2.0}):
        fits = [ra.BradleyTerry.fit(x, **options).log_worths for x in (alone, weighted)]
        assert fits[0] == pytest.approx(fits[1], abs=1e-9)


def test_a_ranking_of_nothing_is_no_observation():
    blank = ra.Profile.from_orders(["ABC", "CBA", "BAC", ""])
    fits = [ra.PlackettLuce.fit(profile) for profile in (blank, blank[:3])]
    assert fits[0].n_observations == fits[1].n_observations == 3
    assert fits[0].bic == pytest.approx(fits[1].bic)
    assert fits[0].test_equal_worths().pvalue == pytest.approx(fits[1].test_equal_worths().pvalue)
