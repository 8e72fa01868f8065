"""Strict ballots read all at once are what they are line by line."""

from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError
from rankagg.io.preflib import BallotLines, parse_ballot, strict_ballots
from rankagg.io.tables.sources import lines_of

PIECES = st.sampled_from(
    ["1", "2", "10", "007", "0", "1" * 9, "1" * 10, "9" * 15, "9" * 16, ":", ": ", ",", " , ", " ",
     "\n", "\n\n", "\r\n", "\r", "{1,2}", "#", "\t", "٣", "-1", "1 2", "3: 1,2\n", "2,1,3\n"]
)  # fmt: skip


def line_by_line(text, separator):
    ballots = [
        parse_ballot("a", number, line, separator)
        for number, line in enumerate(lines_of(text), start=7)
        if line.strip()
    ]
    return BallotLines.of(ballots)


@given(text=st.lists(PIECES, max_size=12).map("".join), separator=st.sampled_from(":,"))
def test_ballots_at_once_and_line_by_line(text, separator):
    found = strict_ballots(text, separator, 7)
    if found is None:
        return
    expected = line_by_line(text, separator)
    for name in ("lines", "counts", "lengths", "alternatives"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    assert set(expected.buckets[0].tolist()) == {1}


@given(st.lists(st.lists(st.integers(1, 10**9 - 1), min_size=1, max_size=5), min_size=1), st.data())
def test_plain_ballots_are_read_at_once(orders, data):
    separator = data.draw(st.sampled_from(":,"))
    gap = data.draw(st.sampled_from(["", " "]))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\n \n"]))
    lines = [f"{len(o)}{separator}{gap}{f',{gap}'.join(map(str, o))}" for o in orders]
    found = strict_ballots(end.join(lines), separator, 1)
    assert found.alternatives.tolist() == [a for order in orders for a in order]
    assert found.lengths.tolist() == found.counts.tolist() == [len(order) for order in orders]


@pytest.mark.parametrize(
    "text",
    ["", "\n", "1:", ":1", "1: 1,", "1: 1,,2", "1 1: 2", "1: 1 2", "0: 1", "1: {1}", "1", "1: 1: 2",
     "1: 1\n2", "1: 1\n\n:2", "1: é"],
)  # fmt: skip
def test_what_is_left_to_the_reader_of_lines(text):
    assert strict_ballots(text, ":", 1) is None


HEADER = "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 3\n\n"


@pytest.mark.parametrize(
    ("ballots", "said"),
    [
        ("1: 1,2\n\n2: 4,1\n", "line 6: alternative 4 is not among the 3"),
        ("1: 1,2\n2: 3,0\n", "line 5: alternative 0 is not among the 3"),
        ("1: 1,2\n\n\n2: 2,2\n", "line 7: alternative 2 occurs twice"),
        ("1: 1,2,3\n2: 2,3,3\n", "line 5: alternative 3 occurs twice"),
    ],
)
@pytest.mark.parametrize("tied", ["", "1: {1,2},3\n"])
def test_the_line_of_a_wrong_alternative_is_named(ballots, said, tied):
    with pytest.raises(DataFormatError, match=said):
        ra.read_preflib(StringIO(HEADER + ballots + tied))


def test_a_file_of_strict_ballots_has_one_more_that_is_tied():
    rng = np.random.default_rng(0)
    lines = "".join(f"2: {','.join(map(str, rng.permutation(5) + 1))}\n" for _ in range(50))
    header = "# NUMBER ALTERNATIVES: 5\n"
    strict = ra.read_preflib(StringIO(header + lines))
    tied = ra.read_preflib(StringIO(header + lines + "1: {1,2},3,4,5\n"))
    assert strict == tied[:50]
    assert strict.ranks.tolist() == [
        np.argsort([int(a) for a in line[3:].split(",")]).tolist()
        for line in lines.split("\n")[:50]
    ]


def test_a_comment_between_ballots():
    profile = ra.read_preflib(StringIO(HEADER + "1: 1,2\n# comment\n3: 2,1\n"))
    assert profile == ra.read_preflib(StringIO(HEADER + "1: 1,2\n3: 2,1\n"))
