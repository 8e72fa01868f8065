"""Rules that rank by a fitted distribution; the contract of all rules is in `tests.aggregation`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.places import UNRANKED
from rankagg.distributions.ranking_rules import _stationary_shares
from rankagg.exceptions import InvalidInputError
from tests.distributions.mallows_data import profile_of
from tests.strategies import profiles

RULES = (ra.distributions.MallowsRanking(), ra.distributions.PlackettLuceRanking())


# -- Mallows --------------------------------------------------------------------------------------


@given(profile=profiles(ties=False, unranked=False, unlisted=False))
def test_mallows_center_of_complete_rankings_has_the_kemeny_cost(profile):
    consensus = ra.distributions.MallowsRanking().aggregate(profile)
    assert consensus.ranking.is_complete
    assert consensus.ranking.is_strict
    assert consensus.cost == pytest.approx(ra.Kemeny().aggregate(profile).cost, abs=1e-9)
    assert consensus.certificate is None


def test_mallows_ranks_by_the_center_of_the_fit():
    profile = profile_of([[0, 1, 2, UNRANKED], [1, 0, UNRANKED, 2], [0, 0, 2, 3]], "ABCD")
    consensus = ra.distributions.MallowsRanking().aggregate(profile)
    assert consensus.ranking == ra.Mallows.fit(profile).distribution.center
    assert any("local maximum" in note for note in consensus.notes)


def test_mallows_ranking_of_ties_alone_is_strict():
    consensus = ra.distributions.MallowsRanking().aggregate(
        profile_of([[0, 0, 0], [0, 0, 0]], "ABC")
    )
    assert consensus.ranking.is_strict
    assert consensus.cost == 0


# -- Plackett-Luce --------------------------------------------------------------------------------


def test_plackett_luce_ranks_by_the_worths_of_the_fit():
    profile = ra.Profile.from_orders(["BACD", "ABDC", "BDAC", "CBAD"], counts=[3, 2, 1, 1])
    for pseudo in (0.5, 2.0, 0.0):
        consensus = ra.distributions.PlackettLuceRanking(pseudo_rankings=pseudo).aggregate(profile)
        law = ra.PlackettLuce.fit(profile, pseudo_rankings=pseudo).distribution
        np.testing.assert_array_equal(consensus.scores, law.log_worths)
        assert consensus.ranking == law.mode


@pytest.mark.parametrize("pseudo", [-0.1, float("inf"), float("nan"), True, "0.5"])
def test_pseudo_rankings_must_not_be_negative(pseudo):
    with pytest.raises(InvalidInputError, match="`pseudo_rankings of PlackettLuceRanking` must be"):
        ra.distributions.PlackettLuceRanking(pseudo_rankings=pseudo)


# -- both -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize(
    "rows",
    [[[1, UNRANKED, 0, UNRANKED]] * 2, [[UNRANKED, 0, UNRANKED]], [[UNRANKED] * 3], [[0], [0]],
     [[1, 2, 0, 3]]],
    ids=str,
)  # fmt: skip
def test_identical_rankings_are_the_consensus(rule, rows):
    profile = profile_of(rows, "ABCD"[: len(rows[0])])
    assert rule.aggregate(profile).ranking == profile[0]


# -- rank centrality ------------------------------------------------------------------------------


def by_steps(wins):
    """Return log worths as the paper has them: steps with the shares over the largest degree."""
    met = wins + wins.T
    moves = np.divide(wins.T, met, out=np.zeros_like(wins), where=met > 0)
    moves /= (met > 0).sum(axis=1).max()
    moves[np.diag_indices(len(wins))] = 1 - moves.sum(axis=1)
    time = np.linalg.matrix_power(moves, 1 << 20)[0]
    return np.log(time) - np.log(time).mean()


@given(st.integers(2, 7), st.integers(0, 10**6))
def test_shares_of_time_are_stationary(n, seed):
    rates = np.exp(np.random.default_rng(seed).normal(scale=4, size=(n, n)))
    np.fill_diagonal(rates, 0)
    time = _stationary_shares(rates)
    assert (time > 0).all()
    assert time @ rates == pytest.approx(time * rates.sum(axis=1), rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_walk_is_that_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 40, (5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    wins[0, 3] = wins[3, 0] = 0
    votes = ra.PairwiseMatrix.from_wins(wins)
    scores = ra.RankCentrality(pseudo_wins=1e-12).aggregate(votes).scores
    assert scores == pytest.approx(by_steps(wins), abs=1e-8)


def test_unconnected_parts_are_centered_separately():
    wins = np.array([[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 5], [0, 0, 0, 0.0]])
    votes = ra.PairwiseMatrix.from_wins(wins, items="ABCD")
    consensus = ra.RankCentrality(pseudo_wins=1.0).aggregate(votes)
    ratios = np.log([2, 6]) / 2
    assert consensus.scores == pytest.approx([ratios[0], -ratios[0], ratios[1], -ratios[1]])
    with pytest.raises(InvalidInputError, match="`pseudo_wins of RankCentrality` must be"):
        ra.RankCentrality(pseudo_wins=0)
