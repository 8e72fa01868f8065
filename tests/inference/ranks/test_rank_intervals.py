"""Intervals for ranks against pairs decided by hand, and against true places."""

from fractions import Fraction
from math import log, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.inference.pair_values import Differences
from rankagg.inference.ranks.rank_results import ranks_from_intervals
from tests import oracles, strategies

CONDORCET = ra.datasets.load("condorcet_1785")
TENNESSEE = ra.datasets.load("tennessee")
CLEAR = ra.Profile.from_orders(["ABC", "ACB"], counts=[55, 45])


some_scores = st.sampled_from([-1.5, 0.0, 0.25, 0.5, 1.0, 70.0])


# -- the slow twins -------------------------------------------------------------------------------


def places_by(above):
    """Return the rank of each item from the items above it, the same for its bounds."""
    return [1 + sum(column) for column in above.T.tolist()]


def points_of(ranking, policy):
    """Return each item's expected points, or its wins less its losses."""
    return [Fraction(score) for score in oracles.borda([oracles.as_places(ranking)], policy)]


# -- ranks and decisions -------------------------------------------------------------------------


@given(strategies.profiles(max_size=4), st.sampled_from(["pairwise", "borda"]))
def test_rank_bounds_follow_from_the_decisions(profile, of):
    result = ra.rank_intervals(profile, of=of, alpha=0.5)
    above = result.decisions.above
    assert result.best.tolist() == places_by(above)
    assert result.worst.tolist() == (profile.n_items - above.sum(axis=1)).tolist()
    assert (result.best <= result.rank).all()
    assert (result.rank <= result.worst).all()
    assert (result.decisions.alpha, result.items) == (0.5, profile.items)


def test_pairwise_places_count_the_majorities_above():
    result = ra.rank_intervals(CONDORCET, of="pairwise")
    wins = CONDORCET.pairwise().wins
    assert result.rank.tolist() == places_by(wins > wins.T) == [2, 2, 2]
    never = ra.rank_intervals(ra.Profile.from_orders(["AB", "C"], items="ABC"), of="pairwise")
    assert never.rank.tolist() == [1, 2, 1]
    assert (never.best.tolist(), never.worst.tolist()) == ([1] * 3, [3] * 3)


@pytest.mark.parametrize("how", ["holm", "intervals"])
def test_places_follow_from_intervals_of_pairs(how):
    intervals = ra.PairwiseIntervals.from_data(TENNESSEE, simultaneous="bonferroni", alpha=0.3)
    result = ranks_from_intervals(intervals, how)
    decisions = intervals.decisions(how)
    assert result.decisions == decisions
    assert result.best.tolist() == places_by(decisions.above)
    assert result.worst.tolist() == (4 - decisions.above.sum(axis=1)).tolist()
    assert (result.of, result.unit) == ("pairwise", "ranking")
    assert set(intervals.notes) <= set(result.notes)


# -- by Borda points ------------------------------------------------------------------------------


@given(strategies.profiles(max_size=4), strategies.policies)
def test_values_of_pairs_are_differences_of_points(profile, policy):
    values = Differences.of_points(profile.with_unranked(policy)).values()
    n = profile.n_items
    largest = max(n - 1, 1) * (2 if policy == "ignore" else 1)
    for ranking, row in zip(profile, values, strict=True):
        points = points_of(ranking, policy)
        for (i, j), value in zip(oracles.pairs(n), row, strict=True):
            assert value == pytest.approx(float(1 + (points[i] - points[j]) / largest) / 2)
            assert -1e-12 <= value <= 1 + 1e-12


@given(strategies.profiles(), strategies.policies)
def test_places_by_points_are_those_of_borda(profile, policy):
    result = ra.rank_intervals(profile.with_unranked(policy), of="borda", method="hoeffding")
    expected = ra.Borda().aggregate(profile.with_unranked(policy)).ranking.ranks + 1
    assert result.rank.tolist() == expected.tolist()


