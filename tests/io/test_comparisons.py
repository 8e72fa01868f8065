"""Tables of comparisons: how outcomes are written, and every kind of file."""

import re
import warnings
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, RankaggError
from rankagg.io.comparisons import OUTCOME_WORDS, _convention_of, key_of

PAIRS = [("x", "y"), ("y", "z"), ("z", "x"), ("x", "z")]
COLUMNS = {"first": "one", "second": "other", "outcome": "won"}


def frame(outcomes, pairs=PAIRS, **columns):
    rows = [pairs[at % len(pairs)] for at in range(len(outcomes))]
    return pd.DataFrame(
        {"one": [a for a, _ in rows], "other": [b for _, b in rows], "won": outcomes, **columns}
    )


def read(outcomes, *, pairs=PAIRS, **options):
    columns = {key: options[key] for key in ("w", "c", "s") if key in options}
    options = {key: value for key, value in options.items() if key not in columns}
    return ra.read_comparisons(frame(outcomes, pairs, **columns), **{**COLUMNS, **options})


def as_csv(table):
    return StringIO(table.to_csv(index=False))


# -- outcomes by side -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["left", "right", "tie"], [1, -1, 0]),
        (["model_a", "model_b", "tie (bothbad)", "tie"], [1, -1, 0, 0]),
        (["A", "b", "draw"], [1, -1, 0]), ([1, 0, 0.5], [1, -1, 0]), ([1.0, 0.0, 1.0], [1, -1, 1]),
        ([1, 0, -1], [1, 0, -1]), ([0, -1], [0, -1]), ([0.5, 0], [0, -1]), ([1, 2], [1, -1]),
        (["1", "x", "2"], [1, 0, -1]), (["+1", "1/2", "0.0"], [1, 0, -1]),
        (["win", "loss", "draw"], [1, -1, 0]), (["W", "L", "D"], [1, -1, 0]),
        (["l", "r", "r"], [1, -1, -1]), (["w", "b", "d"], [1, -1, 0]),
        (["H", "D", "A"], [1, 0, -1]),
        (["1-0", "0-1", "1/2-1/2"], [1, -1, 0]), (["White", "black", "draw"], [1, -1, 0]),
        (["[[A]]", "[[B]]", "[[C]]"], [1, -1, 0]),
        (["Response_A", "response b", "NO PREFERENCE"], [1, -1, 0]), ([True, False], [1, -1]),
        (["  first ", "second", "Tie"], [1, -1, 0]), (["tie", "tie"], [0, 0]),
        (["A>>B", "[[A>B]]", "b < a", "A=B"], [1, 1, 1, 0]), (["B>>A", "A << B"], [-1, -1]),
        (["1>2", "model_b > model_a", "a~b"], [1, -1, 0]), ([1, 2, 1.5], [1, -1, 0]),
        (["2:1", "0 - 3", "11\u201311"], [1, -1, 0]), (["1.5", "2.0"], [0, -1]),
        (["win"], [1]), ([2], [-1]), (["A", "h"], [-1, 1]), (["b", "A"], [-1, 1]),
    ],
)  # fmt: skip
def test_usual_spellings_of_outcomes_are_read(outcomes, expected):
    assert read(outcomes).outcomes.tolist() == expected
    # A text file says the same.
    assert ra.read_comparisons(as_csv(frame(outcomes)), **COLUMNS).outcomes.tolist() == expected


PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "outcomes.csv"


def test_documented_words_are_read():
    """They are in the table of outcomes in the reference: first, second, tie."""
    words = re.findall(r"``(.+?)``", PAGE.read_text(encoding="utf-8"))
    assert len(words) > 60
    wrong = {word for word in words if _convention_of([word]) is None}
    assert wrong <= {"l", "w", "0", "d", "t", "x"}
    undocumented = {*map(str, OUTCOME_WORDS)} - {*map(key_of, words)}
    # Who may be written with a number, or without a blank.
    assert {word for word in undocumented if not re.search(r"[a-z] ?[ab12]$", word)} == set()


