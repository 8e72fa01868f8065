"""What sums of scores tell of their rankings, against these: spread, sensitivity, Bradley-Terry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import (
    InformationLostError,
    InvalidInputError,
    NotIdentifiedError,
    RankaggError,
)
from tests.core.test_score_summary import tables
from tests.strategies import policies, quick

OPTIONS = st.sampled_from([{}, {"average": True}, {"normalized": True}, {"p": 0.5}])


def near(expected):
    return None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@quick
@given(table=tables(), policy=policies, options=OPTIONS)
def test_spread(table, policy, options):
    found = ra.spread(ra.ScoreSummary.from_scores(table), unranked=policy, **options)
    assert found == near(ra.spread(table, unranked=policy, **options))


def test_spread_of_many_systems_whose_shares_are_rounded():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 50, (101, 6)).astype(float)
    values[rng.random(values.shape) < 0.3] = np.nan
    table = ra.ScoreTable(values, tasks="xxxyyy", instances=range(6), higher_is_better=True)
    found = ra.spread(ra.ScoreSummary.from_scores(table), normalized=True)
    assert found == pytest.approx(ra.spread(table, normalized=True), rel=1e-9)


@quick
@given(table=tables(), policy=policies)
def test_dispersion_report(table, policy):
    rules = [ra.Borda(unranked=policy), ra.Copeland(unranked=policy), ra.Kemeny(unranked=policy)]
    found, expected = (
        ra.dispersion_report(data, rules, unranked=policy)
        for data in (ra.ScoreSummary.from_scores(table), table)
    )
    assert found.votes == expected.votes
    assert found.consensuses == expected.consensuses
    for name in ("total_weight", "least_weight", "is_plain"):
        assert getattr(found, name) == getattr(expected, name)
    for name in ("spread", "average_spread", "normalized_spread"):
        assert getattr(found, name) == near(getattr(expected, name))
    assert found.spread_bounds == tuple(near(bound) for bound in expected.spread_bounds)


@quick
@given(table=tables(max_units=5))
def test_policies_flip_the_same_pairs(table):
    found = ra.sensitivity(ra.ScoreSummary.from_scores(table))
    expected = ra.sensitivity(table, n_samples=1, rng=0)
    assert found.consensuses == expected.consensuses
    frame = expected.to_frame(everything=True).drop(columns="share")
    order = ["above", "below"]
    everything = found.to_frame(everything=True)
    assert everything.sort_values(order).to_dict("list") == frame.sort_values(order).to_dict("list")
    flips = everything[everything[list(found.policies)].nunique(axis=1) > 1]
    assert found.to_frame().to_dict("records") == flips.to_dict("records")
    k = min(2, table.n_systems)
    top = expected.top(k).drop(columns="share")
    assert found.top(k).loc[lambda frame: (frame > 0).any(axis=1)].sort_index().equals(
        top[(top > 0).any(axis=1)].sort_index()
    )  # fmt: skip
    assert "completion" not in found.summary()
    assert found.to_dict()["n_samples"] == 0
    assert np.isnan(found.share_above).all()


@quick
@given(table=tables(), policy=policies, exact=st.booleans())
def test_tasks_are_left_out(table, policy, exact):
    rule = ra.Kemeny(unranked=policy) if exact else ra.Borda(unranked=policy)
    summary = ra.ScoreSummary.from_scores(table)
    if table.n_tasks < 2:
        with pytest.raises(InvalidInputError, match="at least 2 tasks"):
            ra.stability(summary, rule)
        return
    found, expected = (ra.stability(data, rule, n_samples=2, rng=0) for data in (summary, table))
    assert found.to_dict() == expected.to_dict()
    with pytest.raises(InformationLostError, match="read_scores"):
        ra.stability(summary, rule, over="systems")


def test_completions_need_the_rankings():
    summary = ra.ScoreSummary.from_scores(
        ra.ScoreTable([[1, 2], [2, 1]], higher_is_better=True, tasks="xy")
    )
    with pytest.raises(InformationLostError, match="read_scores"):
        ra.sensitivity(summary, model=ra.Uniform(summary.systems))
    with pytest.raises(InformationLostError, match="PickAPerm needs rankings"):
        ra.sensitivity(summary, ra.PickAPerm())


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


@quick
@given(table=tables(), ridge=st.sampled_from([0.0, 0.5]))
def test_bradley_terry(table, ridge):
    summary = ra.ScoreSummary.from_scores(table)
    try:
        expected = ra.BradleyTerry.fit(table.rankings(), ridge=ridge)
    except RankaggError as error:
        kind = NotIdentifiedError if isinstance(error, NotIdentifiedError) else RankaggError
        with pytest.raises(kind):
            ra.BradleyTerry.fit(summary, ridge=ridge)
        return
    found = ra.BradleyTerry.fit(summary, ridge=ridge)
    assert found.notes == expected.notes
    # Squares of weights are summed in another order, and what stands on them may differ by a bit.
    assert rounded(found.to_dict()) == rounded(expected.to_dict())


def test_bradley_terry_of_incomplete_rankings():
    table = ra.ScoreTable(
        [[1, 2, 3, np.nan], [2, 1, np.nan, 3], [3, np.nan, 2, 1], [np.nan, 3, 1, 2]],
        tasks="xxxx", instances=range(4), higher_is_better=True,
    )  # fmt: skip
    fit = ra.BradleyTerry.fit(ra.ScoreSummary.from_scores(table), ridge=1.0)
    assert fit.notes == ra.BradleyTerry.fit(table.rankings(), ridge=1.0).notes
    assert any("not independent" in note for note in fit.notes)
