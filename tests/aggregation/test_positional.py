"""Borda and Bucklin against sums in fractions, ballot by ballot."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import positional, ranking_points
from rankagg.aggregation.positional import points
from rankagg.aggregation.searches import _footrule_costs
from rankagg.core import UNLISTED, exact, pairwise
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests import oracles, strategies
from tests.aggregation.voting import slow
from tests.rules import falling
from tests.strategies import policies, profiles

any_weights = st.one_of(strategies.weights, st.floats(1e-3, 1e3), st.sampled_from([1e15, 1e-90]))


def exact_weights(profile: ra.Profile) -> list[Fraction]:
    """Every weight as the simple fraction it was written as, or as the float that it is."""
    return [exact.as_fraction(weight) for weight in profile.weights.tolist()]


# -- Borda ----------------------------------------------------------------------------------------


@given(profile=profiles(weights=any_weights), policy=policies)
def test_points_are_exact_and_rounded_once(profile: ra.Profile, policy: str) -> None:
    exact_ones = exact.as_rational(profile.weights).step == 0
    weights = [
        int(count) * (simple if exact_ones else Fraction(float(weight)))
        for count, simple, weight in zip(
            profile.counts, exact_weights(profile), profile.weights, strict=True
        )
    ]
    expected = [float(points) for points in oracles.borda(list(profile), policy, weights)]
    assert ra.Borda().aggregate(profile.with_unranked(policy)).scores.tolist() == expected
    ones = [[float(points) for points in oracles.borda([one], policy, [1])] for one in profile]
    read = profile.with_unranked(policy)
    assert points(read.ranks, ignoring=policy == "ignore") == pytest.approx(np.array(ones))


@given(profile=profiles(), policy=policies)
def test_points_from_votes_equal_those_from_rankings(profile: ra.Profile, policy: str) -> None:
    data, rule = profile.with_unranked(policy), ra.Borda()
    counted = rule.aggregate(data.pairwise()).scores
    assert counted.tolist() == rule.aggregate(data).scores.tolist()


def test_plain_matrix_is_scored_by_wins_less_losses() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 5, 0], [1, 0, 2], [0, 0, 0]], items="ABC")
    assert ra.Borda().aggregate(votes).scores.tolist() == [4, -2, -2]


def test_scores_equal_but_for_rounding_are_tied_with_a_note() -> None:
    # Eight tenths in two ways: the floats for 0.7 and 0.1 are less, in sum, than two for 0.4.
    table = ra.ScoreTable([[0.7, 0.1], [0.4, 0.4]], systems="AB", higher_is_better=True)
    consensus = ra.Mean().aggregate(table)
    assert consensus.scores[0] != consensus.scores[1]
    assert consensus.buckets == (("A", "B"),)
    assert "A = B" in consensus.notes[0]


# -- Bucklin --------------------------------------------------------------------------------------


def bucklin(profile: ra.Profile) -> list[float]:
    weights = [int(c) * w for c, w in zip(profile.counts, exact_weights(profile), strict=True)]
    n, whole = profile.n_items, sum(weights)
    scores = []
    for item in range(n):
        if (profile.ranks[:, item] == ra.UNRANKED).all():
            scores.append(float("nan"))
            continue
        for depth in range(1, n + 1):
            share = Fraction(0)
            for ranking, weight in zip(profile, weights, strict=True):
                mine = ranking.ranks[item]
                if mine == ra.UNRANKED:
                    continue
                bucket = int((ranking.ranks == mine).sum())
                first = int(mine) if mine >= 0 else int((ranking.ranks >= 0).sum())
                share += weight * min(max(Fraction(depth - first, bucket), 0), 1) / whole
            if share > Fraction(1, 2) or depth == n:
                scores.append(n - depth + float(share))
                break
    return scores


@given(profile=profiles())
def test_bucklin_counts_every_share_exactly(profile: ra.Profile) -> None:
    assert np.array_equal(ra.Bucklin().aggregate(profile).scores, bucklin(profile), equal_nan=True)


# -- blocks, order, memory ------------------------------------------------------------------------


@given(profile=profiles(max_rows=6, weights=any_weights), policy=policies, data=st.data())
def test_blocks_and_order_change_no_score(profile, policy, data) -> None:
    order = data.draw(st.permutations(range(len(profile))))
    data, rules = profile.with_unranked(policy), [ra.Borda(), ra.Bucklin()]
    whole = [rule.aggregate(data).scores.tobytes() for rule in rules]
    listed, turned = data.with_unranked("last"), data[order]
    costs = _footrule_costs(listed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positional, "BLOCK", 1)
        patch.setattr(pairwise, "PAIRS_AT_ONCE", 1)
        assert [rule.aggregate(turned).scores.tobytes() for rule in rules] == whole
        again = _footrule_costs(turned.with_unranked("last"))
    assert again.tobytes() == costs.tobytes()


def peak_of(rule: ra.Aggregator, profile: ra.Profile, few: ra.Profile, **limits: int) -> int:
    """Return the most memory that a rule takes, what is imported late aside."""
    rule.aggregate(few)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positional, "BLOCK", limits.get("block", positional.BLOCK))
        patch.setattr(pairwise, "PAIRS_AT_ONCE", limits.get("pairs", pairwise.PAIRS_AT_ONCE))
        tracemalloc.start()
        rule.aggregate(profile)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize("rule", [ra.Borda(), ra.Bucklin(), ra.FootruleOptimal()], ids=repr)
@pytest.mark.parametrize("gaps", [False, True])
def test_memory_does_not_grow_with_the_rankings(rule: ra.Aggregator, gaps: bool) -> None:
    scores = np.random.default_rng(0).random((10_000, 20))
    if gaps:
        scores[scores < 0.02] = np.nan
    profile = ra.Profile.from_scores(scores, higher_is_better=True)
    profile = profile.with_unranked("last") if rule == ra.FootruleOptimal() else profile
    # An array of floats for every cell would be twice the input, and n of them 40 times.
    assert peak_of(rule, profile, profile[:10], block=7_000) < 3 * profile.ranks.nbytes


@pytest.mark.parametrize(
    "rule", [ra.Plurality(), ra.Bucklin(), ra.ReciprocalRankFusion()], ids=repr
)
def test_memory_grows_as_the_rankings_and_not_as_the_pairs_of_items(rule: ra.Aggregator) -> None:
    profile = ra.Profile.from_ranks(np.random.default_rng(0).random((3, 2000)))
    # Four million pairs of items, with a byte for each.
    assert peak_of(rule, profile, profile.restrict(range(10)), pairs=20_000) < profile.n_items**2


# -- points for places ----------------------------------------------------------------------------

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


@few
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6), policies)
def test_approval_counts_marks_in_every_form_of_ballot(rows, policy) -> None:
    rows = [row for row in rows if any(row)] or [[True] * 4]
    expected = [float(sum(marks)) for marks in zip(*rows, strict=True)]
    below = ra.Profile.from_ranks(
        [[1 if mark else 2 for mark in row] for row in rows], items="ABCD"
    )
    absent = ra.Profile.from_ranks(
        [[1 if mark else None for mark in row] for row in rows], items="ABCD"
    ).with_unranked(policy)
    listed = ra.Profile(
        [ra.PartialRanking([0 if mark else UNLISTED for mark in row], "ABCD") for row in rows]
    )
    for ballots in (below, absent, listed):
        consensus = ra.Approval().aggregate(ballots)
        assert consensus.scores.tolist() == expected
        assert (ranking_points(ra.Approval(), ballots).sum(axis=0) == expected).all()


def test_ballots_that_are_not_marks_are_counted_and_refused() -> None:
    ballots = ra.Profile.from_orders(["AB", "ABC", "A"], items="ABC", counts=[3, 2, 4])
    with pytest.raises(InvalidInputError) as caught:
        ra.Approval().aggregate(ballots)
    assert str(caught.value) == (
        "`data` must be ballots of two levels, the approved items above the rest. "
        "Got 5 of 9 ballots with more levels. Approval(k) gives the point to the first k places."
    )


def test_points_are_summed_without_rounding() -> None:
    """Ten times a tenth is one, and a difference that no float has still ranks."""
    ballots = ra.Profile.from_orders(["AB"] * 10 + ["BA"], weights=[0.1] * 10 + [1.0])
    assert ra.Plurality().aggregate(ballots).buckets == (("A", "B"),)
    ballots = ra.Profile.from_orders(["AB", "BA"], weights=[1e17, 1e17 + 16])
    consensus = ra.Positional([3, 1]).aggregate(ballots)
    assert consensus.order == ("B", "A")


def test_points_of_many_partly_unranked_items_are_exact() -> None:
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
    *((lambda x=x: ra.Approval(x), "k of Approval") for x in (0, -1, 1.5, True, "2")),
    (lambda: ra.Plurality().aggregate(BALLOTS.pairwise()), "Plurality needs rankings"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_bad_parameters_and_data_are_refused(call, words) -> None:
    with pytest.raises((InvalidInputError, InformationLostError), match=words):
        call()
