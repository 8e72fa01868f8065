"""Strict JSON: nothing is converted, and the message says where."""

from fractions import Fraction

import pytest

from rankagg.exceptions import DataFormatError
from rankagg.io.strict_json import LARGEST_INTEGER, Field, parse_json


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


@pytest.mark.parametrize("value", [-1, 10, True, False, 5.0, "5", None, [5], 10**4000])
def test_integers_that_are_none(value: object) -> None:
    said = r"` must be an integer of at least 0 and at most 9\. Got "
    with pytest.raises(DataFormatError, match=rf"^`f{said}"):
        Field(value, "f").integer(0, 9)
    with pytest.raises(DataFormatError, match=rf"^`f\[1\]{said}"):
        Field([5, value], "f").integers(0, 9)


def test_limits_are_said() -> None:
    for ask, said in (
        (lambda: Field(LARGEST_INTEGER + 1, "f").integer(1),
         r"at least 1 and at most 1000 digits\. Got 1000"),
        (lambda: Field(-LARGEST_INTEGER - 1, "f").integer(-LARGEST_INTEGER),
         "must be an integer of at most 1000 digits"),
        (lambda: Field(-1, "f").integer(), "at least 0"),
        (lambda: Field([0, -1], "f").integers(), "at least 0"),
    ):  # fmt: skip
        with pytest.raises(DataFormatError, match=said):
            ask()


@pytest.mark.parametrize("value", [(1,), {"a": 1}, "1", 1, None])
def test_lists_that_are_none(value: object) -> None:
    for ask in (Field.integers, Field.elements):
        with pytest.raises(DataFormatError, match="`f` must be a list"):
            ask(Field(value, "f"))


def test_paths_of_elements_and_members() -> None:
    whole = Field({"a": [{"b": 3}]}, "")
    (a,) = whole.members("a")
    (element,) = a.elements()
    (b,) = element.members("b")
    assert (a.path, element.path, b.path) == ("a", "a[0]", "a[0].b")
    assert element.has("b")
    assert not element.has("c")
    assert not a.has("b")


def test_members_come_in_the_order_asked_for() -> None:
    first, second = Field({"x": 1, "y": 2}, "").members("y", "x")
    assert (first.value, second.value) == (2, 1)


def test_keys_are_all_and_no_others() -> None:
    with pytest.raises(DataFormatError, match=r"^`p\.b` is missing\.$"):
        Field({"a": 1}, "p").members("a", "b")
    with pytest.raises(DataFormatError, match=r"^'c' is no key of `p`; the keys are a, b\.$"):
        Field({"a": 1, "b": 2, "c": 3}, "p").members("a", "b")
    with pytest.raises(DataFormatError, match=r"^7 is no key; the keys are a\.$"):
        Field({"a": 1, 7: 3}, "").members("a")
    with pytest.raises(DataFormatError, match=r"^`p` must be an object\. Got a list of 0\.$"):
        Field([], "p").members("a")
    with pytest.raises(DataFormatError, match=r"^it must be an object\. Got None\.$"):
        Field(None, "").members("a")


@pytest.mark.parametrize("text", ["0", "1", "76", "7/2", "1/3", "9" * 1000, "1/" + "9" * 1000])
def test_fractions(text: str) -> None:
    assert Field(text, "f").fraction() == Fraction(text)


@pytest.mark.parametrize(
    "value",
    [
        "", "-1", "+1", " 1", "1 ", "1\n", "01", "2/4", "1/1", "0/3", "1/0", "1/02", "1.5", "1e3",
        "1_000", "x", "½", "\u0661", "1/2/3", "/2", "9" * 1001, "1/" + "9" * 1001, 1, 0.5, None,
        True, Fraction(1, 2),
    ],
)  # fmt: skip
def test_fractions_that_are_none(value: object) -> None:
    with pytest.raises(DataFormatError, match=r"`f` must be .* a fraction in lowest terms"):
        Field(value, "f").fraction()


def test_constants_are_of_one_type() -> None:
    Field(2, "f").constant(2)
    Field("a", "f").constant("a")
    for value in (2.0, "2", True, None, 3):
        with pytest.raises(DataFormatError, match=r"^`f` must be 2\. Got .*\. Do so\.$"):
            Field(value, "f").constant(2, "Do so.")
    with pytest.raises(DataFormatError, match="must be 1"):
        Field(True, "f").constant(1)


def test_texts() -> None:
    assert Field("a", "f").text() == "a"
    with pytest.raises(DataFormatError, match="`f` must be a text"):
        Field(1, "f").text()


def test_labels() -> None:
    assert [Field(value, "f").label() for value in ("a", 1)] == ["a", 1]
    for value in (True, 1.0, None):
        with pytest.raises(DataFormatError, match="`f` must be a text or a whole number"):
            Field(value, "f").label()


def test_names_of_members_have_whole_characters() -> None:
    names = Field({"a": 1, "b\ud800": 2}, "", "a.json").items()
    assert next(names)[0] == "a"
    with pytest.raises(DataFormatError, match="must be a member whose name is of whole"):
        next(names)
