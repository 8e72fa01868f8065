"""Fits under six distances: known answers, centers against enumeration, gaps, notes."""

import json
from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.distributions.base import all_places
from rankagg.distributions.mallows.model_distances import DISTANCES
from rankagg.exceptions import InvalidInputError
from tests.conftest import DATA, slow_but

OTHERS = [name for name in DISTANCES if name != "kendall"]
# Of each data set and distance: center, theta, its error and the log likelihood, by enumeration.
KNOWN = {
    ("idea", "footrule"): ("15234", 0.803251, 0.04713, -253.7875),
    ("idea", "spearman"): ("15234", 0.442294, 0.036631, -254.8468),
    ("idea", "hamming"): ("15234", 1.239362, 0.065874, -314.0733),
    ("idea", "kendall"): ("15234", 1.427059, 0.09216, -251.2717),
    ("idea", "cayley"): ("15234", 1.989549, 0.11994, -303.7043),
    ("idea", "ulam"): ("15234", 2.412963, 0.139919, -306.3415),
    ("horror", "footrule"): ("54213", 0.097251, 0.017033, -1999.5841),
    ("horror", "spearman"): ("54213", 0.030303, 0.004977, -1996.6071),
    ("horror", "hamming"): ("54312", 0.19374, 0.044239, -2006.5345),
    ("horror", "cayley"): ("54321", 0.220765, 0.052188, -2006.7554),
    ("horror", "ulam"): ("53214", 0.330114, 0.066768, -2003.5659),
}


@pytest.fixture(scope="module")
def rank_vectors():
    path = DATA / "models" / "ranks.json"
    if not path.exists():
        pytest.skip("data/models/ranks.json is not there")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("data", "name"), KNOWN)
def test_known_answers(data, name, rank_vectors):
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


@pytest.mark.parametrize("name", slow_but(["cayley", "footrule"], OTHERS))
def test_gaps_and_ties_are_sums_over_what_completes_them(name):
    rows = [[0, 1, 2, 3], [0, 0, 2, np.nan], [1, 0, np.nan, np.nan], [0, 2, 1, 3]]
    profile = ra.Profile.from_ranks(rows, items="ABCD", counts=[3, 1, 2, 1])
    mallows = ra.Mallows("ACBD", 0.8, name)
    places = all_places(4)
    known = [
        {tuple(one.ranks.tolist()) for one in row.compatible_permutations()} for row in profile
    ]
    inside = np.array([[tuple(row) in ways for row in places.tolist()] for ways in known])
    chances = np.exp(mallows.log_probs(ra.Profile.from_ranks(places, items="ABCD")))
    np.testing.assert_allclose(mallows.log_probs(profile), np.log(inside @ chances))
    fit = ra.Mallows.fit(profile, distance=name)
    # Of all centers none has a greater likelihood at its own theta, on a grid.
    apart = np.array([DISTANCES[name].of(places[:, np.argsort(center)]) for center in places])
    best = -np.inf
    for theta in np.linspace(0.05, 4, 12):
        weights = np.exp(-theta * apart)
        best = max(best, (np.log(weights @ inside.T / weights[0].sum()) @ profile.counts).max())
    assert fit.log_likelihood >= best - 1e-6
    completed = fit.distribution.complete(profile, rng=0)
    assert completed.is_complete
    assert completed.is_strict


def test_equally_likely_centers_are_said():
    profile = ra.Profile.from_orders(["ABC", "BAC"])
    for name in ("footrule", "hamming", "spearman", "ulam", "cayley"):
        assert any("as likely" in note for note in ra.Mallows.fit(profile, distance=name).notes)


def test_what_has_no_maximum_or_too_many_completions_is_refused():
    with pytest.raises(InvalidInputError, match="do not all agree"):
        ra.Mallows.fit(ra.Profile.from_orders(["ABC", "ABC"]), distance="cayley")
    top = ra.Profile.from_ranks([range(10), [1, 0, *[np.nan] * 8]], items=range(10))
    with pytest.raises(InvalidInputError, match="50,000 completions at most for 'ulam'"):
        ra.Mallows.fit(top, distance="ulam")


def test_a_test_of_uniformity_takes_any_distance():
    profile = ra.Mallows("ABCDE", 0.8, "hamming").sample(60, rng=0)
    fit = ra.Mallows.fit(profile, distance="hamming")
    assert fit.test_uniform(n_resamples=49, rng=0).p_value == pytest.approx(0.02)


def test_a_limit_says_what_was_not_done():
    profile = ra.Mallows(range(40), 0.01, "cayley").sample(100, rng=0)
    with pytest.raises(ra.exceptions.OutOfTimeError, match="centers were still tried"):
        ra.Mallows.fit(profile, distance="ulam", time_limit=0.01)


@pytest.mark.parametrize("name", ["cayley", "ulam"])
def test_a_searched_center_has_no_better_neighbor(name):
    rng = np.random.default_rng(6)
    for _ in range(2):
        ranks = np.array([rng.permutation(9) for _ in range(6)], dtype=np.int32)
        profile = ra.Profile.from_ranks(ranks, counts=rng.integers(1, 4, size=6))
        center = ra.Mallows.fit(profile, distance=name).distribution.center.ranks

        def cost(at, profile=profile):
            distance = getattr(ra.distances, f"{name}_distance")
            one = ra.Permutation.from_ranks(np.asarray(at, dtype=np.int32), items=profile.items)
            return sum(c * distance(r, one) for r, c in zip(profile, profile.counts, strict=True))

        order, least = np.argsort(center).tolist(), cost(center)
        for first, second in permutations(range(9), 2):
            near = [item for item in order if item != order[first]]
            near.insert(second, order[first])
            if name == "cayley":
                near = list(order)
                near[first], near[second] = near[second], near[first]
            assert cost(np.argsort(near)) >= least
