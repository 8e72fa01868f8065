"""Eliminations against a count of compatible permutations in every round."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.exceptions import InvalidInputError, TiedRankingError
from tests.aggregation.voting import slow
from tests.strategies import policies, profiles

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
def test_eliminations(name, profile, policy) -> None:
    rule, decide = ELIMINATIONS[name]
    check(rule, decide(profile), profile.with_unranked(policy))


@few
@given(profile=profiles(max_size=5), policy=policies)
def test_nanson(profile, policy) -> None:
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
def test_black(profile, policy) -> None:
    data = profile.with_unranked(policy)
    wins = data.pairwise().scaled_wins
    n = profile.n_items
    winners = [i for i in range(n) if all(wins[i, j] > wins[j, i] for j in range(n) if j != i)]
    points = ra.Borda().aggregate(data).ranking.ranks.tolist()
    key = [(i not in winners, rank) for i, rank in enumerate(points)]
    consensus = ra.Black().aggregate(data)
    assert consensus.ranking.ranks.tolist() == [sum(o < k for o in key) for k in key]


def test_too_many_outcomes_are_said() -> None:
    level = ra.Profile.from_ranks([[0] * 5])
    assert len(ra.InstantRunoff().outcomes(level, limit=120)) == 120
    with pytest.raises(InvalidInputError, match="limit"):
        ra.InstantRunoff().outcomes(level, limit=119)
    level = ra.Profile.from_ranks([[0] * 13])
    with pytest.raises(InvalidInputError, match="5000 sets"):
        ra.InstantRunoff(tie_breaking="parallel").aggregate(level)
    with pytest.raises(InvalidInputError, match="tie_breaking of Coombs"):
        ra.Coombs(tie_breaking="random")


def test_a_condorcet_winner_level_in_points_stands_alone() -> None:
    """A and B have 4 points each, and A beats B by 2 to 1."""
    ballots = ra.Profile.from_orders(["ABC", "BCA"], counts=[2, 1])
    assert ra.Borda().aggregate(ballots).buckets[0] == ("A", "B")
    assert ra.Black().aggregate(ballots).order == ("A", "B", "C")
    many = ra.Profile.from_orders(["AB", "BA"], counts=[10**15 + 1, 10**15])
    assert ra.Black().aggregate(many).order == ("A", "B")  # points are equal up to rounding


def test_the_best_of_all_ways_is_kept() -> None:
    level = ra.Profile.from_ranks([[0, 0, 0, 0]])
    consensus = ra.InstantRunoff(tie_breaking="parallel").aggregate(level)
    assert consensus.buckets == ((0, 1, 2, 3),)
    assert consensus.notes == ("each wins by some way of breaking ties: 0, 1, 2, 3",)
