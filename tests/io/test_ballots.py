"""Ballots as tables of ranks."""

import warnings
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError
from tests.strategies import POLICIES, policies, profiles

nan = float("nan")


def read(text, **names):
    return ra.read_ballots(StringIO(text), **names)


# -- reading --------------------------------------------------------------------------------------


def test_ranks_ties_and_gaps_are_read():
    profile = read("B,A,C\n1,2,3\n2,1,2\n,2,1\n")
    assert profile.items.labels == ("B", "A", "C")
    assert profile.ranks.tolist() == [[0, 1, 2], [1, 0, 1], [-2, 1, 0]]
    assert profile.counts.tolist() == [1, 1, 1]
    assert profile.weights.tolist() == [1, 1, 1]
    assert profile.groups is None


def test_any_numbers_are_read_if_all_columns_are_stated():
    assert read("A,B,C,D\n-0.5,1e3,0,x\n", drop="D").ranks.tolist() == [[0, 2, 1]]
    with pytest.raises(DataFormatError, match=r"`Profile\.from_ranks` takes any numbers"):
        read("A,B,C\n-0.5,1e3,0\n")


def test_ordinals_are_read_as_ranks():
    assert read("A,B,C\n1ST,3rd place, 2nd choice\n2,1,\n") == read("A,B,C\n1,3,2\n2,1,\n")
    with pytest.raises(DataFormatError, match="Got '1st B'"):
        read("A,B,C\n1st B,2,1\n1,2,3\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "A,B,C,x\n7,9,8,\n,3,4,\n1,2,3,\n",
            "2 of 3 rows have no rank 1: are these ranks, not scores?",
        ),
        ("A,B,C,x\n2,2,2,\n1.5,3,1.5,\n", ""),
        # One of two is not most.
        ("A,B,C,x\n7,9,8,\n1,2,3,\n", ""),
        (
            '"",A,B,x\n7,1,2,\n8,2,1,\n',
            "the column without a name is read as names of rows.",
        ),
    ],
)
def test_numbers_that_may_be_no_ranks_are_reported(text, message):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(text, drop="x")
    assert [str(one.message) for one in caught] == ([f"the stream: {message}"] if message else [])


@pytest.mark.parametrize("drop", ["voter", ["voter"], ("voter",), iter(["voter"])])
def test_columns_that_are_no_items_are_left_out(drop):
    assert read("voter,A,B\nv1,1,2\n", drop=drop).items.labels == ("A", "B")


@pytest.mark.parametrize("marker", ["", "NA", "nan", "null", "None"])
def test_an_empty_cell_is_unlisted_under_every_policy(marker):
    text = f"A,B,C\n1,2,{marker}\n"
    assert read(text).ranks.tolist() == [[0, 1, ra.UNLISTED]]
    for policy in POLICIES:
        profile = ra.Profile.from_ranks([[1, 2, nan]], items="ABC").with_unranked(policy)
        assert read(text, unranked=policy) == profile


def test_a_frame_is_read_as_a_file():
    frame = pd.DataFrame({"A": [1, 2, 1], "B": [2.0, nan, 2.0], "n": [3, 1, 1]})
    profile = ra.read_ballots(frame, count="n")
    assert profile == read("A,B,n\n1,2,3\n2,,1\n1,2,1\n", count="n")
    named = frame.set_index(pd.Index(["v1", "v2", "v3"], name="voter"))
    assert ra.read_ballots(named, count="n", drop="voter") == profile


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "text", "names", "message"),
    [
        (DataFormatError, "A,B\n1,2\n,\n \nx,1\n", {}, "row 5, column 'A'.*'x'"),
        (DataFormatError, "A,B\nNA,\n", {"drop": "B"}, "no ballot that ranks anything"),
        (DataFormatError, "A,B,C\n1,inf,2\n", {"drop": "C"}, "row 2, column 'B'.*'inf'"),
        (DataFormatError, "A,B\n1\n", {}, "row 2 has 1 cell where"),
        (DataFormatError, "voter,A\nv1,1\n", {}, "no two columns of ranks"),
        (DataFormatError, "voter,n\nv,1\n", {"count": "n", "drop": "voter"}, "no item columns"),
        (DataFormatError, "A,B,n\n1,2,many\n", {"count": "n"}, "row 2, column 'n'.*'many'"),
        *((DataFormatError, f"A,B,n\n1,2,3\n1,2,{count}\n", {"count": "n"},
           r"row 3, column 'n' must be a positive whole number below 2\*\*53\. Got '")
          for count in ("0", "-1", "1.5", "", "NA", 2**53, "1e300")),
        *(((InvalidInputError, DataFormatError), f"A,B,w\n1,2,3\n1,2,{weight}\n", {"weight": "w"},
           "weight") for weight in ("0", "-1", "")),
        *((InvalidInputError, "A,B\n1,2\n", {part: "n"}, rf"`{part}` must be a column of the str")
          for part in ("count", "weight", "group", "drop")),
        (InvalidInputError, "A,n\n1,1\n", {"count": "n", "weight": "n", "drop": "A"},
         "must be different columns"),
    ],
)  # fmt: skip
def test_bad_tables_of_ballots_are_refused(error, text, names, message):
    with pytest.raises(error, match=message):
        read(text, **names)


