"""Sums that no scores have are refused, whoever wrote them."""

import copy
import json
from functools import reduce
from itertools import product
from operator import add

import numpy as np
import pytest

import rankagg as ra
from rankagg.core.tally import grid
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


@pytest.mark.parametrize("step", [1, -1])
def test_any_number_of_units_that_is_off_by_one(step):
    plain = made()
    for name in TIED_TO_OTHERS:
        for path in places(plain[name]):
            with pytest.raises(ValueError, match=r"no scores have these sums|shares"):
                TaskTally.from_dict(changed(plain, name, path, lambda old: old + step))


NAMES = ("wins", "both", "n_units", "units_of_size", "placed", "shares", "squares")


@pytest.mark.parametrize("name", NAMES)
def test_numbers_out_of_range(name):
    plain = made()
    for path, number in product(places(plain[name]), [-1, 10**6, 2**61, 2**63, 10**30]):
        with pytest.raises((ValueError, OverflowError)):
            TaskTally.from_dict(changed(plain, name, path, lambda _, number=number: number))


@pytest.mark.parametrize("name", ["on_grid", "squares_on_grid"])
def test_shares_of_many_systems(name):
    plain = made(101, 5)
    tally = TaskTally.from_dict(plain)
    most = {"on_grid": tally.missed.T * grid(101), "squares_on_grid": tally.on_grid}[name]
    for path in list(places(plain[name]))[::25_000]:
        for wrong in (-1, int(most[path]) + 1):
            with pytest.raises(ValueError, match="no scores have these sums: shares"):
                TaskTally.from_dict(changed(plain, name, path, lambda _, wrong=wrong: wrong))


def test_a_task_that_stands_there_twice():
    table = ra.ScoreTable([[1, 2], [2, 1]], tasks="xy", higher_is_better=True)
    plain = ra.ScoreSummary.from_scores(table).to_dict()
    plain["tasks"][1]["task"] = "x"
    with pytest.raises(DataFormatError, match="a task stands there twice"):
        ra.ScoreSummary.from_dict(plain)


def sums(wins, both, n_units, *part):
    """Return plain sums of complete units and of some of one size: how often, placed, shares."""
    size, often, placed, shares = part or (None, (), (), ())
    shares, none = np.array(shares, dtype=object), {"on_grid": None, "squares_on_grid": None}
    sizes, n = [size] * len(often), len(wins)
    return {
        "wins": wins, "both": both, "n_units": n_units, "n_empty": 0, "sizes": sizes, **none,
        "units_of_size": [*often], "placed": [*placed], "sums": ["0p0"] * n,
        "shares": shares.tolist(), "squares": (3 * shares).tolist(),
    }  # fmt: skip


NONE, WIN, BOTH, EYE = [[0, 0], [0, 0]], [[0, 1], [0, 0]], [[1, 1], [1, 1]], [[1, 0], [0, 1]]
X, Y, Z, NIL = 2**64 // 3 + 3, 2**63 + 1 - 2**64 // 3, -(2**63), [0] * 4
LOST, PART = [[0, 0, 0], [2, 0, 0], [2, 0, 0]], [[3, 2, 2], [2, 2, 1], [2, 1, 2]]
ALONE = sums(NONE, EYE, 2, 1, [2], [[2, 2]], [[[0, 2], [2, 0]]])


PARTS = np.where(np.arange(17)[:, None] < (4, 8, 16), 1.0, np.nan)
OFTEN = {"units_of_size": [4 * 2**60 + 1, *[6 * 2**60 + 1] * 2]}
# Each breaks one bound; of the first five, sums of 64 bits would hide it.
FORGED = [
    (TaskTally.of(PARTS, higher_is_better=True).to_dict() | OFTEN, "of systems"),
    (sums([[0]], [[2**60]], 2**60), "numbers of units"),
    (sums([[0, 2**62], [2**62, 0]], [[3, 3], [3, 3]], 3), "above whom"),
    (sums([[0, 1, 1], [1, 0, 1], [1, 1, 0]], [[3, Z, Z], [Z, 3, Z], [Z, Z, 3]], 3), "is there"),
    (sums([[0] * 3] * 3, [[X, Y, Y], [Y, X, Y], [Y, Y, X + 1]], 3), "is there"),
    (sums(WIN, [[3, 4], [4, 3]], 3), "who is there"),
    (sums(EYE, BOTH, 1), "above whom"),
    (sums([[0, 1], [1, 0]], BOTH, 1), "above whom"),
    (sums([[0, 1, 1], [1, 0, 1], [0, 0, 0]], [[2, 2, 1], [2, 2, 2], [1, 2, 2]], 2), "above whom"),
    (sums([[0]], [[3]], 3, 1, [1], [[2]], [[[0]]]), "of systems"),
    (sums(WIN, BOTH, 2, 0, [1], [[0, 0]], [NONE]), "of systems"),
    (sums(WIN, BOTH, 1, 1, [0], [[0, 0]], [NONE]), "of systems"),
    (sums(NONE, EYE, 2, 1, [1, 1], [[2, 0], [0, 2]], [[[0, 0], [2, 0]], [[0, 2], [0, 0]]]), "of s"),
    (sums(LOST, PART, 3, 2, [2], [[10, 1, 1]], [[[0, 0, 0], [5, 0, 1], [5, 1, 0]]]), "places"),
    (sums(np.transpose(LOST).tolist(), PART, 3, 2, [2], [[5, 3, 4]],
          [[[0, 0, 0], [2, 0, 4], [3, 3, 0]]]), "places"),
    (sums(LOST, PART, 3, 2, [2], [[7, 3, 2]], [[[0, 0, 0], [4, 0, 2], [3, 3, 0]]]), "places"),
    (sums([NIL, [1, 0, 0, 0], NIL, NIL], [[1, 1, 0, 0]] * 2 + [NIL] * 2, 1, 2, [1], [[4, 2, 0, 0]],
          [[NIL, NIL, [6, 0, 0, 0], [2, 4, 0, 0]]]), "beside absent"),
    (sums([[0, 1, 0, 1], NIL, NIL, NIL], [[2, 1, 0, 1], [1, 1, 0, 0], NIL, [1, 0, 0, 1]], 2, 2, [2],
          [[4, 4, 0, 4]], [[NIL, NIL, [8, 8, 0, 8], NIL]]), "beside absent"),
    (ALONE | {"shares": [[[2, 0], [0, 2]]]}, "beside absent"),
    (ALONE | {"squares": [[[0, 3], [4, 0]]]}, "squares"),
    (ALONE | {"squares": [[[0, 5], [4, 0]]]}, "squares"),
    (sums([[0]], [[1]], 1) | {"sums": [f"{2**2098 + 1:x}p0"]}, "a sum of scores"),
]  # fmt: skip


def test_sums_that_break_one_bound():
    for forged, words in FORGED:
        with pytest.raises(ValueError, match=f"no scores have these sums: .*{words}"):
            TaskTally.from_dict(forged)


def test_the_largest_and_the_longest_sums_of_scores_are_taken():
    for scores in ([2.0**1023, 1.0], [np.finfo(float).max, 5e-324], [-(2.0**1023)] * 2):
        tally = TaskTally.of(np.array([scores]), higher_is_better=True)
        assert TaskTally.from_dict(tally.to_dict()) == tally


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
