"""Cast vote records against a slow reader that goes through one mark after another."""

import csv
import warnings
from collections import Counter
from io import StringIO

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError

OVERVOTES = ("end", "skip")
SKIPPED = ("close", "end", "end-after-two")
WRITE_INS = ("keep", "pool", "drop")


def slow(ballots, overvotes, skipped, write_ins):
    """Return rankings with their counts, and the tallies of steps, ballot by ballot."""
    rankings: Counter = Counter()
    met = {}
    kinds: Counter = Counter()
    ranked = 0
    for marks in ballots:
        ended, blanks, order = False, 0, []
        out: Counter = Counter()
        for at, mark in enumerate(marks):
            is_written = mark.startswith("UWI")
            if mark == "":
                out.update([("undervote", "met"), ("undervote", "left out")])
                if not ended and any(marks[at:]):
                    out["skipped choice", "met"] += 1
                    blanks += 1
                    ended = skipped == "end" or (skipped == "end-after-two" and blanks == 2)
                continue
            blanks = 0
            out.update([("overvote", "met")] * (mark == "overvote"))
            out.update([("write-in", "met")] * is_written)
            name = "write-in" if is_written and write_ins == "pool" else mark
            if ended:
                step = "after the end"
                out[step, "met"] += 1
            elif mark == "overvote":
                step, ended = "overvote", overvotes == "end"
            elif is_written and write_ins == "drop":
                step = "write-in"
            elif name in order:
                step = "repeated item"
                out[step, "met"] += 1
            else:
                order.append(name)
                continue
            out[step, "left out"] += 1
        for (step, what), number in out.items():
            row = met.setdefault(step, Counter())
            row[what] += number
            row["ballots"] += what == "met"
        ranked += len(order)
        if order:
            rankings[tuple(order)] += 1
            touched = [key for key in out if key[0] != "undervote" and key[1] == "left out"]
            is_changed = touched or out["skipped choice", "met"]
            kinds["changed" if is_changed else "unchanged"] += 1
        else:
            kinds["emptied" if any(marks) else "blank"] += 1
    return rankings, met, kinds, ranked


def orders_of(profile):
    found: Counter = Counter()
    for row, count in zip(profile.ranks, profile.counts, strict=True):
        listed = sorted((rank, at) for at, rank in enumerate(row) if rank >= 0)
        found[tuple(profile.items[at] for _, at in listed)] += int(count)
        assert [rank for rank, _ in listed] == list(range(len(listed)))
    return found


def check(votes, ballots, policies):
    rankings, met, kinds, ranked = slow(ballots, *policies)
    assert orders_of(votes.profile) == rankings
    assert len(votes.profile) == len(rankings)
    assert votes.n_ballots == len(ballots)
    assert (votes.n_unchanged, votes.n_changed) == (kinds["unchanged"], kinds["changed"])
    assert (votes.n_blank, votes.n_emptied) == (kinds["blank"], kinds["emptied"])
    assert votes.n_ranked == ranked
    for step in votes.steps:
        slowly = met.get(step.step, Counter())
        counts = (step.ballots, step.choices, step.left_out)
        assert counts == (slowly["ballots"], slowly["met"], slowly["left out"]), step
    assert votes.n_unchanged + votes.n_changed + votes.n_blank + votes.n_emptied == len(ballots)
    assert votes.n_ranked + sum(step.left_out for step in votes.steps) == votes.n_choices


marks = st.sampled_from(["", "", "A", "B", "C", "overvote", "UWI", "UWI 2"])
records = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(marks, min_size=k, max_size=k), min_size=1, max_size=6)
)
policies_of = st.tuples(*map(st.sampled_from, (OVERVOTES, SKIPPED, WRITE_INS)))


def options(policies):
    return dict(zip(("overvotes", "skipped", "write_ins"), policies, strict=True))


def frame_of(ballots):
    return pd.DataFrame(ballots, columns=[f"choice {k}" for k in range(len(ballots[0]))])


@given(records, policies_of)
def test_every_policy_equals_reading_mark_by_mark(ballots, policies):
    frame = frame_of(ballots)
    names = {"choices": list(frame.columns), **options(policies)}
    if slow(ballots, *policies)[0]:
        check(ra.read_cast_votes(frame, **names), ballots, policies)
        return
    with pytest.raises(DataFormatError, match="no ballot that ranks anything"):
        ra.read_cast_votes(frame, **names)