def test_profiles_ambiguous_in_a_file_are_not_written(tmp_path):
    unranked, unlisted = ra.PartialRanking([0, -1], "AB"), ra.PartialRanking([0, -2], "AB")
    profile = ra.Profile([unranked, unlisted])
    with pytest.raises(InvalidInputError, match="free of unranked or of unlisted items"):
        ra.io.write_ballots(profile, tmp_path / "x")
    rated = ra.Profile.from_orders(["AB", "BA"]).with_clusters(["ann", "bob"])
    for ending in ("", ".csv", ".soc", ".blt"):
        with pytest.raises(InvalidInputError, match="free of clusters"):
            ra.io.write_ballots(rated, tmp_path / f"x{ending}")


# -- writing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (["A", "B"], "A,B,count\n1,2,3\n,1,1\n"),
        (["A;", "B"], '"A;","B","count"\n1,2,3\n"",1,1\n'),
        (["A", "B\tC"], '"A","B\tC","count"\n1,2,3\n"",1,1\n'),
        (["A,", 'B"'], '"A,","B""",count\n1,2,3\n,1,1\n'),
    ],
)
def test_text_is_quoted_where_it_could_be_taken_for_more_cells(items, text):
    profile = ra.Profile.from_ranks([[1, 2], [nan, 1]], items=items, counts=[3, 1])
    stream = StringIO()
    ra.io.write_ballots(profile, stream)
    assert stream.getvalue() == text
    assert read(text, count="count", unranked="uniform") == profile


def test_an_item_may_be_called_like_a_column_that_is_not_written(tmp_path):
    profile = ra.Profile.from_orders([["weight", "group"]])
    ra.io.write_ballots(profile, tmp_path / "ballots.csv")
    assert ra.read_ballots(tmp_path / "ballots.csv", count="count")[0] == profile[0]


plain = st.text("abC\u00e9\u0142\u4e2d\U0001f600'|_-=1", min_size=1, max_size=6)


@given(data=st.data())
def test_written_ballots_are_read_back(data, tmp_path_factory):
    items = ra.ItemSet(data.draw(st.lists(plain, min_size=1, max_size=6, unique=True)))
    profile = data.draw(profiles(items, unlisted=False, groups=data.draw(st.booleans())))
    profile = profile.with_unranked(data.draw(policies))
    path = tmp_path_factory.mktemp("ballots") / "ballots.csv"
    ra.io.write_ballots(profile, path)
    extra = {"count": "count", "unranked": profile.unranked}
    extra |= {"weight": "weight"} if (profile.weights != 1).any() else {}
    extra |= {"group": "group"} if profile.groups is not None else {}
    ranked = np.flatnonzero((profile.ranks >= 0).any(axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        # One column of ranks next to empty ones could hold anything.
        if len(ranked) and (len(items) == 1 or (profile.ranks >= 0).any(axis=0).sum() > 1):
            assert ra.read_ballots(path, **extra) == profile[ranked]
            return
        with pytest.raises(DataFormatError, match=r"no ballot that ranks|no two columns"):
            ra.read_ballots(path, **extra)


# -- real files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "case", "voter"),
    [("sports", "data_sports", "voter"), ("German", "data_German", "voter"),
     ("Idea", "data_Idea", "voter"), ("salad", "salad_pl", "judge")],
)  # fmt: skip
def test_real_tables_give_the_known_rankings(name, case, voter, data, facts):
    profile = ra.read_ballots(data(f"rankings/{name}_ranks.csv"), drop=voter)
    if name == "Idea":
        # The file has 5 for the word most associated, as published; the facts have 6 - x.
        profile = ra.Profile([ranking.reverse() for ranking in profile])
    known = facts("known_answers")[case]["input"]
    expected = ra.Profile.from_ranks(known["ranks"], items=known["items"], counts=known["weights"])
    assert profile.n_rankings == len(profile) == expected.n_rankings
    assert profile.items == expected.items
    merged = profile.compress()
    counts = [dict(zip(one, one.counts.tolist(), strict=True)) for one in (merged, expected)]
    assert counts[0] == counts[1]
