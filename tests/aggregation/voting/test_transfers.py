"""Counts round by round: the single transferable vote and instant runoff."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InformationLostError, InvalidInputError, TiedRankingError
from tests.aggregation.voting import slow_counts

# Few kinds of ballots, so that surpluses and ties are common.
papers = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.tuples(st.permutations(range(n)), st.integers(1, n), st.integers(1, 12)),
        min_size=1,
        max_size=8,
    ).map(lambda kinds: (n, [order[:k] for order, k, count in kinds for _ in range(count)]))
)


def profile_of(n, orders):
    return ra.Profile.from_orders(orders, items=range(n))


def sheets_of(count):
    """Return the votes of those who remain, round by round."""
    pairs = (zip(count.candidates, stage.counts, strict=True) for stage in count.stages)
    return [{label: votes for label, votes in one if votes is not None} for one in pairs]


def agrees(count, elected, sheets):
    assert list(count.elected) == elected
    assert len(count.stages) == len(sheets)
    for found, sheet in zip(sheets_of(count), sheets, strict=True):
        assert found.items() <= sheet.items()
        assert not any(votes for label, votes in sheet.items() if label not in found)


# -- against counts paper by paper ----------------------------------------------------------------


@settings(max_examples=35)
@given(papers, st.integers(1, 4))
def test_transferred_counts_are_those_of_papers(given_papers, seats):
    n, orders = given_papers
    for counting, most in (("scottish", n), ("meek", n - 1)):
        count = ra.STV(min(seats, most), counting=counting).count(profile_of(n, orders))
        agrees(count, *getattr(slow_counts, counting)(orders, n, min(seats, most)))


@settings(max_examples=35)
@given(papers)
def test_instant_runoff_counts_are_those_of_papers(given_papers):
    n, orders = given_papers
    rule, profile = ra.InstantRunoff(), profile_of(n, orders)
    count = rule.count(profile)
    agrees(count, *slow_counts.instant_runoff(orders, n))
    assert count.elected == rule.aggregate(profile).buckets[0]


@settings(max_examples=20)
@given(papers, st.integers(1, 4), st.sampled_from(["scottish", "meek"]), st.booleans())
def test_votes_and_exhausted_ballots_are_all_ballots(given_papers, seats, counting, hare):
    n, orders = given_papers
    rule = ra.STV(min(seats, n), counting=counting, quota="hare" if hare else "droop")
    count = rule.count(profile_of(n, orders))
    assert count == rule.count(profile_of(n, orders).compress())
    assert len(set(count.elected)) == len(count.elected) == rule.seats
    for stage, sheet in zip(count.stages, sheets_of(count), strict=True):
        assert sum(sheet.values()) + stage.exhausted == len(orders)
        assert stage.exhausted >= 0
    gone = [label for stage in count.stages for label in stage.eliminated]
    assert len(set(gone)) == len(gone)
    assert not set(gone) & set(count.elected)


# -- by hand, and as published --------------------------------------------------------------------

# The election of food, https://en.wikipedia.org/wiki/Single_transferable_vote, three seats.
FOOD = ra.Profile.from_orders(
    [
        ["orange"], ["pear", "orange"], ["chocolate", "strawberry"], ["chocolate", "bonbon"],
        ["strawberry"], ["bonbon"],
    ],
    counts=[4, 2, 8, 4, 1, 1],
)  # fmt: skip


def test_a_published_example_is_reproduced():
    count = ra.STV(3).count(FOOD)
    assert count.quota == 6
    assert count.elected == ("chocolate", "orange", "strawberry")
    assert count.order == (*count.elected, "bonbon", "pear")
    named = [dict(zip(count.candidates, stage.counts, strict=True)) for stage in count.stages]
    assert named[0]["chocolate"] == 12
    assert named[1] == {"orange": 4, "pear": 2, "chocolate": 6, "strawberry": 5, "bonbon": 3}
    assert named[2] == {"orange": 6, "pear": None, "chocolate": 6, "strawberry": 5, "bonbon": 3}
    assert [stage.surplus for stage in count.stages] == [("chocolate",), (), ()]
    assert [stage.eliminated for stage in count.stages] == [(), ("pear",), ("bonbon",)]
    assert count.margin == 2
    frame = count.rounds
    assert [*frame] == ["round", "candidate", "votes", "transfer", "status"]
    assert frame.groupby("round").size().tolist() == [5, 5, 4]
    second = frame[frame["round"] == 2].set_index("candidate")
    assert second.loc["chocolate"].tolist() == [2, 6, -6, "elected"]
    assert second.loc["pear", "status"] == "eliminated"


@pytest.mark.parametrize(
    ("rule", "quota"),
    [
        (ra.STV(1), 51), (ra.STV(2), 34), (ra.STV(2, quota="hare"), 50),
        (ra.STV(2, quota="hare", counting="meek"), 50),
    ],
)  # fmt: skip
def test_quotas_follow_their_formulas(rule, quota):
    profile = ra.Profile.from_orders(["AB", "BA", "C"], counts=[50, 30, 20])
    assert rule.count(profile).stages[0].quota == quota


def test_the_minneapolis_election_is_reproduced(data):
    record = data("rankings/mn_2013_cast_vote_record.csv")
    profile = ra.read_cast_votes(record, overvotes="skip").profile
    count = ra.InstantRunoff(tie_breaking="order").count(profile)
    # As published, https://en.wikipedia.org/wiki/2013_Minneapolis_mayoral_election.
    sheets = sheets_of(count)
    assert sheets[0]["BETSY HODGES"] == 28_962
    assert sheets[0]["MARK ANDREW"] == 19_648
    assert sheets[-1] == {"BETSY HODGES": 38_870, "MARK ANDREW": 24_972}
    assert sheets[-3].items() >= {"DON SAMUELS": 10_301, "CAM WINTON": 8_969}.items()
    assert count.elected == ("BETSY HODGES",)
    assert count.margin == 38_870 - 24_972
    assert ra.STV(1).count(profile).elected == count.elected


# -- ties -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("counting", ["scottish", "meek"])
def test_a_tie_since_the_first_round_is_broken_as_stated(counting):
    profile = ra.Profile.from_orders(["AB", "BA", "CA"], counts=[1, 2, 2])
    level = ra.Profile.from_orders(["A", "B", "C"], counts=[3, 2, 2])
    assert ra.STV(1, counting=counting).count(profile).stages[0].eliminated == ("A",)
    count = ra.STV(1, counting=counting).count(level)
    assert count.stages[0].eliminated == ("C",)
    assert count.notes[0] == "round 1: B, C tie; by the order of the data C is eliminated"
    lot = ra.STV(1, counting=counting, tie_breaking="lot")
    found = {lot.count(level, rng=seed).stages[0].eliminated for seed in range(20)}
    assert found == {("B",), ("C",)}
    assert lot.count(level, rng=1) == lot.count(level, rng=1)
    with pytest.raises(TiedRankingError, match="In round 1: B, C tie; choose another"):
        ra.STV(1, counting=counting, tie_breaking="refuse").count(level)


@settings(max_examples=25)
@given(
    papers.filter(lambda drawn: drawn[0] < 5),
    st.integers(1, 3),
    st.sampled_from(["scottish", "meek"]),
)
def test_tied_holds_candidates_elected_by_some_ways_only(given_papers, seats, counting):
    n, orders = given_papers
    profile, seats = profile_of(n, orders), min(seats, n - 1)
    count = ra.STV(seats, counting=counting).count(profile)
    lot = ra.STV(seats, counting=counting, tie_breaking="lot")
    found = [set(lot.count(profile, rng=seed).elected) for seed in range(60)]
    for order in permutations(range(n)):
        given_to = ra.STV(seats, counting=counting, tie_order=order).count(profile)
        assert not given_to.is_tied
        found.append(set(given_to.elected))
    assert set(count.tied) == set.union(*found) - set.intersection(*found)
    assert count.is_tied == bool(count.tied)


@pytest.mark.parametrize("second", [10, 12])
def test_the_largest_surplus_goes_first_and_equal_ones_in_the_stated_order(second):
    profile = ra.Profile.from_orders(["AC", "BD", "C", "D"], counts=[10, second, 2, 2])
    count = ra.STV(3).count(profile)
    first = [stage.surplus for stage in count.stages[:2]]
    assert first == ([("A",), ("B",)] if second == 10 else [("B",), ("A",)])
    note = "round 1: A, B tie; by the order of the data A transfers its surplus first"
    assert (note in count.notes) == (second == 10)


def test_the_last_difference_breaks_a_tie_before_earlier_ones():
    # C is ahead of B at first, behind in the second round, and level in the third.
    profile = ra.Profile.from_orders(
        ["A", "B", "C", "DC", "DA", "EB"], counts=[20, 10, 11, 1, 2, 2], items="ABCDE"
    )
    count = ra.STV(1).count(profile)
    sheets = sheets_of(count)
    assert [(sheet["B"], sheet["C"]) for sheet in sheets[:3]] == [(10, 11), (12, 11), (12, 12)]
    assert [stage.eliminated for stage in count.stages[:3]] == [("E",), ("D",), ("C",)]
    assert count.notes[0] == "round 3: B, C tie; by the votes of round 2 C is eliminated"
    assert [stage.tie for stage in count.stages[:3]] == ["", "", "by the votes of round 2"]


def test_meek_ties_candidates_within_the_remaining_surplus():
    # With C and E gone B keeps 4 of 12 votes, A gets 4 of 6 and D has 4; rounding hides that.
    profile = ra.Profile.from_orders(["B", "BCE", "BA", "DBE"], counts=[4, 2, 6, 4], items="ABCDE")
    count = ra.STV(2, counting="meek").count(profile)
    last = sheets_of(count)[3]
    assert 0 < last["D"] - last["A"] < Fraction(1, 10**6)
    assert count.notes == ("round 4: A, D tie; by the order of the data D is eliminated",)


# -- refusals -------------------------------------------------------------------------------------


TIED = ra.Profile([ra.PartialRanking.from_buckets([["A"], ["B", "C"]])])
GAPS = ra.Profile.from_orders(["AB", "B"], items="ABC")
REFUSED = [
    (lambda: ra.STV(1).count(TIED), "ranking 0 has some"),
    (lambda: ra.STV(1).count(ra.Profile.from_orders(["AB", "BA"], weights=[0.5, 1])),
     "weights with decimals"),
    (lambda: ra.STV(3).count(ra.Profile.from_orders(["AB"])), "at most 2, one for each candidate"),
    (lambda: ra.STV(1).count(GAPS.pairwise()), "STV needs rankings"),
    (lambda: ra.STV(1, counting="meeks"), r"counting of STV.*Did you mean 'meek'"),
    (lambda: ra.InstantRunoff(tie_breaking="parallel").count(GAPS), "tie_breaking of InstantRun"),
    (lambda: ra.InstantRunoff().count(GAPS.pairwise()), r"InstantRunoff\.count needs rankings"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_data_that_cannot_be_counted_are_refused(call, words):
    with pytest.raises((InvalidInputError, InformationLostError, TiedRankingError), match=words):
        call()


def test_instant_runoff_counts_listed_candidates_only():
    assert ra.InstantRunoff().count(GAPS) == ra.InstantRunoff().count(GAPS.with_unranked("last"))
    shared = ra.Profile([ra.PartialRanking.from_buckets([["A", "B"], ["C"]])], weights=[0.5])
    assert ra.InstantRunoff().count(shared).stages[0].counts == (Fraction(1, 4), Fraction(1, 4), 0)


# -- output ---------------------------------------------------------------------------------------


def test_the_table_of_many_rounds_names_the_rounds_left_out():
    n = 12
    orders = [list(range(first, n)) for first in range(n)]
    count = ra.InstantRunoff().count(
        ra.Profile.from_orders(orders, items=range(n), counts=range(1, n + 1)).with_unranked("last")
    )
    text = count.summary()
    assert len(count.stages) == 10
    assert "rounds 2 to 3 are not shown" in text
    assert "round 4 " in text
    assert "round 3 " not in text
    assert {row["round"] for row in count.to_dict()["rounds"]} == set(range(1, 11))
