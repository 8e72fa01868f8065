"""Numbers that floats cannot hold: refused if their order would be lost, or kept exactly."""

from decimal import Decimal
from fractions import Fraction
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg._validation import is_exact_float, whole_number
from rankagg.cli import main
from rankagg.exceptions import DataFormatError, InvalidInputError

ODD = 2**53 + 1


def scores(values, **names):
    return ra.ScoreTable(values, higher_is_better=True, **names)


DOORS = {
    "ScoreTable": scores,
    "Profile.from_scores": lambda v: ra.Profile.from_scores(v, higher_is_better=True),
    "Profile.from_ranks": ra.Profile.from_ranks,
    "PartialRanking.from_scores": lambda v: ra.PartialRanking.from_scores(
        np.asarray(v, dtype=object).ravel().tolist(), higher_is_better=True
    ),
}
every_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


@every_door
def test_integers_that_floats_cannot_hold_are_refused(door):
    for values in (
        [[2**63], [2**63 + 1]],
        [[ODD], [0.5]],
        [[-ODD], [None]],
        [[Decimal(ODD)], [1]],
        [[Decimal(10**23)], [1]],
        [[Fraction(ODD)], [1]],
        [[str(ODD)], ["1"]],
        np.array([[ODD], [1]]),
        np.array([[2**64 - 1], [1]], dtype=np.uint64),
        np.array([[ODD], [1]], dtype=object),
        np.array([[ODD], [1]], dtype=np.longdouble),
    ):
        with pytest.raises(InvalidInputError, match=r"floats hold exactly\. Got -?\d+\. Subtr"):
            door(values)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [ODD, 1], "y": [0.5, 1.0]}, index=["A", "B"]),
        pd.DataFrame({"x": [ODD, 1], "y": [0, 1]}, index=["A", "B"]),
        pd.DataFrame({"x": pd.array([ODD, 1], dtype="Int64")}, index=["A", "B"]),
        pd.DataFrame(
            {"x": pd.array([2**64 - 1, 1], dtype="UInt64"), "y": [0.5, 1.0]}, index=["A", "B"]
        ),
    ],
)
def test_a_frame_keeps_the_integers_of_each_column(frame):
    with pytest.raises(InvalidInputError, match=f"Got {frame['x'].iloc[0]}"):
        scores(frame)


@every_door
def test_numbers_that_floats_distinguish_are_ordered(door):
    for values in (
        [[2**53], [2**53 + 2]],
        [[2**60], [0.1]],
        np.array([[2.0**53], [2.0**90]]),
        [[Decimal("0.1")], [0.1]],
        [[Decimal("0.1")], [Decimal("0.10")]],
        [[Fraction(1, 3)], [Fraction(2, 3)]],
        [[Fraction(1, 3)], [Fraction(1, 3)]],
        [["0.12345678901234567"], ["0.12345678901234569"]],
        np.array([[0.1], [0.2]], dtype=np.longdouble),
        np.array([[0.1], [0.2]], dtype=np.float16),
        [[0.1 + 0.2], [0.3]],
    ):
        taken = door(values)
        first, second = (float(row[0]) for row in values)
        if isinstance(taken, ra.ScoreTable):
            assert taken.values.tolist() == [[first], [second]]
        elif isinstance(taken, ra.PartialRanking):
            assert (taken.ranks[0] < taken.ranks[1]) == (first > second)
            assert (taken.ranks[0] > taken.ranks[1]) == (first < second)
        else:
            assert taken.ranks.tolist() == [[0], [0]]


def test_a_missing_score_may_accompany_exact_numbers():
    table = scores([[Decimal("NaN"), 1], [Decimal("0.5"), None]])
    assert table.missing.tolist() == [[True, False], [False, True]]


def test_weights_and_counts_must_fit_in_floats():
    profile = ra.Profile.from_orders(["AB", "BA"], weights=[Fraction(1, 3), 1 / 3])
    assert profile.weights.tolist() == [1 / 3, 1 / 3]
    for name in ("weights", "counts"):
        with pytest.raises(InvalidInputError, match=rf"`{name}` must be numbers .*Got {ODD}\.$"):
            ra.Profile.from_orders(["AB", "BA"], **{name: [ODD, 1]})
    with pytest.raises(InvalidInputError, match=r"`counts` must be below 2\*\*53"):
        ra.Profile.from_orders(["AB", "BA"], counts=[2**53, 1])
    largest = ra.Profile.from_orders(["AB", "BA"], counts=[2**53 - 1, 1])
    assert largest.n_rankings == 2**53


@pytest.mark.parametrize("number", [10**400, 10**5000, -(10**5000)], ids=["401", "5001", "-5001"])
def test_integers_of_thousands_of_digits_are_refused(number):
    for make in (
        lambda: scores([[number]]),
        lambda: ra.Profile.from_orders(["AB"], counts=[number]),
        lambda: ra.Kemeny(time_limit=number),
        lambda: ra.PairwiseMatrix.from_wins([[0, number], [1, 0]]),
    ):
        with pytest.raises(InvalidInputError):
            make()


# -- votes are integers of any size ---------------------------------------------------------------


@pytest.mark.parametrize("large", [2**53, 2**63, 10**30])
@pytest.mark.parametrize("as_given", [list, lambda v: np.array(v, dtype=object), pd.DataFrame])
def test_one_vote_among_many_decides_a_pair(large, as_given):
    votes = ra.PairwiseMatrix.from_wins(as_given([[0, large], [large + 1, 0]]), items="AB")
    assert votes.scaled_wins.tolist() == [[0, large], [large + 1, 0]]
    assert votes.is_exact
    assert votes.margins.tolist() == [[0, -1], [1, 0]]
    for rule in (ra.Kemeny(), ra.Copeland(), ra.PairwiseMajority(), ra.Schulze(), ra.RankedPairs()):
        assert rule.aggregate(votes).order == ("B", "A"), rule


