"""Normal intervals of pairs: against statsmodels, and where they may be made at all."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

import rankagg as ra
from rankagg import bernstein_radius
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import by_intervals
from rankagg.inference.intervals.bounds import is_near_normal, largest_skewness, normal_radius
from rankagg.inference.intervals.methods import IntervalOptions
from tests.core.test_score_summary import tables
from tests.inference.test_summed_units import assert_same
from tests.strategies import quick

from_data = ra.PairwiseIntervals.from_data
KINDS = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


def gappy(seed, m, share=0.3):
    """Return a table of three systems with gaps and ties."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(3, m)) + np.array([[1.0], [0.0], [0.0]])
    values[rng.random(values.shape) < share] = np.nan
    values[0, np.isnan(values).all(axis=0)] = 0.0
    return ra.ScoreTable(values, higher_is_better=True, tasks=["x"] * m, instances=range(m))


@cache
def values_of(seed, m, estimand, i, j):
    """Return what each ranking of a table says of a pair, one by one."""
    told = []
    for ranking in gappy(seed, m).rankings():
        if estimand == "imputed":
            told.append(ranking.pairwise_probabilities()[i, j])
        elif ranking.ranks[i] >= 0 and ranking.ranks[j] >= 0:
            told.append(0.5 - np.sign(ranking.ranks[i] - ranking.ranks[j]) / 2)
    return np.array(told, dtype=float)


# -- what they are --------------------------------------------------------------------------------


@pytest.mark.parametrize("estimand", ["direct", "imputed"])
@pytest.mark.parametrize("alternative", list(KINDS))
@pytest.mark.parametrize("simultaneous", [None, "bonferroni"])
def test_they_are_those_of_statsmodels_and_scipy(estimand, alternative, simultaneous):
    table = gappy(1, 1800)
    found = from_data(
        table, method="normal", alpha=0.1, estimand=estimand, alternative=alternative,
        simultaneous=simultaneous,
    )  # fmt: skip
    assert found.notes == ()
    alpha = 0.1 / 3 if simultaneous else 0.1
    for i, j in ((0, 1), (0, 2), (1, 2)):
        values = values_of(1, 1800, estimand, i, j)
        low, high = DescrStatsW(values).zconfint_mean(alpha, KINDS[alternative])
        expected = max(low, 0.0), min(high, 1.0)
        assert (found.lower[i, j], found.upper[i, j]) == pytest.approx(expected, abs=1e-12)
        assert (found.lower[j, i], found.upper[j, i]) == pytest.approx(
            (1 - expected[1], 1 - expected[0]), abs=1e-12
        )
        if alternative == "two-sided":
            theirs = stats.norm.interval(1 - alpha, values.mean(), stats.sem(values))
            assert (low, high) == pytest.approx(theirs, abs=1e-12)


def test_instances_of_several_metrics_are_averaged_first():
    rng = np.random.default_rng(2)
    orders = ["AB" if one else "BA" for one in rng.random(900) < 0.6]
    instances = [k // 3 for k in range(900)]
    found = from_data(
        ra.Profile.from_orders(orders), method="normal", unit="instance", instances=instances
    )
    values = np.array([order == "AB" for order in orders]).reshape(300, 3).mean(axis=1)
    expected = DescrStatsW(values).zconfint_mean(0.05)
    assert (found.lower[0, 1], found.upper[0, 1]) == pytest.approx(expected, abs=1e-12)


# -- of sums --------------------------------------------------------------------------------------


@quick
@given(
    table=tables(),
    estimand=st.sampled_from(["direct", "imputed"]),
    times=st.sampled_from([1, 40]),
    alternative=st.sampled_from(list(KINDS)),
)
def test_they_follow_from_what_scores_add_up_to(table, estimand, times, alternative):
    often = ra.ScoreTable(
        np.tile(table.values, times),
        tasks=[table.tasks[t] for t in table.unit_tasks] * times,
        instances=range(table.n_units * times),
        higher_is_better=table.higher_is_better,
    )
    options = {"method": "normal", "estimand": estimand, "alternative": alternative}
    found = from_data(ra.ScoreSummary.from_scores(often), **options)
    assert_same(found, from_data(often, **options), exactly=estimand == "direct")


def test_of_many_systems_they_are_the_same():
    rng = np.random.default_rng(7)
    values = rng.normal(size=(101, 400))
    values[1:, rng.random(400) < 0.5] = np.nan
    table = ra.ScoreTable(values, higher_is_better=True, tasks=["x"] * 400, instances=range(400))
    options = {"method": "normal", "estimand": "imputed"}
    found = from_data(ra.ScoreSummary.from_scores(table), **options)
    assert_same(found, from_data(table, **options), exactly=False)


# -- where they may not be made -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wins", "losses"), [(1, 0), (5, 5), (12, 12), (1000, 0), (0, 1000), (999, 1), (100_000, 9)]
)
def test_units_that_are_few_or_agree_take_bernsteins_and_a_note_says_so(wins, losses):
    told = [(order, count) for order, count in (("AB", wins), ("BA", losses)) if count]
    profile = ra.Profile.from_orders(
        [order for order, _ in told], items="AB", counts=[count for _, count in told]
    )
    found, expected = (from_data(profile, method=method) for method in ("normal", "bernstein"))
    np.testing.assert_array_equal(found.lower, expected.lower)
    np.testing.assert_array_equal(found.upper, expected.upper)
    (note,) = found.notes
    assert note.startswith("on 1 pair rankings are too few, or agree too nearly,")
    assert note.endswith("'bernstein'")
    # Never shorter than what so many units that agree can justify.
    assert max(found.lower[0, 1], found.lower[1, 0]) < 0.05 ** (1 / (wins + losses))


