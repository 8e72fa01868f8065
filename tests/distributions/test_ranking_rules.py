"""Rules that rank by a fitted distribution; what all rules promise is in `tests.aggregation`."""

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import InvalidInputError
from tests.distributions.mallows_data import profile_of
from tests.strategies import profiles

RULES = (ra.MallowsRanking(), ra.PlackettLuceRanking())


# -- Mallows --------------------------------------------------------------------------------------


@given(profile=profiles(ties=False, unranked=False, unlisted=False))
def test_mallows_center_of_complete_rankings_costs_what_kemeny_costs(profile):
    consensus = ra.MallowsRanking().aggregate(profile)
    assert consensus.ranking.is_complete
    assert consensus.ranking.is_strict
    assert consensus.cost == pytest.approx(ra.Kemeny().aggregate(profile).cost, abs=1e-9)
    assert consensus.certificate is None


def test_mallows_ranks_by_the_center_of_the_fit():
    profile = profile_of([[0, 1, 2, UNRANKED], [1, 0, UNRANKED, 2], [0, 0, 2, 3]], "ABCD")
    consensus = ra.MallowsRanking().aggregate(profile)
    assert consensus.ranking == ra.Mallows.fit(profile).distribution.center
    assert any("local maximum" in note for note in consensus.notes)


def test_mallows_of_nothing_but_ties_is_some_strict_ranking():
    consensus = ra.MallowsRanking().aggregate(profile_of([[0, 0, 0], [0, 0, 0]], "ABC"))
    assert consensus.ranking.is_strict
    assert consensus.cost == 0


# -- Plackett-Luce --------------------------------------------------------------------------------


def test_plackett_luce_ranks_by_the_worths_of_the_fit():
    profile = ra.Profile.from_orders(["BACD", "ABDC", "BDAC", "CBAD"], counts=[3, 2, 1, 1])
    for pseudo in (0.5, 2.0, 0.0):
        consensus = ra.PlackettLuceRanking(pseudo_rankings=pseudo).aggregate(profile)
        law = ra.PlackettLuce.fit(profile, pseudo_rankings=pseudo).distribution
        np.testing.assert_array_equal(consensus.scores, law.log_worths)
        assert consensus.ranking == law.mode


@pytest.mark.parametrize("pseudo", [-0.1, float("inf"), float("nan"), True, "0.5"])
def test_pseudo_rankings_must_not_be_negative(pseudo):
    with pytest.raises(InvalidInputError, match="`pseudo_rankings of PlackettLuceRanking` must be"):
        ra.PlackettLuceRanking(pseudo_rankings=pseudo)


# -- both -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize(
    "rows",
    [[[1, UNRANKED, 0, UNRANKED]] * 2, [[UNRANKED, 0, UNRANKED]], [[UNRANKED] * 3], [[0], [0]],
     [[1, 2, 0, 3]]],
    ids=str,
)  # fmt: skip
def test_rankings_that_are_all_alike_are_the_consensus(rule, rows):
    profile = profile_of(rows, "ABCD"[: len(rows[0])])
    assert rule.aggregate(profile).ranking == profile[0]
