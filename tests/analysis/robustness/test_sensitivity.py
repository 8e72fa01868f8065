"""Flips between assumptions about missing items, against all completions."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.analysis.robustness.sensitivity import _drawn_ranks
from rankagg.exceptions import InvalidInputError
from tests import oracles, strategies
from tests.strategies import POLICIES

NAN = float("nan")
RULES = (ra.Borda(), ra.Copeland(), ra.Copeland(draw_points=0), ra.PairwiseMajority(), ra.Kemeny())
GAPS = ra.Profile.from_orders(["ABC", "AB", "CA"], items="ABC")
SCORES = ra.ScoreTable(
    [[1, NAN, 5], [2, 3, NAN], [3, 3.05, 1]], systems="ABC", higher_is_better=True
)

# C wins the only ranking that it is in.
FLIP = ra.Profile.from_orders(["AB", "AB", "CAB"], items="ABC")


# -- the slow twin --------------------------------------------------------------------------------


def completions(profile):
    """Return every profile in which each incomplete ranking became one of its permutations."""
    choices = []
    for ranking, count in zip(profile, profile.counts, strict=True):
        gaps = None in oracles.as_places(ranking)
        versions = oracles.compatible_permutations(ranking) if gaps else [None]
        choices += [[(ranking, version) for version in versions]] * int(count)
    weights = np.repeat(profile.weights, profile.counts)
    for chosen in product(*choices):
        rankings = [
            ranking if version is None else ra.Permutation.from_ranks(version, items=profile.items)
            for ranking, version in chosen
        ]
        yield ra.Profile(rankings, weights=weights)


def law_of(profile, rule):
    """Return how often each consensus occurs among all completions."""
    found = Counter(tuple(rule.aggregate(c).ranking.ranks.tolist()) for c in completions(profile))
    total = sum(found.values())
    return {ranks: times / total for ranks, times in found.items()}


def rows_of(samples):
    return Counter(map(tuple, samples.tolist()))


# -- consensuses under each policy ----------------------------------------------------------------


@settings(max_examples=10)
@given(strategies.profiles(max_size=4))
def test_each_policy_has_the_consensus_of_the_rule(profile):
    for rule in (ra.Borda(), ra.Copeland(draw_points=0), ra.PairwiseMajority()):
        result = ra.analysis.sensitivity(profile, rule, n_samples=1, rng=0)
        assert result.policies == POLICIES
        for policy, consensus in zip(POLICIES, result.consensuses, strict=True):
            assert consensus == rule.aggregate(profile.with_unranked(policy))
            assert consensus.unranked == policy


def test_scores_are_ranked_first():
    for tolerance in (0, 0.1):
        from_scores = ra.analysis.sensitivity(SCORES, n_samples=20, tolerance=tolerance, rng=1)
        from_rankings = ra.analysis.sensitivity(SCORES.rankings(tolerance), n_samples=20, rng=1)
        assert from_scores == from_rankings
        assert from_scores.rule == ra.Borda()


def test_the_policy_of_the_data_is_listed_first():
    result = ra.analysis.sensitivity(FLIP.with_unranked("ignore"), n_samples=5, rng=0)
    assert result.to_frame(everything=True).columns.tolist() == [
        "above", "below", "ignore", "uniform", "last", "share",
    ]  # fmt: skip
    assert result.consensuses[0] == ra.Borda().aggregate(FLIP.with_unranked("ignore"))


# -- completions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_samples_are_consensuses_of_completions(rule):
    result = ra.analysis.sensitivity(GAPS, rule, n_samples=30, rng=4)
    assert result.samples.shape == (30, 3)
    if not isinstance(rule, ra.Kemeny):
        assert set(rows_of(result.samples)) <= set(law_of(GAPS, rule))
        return
    best = []
    for completed in completions(GAPS):
        wins, _, _ = oracles.pairwise_votes(completed)
        best += [tuple(np.argsort(order).tolist()) for order in oracles.kemeny(wins)[1]]
    assert set(rows_of(result.samples)) <= set(best)


def test_shares_count_ties_half():
    result = ra.analysis.sensitivity(GAPS, n_samples=50, rng=2)
    for i, j in oracles.ordered_pairs(3):
        expected = np.mean(
            [1 if s[i] < s[j] else 0.5 if s[i] == s[j] else 0 for s in result.samples]
        )
        assert result.share_above[i, j] == pytest.approx(expected)
    assert np.diag(result.share_above).tolist() == [0.5] * 3
    np.testing.assert_allclose(result.share_above + result.share_above.T, 1)


def test_complete_rankings_are_not_changed():
    certain = ra.Profile.from_ranks([[0, 1, 1], [2, 0, 0]], items="ABC", counts=[5, 1])
    result = ra.analysis.sensitivity(certain, n_samples=7, rng=0)
    assert result.samples.tolist() == [[0, 1, 1]] * 7
    assert len(result.to_frame()) == 0
    assert "0 of 3 pairs flip" in result.summary()
    assert "pairs that flip:" not in result.summary()
    lists = ra.Profile([ra.PartialRanking.from_top_k("A", items="ABC")])
    assert ra.analysis.sensitivity(lists, n_samples=3, rng=0).samples.tolist() == [[0, 1, 1]] * 3
    data = ra.Profile([*certain, ra.PartialRanking([0, 1, -1], "ABC")], counts=[50, 1, 1])
    mostly = ra.analysis.sensitivity(data, n_samples=20, rng=0)
    # The 50 decide, and one permutation of the last breaks their tie.
    assert {tuple(sample[1:] > sample[0]) for sample in mostly.samples} == {(True, True)}


def test_each_copy_of_an_incomplete_ranking_is_completed_on_its_own():
    # Were all copies completed alike, "B" would be first in half of the completions.
    copies = ra.Profile.from_orders(["A"], items="AB", counts=[40])
    result = ra.analysis.sensitivity(copies, n_samples=30, rng=0)
    tied = ra.analysis.sensitivity(copies[[0]], n_samples=30, rng=0)
    assert set(rows_of(result.samples)) <= {(0, 1), (1, 0), (0, 0)}
    written_out = ra.Profile.from_orders(["A"] * 40, items="AB")
    assert ra.analysis.sensitivity(written_out, n_samples=30, rng=0).samples.tolist() == (
        result.samples.tolist()
    )
    weighted = ra.Profile.from_orders(["A", "AB"], items="AB", counts=[40, 1], weights=[1, 100])
    decided = ra.analysis.sensitivity(weighted, n_samples=30, rng=0)
    assert (decided.samples == [0, 1]).all()
    assert not (tied.samples == [0, 1]).all()


@pytest.mark.parametrize("rule", [ra.Copeland(), ra.Kemeny()], ids=repr)
def test_workers_change_nothing(rule, workers):
    alone = ra.analysis.sensitivity(GAPS, rule, n_samples=24, rng=5)
    assert ra.analysis.sensitivity(GAPS, rule, n_samples=24, rng=5, n_jobs=workers) == alone


@pytest.mark.parametrize("rule", [ra.Kemeny(), ra.Slater(), ra.InsertionSearch()], ids=repr)
def test_equal_items_are_as_often_above_as_below(rule):
    # Completions are two random rankings, whose optima are many. Where the solver, or the numbers
    # of the items, chose one of them, six pairs in a hundred more stood as in the first consensus.
    scores = np.ones((8, 2))
    scores[2, 0] = scores[3, 1] = NAN
    table = ra.ScoreTable(scores, systems="abcdefgh", higher_is_better=True)
    result = ra.analysis.sensitivity(table, rule, n_samples=30, rng=6)
    first = result.consensuses[0].ranking.ranks
    share = result.share_above[first[:, None] < first].mean()
    # The inversions of a random ranking of 8 items have a standard deviation of 4.04, of 28.
    assert share == pytest.approx(0.5, abs=3.5 * 4.04 / 28 / 30**0.5)


def test_consensuses_of_completions_do_not_depend_on_earlier_solves():
    draws = np.random.default_rng(1)
    profile = ra.Profile.from_orders([draws.permutation(7)[:5] for _ in range(4)], items=range(7))
    results = [
        ra.analysis.sensitivity(profile.with_unranked(policy), ra.Kemeny(), n_samples=16, rng=5)
        for policy in ("uniform", "ignore")
    ]
    # They start elsewhere, and cold in between.
    for seed, *samples in zip(
        np.random.default_rng(5).spawn(16), *(result.samples for result in results), strict=True
    ):
        completed = ra.distributions.Uniform(profile.items).complete(profile, rng=seed)
        cold = ra.Kemeny().aggregate(completed)
        alone, _ = _drawn_ranks(cold, profile.items, seed, Deadline())
        assert [sample.tolist() for sample in samples] == [alone.tolist()] * 2


def test_a_pair_is_either_way_if_exact_consensuses_differ():
    profile = ra.Profile.from_orders(["ABC", "BAC", "AB", "BA"], items="ABC")
    result = ra.analysis.sensitivity(profile, ra.Kemeny(), n_samples=40, rng=0)
    frame = result.to_frame().set_index(["above", "below"])
    pair = next(pair for pair in frame.index if set(pair) == {"A", "B"})
    assert frame.loc[pair, [*POLICIES]].tolist() == ["either"] * 3
    assert 0.2 < frame.loc[pair, "share"] < 0.8
    whole = ra.analysis.sensitivity(profile[[0, 1]], ra.Kemeny(), n_samples=40, rng=0)
    assert whole.to_frame().empty  # no assumption is made
    share = whole.to_frame(everything=True).set_index(["above", "below"])["share"]
    assert sorted(share)[1:] == [1.0, 1.0]
    assert 0.2 < sorted(share)[0] < 0.8


def test_completions_not_settled_in_time_are_counted():
    in_no_time = ra.analysis.sensitivity(cyclic(), ra.Kemeny(time_limit=0), n_samples=3, rng=0)
    assert in_no_time.n_unsettled == in_no_time.to_dict()["n_unsettled"] == 3
    assert "note: 3 of 3 completions are not settled in time" in in_no_time.summary()
    in_time = ra.analysis.sensitivity(cyclic(), ra.Kemeny(time_limit=60), n_samples=3, rng=0)
    assert in_time.n_unsettled == 0
    assert "note:" not in in_time.summary()


def cyclic():
    draws = np.random.default_rng(1)
    return ra.Profile.from_orders([draws.permutation(15)[:13] for _ in range(6)], items=range(15))


def test_two_level_rules_use_each_policy():
    profile = ra.Profile.from_orders(["ABC", "AB", "CA", "B"], items="ABC", groups="xxyy")
    rule = ra.TwoLevel(ra.Borda(), ra.Copeland(), absent="unranked")
    result = ra.analysis.sensitivity(profile, rule, n_samples=25, rng=0)
    for policy, consensus in zip(POLICIES, result.consensuses, strict=True):
        assert consensus == rule.aggregate(profile.with_unranked(policy))
    possible = {
        tuple(rule.aggregate(ra.Profile(list(c), groups="xxyy")).ranking.ranks.tolist())
        for c in completions(profile)
    }
    assert set(rows_of(result.samples)) <= possible


# -- flips ----------------------------------------------------------------------------------------


def test_pairs_flip_between_policies():
    result = ra.analysis.sensitivity(FLIP, n_samples=100, rng=0)
    orders = [consensus.buckets for consensus in result.consensuses]
    assert orders == [(("A",), ("C",), ("B",)), (("A", "C"), ("B",)), (("A",), ("B", "C"))]
    frame = result.to_frame()
    assert frame.columns.tolist() == ["above", "below", *POLICIES, "share"]
    flips = {
        (row.above, row.below): (row.uniform, row.ignore, row.last) for row in frame.itertuples()
    }
    assert flips == {("A", "C"): ("above", "tied", "above"), ("C", "B"): ("above", "above", "tied")}
    share = {(row.above, row.below): row.share for row in frame.itertuples()}
    assert share["A", "C"] == result.share_above[0, 2]
    assert share["C", "B"] == result.share_above[2, 1]
    assert np.abs(frame["share"] - 0.5).is_monotonic_increasing
    turned = ra.Profile.from_orders(["AB", "BA", "CAB"], items="ABC")
    frame = (
        ra.analysis.sensitivity(turned, n_samples=5, rng=0).to_frame().set_index(["above", "below"])
    )
    for pair in ("CA", "CB"):
        assert frame.loc[tuple(pair), [*POLICIES]].tolist() == ["above", "above", "below"]


@given(strategies.profiles(max_size=4))
def test_a_pair_is_left_out_where_all_policies_and_completions_agree(profile):
    result = ra.analysis.sensitivity(profile, n_samples=9, rng=0)
    shown = {frozenset(pair) for pair in result.to_frame()[["above", "below"]].values.tolist()}
    consensuses = [consensus.ranking.ranks for consensus in result.consensuses]
    for i, j in oracles.pairs(profile.n_items):
        by_policy = {int(np.sign(ranks[i] - ranks[j])) for ranks in consensuses}
        by_completion = {int(np.sign(ranks[i] - ranks[j])) for ranks in result.samples}
        if by_policy != {0}:
            flips = len(by_policy | by_completion) > 1
            assert (frozenset({profile.items[i], profile.items[j]}) in shown) == flips


def test_completions_that_split_evenly_flip_a_tie():
    mirrored = ra.Profile.from_orders(["A", "B"], items="AB")
    results = (ra.analysis.sensitivity(mirrored, n_samples=2, rng=seed) for seed in range(20))
    split = next(r for r in results if rows_of(r.samples) == {(0, 1): 1, (1, 0): 1})
    assert len(split.to_frame()) == 1


# -- the first places -----------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_is_the_probability_to_be_among_the_first(k):
    result = ra.analysis.sensitivity(FLIP, n_samples=40, rng=0)
    frame = result.top(k)

    def chance(ranks, item):
        versions = oracles.compatible_permutations(ranks)
        return sum(places[item] < k for places in versions) / len(versions)

    for i, item in enumerate("ABC"):
        expected = [chance(c.ranking.ranks.tolist(), i) for c in result.consensuses]
        expected.append(np.mean([chance(sample, i) for sample in result.samples.tolist()]))
        if any(expected):
            assert frame.loc[item].tolist() == pytest.approx(expected)
        else:
            assert item not in frame.index
    assert frame.sum().tolist() == pytest.approx([k] * 4)
    assert frame["uniform"].is_monotonic_decreasing


# -- summary and plain data -----------------------------------------------------------------------


def test_summary_lists_consensuses_top_and_flips():
    result = ra.analysis.sensitivity(FLIP, n_samples=50, rng=0)
    lines = result.summary().splitlines()
    assert lines[0] == "Borda under 3 policies and on 50 completions: 2 of 3 pairs flip"
    assert lines[1:4] == ["uniform A > C > B", "ignore  A = C > B", "last    A > B = C"]
    assert "pairs that flip:" in lines
    assert result.summary(rows=1).splitlines()[-1] == "... and 1 more pair"
    assert repr(result) == "<Sensitivity of Borda: 2 pairs flip>"
    as_dict = result.to_dict()
    assert (as_dict["schema"], as_dict["version"]) == ("rankagg.sensitivity", 1)
    assert (as_dict["rule"], as_dict["n_samples"]) == ("Borda", 50)
    assert as_dict["consensuses"]["last"] == [["A"], ["B", "C"]]
    assert {(row["above"], row["below"]) for row in as_dict["flips"]} == {("A", "C"), ("C", "B")}


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_samples": 0}, "`n_samples`"),
        ({"n_jobs": 0}, "`n_jobs`"),
        ({"rule": "borda"}, "`rule`"),
        ({"model": "uniform"}, "`model`"),
        ({"rng": "seed"}, "`rng`"),
        *(
            ({"data": data}, "`data` must be a ScoreTable or a Profile")
            for data in (GAPS.pairwise(), ra.Comparisons.from_arrays("AB", "BC", [1, 0]))
        ),
        # Rules on scores, and those that every policy leaves as they are.
        *(
            ({"data": SCORES, "rule": rule}, "that the policy for unranked items changes")
            for rule in (ra.Mean(), ra.InstantRunoff(), ra.TwoLevel(ra.Mean(), ra.Borda()))
        ),
    ],
    ids=str,
)
def test_options_are_checked(options, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.analysis.sensitivity(**{"data": GAPS, **options})
