"""Completing partial rankings: the distribution of the draws, and what they estimate."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.deadline import NEVER
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.distributions.mallows.center import MallowsData, climb_by_sampling
from rankagg.distributions.mallows.compatible_sums import Completions, expected_votes
from rankagg.exceptions import InvalidInputError, ItemMismatchError

N, L = UNRANKED, UNLISTED
DRAWS = 10_000
LAWS = [
    ra.Uniform(range(4)),
    ra.Mallows([2, 0, 1, 3], 0.8),
    ra.Mallows(range(4), 0.0),
    ra.PlackettLuce([1.0, 0.0, -0.5, 0.3]),
]
ROWS = [[0, N, 1, N], [0, L, L, N], [N, 0, N, N], [N, N, N, N], [L, L, 0, 1]]
TIED = [[0, 0, 2, N], [0, 1, 1, 1], [N, 0, 0, 0]]


def frequencies(law, row):
    copies = ra.Profile([ra.PartialRanking(row, law.items)] * DRAWS)
    drawn = law.complete(copies, rng=1).compress()
    return dict(zip(map(tuple, drawn.ranks.tolist()), drawn.counts / DRAWS, strict=True))


def assert_law(law, row):
    found = frequencies(law, row)
    partial = ra.PartialRanking(row, law.items)
    compatible = {tuple(p.ranks.tolist()): law.prob(p) for p in partial.compatible_permutations()}
    total = sum(compatible.values())
    assert set(found) <= set(compatible)
    for places, weight in compatible.items():
        chance = weight / total
        error = np.sqrt(chance * (1 - chance) / DRAWS)
        assert abs(found.get(places, 0.0) - chance) < 4.5 * error + 1e-12


@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_completions_are_drawn_in_proportion_to_their_probability(law, row):
    assert_law(law, row)


@pytest.mark.parametrize("row", TIED, ids=str)
@pytest.mark.parametrize("law", LAWS[:3], ids=repr)
def test_ties_are_broken_in_proportion_to_probability(law, row):
    assert_law(law, row)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_complete_strict_rankings_stay(law):
    profile = ra.Profile.from_orders([[0, 1, 2, 3], [3, 1]], items=range(4), counts=[5, 2])
    done = law.complete(profile, rng=0)
    assert done[0] == profile[0]
    assert done.is_complete
    assert done.is_strict
    assert done.counts.tolist() == [5, 2]
    assert law.complete(profile, rng=0) == done


def test_ties_have_no_completion_without_a_chance():
    tied = ra.Profile.from_ranks([[0, 0, 2, 3]])
    for law in (LAWS[3], ra.PlackettLuce(np.zeros(4), log_ties={2: 0.0})):
        with pytest.raises(InvalidInputError, match="free of ties"):
            law.complete(tied, rng=0)


def test_a_law_without_completions_says_which_have_them():
    law = ra.GeneralizedMallows(range(3), [1.0, 0.5])
    with pytest.raises(InvalidInputError, match="Uniform, Mallows and PlackettLuce"):
        law.complete(ra.Profile.from_orders([[0, 1]], items=range(3)))


def test_other_items_are_refused():
    with pytest.raises(ItemMismatchError):
        LAWS[0].complete(ra.Profile.from_orders(["AB"], items="ABC"))


def test_imputation_from_a_model_knows_who_is_good():
    orders = ["ABCD"] * 12 + ["ABDC"] * 6 + ["BCD"] * 9
    profile = ra.Profile.from_orders(orders, items="ABCD")
    model = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5).distribution
    uniform = ra.sensitivity(profile, n_samples=100, rng=0).top(1)
    informed = ra.sensitivity(profile, n_samples=100, model=model, rng=0).top(1)
    assert informed.loc["A", "share"] == 1.0
    assert uniform.loc["A", "share"] < 1.0
    with pytest.raises(InvalidInputError, match="`model` must be a distribution"):
        ra.sensitivity(profile, model=3)


# -- chains ---------------------------------------------------------------------------------------


def test_votes_of_a_chain_are_those_expected():
    rows = np.array([[0, N, 1, N, 2], [0, 0, N, 3, 2], [0, L, L, L, N], [N, N, N, N, 0]], np.int32)
    chain = Completions(np.repeat(rows, 1000, axis=0), np.random.default_rng(0))
    weights = np.ones(4000)
    seen = np.zeros((5, 5))
    for step in range(60):
        chain.sweep(0.7)
        seen += chain.votes(weights) / 50 * (step >= 10)
    expected = expected_votes(rows, np.full(4, 1000.0), 0.7)
    assert np.abs(seen - expected).max() < 25


def test_a_chain_stays_compatible_and_its_distances_are_kendalls():
    rows = np.array([[0, N, 1, N, 2], [0, 0, N, 3, 2]], np.int32)
    chain = Completions(np.repeat(rows, 50, axis=0), np.random.default_rng(0))
    center = ra.Permutation.identity(range(5))
    for _ in range(5):
        chain.sweep(0.3)
        for row, drawn in zip(np.repeat(rows, 50, axis=0), chain.places, strict=True):
            ranking = ra.Permutation(drawn)
            partial = ra.PartialRanking(row)
            assert ra.kendall_distance(partial, ranking) == 0
        found = [ra.kendall_distance(center, ra.Permutation(drawn)) for drawn in chain.places]
        assert chain.distances().tolist() == found


def sampled_fit():
    rng = np.random.default_rng(2)
    ranks = ra.Mallows(range(6), 0.6).sample(300, rng=rng).ranks.astype(float)
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    profile = ra.Profile.from_ranks(ranks)
    data = MallowsData.of(profile, NEVER)
    return profile, climb_by_sampling(data, None, np.random.default_rng(0))


def test_a_climb_by_sampling_reaches_what_exact_sums_reach():
    profile, sampled = sampled_fit()
    exact = ra.Mallows.fit(profile)
    assert sampled.center == exact.distribution.center
    assert sampled.theta == pytest.approx(exact.distribution.theta, rel=0.01)
    assert sampled.log_likelihood == pytest.approx(exact.log_likelihood, abs=1.5)
    assert sampled.information**-0.5 == pytest.approx(exact.standard_errors[0], rel=0.05)


@pytest.mark.slow
def test_long_gaps_are_sampled_and_said_to_be():
    rng = np.random.default_rng(3)
    ranks = ra.Mallows(range(18), 0.4).sample(40, rng=rng).ranks.astype(float)
    for row in ranks:
        row[rng.choice(18, 15, replace=False)] = np.nan
    profile = ra.Profile.from_ranks(ranks)
    fit = ra.Mallows.fit(profile, rng=0)
    assert any("estimated from drawn completions" in note for note in fit.notes)
    assert fit.distribution.theta == pytest.approx(0.4, abs=4 * fit.standard_errors[0])
    free, given = (fit.conf_int(method=how).loc["theta"] for how in ("inversion", "wald"))
    assert fit.conf_int().loc["theta"].equals(free)
    assert free["lower"] < given["lower"] < given["upper"] < free["upper"]
    with pytest.raises(InvalidInputError, match="'wald' where the likelihood had to be estimated"):
        fit.conf_int(method="profile")


@pytest.mark.slow
def test_a_given_center_and_seed_are_kept_where_sums_are_sampled():
    rng = np.random.default_rng(3)
    ranks = ra.Mallows(range(18), 0.4).sample(30, rng=rng).ranks.astype(float)
    for row in ranks:
        row[rng.choice(18, 15, replace=False)] = np.nan
    profile = ra.Profile.from_ranks(ranks)
    first, second = (ra.Mallows.fit(profile, center=range(18), rng=0) for _ in range(2))
    assert first.distribution.center == ra.Permutation.identity(range(18))
    assert first == second
