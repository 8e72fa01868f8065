"""Orders, and counts of them, are accepted wherever data are."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.aggregation.evidence import as_data
from rankagg.exceptions import InvalidInputError

ABC, BCA = ra.Permutation("ABC"), ra.Permutation("BCA")
TIED = ra.PartialRanking.from_buckets(["A", "BC"])


@pytest.mark.parametrize(
    ("held", "rankings", "counts"),
    [
        (["ABC", "BCA"], [ABC, BCA], None),
        (("A>B > C", ["B", "C", "A"]), [ABC, BCA], None),
        ({"ABC": 3, "BCA": 2}, [ABC, BCA], [3, 2]),
        ({("A", ("B", "C")): 3}, [TIED], [3]),
        (["A > B = C", ["A", ["C", "B"]]], [TIED, TIED], None),
        ([ABC, TIED], [ABC, TIED], None),
    ],
)
def test_orders_are_read_best_first(held, rankings, counts):
    expected = ra.Profile(rankings, counts=counts)
    assert as_data(held) == expected
    assert ra.Borda().aggregate(held) == ra.Borda().aggregate(expected)


def test_labels_that_an_order_leaves_out_are_unranked():
    profile = as_data([["Ann", ["Bob", "Cid"]], ["Cid"], "Dan > Ann"])
    assert profile.ranks.tolist() == [[0, 1, 1, -1], [-1, -1, 0, -1], [1, -1, -1, 0]]
    assert profile.unranked == "uniform"


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ([], "at least one order"),
        ({}, "at least one order"),
        (np.eye(2), r"meaning is stated. Got an array of shape \(2, 2\).*`Profile.from_ranks`"),
        (pd.DataFrame([[1, 2]]), "without the direction.*higher_is_better=True"),
        ([[1, 2], [2, 1]], r"labels that are texts. Got \[\[1, 2\], \[2, 1\]\]"),
        ([0.5, 0.25], "orders such as .*Got 0.5"),
        ([["A", "B"], []], r"orders such as .*Got \[\]"),
        (["Ann", "Bob"], "orders such as .*Got 'Ann'"),
        (["AB", "ABC"], "orders such as .*Got 'AB'"),
        (["A >"], "orders such as .*Got 'A >'"),
        (["A > B", "B"], "orders such as .*Got 'B'"),
        ({"AB": 1.5}, "`counts`"),
        (["A > A"], "distinct"),
        ("s.csv", r"Got 's.csv'\. `ra.recognize\(path\).read\(\)` .* `ra.read_scores\(path, "),
        (Path("s.csv"), r"`ra.recognize\(path\).read\(\)` reads a file"),
    ],
)
def test_ambiguous_data_are_refused(held, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.compare(held)


@pytest.mark.parametrize("held", [ABC, {"ABC"}, None, 3, iter(["ABC"])])
def test_data_that_are_not_orders_are_returned_unchanged(held):
    assert as_data(held) is held
