"""Common properties of all values: they are immutable and compared by content."""

import contextlib
import copy
import io
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg
import rankagg as ra
from tests import strategies

NAN = float("nan")
SCRIPT = "<script>alert('&')</script>"


def make_all():
    """Return one value of each class, of string labels, made anew at every call."""
    table = ra.ScoreTable(
        [[0.9, NAN, 3.0], [0.8, 2.0, 1.0]],
        systems=["Ann", "Bob"],
        tasks=["x", "x", "y"],
        instances=[1, 2, 1],
        higher_is_better={"x": True, "y": False},
        task_weights={"y": 0.5},
    )
    profile = table.rankings()
    values = [
        ra.ItemSet(["Ann", "Bob"]),
        ra.PartialRanking([0, 1, 1, -1, -2], "ABCDE"),
        ra.Permutation.from_order("CAB"),
        profile,
        profile.pairwise(),
        ra.PairwiseMatrix.from_wins([[0, 2.0**62], [2.0**63, 0]]),
        table,
        ra.Comparisons.from_arrays(
            ["Ann", "Bob"], ["Bob", "Ann"], [1, 0], weights=[1, 0.5], clusters=["x", "y"],
            sides=[1, -1], covariates={"length": [1, 2]},
        ),
    ]  # fmt: skip
    return {f"{type(value).__name__}-{i}": value for i, value in enumerate(values)}


NAMES = list(make_all())


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def value(name):
    return make_all()[name]


def arrays_of(value):
    """Return every array that can be reached through the public attributes."""
    held = {}
    for name in dir(value):
        if name.startswith("_") or name in UNASKED:
            continue
        attribute = getattr(value, name)
        if isinstance(attribute, np.ndarray):
            held[name] = attribute
    return held


# The order of a tied ranking raises, and is no array.
UNASKED = {"order"}
# Arrays that are worked out at each call belong to the caller.
FRESH = {"margins", "observed", "proportion", "weight_vector"}


def assert_read_only(value):
    for name, array in arrays_of(value).items():
        if name not in FRESH:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = array


# -- nothing can be set ---------------------------------------------------------------------------


def test_nothing_can_be_set_nor_deleted(value):
    for name in [*vars(value), "other"]:
        with pytest.raises(AttributeError, match=f"immutable; `{name}` cannot be set"):
            setattr(value, name, None)
        with pytest.raises(AttributeError, match=f"immutable; `{name}` cannot be deleted"):
            delattr(value, name)
    assert_read_only(value)
    assert copy.copy(value) is copy.deepcopy(value) is value


def test_directions_and_weights_of_tasks_cannot_be_changed():
    directions, weights = {"x": True}, {"x": 2.0}
    table = ra.ScoreTable([[1.0]], tasks="x", higher_is_better=directions, task_weights=weights)
    directions["x"], weights["x"] = False, 5.0
    for mapping, first in ((table.higher_is_better, True), (table.task_weights, 2.0)):
        with pytest.raises(TypeError):
            mapping["x"] = False
        assert mapping["x"] == first


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("PartialRanking-1", {"ranks"}),
        ("Profile-3", {"ranks", "counts", "weights"}),
        ("PairwiseMatrix-4", {"wins", "ties", "comparisons", "scaled_wins", "scaled_ties",
                              "scaled_comparisons", "squared_weights"}),
        ("ScoreTable-6", {"values", "unit_tasks", "missing", "signs"}),
        ("Comparisons-7", {"first", "second", "outcomes", "weights", "clusters", "sides",
                           "counts"}),
    ],
)  # fmt: skip
def test_the_arrays_that_are_checked_are_all_of_them(name, expected):
    # Guards the tests above and below against looking at nothing.
    assert set(arrays_of(make_all()[name])) - FRESH == expected