# What is no outcome, by itself or among others.
NO_OUTCOMES = [
    (["left", "ties", "tei"], r"row 3, column 'won' must say 'left'.* Got 'tei'. Did you mean"),
    (["left", "right", ""], r"row 3, column 'won' is empty; it must hold a label"),
    (["left", None], r"row 2, column 'won' is empty"),
    ([1, 0, float("nan")], r"row 3, column 'won' is empty"),
    ([0, 0], r"says 0, in a column of 0, which fit no single convention: write"),
    ([1, 0, 2], r"says 1, in a column of 1, 0, 2, which fit no single convention"),
    ([0.5, -1], r"in a column of 0.5, -1(.0)?, which fit no single convention"),
    ([1, 0.7], r"must say .* Got 0.7"),
    (["l", "d"], r"says 'l', in a column"),
    (["left", 1], r"in a column of 'left', '?1'?, which fit no single convention"),
    ([10**400, 1], r"must say .* Got"),
    (["nan", "left"], r"must say .* Got 'nan'"),
    (["A>B", "A>C"], r"must say .* Got 'A>C'"),
    (["A>B", "A><B"], r"must say .* Got 'A><B'"),
    ([1, 2, 1.5, 0], r"fit no single convention"),
    (["left", "Error"], r"Got 'Error'\. `drop_outcome='Error'` leaves out such rows"),
    (["x", "error"], r"must name .* Got 'error'\. `drop_outcome='error'` leaves"),
    (["left", ""], r"is empty; it must hold a label\. `drop_outcome` with an empty text leaves"),
    (["x", "w"], r"row 2, column 'won' must name the winner or say 'tie'. Got 'w'"),
    (["x", "x"], r"row 2, column 'won' must be 'y', 'z' or a tie. Got 'x'"),
]


def test_bad_outcomes_are_refused():
    for outcomes, words in NO_OUTCOMES:
        with pytest.raises(DataFormatError, match=words):
            read(outcomes)


# -- outcomes by name -----------------------------------------------------------------------------


def test_names_of_winners_are_read():
    assert read(["x", "z", "draw", "z"]).outcomes.tolist() == [1, -1, 0, -1]
    numbers = read([3, 7], pairs=[(3, 7), (3, 7)], outcome_is="winner")
    assert numbers.outcomes.tolist() == [1, -1]
    # Numbers of items that are no numbers of sides need no help.
    assert read([30, 70], pairs=[(30, 70)]).outcomes.tolist() == [1, -1]


@pytest.mark.parametrize(("column", "won"), [("one", 1), ("other", -1)])
def test_the_outcome_column_may_be_a_side(column, won):
    table = frame(["x", "left", ""])
    battles = ra.read_comparisons(table, first="one", second="other", outcome=column)
    assert battles.outcomes.tolist() == [won] * 3
    with pytest.raises(InvalidInputError, match="different columns"):
        read([1, 0], outcome=column, outcome_is="side")


