import numpy as np
import pytest
from hypothesis import given

from rankagg import ItemSet
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests import strategies


def test_keeps_the_given_order():
    assert ItemSet(["B", "C", "A"]).labels == ("B", "C", "A")
    assert ItemSet("BCA") == ItemSet(["B", "C", "A"]) == ItemSet(iter("BCA"))
    assert ItemSet.numbered(3).labels == (0, 1, 2)


def test_numpy_labels_become_plain_ones():
    numbers = ItemSet(np.array([3, 1]))
    words = ItemSet(np.array(["b", "a"]))
    assert [type(label) for label in (*numbers, *words)] == [int, int, str, str]
    assert numbers == ItemSet([3, 1])
    assert words == ItemSet("ba")


def test_items_without_a_given_order_are_sorted():
    assert ItemSet.coerce(None, ["b", "c", "a", "b"]).labels == ("a", "b", "c")
    assert ItemSet.coerce(None, [10, 9, 10]).labels == (9, 10)


def test_given_items_win_over_the_labels_of_the_data():
    given_items = ItemSet("CAB")
    assert ItemSet.coerce(given_items, "AB") is given_items
    assert ItemSet.coerce("CAB", "AB") == given_items


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        ([], []),
        (["A", "B", "A"], "A"),
        ([1, 2, np.int64(1)], 1),
        (["A", 1], ["A", 1]),
        ([1.5], 1.5),
        ([True, False], True),
        ([None], None),
        ([("A", "B")], ("A", "B")),
        ([["A"]], ["A"]),
    ],
    ids=str,
)
def test_refuses_what_is_no_set_of_labels(labels, value):
    with pytest.raises(InvalidInputError) as caught:
        ItemSet(labels)
    assert caught.value.parameter == "items"
    assert caught.value.value == value


def test_mixed_labels_of_data_are_refused_rather_than_sorted():
    with pytest.raises(InvalidInputError, match="all strings or all integers"):
        ItemSet.coerce(None, ["A", 1])


@given(strategies.item_sets())
@strategies.quick
def test_index_finds_the_position_of_every_label(items):
    assert [items.index(label) for label in items] == list(range(len(items)))
    assert items.indices(reversed(items)) == list(reversed(range(len(items))))
    assert all(label in items for label in items)


@given(strategies.item_sets(min_size=2))
@strategies.quick
def test_equality_looks_at_the_order(items):
    assert items == ItemSet(list(items))
    assert hash(items) == hash(ItemSet(list(items)))
    assert items != ItemSet(list(reversed(items)))


def test_labels_are_taken_by_positions_and_by_masks():
    items = ItemSet("ABC")
    assert items.at([2, 0]) == items.at(np.array([2, 0])) == ("C", "A")
    assert items.where([True, False, True]) == ("A", "C")
    assert items.where(np.zeros(3, dtype=bool)) == ()
    above = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=bool)
    assert items.pairs_where(above) == (("A", "B"), ("C", "A"))


def test_is_a_sequence():
    items = ItemSet("ABCD")
    assert len(items) == 4
    assert items[0] == "A"
    assert items[-1] == "D"
    assert items[1:3] == ("B", "C")
    assert list(items) == ["A", "B", "C", "D"]
    assert items.count("A") == 1


def test_is_not_equal_to_a_plain_sequence():
    assert ItemSet("AB") != ("A", "B")
    assert ItemSet("AB") != "AB"


def test_unknown_label_is_named_beside_the_known_ones():
    with pytest.raises(InvalidInputError, match=r"one of the 3 items \(A, B, C\)") as caught:
        ItemSet("ABC").index("D")
    assert caught.value.value == "D"


@pytest.mark.parametrize("label", ["D", 0, None, ["A"], {"A": 1}])
def test_membership_of_anything_can_be_asked(label):
    assert label not in ItemSet("ABC")


def test_the_same_items_pass():
    assert ItemSet("AB").require_same(ItemSet(["A", "B"]), "Two things") is None


def test_another_order_is_refused_and_said_to_be_one():
    with pytest.raises(ItemMismatchError, match="the same items in another order") as caught:
        ItemSet("AB").require_same(ItemSet("BA"), "Two things")
    assert str(caught.value).startswith("Two things")
    assert ".reindex(items)" in str(caught.value)


def test_items_that_only_one_side_has_are_named():
    with pytest.raises(
        ItemMismatchError, match="only the first has A and only the second has D, E"
    ):
        ItemSet("ABC").require_same(ItemSet("BCDE"), "Two things")
    with pytest.raises(ItemMismatchError, match="only the second has C") as caught:
        ItemSet("AB").require_same(ItemSet("ABC"), "Two things")
    assert "only the first" not in str(caught.value)


def test_strings_and_integers_that_look_alike_differ():
    with pytest.raises(ItemMismatchError):
        ItemSet("12").require_same(ItemSet([1, 2]), "Two things")
