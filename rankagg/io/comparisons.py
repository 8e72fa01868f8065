"""Tables of comparisons: rows with two items and the outcome, in any usual form.

A column of outcomes is read in one convention: 0 is a loss of the first side with 1 and 1/2, and a
tie with -1. Outcomes that fit no single convention are refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers64, Label, Positions
from rankagg.core import ItemSet, counted, listed, listing, raw_text
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    nearest,
    shown,
)
from rankagg.io.tables.columns import MISSING_CODES, names_of, warn_of_likeness
from rankagg.io.tables.reading import read_table
from rankagg.io.tables.sources import MAX_BYTES, TableSource
from rankagg.io.tables.table import Table

Key = str | float

#: First words of sides such as "model_a", "Response A", "player 1".
WHO = (
    *("model", "assistant", "response", "answer", "output", "system", "option", "candidate"),
    *("player", "team", "side"),
)
SIDE_WORDS: dict[Key, int] = {
    **dict.fromkeys(("first", "1st", "left", "a", "home", "white"), 1),
    **dict.fromkeys(("second", "2nd", "right", "b", "away", "black"), -1),
    **{f"{who}{blank}{side}": 1 for who in WHO for blank in ("", " ") for side in "a1"},
    **{f"{who}{blank}{side}": -1 for who in WHO for blank in ("", " ") for side in "b2"},
}
TIE_WORDS: dict[Key, int] = dict.fromkeys(
    (
        *("tie", "ties", "tied", "draw", "drawn", "draws", "equal", "even", "same", "=", "a=b"),
        *("[[c]]", "neither", "both", "bothbad", "both bad", "bothgood", "both good"),
        *("tie (bothbad)", "tie (both bad)", "tie (bothgood)", "tie (both good)"),
        *("no preference", "no winner", "1/2-1/2", "½-½"),
    ),
    0,
)
OUTCOME_WORDS: dict[Key, int] = {
    **SIDE_WORDS,
    **TIE_WORDS,
    **dict.fromkeys(("win", "won", "wins", "true", "yes", "a>b", "[[a]]"), 1),
    **dict.fromkeys(("loss", "lose", "lost", "loses", "false", "no", "b>a", "[[b]]"), -1),
}
#: Meanings of cells, used if one of a set occurs; words for ties fit all conventions.
CONVENTIONS: tuple[tuple[set[Key], dict[Key, int]], ...] = (
    ({*OUTCOME_WORDS}, OUTCOME_WORDS),
    ({"w"}, {"w": 1, "d": 0, "t": 0, "l": -1}),
    ({"r"}, {"l": 1, "t": 0, "r": -1}),
    ({"b"}, {"w": 1, "d": 0, "b": -1}),
    ({"h"}, {"h": 1, "d": 0, "a": -1}),
    ({1.0, 0.5}, {1.0: 1, 0.5: 0, 0.0: -1}),
    ({-1.0}, {1.0: 1, 0.0: 0, -1.0: -1}),
    ({1.0, 1.5, 2.0}, {1.0: 1, "x": 0, 1.5: 0, 2.0: -1}),
)
OUTCOMES_ALLOWED = (
    "'left', 'right' or 'tie', 'model_a', 'model_b' or 'tie', 'A>B', 'B>A' or 'A=B', 'win', 'loss' "
    "or 'draw', 1, 0 or 0.5 and so on, or the name of one of the two or a tie"
)
MARKS: dict[Key, int] = {1.0: 1, 0.0: 0, "true": 1, "false": 0, "yes": 1, "no": 0}
ADVANTAGES: dict[Key, int] = SIDE_WORDS | {"neutral": 0, "none": 0, 0.0: 0, 1.0: 1, -1.0: -1}
#: Cells without an outcome.
NO_OUTCOME: set[Key] = {
    *("", "-", "?", "error", "invalid", "failed", "timeout", "unknown", "skipped", "cancelled"),
    *("void", "no result", "na", "n/a", "nan", "null"),
}
#: Most comparisons to which counts are expanded.
MOST_COMPARISONS = 5_000_000

PLAIN_OUTCOME = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
BLANKS = re.compile(r"[\s_]+")
# A grade, such as "A>>B", "[[B>A]]" or "1=2", and a result, such as "2-1" or "0:3".
GRADE = re.compile(r"(?:\[\[ ?)?([^<>=~]{1,20}?) ?([<>]+|[=~]+) ?([^<>=~]{1,20}?)(?: ?\]\])?")
RESULT = re.compile(r"([0-9]{1,3}) ?[-\u2013:] ?([0-9]{1,3})")
# No convention has larger numbers, and some of those are no floats.
LARGEST_OUTCOME = 1e6

Signs = NDArray[np.int8]
Codes = Positions

DROP_EMPTY = "`drop_outcome` with an empty text leaves out such rows."
#: Kinds of outcomes by the number of their columns.
KINDS_OF_OUTCOMES = {1: ("side", "winner", None), 2: ("points", "wins"), 3: ("wins", None)}
COUNTS = "`outcome_is='wins'` reads numbers of wins and ties."


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
        Table with a row for each comparison, as `read_scores` takes it.
    first, second : str or int
        Columns of the items on the two sides.
    outcome : str or int, or a sequence of two or three
        Column of the winner: a side, a name, or a word for a tie, as in the reference of file
        formats; the column `first` or `second` if it holds the winners. Or two columns of numbers,
        for the first and the second side; or three columns of 0 with a single 1 in each row: the
        first won, the second won, a tie.
    outcome_is : {"side", "winner", "points", "wins"}, optional
        For one column: whether outcomes are sides or names, if words are both. For two: "points"
        (the higher number wins), or "wins" of each side. A third column of "wins" is the number of
        ties. Wins and ties become that many comparisons, at most 5,000,000.
    drop_outcome : str or int, or iterable of them, optional
        Outcomes whose rows are left out, such as "error"; "" is an empty cell.
    weight, cluster : str or int, optional
        Columns of weights, positive numbers, and of clusters, such as judges or prompts.
    side : str or int, optional
        Column of the side with the advantage: 1 or "first", -1 or "second", 0 or "neutral"; the
        column `first` or `second` if this side has it in every comparison.
    covariates : iterable of str or int, optional
        Columns of numbers that describe the comparisons.
    items : iterable of str or int, optional
        All items, including those without a comparison; by default the sorted labels that occur.
    max_bytes : int, default 2**30
        Memory for reading, in bytes.

    Returns
    -------
    Comparisons
        One for each row of the table, or for each win and tie that a row counts.

    Warns
    -----
    DataWarning
        If names of items are nearly equal, or rows are left out.

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
    won_by, meant, described = names_of(outcome), outcome_is, names_of(covariates)
    _check_kind(won_by, meant)
    sides = {str(second): -1, str(first): 1}
    always = sides.get(str(side))
    won = sides.get(str(won_by[0])) if len(won_by) == 1 and meant != "side" else None
    table = source if isinstance(source, Table) else read_table(source, max_bytes=max_bytes)
    table.check_columns(
        first=first,
        second=second,
        outcome=None if won else won_by,
        weight=weight,
        cluster=cluster,
        side=None if always else side,
        covariates=described,
    )
    table = _drop_outcomes(table, (first, second), won_by, names_of(drop_outcome))
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
        cells = _Cells.of(table, won_by[0], "outcome")
        are_numbered = (str(first)[-1:], str(second)) == ("0", f"{str(first)[:-1]}1")
        if are_numbered and meant != "winner" and {0.0, 1.0} & {*map(key_of, cells.labels)}:
            what = f"{table.name}: 0 and 1 in column {shown(won_by[0])} may be the sides {first}"
            remedy = "Write the names of the winners."
            raise DataFormatError(f"{what} and {second}, or a loss and a win of {first}.", remedy)
        outcomes = _outcomes_in(cells, pair, meant)
    clusters = None if cluster is None else table.coded(cluster, "cluster")
    weights = None if weight is None else table.weights(weight)
    ahead = None
    if always:
        ahead = np.full(table.n_rows, always, dtype=np.int8)
    elif side is not None:
        what = "must say 'first', 'second' or 'neutral', or 1, -1 or 0. Got {}"
        ahead = _Cells.of(table, side, "side").translate(ADVANTAGES, what)
    return Comparisons(
        pair.items,
        pair.first[row_of],
        pair.second[row_of],
        outcomes,
        weights=None if weights is None else weights[row_of],
        clusters=None if clusters is None else clusters.codes[row_of],
        cluster_labels=None if clusters is None else clusters.labels,
        sides=None if ahead is None else ahead[row_of],
        covariates={str(x): _numbers(table, [x], "covariates")[row_of, 0] for x in described},
    )


def describe_outcomes(
    table: Table, outcome: Label | Sequence[Label], outcome_is: str | None, dropped: Any = ()
) -> str:
    """Return a line that says how the outcomes of a table were read."""
    columns = names_of(outcome)
    if outcome_is == "points":
        return f"outcomes: the higher of {listing(columns)} wins, equal ones are ties"
    if outcome_is == "wins":
        return f"outcomes: {listing(columns)} are numbers of wins{' and ties' * (len(columns) > 2)}"
    if len(columns) > 1:
        marks = "outcomes: a 1 in {} is a win of the first, in {} of the second, in {} a tie"
        return marks.format(*columns)
    omitted = {key_of(word) for word in names_of(dropped)}
    cells = table.coded(columns[0], "outcome", gaps=True).labels
    labels = [label for label in cells if key_of(label) not in omitted]
    meaning = _convention_of(labels)
    if outcome_is == "winner" or meaning is None:
        ties = [shown(label) for label in labels if is_tie(label)]
        return "outcomes: names of winners" + (f", {listing(ties)} ties" if ties else "")
    parts = []
    for sign, what in ((1, "wins of the first"), (-1, "wins of the second"), (0, "ties")):
        words = [shown(label) for label in labels if meaning[key_of(label)] == sign]
        parts += [f"{listing(words, 4)} {what}"] if words else []
    return f"outcomes: {', '.join(parts)}"


def _check_kind(columns: Sequence[Label], meant: str | None) -> None:
    """Raise if `outcome_is` does not fit the number of columns."""
    if len(columns) not in KINDS_OF_OUTCOMES:
        raise InvalidInputError("outcome", "one, two or three columns", list(columns))
    if meant not in (kinds := KINDS_OF_OUTCOMES[len(columns)]):
        words = " or ".join(repr(kind) if kind else "nothing" for kind in kinds)
        allowed = f"{words} for {counted(len(columns), 'column')} of outcomes"
        raise InvalidInputError("outcome_is", allowed, meant or Described("nothing"))


def _drop_outcomes(
    table: Table, sides: Sequence[Label], columns: Sequence[Label], words: Sequence[Any]
) -> Table:
    """Leave out the rows with one of some words as outcome, and warn."""
    if not words:
        return table
    cells = [table.coded(name, "outcome", gaps=True) for name in columns]
    # The code of an empty cell is -1.
    keys = [np.array([*map(key_of, x.labels), ""], dtype=object)[x.codes] for x in cells]
    is_dropped = np.zeros(table.n_rows, dtype=np.bool_)
    counts = []
    for word in words:
        has_word = np.any([column == key_of(word) for column in keys], axis=0)
        if not has_word.any():
            labels = [label for column in cells for label in column.labels]
            allowed = f"an outcome in {listed(columns)}"
            raise InvalidInputError("drop_outcome", allowed, word, nearest(word, labels))
        is_dropped |= has_word
        counts.append(f"{shown(word)} ({int(has_word.sum())})")
    which = f"the outcome {' or '.join(counts)}"
    if is_dropped.all():
        raise DataFormatError(f"{table.name} has no row without {which}.")
    kept = table.take(np.flatnonzero(~is_dropped))
    before, after = (
        {x for at in sides for x in one.coded(at, "first", gaps=True).labels}
        for one in (table, kept)
    )
    lost = sorted(before - after, key=str)
    more = f"; no other row has {listing(lost)}" if lost else ""
    number = f"{int(is_dropped.sum())} of {counted(table.n_rows, 'row')} left out"
    warnings.warn(f"{table.name}: {number}, with {which}{more}.", DataWarning, stacklevel=3)
    return kept


def _check_cells(
    table: Table, columns: Sequence[Label], wrong: NDArray[np.bool_], what: str, remedy: str = ""
) -> None:
    """Raise for the first wrong cell of the first column that has one."""
    for name, rows in zip(columns, wrong.T, strict=True):
        table.check_cells(rows, name, what, remedy)


def _numbers(table: Table, columns: Sequence[Label], parameter: str) -> Floats:
    """Return columns of numbers, none missing."""
    values = np.column_stack([table.numbers(name, parameter) for name in columns])
    remedy = DROP_EMPTY if parameter == "outcome" else ""
    _check_cells(table, columns, np.isnan(values), "is empty; it must hold a number", remedy)
    return values


def _by_points(table: Table, columns: Sequence[Label]) -> Signs:
    """Return the outcomes of points: the higher number wins, and equal ones are a tie."""
    points = _numbers(table, columns, "outcome")
    negative = points < 0
    if not negative.all() and np.isin(points[negative], MISSING_CODES).all():
        what = "is {}, a code for a missing number, and no other negative number occurs"
        remedy = "`drop_outcome={}` leaves out such rows; if they are points, add 1000 to all."
        _check_cells(table, columns, negative, what, remedy)
    return cast(Signs, np.sign(points[:, 0] - points[:, 1]).astype(np.int8))


def _by_wins(table: Table, columns: Sequence[Label]) -> tuple[Integers64, Signs]:
    """Return row and outcome of each comparison that wins and ties count."""
    counts = _numbers(table, columns, "outcome")
    what = "must be a whole number of 0 or more. Got {}"
    _check_cells(table, columns, (counts < 0) | (counts % 1 > 0), what)
    if not 0 < counts.sum() <= MOST_COMPARISONS:
        raise DataFormatError(
            f"{table.name}: the numbers in {listed(columns)} add up to {counts.sum():.0f}; "
            f"their sum must be from 1 to {MOST_COMPARISONS}.",
            "`PairwiseMatrix.from_wins` takes any number.",
        )
    times = counts.astype(np.int64)
    if empty := int((times.sum(axis=1) == 0).sum()):
        note = f"{table.name}: {counted(empty, 'row')} without a win or a tie left out."
        warnings.warn(note, DataWarning, stacklevel=3)
    signs = np.array([1, -1, 0][: len(columns)], dtype=np.int8)
    rows = np.repeat(np.arange(table.n_rows), times.sum(axis=1))
    return rows, np.repeat(np.tile(signs, table.n_rows), times.ravel())


def _by_marks(table: Table, columns: Sequence[Label]) -> Signs:
    """Return outcomes from three columns of 0 with a single 1 in each row."""
    cells = [_Cells.of(table, name, "outcome") for name in columns]
    marks = [one.translate(MARKS, "must be 1 or 0. Got {}", remedy=COUNTS) for one in cells]
    total = np.sum(marks, axis=0)
    if (total != 1).any():
        row, names = int(np.argmax(total != 1)), listed(columns)
        raise DataFormatError(
            f"{table.place(row)} must have a single 1 in {names}. Got {total[row]} of them.", COUNTS
        )
    return marks[0] - marks[1]


class _Sided(NamedTuple):
    """Items, and their positions on both sides."""

    items: ItemSet
    first: Codes
    second: Codes


def _sided(table: Table, first: Any, second: Any, items: Iterable[Label] | None) -> _Sided:
    sides = [_Cells.of(table, first, "first"), _Cells.of(table, second, "second")]
    union = ItemSet.coerce(items, [label for side in sides for label in side.labels])
    warn_of_likeness(table.name, union, stacklevel=2)
    one, other = (
        np.array(union.indices(side.labels, parameter=name), dtype=np.intp)[side.codes]
        for side, name in zip(sides, ("first", "second"), strict=True)
    )
    same = one == other
    if same.any():
        row = int(np.argmax(same))
        number = counted(int(same.sum()), "such row", ",")
        raise DataFormatError(
            f"{table.place(row)} compares {shown(union[int(one[row])])} with "
            f"itself ({number}); leave such rows out."
        )
    return _Sided(union, one, other)


def _outcomes_in(cells: _Cells, pair: _Sided, meant: str | None) -> Signs:
    """Return the outcomes in one column of sides or names."""
    position = {raw_text(label): at for at, label in enumerate(pair.items)}
    winners = np.array([position.get(raw_text(label), -1) for label in cells.labels])
    meaning = _convention_of(cells.labels)
    if meant is None and meaning is None:
        named = zip(winners, cells.labels, strict=True)
        meant = "winner" if any(at >= 0 and not is_tie(label) for at, label in named) else "side"
    if meant == "winner":
        return _won_by_name(cells, pair, winners)
    if meaning is None:
        keys = {key for _, convention in CONVENTIONS for key in convention}
        cells.translate(
            dict.fromkeys(keys, 0), f"must say {OUTCOMES_ALLOWED}. Got {{}}", pair.items
        )
        many = ", ".join(shown(label) for label in cells.labels[:6])
        what = f"says {{}}, in a column of {many}, which fit no single convention: write "
        raise cells.error(0, what + OUTCOMES_ALLOWED)
    by_side = cells.translate(meaning)
    winner = winners[cells.codes]
    differs = (winner >= 0) & (_by_winner(pair, winner) != by_side)
    if meant is None and differs.any():
        code = int(cells.codes[np.argmax(differs)])
        remedy = "Set `outcome_is='side'` or `outcome_is='winner'`."
        raise cells.error(code, "says {}, an item and also a side", remedy)
    return by_side


def _by_winner(pair: _Sided, winner: Codes) -> Signs:
    """Return outcomes, 0 if neither of the two won."""
    won = (winner == pair.first).astype(np.int8)
    return cast(Signs, won - (winner == pair.second))


def _won_by_name(cells: _Cells, pair: _Sided, winners: Codes) -> Signs:
    """Return the outcomes in a column of names of winners and words for ties."""
    for code, (label, at) in enumerate(zip(cells.labels, winners.tolist(), strict=True)):
        if (at >= 0) == is_tie(label):
            hint = nearest(label, [*pair.items, "tie", "draw"])
            lacks = f"must name the winner or say 'tie'. Got {{}}. {hint}"
            both = "says {}, an item and also a word for a tie: rename the item"
            raise cells.error(code, lacks if at < 0 else both)
    winner = winners[cells.codes]
    outcomes = _by_winner(pair, winner)
    is_other = (winner >= 0) & (outcomes == 0)
    if is_other.any():
        row = int(np.argmax(is_other))
        one, other = (shown(pair.items[int(side[row])]) for side in (pair.first, pair.second))
        got = shown(pair.items[int(winner[row])])
        what = f"must be {one}, {other} or a tie. Got {got}"
        raise cells.table.error(row, cells.name, what)
    return outcomes


@dataclass(frozen=True)
class _Cells:
    """Distinct cells of a column and their codes, with errors about them."""

    table: Table
    name: Any
    labels: list[Any]
    codes: Codes

    @classmethod
    def of(cls, table: Table, name: Any, parameter: str) -> _Cells:
        coded = table.coded(name, parameter, gaps=parameter == "outcome")
        table.check_cells(coded.codes < 0, name, "is empty; it must hold a label", DROP_EMPTY)
        return cls(table, name, coded.labels, coded.codes)

    def error(self, code: int, what: str, remedy: str = "") -> DataFormatError:
        """Return the error for a cell, with the first row that has it."""
        label = self.labels[code]
        if not remedy and key_of(label) in NO_OUTCOME:
            remedy = f"`drop_outcome='{label}'` leaves out such rows."
        row = int(np.argmax(self.codes == code))
        return self.table.error(row, self.name, what.replace("{}", shown(label), 1), remedy)

    def translate(
        self,
        meaning: Mapping[Key, int],
        what: str = "",
        hints: Iterable[Label] = (),
        remedy: str = "",
    ) -> Signs:
        """Return the meaning of each cell; raise for the first without one."""
        keys = [key_of(label) for label in self.labels]
        for code, (key, label) in enumerate(zip(keys, self.labels, strict=True)):
            if key not in meaning:
                words = [word for word in meaning if isinstance(word, str) and len(word) > 2]
                hint = nearest(key, words) or nearest(label, hints)
                raise self.error(code, f"{what}. {hint}", remedy)
        return np.array([meaning[key] for key in keys], dtype=np.int8)[self.codes]


# -- meanings of cells -----------------------------------------------------------------------------


def key_of(label: Any) -> Key:
    """Return a cell as a number, or as a text without case and underscores."""
    if isinstance(label, bool | np.bool_):
        return "true" if label else "false"
    if not isinstance(label, str):
        return float(label) if abs(label) < LARGEST_OUTCOME else raw_text(label)
    text = BLANKS.sub(" ", label.strip()).casefold()
    if text in ("1/2", "½"):
        return 0.5
    if PLAIN_OUTCOME.fullmatch(text) and len(text) < 20:
        return float(text)
    return _normalize_grade(text)


def _normalize_grade(text: str) -> str:
    """Return "a>b", "b>a" or "a=b" for a grade or a result, any other text unchanged."""
    if result := RESULT.fullmatch(text):
        margin = int(result[1]) - int(result[2])
        return "a>b" if margin > 0 else "b>a" if margin < 0 else "a=b"
    grade = GRADE.fullmatch(text)
    sides = SIDE_WORDS | {"1": 1, "2": -1}
    places = [sides.get(grade[1]), sides.get(grade[3])] if grade else []
    if grade is None or places not in ([1, -1], [-1, 1]):
        return text
    sign = grade[2][0]
    if len(set(grade[2])) > 1 or sign in "=~":
        return text if sign in "<>" else "a=b"
    return "a>b" if (sign == ">") == (places == [1, -1]) else "b>a"


def is_tie(label: Any) -> bool:
    """Return whether a cell is a word for a tie."""
    return key_of(label) in TIE_WORDS


def _convention_of(labels: Iterable[Any]) -> dict[Key, int] | None:
    """Return the meanings in the convention that has all cells; None without one."""
    keys = set(map(key_of, labels))
    rest = keys - TIE_WORDS.keys() or keys
    fitting = (meaning for needed, meaning in CONVENTIONS if needed & rest and rest <= {*meaning})
    return next((meaning | TIE_WORDS for meaning in fitting), None)
