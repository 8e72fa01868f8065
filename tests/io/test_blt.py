"""BLT: ballots, seats, withdrawn candidates, and malformed files."""

from io import StringIO

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.testing.commands import ReaderContract
from tests.strategies import policies, profiles

BLT = '4 2\n-2\n3 1 2 4=3 0\n5 - 2=3 1 0\n\n2 2 0\n1 4 0\n0\n"Ann (X)"\n"Bob"\n"Cid"\nDan\n"Ward"\n'


def read(text, **options):
    return ra.io.read_blt(StringIO(text), **options)


class TestBlt(ReaderContract):
    read = ra.io.read_blt
    text = BLT
    broken = ("A>B\n", "2 1\n2 1 2 0\n", "2 1\n2 1 3 0\n0\nA\nB\n", "2 1\n0\nA\nB\n")


@pytest.mark.parametrize("text", [BLT, BLT.replace("\n", "\r\n"), BLT.removesuffix('"Ward"\n')])
def test_withdrawn_candidates_are_removed_and_their_ballots_counted(text):
    assert [one.format for one in ra.recognize(StringIO(text)).readings] == ["blt"]
    votes = read(text)
    assert (votes.seats, votes.title) == (2, "Ward" if "Ward" in text else "")
    profile = votes.profile
    assert profile.items.labels == ("Ann (X)", "Cid", "Dan")
    assert profile.ranks.tolist() == [[0, 1, 1], [1, 0, -2], [-2, -2, 0]]
    assert profile.counts.tolist() == [3, 5, 1]
    assert (votes.n_ballots, votes.n_unchanged, votes.n_changed) == (11, 1, 8)
    assert (votes.n_blank, votes.n_emptied) == (0, 2)
    assert [tuple(step) for step in votes.steps] == [
        ("skipped choice", "close", 5, 5, 0),
        ("withdrawn candidate", "drop", 10, 10, 10),
    ]
    assert (votes.n_ranked, votes.n_choices) == (20, 30)


def test_comments_may_follow_the_head_and_every_withdrawn_candidate():
    plain = "4 2\n-2\n-4\n3 1 3 0\n0\nAnn\nBob\nCid\nDan\nWard\n"
    text = "# top\n4 2 # four for two\n# ward 4\n-2 # Bob, not -3, left\n-4\n# all\n3 1 3 0 # x\n"
    text += plain.partition("3 1 3 0\n")[2]
    assert [one.format for one in ra.recognize(StringIO(text)).readings] == ["blt"]
    assert read(text).profile == read(plain).profile
    with pytest.raises(DataFormatError, match=r"line 7: a ballot must read .* Got '3 1 3'"):
        read(text.replace("3 1 3 0 #", "3 1 3 #"))
    with pytest.raises(DataFormatError, match="withdraws '-5', and has candidates 1 to 4"):
        read(text.replace("-4\n", "-5\n"))


def slow(text):
    """Return how many ballots are as cast, changed, blank and spoilt, line by line."""
    lines = text.splitlines()[1:]
    gone, kinds = set(), {"unchanged": 0, "changed": 0, "blank": 0, "emptied": 0}
    for line in lines:
        if line.startswith("-"):
            gone.add(line[1:])
        elif line == "0":
            return kinds
        else:
            many, *marks = line.removesuffix(" 0").split()
            while marks and marks[-1] == "-":
                marks.pop()
            named = [x for mark in marks for x in mark.split("=") if x != "-"]
            left = [x for x in named if x not in gone]
            kind = "unchanged" if left == named and "-" not in marks else "changed"
            kind = kind if left else "emptied" if named else "blank"
            kinds[kind] += int(many)
    raise AssertionError("no end")


