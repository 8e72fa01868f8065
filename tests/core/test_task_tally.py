"""Sums that no scores have are refused, whoever wrote them."""

import copy
import json
from functools import reduce
from itertools import product
from operator import add

import numpy as np
import pytest

import rankagg as ra
from rankagg.core.task_tally import TaskTally
from rankagg.exceptions import DataFormatError

# One more or one less of any of these is impossible by itself.
TIED_TO_OTHERS = ("both", "sizes", "units_of_size", "placed", "shares", "n_units")


def made(n=4, m=30, seed=0):
    """Return plain sums over scores with ties and gaps."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size=(n, m)).astype(float)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    return TaskTally.of(scores, higher_is_better=True).to_dict()


def places(value, path=()):
    """Yield the paths of all numbers in nested lists."""
    if not isinstance(value, list):
        yield path
        return
    for at, part in enumerate(value):
        yield from places(part, (*path, at))


def changed(plain, name, path, number):
    """Return the sums with one number put in another's place, or added to it."""
    other = copy.deepcopy(plain)
    where, key = other, name
    for at in path:
        where, key = where[key], at
    where[key] = number(where[key])
    return other


def test_what_scores_have_is_taken():
    for n in (1, 2, 4, 101):
        for seed in range(2):
            plain = made(n, 12, seed)
            assert TaskTally.from_dict(json.loads(json.dumps(plain))).to_dict() == plain


@pytest.mark.parametrize("name", TIED_TO_OTHERS)
@pytest.mark.parametrize("step", [1, -1])
def test_any_number_of_units_that_is_off_by_one(name, step):
    plain = made()
    for path in places(plain[name]):
        with pytest.raises(ValueError, match=r"no scores have these sums|shares"):
            TaskTally.from_dict(changed(plain, name, path, lambda old: old + step))


NAMES = ("wins", "both", "n_units", "units_of_size", "placed", "shares", "squares")


@pytest.mark.parametrize(
    ("name", "number"), [("n_empty", -1), *product(NAMES, [-1, 10**6, 2**61, 2**63, 10**30])]
)
def test_numbers_out_of_range(name, number):
    plain = made()
    for path in places(plain[name]):
        with pytest.raises((ValueError, OverflowError)):
            TaskTally.from_dict(changed(plain, name, path, lambda _: number))


@pytest.mark.parametrize("name", ["on_grid", "squares_on_grid"])
@pytest.mark.parametrize("number", [-1, 2**62])
def test_shares_of_many_systems(name, number):
    plain = made(101, 5)
    for path in list(places(plain[name]))[::9999]:
        with pytest.raises(ValueError, match="no scores have these sums"):
            TaskTally.from_dict(changed(plain, name, path, lambda _: number))


def test_a_task_that_stands_there_twice():
    table = ra.ScoreTable([[1, 2], [2, 1]], tasks="xy", higher_is_better=True)
    plain = ra.ScoreSummary.from_scores(table).to_dict()
    plain["tasks"][1]["task"] = "x"
    with pytest.raises(DataFormatError, match="a task stands there twice"):
        ra.ScoreSummary.from_dict(plain)


def exchanged_places(plain):
    plain["placed"][0][0] += 2
    plain["placed"][0][1] -= 2


def absent_beside_itself(plain):
    plain["shares"][0][0][0], plain["shares"][0][1][0] = plain["shares"][0][1][0], 0


def a_size_that_is_split(plain):
    at = next(at for at, units in enumerate(plain["units_of_size"]) if units > 1)
    plain["units_of_size"][at] -= 1
    plain["units_of_size"].insert(at, 1)
    k, n = plain["sizes"][at], len(plain["wins"])
    plain["sizes"].insert(at, k)
    plain["placed"].insert(at, [0] * n)
    for name in ("shares", "squares"):
        plain[name].insert(at, [[0] * n for _ in range(n)])


def beats_itself(plain):
    plain["wins"][0][0] = 1


def both_above_each_other(plain):
    plain["wins"][0][1] = plain["wins"][1][0] = plain["both"][0][1]


@pytest.mark.parametrize(
    "forge",
    [
        beats_itself, both_above_each_other, exchanged_places, absent_beside_itself,
        a_size_that_is_split,
    ],
)  # fmt: skip
def test_changes_that_fit_together(forge):
    plain = made()
    forge(plain)
    with pytest.raises(ValueError, match=r"no scores have these sums|who is above whom"):
        TaskTally.from_dict(plain)


@pytest.mark.parametrize("text", ["1p99999999999", "1p-1", "f" * 10**6 + "p0", f"1p{2200}"])
def test_sums_that_would_fill_the_memory(text):
    with pytest.raises(ValueError, match="sums"):
        TaskTally.from_dict(changed(made(), "sums", (0,), lambda _: text))


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