@settings(max_examples=20)
@given(records, policies_of)
def test_all_kinds_of_tables_give_the_same_votes(ballots, policies):
    frame = frame_of(ballots)
    gaps = frame.replace("", None).astype(object)
    text = frame.to_csv(index=False)
    quoted = text.replace("choice 0", '"choice\t0"')  # read cell by cell
    sources = [
        frame, gaps, pa.Table.from_pandas(gaps), StringIO(text), StringIO(quoted),
        StringIO(text.replace(",", ";").replace("\n", "\r\n") + "\r\n\r\n"),
    ]  # fmt: skip
    found = []
    for source in sources:
        try:
            found.append(ra.read_cast_votes(source, **options(policies)))
        except DataFormatError:
            found.append(None)
    first = found[0]
    for other in found:
        assert (other is None) == (first is None)
        if first is not None:
            assert (other.profile, other.steps) == (first.profile, first.steps)


# -- a real election ------------------------------------------------------------------------------

# First choices of the first round, and votes of the last two, as published for the mayoral
# election of Minneapolis, 2013: https://en.wikipedia.org/wiki/2013_Minneapolis_mayoral_election
FIRST = {"BETSY HODGES": 28962, "MARK ANDREW": 19648, "DON SAMUELS": 8350, "CAM WINTON": 7533}
LAST = {"BETSY HODGES": 38870, "MARK ANDREW": 24972}
BEFORE = {"DON SAMUELS": 10301, "CAM WINTON": 8969}


def firsts(profile):
    best = profile.counts @ (profile.ranks == 0)
    return dict(zip(profile.items, best.tolist(), strict=True))


@pytest.fixture(scope="module")
def record(data):
    return data("rankings/mn_2013_cast_vote_record.csv")


def test_published_counts_of_an_election_are_reproduced(record):
    votes = ra.read_cast_votes(record, overvotes="skip")
    assert (votes.n_ballots, votes.profile.n_rankings) == (80_101, 79_415)
    assert firsts(votes.profile).items() >= FIRST.items()
    assert firsts(votes.profile.restrict(LAST)).items() == LAST.items()
    assert firsts(votes.profile.restrict([*LAST, *BEFORE])).items() >= BEFORE.items()


@pytest.mark.parametrize(
    "policies", [("skip", "close", "drop"), ("end", "end-after-two", "keep")], ids="-".join
)
def test_an_election_is_read_as_ballot_by_ballot(record, policies):
    with record.open(encoding="utf-8", newline="") as file:
        lines = [next(file) for _ in range(20_000)]
    ballots = [
        ["" if mark == "undervote" else mark for mark in row] for row in csv.reader(lines[1:])
    ]
    check(read("".join(lines), **options(policies)), ballots, policies)


# -- columns and words ----------------------------------------------------------------------------

TEXT = "id,first,second,n,w,ward\n1,Ann,Bob,3,0.5,x\n2,Ann,Bob,4,0.5,x\n3,Ann,Bob,1,0.5,y\n"


def read(text, **names):
    return ra.read_cast_votes(StringIO(text), **names)


def test_counts_weights_and_groups_are_read():
    columns = {"count": "n", "weight": "w", "group": "ward", "choices": ["first", "second"]}
    votes = read(TEXT, **columns)
    assert votes.n_ballots == 8
    assert votes.profile.counts.tolist() == [7, 1]
    assert votes.profile.groups == ("x", "y")
    assert votes.profile.weights.tolist() == [0.5, 0.5]
    assert orders_of(read(TEXT, choices=["second", "first"]).profile) == {("Bob", "Ann"): 3}


def test_words_for_no_vote_are_counted_by_ballots():
    votes = read("first,second,n\nAnn,undervote,3\nBob,Ann,1\n", count="n")
    assert votes.spelled == (("undervote", 3),)