def test_the_diagonal_is_ignored():
    votes = ra.PairwiseMatrix.from_wins([[float("nan"), ODD], [2, float("nan")]])
    assert votes.scaled_wins.tolist() == [[0, ODD], [2, 0]]


@pytest.mark.parametrize(
    ("wins", "message"),
    [
        ([[0, ODD], [0.5, 0]], f"hold exactly. Got {ODD}"),
        ([[0, -ODD], [1, 0]], r"free of negative numbers. Got -9.*in row 0, column 1"),
        ([[0, 10**101], [1, 0]], r"at most 1e\+100.*in row 0, column 1.*Divide"),
        ([[0, 1], [1e101, 0]], r"at most 1e\+100.*in row 1, column 0.*Divide"),
        ([[0, ODD, 1]], "a square matrix"),
    ],
)
def test_bad_matrices_of_votes_are_refused(wins, message):
    with pytest.raises(InvalidInputError, match=message):
        ra.PairwiseMatrix.from_wins(wins)


# -- numbers in cells -----------------------------------------------------------------------------


@given(st.integers(-(10**40), 10**40), st.sampled_from([int, str, Decimal, Fraction]))
def test_floats_hold_integers_exactly_or_not(number, kind):
    assert whole_number(kind(number)) == number
    assert is_exact_float(kind(number), float(number)) == (int(float(number)) == number)


@pytest.mark.parametrize("cell", [0.5, "0.5", Decimal("0.1"), Fraction(1, 3), True, None, "x", ""])
def test_cells_that_are_no_whole_number_are_recognized(cell):
    assert whole_number(cell) is None


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        (str(ODD), ODD),
        (f"+{ODD}", ODD),
        (f"-{ODD}.000", -ODD),
        ("0" * 5000 + str(ODD), ODD),
        (f"{ODD}.", ODD),
        (f"{ODD}.5", None),
        ("9007199254740993e0", None),
        ("-0.0", 0),
    ],
)
def test_the_notation_shows_whether_a_number_is_whole(cell, number):
    assert whole_number(cell) == number


# -- digits ---------------------------------------------------------------------------------------

THREE = ["\u0663", "\u0e53", "\uff13", "\U0001d7d1", "3_0", "1.\u0663", "1e\u0663"]
IN_FILES = {
    "scores": (lambda s: scores_of(f"s,x\nA,{s}\nB,1\n"), DataFormatError),
    "decimal commas": (lambda s: scores_of(f"s;x\nA;{s}\nB;1,5\n", decimal=","), DataFormatError),
    "errors": (lambda s: scores_of(f"s,x\nA,{s}\nB,1\n", errors="drop"), DataFormatError),
    "frame": (lambda s: scores_of(pd.DataFrame({"s": ["A", "B"], "x": [s, "1"]})), DataFormatError),
    "ballots": (lambda s: ra.read_ballots(StringIO(f"A,B\n1,{s}\n")), DataFormatError),
    "counts": (
        lambda s: ra.read_ballots(StringIO(f"A,B,n\n1,2,{s}\n"), count="n"),
        DataFormatError,
    ),
    "matrix": (lambda s: ra.io.read_matrix(StringIO(f"2\n0 {s}\n1 0\n")), DataFormatError),
    "preflib": (lambda s: ra.read_preflib(StringIO(f"{PREFLIB}{s}: 1,2\n")), DataFormatError),
    "order": (lambda s: ra.read_preflib(StringIO(f"{PREFLIB}1: 1,{s}\n")), DataFormatError),
    "comparisons": (
        lambda s: ra.read_comparisons(
            StringIO(f"a,b,w,n\nx,y,x,{s}\n"), first="a", second="b", outcome="w", weight="n"
        ),
        DataFormatError,
    ),
    "table": (lambda s: scores([[s, "1"]]), InvalidInputError),
    "objects": (lambda s: scores(np.array([[s, 1.5]], dtype=object)), InvalidInputError),
    "weights": (lambda s: ra.Profile.from_orders(["AB"], weights=[s]), InvalidInputError),
    "votes": (lambda s: ra.PairwiseMatrix.from_wins([["0", s], ["1", "0"]]), InvalidInputError),
}
PREFLIB = "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n"


def scores_of(source, **options):
    source = StringIO(source) if isinstance(source, str) else source
    return ra.read_scores(source, higher_is_better=True, **options)


@pytest.mark.parametrize(("door", "error"), IN_FILES.values(), ids=IN_FILES)
def test_digits_of_other_scripts_are_no_numbers(door, error):
    assert door("2") is not None
    for text in THREE:
        with pytest.raises(error):
            door(text)


def test_an_outcome_is_a_number_in_plain_digits_only():
    def won(outcome):
        text = StringIO(f"a,b,w\nx,y,{outcome}\ny,x,0\n")
        return ra.read_comparisons(text, first="a", second="b", outcome="w").outcomes.tolist()

    assert won("1") == [1, -1]
    with pytest.raises(DataFormatError):
        won("\u0661")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("intervals", "--alpha={}"),
        ("intervals", "--seed={}"),
        ("rank", "--weight=acc={}"),
        ("rank", "--time-limit={}"),
    ],
)
def test_options_take_plain_digits_only(command, option, capsys, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("model,acc,x\nA,.1,2\nB,.2,3\n", encoding="utf-8")
    for text in ("\u0663", "3_0"):
        with pytest.raises(SystemExit) as stop:
            main([command, str(path), option.format(text)])
        assert stop.value.code == 2
        assert text in capsys.readouterr().err