def test_changing_fresh_arrays_does_not_change_the_value(value):
    before = pickle.dumps(value)
    for name in FRESH & set(arrays_of(value)):
        array = getattr(value, name)
        array[...] = 7
        assert not np.array_equal(getattr(value, name), array)
    assert pickle.loads(before) == value


@pytest.mark.parametrize(
    ("make", "given_array"),
    [
        (ra.PartialRanking, np.array([0, 1], dtype=np.int32)),
        (ra.PartialRanking.from_ranks, np.array([0.0, 1.0])),
        (ra.Profile.from_ranks, np.array([[1.0, 2.0]])),
        (ra.PairwiseMatrix.from_wins, np.array([[0.0, 1.0], [2.0, 0.0]])),
        (lambda a: ra.PairwiseMatrix.from_wins(a, ties=a), np.array([[0.0, 1.0], [1.0, 0.0]])),
        (lambda a: ra.ScoreTable(a, higher_is_better=True), np.array([[0.0, 1.0]])),
        (lambda a: ra.Profile.from_orders(["AB", "BA"], counts=a), np.array([1, 2])),
        (lambda a: ra.Profile.from_orders(["AB", "BA"], weights=a), np.array([1.0, 2.0])),
        (lambda a: ra.Comparisons("ab", a, [1, 0], [1, 1]), np.array([0, 1])),
        (lambda a: ra.Comparisons("ab", [0, 1], [1, 0], [1, 1], weights=a), np.array([1.0, 2.0])),
    ],
)
def test_given_arrays_stay_the_callers(make, given_array):
    original = given_array.copy()
    value = make(given_array)
    assert given_array.flags.writeable
    assert np.array_equal(given_array, original)
    given_array[...] = given_array[..., ::-1].copy()
    assert value == make(original)


# -- equality, hashes, copies and pickles ---------------------------------------------------------


def test_equal_values_are_equal_and_hash_alike(name, value):
    again = make_all()[name]
    assert again is not value
    assert again == value
    assert hash(again) == hash(value)
    assert len({again, value}) == 1


def test_values_of_different_kinds_differ():
    values = list(make_all().values())
    assert len(set(values)) == len(values)
    for i, first in enumerate(values):
        assert all(first != second for second in values[i + 1 :])
        assert first not in ("a word", None, 0)


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_pickling_keeps_value_class_and_read_only_arrays(name, protocol):
    value = make_all()[name]
    arrays_of(value)  # fills what is cached
    again = pickle.loads(pickle.dumps(value, protocol))
    assert type(again) is type(value)
    assert again == value
    assert hash(again) == hash(value)
    assert repr(again) == repr(value)
    assert_read_only(again)
    assert set(arrays_of(again)) == set(arrays_of(value))
    for attribute, array in arrays_of(value).items():
        np.testing.assert_array_equal(arrays_of(again)[attribute], array)


@given(st.data(), strategies.letters())
def test_rankings_are_equal_just_where_their_places_are(data, items):
    first, second = (data.draw(strategies.rankings(items)) for _ in range(2))
    assert (first == second) == (first.ranks.tolist() == second.ranks.tolist())
    permutation = data.draw(strategies.strict_rankings(items))
    partial = ra.PartialRanking(permutation.ranks, items)
    assert partial == permutation == partial
    assert hash(partial) == hash(permutation)


