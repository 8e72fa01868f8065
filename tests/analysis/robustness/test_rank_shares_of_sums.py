"""Rank shares of what scores add up to, against those of the scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.analysis.robustness.rank_shares import RedrawSums
from rankagg.exceptions import InvalidInputError
from tests.core.test_grouped_tally import plain_groups
from tests.core.test_score_summary import tables


def assert_same(found, expected):
    for name in ("best", "worst", "can_win"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    assert found.notes == expected.notes


RULES = (ra.Borda(), ra.Borda(unranked="ignore"), ra.Mean(), ra.Kemeny(),
         ra.TwoLevel(ra.Borda(), ra.Borda()))  # fmt: skip


@settings(deadline=None, max_examples=30)
@given(table=tables(max_systems=4, max_units=8), data=st.data())
def test_resamples_are_those_of_the_scores(table, data):
    """A resample is the table with columns of each group repeated as often as it was drawn."""
    rule = data.draw(st.sampled_from(RULES))
    unit = data.draw(st.sampled_from(["ranking", "instance"]))
    fixed = unit == "ranking" and data.draw(st.booleans())
    summary = ra.ScoreSummary.from_scores(table, n_groups=3)
    found = ra.rank_shares(
        summary, rule, unit=unit, fixed_tasks=fixed, n_resamples=4, rng=np.random.default_rng(7)
    )
    redraw = RedrawSums(summary, rule, unit, fixed).in_order()
    counts = redraw.draw(4, np.random.default_rng(7))
    groups = plain_groups(table, 3)
    for row, times in enumerate(counts):
        drawn = [
            (task, u)
            for at, task in enumerate(sorted(table.tasks))
            for group, units in groups[task].items()
            for u in units
            for _ in range(times[at, group])
        ]
        tasks = [task for task, _ in drawn]
        again = ra.ScoreTable(
            table.values[:, [u for _, u in drawn]], systems=table.systems, tasks=tasks,
            instances=range(len(drawn)),
            higher_is_better={task: table.higher_is_better[task] for task in tasks},
            task_weights={task: table.task_weights[task] for task in tasks},
        )  # fmt: skip
        consensus = rule.aggregate(again)
        if isinstance(rule, ra.Kemeny):
            best, worst = consensus.optima.rank_ranges()
        else:
            frame = consensus.ranking
            best = np.array([0 if frame.rank(s) is None else frame.rank(s) for s in table.systems])
            worst = None
        np.testing.assert_array_equal(found.best[row], best)
        if worst is not None:
            np.testing.assert_array_equal(found.worst[row], worst)


@pytest.mark.parametrize(("unit", "fixed"), [("ranking", 0), ("ranking", 1), ("instance", 0)])
def test_what_is_drawn(unit, fixed):
    rng = np.random.default_rng(0)
    table = ra.ScoreTable(
        rng.normal(size=(2, 90)), systems="AB", tasks=["x"] * 60 + ["y"] * 30,
        instances=[*range(60), *range(30)], higher_is_better=True,
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table, n_groups=20)
    counts = RedrawSums(summary, ra.Borda(), unit, bool(fixed)).draw(300, rng)
    there = np.array([[g in t.parts for g in range(20)] for t in summary.grouped.values()])
    if unit == "instance":
        assert (counts[:, 0] == counts[:, 1]).all()
        assert (counts[:, 0].sum(axis=1) == there.any(axis=0).sum()).all()
        return
    assert not counts[:, ~there].any()
    assert (counts.sum(axis=(1, 2)) == there.sum()).all()
    per_task = counts.sum(axis=2)
    assert ((per_task == there.sum(axis=1)).all()) == bool(fixed)
    # Each is drawn once on average, with a variance of nearly one.
    drawn = counts[:, there]
    assert abs(drawn.mean(axis=0) - 1).max() < 0.3
    assert 0.8 < drawn.var() < 1.1


@pytest.mark.parametrize("rule", [ra.Borda(), ra.TwoLevel(ra.Borda(), ra.Borda()), ra.Kemeny()])
def test_tasks_are_drawn_as_those_of_the_scores(rule):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4, 30)) + np.array([0.4, 0.3, 0.1, 0])[:, None]
    table = ra.ScoreTable(
        values, systems="ABCD", tasks=np.repeat(list("cabfe"), 6).tolist(), instances=range(30),
        higher_is_better=True, task_weights={"a": 2},
    )  # fmt: skip
    found, expected = (
        ra.rank_shares(data, rule, unit="task", n_resamples=60, rng=3)
        for data in (ra.ScoreSummary.from_scores(table), table)
    )
    assert_same(found, expected)


@pytest.mark.slow
def test_processes():
    rng = np.random.default_rng(1)
    table = ra.ScoreTable(
        rng.normal(size=(3, 40)), tasks=["x"] * 40, instances=range(40), higher_is_better=True
    )
    summary = ra.ScoreSummary.from_scores(table, n_groups=10)
    one, two = (
        ra.rank_shares(summary, ra.Borda(), n_resamples=20, rng=1, n_jobs=jobs) for jobs in (1, 2)
    )
    assert_same(one, two)


@pytest.mark.parametrize("options", [{"tolerance": 0.1}, {"instances": [1]}, {"unit": "system"}])
def test_options_that_sums_were_made_without(options):
    table = ra.ScoreTable([[1, 2]], tasks="xx", instances=[0, 1], higher_is_better=True)
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        ra.rank_shares(ra.ScoreSummary.from_scores(table, n_groups=2), ra.Borda(), **options)
