"""Instances in tasks: resamples of tasks and of instances within them, and runs of instances."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.intervals.bootstrap import hierarchical_means, resample_rows, resampled_means
from rankagg.inference.units import units_of

HIERARCHICAL = {"unit": "task", "hierarchical": True}


def table(seed=0, sizes=(3, 5, 2, 6), systems=3, gaps=0.0, **more):
    rng = np.random.default_rng(seed)
    columns = sum(sizes)
    values = rng.normal(size=(systems, columns)) + np.repeat(rng.normal(size=len(sizes)), sizes)
    values[rng.random(values.shape) < gaps] = np.nan
    tasks = np.repeat(range(len(sizes)), sizes).tolist()
    return ra.ScoreTable(
        values, tasks=tasks, instances=range(columns), higher_is_better=True, **more
    )


def slow_mean(values, tasks, drawn, weights):
    """Return the mean of tasks of what is drawn: instances in groups, one group a drawn task."""
    total, mass = 0.0, 0.0
    for group in drawn:
        told = [values[i] for i in group if not np.isnan(values[i])]
        if told:
            weight = weights[tasks[group[0]]]
            total += weight * np.mean(told)
            mass += weight
    return total / mass if mass else np.nan


def slow_hierarchical(values, tasks, weights, times, rng):
    """Draw tasks, then instances of each, one after the other."""
    members = [np.flatnonzero(tasks == t) for t in range(tasks.max() + 1)]
    means = []
    for _ in range(times):
        chosen = rng.integers(len(members), size=len(members))
        drawn = [rng.choice(members[t], size=len(members[t])) for t in chosen]
        means.append(slow_mean(values, tasks, drawn, weights))
    return np.array(means)


@pytest.mark.parametrize(("gaps", "weights"), [(0, {}), (0.3, {}), (0, {0: 3.0, 2: 0.5})])
def test_tasks_and_then_instances_are_drawn(gaps, weights):
    scores = table(gaps=gaps, task_weights=weights)
    units = units_of(scores, **HIERARCHICAL)
    found = hierarchical_means(units, 4000, np.random.default_rng(1))
    values = units_of(scores).source.values()[:, 0]
    task_weights = [weights.get(t, 1.0) for t in range(4)]
    rng = np.random.default_rng(2)
    slow = slow_hierarchical(values, scores.unit_tasks, task_weights, 4000, rng)
    fast = found.means[:, 0]
    assert np.isnan(fast).mean() == pytest.approx(np.isnan(slow).mean(), abs=0.02)
    assert np.nanmean(fast) == pytest.approx(np.nanmean(slow), abs=0.02)
    assert np.nanstd(fast) == pytest.approx(np.nanstd(slow), rel=0.06)
    for level in (0.05, 0.5, 0.95):
        low, high = (np.nanquantile(means, level) for means in (fast, slow))
        assert low == pytest.approx(high, abs=0.05)


def test_variances_are_those_that_are_stated():
    scores = table(sizes=(8,) * 6, systems=2)
    units = units_of(scores, **HIERARCHICAL)
    found = hierarchical_means(units, 40_000, np.random.default_rng(0))
    values = units.source.values()[:, 0].reshape(6, 8)
    between, within = values.mean(axis=1).var(), values.var(axis=1).mean()
    assert found.means.var() == pytest.approx(between / 6 + within / 8 / 6, rel=0.03)


def test_blocks_change_nothing(monkeypatch):
    units = units_of(table(gaps=0.2), **HIERARCHICAL)
    whole = hierarchical_means(units, 300, np.random.default_rng(0)).means
    monkeypatch.setattr("rankagg.inference.intervals.bootstrap.DRAWN_AT_ONCE", 40)
    parts = hierarchical_means(units, 300, np.random.default_rng(0)).means
    np.testing.assert_allclose(parts, whole)


def test_runs_of_an_instance_are_drawn_together():
    """Where all runs of a question agree, its runs add nothing."""
    once = table(seed=3)
    profile = once.rankings()
    again = ra.Profile(
        [ranking for ranking in profile for _ in range(2)],
        groups=[group for group in profile.groups for _ in range(2)],
    )
    questions = [label for label in once.instances for _ in range(2)]
    one, two = (
        hierarchical_means(units_of(data, **HIERARCHICAL, **more), 500, np.random.default_rng(0))
        for data, more in ((once, {}), (again, {"instances": questions}))
    )
    np.testing.assert_allclose(one.means, two.means)


def test_it_is_wider_than_tasks_alone():
    scores = table(sizes=(4,) * 8)
    wide, narrow = (
        ra.PairwiseIntervals.from_data(scores, method="percentile", unit=unit, rng=0)
        for unit in ("hierarchical", "task")
    )
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(wide.estimate, narrow.estimate)
    assert ((wide.upper - wide.lower)[off] > (narrow.upper - narrow.lower)[off]).all()
    assert (wide.hierarchical, narrow.hierarchical) == (True, False)
    assert wide.unit == "task"
    assert "tasks and then their instances drawn" in wide.describe()


def test_ranks_say_what_was_drawn():
    for of in ("borda", "mean", "pairwise"):
        ranks = ra.rank_intervals(table(), of=of, unit="hierarchical", n_resamples=200)
        assert (ranks.method, ranks.unit, ranks.n_units) == ("max-t", "task", 4)
        assert "tasks and then their instances drawn" in ranks.describe()


# -- fixed tasks ----------------------------------------------------------------------------------


def test_runs_of_fixed_tasks_are_averaged():
    scores = table(sizes=(6, 4))
    questions = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    units = units_of(scores, unit="instance", fixed_tasks=True, instances=questions)
    values = units_of(scores).source.values()
    by_question = values.reshape(5, 2, -1).mean(axis=1)
    expected = (by_question[:3].mean(axis=0) + by_question[3:].mean(axis=0)) / 2
    np.testing.assert_allclose(units.moments.mean, expected)
    np.testing.assert_allclose(units.moments.shares, (1 / 3 + 1 / 2) / 4)
    assert units.unit_strata.tolist() == [0, 0, 0, 1, 1]
    found = resampled_means(units, 8000, np.random.default_rng(0))
    variance = (by_question[:3].var(axis=0) / 2 + by_question[3:].var(axis=0) / 1) / 4
    np.testing.assert_allclose(found.means.var(axis=0), variance, rtol=0.08)


def test_drawn_rows_stay_in_their_fixed_task():
    scores = table(sizes=(6, 4))
    questions = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    units = units_of(scores, unit="instance", fixed_tasks=True, instances=questions)
    drawn = resample_rows(units, 50, np.random.default_rng(0))
    assert (drawn[:, :6].sum(axis=1) == 6).all()
    assert (drawn[:, 6:].sum(axis=1) == 4).all()
    assert (drawn[:, ::2] == drawn[:, 1::2]).all()


# -- what does not go -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["hoeffding", "bernstein", "normal", "bca", "clopper-pearson"])
def test_only_resamples_are_hierarchical(method):
    with pytest.raises(InvalidInputError, match="`unit='task'` goes with every method"):
        ra.PairwiseIntervals.from_data(table(), unit="hierarchical", method=method)


@pytest.mark.parametrize(("of", "method"), [("borda", "sign-flips"), ("pairwise", "sign-test")])
def test_signs_are_not_hierarchical(of, method):
    with pytest.raises(InvalidInputError, match="Only resamples draw tasks"):
        ra.rank_intervals(table(), of=of, method=method, unit="hierarchical")


def test_others_do_not_take_it():
    scores = table()
    for call in (ra.friedman, lambda data, unit: ra.rank_shares(data, ra.Borda(), unit=unit)):
        with pytest.raises(InvalidInputError, match="'ranking' or 'instance' or 'task'"):
            call(scores, unit="hierarchical")
    summary = ra.ScoreSummary.from_scores(scores)
    with pytest.raises(InformationLostError, match="unit='task'"):
        ra.rank_intervals(summary, unit="hierarchical", method="max-t")
    with pytest.raises(InformationLostError, match="unit='task'"):
        ra.PairwiseIntervals.from_data(summary, unit="hierarchical", method="percentile")
    with pytest.raises(InvalidInputError, match="they have no tasks"):
        ra.rank_intervals(ra.Profile.from_orders(["AB", "BA"]), unit="hierarchical")


@pytest.mark.parametrize("sizes", [(1, 1), (3,), (1,)])
def test_two_tasks_one_task_one_instance(sizes):
    scores = table(sizes=sizes)
    ranks = ra.rank_intervals(scores, of="mean", unit="hierarchical", n_resamples=200)
    assert any("max-t intervals were measured" in note for note in ranks.notes) or len(sizes) == 1
    assert ranks.decisions.pairs == () or len(sizes) > 1
    found = ra.PairwiseIntervals.from_data(scores, unit="hierarchical", method="percentile", rng=0)
    assert (found.lower <= found.estimate).all()
    assert (found.estimate <= found.upper).all()


def test_a_task_in_which_two_systems_share_nothing():
    values = [[1, 2, np.nan, np.nan, 3, 4], [np.nan, np.nan, 3, 4, 1, 2], [1, 1, 1, 1, np.nan, 1]]
    scores = ra.ScoreTable(
        values, tasks=[0, 0, 1, 1, 2, 2], instances=range(6), higher_is_better=True
    )
    found = ra.PairwiseIntervals.from_data(scores, unit="hierarchical", method="percentile", rng=0)
    assert found.n_units[0, 1] == 1
    assert np.isfinite(found.lower).all()


def test_equal_scores_everywhere():
    scores = ra.ScoreTable(
        np.ones((3, 8)), tasks=[0, 0, 1, 1, 2, 2, 3, 3], instances=range(8), higher_is_better=True
    )
    ranks = ra.rank_intervals(scores, of="mean", unit="hierarchical", n_resamples=200)
    assert ranks.decisions.pairs == ()
    assert (ranks.rank == 1).all()


def test_one_task_says_nothing_of_others():
    values = np.arange(2)[:, None] * 5 + np.random.default_rng(0).normal(size=(2, 30))
    scores = ra.ScoreTable(values, tasks=["x"] * 30, instances=range(30), higher_is_better=True)
    ranks = ra.rank_intervals(scores, of="mean", unit="hierarchical", n_resamples=200)
    assert ranks.decisions.pairs == ()
    assert any("no pair can be decided" in note for note in ranks.notes)


# -- coverage -------------------------------------------------------------------------------------

RUNS = 300
STATED = {  # What is said of six equal systems, and whether it should be right in 95 % of tables.
    "signs of tasks": (True, lambda t, rng: nothing_decided(t, rng, unit="task")),
    "signs of instances": (False, lambda t, rng: nothing_decided(t, rng, unit="ranking")),
    "tasks": (False, lambda t, rng: holds(t, rng, unit="task")),
    "tasks and instances": (True, lambda t, rng: holds(t, rng, unit="hierarchical")),
    "two systems": (True, lambda t, rng: no_difference(t, rng, unit="task")),
    "two systems, instances": (False, lambda t, rng: no_difference(t, rng, unit="ranking")),
}


def nothing_decided(scores, rng, **options):
    return not ra.rank_intervals(
        scores, of="mean", n_resamples=400, rng=rng, **options
    ).decisions.pairs


def holds(scores, rng, **options):
    found = ra.PairwiseIntervals.from_data(
        scores, method="percentile", n_resamples=400, rng=rng, **options
    )
    return found.lower[0, 1] <= 0.5 <= found.upper[0, 1]


def no_difference(scores, rng, **options):
    found = ra.paired_test(scores, 0, 1, n_resamples=400, rng=rng, **options)
    return found.lower <= 0 <= found.upper


@pytest.mark.slow
@pytest.mark.parametrize("name", STATED)
def test_coverage_of_equal_systems(name):
    """Tasks of 5 to 15 instances, each with its own strengths; with six tasks."""
    should, right = STATED[name]
    held = []
    for seed in range(RUNS):
        rng = np.random.default_rng([seed, 7])
        tasks = np.repeat(range(6), [5, 10, 15, 5, 10, 15])
        values = (0.5 * rng.normal(size=(6, 6)))[:, tasks] + rng.normal(size=(6, 60))
        scores = ra.ScoreTable(
            values, tasks=tasks.tolist(), instances=range(60), higher_is_better=True
        )
        held.append(right(scores, rng))
    error = np.sqrt(0.05 * 0.95 / RUNS)
    assert (np.mean(held) >= 0.95 - 3 * error) == should
