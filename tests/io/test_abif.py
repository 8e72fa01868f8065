"""ABIF: valid and malformed lines."""

import re
from io import StringIO

import pytest
from hypothesis import given

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning
from rankagg.testing.commands import ReaderContract
from tests.strategies import profiles

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


def test_orders_ties_comments_and_declarations_are_read():
    profile = read(f'# before\n{{title: "x"}}\n{DECLARED}\n  27: A > B = C # behind\n2:C>B\n')
    assert profile.items.labels == ("Ann: the 1st, of 2", "Bob", "Cid")
    assert profile.ranks.tolist() == [[0, 1, 1], [-2, 1, 0]]
    assert profile.counts.tolist() == [27, 2]
    assert read(f"{DECLARED}1:C>B\n", unranked="ignore").ranks.tolist() == [[-1, 1, 0]]


def test_ratings_order_names_separated_by_commas():
    text = "12: Allie/5, Billy/5, Candace/4.5, Dennis/03\n1:Dennis/0>Allie/5\n"
    assert read(text).ranks.tolist() == [[0, 0, 2, 3], [1, -2, -2, 0]]


def test_names_in_brackets_and_undeclared_names_are_read():
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
        ("1:A>B,C\n", "line 1: commas cannot be mixed with > and ="),
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
def test_written_ballots_are_read_back(profile):
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


def test_signs_in_declared_names_and_blank_ballots_are_recognized():
    text = '=A:[Bob #1]\n=B:"Ann" # second\n3:A>B # a comment\n2:"B">[A] # last\n4:\n'
    assert ra.recognize(StringIO(text)).readings[0].format == "abif"
    with pytest.warns(DataWarning, match="4 ballots without any name"):
        profile = read(text)
    assert profile.items.labels == ("Bob #1", "Ann")
    assert profile.counts.tolist() == [3, 2]


def test_nearly_equal_names_are_warned_of():
    with pytest.warns(DataWarning, match="'Cid' and 'cid' are read as two"):
        read("10:Ann>Bob>Cid\n5:Bob>Ann>Cid\n3:cid>Ann\n")
