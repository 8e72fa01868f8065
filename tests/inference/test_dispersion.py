"""Distances to a ranking, and among rankings, against loops over rankings and permutations."""

from fractions import Fraction
from itertools import permutations
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError, ItemMismatchError
from rankagg.inference import dispersion_report, spread
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


def judged_pairs(*rankings):
    """Return the pairs of items such that every ranking lists at least one of them."""
    return [
        (i, j)
        for i, j in oracles.pairs(len(rankings[0]))
        if not any(places[i] == places[j] == oracles.OFF_LIST for places in rankings)
    ]


def expected_distance(first, second, p):
    """Return the mean distance of compatible permutations that keep observed ties."""
    before, after = (oracles.probability_before(places) for places in (first, second))
    total = Fraction(0)
    for i, j in judged_pairs(first, second):
        ties = sum(oracles.judgment(places, i, j) == oracles.TIED for places in (first, second))
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
    if policy == "uniform":
        return len(judged_pairs(first, second))
    return len(oracles.judged_pairs(read(first, policy), read(second, policy)))


def slow_spread(profile, policy, p):
    """Return the sum, and what its two kinds of average divide by."""
    total, weight, judged = Fraction(0), Fraction(0), Fraction(0)
    for (first, own), (second, other) in permutations(observations(profile), 2):
        product = own * other
        total += product * distance(first, second, policy, Fraction(p))
        weight += product
        judged += product * number_judged(first, second, policy)
    return total, weight, judged


def over(total, weight):
    return total / weight if weight else nan


# -- distances to a ranking -----------------------------------------------------------------------


@given(st.data(), few_rankings, strategies.policies, shares_of_a_pair)
def test_the_distance_to_a_permutation_is_summed_over_rankings(data, profile, policy, p):
    target = data.draw(strategies.strict_rankings(profile.items))
    expected = sum(
        weight * distance(oracles.as_places(target), places, policy, Fraction(p))
        for places, weight in observations(profile)
    )
    assert ra.dispersion(profile.with_unranked(policy), target, tie_cost=p) == near(expected)


@given(st.data(), few_rankings, strategies.policies)
def test_discordant_pairs_are_ordered_by_the_ranking_and_reversed(data, profile, policy):
    target = data.draw(strategies.rankings(profile.items))
    wins, _, _ = oracles.pairwise_votes(profile, policy)
    mine = oracles.as_places(target)
    expected = sum(
        wins[j][i]
        for i, j in oracles.ordered_pairs(len(mine))
        if oracles.judgment(mine, i, j) == oracles.ABOVE
    )
    assert ra.dispersion(profile.with_unranked(policy), target, discordant=True) == near(expected)


@given(st.data(), few_rankings, strategies.policies, shares_of_a_pair, st.booleans())
def test_averages_divide_by_weight_or_by_judgments(drawn, profile, policy, p, strict):
    target = drawn.draw(strategies.rankings(profile.items))
    options = {"discordant": strict, "tie_cost": 0.0 if strict else p}
    data = profile.with_unranked(policy)
    total = ra.dispersion(data, target, **options)
    weight = sum(weight for _, weight in observations(profile))
    judged = sum(
        weight * number_judged(places, places, policy) for places, weight in observations(profile)
    )
    assert ra.dispersion(data, target, average=True, **options) == near(over(total, weight))
    normalized = ra.dispersion(data, target, normalized=True, **options)
    assert normalized == near(over(total, judged))
    assert np.isnan(normalized) or -1e-12 <= normalized <= 1 + 1e-12


# -- distances among rankings ---------------------------------------------------------------------


@given(few_rankings, strategies.policies, shares_of_a_pair)
def test_the_spread_is_summed_over_ordered_pairs_of_rankings(profile, policy, p):
    total, weight, judged = slow_spread(profile, policy, p)
    profile = profile.with_unranked(policy)
    assert spread(profile, tie_cost=p) == near(total)
    assert spread(profile, tie_cost=p, average=True) == near(over(total, weight))
    normalized = spread(profile, tie_cost=p, normalized=True)
    assert normalized == near(over(total, judged))
    assert np.isnan(normalized) or -1e-12 <= normalized <= 1 + 1e-12


