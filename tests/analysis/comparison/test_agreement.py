"""Agreement of tasks, against SciPy and the definitions."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy

import rankagg as ra
from rankagg.analysis.comparison import agreement
from rankagg.exceptions import InvalidInputError


def table(values, **more):
    return ra.ScoreTable(np.asarray(values, dtype=float), higher_is_better=True, **more)


@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_tau_equals_scipy(seed, gaps):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, size=(8, 5)).astype(float)
    values[rng.random(values.shape) < gaps] = np.nan
    found = ra.analysis.task_agreement(table(values))
    for i in range(5):
        for j in range(5):
            both = ~np.isnan(values[:, i]) & ~np.isnan(values[:, j])
            expected = scipy.stats.kendalltau(values[both, i], values[both, j]).statistic
            assert found._n_common[i, j] == both.sum()
            assert found.tau[i, j] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_each_task_is_compared_with_the_rest(gaps):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(7, 5)) + np.arange(7)[:, None]
    values[rng.random(values.shape) < gaps] = np.nan
    scores = table(values)
    found = ra.analysis.task_agreement(scores)
    for t in range(5):
        rest = ra.Borda().aggregate(scores.drop(tasks=[t])).ranking
        there = ~np.isnan(values[:, t])
        expected = scipy.stats.kendalltau(values[there, t], -rest.ranks[there]).statistic
        assert found.with_rest[t] == pytest.approx(expected)
    assert found.to_frame()["with_rest"].is_monotonic_increasing


def test_memory_grows_as_the_ranks_and_not_as_the_pairs_of_systems():
    scores = table(np.random.default_rng(0).random((1500, 4)))
    ra.analysis.task_agreement(table(np.eye(3)))  # what is imported late
    tracemalloc.start()
    ra.analysis.task_agreement(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < scores.n_systems**2


def test_the_reversed_task_is_listed_first():
    values = np.tile(np.arange(6.0)[:, None], (1, 4))
    values[:, 2] *= -1
    found = ra.analysis.task_agreement(table(values, tasks=list("abcd")))
    assert found.to_frame().index[0] == "c"
    assert found.with_rest.tolist() == [1, 1, -1, 1]
    assert found.pairs().loc["a", "c"] == -1


def test_instances_are_averaged():
    values = np.random.default_rng(0).normal(size=(4, 6))
    long = table(values, tasks=[0, 0, 1, 1, 2, 2], instances=[0, 1] * 3)
    short = table(values.reshape(4, 3, 2).mean(axis=2))
    assert ra.analysis.task_agreement(long) == ra.analysis.task_agreement(short)


@pytest.mark.parametrize(
    "values",
    [[[1, 1, 1], [1, 1, 1]], [[1, np.nan], [np.nan, 2]], [[1, np.nan], [2, np.nan], [np.nan, 3]]],
)
def test_agreement_without_comparable_pairs_is_nan(values):
    found = ra.analysis.task_agreement(table(values))
    assert np.isnan(found.kendall_w)
    assert np.isnan(found.mean_tau)
    assert found.to_dict()["kendall_w"] is None
    assert "Kendall's W not defined, mean tau of two tasks not defined" in str(found)
    assert "nan" not in repr(found)


def test_fewer_than_two_tasks_or_systems_are_refused():
    for values in ([[1], [2]], [[1, 2]]):
        with pytest.raises(InvalidInputError, match="two tasks and two systems"):
            ra.analysis.task_agreement(table(values))
    with pytest.raises(InvalidInputError, match="a ScoreTable"):
        ra.analysis.task_agreement(ra.Profile.from_orders(["AB", "BA"]))


@pytest.mark.parametrize(("n", "levels"), [(2, 2), (5, 3), (8, 100)])
def test_spearman_of_gaps_and_ties_is_that_of_pandas(n, levels):
    rng = np.random.default_rng(n)
    ranks = np.where(rng.random((30, n)) < 0.4, -1, rng.integers(0, levels, (30, n)))
    there = pd.DataFrame(np.where(ranks >= 0, ranks, np.nan).T)
    expected = there.corr(method="spearman", min_periods=2).to_numpy()
    assert agreement._spearman(ranks) == pytest.approx(expected, nan_ok=True)


def test_the_mean_tau_of_a_task_is_over_comparable_tasks():
    tasks = table([[3, 3, 1, 1], [2, 2, 2, 1], [1, 1, 3, 1]])  # the last ties all systems
    frame = ra.analysis.task_agreement(tasks).to_frame()
    found = frame.loc[list(tasks.tasks), "mean_tau"]
    np.testing.assert_allclose(found, [0.0, 0.0, -1.0, np.nan])
