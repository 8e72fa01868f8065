"""Distances to a ranking, and among rankings, against loops over rankings and permutations."""

from fractions import Fraction
from math import nan, pi

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError, ItemMismatchError
from tests import oracles, strategies

ABC, BCA = ra.Permutation.from_order("ABC"), ra.Permutation.from_order("BCA")
CYCLE = ra.Profile.from_orders(["ABC", "BCA", "CAB"])

shares_of_a_pair = st.sampled_from([0.0, 0.25, 0.5, 1.0])
few_rankings = strategies.profiles(min_size=2, max_size=5, max_rows=3)


# -- the slow twins -------------------------------------------------------------------------------


def near(expected):
    return pytest.approx(float(expected), rel=1e-9, abs=1e-9, nan_ok=True)


def observations(profile):
    """Return places and weight of every single ranking, counts written out."""
    return [
        (oracles.as_places(ranking), oracles.as_fraction(weight))
        for ranking, count, weight in zip(profile, profile.counts, profile.weights, strict=True)
        for _ in range(count)
    ]


def read(places, policy):
    return oracles.with_unranked_last(places) if policy == "last" else places


def is_tied(places, i, j):
    return oracles.judgment(places, i, j) == oracles.TIED


def expected_distance(first, second, p):
    """Return the mean distance of compatible permutations that keep observed ties."""
    before, after = (oracles.probability_before(places) for places in (first, second))
    total = Fraction(0)
    for i, j in oracles.pairs(len(first)):
        ties = is_tied(first, i, j) + is_tied(second, i, j)
        if ties:
            total += p * (ties == 1)
        else:
            total += before[i][j] * after[j][i] + before[j][i] * after[i][j]
    return total


def distance(first, second, policy, p):
    if policy == "uniform":
        return expected_distance(first, second, p)
    return oracles.kendall_distance(read(first, policy), read(second, policy), p)


def number_judged(first, second, policy):
    n = len(first)
    if policy == "uniform":
        return n * (n - 1) // 2
    return len(oracles.judged_pairs(read(first, policy), read(second, policy)))


def ordered_pairs_of(profile):
    """Return both rankings and the product of their weights, for all different observations."""
    all_of_them = observations(profile)
    return [
        (first, second, weight * other)
        for s, (first, weight) in enumerate(all_of_them)
        for t, (second, other) in enumerate(all_of_them)
        if s != t
    ]


def slow_spread(profile, policy, p):
    """Return the sum, and what its two kinds of average divide by."""
    total, weight, judged = Fraction(0), Fraction(0), Fraction(0)
    for first, second, product in ordered_pairs_of(profile):
        total += product * distance(first, second, policy, Fraction(p))
        weight += product
        judged += product * number_judged(first, second, policy)
    return total, weight, judged


def over(total, weight):
    return total / weight if weight else nan


# -- distances to a ranking -----------------------------------------------------------------------


@given(st.data(), few_rankings, strategies.policies, shares_of_a_pair)
@strategies.quick
def test_the_distance_to_a_permutation_is_summed_over_rankings(data, profile, policy, p):
    target = data.draw(strategies.strict_rankings(profile.items))
    expected = sum(
        weight * distance(oracles.as_places(target), places, policy, Fraction(p))
        for places, weight in observations(profile)
    )
    assert ra.dispersion(profile, target, tie_cost=p, unranked=policy) == near(expected)


@given(st.data(), few_rankings, strategies.policies)
@strategies.quick
def test_discordant_pairs_are_those_that_the_ranking_orders_and_a_vote_turns(data, profile, policy):
    target = data.draw(strategies.rankings(profile.items))
    wins, _, _ = oracles.pairwise_votes(profile, policy)
    mine = oracles.as_places(target)
    expected = sum(
        wins[j][i]
        for i, j in oracles.ordered_pairs(len(mine))
        if oracles.judgment(mine, i, j) == oracles.ABOVE
    )
    assert ra.dispersion(profile, target, discordant=True, unranked=policy) == near(expected)


@given(st.data(), strategies.profiles(max_size=5), strategies.policies)
@strategies.quick
def test_a_permutation_costs_its_discordant_pairs(data, profile, policy):
    target = data.draw(strategies.strict_rankings(profile.items))
    strict = ra.dispersion(profile, target, discordant=True, unranked=policy)
    assert strict == near(ra.dispersion(profile, target, unranked=policy))


