"""Tables of comparisons: a row for each, with the two items and the outcome, however it is written.

A table is read in one convention: 0 is a loss of the first side beside 1 and 1/2, and a tie
beside -1. What several conventions read differently is refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers64, Label, Positions
from rankagg._validation import check_choice
from rankagg.core import ItemSet, counted, listed, listing, raw_text
from rankagg.core.comparisons import COMPARISON_COLUMNS, Comparisons
from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    RankaggError,
    nearest,
    shown,
)
from rankagg.io.tables.columns import names_of, warn_of_likeness
from rankagg.io.tables.look import MOST_COLUMNS, PLACE, TableLook
from rankagg.io.tables.sources import MAX_BYTES, TableSource, read_table
from rankagg.io.tables.table import Table

#: Who gave an answer, in "model_a", "Response A", "player 1".
ASSISTANTS = ("model", "assistant", "response", "answer", "output", "system", "option")
WHO = (*ASSISTANTS, "candidate", "player", "team", "side")
FIRST_SIDE = ("first", "left", "a", "1st", "home", "white")
SECOND_SIDE = ("second", "right", "b", "2nd", "away", "black")
WON_BY_FIRST = ("win", "won", "wins", "true", "yes", "a>b", "[[a]]")
LOST_BY_FIRST = ("loss", "lose", "lost", "loses", "false", "no", "b>a", "[[b]]")
TIED = (
    *("tie", "ties", "tied", "draw", "drawn", "draws", "equal", "even", "same", "=", "a=b"),
    *("[[c]]", "neither", "both", "bothbad", "both bad", "bothgood", "both good"),
    *("tie (bothbad)", "tie (both bad)", "tie (bothgood)", "tie (both good)"),
    *("no preference", "no winner", "1/2-1/2", "½-½"),
    *("unentschieden", "remis", "nul", "égalité", "empate", "pareggio"),
)
#: What stands in the place of an outcome where there is none.
NO_OUTCOME = frozenset(
    [
        *("", "-", "?", "error", "errors", "invalid", "failed", "failure", "timeout", "unknown"),
        *("skipped", "postponed", "abandoned", "cancelled", "canceled", "void", "no result"),
        *("na", "n/a", "nan", "null", -99.0, -999.0, -9999.0),
    ]
)
#: Negative numbers that usually stand for a missing one.
MISSING_CODES = (-1, -9, -99, -999, -9999)
#: As many comparisons may be made of counts.
MOST_COMPARISONS = 5_000_000
NEUTRAL = ("neutral", "neither", "no side", "both", "none")

PLAIN_OUTCOME = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
BLANKS = re.compile(r"[\s_]+")
# A grade, as "A>>B", "[[B>A]]" or "1=2", and a result, as "2-1" or "0:3".
GRADE = re.compile(r"(?:\[\[ ?)?([^<>=~]{1,20}?) ?([<>]+|[=~]+) ?([^<>=~]{1,20}?)(?: ?\]\])?")
RESULT = re.compile(r"([0-9]{1,3}) ?[-\u2013:] ?([0-9]{1,3})")
HALVES = ("1/2", "½")
# No convention has numbers beyond, and not all of these are floats.
LARGEST_OUTCOME = 1e6

Key = str | float


class Convention(NamedTuple):
    """What words or numbers mean: 1, 0 or -1.

    It is in use only where one of `told_by` occurs, unless that is empty.
    """

    meaning: dict[Key, int]
    told_by: frozenset[Key] = frozenset()


def _side_places() -> dict[Key, int]:
    """Return what words for sides mean, in every usual way to write them."""
    words: dict[Key, int] = dict.fromkeys(FIRST_SIDE, 1)
    words.update(dict.fromkeys(SECOND_SIDE, -1))
    for who in WHO:
        for one, other in (("a", "b"), ("1", "2")):
            for blank in ("", " "):
                words |= {f"{who}{blank}{one}": 1, f"{who}{blank}{other}": -1}
    return words


TIE_WORDS: dict[Key, int] = dict.fromkeys(TIED, 0)
SIDE_PLACES = _side_places()
SIDE_WORDS: dict[Key, int] = {
    **SIDE_PLACES,
    **dict.fromkeys(WON_BY_FIRST, 1),
    **dict.fromkeys(LOST_BY_FIRST, -1),
}
CONVENTIONS = (
    Convention(SIDE_WORDS),
    # What is as short may be an item as well, and is a tie in these alone.
    Convention({"w": 1, "d": 0, "t": 0, "l": -1}, frozenset("wl")),
    Convention({"l": 1, "t": 0, "r": -1}, frozenset("lr")),
    Convention({"w": 1, "d": 0, "b": -1}, frozenset("wb")),
    Convention({"h": 1, "d": 0, "a": -1}, frozenset("h")),
    Convention({1.0: 1, 0.5: 0, 0.0: -1}, frozenset({1.0, 0.5})),
    Convention({1.0: 1, 0.0: 0, -1.0: -1}, frozenset({-1.0})),
    Convention({1.0: 1, "x": 0, 1.5: 0, 2.0: -1}, frozenset({1.0, 1.5, 2.0})),
)


class Reading(NamedTuple):
    """What distinct cells mean, or which of them means nothing and why."""

    meanings: list[int]
    wrong: int | None = None
    why: str = ""
    hint: str = ""


class Conventions(NamedTuple):
    """The conventions that a column may keep, and what else it may say."""

    # At least one must know every cell.
    conventions: tuple[Convention, ...]
    # What words mean in all of them.
    always: dict[Key, int]
    allowed: str

    def read(self, labels: Sequence[Any]) -> Reading:
        """Return what distinct cells mean, 1, 0 or -1 each."""
        keys = [key_of(label) for label in labels]
        rest = [key for key in keys if key not in self.always]
        fitting = [
            convention.meaning | self.always
            for convention in self.conventions
            if all(key in convention.meaning for key in rest)
            and (not rest or not convention.told_by or convention.told_by.intersection(rest))
        ]
        if not fitting:
            return self._refused(labels, keys)
        read = np.array([[meaning[key] for key in keys] for meaning in fitting])
        differing = np.flatnonzero(np.ptp(read, axis=0)).tolist()
        if differing:
            return Reading([], differing[0], "which may mean either side")
        return Reading(read[0].tolist())

    def _refused(self, labels: Sequence[Any], keys: Sequence[Key]) -> Reading:
        """Say which cell is to blame where no convention knows all of them."""
        known = {key for convention in self.conventions for key in convention.meaning}
        for at, key in enumerate(keys):
            if key not in self.always and key not in known:
                words = [word for word in (*self.always, *known) if len(str(word)) > 2]
                return Reading([], at, hint=nearest(labels[at], words))
        many = ", ".join(shown(label) for label in labels[:6])
        return Reading([], 0, f"in a column of {many}, which no convention has together")


def key_of(label: Any) -> Key:
    """Return a cell as conventions know it: a number, or a text without case and underscores."""
    if isinstance(label, bool | np.bool_):
        return "true" if label else "false"
    if not isinstance(label, str):
        return float(label) if abs(label) < LARGEST_OUTCOME else raw_text(label)
    text = BLANKS.sub(" ", label.strip()).casefold()
    if text in HALVES:
        return 0.5
    if PLAIN_OUTCOME.fullmatch(text) and len(text) < 20:
        return float(text)
    return _graded(text)


def _graded(text: str) -> str:
    """Return "a>b", "b>a" or "a=b" for a grade or a result, any other text as it is."""
    if found := RESULT.fullmatch(text):
        margin = int(found[1]) - int(found[2])
        return "a>b" if margin > 0 else "b>a" if margin < 0 else "a=b"
    found = GRADE.fullmatch(text)
    sides = SIDE_PLACES | {"1": 1, "2": -1}
    places = [sides.get(found[1]), sides.get(found[3])] if found else []
    if found is None or places not in ([1, -1], [-1, 1]):
        return text
    sign = found[2][0]
    if len(set(found[2])) > 1 or sign in "=~":
        return text if sign in "<>" else "a=b"
    return "a>b" if (sign == ">") == (places == [1, -1]) else "b>a"


def is_tie(label: Any) -> bool:
    """Say whether a cell is a word for a tie."""
    return key_of(label) in TIE_WORDS


SPELLED_OUTCOMES = Conventions(
    CONVENTIONS,
    TIE_WORDS,
    "'left', 'right' or 'tie', 'model_a', 'model_b' or 'tie', 'A>B', 'B>A' or 'A=B', 'win', 'loss' "
    "or 'draw', 1, 0 or 0.5 and the like, or the name of one of the two or a tie",
)

SPELLED_SIDES = Conventions(
    (Convention(SIDE_PLACES), Convention({1.0: 1, 0.0: 0, -1.0: -1})),
    dict.fromkeys(NEUTRAL, 0),
    "'first', 'second' or 'neutral', or 1, -1 or 0",
)


Signs = NDArray[np.int8]
Codes = Positions

DROP_EMPTY = "`drop_outcome` with an empty text leaves such rows out."
WHICH = "`outcome_is='side'` or `outcome_is='winner'` says which."
#: What outcomes are, by the number of columns that hold them.
KINDS_OF_OUTCOMES = {
    1: ("side", "winner", None),
    2: ("points", "wins"),
    3: ("wins", None),
}


def read_comparisons(
    source: TableSource,
    *,
    first: Label,
    second: Label,
    outcome: Label | Sequence[Label],
    outcome_is: Literal["side", "winner", "points", "wins"] | None = None,
    drop_outcome: Label | Iterable[Label] = (),
    weight: Label | None = None,
    cluster: Label | None = None,
    side: Label | None = None,
    covariates: Iterable[Label] = (),
    items: Iterable[Label] | None = None,
    max_bytes: int = MAX_BYTES,
) -> Comparisons:
    r"""Read comparisons of two items each: battles, matches, judgments of two answers.

    Parameters
    ----------
    source : path, text stream or DataFrame
        A table with a row for each comparison: a file or a frame as `read_scores` takes them.
    first, second : str or int
        The columns of the items on the two sides.
    outcome : str or int, or a sequence of two or three
        The column of outcomes: who won, by side or by name, or a word for a tie. Which words and
        numbers are known is in the reference of file formats; case, blanks around a word and
        underscores do not matter. A column of 1 and 0 says whether the first side won; beside -1
        a 0 is a tie. That of `first` or `second` itself holds the winner of every comparison.
        Three columns of 1 and 0, a single 1 in each row, say that the first won, that the second
        won, and that there was a tie. Two columns hold numbers of the first and the second side.
    outcome_is : {"side", "winner", "points", "wins"}, optional
        Of one column: whether outcomes are sides or names; needed only where words are both.
        Of two columns: "points", of which more win and equal ones are a tie, or "wins", how often
        each side won; a third column of "wins" holds the number of ties. A row of wins becomes
        that many comparisons, at most 5,000,000 in all.
    drop_outcome : str or int, or iterable of them, optional
        Words in the columns of outcomes, such as "error", whose rows are left out; "" is an empty
        cell.
    weight : str or int, optional
        The column of weights, positive numbers.
    cluster : str or int, optional
        The column of what comparisons have in common: the judge, the prompt.
    side : str or int, optional
        The column of which side had the advantage: 1 or "first", -1 or "second", 0 or "neutral".
        That of `first` or `second` itself gives it to this side in every comparison.
    covariates : iterable of str or int, optional
        Columns of numbers that describe the comparisons.
    items : iterable of str or int, optional
        All items, where some may be in no comparison; by default the sorted labels that occur.
    max_bytes : int, default 2**30
        How many bytes of memory reading may take; what would take more is refused.

    Returns
    -------
    Comparisons
        A row for each row of the table, or for each of the wins and ties that a row counts.

    Raises
    ------
    DataFormatError
        If the file is no such table, an item meets itself, or a cell is empty or says something
        else; the message names row and column.
    InvalidInputError
        If a named column does not exist, two are the same, `outcome_is` does not suit the number
        of columns, or a word of `drop_outcome` never occurs.

    Warns
    -----
    DataWarning
        If items differ in case or blanks alone, and of rows that are left out, or count no win.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_comparisons
    >>> file = StringIO("a,b,winner,judge\nx,y,model_a,j1\ny,z,tie,j1\nz,x,model_b,j2\n")
    >>> battles = read_comparisons(file, first="a", second="b", outcome="winner", cluster="judge")
    >>> battles
    <Comparisons: 3 comparisons of 3 items, 1 tie, 2 clusters>
    >>> battles.outcomes
    array([ 1,  0, -1], dtype=int8)
    """
    won_by, meant = names_of(outcome), outcome_is
    _check_kind(won_by, meant)
    described = names_of(covariates)
    sides = {str(second): -1, str(first): 1}
    always = sides.get(str(side))
    won = sides.get(str(won_by[0])) if len(won_by) == 1 and meant != "side" else None
    named = [(first, "first"), (second, "second"), (weight, "weight"), (cluster, "cluster")]
    named += [] if always else [(side, "side")]
    named += [] if won else [(name, "outcome") for name in won_by]
    named += [(name, "covariates") for name in described]
    columns = [name for name, _ in named if name is not None]
    if len({str(name) for name in columns}) < len(columns):
        allowed = "different columns"
        raise InvalidInputError(f"{', '.join(COMPARISON_COLUMNS)} and covariates", allowed, columns)
    table = source if isinstance(source, Table) else read_table(source, max_bytes=max_bytes)
    for name, parameter in named:
        if name is not None or parameter in COMPARISON_COLUMNS[:3]:
            table.position(name, parameter)
    table = _without_outcomes(table, (first, second), won_by, names_of(drop_outcome))
    pair = _sided(table, first, second, items)
    row_of: Any = slice(None)
    if won:
        outcomes = np.full(len(pair.first), won, dtype=np.int8)
    elif meant == "points":
        outcomes = _by_points(table, won_by)
    elif meant == "wins":
        row_of, outcomes = _by_wins(table, won_by)
    elif len(won_by) > 1:
        outcomes = _by_marks(table, won_by)
    else:
        outcomes = _outcomes_in(_Cells.of(table, won_by[0], "outcome"), pair, meant)
    clusters = None if cluster is None else table.coded(cluster, "cluster")
    weights = None if weight is None else table.weights(weight)
    ahead = _advantages(table, side) if not always else np.full(table.n_rows, always, np.int8)
    return Comparisons(
        pair.items,
        pair.first[row_of],
        pair.second[row_of],
        outcomes,
        weights=None if weights is None else weights[row_of],
        clusters=None if clusters is None else clusters.codes[row_of],
        cluster_labels=None if clusters is None else clusters.labels,
        sides=None if ahead is None else ahead[row_of],
        covariates={str(name): _covariate(table, name)[row_of] for name in described},
    )


def outcomes_taken(
    table: Table, outcome: Label | Sequence[Label], outcome_is: str | None, dropped: Any = ()
) -> str:
    """Return what the outcomes of a table were taken for, in a line."""
    columns = names_of(outcome)
    if outcome_is == "points":
        return f"outcomes: the higher of {listing(columns)} wins, equal ones are ties"
    if outcome_is == "wins":
        return f"outcomes: {listing(columns)} are numbers of wins{' and ties' * (len(columns) > 2)}"
    if len(columns) > 1:
        marks = "outcomes: a 1 in {} is a win of the first, in {} of the second, in {} a tie"
        return marks.format(*columns)
    gone = {key_of(word) for word in names_of(dropped)}
    every = table.coded(columns[0], "outcome", gaps=True).labels
    labels = [label for label in every if key_of(label) not in gone]
    read = SPELLED_OUTCOMES.read(labels)
    if outcome_is == "winner" or read.wrong is not None:
        ties = [shown(label) for label in labels if is_tie(label)]
        return "outcomes: names of winners" + (f", {listing(ties)} ties" if ties else "")
    meant = {1: "wins of the first", -1: "wins of the second", 0: "ties"}
    said = {
        sign: [shown(label) for label, x in zip(labels, read.meanings, strict=True) if x == sign]
        for sign in meant
    }
    return "outcomes: " + ", ".join(
        f"{listing(words, 4)} {meant[sign]}" for sign, words in said.items() if words
    )


def _check_kind(columns: Sequence[Label], meant: str | None) -> None:
    """Raise where `outcome_is` does not suit the number of columns."""
    if meant is not None:
        check_choice(meant, ("side", "winner", "points", "wins"), "outcome_is")
    if len(columns) not in KINDS_OF_OUTCOMES:
        raise InvalidInputError("outcome", "one, two or three columns", list(columns))
    if len(columns) == 2 and meant is None:
        allowed = "'points' (the higher number wins) or 'wins' (numbers of wins) for two columns"
        raise InvalidInputError("outcome_is", allowed, Described("nothing"))
    if meant not in KINDS_OF_OUTCOMES[len(columns)]:
        fits = {"side": "one column", "winner": "one column", "points": "two columns"}
        allowed = f"{fits.get(str(meant), 'two or three columns')} with `outcome_is='{meant}'`"
        raise InvalidInputError("outcome", allowed, list(columns))


def _without_outcomes(
    table: Table, sides: Sequence[Label], columns: Sequence[Label], words: Sequence[Any]
) -> Table:
    """Leave out the rows in which a column of outcomes says one of some words, with a warning."""
    if not words:
        return table
    cells = [table.coded(name, "outcome", gaps=True) for name in columns]
    # The code of an empty cell is -1.
    keys = [np.array([*map(key_of, x.labels), ""], dtype=object)[x.codes] for x in cells]
    gone = np.zeros(table.n_rows, dtype=np.bool_)
    told = []
    for word in words:
        says = np.any([column == key_of(word) for column in keys], axis=0)
        if not says.any():
            allowed = f"an outcome in {listed(columns)}"
            known = [label for column in cells for label in column.labels]
            raise InvalidInputError("drop_outcome", allowed, word, nearest(word, known))
        gone |= says
        told.append(f"{shown(word)} ({int(says.sum())})" if len(words) > 1 else shown(word))
    if gone.all():
        raise DataFormatError(f"{table.name} has no row without the outcome {' or '.join(told)}.")
    kept = table.chosen(np.flatnonzero(~gone))
    number = f"{int(gone.sum())} of {counted(table.n_rows, 'row')} left out"
    said = f"{table.name}: {number}, with the outcome {' or '.join(told)}"
    every, left = (
        {x for at in sides for x in one.coded(at, "first", gaps=True).labels}
        for one in (table, kept)
    )
    if every > left:
        said += f"; no other row has {listing(sorted(every - left, key=str))}"
    warnings.warn(f"{said}.", DataWarning, stacklevel=3)
    return kept


def _numbers_of(table: Table, name: Label) -> Floats:
    """Return a column of numbers of a side, none of them missing."""
    values = table.numbers(name, "outcome")
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise table.error(row, name, "is empty; it must hold a number", DROP_EMPTY)
    return values


def _by_points(table: Table, columns: Sequence[Label]) -> Signs:
    """Return outcomes: the side with more points wins, and equal ones are a tie."""
    points = np.column_stack([_numbers_of(table, name) for name in columns])
    negative = points < 0
    if negative.any() and not negative.all() and np.isin(points[negative], MISSING_CODES).all():
        row, at = np.argwhere(negative)[0].tolist()
        code = int(points[row, at])
        raise table.error(
            row,
            columns[at],
            f"is {code}, which looks like a code for a missing number, as no other negative number "
            "is there",
            f"`drop_outcome='{code}'` leaves such rows out; add a number to both columns where it "
            "is none.",
        )
    return cast(Signs, np.sign(points[:, 0] - points[:, 1]).astype(np.int8))


def _by_wins(table: Table, columns: Sequence[Label]) -> tuple[Integers64, Signs]:
    """Return the row and the outcome of each comparison that numbers of wins and ties count."""
    counts = np.column_stack([_numbers_of(table, name) for name in columns])
    wrong = (counts < 0) | (counts % 1 > 0)
    if wrong.any():
        row, at = np.argwhere(wrong)[0].tolist()
        got = f"must be a whole number of 0 or more. Got {counts[row, at]:g}"
        raise table.error(row, columns[at], got)
    if not 0 < counts.sum() <= MOST_COMPARISONS:
        raise DataFormatError(
            f"{table.name}: the numbers in {listed(columns)} add up to {counts.sum():.0f}; "
            f"their sum must be from 1 to {MOST_COMPARISONS}.",
            "`PairwiseMatrix.from_wins` takes any number.",
        )
    times = counts.astype(np.int64)
    if empty := int((times.sum(axis=1) == 0).sum()):
        said = f"{table.name}: {counted(empty, 'row')} without a win or a tie left out."
        warnings.warn(said, DataWarning, stacklevel=3)
    signs = np.array([1, -1, 0][: len(columns)], dtype=np.int8)
    rows = np.repeat(np.arange(table.n_rows), times.sum(axis=1))
    return rows, np.repeat(np.tile(signs, table.n_rows), times.ravel())


def _by_marks(table: Table, columns: Sequence[Label]) -> Signs:
    """Return outcomes, of which one of three columns holds a 1, and the others 0."""
    known = {1.0: 1, 0.0: 0, "true": 1, "false": 0, "yes": 1, "no": 0}
    marks = []
    for name in columns:
        cells = _Cells.of(table, name, "outcome")
        read = [known.get(key_of(label), -1) for label in cells.labels]
        if -1 in read:
            remedy = "`outcome_is='wins'` reads numbers of wins and ties."
            raise cells.error(read.index(-1), "must be 1 or 0. Got {}", remedy)
        marks.append(np.array(read, dtype=np.int8)[cells.codes])
    total = np.sum(marks, axis=0)
    if (total != 1).any():
        row = int(np.argmax(total != 1))
        names = listed(columns)
        raise DataFormatError(
            f"{table.place(row)} must have a single 1 in {names}. Got {total[row]} of them.",
            "`outcome_is='wins'` reads numbers of wins and ties.",
        )
    return marks[0] - marks[1]


def _advantages(table: Table, side: Label | None) -> Signs | None:
    return None if side is None else _Cells.of(table, side, "side").meant(SPELLED_SIDES)


class _Sided(NamedTuple):
    """The items, and who is on which side."""

    items: ItemSet
    first: Codes
    second: Codes


def _sided(table: Table, first: Any, second: Any, items: Iterable[Label] | None) -> _Sided:
    sides = [_Cells.of(table, first, "first"), _Cells.of(table, second, "second")]
    known = ItemSet.coerce(items, [label for side in sides for label in side.labels])
    warn_of_likeness(table.name, known, stacklevel=3)
    given = f"must be one of the {counted(len(known), 'item')} given"
    for side in sides if items is not None else ():
        for code, label in enumerate(side.labels):
            if label not in known:
                raise side.error(code, f"{given}. Got {{}}. {nearest(label, known)}")
    one, other = (np.array(known.indices(side.labels), dtype=np.intp)[side.codes] for side in sides)
    same = one == other
    if same.any():
        row = int(np.argmax(same))
        number = counted(int(same.sum()), "such row", ",")
        raise DataFormatError(
            f"{table.place(row)} compares {shown(known[int(one[row])])} with "
            f"itself ({number}); leave such rows out."
        )
    return _Sided(known, one, other)


def _outcomes_in(cells: _Cells, pair: _Sided, meant: str | None) -> Signs:
    known = {raw_text(label): at for at, label in enumerate(pair.items)}
    winners = np.array([known.get(raw_text(label), -1) for label in cells.labels])
    if meant is None and SPELLED_OUTCOMES.read(cells.labels).wrong is not None:
        named = zip(winners, cells.labels, strict=True)
        meant = "winner" if any(at >= 0 and not is_tie(label) for at, label in named) else "side"
    if meant == "winner":
        return _won_by_name(cells, pair, winners)
    by_side = cells.meant(SPELLED_OUTCOMES, pair.items)
    winner = winners[cells.codes]
    differs = (winner >= 0) & (_by_winner(pair, winner) != by_side)
    if meant is None and differs.any():
        code = int(cells.codes[np.argmax(differs)])
        raise cells.error(code, "says {}, an item and also a side", WHICH)
    return by_side


def _by_winner(pair: _Sided, winner: Codes) -> Signs:
    """Return outcomes, 0 where the winner is none of the two."""
    won = (winner == pair.first).astype(np.int8)
    return cast(Signs, won - (winner == pair.second))


def _won_by_name(cells: _Cells, pair: _Sided, winners: Codes) -> Signs:
    for code, (label, at) in enumerate(zip(cells.labels, winners.tolist(), strict=True)):
        if at >= 0 and is_tie(label):
            what = "says {}, an item and also a word for a tie: rename the item"
            raise cells.error(code, what)
        if at < 0 and not is_tie(label):
            hint = nearest(label, [*pair.items, "tie", "draw"])
            what = f"must name the winner or say 'tie'. Got {{}}. {hint}"
            raise cells.error(code, what, _how_to_drop(label))
    winner = winners[cells.codes]
    outcomes = _by_winner(pair, winner)
    astray = (winner >= 0) & (outcomes == 0)
    if astray.any():
        row = int(np.argmax(astray))
        one, other = (shown(pair.items[int(side[row])]) for side in (pair.first, pair.second))
        got = shown(pair.items[int(winner[row])])
        what = f"must be {one}, {other} or a tie. Got {got}"
        raise cells.table.error(row, cells.name, what)
    return outcomes


@dataclass(frozen=True)
class _Cells:
    """A column of distinct cells and their codes, and what to say of them."""

    table: Table
    name: Any
    labels: list[Any]
    codes: Codes

    @classmethod
    def of(cls, table: Table, name: Any, parameter: str) -> _Cells:
        coded = table.coded(name, parameter, gaps=parameter == "outcome")
        if (coded.codes < 0).any():
            row = int(np.argmax(coded.codes < 0))
            raise table.error(row, name, "is empty; it must hold a label", DROP_EMPTY)
        return cls(table, name, coded.labels, coded.codes)

    def error(self, code: int, what: str, remedy: str = "") -> DataFormatError:
        """Return what is raised for a cell, which is shown; names the first row that has it."""
        said = what.replace("{}", shown(self.labels[code]), 1)
        return self.table.error(int(np.argmax(self.codes == code)), self.name, said, remedy)

    def meant(self, conventions: Conventions, items: Iterable[Label] = ()) -> Signs:
        """Return what the cells mean; raises where one means nothing, or may be one of items."""
        reading = conventions.read(self.labels)
        code = reading.wrong
        if code is None:
            return np.array(reading.meanings, dtype=np.int8)[self.codes]
        if reading.why:
            raise self.error(code, f"says {{}}, {reading.why}: write {conventions.allowed}")
        label = self.labels[code]
        hint = reading.hint or nearest(label, items)
        what = f"must say {conventions.allowed}. Got {{}}. {hint}"
        raise self.error(code, what, _how_to_drop(label))


def _how_to_drop(label: Any) -> str:
    """Return the remedy for a cell that says that there is no outcome, "" for any other."""
    is_none = key_of(label) in NO_OUTCOME
    return f"`drop_outcome='{label}'` leaves such rows out." if is_none else ""


def _covariate(table: Table, name: Any) -> Floats:
    values = table.numbers(name, "covariates")
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise table.error(row, name, "is missing; it must hold a number")
    return values


# -- what a table of battles looks like -----------------------------------------------------------


def _pairs_of(text: str) -> list[tuple[str, str]]:
    """Return pairs of words, of a text such as "home away, left right"."""
    return [(one, other) for one, other in (pair.split() for pair in text.split(","))]


#: Words in which the headings of the two sides differ, that of the first side first.
SIDE_HEADINGS = _pairs_of(
    "a b, 1 2, left right, home away, white black, model baseline, system baseline, "
    "player opponent, team opponent, model opponent, heim gast, local visitante, casa trasferta, "
    "domicile extérieur, hemma borta"
)
#: The same, where the first word is that of who won in every row.
WON_HEADINGS = _pairs_of(
    "winner loser, winning losing, chosen rejected, preferred rejected, better worse, "
    "sieger verlierer, gagnant perdant"
)
# A third such column makes these no sides, but items of a list.
THIRD = {"a": "c", "1": "3"}
#: Words in headings, by what the column is.
HEADINGS = {
    "points": "goal score point pt run tore punkte but goles puntos gol punti",
    "wins": "win won victory victorie siege victoire victoria vittorie",
    "winner": "sieger gewinner ergebnis gagnant vainqueur ganador vincitore resultado",
    # What may say of the first side that it won.
    "of first": "win won outcome result",
    # Numbers of which more do not say who won.
    "other": "elo rating rank seed odd price cost time latency token length len word",
}
MARKS: set[Key] = {1.0, 0.0, "true", "false", "yes", "no"}
OF_FIRST: set[Key] = {*MARKS, "win", "won", "wins", "loss", "lost", "lose", "loses", "w", "l"}
#: What says who won only below a heading that says so.
VAGUE: set[Key] = {*OF_FIRST, *TIE_WORDS, "a", "b", "r", "d", "t"}
GRADES: set[Key] = {"a>b", "b>a", "a=b"}
# A column of outcomes says little more than names.
FEW_WORDS = 50

Pair = tuple[int, int]


class Outcome(NamedTuple):
    """Columns that may say who won."""

    columns: tuple[int, ...]
    # The parameter `outcome_is`.
    meant: str | None
    is_sure: bool


def comparison_readings(look: TableLook) -> list[tuple[str, dict[str, Any], bool]]:
    """Return what `read_comparisons` can read of a table, its parameters, and what is certain.

    The sides are two columns of names whose headings differ in the side alone. Who won is in a
    column of words or names (one whose heading says so goes first), in three columns of 0 and 1,
    or in numbers of both sides. Each reading was carried out.
    """
    sides = [p for p in _side_pairs(look, SIDE_HEADINGS + WON_HEADINGS) if _hold_names(look, p)]
    sides = [pair for pair in sides if _meet(look, pair)] or sides
    found: list[tuple[str, dict[str, Any], bool]] = []
    for pair in sides[:3]:
        known: list[Comparisons] = []
        for outcomes in _outcomes(look, pair):
            # Where a column says who won, numbers count only as points that say otherwise.
            for outcome in [x for x in outcomes if not known or x.meant == "points"]:
                carried = _carried_out(look, pair, outcome)
                if carried and not (outcome.meant == "points" and carried[0] in known):
                    known.append(carried[0])
                    found.append(carried[1])
    return [(what, parameters, sure and len(found) == 1) for what, parameters, sure in found]


def _carried_out(
    look: TableLook, pair: Pair, outcome: Outcome
) -> tuple[Comparisons, tuple[str, dict[str, Any], bool]] | None:
    """Return what is read, and the reading; None where it is refused."""
    labels = [look.labels(at) for at in outcome.columns]
    gone = [x for column in labels for x in column.labels if key_of(x) in NO_OUTCOME]
    gone += [""] if any((column.codes < 0).any() for column in labels) else []
    names = [look.names[at] for at in outcome.columns]
    given: dict[str, Any] = {"first": look.names[pair[0]], "second": look.names[pair[1]]}
    what = f"comparisons of {given['first']} and {given['second']} by {listing(names)}"
    what += {"points": ", the higher wins", "wins": ", numbers of wins"}.get(
        outcome.meant or "", ""
    )
    given["outcome"] = names if len(names) > 1 else names[0]
    given |= {"outcome_is": outcome.meant} if outcome.meant else {}
    of_sides = {word for words in SIDE_HEADINGS for word in words}
    counts = look.called("count", among=look.numeric)
    counts = [at for at in counts if not of_sides & {*look.words[at]}]
    given |= {"weight": look.names[counts[0]]} if counts and outcome.meant != "wins" else {}
    for dropped in ([], [*dict.fromkeys(gone)]):
        with suppress(RankaggError), warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            read = read_comparisons(look.table, **given, drop_outcome=dropped)
            what += f" without rows of {listing([*map(shown, dropped)])}" if dropped else ""
            given |= {"drop_outcome": dropped} if dropped else {}
            sure = outcome.is_sure and not dropped and not counts and _meet(look, pair)
            return read, (what, given, sure)
    return None


def _labels(look: TableLook, at: int) -> list[Any]:
    """Return the labels of a column, none where its cells are something else."""
    try:
        return look.labels(at).labels
    except DataFormatError:
        return []


def _keys(look: TableLook, at: int) -> set[Key]:
    """Return what a column says as conventions know it."""
    return {*map(key_of, _labels(look, at))}


def _is_headed(look: TableLook, at: int, kind: str) -> bool:
    """Say whether a word of a heading says what kind of column it is."""
    known = HEADINGS[kind].split()
    return any(word in known or word.removesuffix("s") in known for word in look.words[at])


def _differing(look: TableLook, pair: Pair) -> tuple[str, str] | None:
    """Return the words in which two headings differ, None where they differ in more than one."""
    one, other = (look.words[at] for at in pair)
    differ = [words for words in zip(one, other, strict=False) if len(set(words)) > 1]
    return differ[0] if len(one) == len(other) and len(differ) == 1 else None


def _side_pairs(look: TableLook, sides: Sequence[tuple[str, str]]) -> list[Pair]:
    """Return the pairs of columns whose headings differ in the side alone, the first side first."""
    headings = look.words[:MOST_COLUMNS]
    found = []
    for pair in permutations(range(len(headings)), 2):
        differ = _differing(look, pair)
        if differ is not None and differ in sides:
            third = [THIRD.get(x, "") if x == differ[0] else x for x in headings[pair[0]]]
            if third not in headings:
                found.append((min(pair), max(pair)) if differ in WON_HEADINGS else pair)
    return found


def _hold_names(look: TableLook, pair: Pair) -> bool:
    """Say whether columns may hold names; places, numbers of a kind and outcomes are none."""
    are_outcomes = set(pair) <= set(look.called("outcome"))
    if are_outcomes or not all(_labels(look, at) for at in pair) or look.ordinals & {*pair}:
        return False
    if set(pair) <= set(look.numeric):
        words = {*look.words[pair[0]]}.difference(_differing(look, pair) or ())
        are_whole = all((look.values[at] % 1 == 0).all() for at in pair)
        return are_whole and look.share(pair) and words <= {*WHO}
    numbers = [PLACE.fullmatch(cell) is not None for cell in look.texts_of(*pair)]
    return set(pair) <= set(look.texts) and 2 * sum(numbers) < len(numbers)


def _meet(look: TableLook, pair: Pair) -> bool:
    """Say whether the sides share names, or some name occurs in several rows."""
    return look.share(pair) or len(look.texts_of(*pair)) <= look.table.n_rows


def _outcomes(look: TableLook, pair: Pair) -> list[list[Outcome]]:
    """Return the columns that may say who won, the most likely ones first."""
    numbers = [one for one in _side_pairs(look, SIDE_HEADINGS) if one != pair]
    numbers = [one for one in numbers if all(_seems_number(look, at) for at in one)]
    beside = {*pair, *(at for one in numbers for at in one)}
    most = len(look.texts_of(*pair)) + FEW_WORDS
    others = [at for at in range(len(look.names)) if at not in beside]
    others = [at for at in others if 0 < len(_labels(look, at)) <= most]
    differ = _differing(look, pair) or ("", "")
    if {differ, differ[::-1]} & {*WON_HEADINGS}:
        winner = pair[0] if differ in WON_HEADINGS else pair[1]
        has_ties = any(_tells_of_ties(look, at) for at in others)
        return [] if has_ties else [[Outcome((winner,), None, look.share(pair))]]
    called = look.called("outcome", among=others)
    headed = [at for at in others if at in called or _is_headed(look, at, "winner")]
    exact = [at for at in headed if len(look.words[at]) == 1]
    rest = [at for at in others if at in look.texts and at not in headed]
    groups = (exact, [at for at in headed if at not in exact], rest)
    words = [[_in_words(look, pair, at, headed) for at in group] for group in groups]
    return [*([x for x in group if x] for group in words), _in_numbers(look, numbers, others)]


def _seems_number(look: TableLook, at: int) -> bool:
    """Say whether a column holds numbers, some of which may not be readable, or marks."""
    keys = _keys(look, at)
    return bool(keys) and (at in look.numeric or look.seems_numbers(at) or keys <= MARKS)


def _tells_of_ties(look: TableLook, at: int) -> bool:
    """Say whether a cell of a column is a word for a tie, or its heading is and it is not all 0."""
    keys, is_called = _keys(look, at), any(map(is_tie, look.words[at]))
    return bool(keys & TIE_WORDS.keys()) or (is_called and not keys <= {0.0, "false", "no"})


def _in_words(look: TableLook, pair: Pair, at: int, headed: Sequence[int]) -> Outcome | None:
    """Return a column that may hold outcomes; `headed` are those whose headings say so."""
    items, keys = look.texts_of(*pair), _keys(look, at)
    words, has_names = keys - NO_OUTCOME, not items.isdisjoint(look.texts_of(at))
    if not has_names and words <= OF_FIRST:
        # A "yes" below "b won" is a win of the second side, a 1 below "winner" may be.
        second = {other for _, other in SIDE_HEADINGS} & {*look.words[at]}
        if at not in headed or second or not _is_headed(look, at, "of first"):
            return None
    if not has_names and at not in headed and words <= VAGUE:
        return None
    by_side = SPELLED_OUTCOMES.read(look.labels(at).labels).wrong is None
    is_1_or_2 = keys <= {1.0, 1.5, 2.0} and len(keys) > 1 and set(pair) <= set(look.texts)
    is_clear = is_1_or_2 or not any(isinstance(key, float) for key in keys)
    is_outcome = keys <= GRADES or list(headed) == [at]
    return Outcome((at,), None, is_clear and is_outcome and not (has_names and by_side))


def _in_numbers(look: TableLook, numbers: Sequence[Pair], others: Sequence[int]) -> list[Outcome]:
    """Return the numbers of both sides that may say who won."""
    known, doubtful = [], []
    ties = [at for at in others if any(map(is_tie, look.words[at]))]
    for pair in numbers:
        if _keys(look, pair[0]) | _keys(look, pair[1]) <= MARKS:
            thirds = [at for at in others if _keys(look, at) <= MARKS]
            marks = [Outcome((*pair, at), None, at in ties) for at in thirds]
            known += marks or [Outcome(pair, "points", False)]
        elif _is_headed(look, pair[0], "wins"):
            known.append(Outcome((*pair, *ties[:1]), "wins", len(ties) < 2))
        elif _is_headed(look, pair[0], "points"):
            known.append(Outcome(pair, "points", True))
        elif not _is_headed(look, pair[0], "other") and not look.called("other", among=pair):
            doubtful += [Outcome(pair, "points", False), Outcome(pair, "wins", False)]
    # Beside "home score" there may be "home score half time".
    shortest = min((len(look.words[one.columns[0]]) for one in known), default=0)
    return [one for one in known if len(look.words[one.columns[0]]) == shortest] or doubtful
