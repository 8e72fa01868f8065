"""Fits under three distances: known answers, centers against enumeration, notes."""

import json
from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.distributions.mallows.distances import DISTANCES
from rankagg.exceptions import InvalidInputError
from tests.conftest import DATA

OTHERS = [name for name in DISTANCES if name != "kendall"]
# Of each data set and distance: center, theta, its error and the log likelihood, by enumeration.
KNOWN = {
    ("idea", "footrule"): ("15234", 0.803251, 0.04713, -253.7875),
    ("idea", "spearman"): ("15234", 0.442294, 0.036631, -254.8468),
    ("idea", "kendall"): ("15234", 1.427059, 0.09216, -251.2717),
    ("horror", "footrule"): ("54213", 0.097251, 0.017033, -1999.5841),
    ("horror", "spearman"): ("54213", 0.030303, 0.004977, -1996.6071),
}


@pytest.fixture(scope="module")
def rank_vectors():
    path = DATA / "models" / "ranks.json"
    if not path.exists():
        pytest.skip("data/models/ranks.json is not there")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("data", "name"), KNOWN)
def test_fits_reach_known_answers(data, name, rank_vectors):
    rows = {key: times for key, times in rank_vectors[data]["rank_vectors"].items() if times}
    ranks = np.array([[int(digit) - 1 for digit in key] for key in rows])
    profile = ra.Profile.from_ranks(ranks, items=range(5), counts=list(rows.values()))
    fit = ra.Mallows.fit(profile, distance=name)
    center, theta, error, height = KNOWN[data, name]
    assert "".join(str(rank + 1) for rank in fit.distribution.center.ranks) == center
    assert fit.distribution.theta == pytest.approx(theta, abs=1e-6)
    assert fit.standard_errors[0] == pytest.approx(error, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-4)


def least(distance, ranks, weights):
    """Return the least summed distance of all centers."""
    n = ranks.shape[1]
    return min(weights @ distance.of(ranks[:, np.array(order)]) for order in permutations(range(n)))


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("n_profiles", [4, pytest.param(300, marks=pytest.mark.slow)])
def test_centers_are_those_of_enumeration(name, n_profiles):
    rng, distance = np.random.default_rng(7), DISTANCES[name]
    for _ in range(n_profiles):
        n = int(rng.integers(3, 6 if n_profiles < 100 else 8))
        ranks = np.argsort(rng.random((int(rng.integers(2, 12)), n)), axis=1)
        ranks[:2] = np.arange(n), np.arange(n)[::-1]
        weights = rng.integers(1, 5, len(ranks)).astype(float)
        profile = ra.Profile.from_ranks(ranks, items=range(n), counts=weights.astype(int))
        fit = ra.Mallows.fit(profile, distance=name)
        found = weights @ distance.of(ranks[:, np.argsort(fit.distribution.center.ranks)])
        assert found == pytest.approx(least(distance, ranks, weights)), (name, ranks)


def test_equally_likely_centers_are_noted():
    profile = ra.Profile.from_orders(["ABC", "BAC"])
    for name in OTHERS:
        assert any("as likely" in note for note in ra.Mallows.fit(profile, distance=name).notes)


def test_rankings_that_all_agree_are_refused():
    with pytest.raises(InvalidInputError, match="do not all agree"):
        ra.Mallows.fit(ra.Profile.from_orders(["ABC", "ABC"]), distance="footrule")


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("rows", [[[0, 1, 2], [1, 0, np.nan]], [[0, 1, 2], [0, 0, 2]]])
def test_ties_and_gaps_need_the_kendall_distance(name, rows):
    profile = ra.Profile.from_ranks(rows, items="ABC")
    mallows = ra.Mallows("ABC", 1.0, name)
    for ask in (mallows.log_probs, mallows.complete, lambda p: ra.Mallows.fit(p, distance=name)):
        with pytest.raises(InvalidInputError, match="The Kendall distance takes ties and gaps"):
            ask(profile)


def test_a_test_of_uniformity_takes_any_distance():
    profile = ra.Mallows("ABCDE", 0.3, "footrule").sample(60, rng=0)
    fit = ra.Mallows.fit(profile, distance="footrule")
    assert fit.test_uniform(n_resamples=49, rng=0).p_value == pytest.approx(0.02)