def test_stated_items_are_kept_and_others_left_out():
    text = "first,second\nAnn,\nBob,Cid\nCid,\n"
    assert read(text).profile.has_unlisted
    assert read(text, unranked="ignore").profile.has_unranked
    votes = read(text, items=["Dee", "Cid", "Bob", "Ann"])
    assert tuple(votes.profile.items) == ("Dee", "Cid", "Bob", "Ann")
    with pytest.raises(DataFormatError, match="has 'Cid', which is none of the given"):
        read(text, items=["Ann", "Bob", "Cyd"])
    kept = read("first,second\nAnn,UWI\nBob,Ann\n", items=["Ann", "Bob"])
    assert tuple(kept.profile.items) == ("Ann", "Bob", "UWI")


def test_stated_spellings_are_merged():
    text = "first,second,third\nUnder-Vote,OVER VOTE,Ann\nwrite-in: Jo,Write in 7,Ann\nAnn,,\n"
    assert dict(read(text).spelled) == {
        "": 2, "Under-Vote": 1, "OVER VOTE": 1, "write-in: Jo": 1, "Write in 7": 1,
    }  # fmt: skip
    pooled = read(text, write_ins="pool", overvotes="skip")
    assert tuple(pooled.profile.items) == ("Ann", "write-in")
    # Somebody may be called like a spelling.
    columns = {"choices": ["first", "second"]}
    called = read("first,second\nundervote,Ann\n", spellings={"undervote": []}, **columns)
    assert orders_of(called.profile) == {("undervote", "Ann"): 1}
    own = {"undervote": ["XX"], "overvote": ["yy"]}
    own = read("first,second\nxx,Ann\n", spellings=own, **columns)
    assert orders_of(own.profile) == {("Ann",): 1}


def test_blanks_around_names_are_removed():
    frame = pd.DataFrame({"first": ["Ann", "Ann ", None], "second": [None, "Bob", " Bob"]})
    for source in (frame, frame.astype("category"), pa.Table.from_pandas(frame)):
        votes = ra.read_cast_votes(source, choices=["first", "second"])
        assert orders_of(votes.profile) == {("Ann",): 1, ("Ann", "Bob"): 1, ("Bob",): 1}


def test_a_name_like_a_missing_value_is_reported():
    with pytest.warns(DataWarning, match="2 choices 'NA', which is read as a name"):
        votes = read("first,second\nAnn,NA\nNA,Ann\n")
    assert "NA" in votes.profile.items
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read("first,second\nAnn,NA\nBob,Ann\n", spellings={"undervote": ["NA"]})


NUMBERED = "".join(f"voter {row},A\n" for row in range(20_000))
REFUSED = [
    (TEXT, {"choices": ["third"]}, "a column of the stream"),
    (TEXT, {"choices": ["first", "first"]}, "different columns"),
    (TEXT, {"drop": ["what"]}, "`drop` must be a column"),
    (TEXT, {"overvotes": "close"}, "'end' or 'skip'"),
    (TEXT, {"skipped": "end after two"}, "Did you mean 'end-after-two'"),
    (TEXT, {"unranked": "first"}, "'uniform' or 'ignore' or 'last'"),
    (TEXT, {"spellings": {"undervotes": "x"}}, "Did you mean 'undervote'"),
    (TEXT, {"spellings": {"overvote": [" "]}}, "Empty cells are underv"),
    (TEXT, {"spellings": "x"}, "a mapping from"),
]
NO_BALLOTS = [
    ("a,w\nA,1\n,0\n", {"weight": "w"}, "row 3, column 'w' must be a weigh"),
    (TEXT, {"drop": TEXT.split("\n", 1)[0].split(",")}, "no two columns with the same names"),
    (TEXT, {"choices": []}, "no columns of choices"),
    ("a,b\nundervote,\n,overvote\n", {"choices": ["a", "b"]}, "ranks anything, of 2 ballots"),
    (f"a,n\nA,{2**52}\nB,{2**52}\n", {"choices": "a", "count": "n"}, r"up to 2\*\*53 or more"),
    # A column of numbers of ballots is no choice, unless it is stated.
    (f"voter,first\n{NUMBERED}", {"choices": ["voter", "first"]}, "20000 distinct ballots and"),
]  # fmt: skip


def test_bad_input_is_refused():
    for error, cases in ((InvalidInputError, REFUSED), (DataFormatError, NO_BALLOTS)):
        for text, names, words in cases:
            with pytest.raises(error, match=words):
                read(text, **names)
