"""Votes as JSON: nothing is lost, and nothing else is read."""

import json
from io import StringIO
from math import gcd

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.check_certificate import LARGEST_INTEGER
from rankagg.exceptions import DataFormatError
from rankagg.io.json_files import _Field, votes_to_dict
from rankagg.io.tables.sources import parse_json
from rankagg.kinds import KINDS

PLAIN = {
    "schema": "rankagg.votes", "version": 1, "items": ["A", "B"], "denominator": 2, "rounding": "0",
    "wins": [[0, 5], [2, 0]], "ties": [[0, 1], [1, 0]],
}  # fmt: skip


def read(data: object) -> ra.PairwiseMatrix:
    return ra.io.read_votes(StringIO(json.dumps(data)))


def test_a_written_file_is_read_back(tmp_path) -> None:
    profile = ra.Profile.from_ranks(
        [[1, 2, 2, None], [3, 2, 1, 1], [1, None, None, 2]], weights=[1, 0.3, 2]
    )
    for unranked in ("uniform", "ignore", "last"):
        votes = profile.with_unranked(unranked).pairwise()
        ra.io.write_votes(votes, tmp_path / "votes.json")
        again = ra.io.read_votes(tmp_path / "votes.json")
        assert again.fingerprint == votes.fingerprint
        assert np.array_equal(again.wins, votes.wins)
        assert np.array_equal(again.ties, votes.ties)
        assert again.rounding == votes.rounding
        assert KINDS["votes"].recognizes((tmp_path / "votes.json").read_text(encoding="utf-8"))


def test_a_file_is_one_line_without_blanks_or_escapes(tmp_path) -> None:
    ra.io.write_votes(read({**PLAIN, "items": ["Ä", "B"]}), tmp_path / "votes.json")
    assert (tmp_path / "votes.json").read_text(encoding="utf-8") == (
        '{"schema":"rankagg.votes","version":1,"items":["Ä","B"],"denominator":2,"rounding":"0",'
        '"wins":[[0,5],[2,0]],"ties":[[0,1],[1,0]]}\n'
    )


def test_the_largest_numbers_are_read() -> None:
    assert read({**PLAIN, "wins": [[0, 2 * (10**100)], [0, 0]]}).wins[0, 1] == 1e100
    scale = 10**300 - 1
    votes = read({**PLAIN, "denominator": scale, "wins": [[0, scale], [0, 0]]})
    assert votes.wins.tolist() == [[0, 1], [0, 0]]


def test_integers_beyond_doubles_and_rounding_are_kept() -> None:
    data = {**PLAIN, "wins": [[0, 2**80 + 1], [2**53 + 1, 0]], "rounding": "3/1024"}
    votes = read(data)
    assert votes.scaled_wins.tolist() == data["wins"]
    assert votes.rounding == 3 / 1024
    assert votes_to_dict(votes) == data


def squares(n):
    return st.lists(st.lists(st.integers(0, 2**70), min_size=n, max_size=n), min_size=n, max_size=n)