def test_words_for_both_sides_and_names_must_be_resolved():
    pairs = [("b", "a"), ("a", "b")]
    with pytest.raises(
        DataFormatError, match=r"row 1, .* says 'a', an item and also a side\. Set `out"
    ):
        read(["a", "a"], pairs=pairs)
    assert read(["a", "a"], pairs=pairs, outcome_is="side").outcomes.tolist() == [1, 1]
    assert read(["a", "a"], pairs=pairs, outcome_is="winner").outcomes.tolist() == [-1, 1]
    # Where both say the same there is nothing to ask.
    assert read(["b", "a", "tie"], pairs=[("a", "b")]).outcomes.tolist() == [-1, 1, 0]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from("lrtw")), min_size=1)
)
@settings(max_examples=15)
def test_outcomes_by_side_and_by_name_agree(rows):
    labels = ["ann", "bob", "cid", "dan"]
    pairs = [(labels[a], labels[(a + step) % 4]) for a, step, _ in rows]
    sides = [{"l": "left", "r": "right", "t": "tie", "w": "left"}[kind] for *_, kind in rows]
    names = [
        {"left": one, "right": other, "tie": "tie"}[side]
        for side, (one, other) in zip(sides, pairs, strict=True)
    ]
    expected = [{"left": 1, "right": -1, "tie": 0}[side] for side in sides]
    for outcomes in (sides, names):
        table = frame(outcomes, pairs)
        for source in (table, as_csv(table)):
            found = ra.read_comparisons(source, **COLUMNS, items=labels)
            assert found.outcomes.tolist() == expected
            assert found.items.at(found.first) == tuple(one for one, _ in pairs)
            assert found.items.at(found.second) == tuple(other for _, other in pairs)


# -- outcomes in several columns ------------------------------------------------------------------


def columns_of(*columns, **options):
    """Return what is read of columns of outcomes, which are called p, q and r."""
    table = frame(columns[0]).drop(columns="won")
    table = table.assign(**dict(zip("pqr", columns, strict=False)))
    options = {**COLUMNS, "outcome": list("pqr"[: len(columns)]), **options}
    found = [ra.read_comparisons(source, **options) for source in (table, as_csv(table))]
    assert found[0] == found[1]
    return found[0]


def test_the_higher_of_two_numbers_wins():
    battles = columns_of([2, 0, 1.5, -3], [1, 0, 2, -4], outcome_is="points")
    assert battles.outcomes.tolist() == [1, 0, -1, 1]
    # By any number of points but codes that none else has.
    assert columns_of([-1, -2], [0, 3], outcome_is="points").outcomes.tolist() == [-1, -1]
    assert columns_of([-1], [-9], outcome_is="points").outcomes.tolist() == [1]


