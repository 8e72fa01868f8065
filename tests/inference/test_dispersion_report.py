"""The report's bounds against the best permutation, and what it tells."""

import json
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests import oracles, strategies

KEMENY, BORDA = ra.Kemeny(), ra.Borda()
TENNESSEE = ra.datasets.load("tennessee")
GAPS = ra.datasets.load("xtreme_gaps")
NEARLY_ALL_TIED = ra.Profile.from_ranks([[0, 0], [0, 1], [1, 0]], items="AB", counts=[98, 1, 1])

small = strategies.profiles(min_size=2, max_size=5, max_rows=4)


def least_total(profile, policy):
    """Return the summed distance of the best of all permutations."""
    wins, _, _ = oracles.pairwise_votes(profile, policy)
    return float(oracles.kemeny(wins)[0])


def measured(profile, *rules, policy="uniform"):
    return ra.dispersion_report(profile, rules or [ra.Borda(unranked=policy)], unranked=policy)


# -- bounds ---------------------------------------------------------------------------------------


@given(small, strategies.policies)
@strategies.quick
def test_the_least_total_is_within_both_bounds(profile, policy):
    report = measured(profile, policy=policy)
    least = least_total(profile, policy)
    low, high = report.spread_bounds
    assert low <= least + 1e-9
    assert (high is None) == (not (profile.is_complete and profile.is_strict))
    assert high is None or least <= high + 1e-9
    low, high = report.pair_bounds
    assert low <= least + 1e-9
    assert least <= high + 1e-9


@given(strategies.profiles(min_size=2, ties=False, unranked=False, unlisted=False))
@strategies.quick
def test_the_upper_bound_is_the_mean_of_the_totals_of_the_rankings_themselves(profile):
    share = profile.counts * profile.weights / profile.total_weight
    own = sum(
        part * ra.dispersion(profile, ranking) for part, ranking in zip(share, profile, strict=True)
    )
    assert measured(profile).spread_bounds[1] == pytest.approx(own)


@given(small, strategies.policies)
@strategies.quick
def test_single_pairs_bound_by_the_smaller_side_and_by_half(profile, policy):
    wins, _, _ = oracles.pairwise_votes(profile, policy)
    pairs = oracles.pairs(profile.n_items)
    low, high = measured(profile, policy=policy).pair_bounds
    assert low == pytest.approx(float(sum(min(wins[i][j], wins[j][i]) for i, j in pairs)))
    assert high == pytest.approx(float(sum(wins[i][j] + wins[j][i] for i, j in pairs)) / 2)


@given(st.data(), st.integers(2, 6))
@strategies.quick
def test_equal_rankings_are_bounded_by_their_mean_distance(data, m):
    items = data.draw(strategies.letters(min_size=2, max_size=4))
    profile = ra.Profile([data.draw(strategies.strict_rankings(items)) for _ in range(m)])
    mean = ra.spread(profile, average=True)
    low, high = measured(profile).spread_bounds
    assert low == pytest.approx(m * mean / 2)
    assert high == pytest.approx((m - 1) * mean)


def test_free_ties_leave_no_upper_bound():
    report = measured(NEARLY_ALL_TIED, KEMENY)
    assert report.spread_bounds == (pytest.approx(2 / (2 * 99)), None)
    # The mean over the rankings of their own totals is less than the least total.
    assert report.spread / report.total_weight < report.to_frame()["total"][0] == 1
    assert report.pair_bounds == (1, 1)


def test_one_ranking_bounds_nothing_but_itself():
    report = measured(ra.Profile.from_orders(["CAB"], weights=[3]), KEMENY)
    assert report.spread_bounds == (0, 0)
    assert report.pair_bounds == (0, pytest.approx(4.5))
    assert report.to_frame()["total"].tolist() == [0]
    assert "there are no two rankings to compare" in report.summary()


def test_bounds_hold_for_totals_that_count_tied_votes():
    report = measured(NEARLY_ALL_TIED, ra.Kemeny(tie_cost=1))
    total = report.to_frame()["total"][0]
    assert report.pair_bounds[0] <= total <= report.pair_bounds[1]