@pytest.mark.parametrize("policy", ["uniform", "ignore", "last"])
def test_points_are_decided_where_half_is_outside(policy):
    rng = np.random.default_rng(0)
    scores = rng.random((300, 4)) + np.array([0.6, 0.4, 0.1, 0])
    scores[rng.random(scores.shape) < 0.2] = nan
    profile = ra.Profile.from_scores(scores, higher_is_better=True)
    result = ra.rank_intervals(profile.with_unranked(policy), method="hoeffding", alpha=0.2)
    largest = 3 * (2 if policy == "ignore" else 1)
    points = np.array([[float(p) for p in points_of(r, policy)] for r in profile])
    radius, found = sqrt(log(2 * 6 / 0.2) / (2 * 300)), 0
    for i, j in oracles.pairs(4):
        shares = (1 + (points[:, i] - points[:, j]) / largest) / 2
        assert result.decisions.above[i, j] == (shares.mean() - radius > 0.5)
        assert result.decisions.above[j, i] == (shares.mean() + radius < 0.5)
        found += result.decisions.above[i, j]
    assert 0 < found < 6


def test_tasks_are_averaged_where_they_are_the_units():
    # One level counts seven rankings of x, two levels two tasks.
    profile = ra.Profile.from_orders(["AB"] * 7 + ["BA"] * 3, groups="x" * 7 + "yzz")
    assert ra.rank_intervals(profile, of="borda").rank.tolist() == [1, 2]
    by_task = ra.rank_intervals(profile, of="borda", unit="task")
    assert (by_task.unit, by_task.rank.tolist()) == ("task", [2, 1])
    assert ra.rank_intervals(profile, of="borda", fixed_tasks=True).rank.tolist() == [2, 1]


# -- by mean scores -------------------------------------------------------------------------------


@st.composite
def full_tables(draw, *, instances):
    n, columns = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    cells = draw(st.lists(some_scores, min_size=n * columns, max_size=n * columns))
    tasks = draw(st.lists(st.sampled_from("xy"), min_size=columns, max_size=columns))
    tasks = tasks if instances else list(range(columns))
    names = list(dict.fromkeys(tasks))
    return ra.ScoreTable(
        np.array(cells).reshape(n, columns),
        systems="ABCD"[:n],
        tasks=tasks,
        instances=range(columns) if instances else None,
        higher_is_better={task: draw(st.booleans()) for task in names},
        task_weights={task: draw(strategies.weights) for task in names},
    )


@given(full_tables(instances=False))
def test_places_by_means_are_those_of_the_mean(table):
    expected = (ra.Mean().aggregate(table).ranking.ranks + 1).tolist()
    assert ra.rank_intervals(table, of="mean", n_resamples=100, rng=0).rank.tolist() == expected


@given(full_tables(instances=True))
def test_with_tasks_as_units_instances_are_averaged_first(table):
    expected = (ra.Mean().aggregate(table).ranking.ranks + 1).tolist()
    result = ra.rank_intervals(table, of="mean", n_resamples=100, unit="task")
    assert result.rank.tolist() == expected


# -- the summary ----------------------------------------------------------------------------------


def test_summary_states_places_level_and_unit():
    result = ra.rank_intervals(CLEAR, of="pairwise", method="hoeffding", alpha=0.1)
    assert result.summary().splitlines() == [
        "ranks by majorities; simultaneous 90 % confidence intervals, by Holm's procedure on "
        "Hoeffding p-values; independent: 100 rankings (decisions are possible from 9 on)",
        "assumed: rankings are independent draws",
        "   1  A  rank 1; tier 1; above the next",
        "   2  B  ranks 2 to 3; tier 2",
        "   3  C  ranks 2 to 3; tier 2",
        "may be first: A",
        "tiers: every item of a tier is decided to be above every item of the next ones",
    ]
    assert result.summary(rows=1).splitlines()[-3] == "... and 2 more items"
    assert repr(result) == "<RankIntervals of 3 items by pairwise>"
