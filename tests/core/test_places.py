"""Places against all compatible permutations, and rows that are places already."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core import places
from rankagg.core.items import ItemSet
from rankagg.core.places import (
    _are_permutations,
    competition_ranks,
    from_orders,
    strict_ranks,
)
from rankagg.exceptions import RankaggError
from tests import oracles


@pytest.mark.parametrize("n", [1, 2, 3])
def test_permutations_of_small_numbers_are_recognized(n):
    for row in product([-1, 0, 1, 2, 3, 4, 1.5, np.nan, np.inf], repeat=n):
        values = np.array([row, range(1, n + 1)], dtype=np.float64)
        expected = sorted(row) == list(range(1, n + 1))
        assert _are_permutations(values) == expected


@pytest.mark.parametrize("n", [20, 56, 57])
def test_places_of_permutations_are_those_of_any_numbers(n):
    values = np.argsort(np.random.default_rng(n).random((50, n)), axis=1) + 1.0
    assert _are_permutations(values) == (n <= 56)
    assert competition_ranks(values).tolist() == competition_ranks(2 * values).tolist()
    assert competition_ranks(values).dtype == np.int32
    twice = values.copy()
    twice[3, 1] = twice[3, 0]
    assert not _are_permutations(twice)
    assert competition_ranks(twice).tolist() == competition_ranks(2 * twice).tolist()


def test_scores_within_the_tolerance_are_tied():
    assert competition_ranks(np.array([[1.0, 2.0, 3.0]]), 1.0).tolist() == [[0, 0, 0]]
    assert competition_ranks(np.array([[1.0, 2.0]]), np.array([[1.0]])).tolist() == [[0, 0]]
    values, errors = np.array([[1, 2.5, np.nan, 4]]), np.array([[1, 0.5, 9, 0.75]])
    assert competition_ranks(values, errors=errors).tolist() == [[0, 0, -1, 2]]


def is_canonical(row):
    listed = [place for place in row if place >= 0]
    return min(row) >= -2 and all(sum(p < place for p in listed) == place for place in listed)


ALL = [*product(range(-3, 4), repeat=3)]
ROWS = [*filter(is_canonical, ALL)]


def test_rows_of_three_places_by_hand():
    ranks, code = np.array(ROWS), {-2: 3, -1: 4}
    assert places.are_canonical(np.array(ALL)).tolist() == [*map(is_canonical, ALL)]
    assert places.comparable(ranks).tolist() == [[code.get(p, p) for p in row] for row in ROWS]
    wrong = [(a > b) + (a > c) + (b > c) for a, b, c in ROWS]
    assert places.discordances(ranks).tolist() == wrong
    for row, signs in zip(ROWS, map(places.pair_signs, ranks), strict=True):
        assert signs.tolist() == [[(min(a, b) >= 0) * np.sign(b - a) for b in row] for a in row]


def test_places_are_those_of_all_compatible_permutations():
    for row in ROWS:
        check_places(row)


def check_places(row):
    one, coded = np.array([row], dtype=np.int32), oracles.coded(row)
    every = sorted(oracles.compatible_permutations(coded))
    assert sorted(tuple(each.tolist()) for each in places.compatible_ranks(one[0])) == every
    assert places.count_compatible(one[0]) == len(every)
    drawn = places.sample_compatible(np.repeat(one, 1200, axis=0), np.random.default_rng(0))
    found, times = np.unique(drawn, axis=0, return_counts=True)
    assert list(map(tuple, found.tolist())) == every
    assert np.abs(times / 1200 - 1 / len(every)).max() < 0.06  # five standard errors
    seen = [at for at, place in enumerate(coded) if place is not None]
    among = np.array(oracles.compatible_permutations([coded[at] for at in seen]))
    expected = np.array([[np.nan] * 3, *[[0.0] * 3] * 3])
    expected[:, seen] = among.mean(axis=0), *((among < k).mean(axis=0) for k in (1, 2, 3))
    shares = (places.top_k_shares(one, k) for k in (1, 2, 3))
    assert np.vstack([places.mid_ranks(one), *shares]) == pytest.approx(expected, nan_ok=True)


# -- orders read at once --------------------------------------------------------------------------

LABELS = st.sampled_from(["A", "B", "C", "", "ä", "1", "A "])
NUMBERS = st.sampled_from([0, 1, 2, -3, 10**20])
CLOSE = st.sampled_from([5, 3, 4, 6])
MIXED = st.sampled_from([1, "1", 2])
ODD = st.sampled_from(["A", 1, True, 1.0, None, np.int64(1), np.str_("A"), b"A", ("A",), 2.5])
KINDS = (LABELS, NUMBERS, CLOSE, MIXED, ODD)


def one_by_one(orders, items):
    """Return what every order says, each for itself."""
    rows = [tuple(order) for order in orders]
    item_set = ItemSet.coerce(items, (label for row in rows for label in row))
    return item_set, [ra.PartialRanking.from_order(x, items=item_set).ranks.tolist() for x in rows]


def outcome(call):
    try:
        return call()
    except RankaggError as error:
        return type(error), str(error)


@given(
    orders=st.one_of(*(st.lists(st.lists(x, max_size=4), max_size=4) for x in KINDS)),
    given_items=st.one_of(
        st.none(), st.just(list("ABC")), st.just([0, 1, 2]), st.just([6, 5, 4, 3])
    ),
)
def test_orders_are_read_at_once_as_one_by_one(orders, given_items):
    def at_once():
        profile = ra.Profile.from_orders(orders, items=given_items)
        return profile.items, profile.ranks.tolist()

    found, expected = outcome(at_once), outcome(lambda: one_by_one(orders, given_items))
    if not orders:
        assert found[0] is expected[0] or expected[1] == []
    else:
        assert found == expected


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32])
def test_an_array_of_orders_is_read_as_lists(dtype):
    orders = np.array([[2, 0, 1], [0, 1, 2]], dtype=dtype)
    profile = ra.Profile.from_orders(orders)
    assert profile == ra.Profile.from_orders(orders.tolist())
    assert profile.ranks.tolist() == [[1, 2, 0], [0, 1, 2]]


def test_plain_orders_are_read_at_once():
    assert from_orders([("B", "A"), ("A",)], None) is not None
    assert from_orders([(3, 1)], [1, 2, 3]) is not None
    for orders, items in (
        ([("A", "A")], None), ([(True, 0)], None), ([(1.0,)], [1]), ([("D",)], "AB"), ([], "AB"),
    ):  # fmt: skip
        assert from_orders(orders, items) is None


def test_items_left_out_of_an_order_are_unranked():
    codes, lengths = np.array([2, 0, 1]), np.array([2, 1])
    assert strict_ranks(codes, lengths, 3).tolist() == [[1, -1, 0], [-1, 0, -1]]
    assert strict_ranks(np.array([0, 1, 1, 1]), np.array([2, 2]), 2) is None
    assert strict_ranks(np.array([0, 1, 1, 1]), np.array([2, 2]), 3) is None
    assert strict_ranks(np.array([], dtype=int), np.array([0, 0]), 2).tolist() == [[-1, -1]] * 2


def test_rankings_with_equal_but_distinct_item_sets_make_a_profile():
    rankings = [ra.Permutation.from_order(order, items="ABC") for order in ("ABC", "CAB")]
    assert rankings[0].items is not rankings[1].items
    assert ra.Profile(rankings) == ra.Profile.from_orders(["ABC", "CAB"])
    other = ra.Permutation.from_order("ABC", items="ACB")
    with pytest.raises(ra.exceptions.ItemMismatchError, match="The rankings of a profile"):
        ra.Profile([*rankings, other])