@given(st.data(), few_rankings, strategies.policies, shares_of_a_pair, st.booleans())
@strategies.quick
def test_averages_divide_by_weight_or_by_judgments(data, profile, policy, p, strict):
    target = data.draw(strategies.rankings(profile.items))
    options = {"unranked": policy, "discordant": strict, "tie_cost": 0.0 if strict else p}
    total = ra.dispersion(profile, target, **options)
    weight = sum(weight for _, weight in observations(profile))
    judged = sum(
        weight * number_judged(places, places, policy) for places, weight in observations(profile)
    )
    assert ra.dispersion(profile, target, average=True, **options) == near(over(total, weight))
    normalized = ra.dispersion(profile, target, normalized=True, **options)
    assert normalized == near(over(total, judged))
    assert np.isnan(normalized) or -1e-12 <= normalized <= 1 + 1e-12


@given(st.data(), strategies.profiles(), strategies.policies)
@strategies.quick
def test_votes_are_all_that_it_needs(data, profile, policy):
    target = data.draw(strategies.rankings(profile.items))
    for options in ({}, {"average": True}, {"normalized": True}, {"discordant": True}):
        from_votes = ra.dispersion(profile.pairwise(policy), target, unranked=policy, **options)
        assert from_votes == near(ra.dispersion(profile, target, unranked=policy, **options))


def test_scores_are_ranked_first():
    table = ra.ScoreTable(
        [[3, 1], [2, 2], [1, 3]], systems="ABC", tasks=["x", "y"], higher_is_better=True,
        task_weights={"y": 2},
    )  # fmt: skip
    assert ra.dispersion(table, ABC) == 6
    assert ra.dispersion(table, ABC, average=True) == 2
    assert ra.spread(table) == 2 * 1 * 2 * 3
    assert ra.spread(table, average=True) == 3


def test_a_tied_ranking_costs_half_of_the_votes_or_nothing():
    votes = ra.Profile.from_orders(["AB", "BA"], counts=[3, 1])
    tied = ra.PartialRanking([0, 0], "AB")
    assert ra.dispersion(votes, tied) == 2
    assert ra.dispersion(votes, tied, discordant=True) == 0
    assert ra.dispersion(votes, tied, normalized=True) == 0.5


def test_nothing_judged_gives_no_share():
    lone = ra.Profile.from_orders(["A"], items="AB")
    assert np.isnan(ra.dispersion(lone, ABC.restrict("AB"), normalized=True, unranked="ignore"))
    single = ra.Profile.from_orders(["A"])
    assert np.isnan(ra.dispersion(single, ra.Permutation.from_order("A"), normalized=True))
    assert ra.dispersion(single, ra.Permutation.from_order("A"), average=True) == 0


# -- distances among rankings ---------------------------------------------------------------------


@given(few_rankings, strategies.policies, shares_of_a_pair)
@strategies.quick
def test_the_spread_is_summed_over_ordered_pairs_of_rankings(profile, policy, p):
    total, weight, judged = slow_spread(profile, policy, p)
    assert ra.spread(profile, p=p, unranked=policy) == near(total)
    assert ra.spread(profile, p=p, average=True, unranked=policy) == near(over(total, weight))
    normalized = ra.spread(profile, p=p, normalized=True, unranked=policy)
    assert normalized == near(over(total, judged))
    assert np.isnan(normalized) or -1e-12 <= normalized <= 1 + 1e-12


@given(strategies.profiles(unranked=False, unlisted=False), strategies.policies)
@strategies.quick
def test_complete_rankings_need_the_matrix_of_votes_only(profile, policy):
    wins, ties = profile.pairwise().wins, profile.pairwise().ties
    n = profile.n_items
    total = 2 * sum(wins[i, j] * wins[j, i] for i, j in oracles.pairs(n))
    assert ra.spread(profile, unranked=policy) == near(total)
    once = sum(ties[i, j] * (wins[i, j] + wins[j, i]) for i, j in oracles.pairs(n))
    assert ra.spread(profile, p=0.5, unranked=policy) == near(total + 2 * 0.5 * once)


