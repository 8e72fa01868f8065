"""ABIF: what its lines say, and which lines say nothing."""

import re
from io import StringIO

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError
from rankagg.io.abif import title_and_seats
from rankagg.testing.commands import ReaderContract
from tests.strategies import policies, profiles

DECLARED = "=A:[Ann: the 1st, of 2]\n=B :[Bob]\n=C:Cid\n"


def read(text, **options):
    return ra.io.read_abif(StringIO(text), **options)


class TestAbif(ReaderContract):
    read = ra.io.read_abif
    text = f"{{'title': 'Three'}}\n{DECLARED}27:A>B=C\n2:C\n"
    broken = (
        "A>B\n", "2:A>\n", "2:A> >B\n", "2:[ ]>A\n", "x:A\n", "2:A>A\n", "# nothing\n", "0:A>B\n",
        "2:A/5,B\n", "2:A>B,C\n", "=A:[a]\n=A:[b]\n1:A\n", "=A:[a]\n=B:[a]\n1:A\n",
        "=A:[a]\n1:B\n", "2:A/x>B\n",
    )  # fmt: skip


def test_orders_ties_comments_and_declarations():
    profile = read(f'# before\n{{title: "x"}}\n{DECLARED}\n  27: A > B = C # behind\n2:C>B\n')
    assert profile.items.labels == ("Ann: the 1st, of 2", "Bob", "Cid")
    assert profile.ranks.tolist() == [[0, 1, 1], [-2, 1, 0]]
    assert profile.counts.tolist() == [27, 2]
    assert read(f"{DECLARED}1:C>B\n", unranked="ignore").ranks.tolist() == [[-1, 1, 0]]


def test_ratings_order_what_commas_separate():
    text = "12: Allie/5, Billy/5, Candace/4.5, Dennis/03\n1:Dennis/0>Allie/5\n"
    assert read(text).ranks.tolist() == [[0, 0, 2, 3], [1, -2, -2, 0]]


def test_names_in_brackets_and_without_declarations():
    profile = read('5:[A, X]/3>"B>Y">[C "Z" z]\n1:[C "Z" z]\n')
    assert profile.items.labels == ("A, X", "B>Y", 'C "Z" z')
    assert read("=A:[Ann]\n=B:[Bob]\n1:[Ann]>B\n")[0].order == ("Ann", "Bob")


def test_blank_ballots_are_counted():
    with pytest.warns(DataWarning, match="502 ballots without any name, in no ranking"):
        assert read("500:\n2:\n50:A\n").n_rankings == 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1:A\nA>B\n", "line 2: a line must read"),
        ("1:A>\n", "line 1 needs a name here. Got ''"),
        ("1:A/5,B/2,C\n", "line 1: between commas 'C' needs a rating"),
        ("1:A>B,C\n", "line 1: commas do not go with > and ="),
        ("1:A\n2:B=C>B\n", "line 2: 'B' is named twice"),
        ("=Ann:[A]\n1:An\n", "line 2: 'An' is not declared. Did you mean 'Ann'?"),
        ("=A:[x]\n=A:[y]\n1:A\n", "line 2: 'A' is declared twice"),
        ("=A:[x]\n=B:[x]\n1:A\n", "two candidates of one name"),
        ("0:A\n", "line 1: a line must read"),
    ],
)
def test_other_lines_are_refused_with_their_number(text, message):
    with pytest.raises(DataFormatError, match=re.escape(message)):
        read(text)


@given(profiles(unlisted=False))
def test_written_ballots_come_back(profile):
    rows = [
        (count, ">".join("=".join(f"[i{label}]" for label in bucket) for bucket in one.buckets))
        for count, one in zip(profile.counts.tolist(), profile, strict=True)
    ]
    head = "".join(f"=i{label}:[i{label}]\n" for label in profile.items)
    if not all(row for _, row in rows):
        return
    found = read(head + "".join(f"{count}:{row}\n" for count, row in rows), unranked="uniform")
    assert [one.buckets for one in found] == [
        tuple(tuple(f"i{label}" for label in bucket) for bucket in one.buckets) for one in profile
    ]


BLT = '4 2\n-2\n3 1 2 4=3 0\n5 - 2=3 1 0\n\n2 2 0\n1 4 0\n0\n"Ann (X)"\n"Bob"\n"Cid"\nDan\n"Ward"\n'


@pytest.mark.parametrize("text", [BLT, BLT.replace("\n", "\r\n"), BLT.removesuffix('"Ward"\n')])
def test_blt_is_read_without_those_who_have_withdrawn(text):
    assert [one.format for one in ra.recognize(StringIO(text)).readings] == ["abif"]
    with pytest.warns(DataWarning) as told:
        profile = read(text)
    said = [str(one.message).partition(": ")[2] for one in told]
    assert said == [
        "an election of 2 seats, 1 candidate withdrawn.",
        "2 ballots without any name, in no ranking.",
    ]
    assert profile.items.labels == ("Ann (X)", "Cid", "Dan")
    assert profile.ranks.tolist() == [[0, 1, 1], [1, 0, -2], [-2, -2, 0]]
    assert profile.counts.tolist() == [3, 5, 1]


@pytest.mark.filterwarnings("ignore::rankagg.exceptions.DataWarning")
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
    ],
)
def test_blt_that_says_nothing_is_refused_by_its_line(old, new, message):
    with pytest.raises(DataFormatError, match=message):
        read(BLT.replace(old, new))


odd = st.text("ab\u00e9\u4e2d\U0001f600'|_-=10 ,:#>(){", max_size=6).filter(
    lambda name: name == name.strip()
)


@pytest.mark.filterwarnings("ignore::rankagg.exceptions.DataWarning")
@given(data=st.data(), policy=policies, title=odd)
def test_ballots_written_as_blt_come_back(data, policy, title, tmp_path_factory):
    items = ra.ItemSet(data.draw(st.lists(odd, min_size=1, max_size=6, unique=True)))
    profile = data.draw(profiles(items, unlisted=False)).with_unranked(policy)
    assume((profile.ranks >= 0).any(axis=1).all())
    path = tmp_path_factory.mktemp("blt") / "ballots.blt"
    ra.io.write_ballots(profile, path, title=title, seats=3)
    back = ra.io.read_abif(path, unranked=policy)
    assert title_and_seats(path) == (title, 3)
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
