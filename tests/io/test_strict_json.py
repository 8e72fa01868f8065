"""Strict JSON: nothing is converted, and the message says where."""

from fractions import Fraction

import pytest

from rankagg.check_certificate import LARGEST_INTEGER
from rankagg.exceptions import DataFormatError
from rankagg.io.json_files import Field
from rankagg.io.tables.sources import parse_json


def test_integers_of_any_size_are_kept() -> None:
    text = '{"a": [9007199254740993, -0, -7, 1%s], "b": {"c": null, "d": true}}' % ("0" * 999)
    assert parse_json(text, "x") == {"a": [2**53 + 1, 0, -7, 10**999], "b": {"c": None, "d": True}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NaN", "x has the number NaN"),
        ("[-Infinity]", "x has the number -Infinity"),
        ("[1.0]", r"x has the number 1\.0"),
        ("[1e5]", "x has the number 1e5"),
        ("1" + "0" * 1000, "x has an integer of 1001 digits; at most 1000"),
        ("-1" + "0" * 1000, "x has an integer of 1001 digits"),
        ("9" * 10_000, "x has an integer of 10000 digits"),
        ('{"a": 1, "b": 2, "a": 1}', "x has the key 'a' twice"),
        ('{"a": 1, "b": 2, "c": 3, "b": 1}', "x has the key 'b' twice"),
        ('{"c": {"b": 1, "b": 1}}', "x has the key 'b' twice"),
        ("", "x is not JSON: .* in line 1, column 1"),
        ("[1,\n 2", "in line 2, column"),
        ("{} {}", "x is not JSON"),
        ("[" * 100_000, "x is nested too deep"),
        ('{"a":' * 100_000, "x is nested too deep"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(DataFormatError, match=words):
        parse_json(text, "x")

    assert parse_json("9" * 1000, "x") == LARGEST_INTEGER
    assert parse_json("-" + "9" * 1000, "x") == -LARGEST_INTEGER


def test_integers_in_range() -> None:
    for value in (5, 0, 9):
        assert Field(value, "f").integer(0, 9) == value
        assert Field([value, value], "f").integers(0, 9) == [value, value]
    assert Field(0, "f").integer() == 0
    assert Field([0, 0], "f").integers() == [0, 0]
    assert Field([], "f").integers(1, 0) == []
    assert Field(LARGEST_INTEGER, "f").integer() == LARGEST_INTEGER
    assert Field(-LARGEST_INTEGER, "f").integer(-LARGEST_INTEGER) == -LARGEST_INTEGER


NO_INTEGERS = [-1, 10, True, False, 5.0, "5", None, [5], 10**4000]
NO_LISTS = [(1,), {"a": 1}, "1", 1, None]
NO_FRACTIONS = [
    "", "-1", "+1", " 1", "1 ", "1\n", "01", "2/4", "1/1", "0/3", "1/0", "1/02", "1.5", "1e3",
    "1_000", "x", "½", "\u0661", "1/2/3", "/2", "9" * 1001, "1/" + "9" * 1001, 1, 0.5, None, True,
    Fraction(1, 2),
]  # fmt: skip
BETWEEN = r"must be an integer of at least 0 and at most 9\. Got "


@pytest.mark.parametrize(
    ("ask", "values", "said"),
    [
        (lambda field: field.integer(0, 9), NO_INTEGERS, f"^`f` {BETWEEN}"),
        (lambda field: field.integers(0, 9), [[5, value] for value in NO_INTEGERS],
         rf"^`f\[1\]` {BETWEEN}"),
        (lambda field: field.integer(1), [LARGEST_INTEGER + 1],
         r"at least 1 and at most 1000 digits\. Got 1000"),
        (lambda field: field.integer(-LARGEST_INTEGER), [-LARGEST_INTEGER - 1],
         "must be an integer of at most 1000 digits"),
        (Field.integer, [-1], "at least 0"),
        (Field.integers, [[0, -1]], "at least 0"),
        (Field.integers, NO_LISTS, "`f` must be a list"),
        (Field.elements, NO_LISTS, "`f` must be a list"),
        (Field.fraction, NO_FRACTIONS, "`f` must be .* a fraction in lowest terms"),
        (lambda field: field.constant(2, "Do so."), [2.0, "2", True, None, 3],
         r"^`f` must be 2\. Got .*\. Do so\.$"),
        (lambda field: field.constant(1), [True], "must be 1"),
        (Field.text, [1, "", " ", None], "`f` must be a text"),
        (lambda field: field.members("a", "b"), [{"a": 1}], r"^`f\.b` is missing\.$"),
        (lambda field: field.members("a", "b"), [{"a": 1, "b": 2, "c": 3}],
         r"^'c' is no key of `f`; the keys are a, b\.$"),
        (lambda field: field.members("a"), [[]], r"^`f` must be an object\. Got a list of 0\.$"),
    ],
)  # fmt: skip
def test_what_a_field_may_not_be(ask, values, said) -> None:
    for value in values:
        with pytest.raises(DataFormatError, match=said):
            ask(Field(value, "f"))


def test_paths_of_elements_and_members() -> None:
    (a,) = Field({"a": [{"b": 3}]}, "").members("a")
    (element,) = a.elements()
    (b,) = element.members("b")
    assert (a.path, element.path, b.path) == ("a", "a[0]", "a[0].b")
    assert element.has("b")
    assert not element.has("c")
    assert not a.has("b")


def test_members_come_in_the_order_asked_for() -> None:
    first, second = Field({"x": 1, "y": 2}, "").members("y", "x")
    assert (first.value, second.value) == (2, 1)


def test_the_whole_has_no_name() -> None:
    for value, said in (
        ({"a": 1, 7: 3}, r"^7 is no key; the keys are a\.$"),
        (None, r"^the whole must be an object\. Got None\.$"),
    ):
        with pytest.raises(DataFormatError, match=said):
            Field(value, "").members("a")


def test_fractions_constants_and_texts() -> None:
    for text in ("0", "1", "76", "7/2", "1/3", "9" * 1000, "1/" + "9" * 1000):
        assert Field(text, "f").fraction() == Fraction(text)
    for value in ("a", 2):
        Field(value, "f").constant(value)
    assert Field("a", "f").text() == "a"
