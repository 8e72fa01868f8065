"""STAR and majority judgment against their definitions, vote by vote."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra


@st.composite
def grades(draw):
    n, m = draw(st.integers(2, 5)), draw(st.integers(1, 7))
    cells = st.lists(st.integers(0, 3), min_size=m, max_size=m)
    return np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float)


def table_of(values, **options):
    return ra.ScoreTable(values, higher_is_better=True, **options)


def taken_away(values):
    """Return the grades as they are taken away, the lower median each time."""
    left, taken = sorted(values), []
    while left:
        taken.append(left.pop((len(left) - 1) // 2))
    return taken


@given(values=grades())
def test_majority_judgment_takes_medians_away(values):
    consensus = ra.MajorityJudgment().aggregate(table_of(values))
    rows = [taken_away(row) for row in values]
    ranks = [sum(other > row for other in rows) for row in rows]
    assert consensus.ranking.ranks.tolist() == ranks
    assert consensus.scores.tolist() == [row[0] for row in rows]


@given(values=grades(), data=st.data())
def test_missing_grades_are_counted_by_shares(values, data):
    gone = data.draw(st.lists(st.booleans(), min_size=values.size, max_size=values.size))
    values[np.reshape(gone, values.shape)] = np.nan
    values[0], values[:, 0] = np.nan_to_num(values[0]), 1.0
    # Every candidate's voters, repeated up to one common number.
    voters = [row[~np.isnan(row)] for row in values]
    whole = np.lcm.reduce([len(row) for row in voters])
    same = np.array([np.repeat(row, whole // len(row)) for row in voters])
    rule = ra.MajorityJudgment()
    expected = rule.aggregate(table_of(same)).ranking
    assert rule.aggregate(table_of(values)).ranking.ranks.tolist() == expected.ranks.tolist()


@given(values=grades())
def test_star_is_score_then_runoff(values):
    found = ra.STAR().aggregate(table_of(values)).ranking
    sums = values.sum(axis=1)
    second = np.sort(sums)[-2]
    # All of them where the highest sum is shared, else who has it and who has the second.
    finalists = [i for i in range(len(values)) if sums[i] >= second]
    leads = dict.fromkeys(finalists, 0)
    for i, j in combinations(finalists, 2):
        margin = np.sign(np.sign(values[i] - values[j]).sum())
        leads[i] += margin
        leads[j] -= margin
    keys = [(i in leads, leads.get(i, 0), sums[i]) for i in range(len(values))]
    assert found.ranks.tolist() == [sum(other > key for other in keys) for key in keys]


def test_star_notes_how_ties_are_decided():
    level = table_of([[5, 0], [0, 5], [1, 1]], systems="ABC")
    found = ra.STAR().aggregate(level)
    assert found.buckets == (("A", "B"), ("C",))
    assert "the runoff is tied, and the sums decide" in found.notes
    three = ra.STAR().aggregate(table_of([[4, 4], [3, 3], [3, 3]], systems="ABC"))
    assert "equal sums put more than two in the runoff: A, B, C" in three.notes


@pytest.mark.parametrize("rule", [ra.STAR(), ra.MajorityJudgment()], ids=repr)
def test_a_weighted_voter_equals_repeated_voters(rule):
    values = np.array([[3, 0, 2], [1, 2, 2], [2, 3, 1]])
    counted = table_of(values, task_weights={0: 3.0, 1: 0.5, 2: 1.5})
    repeated = table_of(values[:, [0] * 6 + [1] + [2] * 3])
    assert rule.aggregate(counted).ranking == rule.aggregate(repeated).ranking
    lower = ra.ScoreTable(-values, higher_is_better=False)
    assert rule.aggregate(lower).ranking == rule.aggregate(table_of(values)).ranking
