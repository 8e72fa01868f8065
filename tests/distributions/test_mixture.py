"""Mixtures against sums over all rankings, a slow climb through all centers, and known values."""

import json
import os
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.distributions import mixture_climb as climb
from rankagg.distributions.mallows.center import MallowsData
from rankagg.exceptions import DataFormatError, InvalidInputError, NotIdentifiedError
from rankagg.testing.distributions import DistributionContract
from tests.conftest import seeds, slow_but

SHARED = Path(os.environ.get("RANKAGG_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(not SHARED.exists(), reason="the data are not here")
TWO = ra.Mixture([ra.Mallows("ABCDE", 1.5), ra.Mallows("EBCDA", 1.0)], [0.6, 0.4])


class TestMixture(DistributionContract):
    distributions = (
        TWO,
        ra.Mixture([ra.Mallows("CAB", 0.0)]),
        ra.Mixture(
            [ra.PlackettLuce([2.0, 0.0, -1.0, 0.0]), ra.distributions.Uniform(range(4))], [0.8, 0.2]
        ),
        ra.Mixture(
            [
                ra.Mallows("ABCDEF", 1.0, "footrule"),
                ra.distributions.Uniform("ABCDEF"),
                ra.PlackettLuce(np.arange(6.0), items="ABCDEF"),
            ],
            [0.125, 0.125, 0.75],
        ),
    )


def rows_of(count, seed, theta=1.0, kind=None):
    """Return rankings of a mixture of 4 items, some with gaps or cut off."""
    rng = np.random.default_rng(seed)
    both = ra.Mixture([ra.Mallows("ABCD", theta), ra.Mallows("DCAB", theta / 2)], [0.6, 0.4])
    ranks = both.sample(count, rng=rng).ranks.copy()
    if kind == "gaps":
        ranks[:, 3] = np.where(rng.random(count) < 0.3, ra.UNRANKED, ranks[:, 3])
        order = np.argsort(np.where(ranks < 0, 9, ranks), axis=1)
        ranks = np.where(ranks < 0, ranks, np.argsort(order, axis=1))
    elif kind == "cut off":
        ranks[ranks >= rng.integers(1, 4, (count, 1))] = ra.UNLISTED
    elif kind == "ties":
        ranks = np.where(rng.random((count, 1)) < 0.5, ranks // 2 * 2, ranks)
    return ra.Profile([ra.PartialRanking(row, "ABCD") for row in ranks])


# -- the distribution -----------------------------------------------------------------------------


def test_memberships_are_by_bayes():
    votes = TWO.sample(20, rng=0)
    chances = np.exp([part.log_probs(votes) for part in TWO.components])
    joint = (np.array(TWO.weights)[:, None] * chances).T
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(TWO.memberships(votes), expected, rtol=1e-12)


def test_complete_draws_by_component():
    cut = ra.Profile([ra.PartialRanking([ra.UNLISTED] * 4 + [0], "ABCDE")] * 4000)
    done = TWO.complete(cut, rng=0)
    assert done.is_complete
    assert (done.ranks[:, 4] == 0).all()
    orders = [["E", *rest] for rest in permutations("ABCD")]
    every = ra.Profile.from_orders(orders, items="ABCDE")
    chances = np.exp(TWO.log_probs(every))
    share = (done.ranks == every.ranks[chances.argmax()]).all(axis=1).mean()
    assert share == pytest.approx(chances.max() / chances.sum(), abs=0.04)


def test_mixtures_are_read_back_and_bad_fields_refused():
    for mixture in TestMixture.distributions:
        assert ra.distributions.distribution_from_dict(mixture.to_dict()) == mixture
    facts = TWO.to_dict()
    parts = facts["components"]
    bad = [
        {**facts, "weights": [0.6, 0.5]},
        {**facts, "weights": [1.0]},
        {**facts, "weights": ["0.6", 0.4]},
        {**facts, "components": [parts[0], {**parts[1], "theta": "1"}]},
        {**facts, "components": [parts[0], ra.distributions.Uniform("ABC").to_dict()]},
        {**facts, "components": {}},
        {**facts, "more": 1},
    ]
    for one in bad:
        with pytest.raises(DataFormatError):
            ra.distributions.distribution_from_dict(one)
    with pytest.raises(DataFormatError, match=r"`components\[1\]`: `theta`"):
        ra.distributions.distribution_from_dict(bad[3])


def test_bad_mixtures_are_refused():
    ties = ra.PlackettLuce([0.0, 1.0], items="AB", log_ties={2: 0.0})
    uniform = ra.distributions.Uniform("AB")
    for parts, weights, message in (
        ([], None, "one or more distributions"),
        (["AB"], None, "one or more distributions"),
        ([ties], None, "without ties"),
        ([uniform, uniform], [0.5, 0.4], "with sum 1"),
        ([uniform, uniform], [1.5, -0.5], "with sum 1"),
        ([uniform, uniform], [float("nan"), 1.0], "with sum 1"),
        ([uniform], [0.5, 0.5], "1 number"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            ra.Mixture(parts, weights)
    with pytest.raises(ra.exceptions.ItemMismatchError):
        ra.Mixture([uniform, ra.distributions.Uniform("BA")])


# -- the climb ------------------------------------------------------------------------------------


def family_of(profile):
    return climb._Family(MallowsData.of(profile, Deadline()), 12.0)


CASES = [None, "cut off", "ties", "gaps"]


@pytest.mark.parametrize("seed", seeds(1, 3))
@pytest.mark.parametrize("kind", slow_but(CASES[1::2], CASES))
def test_no_step_lowers_the_likelihood(kind, seed, monkeypatch):
    monkeypatch.setattr(climb, "CLIMB_STEPS", 1)
    parts = family_of(rows_of(30, seed, kind=kind))
    for noise in (False, True):
        here = climb._begin(parts, 2, np.random.default_rng(seed), noise=noise)
        heights = []
        for _ in range(8):
            here = climb._ascend(parts, here, climb.CLOSE)
            heights.append(here.height)
        assert (np.diff(heights) >= -1e-9).all()
        assert heights[-1] > heights[0]


@pytest.mark.parametrize("kind", [None, "cut off", "ties", "gaps"])
def test_log_probs_of_parts_are_those_of_distributions(kind):
    parts = family_of(rows_of(40, 1, kind=kind))
    part = parts.start(np.random.default_rng(0))
    np.testing.assert_allclose(parts.log_probs(part), part._log_probs(parts.data.ranks), rtol=1e-10)


def slow_mixture(profile, k, start):
    """Climb over all centers, written as it reads; return the log likelihood."""
    ranks = profile.ranks
    every = [np.argsort(order) for order in permutations(range(ranks.shape[1]))]

    def distance(one, other):
        n = len(one)
        return sum((one[i] < one[j]) != (other[i] < other[j]) for i in range(n) for j in range(i))

    table = np.array([[distance(center, row) for row in ranks] for center in every], dtype=float)
    among = np.array([distance(center, every[0]) for center in every], dtype=float)
    thetas = np.linspace(0.0, 12.0, 1201)
    log_z = np.log(np.exp(-thetas[:, None] * among).sum(axis=1))
    centers, at = list(start), [100] * k
    weights = np.full(k, 1.0 / k)
    height = -np.inf
    for _ in range(3000):
        logs = np.stack(
            [np.log(w) - thetas[t] * table[c] - log_z[t]
             for w, t, c in zip(weights, at, centers, strict=True)]
        )  # fmt: skip
        total = np.logaddexp.reduce(logs, axis=0)
        if total.sum() - height < 1e-10:
            break
        height = total.sum()
        shares = np.exp(logs - total)
        weights = shares.mean(axis=1)
        costs = shares @ table.T
        centers = costs.argmin(axis=1)
        means = costs.min(axis=1) / shares.sum(axis=1)
        at = [int((-thetas * mean - log_z).argmax()) for mean in means]
    return height


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_no_fit_from_any_center_has_a_higher_likelihood(seed):
    votes = rows_of(40, seed)
    fit = ra.Mixture.fit(votes, 2, n_starts=4, rng=seed)
    rng = np.random.default_rng(seed)
    slow = max(slow_mixture(votes, 2, rng.integers(0, 24, 2)) for _ in range(4))
    assert fit.log_likelihood >= slow - 1e-3
    assert fit.log_likelihood == pytest.approx(fit.distribution.log_prob(votes), abs=1e-8)


@pytest.mark.parametrize("kind", [None, "cut off", "ties", "gaps"])
def test_one_component_is_the_fit_of_mallows(kind):
    votes = rows_of(60, 5, kind=kind)
    one, alone = ra.Mixture.fit(votes, 1, n_starts=4, rng=0), ra.Mallows.fit(votes)
    assert one.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-5)
    assert one.estimates[1] == pytest.approx(alone.estimates[0], abs=1e-3)
    if kind is None:
        assert one.distribution.components[0].center == alone.distribution.center
        # Scores and curvature agree about as far as the model is right.
        assert one.standard_errors[1] == pytest.approx(alone.standard_errors[0], rel=0.5)


@needs_data
@pytest.mark.parametrize(
    ("k", "n_starts", "value"),
    [
        (1, 1, -1996.1964),
        (2, 2, -1985.759),
        pytest.param(3, 9, -1979.677, marks=pytest.mark.slow),
    ],
)
def test_known_log_likelihoods_are_reached(k, n_starts, value):
    facts = json.loads((SHARED / "models" / "ranks.json").read_text())["horror"]["rank_vectors"]
    rows = [
        ra.Permutation.from_ranks(np.array([int(c) - 1 for c in row]), items="ABCDE")
        for row in facts
    ]
    votes = ra.Profile(rows, counts=list(facts.values()))
    fit = ra.Mixture.fit(votes, k, n_starts=n_starts, rng=0)
    assert fit.log_likelihood >= value - 5e-4
    assert 0 < fit.share_of_best <= 1


def test_components_are_recovered_with_any_number_of_workers():
    votes = TWO.sample(400, rng=3)
    fit = ra.Mixture.fit(votes, 2, n_starts=2, rng=1)
    assert [part.center for part in fit.distribution.components] == [
        part.center for part in TWO.components
    ]
    truth = np.array([0.6, 0.4, 1.5, 1.0])
    assert (np.abs(fit.estimates - truth) < 4 * fit.standard_errors).all()
    with parallel_config("threading"):
        assert ra.Mixture.fit(votes, 2, n_starts=2, rng=1, n_jobs=2) == fit


# -- refusals -------------------------------------------------------------------------------------


def test_only_unidentified_mixtures_are_refused():
    votes = ra.distributions.Uniform(range(5)).sample(100, rng=0)
    with pytest.raises(NotIdentifiedError, match="rankings with 6 possible outcomes"):
        ra.Mixture.fit(votes.restrict(range(3)), 4)
    first = np.where(np.eye(4, dtype=bool), 0, ra.UNLISTED)
    tops = ra.Profile([ra.PartialRanking(row, range(4)) for row in first])
    with pytest.raises(NotIdentifiedError, match=r"5 free parameters .* 4 possible"):
        ra.Mixture.fit(tops, 3)
    assert ra.Mixture.fit(votes.restrict(range(2)), 1, rng=0).n_components == 1


def test_bad_calls_are_refused():
    votes = rows_of(20, 0)
    for parameter, number, options in (
        ("n_components", 0, {}),
        ("max_theta", 2, {"max_theta": 0}),
        ("noise", 2, {"noise": 1}),
        ("n_starts", 2, {"n_starts": 0}),
    ):
        with pytest.raises(InvalidInputError, match=f"`{parameter}`"):
            ra.Mixture.fit(votes, number, **options)
    with pytest.raises(ra.exceptions.OutOfTimeError):
        ra.Mixture.fit(votes, 2, time_limit=1e-9)


# -- how many components --------------------------------------------------------------------------


def compared(votes, numbers, **options):
    models = [(f"{k} groups", partial(ra.Mixture.fit, n_components=k, **options)) for k in numbers]
    return ra.distributions.compare_models(votes, models, n_folds=2, n_resamples=0, rng=0)


def test_the_number_of_components_is_found():
    found = compared(TWO.sample(400, rng=2), [1, 2], n_starts=1, rng=0)
    assert found.models[0] == "2 groups"
    table = found.to_frame()
    assert table["bic"].idxmin() == "2 groups"
    assert (table["log_score"] < table["log_likelihood"] / 400).all()
    fit = ra.Mixture.fit(TWO.sample(400, rng=2), 2, n_starts=1, rng=0)
    shares = fit.memberships().to_numpy()
    assert fit.icl == pytest.approx(fit.bic - 2 * np.sum(shares * np.log(shares)))


def test_a_component_that_is_one_ranking_is_noted():
    others = ra.Mallows("EDCBA", 1.5).sample(40, rng=0)
    votes = ra.Profile.from_orders(["ABCDE"] * 20, items=others.items) + others
    fit = ra.Mixture.fit(votes, 2, n_starts=1, rng=0)
    (note,) = (note for note in fit.notes if "at its bound" in note)
    assert "is one ranking" in note
    assert np.isnan(fit.standard_errors).any()
    assert np.isfinite(fit.standard_errors[:3]).all()


def test_mixtures_are_no_components():
    two = ra.Mixture([ra.Mallows("ABC", 1.0), ra.distributions.Uniform("ABC")])
    with pytest.raises(InvalidInputError, match="no mixtures"):
        ra.Mixture([two, ra.distributions.Uniform("ABC")])
    facts = deep = two.to_dict()
    for _ in range(3000):
        deep = {**facts, "components": [deep, facts["components"][1]]}
    with pytest.raises(DataFormatError, match="no mixture"):
        ra.distributions.distribution_from_dict(deep)
