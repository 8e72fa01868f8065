"""Comparisons: fields, counts, and refusals."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import Comparisons, ItemSet
from rankagg.exceptions import InvalidInputError
from tests import strategies

BATTLES = Comparisons.from_arrays(
    ["b", "a", "c", "b"], ["a", "c", "b", "a"], [1, 0, -1, -1],
    items=["a", "b", "c", "d"], weights=[1, 2, 0.5, 0.1], clusters=["x", "y", "x", "x"],
    sides=[1, 0, -1, 1], covariates={"length": [0.5, 1, 2, -3]},
)  # fmt: skip


weights = st.sampled_from((1.0, 0.5, 1 / 3, 0.1, 3.0))


@st.composite
def comparisons(draw, *, max_items=6):
    """Draw comparisons of any kind, and the rows that they were made of."""
    items = draw(strategies.item_sets(min_size=2, max_size=max_items))
    n = len(items)
    row = st.tuples(
        st.integers(0, n - 1), st.integers(1, n - 1), st.sampled_from((1, 0, -1)), weights
    )
    rows = draw(st.lists(row, min_size=1, max_size=12))
    first = [one for one, *_ in rows]
    second = [(one + step) % n for one, step, *_ in rows]
    outcomes = [outcome for *_, outcome, _ in rows]
    given_weights = [weight for *_, weight in rows] if draw(st.booleans()) else None
    made = Comparisons(items, first, second, outcomes, weights=given_weights)
    return made, list(zip(first, second, outcomes, given_weights or [1] * len(rows), strict=True))


@given(comparisons())
def test_votes_are_those_of_a_loop(drawn):
    made, rows = drawn
    n = made.n_items
    wins, ties, counts = (np.full((n, n), Fraction(0)) for _ in range(3))
    squares = np.zeros((n, n))
    for one, other, outcome, weight in rows:
        exact = Fraction(weight).limit_denominator(100)
        for i, j, won in ((one, other, outcome == 1), (other, one, outcome == -1)):
            wins[i, j] += exact * won
            ties[i, j] += exact * (outcome == 0)
            counts[i, j] += 1
            squares[i, j] += weight**2
    votes = made.pairwise()
    assert votes.is_exact
    assert votes.unranked is None
    assert votes.items == made.items
    for name, expected in (("wins", wins), ("ties", ties), ("comparisons", wins + wins.T + ties)):
        scaled = getattr(votes, f"scaled_{name}")
        got = [[Fraction(int(value), votes.denominator) for value in row] for row in scaled]
        assert got == expected.tolist()
    assert made.counts.tolist() == counts.tolist()
    np.testing.assert_allclose(votes.squared_weights, squares, rtol=1e-12)


@given(comparisons(), st.data())
def test_a_selection_of_comparisons_has_their_rows(drawn, data):
    made, rows = drawn
    index = data.draw(st.lists(st.integers(0, len(made) - 1), min_size=1, max_size=20))
    taken = made.take(index)
    again = [rows[at] for at in index]
    assert list(zip(taken.first, taken.second, taken.outcomes, strict=True)) == [
        row[:3] for row in again
    ]
    assert taken.items == made.items
    mask = np.isin(np.arange(len(made)), index)
    assert made.take(mask) == made.take(np.unique(index))


@given(comparisons())
def test_plain_data_are_the_same_comparisons(drawn):
    made, _ = drawn
    assert pickle.loads(pickle.dumps(made)) == made
    frame = made.to_frame()
    codes = {"first": 1, "tie": 0, "second": -1}
    again = Comparisons.from_arrays(
        frame["first"].tolist(), frame["second"].tolist(), [codes[x] for x in frame["outcome"]],
        items=made.items, weights=made.weights,
    )  # fmt: skip
    assert again == made


def test_copies_are_read_only():
    assert pickle.loads(pickle.dumps(BATTLES)) == BATTLES
    for value in (BATTLES, pickle.loads(pickle.dumps(BATTLES)), BATTLES.take([0, 1])):
        with pytest.raises(ValueError, match="read-only"):
            value.covariates["length"][0] = 0
        with pytest.raises(TypeError):
            value.covariates["length"] = 1
    assert list(BATTLES.to_frame()) == [
        "first", "second", "outcome", "weight", "cluster", "side", "length",
    ]  # fmt: skip


def changed(**changes):
    names = ("items", "first", "second", "outcomes", "weights", "clusters", "cluster_labels")
    given = {name: getattr(BATTLES, name) for name in (*names, "sides", "covariates")}
    return Comparisons(**{**given, **changes})


def test_every_field_is_part_of_the_value():
    for changes in (
        {"items": ["a", "b", "c", "e"]}, {"first": [1, 0, 2, 2]}, {"second": [0, 2, 1, 3]},
        {"outcomes": [1, 0, -1, 0]}, {"weights": [1, 2, 0.5, 0.2]}, {"weights": None},
        {"clusters": [0, 1, 1, 0]}, {"cluster_labels": ["x", "z"]},
        {"clusters": None, "cluster_labels": None}, {"sides": [1, 1, -1, 1]}, {"sides": None},
        {"covariates": {"length": [0.5, 1, 2, -2]}}, {"covariates": {"width": [0.5, 1, 2, -3]}},
        {"covariates": {}},
    ):  # fmt: skip
        assert changed(**changes) != BATTLES


def test_items_are_sorted():
    for labels, items in (([10, 3], [3, 10]), (np.array([10, 3]), [3, 10]), ("ba", "ab")):
        assert Comparisons.from_arrays(labels, labels[::-1], [1, 1]).items == ItemSet(items)


def test_text_and_html_describe_the_comparisons():
    assert repr(BATTLES) == (
        "<Comparisons: 4 comparisons of 4 items, 1 tie, weighted, 2 clusters, with sides, "
        "1 covariate>"
    )
    evil = Comparisons.from_arrays(["<script>", "B"] * 6, ["B", "<script>"] * 6, [1, 0] * 6)
    html = evil._repr_html_()
    assert "<script>" not in html
    assert "... 12 comparisons in all" in html


# -- refusals -------------------------------------------------------------------------------------


CHANGES_REFUSED = [
    ({"first": [0, 0, 2, 1], "second": [0, 2, 1, 0]}, "'a' on both sides at position 0 \\(1 s"),
    ({"first": [0, 9, 2, 1]}, "`first` must be at least 0 and below 4. Got 9 at position 1"),
    ({"first": [0.0, 1.0, 2.0, 1.0]}, "unmasked integers. Got shape \\(4,\\) of float64"),
    ({"first": [True] * 4}, "unmasked integers"),
    ({"first": []}, "`first` must be a flat sequence of unmasked integers"),
    ({"second": [0, 2, 1]}, "`second` must be one entry per comparison \\(4 of them\\)"),
    ({"outcomes": [1, 2, 0, 0]}, "1, 0 or -1. Got 2.0 at position 1. `read_comparisons`"),
    ({"outcomes": [1, None, 0, 0]}, "1, 0 or -1. Got nan at position 1"),
    ({"outcomes": np.ma.array([1, 0, 0, 0], mask=[0, 1, 0, 0])}, "Got nan at position 1"),
    ({"first": np.ma.array([0, 0, 2, 1], mask=[0, 0, 0, 1])}, "unmasked integers"),
    ({"outcomes": ["a", "b", "c", "d"]}, "`outcomes` must be a flat sequence of numbers"),
    ({"weights": [1, 2, 3]}, "one number per comparison \\(4 of them\\)"),
    ({"weights": [1, 0, 1, 1]}, "positive finite numbers. Got 0.0 at position 1"),
    ({"weights": [1, 1e-200, 1, 1]}, "from 1e-100 to 1e\\+100"),
    ({"clusters": [0, 1, 2, 0]}, "`clusters` must be at least 0 and below 2"),
    ({"cluster_labels": ["x", "x"]}, "distinct labels"),
    ({"clusters": None}, "left out without `clusters`"),
    ({"sides": [2, 0, 0, 0]}, "`sides` must be 1, 0 or -1. Got 2.0"),
    ({"covariates": {"length": [1, 2, 3]}}, "`covariate 'length'` must be one entry per"),
    ({"covariates": {"length": [1, 2, 3, np.nan]}}, "finite numbers. Got nan at position 3"),
    ({"covariates": {"first": [1, 2, 3, 4]}}, "`names of covariates`"),
    ({"covariates": [1, 2]}, "a mapping from name to numbers"),
    ({"items": ["a", "b", "c", "c"]}, "distinct labels"),
    ({"items": 3}, "`items` must be a sequence of labels"),
]


def test_bad_fields_are_refused():
    for changes, words in CHANGES_REFUSED:
        with pytest.raises(InvalidInputError, match=words):
            changed(**changes)


PLAIN = "strings or integers"
MORE_REFUSED = [
    *((lambda x=x: Comparisons.from_arrays(x, ["b", "c"][: len(x)], [1] * len(x)), words)
      for x, words in (([], "at least one"), (["a", 1], "all strings or all integers"),
                       (["a", 1.5], f"{PLAIN}. Got 1.5"), (["a", None], f"{PLAIN}. Got None"),
                       (np.array([["a"]]), PLAIN))),
    (lambda: Comparisons.from_arrays([True, 1], [2, 3], [1, 1]), f"{PLAIN}. Got True"),
    (lambda: Comparisons.from_arrays(7, [2, 3], [1, 1]), f"`first` must be a sequence of {PLAIN}"),
    *((lambda x=x: BATTLES.take(x), "positions among 4 comparisons")
      for x in ([], [7], [0.5], "ab", [True])),
    *((lambda x=x: BATTLES.take(x), "at least one comparison")
      for x in (np.zeros(4, dtype=bool), [[0]], 0)),
]  # fmt: skip


def test_bad_calls_are_refused():
    for call, words in MORE_REFUSED:
        with pytest.raises(InvalidInputError, match=words):
            call()


def test_restricting_keeps_comparisons_of_a_subset():
    part = BATTLES.restrict(["c", "b"])
    assert part.items == ItemSet(["c", "b"])
    assert part.first.tolist() == [0]
    assert part.covariates["length"].tolist() == [2]
    with pytest.raises(InvalidInputError, match="two or more that were compared"):
        BATTLES.restrict(["a", "d"])


def test_pairs_too_many_for_memory_are_refused():
    many = Comparisons(range(20_000), [0], [19_999], [1])
    for count in (many.pairwise, many.connectivity):
        with pytest.raises(InvalidInputError, match=r"at most 16,384 items.* Got 20,000 items"):
            count()
    assert many.restrict([0, 19_999]).pairwise().wins.tolist() == [[0, 1], [0, 0]]


# -- which items they link ------------------------------------------------------------------------


@given(comparisons())
def test_groups_are_the_strongly_connected_components(drawn):
    made, rows = drawn
    n = made.n_items
    leads, met = np.eye(n, dtype=bool), np.eye(n, dtype=bool)
    for one, other, outcome, _ in rows:
        leads[one, other] |= outcome >= 0
        leads[other, one] |= outcome <= 0
        met[one, other] = met[other, one] = True
    for middle in range(n):
        leads |= leads[:, [middle]] & leads[[middle]]
        met |= met[:, [middle]] & met[[middle]]
    found = made.connectivity()
    labels = made.items.labels
    strong = {frozenset(i for i in range(n) if leads[i, j] and leads[j, i]) for j in range(n)}
    weak = {frozenset(np.flatnonzero(row).tolist()) for row in met}
    groups = [frozenset(labels.index(x) for x in group) for group in found.groups]
    assert set(groups) == strong
    assert {frozenset(labels.index(x) for x in part) for part in found.parts} == weak
    # No item leads to one of a former group.
    for at, group in enumerate(groups):
        for former in groups[:at]:
            assert not leads[np.ix_(list(group), list(former))].any()
    assert found.n_comparisons == len(made)
    for label, wins, ties, losses in zip(labels, found.wins, found.ties, found.losses, strict=True):
        assert (label in found.never_lost) == (wins > 0 and not ties and not losses)
        assert (label in found.never_won) == (losses > 0 and not ties and not wins)
        assert (label in found.never_compared) == (wins + ties + losses == 0)


def test_the_text_of_connectivity_names_its_parts():
    text = str(BATTLES.connectivity())
    assert "2 parts that no comparison joins: a, b, c | d" in text
    assert "in no comparison: d" in text
    joined = Comparisons.from_arrays("AB", "BA", [1, 1]).connectivity()
    assert "Chains of wins and ties lead from every item to every other." in str(joined)
    for number, more in ((8, ""), (9, " | ... 9 groups in all")):
        at = np.arange(number - 1)
        text = str(Comparisons.from_arrays(at, at + 1, at >= 0).connectivity())
        assert f": 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7{more}\n" in text


def test_an_item_that_only_tied_was_compared():
    battles = Comparisons.from_arrays("AA", "BC", [1, 0], items="ABCD")
    (note,) = battles.connectivity().gaps
    assert note == "in no comparison, so placed by nothing: D"


@pytest.mark.parametrize(
    "outcomes",
    [
        [True, False],
        np.array([True, False]),
        pd.Series([True, False], dtype=object),
        pd.Series([True, False], dtype="boolean"),
    ],
)
def test_false_is_the_second_side(outcomes):
    columns = ("first", "second", "outcome")
    frame = pd.DataFrame(dict(zip(columns, (["a", "b"], ["b", "a"], outcomes), strict=True)))
    read = ra.read_comparisons(frame, **dict(zip(columns, columns, strict=True)))
    assert Comparisons.from_arrays("ab", "ba", outcomes) == read
    assert read.outcomes.tolist() == [1, -1]