@given(data=st.data())
def test_ballots_are_counted_as_line_by_line(data):
    gone = data.draw(st.sets(st.integers(1, 4), max_size=2))
    places = st.lists(st.sampled_from(["1", "2", "3", "4", "-"]), max_size=5)
    unique = places.filter(lambda x: len({*x} - {"-"}) == len(x) - x.count("-"))
    ballots = data.draw(st.lists(st.tuples(st.integers(1, 9), unique), min_size=1, max_size=6))
    first = next(str(k) for k in range(1, 5) if k not in gone)
    rows = [f"{n} {' '.join([*marks, '0'])}" for n, marks in [(1, [first]), *ballots]]
    text = "\n".join(["4 1", *(f"-{k}" for k in gone), *rows, "0", "a", "b", "c", "d", ""])
    votes, kinds = read(text), slow(text)
    assert {kind: getattr(votes, f"n_{kind}") for kind in kinds} == kinds
    assert votes.n_ballots == sum(kinds.values())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 2 0\n", "2 2\n", "line 6: a ballot must read '27 1 3=2 0'"),
        ("1 4 0\n", "-1.5 4 0\n", "line 7: a ballot must read"),
        ("1 4 0\n", "1 x 0\n", "line 7: a ballot must read .* Got '1 x 0'"),
        ("1 4 0\n", "0.0 4 0\n", "line 7: a ballot must read"),
        ("1 4 0\n", "1 5 0\n", "line 7: '5' is not declared"),
        ("1 4 0\n", "1 4 4 0\n", "line 7: 'Dan' is named twice"),
        ('Dan\n"Ward"\n', "", "names 3 of 4 candidates; it may be cut off"),
        ('0\n"Ann', '"Ann', "line 8: a ballot must read"),
        (BLT[BLT.index('\n0\n"') :], "\n", "names 0 of 4 candidates"),
        ('"Ward"\n', '"Ward"\nEve\n', "has 6 names, and only 4 candidates and a title"),
        ("4 2\n", "4 0\n", "an election of 0 seats"),
    ],
)
def test_bad_lines_of_blt_are_refused_by_number(old, new, message):
    with pytest.raises(DataFormatError, match=message):
        read(BLT.replace(old, new))


odd = st.text("ab\u00e9\u4e2d\U0001f600'|_-=10 ,:#>(){", max_size=6).filter(
    lambda name: name == name.strip()
)


@given(data=st.data(), policy=policies, title=odd)
def test_ballots_written_as_blt_are_read_back(data, policy, title, tmp_path_factory):
    items = ra.ItemSet(data.draw(st.lists(odd, min_size=1, max_size=6, unique=True)))
    profile = data.draw(profiles(items, unlisted=False)).with_unranked(policy)
    assume((profile.ranks >= 0).any(axis=1).all())
    path = tmp_path_factory.mktemp("blt") / "ballots.blt"
    ra.io.write_ballots(profile, path, title=title, seats=3)
    votes = ra.io.read_blt(path, unranked=policy)
    back = votes.profile
    assert (votes.title, votes.seats) == (title, 3)
    if (profile.weights % 1 != 0).any():
        single = np.repeat(profile.ranks, profile.counts, axis=0)
        assert back.ranks.tolist() == single.tolist()
        assert back.weights.tolist() == np.repeat(profile.weights, profile.counts).tolist()
    else:
        assert back.items == profile.items
        assert (back.pairwise().wins == profile.pairwise().wins).all()
        assert back == profile or (profile.weights != 1).any()


@pytest.mark.parametrize("name", ['"Bo"', 'a" "b', " a", "a\nb", 'a"'])
def test_names_that_blt_cannot_hold_are_refused(name, tmp_path):
    profile = ra.Profile.from_orders([[name, "z"], ["z"]])
    with pytest.raises(InvalidInputError, match="items and title` must be that BLT can hold"):
        ra.io.write_ballots(profile, tmp_path / "x.blt")
    with pytest.raises(InvalidInputError, match=r"free of groups in a file \.blt"):
        ra.io.write_ballots(ra.Profile([profile[0]], groups=["p"]), tmp_path / "x.blt")
    assert not (tmp_path / "x.blt").exists()
