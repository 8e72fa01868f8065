"""Sums over the scores of one task, against counting in plain Python."""

import copy
import json
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.task_tally import TaskTally
from rankagg.exceptions import DataFormatError
from tests.core.test_score_summary import _units, tables

NAN = float("nan")


def plain_sums(table, task, units):
    """Return wins, units with both, and exact sums, in plain Python."""
    n, better = table.n_systems, 1 if table.higher_is_better[task] else -1
    wins, both = ([[0] * n for _ in range(n)] for _ in range(2))
    sums = [Fraction(0)] * n
    for u in units:
        column = table.values[:, u].tolist()
        for i, one in enumerate(column):
            sums[i] += Fraction(one) if one == one else 0  # noqa: PLR0124
            for j, other in enumerate(column):
                both[i][j] += one == one and other == other  # noqa: PLR0124
                wins[i][j] += better * one > better * other
    return wins, both, sums


@given(table=tables())
def test_tallies_equal_those_of_plain_python(table):
    summary = ra.ScoreSummary.from_scores(table)
    for at, task in enumerate(table.tasks):
        tally, units = summary.tallies[task], np.flatnonzero(table.unit_tasks == at).tolist()
        wins, both, sums = plain_sums(table, task, units)
        assert tally.wins.tolist() == wins
        assert tally.both.tolist() == both
        assert [Fraction(total, 2**1074) for total in tally.sums] == sums
        assert tally.n_units == len(units)


@given(table=tables(), cut=st.integers(0, 9))
def test_parts_add_up_and_are_read_back(table, cut):
    whole = ra.ScoreSummary.from_scores(table)
    parts = [np.arange(table.n_units)[:cut], np.arange(table.n_units)[cut:]]
    pieces = [ra.ScoreSummary.from_scores(_units(table, part)) for part in parts if len(part)]
    total = sum(pieces[1:], start=pieces[0])
    assert total == whole
    assert hash(total) == hash(whole)
    assert total.fingerprint == whole.fingerprint
    again = ra.ScoreSummary.from_dict(json.loads(json.dumps(whole.to_dict())))
    assert again == whole
    assert again.to_dict() == whole.to_dict()
    assert copy.deepcopy(whole) == whole
    order = range(table.n_systems)[::-1]
    turned = ra.ScoreTable(
        table.values[::-1], systems=[table.systems[i] for i in order], instances=table.instances,
        tasks=[table.tasks[t] for t in table.unit_tasks], higher_is_better=table.higher_is_better,
        task_weights=table.task_weights,
    )  # fmt: skip
    assert whole + ra.ScoreSummary.from_scores(turned) == whole + whole


MADE = ra.ScoreSummary.from_scores(
    ra.ScoreTable(
        np.arange(24.0).reshape(2, 12),
        systems="AB",
        tasks=["x", "y"] * 6,
        instances=range(12),
        higher_is_better=True,
    )
)


def test_numbers_that_were_changed_are_refused():
    text = json.dumps(MADE.to_dict())
    places = [at for at, sign in enumerate(text) if sign.isdigit()]
    for at in places[::7]:
        plain = json.loads(text[:at] + str((int(text[at]) + 1) % 10 or 1) + text[at + 1 :])
        if plain != json.loads(text):
            with pytest.raises(DataFormatError, match=r"checksum|version"):
                ra.ScoreSummary.from_dict(plain)


# -- sums of one task -----------------------------------------------------------------------------


def summed(n=4, m=30, seed=0):
    """Return plain sums over scores with ties and gaps."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size=(n, m)).astype(float)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    return TaskTally.of(scores, higher_is_better=True).to_dict()


def test_plain_data_of_real_sums_are_accepted():
    for n in (1, 2, 4, 101):
        for seed in range(2):
            plain = summed(n, 12, seed)
            assert TaskTally.from_dict(json.loads(json.dumps(plain))).to_dict() == plain


def test_the_largest_sums_of_scores_are_accepted():
    for scores in ([2.0**1023, 1.0], [np.finfo(float).max, 5e-324], [-(2.0**1023)] * 2):
        tally = TaskTally.of(np.array([scores]), higher_is_better=True)
        assert TaskTally.from_dict(tally.to_dict()) == tally


def test_units_without_scores_are_counted_and_left_out():
    values = [[1.0, NAN, 2.0], [0.0, NAN, NAN]]
    tally = TaskTally.of(np.array(values), higher_is_better=True)
    assert (tally.n_units, tally.n_empty) == (2, 1)
    full = TaskTally.of(np.array(values)[:, [0, 2]], higher_is_better=True)
    assert (full.wins == tally.wins).all()
    assert (full.both == tally.both).all()
    assert (full.neither == tally.neither).all()
    lower = TaskTally.of(np.array([[1.0, 2.0], [3.0, 2.0]]), higher_is_better=False)
    assert (lower.wins.tolist(), lower.ties.tolist()) == ([[0, 1], [0, 0]], [[0, 1], [1, 0]])


@pytest.mark.parametrize("n", [6, 101])
@pytest.mark.parametrize("lacking", [0, 2, 100])
def test_units_that_lack_the_same_systems_add_up_like_single_ones(n, lacking):
    values = np.random.default_rng(n).normal(size=(n, 9))
    values[1 : 1 + lacking, 2:] = NAN
    tally = TaskTally.of(values, higher_is_better=True)
    ones = [TaskTally.of(values[:, [unit]], higher_is_better=True) for unit in range(9)]
    assert tally == reduce(add, ones)


def test_many_systems_take_no_memory_for_each_size():
    values = np.random.default_rng(0).normal(size=(400, 60))
    for unit in range(60):
        values[: 2 * unit, unit] = NAN
    tally = TaskTally.of(values, higher_is_better=True)
    assert len(tally.sizes) == 59
    assert tally.shares is None
    assert tally.squares is None
