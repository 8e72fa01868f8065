"""Orders of labels read all at once are what they are one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.items import ItemSet
from rankagg.core.places import _places_of_orders, from_buckets, scattered
from rankagg.exceptions import RankaggError

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
    return item_set, [from_buckets([[x] for x in row], item_set)[0].tolist() for row in rows]


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
def test_orders_at_once_and_one_by_one(orders, given_items):
    def at_once():
        profile = ra.Profile.from_orders(orders, items=given_items)
        return profile.items, profile.ranks.tolist()

    found, expected = outcome(at_once), outcome(lambda: one_by_one(orders, given_items))
    if not orders:
        assert found[0] is expected[0] or expected[1] == []
    else:
        assert found == expected


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32])
def test_an_array_of_orders(dtype):
    orders = np.array([[2, 0, 1], [0, 1, 2]], dtype=dtype)
    profile = ra.Profile.from_orders(orders)
    assert profile == ra.Profile.from_orders(orders.tolist())
    assert profile.ranks.tolist() == [[1, 2, 0], [0, 1, 2]]


def test_plain_orders_are_read_at_once():
    assert _places_of_orders([("B", "A"), ("A",)], None) is not None
    assert _places_of_orders([(3, 1)], [1, 2, 3]) is not None
    for orders, items in (
        ([("A", "A")], None), ([(True, 0)], None), ([(1.0,)], [1]), ([("D",)], "AB"), ([], "AB"),
    ):  # fmt: skip
        assert _places_of_orders(orders, items) is None


def test_what_an_order_leaves_out_is_unranked():
    codes, lengths = np.array([2, 0, 1]), np.array([2, 1])
    assert scattered(codes, lengths, 3).tolist() == [[1, -1, 0], [-1, 0, -1]]
    assert scattered(np.array([0, 1, 1, 1]), np.array([2, 2]), 2) is None
    assert scattered(np.array([0, 1, 1, 1]), np.array([2, 2]), 3) is None
    assert scattered(np.array([], dtype=int), np.array([0, 0]), 2).tolist() == [[-1, -1]] * 2


def test_a_profile_of_rankings_whose_items_are_equal_and_not_the_same():
    rankings = [ra.Permutation.from_order(order, items="ABC") for order in ("ABC", "CAB")]
    assert rankings[0].items is not rankings[1].items
    assert ra.Profile(rankings) == ra.Profile.from_orders(["ABC", "CAB"])
    other = ra.Permutation.from_order("ABC", items="ACB")
    with pytest.raises(ra.exceptions.ItemMismatchError, match="The rankings of a profile"):
        ra.Profile([*rankings, other])
