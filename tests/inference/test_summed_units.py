"""Intervals from summed scores, against those from the rankings."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError
from tests.core.test_score_summary import tables
from tests.strategies import policies

few = settings(max_examples=6)


def assert_same(found, expected, *, exactly):
    for name in ("estimate", "lower", "upper", "n_units", "shares"):
        one, other = getattr(found, name), getattr(expected, name)
        if exactly:
            np.testing.assert_array_equal(one, other, err_msg=name)
        else:
            np.testing.assert_allclose(one, other, atol=1e-12, err_msg=name)
    assert found.notes == expected.notes
    assert found.describe() == expected.describe()


@given(
    table=tables(),
    unit=st.sampled_from(["ranking", "fixed", "task"]),
    weighted=st.booleans(),
    policy=policies,
)
def test_intervals_of_sums_equal_those_of_scores(*, table, unit, weighted, policy):
    table = (table if weighted else table.with_task_weights({})).with_unranked(policy)
    from_data = partial(
        ra.PairwiseIntervals.from_data, simultaneous="bonferroni",
        unit="ranking" if unit == "fixed" else unit, fixed_tasks=unit == "fixed",
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table)
    exactly = not weighted and unit != "fixed"
    assert_same(from_data(summary), from_data(table), exactly=exactly)


@given(table=tables(), policy=policies)
def test_binomial_intervals_of_sums_equal_those_of_scores(table, policy):
    table = table.with_task_weights({}).with_unranked(policy)
    summary = ra.ScoreSummary.from_scores(table)
    for method in ("wilson", "clopper-pearson"):
        from_data = partial(ra.PairwiseIntervals.from_data, method=method)
        assert_same(from_data(summary), from_data(table), exactly=True)


def many(n=101):
    """Return a table of so many systems that imputed shares are rounded to a grid."""
    rng = np.random.default_rng(7)
    values = rng.integers(0, 500, (n, 60)).astype(float)
    values[rng.random(values.shape) < rng.random(60)] = np.nan
    values[0, np.isnan(values).all(axis=0)] = 0
    return ra.ScoreTable(values, higher_is_better=True, tasks=["x"] * 60, instances=range(60))


def fields(result):
    """Return what a result says; sums do not know where who does worse is left out."""
    plain = result.to_dict()
    return plain | {"notes": [note for note in plain["notes"] if "missing more often" not in note]}


@few
@given(
    table=tables(),
    policy=policies,
    fixed=st.booleans(),
    times=st.sampled_from([1, 30]),
)
def test_ranks_by_points_of_sums_equal_those_of_scores(table, policy, fixed, times):
    table = table.with_unranked(policy)
    summary = sum((ra.ScoreSummary.from_scores(table) for _ in range(times - 1)),
                  ra.ScoreSummary.from_scores(table))  # fmt: skip
    often = ra.ScoreTable(
        np.tile(table.values, times),
        tasks=[table.tasks[t] for t in table.unit_tasks] * times,
        instances=range(table.n_units * times),
        higher_is_better=table.higher_is_better,
        task_weights=table.task_weights,
    )
    often = often.with_unranked(policy)
    found = ra.rank_intervals(summary, fixed_tasks=fixed)
    assert fields(found) == fields(ra.rank_intervals(often, method="hoeffding", fixed_tasks=fixed))


@given(table=tables(), method=st.sampled_from([None, "hoeffding", "sign-test"]), policy=policies)
def test_ranks_by_majorities_of_sums_equal_those_of_scores(table, method, policy):
    table = table.with_task_weights({}).with_unranked(policy)
    found = ra.rank_intervals(ra.ScoreSummary.from_scores(table), of="pairwise", method=method)
    assert fields(found) == fields(ra.rank_intervals(table, of="pairwise", method=method))


@pytest.mark.parametrize(
    "call",
    [
        ra.inference.friedman,
        *(partial(ra.rank_intervals, **options)
          for options in ({"method": "sign-flips"}, {"of": "mean"},
                          {"unit": "task"})),
    ],
)  # fmt: skip
def test_results_that_need_rankings_refuse_sums(call):
    with pytest.raises(InformationLostError, match="read_scores"):
        call(ra.ScoreSummary.from_scores(many(3)))


@pytest.mark.parametrize("call", [
    lambda s: ra.PairwiseIntervals.from_data(s, unit="instance"),
    lambda s: ra.rank_intervals(s, of="pairwise", method="max-t"),
    lambda s: ra.rank_shares(s, ra.Borda(), n_resamples=100),
])  # fmt: skip
def test_the_refusal_names_the_remedy(call):
    with pytest.raises(InformationLostError, match="read_scores"):
        call(ra.ScoreSummary.from_scores(many(3)))


# -- results from sums: spread, sensitivity, Bradley-Terry ----------------------------------------


OPTIONS = st.sampled_from([{}, {"average": True}, {"normalized": True}, {"tie_cost": 0.5}])


def near(expected):
    return None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@given(table=tables(), policy=policies, options=OPTIONS)
def test_the_spread_of_sums_equals_that_of_scores(table, policy, options):
    found = ra.inference.spread(ra.ScoreSummary.from_scores(table).with_unranked(policy), **options)
    assert found == near(ra.inference.spread(table.with_unranked(policy), **options))


@few
@given(table=tables(), policy=policies)
def test_the_dispersion_report_of_sums_equals_that_of_scores(table, policy):
    rules = [ra.Borda(), ra.Copeland(), ra.Kemeny()]
    found, expected = (
        ra.inference.dispersion_report(data.with_unranked(policy), rules)
        for data in (ra.ScoreSummary.from_scores(table), table)
    )
    assert (found.votes, found.consensuses) == (expected.votes, expected.consensuses)
    for name in ("total_weight", "_least_weight", "_is_plain"):
        assert getattr(found, name) == getattr(expected, name)
    for name in ("spread", "average_spread", "normalized_spread"):
        assert getattr(found, name) == near(getattr(expected, name))
    assert found.spread_bounds == tuple(near(bound) for bound in expected.spread_bounds)


@few
@given(table=tables(), policy=policies, exact=st.booleans())
def test_tasks_of_sums_are_left_out(table, policy, exact):
    rule = ra.Kemeny() if exact else ra.Borda()
    table = table.with_unranked(policy)
    summary = ra.ScoreSummary.from_scores(table)
    if table.n_tasks < 2:
        with pytest.raises(InvalidInputError, match="at least 2 tasks"):
            ra.stability(summary, rule)
        return
    found, expected = (ra.stability(data, rule, n_samples=2, rng=0) for data in (summary, table))
    assert found.to_dict() == expected.to_dict()
    with pytest.raises(InformationLostError, match="read_scores"):
        ra.stability(summary, rule, unit="system")


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value
