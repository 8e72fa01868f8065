"""Positional rules against points over all compatible permutations."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests.aggregation.voting import slow
from tests.rules import falling
from tests.strategies import policies, profiles

few = settings(max_examples=25, deadline=None)

WEIGHTS = {
    "plurality": slow.first,
    "veto": slow.not_last,
    "borda": lambda n: list(range(n - 1, -1, -1)),
    "dowdall": lambda n: [Fraction(1, place + 1) for place in range(n)],
}


def ranks_of(points):
    return [sum(other > own for other in points) for own in points]


@few
@given(profile=profiles(max_size=4, max_rows=3), policy=policies)
def test_points_are_means_over_compatible_permutations(profile, policy) -> None:
    rules = {
        "plurality": ra.Plurality(), "veto": ra.Veto(), "dowdall": ra.Dowdall(),
        "borda": ra.Positional(falling),
    }  # fmt: skip
    data = profile.with_unranked(policy)
    for name, rule in rules.items():
        expected = list(slow.place_points(profile, policy, WEIGHTS[name]).values())
        consensus = rule.aggregate(data)
        assert consensus.scores.tolist() == [float(number) for number in expected]
        assert consensus.ranking.ranks.tolist() == ranks_of(expected)


@few
@given(profile=profiles(max_size=4, max_rows=3), policy=policies)
def test_approval_is_a_share_of_the_first_places(profile, policy) -> None:
    data = profile.with_unranked(policy)
    for k in (1, 2, 3):
        rule = ra.Approval(k)
        given_to = [lambda n, k=k: [int(place < k) for place in range(n)]]
        expected = list(slow.place_points(profile, policy, given_to[0]).values())
        consensus = rule.aggregate(data)
        assert consensus.scores.tolist() == [float(number) for number in expected]
        if k >= profile.n_items and policy != "ignore":
            assert len(consensus.buckets) == 1
            assert "count alike" in consensus.notes[0]


def test_points_are_summed_without_rounding() -> None:
    """Ten times a tenth is one, and a difference that no float has still ranks."""
    ballots = ra.Profile.from_orders(["AB"] * 10 + ["BA"], weights=[0.1] * 10 + [1.0])
    assert ra.Plurality().aggregate(ballots).buckets == (("A", "B"),)
    ballots = ra.Profile.from_orders(["AB", "BA"], weights=[1e17, 1e17 + 16])
    consensus = ra.Positional([3, 1]).aggregate(ballots)
    assert consensus.order == ("B", "A")


def test_many_items_of_which_some_are_unranked() -> None:
    """The chance of first place of 59 ranked ones among 60, in closed form."""
    order = list(range(59))
    ballots = ra.Profile.from_orders([order], items=range(60))
    scores = ra.Plurality().aggregate(ballots).scores
    assert scores[0] == 59 / 60
    assert scores[59] == 1 / 60
    assert not scores[1:59].any()


BALLOTS = ra.Profile.from_orders(["AB", "A"], items="AB")
REFUSED = [
    *((lambda x=x: ra.Positional(x), "weights of Positional")
      for x in ([1, 2], [], "condorcet", b"10", {1, 0}, 3, [1, float("nan")], [1, None],
                [1e200, 0])),
    (lambda: ra.Positional([2, 1, 0]).aggregate(BALLOTS), "must be 2 numbers"),
    (lambda: ra.Positional([1, 0]).aggregate(BALLOTS.with_unranked("ignore")), "must be 1 number,"),
    (lambda: ra.Positional(lambda n: list(range(n))).aggregate(BALLOTS), "never rise"),
    *((lambda x=x: ra.Approval(x), "k of Approval") for x in (0, -1, 1.5, True, "2", None)),
    (lambda: ra.Plurality().aggregate(BALLOTS.pairwise()), "Plurality needs rankings"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_is_refused(call, words) -> None:
    with pytest.raises((InvalidInputError, InformationLostError), match=words):
        call()