@pytest.mark.parametrize("marks", [(1, 0), (True, False), ("yes", "no")])
def test_three_columns_of_marks_give_the_outcome(marks):
    one, none = marks
    columns = [one, none, none], [none, one, none], [none, none, one]
    assert columns_of(*columns).outcomes.tolist() == [1, -1, 0]


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=6))
@settings(max_examples=15)
def test_wins_and_ties_are_that_many_comparisons(counts):
    if not np.sum(counts):
        return
    weights = np.arange(len(counts)) + 1.5
    table = frame(counts).assign(w=weights, c=[f"j{at % 2}" for at in range(len(counts))])
    table[list("pqr")] = counts
    options = {"outcome": list("pqr"), "outcome_is": "wins", "weight": "w", "cluster": "c"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ra.read_comparisons(table, **{**COLUMNS, **options}, side="one", covariates=[])
    rows = []
    for at, row in enumerate(counts):
        a, b = PAIRS[at % len(PAIRS)]
        for sign, times in zip((1, -1, 0), row, strict=True):
            rows += [(a, b, sign, weights[at], f"j{at % 2}")] * times
    read = zip(
        found.items.at(found.first), found.items.at(found.second), found.outcomes.tolist(),
        found.weights, [found.cluster_labels[code] for code in found.clusters], strict=True,
    )  # fmt: skip
    assert list(read) == rows
    assert found.sides.tolist() == [1] * len(rows)


@pytest.mark.parametrize(
    ("columns", "outcome_is", "words"),
    [
        (
            ([1], [0]),
            None,
            "`outcome_is` must be 'points' or 'wins' for 2 columns of outcomes. Got nothing",
        ),
        (([1],), "wins", "must be 'side' or 'winner' or nothing for 1 column"),
        (
            ([1, 1], [0, 0], [0, 1]),
            None,
            r"row 2 must have a single 1 in p, q, r\. Got 2 of them\. `o",
        ),
        (
            ([1, 2], [0, 0], [0, 0]),
            None,
            "row 2, column 'p' must be 1 or 0. Got 2. `outcome_is='wins'`",
        ),
        (([1, 2], [0, None]), "points", r"row 2, column 'q' is empty.*`drop_outcome`"),
        (([1, -999], [0, 3]), "points", "row 2, column 'p' is -999, .*`drop_outcome=-999"),
        (([1, -1], [0, 3]), "wins", "row 2, column 'p' must be a whole number of 0 or"),
        (([1, 1], [0, 0.5]), "wins", "row 2, column 'q' must be a whole.* Got 0.5"),
        (([0], [0]), "wins", "in p, q add up to 0; their sum must be from 1 to 5000000"),
    ],
)
def test_bad_columns_of_outcomes_are_refused(columns, outcome_is, words):
    with pytest.raises(RankaggError, match=words):
        columns_of(*columns, outcome_is=outcome_is)


# -- rows that are left out -----------------------------------------------------------------------


def test_rows_without_an_outcome_are_left_out_and_counted():
    table = frame(["left", "Error", "", "right", "error"], [*PAIRS, ("w", "x")])
    words = "3 of 5 rows left out, with the outcome 'error' .2. or '' .1.; no other row has w"
    for source in (table, as_csv(table)):
        with pytest.warns(DataWarning, match=words):
            battles = ra.read_comparisons(source, **COLUMNS, drop_outcome=["error", ""])
        assert battles == ra.Comparisons("xyz", [0, 0], [1, 2], [1, -1])
    # Rows keep their numbers, and an item that is named in no other row may be given.
    late = frame(["left", "void", "left", "left", "error"])
    with pytest.warns(DataWarning), pytest.raises(DataFormatError, match=r"row 5, .*'error'"):
        ra.read_comparisons(late, **COLUMNS, drop_outcome="void")
    with pytest.warns(DataWarning):
        given = ra.read_comparisons(
            table, **COLUMNS, drop_outcome=["error", ""], items=["w", "x", "y", "z"]
        )
    assert given.items.labels == ("w", "x", "y", "z")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("eror", "`drop_outcome` must be an outcome in won. Got 'eror'. Did you mean 'error'"),
        (["left", "error"], "has no row without the outcome"),
    ],
)
def test_bad_words_to_leave_out_are_refused(word, message):
    with pytest.raises(RankaggError, match=message):
        read(["left", "error"], drop_outcome=word)


# -- the other columns ----------------------------------------------------------------------------


def test_weights_clusters_sides_and_covariates_are_read():
    battles = read(
        ["left", "tie"], w=[0.5, 2], c=["q", "p"], s=["second", "neutral"],
        weight="w", cluster="c", side="s", covariates=["w2"] * 0,
    )  # fmt: skip
    assert battles.weights.tolist() == [0.5, 2]
    assert battles.cluster_labels == ("q", "p")
    assert battles.clusters.tolist() == [0, 1]
    assert battles.sides.tolist() == [-1, 0]
    assert read(["left", "tie"], c=[3, 4], covariates="c").covariates["c"].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ([1, 0, -1], [1, 0, -1]), ([1, 0], [1, 0]), (["left", "right"], [1, -1]),
        (["first", "neutral"], [1, 0]), ([0, 0], [0, 0]),
    ],
)  # fmt: skip
def test_columns_of_sides_are_read(sides, expected):
    assert read(["left"] * len(sides), s=sides, side="s").sides.tolist() == expected


def test_a_column_of_items_gives_its_side_the_advantage():
    for name, sign in (("first", 1), ("second", -1)):
        assert read(["left", "tie"], side=COLUMNS[name]).sides.tolist() == [sign, sign]


LEFT = ["left", "left"]