# -- rows -----------------------------------------------------------------------------------------


@given(small, strategies.policies)
@strategies.quick
def test_each_row_is_measured_on_the_same_votes(profile, policy):
    rules = [ra.Borda(unranked=policy), ra.Copeland(unranked=policy), ra.Kemeny(unranked=policy)]
    report = ra.dispersion_report(profile, rules, unranked=policy)
    frame = report.to_frame()
    assert frame["method"].tolist() == ["Borda", "Copeland", "Kemeny"]
    best = least_total(profile, policy)
    for consensus, row in zip(report.consensuses, frame.itertuples(), strict=True):
        options = {"unranked": policy}
        found = consensus.ranking
        assert row.total == ra.dispersion(profile, found, **options)
        assert row.average == pytest.approx(ra.dispersion(profile, found, average=True, **options))
        share = ra.dispersion(profile, found, normalized=True, **options)
        assert row.normalized == pytest.approx(share, nan_ok=True)
        strict = ra.dispersion(profile, found, average=True, discordant=True, **options)
        assert row.discordant == pytest.approx(strict)
        if best:
            assert row.ratio == pytest.approx(row.total / best)
        assert row.ratio >= 1
    assert frame["total"].iloc[-1] == pytest.approx(best)


@given(small, strategies.policies)
@strategies.quick
def test_the_spread_is_that_of_the_rankings(profile, policy):
    report = measured(profile, policy=policy)
    held = (report.spread, report.average_spread, report.normalized_spread)
    for value, options in zip(held, [{}, {"average": True}, {"normalized": True}], strict=True):
        expected = ra.spread(profile, unranked=policy, **options)
        assert value == pytest.approx(expected, nan_ok=True)
    assert report.total_weight == profile.total_weight
    assert report.unranked == policy
    assert report.votes == profile.pairwise(policy)
    json.dumps(report.to_dict(), allow_nan=False)


def test_tied_votes_cost_what_the_exact_rule_says():
    profile = ra.Profile.from_ranks([[0, 0], [0, 1]], items="AB", counts=[4, 1])
    frame = measured(profile, BORDA, ra.Kemeny(tie_cost=0.5)).to_frame()
    assert frame["total"].tolist() == [2, 2]
    assert frame["average"].tolist() == [0.4, 0.4]
    assert frame["discordant"].tolist() == [0, 0]
    assert measured(profile, BORDA).to_frame()["total"].tolist() == [0]


def test_without_an_exact_rule_there_is_no_ratio():
    report = measured(TENNESSEE, BORDA)
    assert report.exact is None
    assert np.isnan(report.to_frame()["ratio"][0])
    assert report.to_dict()["methods"][0]["ratio"] is None
    assert report.to_dict()["certificate"] is None
    assert "exact consensus" not in report.summary()
    assert report.summary().splitlines()[-1].endswith("-")


def test_where_nothing_is_contradicted_all_perfect_rules_have_ratio_one():
    report = measured(ra.Profile.from_orders(["ABC", "ABC"]), BORDA, KEMENY)
    assert report.to_frame()["ratio"].tolist() == [1, 1]


def test_rules_by_default_suit_the_data():
    names = ra.dispersion_report(TENNESSEE).to_frame()["method"].tolist()
    assert names == ["Borda", "Copeland", "Kemeny"]
    scores = ra.dispersion_report(GAPS, unranked="last")
    assert scores.to_frame()["method"].tolist() == ["Mean", "Borda", "Copeland", "Kemeny"]
    assert {c.unranked for c in scores.consensuses} == {None, "last"}
    assert scores.exact is scores.consensuses[-1]


def test_tolerance_ties_scores_before_all_else():
    table = ra.ScoreTable([[0.5, 1], [0.6, 2]], systems="AB", higher_is_better=True)
    assert measured(table, BORDA).votes.ties.sum() == 0
    tied = ra.dispersion_report(table, [BORDA], tolerance=0.2)
    assert tied.votes.ties[0, 1] == 1
    assert not tied.is_plain


# -- how it is told -------------------------------------------------------------------------------


