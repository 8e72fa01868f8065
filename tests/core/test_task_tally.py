"""Sums over the scores of one task, also as plain data."""

import json
from functools import reduce
from operator import add

import numpy as np
import pytest

from rankagg.core.task_tally import TaskTally


def made(n=4, m=30, seed=0):
    """Return plain sums over scores with ties and gaps."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size=(n, m)).astype(float)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    return TaskTally.of(scores, higher_is_better=True).to_dict()


def test_what_scores_have_is_taken():
    for n in (1, 2, 4, 101):
        for seed in range(2):
            plain = made(n, 12, seed)
            assert TaskTally.from_dict(json.loads(json.dumps(plain))).to_dict() == plain


def test_the_largest_and_the_longest_sums_of_scores_are_taken():
    for scores in ([2.0**1023, 1.0], [np.finfo(float).max, 5e-324], [-(2.0**1023)] * 2):
        tally = TaskTally.of(np.array([scores]), higher_is_better=True)
        assert TaskTally.from_dict(tally.to_dict()) == tally


NAN = float("nan")


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
