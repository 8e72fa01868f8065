"""Intervals from what scores add up to, against those from the rankings."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests.core.test_score_summary import tables
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


def test_resampling_tasks_is_possible():
    rng = np.random.default_rng(3)
    table = ra.ScoreTable(
        rng.normal(size=(3, 60)), tasks=np.repeat(range(20), 3), instances=range(60),
        higher_is_better=True,
    )  # fmt: skip
    options = {"method": "percentile", "unit": "task", "rng": 1}
    found = ra.PairwiseIntervals.from_data(ra.ScoreSummary.from_scores(table), **options)
    assert_same(found, ra.PairwiseIntervals.from_data(table, **options), exactly=False)


@quick
@given(
    table=tables(),
    unranked=st.sampled_from(["uniform", "ignore", "last"]),
    fixed=st.booleans(),
    times=st.sampled_from([1, 30]),
)
def test_ranks_by_points(table, unranked, fixed, times):
    summary = sum((ra.ScoreSummary.from_scores(table) for _ in range(times - 1)),
                  ra.ScoreSummary.from_scores(table))  # fmt: skip
    often = ra.ScoreTable(
        np.tile(table.values, times),
        tasks=[table.tasks[t] for t in table.unit_tasks] * times,
        instances=range(table.n_units * times),
        higher_is_better=table.higher_is_better,
        task_weights=table.task_weights,
    )
    options = {"unranked": unranked, "fixed_tasks": fixed}
    found = ra.rank_intervals(summary, **options)
    expected = ra.rank_intervals(often, method="hoeffding", **options)
    assert found.to_dict() == expected.to_dict()


@quick
@given(table=tables(), method=st.sampled_from([None, "hoeffding", "sign-test"]))
def test_ranks_by_majorities(table, method):
    table = table.with_task_weights({})
    found = ra.rank_intervals(ra.ScoreSummary.from_scores(table), of="pairwise", method=method)
    expected = ra.rank_intervals(table, of="pairwise", method=method)
    assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize(
    "call",
    [
        *(
            partial(ra.PairwiseIntervals.from_data, **options)
            for options in ({"method": "percentile"}, {"unit": "instance"})
        ),
        *(
            partial(ra.rank_intervals, **options)
            for options in (
                {"method": "sign-flips"}, {"method": "bernstein"}, {"of": "mean"},
                {"unit": "task"}, {"of": "pairwise", "method": "max-t"},
            )
        ),
        ra.friedman,
    ],
)  # fmt: skip
def test_what_needs_the_rankings(call):
    with pytest.raises(InformationLostError, match="read_scores"):
        call(ra.ScoreSummary.from_scores(many(3)))


@pytest.mark.parametrize("options", [{"tolerance": 0.1}, {"instances": [1]}])
@pytest.mark.parametrize("of", ["borda", "pairwise"])
def test_options_that_sums_were_made_without(options, of):
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        ra.rank_intervals(ra.ScoreSummary.from_scores(many(3)), of=of, **options)
