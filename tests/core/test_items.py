import numpy as np
import pytest
from hypothesis import given

from rankagg import ItemSet
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests import strategies


def test_an_item_set_keeps_the_given_order():
    assert ItemSet(["B", "C", "A"]).labels == ("B", "C", "A")
    assert ItemSet("BCA") == ItemSet(["B", "C", "A"]) == ItemSet(iter("BCA"))


def test_numpy_labels_become_plain_ones():
    numbers = ItemSet(np.array([3, 1]))
    words = ItemSet(np.array(["b", "a"]))
    assert [type(label) for label in (*numbers, *words)] == [int, int, str, str]
    assert numbers == ItemSet([3, 1])
    assert words == ItemSet("ba")


def test_items_without_a_given_order_are_sorted():
    assert ItemSet.coerce(None, ["b", "c", "a", "b"]).labels == ("a", "b", "c")
    assert ItemSet.coerce(None, [10, 9, 10]).labels == (9, 10)
    with pytest.raises(InvalidInputError, match="all strings or all integers"):
        ItemSet.coerce(None, ["A", 1])
    given_items = ItemSet("CAB")
    assert ItemSet.coerce(given_items, "AB") is given_items
    assert ItemSet.coerce("CAB", "AB") == given_items


def test_bad_labels_are_refused():
    for labels, value in (
        ([], []), (["A", "B", "A"], "A"), ([1, 2, np.int64(1)], 1), (["A", 1], ["A", 1]),
        ([1.5], 1.5), ([True, False], True), ([None], None), ([("A", "B")], ("A", "B")),
    ):  # fmt: skip
        with pytest.raises(InvalidInputError) as caught:
            ItemSet(labels)
        assert caught.value.parameter == "items"
        assert caught.value.value == value


@given(strategies.item_sets())
def test_index_finds_the_position_of_every_label(items):
    assert [items.index(label) for label in items] == list(range(len(items)))
    assert items.indices(reversed(items)) == list(reversed(range(len(items))))
    assert all(label in items for label in items)


@given(strategies.item_sets(min_size=2))
def test_equality_depends_on_the_order(items):
    assert items == ItemSet(list(items))
    assert hash(items) == hash(ItemSet(list(items)))
    assert items != ItemSet(list(reversed(items)))
    assert items != items.labels
    assert items.require_same(ItemSet(list(items)), "Two things") is None


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("AB", "BA", r"^Two things .*the same items in another order.*\.reindex\(items\)"),
        ("ABC", "BCDE", "only the first has A and only the second has D, E"),
        ("AB", "ABC", "(?<!first has )only the second has C"),
        ("12", [1, 2], "only the first has"),
    ],
)
def test_items_that_only_one_side_has_are_named(first, second, words):
    with pytest.raises(ItemMismatchError, match=words):
        ItemSet(first).require_same(ItemSet(second), "Two things")


def test_labels_are_taken_by_positions_and_by_masks():
    items = ItemSet("ABC")
    assert items.at([2, 0]) == items.at(np.array([2, 0])) == ("C", "A")
    assert items.where([True, False, True]) == ("A", "C")
    assert items.where(np.zeros(3, dtype=bool)) == ()
    above = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=bool)
    assert items.pairs_where(above) == (("A", "B"), ("C", "A"))


def test_an_item_set_is_a_sequence():
    items = ItemSet("ABCD")
    assert len(items) == 4
    assert items[0] == "A"
    assert items[-1] == "D"
    assert items[1:3] == ("B", "C")
    assert list(items) == ["A", "B", "C", "D"]
    assert items.count("A") == 1


def test_membership_of_any_object_is_answered():
    for label in ("D", 0, None, ["A"], {"A": 1}):
        assert label not in ItemSet("ABC")
        with pytest.raises(InvalidInputError, match=r"one of the 3 items \(A, B, C\)\. Got"):
            ItemSet("ABC").index(label)