@given(strategies.profiles(min_size=2), strategies.policies, st.sampled_from([2.0**-8, 2.0**20]))
@strategies.quick
def test_the_unit_of_the_weights_leaves_averages_as_they_are(profile, policy, factor):
    scaled = ra.Profile(list(profile), counts=profile.counts, weights=factor * profile.weights)
    assert ra.spread(scaled, unranked=policy) == pytest.approx(
        factor**2 * ra.spread(profile, unranked=policy), rel=1e-9, abs=1e-9 * factor**2
    )
    for options in ({"average": True}, {"normalized": True}):
        expected = ra.spread(profile, unranked=policy, **options)
        assume(not np.isnan(expected))
        assert ra.spread(scaled, unranked=policy, **options) == near(expected)


def test_a_missing_item_makes_two_copies_of_a_ranking_differ():
    one_unknown = ra.Profile.from_orders(["AB"], items="ABC", counts=[2])
    # Each copy puts C before A with chance 1/3 and before B with chance 2/3.
    assert ra.spread(one_unknown) == pytest.approx(2 * (2 * 2 / 9 + 2 * 2 / 9))
    assert ra.spread(one_unknown, unranked="ignore") == 0
    assert ra.spread(one_unknown, unranked="last") == 0


@pytest.mark.parametrize("policy", strategies.POLICIES)
def test_one_ranking_has_no_spread(policy):
    one = ra.Profile.from_orders(["AB"], items="ABC")
    assert ra.spread(one, unranked=policy) == near(0)
    assert np.isnan(ra.spread(one, average=True, unranked=policy))
    assert np.isnan(ra.spread(one, normalized=True, unranked=policy))


def test_rankings_without_a_common_pair_have_no_share():
    apart = ra.Profile.from_orders(["AB", "CD"], items="ABCD")
    assert np.isnan(ra.spread(apart, normalized=True, unranked="ignore"))
    assert ra.spread(apart, average=True, unranked="ignore") == 0
    assert ra.spread(apart, normalized=True, unranked="last") == 1


@pytest.mark.parametrize("options", [{"average": True}, {"normalized": True}], ids=str)
def test_small_weights_have_averages_too(options):
    small = ra.Profile.from_orders(["ABC", "BCA"], weights=[1e-7, 1e-7])
    assert ra.spread(small, **options) == pytest.approx(2 / (3 if "normalized" in options else 1))


def test_a_light_ranking_beside_a_heavy_one_differs_from_it_as_much():
    unequal = ra.Profile.from_orders(["ABC", "BCA"], weights=[1, 1e-6])
    assert ra.spread(unequal, average=True) == pytest.approx(2)


@pytest.mark.parametrize("weight", [2**0.5, 5**0.5, 12345**0.5, 1000 * pi])
@pytest.mark.parametrize("policy", ["ignore", "last"])
def test_one_ranking_of_any_weight_has_no_share(policy, weight):
    one = ra.Profile.from_orders(["ABC"], weights=[weight])
    assert np.isnan(ra.spread(one, normalized=True, unranked=policy))


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [False, True])
def test_the_ranking_is_of_the_same_items(strict):
    for other in (ra.Permutation.from_order("AB"), ra.Permutation.from_order("ABC", items="CBA")):
        with pytest.raises(ItemMismatchError):
            ra.dispersion(CYCLE, other, discordant=strict)
    for other in ("ABC", [0, 1, 2], CYCLE):
        with pytest.raises(InvalidInputError, match="`ranking` must be a PartialRanking"):
            ra.dispersion(CYCLE, other, discordant=strict)


def test_discordant_pairs_have_no_cost_of_ties():
    with pytest.raises(InvalidInputError, match="`tie_cost` must be 0 where only discordant"):
        ra.dispersion(CYCLE, ABC, discordant=True, tie_cost=0.5)


@pytest.mark.parametrize("bad", [-0.1, 1.1, nan, "half", None, True])
def test_a_tie_costs_from_nothing_to_a_pair(bad):
    with pytest.raises(InvalidInputError, match=r"`p` must be a number in \[0, 1\]"):
        ra.spread(CYCLE, p=bad)
    with pytest.raises(InvalidInputError, match=r"`tie_cost` must be a number in \[0, 1\]"):
        ra.dispersion(CYCLE, ABC, tie_cost=bad)


@pytest.mark.parametrize("flag", ["average", "normalized"])
def test_flags_are_true_or_false(flag):
    with pytest.raises(InvalidInputError, match=f"`{flag}` must be True or False"):
        ra.spread(CYCLE, **{flag: 1})
    with pytest.raises(InvalidInputError, match=f"`{flag}` must be True or False"):
        ra.dispersion(CYCLE, ABC, **{flag: "yes"})


