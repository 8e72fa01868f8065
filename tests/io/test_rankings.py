"""Ranked lists in their four forms, which give the same lists."""

from functools import partial
from io import StringIO

import pytest

import rankagg as ra
from rankagg.exceptions import DataWarning, RankaggError

LISTS = {"s1": ["MYC", "TP53", "EGFR"], "s2": ["TP53", "KRAS"], "s3": ["EGFR", "MYC"]}
GENES = sorted({gene for genes in LISTS.values() for gene in genes})


def content(profile):
    return {
        (group, item): int(rank)
        for group, row in zip(profile.groups, profile.ranks, strict=True)
        for item, rank in zip(profile.items, row, strict=True)
    }


# By definition: the place in the list from 0, or -2.
EXPECTED = {
    (name, gene): genes.index(gene) if gene in genes else -2
    for name, genes in LISTS.items()
    for gene in GENES
}


def forms(folder):
    """Return a call for each form of the lists."""
    depth = max(map(len, LISTS.values()))
    rows = [[(x[at] if at < len(x) else "") for x in LISTS.values()] for at in range(depth)]
    wide = "\n".join(",".join(row) for row in [list(LISTS), *rows])
    long = "".join(
        f"{at},{gene},{name}\n" for name, x in LISTS.items() for at, gene in enumerate(x, 1)
    )
    for name, genes in LISTS.items():
        (folder / f"{name}.txt").write_text("\n".join(genes) + "\n", encoding="utf-8")
    paths = [folder / f"{name}.txt" for name in LISTS]
    columns = {"ranking": "study", "item": "gene", "rank": "rank"}
    return {
        "columns": partial(ra.read_rankings, StringIO(f"{wide}\n")),
        "long": partial(ra.read_rankings, StringIO(f"rank,gene,study\n{long}"), **columns),
        "files": partial(ra.read_rankings, paths),
    }


@pytest.mark.parametrize("form", ["columns", "long", "files"])
def test_every_form_gives_the_same_lists(tmp_path, form):
    unranked = {key: -1 if rank == -2 else rank for key, rank in EXPECTED.items()}
    for options, expected in (({}, EXPECTED), ({"unranked": "ignore"}, unranked)):
        profile = forms(tmp_path)[form](**options)
        assert content(profile) == expected
        assert profile.times_ranked() == {"EGFR": 2, "KRAS": 1, "MYC": 2, "TP53": 2}


def test_equal_ranks_are_read_as_ties():
    text = "list,item,rank\nL,a,1\nL,b,1.5\nL,c,1.5\nM,a,7\n"
    with pytest.warns(
        DataWarning, match=r"the list 'L' has rank 1\.5 twice: items of one rank are"
    ):
        lists = ra.read_rankings(StringIO(text), ranking="list", item="item", rank="rank")
    assert lists.ranks.tolist() == [[0, 1, 1], [0, -2, -2]]


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        ("a,b\nx,y\nx,z\n", {}, "the list 'a' names 'x' twice"),
        ("a,b\n,y\nx,z\n", {}, "row 3, column 'a' names an item below an empty cell"),
        ("a,b\nx,\ny,\n", {}, "the list 'b' names nothing"),
        (
            "l,i,r\nL,a,1\nL,a,2\n",
            {"ranking": "l", "item": "i", "rank": "r"},
            "its list has before",
        ),
        ("l,i,r\nL,a,\n", {"ranking": "l", "item": "i", "rank": "r"}, "is missing"),
        ("l,i,r\nL,a,1\n", {"ranking": "l", "item": "i"}, "three different columns"),
        ("l,i\nL,a\n", {"drop": ["z"]}, "drop"),
    ],
)
def test_bad_lists_are_refused(text, given, words):
    with pytest.raises(RankaggError, match=words):
        ra.read_rankings(StringIO(text), **given)


def test_a_column_that_counts_rows_is_reported():
    text = "Rank,x,y\n1,A,B\n2,B,A\n"
    with pytest.warns(DataWarning, match="the list 'Rank' names 1 and so on in order"):
        assert ra.read_rankings(StringIO(text)).n_rankings == 3
    (one,) = ra.recognize(StringIO(text)).readings
    assert (one.format, one.parameters) == ("lists", {"drop": ["Rank"]})


def test_a_further_column_of_long_lists_is_named():
    text = "query,engine,rank,url\nq1,g,1,a\nq1,b,1,b\nq2,g,2,x\n"
    columns = {"ranking": "engine", "item": "url", "rank": "rank"}
    with pytest.warns(DataWarning, match="query: neither lists, items nor ranks"):
        ra.read_rankings(StringIO(text), **columns)
    assert len(ra.read_rankings(StringIO(text), drop="query", **columns)) == 2
    (asked,) = ra.recognize(StringIO("query,list,rank,document\nq,g,1,a\nr,g,1,b\n")).readings
    assert asked.parameters is None
    assert "query is neither list, item nor rank" in asked.what
