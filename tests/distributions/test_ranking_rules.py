"""Rules that rank by a fitted distribution; what all rules promise is in `tests.aggregation`."""

import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import InvalidInputError
from tests.strategies import profiles, quick

RULES = (ra.MallowsRanking(), ra.PlackettLuceRanking())


def profile_of(rows: list[list[int]], items: str) -> ra.Profile:
    return ra.Profile([ra.PartialRanking(row, items) for row in rows])


# -- Mallows --------------------------------------------------------------------------------------


@quick
@given(profile=profiles(ties=False, unranked=False, unlisted=False))
def test_mallows_center_of_complete_rankings_costs_what_kemeny_costs(profile: ra.Profile) -> None:
    consensus = ra.MallowsRanking().aggregate(profile)
    assert consensus.ranking.is_complete
    assert consensus.ranking.is_strict
    assert consensus.cost == pytest.approx(ra.Kemeny().aggregate(profile).cost, abs=1e-9)


def test_mallows_ranks_by_the_center_of_the_fit() -> None:
    profile = profile_of([[0, 1, 2, UNRANKED], [1, 0, UNRANKED, 2], [0, 0, 2, 3]], "ABCD")
    consensus = ra.MallowsRanking().aggregate(profile)
    fit = ra.Mallows.fit(profile)
    assert consensus.ranking == fit.distribution.center
    assert any("local maximum" in note for note in consensus.notes)


def test_mallows_tells_of_other_centers() -> None:
    consensus = ra.MallowsRanking().aggregate(ra.Profile.from_orders(["ABC", "BAC"]))
    assert any("Other centers are as likely" in note for note in consensus.notes)


def test_mallows_ranks_what_all_rankings_agree_on() -> None:
    consensus = ra.MallowsRanking().aggregate(ra.Profile.from_orders(["CAB"] * 3))
    assert consensus.order == ("C", "A", "B")
    cut_off = ra.MallowsRanking().aggregate(profile_of([[UNLISTED, 0, 1, UNLISTED]], "ABCD"))
    assert cut_off.order[:2] == ("B", "C")


def test_mallows_of_nothing_but_ties_is_some_strict_ranking() -> None:
    consensus = ra.MallowsRanking().aggregate(profile_of([[0, 0, 0], [0, 0, 0]], "ABC"))
    assert consensus.ranking.is_strict
    assert consensus.cost == 0


# -- Plackett-Luce --------------------------------------------------------------------------------


def test_plackett_luce_ranks_by_the_worths_of_the_fit() -> None:
    profile = ra.Profile.from_orders(["BACD", "ABDC", "BDAC", "CBAD"], counts=[3, 2, 1, 1])
    for pseudo in (0.5, 2.0, 0.0):
        consensus = ra.PlackettLuceRanking(pseudo_rankings=pseudo).aggregate(profile)
        law = ra.PlackettLuce.fit(profile, pseudo_rankings=pseudo).distribution
        np.testing.assert_array_equal(consensus.scores, law.log_worths)
        assert consensus.ranking == law.mode


def test_plackett_luce_of_a_cycle_ties_all() -> None:
    consensus = ra.PlackettLuceRanking().aggregate(ra.Profile.from_orders(["ABC", "BCA", "CAB"]))
    assert consensus.buckets == (("A", "B", "C"),)


def test_pseudo_rankings_pull_worths_together() -> None:
    profile = ra.Profile.from_orders(["ABC", "ABC", "ACB"])
    ranges = [
        np.ptp(ra.PlackettLuceRanking(pseudo_rankings=pseudo).aggregate(profile).scores)
        for pseudo in (0.1, 0.5, 3.0)
    ]
    assert ranges == sorted(ranges, reverse=True)


@pytest.mark.parametrize("pseudo", [-0.1, float("inf"), float("nan"), True, "0.5"])
def test_pseudo_rankings_must_not_be_negative(pseudo: float) -> None:
    with pytest.raises(InvalidInputError, match="`pseudo_rankings of PlackettLuceRanking` must be"):
        ra.PlackettLuceRanking(pseudo_rankings=pseudo)


def test_plackett_luce_of_nothing_but_ties_ties_all() -> None:
    consensus = ra.PlackettLuceRanking().aggregate(profile_of([[0, 0, 0], [0, 0, 0]], "ABC"))
    assert consensus.buckets == (("A", "B", "C"),)


# -- both -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_items_that_are_never_observed_are_unranked(rule: ra.Aggregator) -> None:
    profile = profile_of([[1, UNRANKED, 0, UNRANKED], [1, UNRANKED, 0, UNRANKED]], "ABCD")
    consensus = rule.aggregate(profile)
    assert consensus.ranking == ra.PartialRanking([1, UNRANKED, 0, UNRANKED], "ABCD")
    assert consensus.items == profile.items


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_one_observed_item_is_first(rule: ra.Aggregator) -> None:
    consensus = rule.aggregate(profile_of([[UNRANKED, 0, UNRANKED]], "ABC"))
    assert consensus.ranking == ra.PartialRanking([UNRANKED, 0, UNRANKED], "ABC")


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_nothing_observed_leaves_all_unranked(rule: ra.Aggregator) -> None:
    consensus = rule.aggregate(profile_of([[UNRANKED] * 3], "ABC"))
    assert consensus.ranking == ra.PartialRanking([UNRANKED] * 3, "ABC")


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_single_item_is_first(rule: ra.Aggregator) -> None:
    consensus = rule.aggregate(ra.Profile.from_orders(["A", "A"]))
    assert consensus.order == ("A",)
    assert consensus.cost == 0


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_one_ranking_is_the_consensus(rule: ra.Aggregator) -> None:
    assert rule.aggregate(ra.Profile.from_orders(["CABD"])).order == tuple("CABD")


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_there_is_no_policy(rule: ra.Aggregator) -> None:
    assert rule.policy is None
    assert rule.needs == "rankings"