def test_pairs_are_judged_one_by_one():
    # A and B are compared often and closely, C is nearly always last, D is never there.
    profile = ra.Profile.from_orders(["ABC", "BAC", "BCA"], items="ABCD", counts=[500, 300, 3])
    normal, bernstein = (from_data(profile, method=method) for method in ("normal", "bernstein"))
    assert normal.lower[0, 1] > bernstein.lower[0, 1]
    assert normal.lower[0, 2] == bernstein.lower[0, 2]
    assert (normal.lower[0, 3], normal.upper[0, 3]) == (0, 1)
    assert [note.split(" ")[:3] for note in normal.notes] == [
        ["no", "ranking", "tells"], ["on", "2", "pairs"]
    ]  # fmt: skip


def test_the_farther_out_the_tail_the_more_units_it_takes():
    found = [
        next(n for n in range(2, 10**5) if is_near_normal(0.6, 0.24 * n / (n - 1), n, alpha))
        for alpha in (0.1, 0.05, 0.05 / 15, 0.05 / 190)
    ]
    assert found == sorted(found)
    assert found[0] < 60
    assert found[-1] > 10 * found[0]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
@quick
def test_mean_and_variance_bound_the_skewness(values):
    deviation = np.std(values)
    if deviation > 1e-3:
        skewness = np.mean((np.array(values) - np.mean(values)) ** 3) / deviation**3
        assert abs(skewness) <= largest_skewness(np.mean(values), deviation) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.8])
def test_of_zeros_and_ones_they_determine_it(share):
    deviation = np.sqrt(share * (1 - share))
    exact = float(abs(stats.bernoulli.stats(share, moments="s")))
    assert largest_skewness(share, deviation) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("profile", ["weights", "tasks"])
def test_units_must_weigh_the_same(profile):
    data = ra.Profile.from_orders(
        ["AB", "BA"], counts=[60, 60], groups="xy", weights=[1, 2 if profile == "weights" else 1]
    )
    with pytest.raises(InvalidInputError, match=r"`method` must be 'hoeffding' .* Got 'normal'"):
        from_data(data, method="normal", fixed_tasks=profile == "tasks")


# -- how often they hold --------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 15])
@pytest.mark.parametrize("n", [10, 30, 60, 100, 300, 1000])
def test_at_every_proportion_they_are_wrong_about_as_often_as_they_say(n, alpha, sides):
    wins = np.arange(n + 1)
    mean = wins / n
    variance = mean * (1 - mean) * n / (n - 1)
    near = is_near_normal(mean, variance, n, alpha, sides)
    radius = np.where(
        near,
        normal_radius(variance, n, alpha, sides),
        bernstein_radius(variance, n, alpha, sides),
    )
    rare = np.geomspace(0.02, 0.1 / n, 60)
    true = np.concatenate([np.linspace(0.02, 0.98, 193), rare, 1 - rare])
    chance = stats.binom.pmf(wins[:, None], n, true)
    missed = (mean - radius)[:, None] > true + 1e-12
    if sides == 2:
        missed |= true - 1e-12 > (mean + radius)[:, None]
    assert (chance * missed).sum(axis=0).max() < 1.36 * alpha


# -- what is decided ------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_decisions_are_possible_from_where_some_outcome_decides(alpha):
    options = IntervalOptions("normal", alpha, "bonferroni", "two-sided", False, "half", 100)
    enough = by_intervals(options, 2)

    def decides(n):
        wins = np.arange(n + 1)
        profiles = (ra.Profile.from_ranks(
            [ranks for ranks, count in (((0, 1), k), ((1, 0), n - k)) if count], items="AB",
            counts=[count for count in (k, n - k) if count],
        ) for k in wins.tolist())  # fmt: skip
        found = (from_data(p, method="normal", alpha=alpha).lower[0, 1] for p in profiles)
        return any(lower > 0.5 for lower in found)

    assert not any(decides(n) for n in range(1, enough))
    if alpha == 0.05:
        assert decides(enough)


def test_decisions_by_them_are_about_the_level():
    profile = ra.Profile.from_orders(["ABC", "BAC", "CAB"], counts=[90, 40, 20])
    intervals = from_data(profile, method="normal", simultaneous="bonferroni")
    decisions = intervals.decisions("intervals")
    assert decisions.is_approximate
    assert "rankings are independent draws, and many" in decisions.summary()
    assert ("A", "C") in decisions.pairs