@given(st.integers(1, 4).flatmap(squares), st.integers(1, 50))
def test_lowest_terms_are_the_same_votes(rows: list[list[int]], factor: int) -> None:
    n = len(rows)
    wins = [[x if i != j else 0 for j, x in enumerate(row)] for i, row in enumerate(rows)]
    ties = [[0] * n for _ in range(n)]
    plain = {**PLAIN, "items": list(range(n)), "wins": wins, "ties": ties, "denominator": 6}
    larger = [[factor * x for x in row] for row in wins]
    one, other = read(plain), read({**plain, "wins": larger, "denominator": 6 * factor})
    assert one.fingerprint == other.fingerprint
    assert votes_to_dict(one) == votes_to_dict(other)
    wins_, ties_, denominator = one.lowest_terms
    assert [[6 * x for x in row] for row in wins_.tolist()] == [
        [denominator * x for x in row] for row in wins
    ]
    assert gcd(denominator, *wins_.ravel().tolist(), *ties_.ravel().tolist()) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "rankagg.certificate"}, "`schema` must be 'rankagg.votes'"),
        ({"version": 2}, "`version` must be 1"),
        ({"items": ["A", "A"]}, "distinct labels"),
        ({"items": ["A", 1]}, "all strings or all integers"),
        ({"items": ["A", None]}, r"`items\[1\]` must be a text or an integer"),
        ({"items": [True, False]}, r"`items\[0\]`"),
        ({"items": "AB"}, "`items` must be a list"),
        ({"denominator": 1.0}, "has the number 1.0"),
        ({"denominator": 10**300}, "`denominator` must be"),
        ({"wins": [[0, 2 * 10**100 + 1], [2, 0]]}, r"`wins` must be at most 1e\+100 votes"),
        ({"rounding": 0}, "`rounding` must be"),
        ({"rounding": "9" * 400}, "a double holds exactly"),
        ({"wins": [[0, 5]]}, "`wins` must be 2 rows of 2 integers"),
        ({"wins": [[0, -5], [2, 0]]}, r"`wins\[0\]\[1\]` must be an integer of at least 0"),
        ({"wins": [[0, True], [2, 0]]}, r"`wins\[0\]\[1\]`"),
        ({"ties": [[0, 1], [2, 0]]}, "`ties` must be symmetric"),
        ({"ties": [[1, 0], [0, 0]]}, "`ties` must be 0 on its diagonal"),
        ({"more": 1}, "'more' is no key"),
    ],
)
def test_bad_fields_are_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(DataFormatError, match=words) as caught:
        read({**PLAIN, **change})
    assert str(caught.value).startswith("the stream does not hold votes as JSON: ")


@pytest.mark.parametrize("key", PLAIN)
def test_every_key_is_needed(key: str) -> None:
    with pytest.raises(DataFormatError, match=f"`{key}` is missing"):
        read({name: value for name, value in PLAIN.items() if name != key})


@pytest.mark.parametrize(
    "text",
    ["", "[]", "system,a\nA,1\n", '{"schema": 1}', '["rankagg.votes"]', '{"schema": "votes"}'],
)
def test_other_json_is_not_recognized_as_votes(text: str) -> None:
    assert not KINDS["votes"].recognizes(text)


# -- JSON ------------------------------------------------------------------------------------------


def test_integers_of_any_size_are_kept() -> None:
    text = '{"a": [9007199254740993, -0, -7, 1%s], "b": {"c": null, "d": true}}' % ("0" * 999)
    assert parse_json(text, "x") == {"a": [2**53 + 1, 0, -7, 10**999], "b": {"c": None, "d": True}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NaN", "x has the number NaN"),
        ("[1.0]", r"x has the number 1\.0"),
        ("1" + "0" * 1000, "x has an integer of 1001 digits; at most 1000"),
        ("9" * 10_000, "x has an integer of 10000 digits"),
        ('{"a": 1, "b": 2, "a": 1}', "x has the key 'a' twice"),
        ('{"a": 1, "b": 2, "c": 3, "b": 1}', "x has the key 'b' twice"),
        ("", "x is not JSON: .* in line 1, column 1"),
        ("[1,\n 2", "in line 2, column"),
        ("{} {}", "x is not JSON"),
        ('{"a":' * 100_000, "x is nested too deep"),
    ],
)
def test_json_that_is_not_strict_is_refused(text: str, words: str) -> None:
    with pytest.raises(DataFormatError, match=words):
        parse_json(text, "x")

    assert parse_json("9" * 1000, "x") == LARGEST_INTEGER
    assert parse_json("-" + "9" * 1000, "x") == -LARGEST_INTEGER


def test_bad_fields_are_named_by_their_path() -> None:
    with pytest.raises(DataFormatError, match=r"^`f\[1\]` must be an integer of at least 0 and at"):
        _Field([5, 10], "f").integers(0, 9)

    (a,) = _Field({"a": [{"b": 3}]}, "").members("a")
    (element,) = a.elements()
    (b,) = element.members("b")
    assert (a.path, element.path, b.path) == ("a", "a[0]", "a[0].b")
    assert element.has("b")
    assert not element.has("c")
    assert not a.has("b")