def test_policies_are_known_and_those_of_the_votes():
    with pytest.raises(InvalidInputError, match="'uniform' or 'ignore' or 'last'"):
        ra.spread(CYCLE, unranked="drop")
    with pytest.raises(InvalidInputError, match="'uniform' or 'ignore' or 'last'"):
        ra.dispersion(CYCLE, ABC, unranked="drop")
    gaps = ra.Profile.from_orders(["AB"], items="ABC").pairwise("last")
    with pytest.raises(InvalidInputError, match="'last' for votes counted that way"):
        ra.dispersion(gaps, ABC, unranked="uniform")
    assert ra.dispersion(CYCLE.pairwise("last"), ABC) == ra.dispersion(CYCLE, ABC)


def test_votes_do_not_tell_a_ranking_from_itself():
    with pytest.raises(InformationLostError, match="spread needs rankings"):
        ra.spread(CYCLE.pairwise())


def test_plain_votes_have_a_total_but_no_average():
    votes = ra.PairwiseMatrix.from_wins([[0, 3], [1, 0]], items="AB")
    order = ra.Permutation.from_order("AB")
    assert ra.dispersion(votes, order) == 1
    assert ra.dispersion(votes, order, normalized=True) == 0.25
    with pytest.raises(InformationLostError, match="total weight"):
        ra.dispersion(votes, order, average=True)


@pytest.mark.parametrize("data", [[[0, 1], [1, 0]], None, ABC])
def test_other_data_are_refused(data):
    with pytest.raises(InvalidInputError, match="`data` must be a ScoreTable, ScoreSummary"):
        ra.dispersion(data, ABC)
    with pytest.raises(InvalidInputError, match="`data` must be a ScoreTable, ScoreSummary"):
        ra.spread(data)


# -- published tables, by the definition ----------------------------------------------------------


GLUE = ("tasks/glue_full.csv", ["Score"])
SUPERGLUE = ("tasks/superglue_full.csv", ["Score"])
XTREME = ("tasks/xtreme.csv", [])


@pytest.fixture
def leaderboard(data):
    return lambda source: ra.read_scores(data(source[0]), higher_is_better=True, drop=source[1])


@pytest.mark.parametrize(
    ("source", "rule", "discordant", "cost"),
    [
        (GLUE, ra.Borda(), 546.5, 548.964),
        (GLUE, ra.Mean(), 600.429, 600.929),
        (SUPERGLUE, ra.Borda(), 39.5, 39.5),
        (SUPERGLUE, ra.Mean(), 39.929, 40.393),
        (XTREME, ra.Borda(), 11.0, 11.5),
        (XTREME, ra.Mean(), 11.5, 12.0),
    ],
    ids=str,
)
def test_mean_distance_to_the_tasks_of_a_leaderboard(leaderboard, source, rule, discordant, cost):
    table = leaderboard(source)
    found = rule.aggregate(table).ranking
    strict = ra.dispersion(table, found, average=True, discordant=True)
    assert strict == pytest.approx(discordant, abs=5e-4)
    assert ra.dispersion(table, found, average=True) == pytest.approx(cost, abs=5e-4)


def test_the_means_of_a_leaderboard_hold_one_tie_that_may_be_broken_either_way(leaderboard):
    table = leaderboard(GLUE)
    tied = ra.Mean().aggregate(table).ranking
    assert tied.n_compatible_permutations == 2
    broken = [ra.dispersion(table, order, average=True) for order in tied.compatible_permutations()]
    assert sorted(broken) == pytest.approx([600.857, 601], abs=5e-4)


@pytest.mark.parametrize(
    ("source", "total", "tasks"), [(GLUE, 7248, 14), (SUPERGLUE, 539, 14), (XTREME, 41, 4)], ids=str
)
def test_least_distance_to_the_tasks_of_a_leaderboard(leaderboard, source, total, tasks):
    table = leaderboard(source)
    exact = ra.Kemeny().aggregate(table)
    assert exact.certificate.status == "optimal"
    assert ra.dispersion(table, exact.ranking) == total
    assert ra.dispersion(table, exact.ranking, average=True) == pytest.approx(total / tasks)
