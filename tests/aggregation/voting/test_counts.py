"""Coombs, Baldwin and Nanson counted round by round, as instant runoff is."""

import numpy as np
import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError, TiedRankingError
from tests.aggregation.voting import slow_counts
from tests.aggregation.voting.test_transfers import papers, profile_of, sheets_of
from tests.strategies import profiles

SLOW = {
    ra.Coombs(): (slow_counts.last_places, slow_counts.most, True),
    ra.Baldwin(): (slow_counts.borda_points, slow_counts.fewest, False),
    ra.Nanson(): (slow_counts.borda_points, slow_counts.average_or_less, False),
}
RULES = [*SLOW, ra.InstantRunoff(), ra.Baldwin(tie_breaking="order")]


@pytest.mark.parametrize("rule", SLOW, ids=str)
@settings(max_examples=15)
@given(given_papers=papers)
def test_counts_are_those_of_papers(given_papers, rule):
    n, orders = given_papers
    count = rule.count(profile_of(n, orders))
    elected, sheets = slow_counts.by_rounds(orders, n, *SLOW[rule])
    assert list(count.elected) == elected
    assert sheets_of(count) == sheets


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=8)
@given(profile=profiles(max_size=6))
def test_a_count_comes_to_the_order_of_the_rule(profile, rule):
    count, consensus = rule.count(profile), rule.aggregate(profile)
    assert rule.count(profile.with_unranked("last")).stages == count.stages
    ranks = dict(zip(profile.items, consensus.ranking.ranks.tolist(), strict=True))
    gone = [label for stage in count.stages[::-1] for label in stage.eliminated]
    if isinstance(rule, ra.Nanson):
        gone.sort(key=ranks.get)
    remain = [label for label in count.order if label not in {*count.elected, *gone}]
    assert [ranks[label] for label in (*count.elected, *remain, *gone)] == sorted(ranks.values())
    assert {label for label, rank in ranks.items() if rank == 0} == set(count.elected)
    if consensus.ranking.is_strict:
        assert count.order == consensus.order
    assert not remain or (isinstance(rule, ra.Coombs) and count.margin is None)


def test_many_candidates_and_one():
    orders = np.array([np.random.default_rng(k).permutation(40) for k in range(15)])
    for rule in RULES:
        many = rule.count(ra.Profile.from_orders(orders, items=range(40)))
        assert len(many.order) == 40
        assert len(many.elected) >= 1
        alone = rule.count(ra.Profile.from_orders(["A"]))
        assert (alone.elected, len(alone.stages), alone.margin) == (("A",), 1, None)


def test_a_majority_of_first_places_ends_the_count():
    ballots = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    count = ra.Coombs().count(ballots)
    assert count.elected == ("A",)
    assert count.stages[0].counts == (2, 0, 3)
    assert count.notes == ("round 1: A has 3 of 5 first places",)
    # Among B and C the rule goes on.
    assert (count.order, count.margin) == (("A", "B", "C"), None)
    assert "B        0         not elected" in count.summary()


def test_what_is_counted_has_its_name_everywhere():
    ballots = ra.Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 2, 3])
    for rule, noun, column in (
        (ra.Coombs(), "last place", "last_places"),
        (ra.Nanson(), "point", "points"),
    ):
        count = rule.count(ballots)
        assert count.counted == f"{noun}s"
        assert [*count.to_frame()] == ["round", "candidate", column, "status"]
        assert count.to_dict()["counted"] == count.counted
        assert [*count.to_dict()["rounds"][0]] == [*count.to_frame()]
        assert f"each round counts {noun}s\nmargin of the last round: " in count.summary()
        assert f" {noun}" in count.summary().splitlines()[2]
        assert "vote" not in count.summary()
    # C and B have 4 and 5 of 9 last places in the last round.
    assert ra.Coombs().count(ballots).margin == 9 - 2 * 3


def test_ties_are_said_as_instant_runoff_says_them():
    level = ra.Profile.from_orders(["ABC", "BCA", "CAB"])
    for rule in (ra.InstantRunoff, ra.Coombs, ra.Baldwin):
        together = rule().count(level)
        assert together.elected == ("A", "B", "C")
        assert together.notes == ("round 1: A, B, C tie to the end",)
        assert together.stages[0].tie == "together"
        assert " leaves A, B, C tied after 1 round\n" in together.summary()
        assert set(together._table().outcome[:3]) == {"tied in round 1"}
        assert rule(tie_breaking="order").count(level).stages[0].eliminated == ("C",)
        with pytest.raises(TiedRankingError, match="breaks no tie"):
            rule(tie_breaking="refuse").count(level)
        with pytest.raises(InvalidInputError, match=f"tie_breaking of {rule.__name__}"):
            rule(tie_breaking="parallel").count(level)
    behind = ra.InstantRunoff().count(ra.Profile.from_orders(["ABC", "ACB", "BCA", "CBA"]))
    assert behind.notes == ("round 1: B, C tie and are eliminated together",)
    assert behind.stages[0].tie == "together"
    assert ra.Nanson().count(level).elected == ("A", "B", "C")
    for rule in (ra.Coombs, ra.Baldwin, ra.Nanson):  # of ballots alone
        with pytest.raises(InformationLostError, match=f"{rule.__name__}.count needs rankings"):
            rule().count(level.pairwise())