one_score = partial(ra.ScoreTable, [[1.0]], higher_is_better=True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ra.PartialRanking([0, -1]), ra.PartialRanking([0, -2])),
        (ra.PartialRanking([0, 1], "AB"), ra.PartialRanking([0, 1], "AC")),
        (
            ra.Permutation.from_ranks([0, 1], items="AB"),
            ra.Permutation.from_ranks([1, 0], items="BA"),
        ),
        (ra.Profile.from_orders(["AB"]), ra.Profile.from_orders(["AB"], counts=[2])),
        (ra.Profile.from_orders(["AB"]), ra.Profile.from_orders(["AB"], weights=[2])),
        (ra.Profile.from_orders(["AB"]), ra.Profile.from_orders(["AB"], groups=["x"])),
        (ra.Profile.from_orders(["AB", "BA"]), ra.Profile.from_orders(["BA", "AB"])),
        (ra.Profile.from_orders(["AB"]), ra.Profile.from_orders(["AB"]).with_unranked("last")),
        (
            ra.PairwiseMatrix.from_wins(np.zeros((2, 2))),
            ra.PairwiseMatrix.from_wins(np.zeros((3, 3))),
        ),
        (
            ra.PairwiseMatrix.from_wins([[0, 1], [0, 0]]),
            ra.PairwiseMatrix.from_wins([[0, 0], [0, 0]], ties=[[0, 1], [1, 0]]),
        ),
        (one_score(), one_score(higher_is_better=False)),
        (one_score(), one_score(task_weights={0: 2})),
        (one_score(), one_score(instances=[0])),
        (one_score(), one_score().with_unranked("last")),
    ],
)
def test_one_difference_makes_another_value(first, second):
    assert first != second
    assert len({first, second}) == 2
    zeros = [ra.ScoreTable([[zero, 1.0]], higher_is_better=True) for zero in (0.0, -0.0)]
    assert len(set(zeros)) == 1


# -- how they look --------------------------------------------------------------------------------


def kinds_of(items):
    """Return values of every kind that show some items, among them a first and many others."""
    n = len(items)
    profile = ra.Profile([ra.Permutation.identity(items)] * 100, groups=range(100))
    half = [0] * (n // 2) + [n // 2] * (n - n // 2)
    return [
        ra.ItemSet(items), ra.Permutation.identity(items),
        *(ra.PartialRanking(ranks, items) for ranks in ([0] * n, half, [-1] * n, [-2] * n)),
        profile, profile.pairwise(),
        ra.ScoreTable(np.zeros((n, 4)), systems=items, higher_is_better=True),
    ]  # fmt: skip


def test_labels_are_escaped_in_html_and_a_repr_is_one_short_line():
    for html in (kind._repr_html_() for kind in kinds_of(["plain", SCRIPT])):
        assert "<script" not in html
        assert "&lt;script&gt;" in html
        assert "plain" in html
    for text in map(repr, kinds_of([f"system number {i}" for i in range(500)])):
        assert "\n" not in text
        assert len(text) < 500


def test_html_counts_places_from_one_and_is_cut():
    html = ra.PartialRanking([0, 1, 1, -1], "ABCD")._repr_html_()
    for cells in ("1</td><td>A", "2</td><td>B = C", "unranked</td><td>D"):
        assert f"<td>{cells}</td>" in html
    assert "<td>0</td>" not in html
    long = ra.Profile([ra.Permutation.from_order("AB")] * 100)._repr_html_()
    assert long.count("<tr>") < 20
    assert "100 rows" in long


def test_repr_and_hash_order_are_the_same_in_every_process():
    # Sets of strings are iterated in another order under another hash seed.
    program = (
        "from rankagg import ItemSet, PartialRanking, Profile\n"
        "a = PartialRanking.from_buckets([{'d', 'c', 'b', 'a'}], items=list('dabc'))\n"
        "b = Profile.from_orders([['b', 'c'], ['a', 'd']])\n"
        "print(a, [a], b, b.items, b.pairwise(), ItemSet.coerce(None, {'b', 'c', 'a'}))\n"
        "try:\n"
        "    a.items.require_same(ItemSet('efgh'), 'x')\n"
        "except Exception as error:\n"
        "    print(error)\n"
    )
    root = str(Path(rankagg.__file__).parents[1])
    here = io.StringIO()  # where the seed is 0 or any other but this one
    with contextlib.redirect_stdout(here):
        exec(program, {})
    there = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert here.getvalue() == there
    assert "ItemSet(['a', 'b', 'c'])" in there
