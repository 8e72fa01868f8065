"""Coombs, Baldwin and Nanson counted round by round, as instant runoff is."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation.voting import elimination, transfers
from rankagg.exceptions import InformationLostError, InvalidInputError, TiedRankingError
from tests.aggregation.voting import slow, slow_counts
from tests.aggregation.voting.test_transfers import papers, profile_of, sheets_of
from tests.strategies import policies, profiles

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
def test_a_count_gives_the_order_of_the_rule(profile, rule):
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


def test_many_candidates_and_a_single_one_are_counted():
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
    # The rule continues among B and C.
    assert (count.order, count.margin) == (("A", "B", "C"), None)
    assert "B        0         not elected" in count.summary()


def test_the_counted_unit_is_named_in_every_output():
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


def test_ties_are_noted_as_by_instant_runoff():
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


# -- orders of the rules --------------------------------------------------------------------------

few = settings(max_examples=15, deadline=None)


def most_lasts(profile):
    def decide(inside):
        for item in inside:
            if has_majority(profile, inside, item):
                return [item], True
        return slow.least(slow.points_inside(profile, "last", slow.not_last, inside))

    return decide


def has_majority(profile, inside, item):
    """More than half of what the ballots give."""
    won = whole = 0
    for row, size in slow.ballots(profile, "last"):
        orders = slow.compatible(row, inside)
        won += size * sum(order[0] == item for order in orders) / len(orders)
        whole += size
    return won > whole / 2


def lowest_borda(profile):
    wins = profile.with_unranked("last").pairwise().scaled_wins.astype(object)

    def decide(inside):
        return slow.least({i: sum(wins[i, j] - wins[j, i] for j in inside) for i in inside})

    return decide


def check(rule, decide, profile):
    n = profile.n_items
    expected = slow.all_outcomes(n, decide)
    found = {tuple(int(i) for i in np.argsort(one.ranks)) for one in rule.outcomes(profile)}
    assert found == expected
    for way in ("together", "order"):
        consensus = replace(rule, tie_breaking=way).aggregate(profile)
        assert consensus.ranking.ranks.tolist() == slow.ends(decide, n, way)
    best = [min(order.index(i) for order in expected) for i in range(n)]
    parallel = replace(rule, tie_breaking="parallel").aggregate(profile)
    assert parallel.ranking.ranks.tolist() == [sum(o < b for o in best) for b in best]
    tied = [note for note in rule.aggregate(profile).notes if " tie " in note]
    if tied:
        with pytest.raises(TiedRankingError, match="breaks no tie"):
            replace(rule, tie_breaking="refuse").aggregate(profile)
    else:
        assert len(expected) == 1
        assert replace(rule, tie_breaking="refuse").aggregate(profile).ranking == parallel.ranking


ELIMINATIONS = {
    "instant runoff": (
        ra.InstantRunoff(),
        lambda profile: lambda inside: slow.least(
            slow.points_inside(profile, "last", slow.first, inside)
        ),
    ),
    "coombs": (ra.Coombs(), most_lasts),
    "baldwin": (ra.Baldwin(), lowest_borda),
}  # fmt: skip


@pytest.mark.parametrize("name", ELIMINATIONS)
@few
@given(profile=profiles(max_size=4, max_rows=3), policy=policies)
def test_eliminations_follow_their_definition(name, profile, policy) -> None:
    rule, decide = ELIMINATIONS[name]
    check(rule, decide(profile), profile.with_unranked(policy))


@few
@given(profile=profiles(max_size=5), policy=policies)
def test_nanson_follows_its_definition(profile, policy) -> None:
    wins = profile.with_unranked("last").pairwise().scaled_wins.astype(object)
    inside, key = list(range(profile.n_items)), {}
    for stage in range(profile.n_items + 1):
        counts = {i: sum(wins[i, j] - wins[j, i] for j in inside) for i in inside}
        key |= {i: (stage, count) for i, count in counts.items() if count <= 0}
        inside = [i for i, count in counts.items() if count > 0]
    ranks = [sum(key[j] > key[i] for j in key) for i in range(profile.n_items)]
    consensus = ra.Nanson().aggregate(profile.with_unranked(policy))
    assert consensus.ranking.ranks.tolist() == ranks


@few
@given(profile=profiles(max_size=5), policy=policies)
def test_black_follows_its_definition(profile, policy) -> None:
    data = profile.with_unranked(policy)
    wins = data.pairwise().scaled_wins
    n = profile.n_items
    winners = [i for i in range(n) if all(wins[i, j] > wins[j, i] for j in range(n) if j != i)]
    points = ra.Borda().aggregate(data).ranking.ranks.tolist()
    key = [(i not in winners, rank) for i, rank in enumerate(points)]
    consensus = ra.Black().aggregate(data)
    assert consensus.ranking.ranks.tolist() == [sum(o < k for o in key) for k in key]


def test_too_many_outcomes_are_refused() -> None:
    level = ra.Profile.from_ranks([[0] * 5])
    assert len(ra.InstantRunoff().outcomes(level, limit=120)) == 120
    with pytest.raises(InvalidInputError, match="limit"):
        ra.InstantRunoff().outcomes(level, limit=119)
    level = ra.Profile.from_ranks([[0] * 13])
    with pytest.raises(InvalidInputError, match="5000 sets"):
        ra.InstantRunoff(tie_breaking="parallel").aggregate(level)
    with pytest.raises(InvalidInputError, match="tie_breaking of Coombs"):
        ra.Coombs(tie_breaking="random")


def test_black_ranks_a_condorcet_winner_tied_in_points_first_alone() -> None:
    """A and B have 4 points each, and A beats B by 2 to 1."""
    ballots = ra.Profile.from_orders(["ABC", "BCA"], counts=[2, 1])
    assert ra.Borda().aggregate(ballots).buckets[0] == ("A", "B")
    assert ra.Black().aggregate(ballots).order == ("A", "B", "C")
    many = ra.Profile.from_orders(["AB", "BA"], counts=[10**15 + 1, 10**15])
    assert ra.Black().aggregate(many).order == ("A", "B")  # points are equal up to rounding


def test_winners_by_any_way_of_breaking_ties_share_the_first_place() -> None:
    level = ra.Profile.from_ranks([[0, 0, 0, 0]])
    consensus = ra.InstantRunoff(tie_breaking="parallel").aggregate(level)
    assert consensus.buckets == ((0, 1, 2, 3),)
    assert consensus.notes == ("each wins by some way of breaking ties: 0, 1, 2, 3",)


# -- ties, and how they are broken ----------------------------------------------------------------


@settings(max_examples=40)
@given(profiles(max_size=4, max_rows=4), st.sampled_from([ra.InstantRunoff, ra.Coombs, ra.Baldwin]))
def test_tied_holds_all_winners_over_ways_of_breaking_ties(profile, rule):
    by_order = rule(tie_breaking="order")
    winners = {outcome.order[0] for outcome in by_order.outcomes(profile.with_unranked("last"))}
    tied = set() if len(winners) == 1 else winners
    count = by_order.count(profile)
    assert set(count.tied) == tied
    assert count.is_tied == bool(tied)
    assert (" tied after " in str(count)) == bool(tied)
    for order in permutations(profile.items):
        given_to = rule(tie_breaking="order", tie_order=order)
        elected = given_to.count(profile)
        assert not elected.is_tied
        assert {*elected.elected} <= winners
        consensus = given_to.aggregate(profile)
        assert consensus.order == elected.order
        # The order of the items is an order like any other.
        alike = by_order.aggregate(profile.restrict(list(order)))
        assert alike.order == consensus.order
    drawn = [rule(tie_breaking="lot").count(profile, rng=seed) for seed in range(5)]
    assert {one.elected[0] for one in drawn} <= winners
    assert not any(one.is_tied for one in drawn)
    again = rule(tie_breaking="lot").aggregate(profile, rng=3)
    assert again.order == rule(tie_breaking="lot").count(profile, rng=3).order


def test_ties_below_the_winner_are_noted_in_their_round_only():
    ballots = ra.Profile.from_orders(["A", "B", "C"], counts=[5, 2, 2])
    count = ra.InstantRunoff(tie_breaking="order").count(ballots)
    assert (count.tied, count.is_tied, count.elected) == ((), False, ("A",))
    assert "elects A in 2 rounds\n" in str(count)
    (row,) = [line for line in str(count).splitlines() if line.startswith("C ")]
    assert row.split(None, 3)[3] == "eliminated in round 1, by the order of the data"


def test_too_many_ways_of_breaking_ties_leave_tied_unknown(monkeypatch):
    monkeypatch.setattr(elimination, "MOST_SETS", 2)
    ballots = ra.Profile.from_orders(["A", "B", "C", "D"], counts=[5, 2, 2, 2])
    count = ra.InstantRunoff(tie_breaking="order").count(ballots)
    assert count.tied is None
    assert "elects A in 3 rounds, and other ways of breaking ties may elect others" in str(count)
    monkeypatch.setattr(transfers, "MOST_WAYS", 2)
    assert ra.STV(1, counting="meek").count(ballots).tied is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ra.STV(1, tie_order="AB"), "tie_order of STV` must be candidates, the most"),
        (lambda: ra.Coombs(tie_breaking="order", tie_order=["A", "A"]), "tie_order of Coombs"),
        (lambda: ra.InstantRunoff(tie_order=["A"]), "must be 'order' with a tie_order"),
        (
            lambda: ra.InstantRunoff(tie_breaking="order", tie_order=["A"]).count(
                ra.Profile.from_orders(["AB", "BA"])
            ),
            r"must be an order of all who tie \(A, B\)",
        ),
    ],
)
def test_orders_that_break_no_tie_are_refused(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()


@pytest.mark.parametrize("rule", [ra.InstantRunoff(), ra.STV(2)], ids=str)
def test_unconnected_panels_are_noted_and_single_choices_are_not(rule):
    votes = ra.Profile.from_orders(["AB", "BA", "C"], counts=[5, 3, 1], items="ABC")
    assert not rule.count(votes.with_unranked("last")).notes
    votes = ra.Profile.from_orders(["AB", "BA", "CD"], counts=[5, 3, 1], items="ABCD")
    notes = rule.count(votes.with_unranked("last")).notes
    assert any(note.startswith("no ranking joins {A, B} and {C, D}") for note in notes)