@pytest.mark.parametrize("options", [{"average": True}, {"normalized": True}], ids=str)
def test_small_weights_have_averages(options):
    for weights in ([1e-7, 1e-7], [1, 1e-6]):
        small = ra.Profile.from_orders(["ABC", "BCA"], weights=weights)
        expected = pytest.approx(2 / (3 if "normalized" in options else 1))
        assert spread(small, **options) == expected


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [False, True])
def test_a_ranking_of_other_items_is_refused(strict):
    for other in (ra.Permutation.from_order("AB"), ra.Permutation.from_order("ABC", items="CBA")):
        with pytest.raises(ItemMismatchError):
            ra.dispersion(CYCLE, other, discordant=strict)


PLAIN = ra.PairwiseMatrix.from_wins([[0, 3], [1, 0]], items="AB")


def measure(data=CYCLE, ranking=ABC, **options):
    return ra.dispersion(data, ranking, **options)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *((lambda bad=bad: spread(CYCLE, tie_cost=bad), "`tie_cost` must be a number in ")
          for bad in (-0.1, 1.1, nan, "half", None, True)),
        (lambda: measure(tie_cost=1.1), r"`tie_cost` must be a number in \[0, 1\]"),
        (lambda: measure(tie_cost=0.5, discordant=True), "must be 0 if only discordant"),
        (lambda: spread(CYCLE, normalized=1), "`normalized` must be True or False"),
        *((lambda bad=bad, strict=strict: measure(ranking=bad, discordant=strict),
           "`ranking` must be a PartialRanking")
          for bad in ("ABC", [0, 1, 2], CYCLE) for strict in (False, True)),
        (lambda: spread(CYCLE.with_unranked("drop")), "'uniform' or 'ignore' or 'last'"),
        (lambda: spread(CYCLE.pairwise()), "spread needs rankings"),
        (lambda: measure(PLAIN, ABC.restrict("AB"), average=True), "total weight"),
        (lambda: measure([[0, 1], [1, 0]]), "`data` must be orders of labels that are texts"),
        (lambda: measure(ABC), "`data` must be a ScoreTable, ScoreSummary"),
        *((lambda bad=bad: spread(bad), "`data` must be a ScoreTable, ScoreSummary")
          for bad in (None, ABC)),
        (lambda: dispersion_report(TENNESSEE.pairwise()), "dispersion_report needs rankings"),
        (lambda: dispersion_report([[1, 2]], [BORDA]), "`data` must be"),
        (lambda: dispersion_report(TENNESSEE, ["borda"]), "`rules` must be a rule"),
        (lambda: dispersion_report(TENNESSEE, [ra.Borda]), "`rules` must be a rule"),
    ],
)  # fmt: skip
def test_bad_data_and_options_are_refused(call, words):
    with pytest.raises((InformationLostError, InvalidInputError), match=words):
        call()


def test_plain_votes_have_a_total_but_no_average():
    order = ra.Permutation.from_order("AB")
    assert ra.dispersion(PLAIN, order) == 1
    assert ra.dispersion(PLAIN, order, normalized=True) == 0.25
    assert ra.dispersion(CYCLE.pairwise(), ABC) == ra.dispersion(CYCLE, ABC)


# -- the report -----------------------------------------------------------------------------------


KEMENY, BORDA = ra.Kemeny(), ra.Borda()
TENNESSEE = ra.datasets.load("tennessee")
NEARLY_ALL_TIED = ra.Profile.from_ranks([[1, 1], [1, 2], [2, 1]], items="AB", counts=[98, 1, 1])

small = strategies.profiles(min_size=2, max_size=5, max_rows=4)


def least_total(profile, policy):
    """Return the summed distance of the best of all permutations."""
    wins, _, _ = oracles.pairwise_votes(profile, policy)
    return float(oracles.kemeny(wins)[0])


def measured(profile, *rules, policy="uniform"):
    return dispersion_report(profile.with_unranked(policy), rules or [BORDA])


