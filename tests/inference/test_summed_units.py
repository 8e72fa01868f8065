"""Intervals from what scores add up to, against those from the rankings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests.core.test_task_tally import tables
from tests.strategies import quick

FIELDS = ("estimate", "lower", "upper", "n_units", "shares")


def assert_same(found, expected, *, exactly):
    for name in FIELDS:
        one, other = getattr(found, name), getattr(expected, name)
        if exactly:
            np.testing.assert_array_equal(one, other, err_msg=name)
        else:
            np.testing.assert_allclose(one, other, atol=1e-12, err_msg=name)
    assert found.notes == expected.notes
    assert found.describe() == expected.describe()


@quick
@given(
    table=tables(),
    method=st.sampled_from(["hoeffding", "bernstein"]),
    estimand=st.sampled_from(["direct", "imputed"]),
    unit=st.sampled_from(["ranking", "fixed", "task"]),
    weighted=st.booleans(),
)
def test_intervals(table, method, estimand, unit, weighted):
    if not weighted:
        table = table.with_task_weights({})
    options = {
        "method": method,
        "estimand": estimand,
        "unit": "ranking" if unit == "fixed" else unit,
        "fixed_tasks": unit == "fixed",
        "simultaneous": "bonferroni",
    }
    try:
        expected = ra.PairwiseIntervals.from_data(table, **options)
    except InvalidInputError as error:
        assert "bernstein" in str(error)  # noqa: PT017 - whatever is refused is refused alike
        with pytest.raises(InvalidInputError, match="bernstein"):
            ra.PairwiseIntervals.from_data(ra.ScoreSummary.from_scores(table), **options)
        return
    found = ra.PairwiseIntervals.from_data(ra.ScoreSummary.from_scores(table), **options)
    exactly = not weighted and estimand == "direct" and unit != "fixed"
    assert_same(found, expected, exactly=exactly)


@quick
@given(table=tables(), ties=st.sampled_from(["half", "exclude"]))
def test_binomial_intervals(table, ties):
    table = table.with_task_weights({})
    summary = ra.ScoreSummary.from_scores(table)
    for method in ("wilson", "clopper-pearson"):
        try:
            expected = ra.PairwiseIntervals.from_data(table, method=method, ties=ties)
        except InvalidInputError:
            with pytest.raises(InvalidInputError, match="ties"):
                ra.PairwiseIntervals.from_data(summary, method=method, ties=ties)
            continue
        found = ra.PairwiseIntervals.from_data(summary, method=method, ties=ties)
        assert_same(found, expected, exactly=True)


def many(n=101):
    """Return a table of so many systems that imputed shares are rounded to a grid."""
    rng = np.random.default_rng(7)
    values = rng.normal(size=(n, 60))
    values[rng.random(values.shape) < rng.random(60)] = np.nan
    values[0, np.isnan(values).all(axis=0)] = 0
    return ra.ScoreTable(values, higher_is_better=True, tasks=["x"] * 60, instances=range(60))


def test_many_systems():
    table = many()
    summary = ra.ScoreSummary.from_scores(table)
    assert summary.tallies["x"].shares is None
    options = {"method": "bernstein", "estimand": "imputed"}
    found = ra.PairwiseIntervals.from_data(summary, **options)
    assert_same(found, ra.PairwiseIntervals.from_data(table, **options), exactly=False)


def test_decisions():
    table = many(4)
    found, expected = (
        ra.PairwiseIntervals.from_data(data).decisions()
        for data in (ra.ScoreSummary.from_scores(table), table)
    )
    assert (found.above == expected.above).all()


def test_resampling_tasks_is_possible():
    rng = np.random.default_rng(3)
    table = ra.ScoreTable(
        rng.normal(size=(3, 60)), tasks=np.repeat(range(20), 3), instances=range(60),
        higher_is_better=True,
    )  # fmt: skip
    options = {"method": "percentile", "unit": "task", "rng": 1}
    found = ra.PairwiseIntervals.from_data(ra.ScoreSummary.from_scores(table), **options)
    assert_same(found, ra.PairwiseIntervals.from_data(table, **options), exactly=False)


@pytest.mark.parametrize("options", [{"method": "percentile"}, {"unit": "instance"}])
def test_what_needs_the_rankings(options):
    summary = ra.ScoreSummary.from_scores(many(3))
    with pytest.raises(InformationLostError, match="read_scores"):
        ra.PairwiseIntervals.from_data(summary, **options)


@pytest.mark.parametrize("function", [ra.rank_intervals])
def test_functions_that_need_the_rankings(function):
    with pytest.raises(InformationLostError, match="read_scores"):
        function(ra.ScoreSummary.from_scores(many(3)))