def test_json_holds_everything():
    told = ra.dispersion_report(TENNESSEE).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert (told["schema"], told["version"]) == ("rankagg.dispersion", 1)
    assert told["unranked_policy"] == "uniform"
    assert told["total_weight"] == 100
    assert told["certificate"].startswith("optimal")
    assert told["bounds"]["pairs"] == [207, 300]
    assert told["bounds"]["spread"][1] == pytest.approx(told["spread"] / 100)
    assert [row["method"] for row in told["methods"]] == ["Borda", "Copeland", "Kemeny"]
    assert [row["ratio"] for row in told["methods"]] == [223 / 207, 1, 1]


def test_json_has_no_infinity_where_the_exact_total_is_nothing():
    table = ra.ScoreTable([[1, nan], [0.5, 10]], systems="AB", higher_is_better=True)
    rules = [ra.Mean(), ra.Kemeny(unranked="ignore")]
    report = ra.dispersion_report(table, rules, unranked="ignore")
    assert report.to_frame()["total"].tolist() == [1, 0]
    json.dumps(report.to_dict(), allow_nan=False)


def test_summary_tells_spread_bounds_optimum_and_methods():
    report = ra.dispersion_report(TENNESSEE)
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
    assert lines[6].split() == ["method", "total", "average", "normalized", "discordant", "ratio"]
    assert lines[7].split() == ["Borda", "223", "2.23", "0.371667", "2.23", "1.0773"]
    tied = measured(NEARLY_ALL_TIED, KEMENY).summary()
    assert "no upper bound: ties or missing items" in tied


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        ra.Borda(unranked="last"),
        ra.Kemeny(unranked="ignore"),
        ra.TwoLevel(ra.Borda(unranked="last"), ra.Borda(unranked="last")),
    ],
    ids=str,
)
def test_rules_and_distances_have_one_policy(rule):
    with pytest.raises(InvalidInputError, match="rules with unranked='uniform'"):
        ra.dispersion_report(GAPS, [BORDA, rule])
    assert len(ra.dispersion_report(GAPS, [rule], unranked=rule.policy).consensuses) == 1


def test_votes_hold_no_rankings():
    with pytest.raises(InformationLostError, match="dispersion_report needs rankings"):
        ra.dispersion_report(TENNESSEE.pairwise())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[1, 2]], [BORDA]), "`data` must be"),
        ((TENNESSEE, ["borda"]), "`aggregators` must be aggregator objects"),
        ((TENNESSEE, [ra.Borda]), "`aggregators` must be aggregator objects"),
    ],
    ids=str,
)
def test_other_arguments_are_refused(arguments, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.dispersion_report(*arguments)
    with pytest.raises(InvalidInputError, match="'uniform' or 'ignore' or 'last'"):
        ra.dispersion_report(TENNESSEE, unranked="drop")


@pytest.mark.parametrize(
    ("unranked", "told"),
    [
        ("uniform", "1.7037 pairs on average (56.8 % of all pairs, with unranked items anywhere)"),
        ("ignore", "0.333333 pairs on average (100 % of the pairs that both compare)"),
        (
            "last",
            "2 pairs on average (66.7 % of the pairs that both compare, with unranked items last)",
        ),
    ],
)
def test_the_share_says_which_pairs_it_is_of(unranked, told):
    gaps = ra.Profile.from_orders(["AB", "BA", "CA"], items="ABC")
    report = ra.dispersion_report(gaps, [ra.Borda(unranked=unranked)], unranked=unranked)
    assert told in str(report)


def test_rounded_weights_make_no_second_ranking():
    """One ranking alone compares B and C; the weights of others are rounded, and so is its own."""
    table = ra.ScoreTable(
        [[2, 1, np.nan], [np.nan, 2, np.nan], [np.nan, np.nan, 1]],
        systems="BCD", higher_is_better=True, tasks="xyz",
        task_weights={"x": 2**0.5, "y": 0.1, "z": 2**0.5},
    )  # fmt: skip
    assert np.isnan(ra.spread(table, normalized=True, unranked="ignore"))