# -- bounds ---------------------------------------------------------------------------------------


def test_free_ties_leave_no_upper_bound():
    report = measured(NEARLY_ALL_TIED, KEMENY)
    assert report.spread_bounds == (pytest.approx(2 / (2 * 99)), None)
    costly = measured(NEARLY_ALL_TIED, ra.Kemeny(tie_cost=0.5)).spread_bounds
    assert costly[0] == pytest.approx(2 / (2 * 99) + 98 / 2)
    # The mean over the rankings of their own totals is less than the least total.
    assert report.spread / report.total_weight < report.to_frame()["total"][0] == 1
    assert report.pair_bounds == (1, 1)


# -- rows -----------------------------------------------------------------------------------------


@given(small, strategies.policies)
@settings(max_examples=12)
def test_each_row_is_measured_on_the_same_votes(profile, policy):
    rules = [BORDA, ra.Copeland(), KEMENY]
    best, profile = least_total(profile, policy), profile.with_unranked(policy)
    report = dispersion_report(profile, rules)
    frame = report.to_frame()
    assert frame["rule"].tolist() == ["Borda", "Copeland", "Kemeny"]
    for consensus, row in zip(report.consensuses, frame.itertuples(), strict=True):

        def measure(found=consensus.ranking, **options):
            return pytest.approx(ra.dispersion(profile, found, **options), nan_ok=True)

        assert row.total == measure()
        assert row.average == measure(average=True)
        assert row.normalized == measure(normalized=True)
        assert row.discordant == measure(average=True, discordant=True)
        if best:
            assert row.ratio == pytest.approx(row.total / best)
        assert row.ratio >= 1
    assert frame["total"].iloc[-1] == pytest.approx(best)


# -- the summary ----------------------------------------------------------------------------------


def test_summary_states_spread_bounds_optimum_and_methods():
    report = dispersion_report(TENNESSEE)
    lines = report.summary().splitlines()
    assert lines[0] == "4 items, total weight 100; unranked items: uniform"
    mean, share = report.average_spread, 100 * report.normalized_spread
    assert lines[1] == (
        f"two rankings differ on {mean:.6g} pairs on average ({share:.3g} % of all pairs)"
    )
    low, high = report.spread_bounds
    assert lines[2].startswith("optimal total, by the spread")
    assert lines[2].endswith(f"{low:.6g} to {high:.6g}")
    assert lines[3].endswith("207 to 300")
    assert lines[4].startswith("total of the exact consensus      207  (optimal")
    assert lines[6].split() == ["rule", "total", "average", "normalized", "discordant", "ratio"]
    assert lines[7].split() == ["Borda", "223", "2.23", "0.371667", "2.23", "1.0773"]
    tied = measured(NEARLY_ALL_TIED, KEMENY).summary()
    assert "no upper bound: ties or missing items" in tied


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unranked", "sentence"),
    [
        ("uniform", "1.7037 pairs on average (56.8 % of all pairs, with unranked items anywhere)"),
        ("ignore", "0.333333 pairs on average (100 % of the pairs that both compare)"),
        ("last",
         "2 pairs on average (66.7 % of the pairs that both compare, with unranked items last)"),
    ],
)  # fmt: skip
def test_the_summary_states_the_pairs_of_the_share(unranked, sentence):
    gaps = ra.Profile.from_orders(["AB", "BA", "CA"], items="ABC")
    report = dispersion_report(gaps.with_unranked(unranked), [BORDA])
    assert sentence in str(report)


def test_rounding_of_weights_adds_no_second_ranking():
    """One ranking alone compares B and C; the weights of others are rounded, and so is its own."""
    table = ra.ScoreTable(
        [[2, 1, np.nan], [np.nan, 2, np.nan], [np.nan, np.nan, 1]],
        systems="BCD", higher_is_better=True, tasks="xyz",
        task_weights={"x": 2**0.5, "y": 0.1, "z": 2**0.5},
    )  # fmt: skip
    assert np.isnan(spread(table.with_unranked("ignore"), normalized=True))
