"""Means against NumPy, SciPy and the definition of a weighted median."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra

INVALID = ra.exceptions.InvalidInputError


@st.composite
def positive_tables(draw: st.DrawFn) -> tuple[np.ndarray, list[float]]:
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    cell = st.sampled_from([0.1, 0.5, 1.0, 3.0, 90.0])
    values = draw(st.lists(st.lists(cell, min_size=m, max_size=m), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=m, max_size=m))
    return np.array(values), weights


def table_of(values: np.ndarray, weights: list[float], *, higher: bool = True) -> ra.ScoreTable:
    return ra.ScoreTable(values, higher_is_better=higher, task_weights=dict(enumerate(weights)))


@given(drawn=positive_tables())
def test_means_are_scipys(drawn: tuple[np.ndarray, list[float]]) -> None:
    values, weights = drawn
    table = table_of(values, weights)
    expected = {
        ra.Mean(): np.average(values, axis=1, weights=weights),
        ra.GeometricMean(): stats.gmean(values, axis=1, weights=weights),
        ra.HarmonicMean(): stats.hmean(values, axis=1, weights=weights),
    }
    for rule, scores in expected.items():
        np.testing.assert_allclose(rule.aggregate(table).scores, scores, rtol=1e-12)


@given(drawn=positive_tables())
def test_median_is_that_of_every_task_repeated_by_its_weight(drawn) -> None:
    values, weights = drawn
    repeated = np.repeat(values, (2 * np.array(weights)).astype(int), axis=1)
    median = ra.Median().aggregate(table_of(values, weights)).scores
    np.testing.assert_allclose(median, np.median(repeated, axis=1))


def test_lower_is_better_tasks_are_negated_and_instances_averaged_before_tasks() -> None:
    table = ra.ScoreTable([[1.0, 9.0], [2.0, 1.0]], higher_is_better={0: True, 1: False})
    assert ra.Mean().aggregate(table).scores.tolist() == [-4.0, 0.5]
    costs = table_of(np.array([[1.0, 4.0], [1.0, 1.0]]), [1, 1], higher=False)
    assert ra.GeometricMean().aggregate(costs).order == (1, 0)
    assert ra.GeometricMean().aggregate(costs).scores.tolist() == [-2.0, -1.0]
    table = ra.ScoreTable(
        [[0.0, 0.0, 0.0, 8.0]], tasks="xxxy", instances=[0, 1, 2, 0], higher_is_better=True
    )
    assert ra.Mean().aggregate(table).scores.tolist() == [4.0]


def test_missing_tasks_are_left_out_and_named() -> None:
    values = [[1.0, np.nan], [2.0, 6.0], [np.nan, np.nan]]
    consensus = ra.Mean().aggregate(ra.ScoreTable(values, systems="ABC", higher_is_better=True))
    assert consensus.scores[:2].tolist() == [1.0, 4.0]
    assert consensus.ranking.unranked == ("C",)
    told = (
        "over the tasks that are present for A",
        "without any score, so unranked: C",
        "in no task, so placed by nothing: C",
    )
    assert consensus.notes == told


def test_tasks_on_other_scales_are_noted() -> None:
    values = np.array([[0.9, 70.0, 0.0], [0.8, 75.0, 0.0]])
    table = ra.ScoreTable(values, systems="AB", tasks=["x", "y", "z"], higher_is_better=True)
    told = "scores on y are over ten times as large as on x: a mean of both is hard to interpret"
    assert ra.Mean().aggregate(table).notes == (told,)
    assert ra.GeometricMean().aggregate(table.drop(tasks=["z"])).notes == ()
    table = ra.ScoreTable([[3 * 2.0**-800, 3 * 2.0**800], [9, 1]], higher_is_better=True)
    assert ra.GeometricMean().aggregate(table).buckets == ((0, 1),)
    # Ten times is one scale yet, and zeros are of any.
    values[:, 1] = [9.0, 8.0]
    table = ra.ScoreTable(values, systems="AB", higher_is_better=True)
    assert ra.Mean().aggregate(table).notes == ()


@pytest.mark.parametrize("rule", [ra.GeometricMean(), ra.HarmonicMean()], ids=repr)
def test_ratio_means_refuse_what_is_not_positive(rule: ra.Aggregator) -> None:
    for bad in (0.0, -1.0):
        table = ra.ScoreTable([[1.0], [bad]], systems="AB", tasks=["x"], higher_is_better=True)
        with pytest.raises(INVALID, match=f"positive scores. Got {bad:g} of 'B' on 'x'"):
            rule.aggregate(table)
    mixed = ra.ScoreTable([[1.0, 1.0]], higher_is_better={0: True, 1: False})
    with pytest.raises(INVALID, match="tasks of one direction"):
        rule.aggregate(mixed)