@pytest.mark.parametrize(
    ("outcomes", "options", "words"),
    [
        (["x", "y"], {"outcome_is": "side"}, "must say 'left'"),
        (
            ["x"],
            {"outcome_is": "name"},
            "must be 'side' or 'winner' or nothing for 1 column .* Got 'name'",
        ),
        (LEFT, {"outcome": "wonn"}, "`outcome` must be a column .*Did you mean 'won'"),
        (LEFT, {"second": "one"}, "must be different columns"),
        (LEFT, {"covariates": ["won"]}, "must be different columns"),
        (LEFT, {"items": ["x", "y"]}, r"`second` must be one of the 2 items \(x, y\). Got 'z'"),
        (LEFT, {"first": None}, "`first` must be a column"),
        *(
            (LEFT, {"w": cells, column: "w"}, words)
            for column, cells, words in [
                ("weight", [1, -1], r"row 2, column 'w' must be a weight from 1e-100 to .* Got -1"),
                ("weight", [1, 0], "Got 0; leave out rows without a weight"),
                ("weight", [1, float("inf")], "row 2, column 'w' must be a finite number"),
                ("weight", [1, None], "row 2, column 'w' must be a weight from .* Got nan"),
                ("weight", ["1", "heavy"], "row 2, column 'w' must be a finite .* Got 'heavy'"),
                ("cluster", ["p", ""], "row 2, column 'w' is empty"),
                ("cluster", [1.5, 2], "strings or integers. Got 1.5"),
                ("side", [1, 2], "row 2, column 'w' must say 'first', 'second' or 'neu.* Got 2"),
                ("side", ["left", "win"], "row 2, column 'w' must say .* Got 'win'"),
                ("covariates", [1, None], "row 2, column 'w' is empty; it must hold a number"),
                ("covariates", [1, "long"], "row 2, column 'w' must be a finite number"),
            ]
        ),
    ],
)
def test_bad_names_columns_and_items_are_refused(outcomes, options, words):
    with pytest.raises(RankaggError, match=words):
        read(outcomes, **options)


def test_an_item_compared_with_itself_is_refused():
    table = frame(["left"] * 3, [("x", "y"), ("y", "y"), ("x", "x ")])
    with pytest.raises(DataFormatError, match=r"row 2 compares 'y' with itself \(2 such rows\)"):
        ra.read_comparisons(table, **COLUMNS)
    # The line of a text file counts its header.
    with pytest.raises(DataFormatError, match=r"row 3 compares 'y' with itself"):
        ra.read_comparisons(as_csv(table), **COLUMNS)


def test_items_without_a_comparison_stay():
    battles = read(["left"], items=["z", "x", "w", "y"])
    assert battles.items.labels == ("z", "x", "w", "y")
    assert battles.connectivity().never_compared == ("z", "w")


# -- kinds of files -------------------------------------------------------------------------------

WHOLE = frame(
    ["left", "right", "tie", "left"], w=[1.0, 2.0, 0.5, 1.0], c=[7, 7, 8, 9], s=[1, -1, 0, 1]
)
EVERY = {**COLUMNS, "weight": "w", "cluster": "c", "side": "s"}


@pytest.fixture
def expected():
    return ra.Comparisons.from_arrays(
        "xyzx", "yzxz", [1, -1, 0, 1], weights=[1, 2, 0.5, 1], clusters=[7, 7, 8, 9],
        sides=[1, -1, 0, 1],
    )  # fmt: skip


def test_frames_of_any_type_are_read(expected):
    categories = WHOLE.astype({"one": "category", "won": "category"})
    arrow = WHOLE.convert_dtypes(dtype_backend="pyarrow")
    for table in (WHOLE, categories, arrow, WHOLE.convert_dtypes()):
        assert ra.read_comparisons(table, **EVERY) == expected


def test_a_table_of_comparisons_is_read_again(expected):
    columns = {name: name for name in ("first", "second", "outcome", "weight", "cluster", "side")}
    assert ra.read_comparisons(expected.to_frame(), **columns) == expected
