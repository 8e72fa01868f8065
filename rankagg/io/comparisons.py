"""Tables of comparisons: a row for each, with the two items and the outcome, however it is written.

A table is read in one convention: 0 is a loss of the first side beside 1 and 1/2, and a tie
beside -1. What several conventions read differently is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Label, Positions
from rankagg._validation import check_choice
from rankagg.core import ItemSet, counted, raw_text
from rankagg.core.comparisons import COMPARISON_COLUMNS, Comparisons
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.tables.columns import names_of, warn_of_likeness
from rankagg.io.tables.sources import MAX_BYTES, TableSource, read_table
from rankagg.io.tables.table import Table

#: Who gave an answer, in "model_a", "Response A", "player 1".
ASSISTANTS = ("model", "assistant", "response", "answer", "output", "system", "option")
WHO = (*ASSISTANTS, "candidate", "player", "team", "side")
FIRST_SIDE = ("first", "left", "a", "1st", "home", "white")
SECOND_SIDE = ("second", "right", "b", "2nd", "away", "black")
WON_BY_FIRST = ("win", "won", "wins", "true", "yes", "a>b", "[[a]]", "1-0")
LOST_BY_FIRST = ("loss", "lose", "lost", "loses", "false", "no", "b>a", "[[b]]", "0-1")
TIED = (
    *("tie", "ties", "tied", "draw", "drawn", "draws", "equal", "even", "same", "=", "a=b"),
    *("[[c]]", "neither", "both", "bothbad", "both bad", "bothgood", "both good"),
    *("tie (bothbad)", "tie (both bad)", "tie (bothgood)", "tie (both good)"),
    *("no preference", "no winner", "1/2-1/2", "½-½"),
)
NEUTRAL = ("neutral", "neither", "no side", "both", "none")

PLAIN_OUTCOME = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
BLANKS = re.compile(r"[\s_]+")
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
    Convention({1.0: 1, "x": 0, 2.0: -1}, frozenset({1.0, 2.0})),
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
    return float(text) if PLAIN_OUTCOME.fullmatch(text) and len(text) < 20 else text


def is_tie(label: Any) -> bool:
    """Say whether a cell is a word for a tie."""
    return key_of(label) in TIE_WORDS


SPELLED_OUTCOMES = Conventions(
    CONVENTIONS,
    TIE_WORDS,
    "'left', 'right' or 'tie', 'model_a', 'model_b' or 'tie', 'win', 'loss' or 'draw', 1, 0 or 0.5 "
    "and the like, or the name of one of the two or a tie",
)

SPELLED_SIDES = Conventions(
    (Convention(SIDE_PLACES), Convention({1.0: 1, 0.0: 0, -1.0: -1})),
    dict.fromkeys(NEUTRAL, 0),
    "'first', 'second' or 'neutral', or 1, -1 or 0",
)


Signs = NDArray[np.int8]
Codes = Positions

WHICH = "`outcome_is='side'` or `outcome_is='winner'` says which."


def read_comparisons(
    source: TableSource,
    *,
    first: Label,
    second: Label,
    outcome: Label,
    outcome_is: Literal["side", "winner"] | None = None,
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
    outcome : str or int
        The column of outcomes: who won, by side or by name, or a word for a tie. Which words and
        numbers are known is in the reference of file formats; case, blanks around a word and
        underscores do not matter. A column of 1 and 0 says whether the first side won; beside -1
        a 0 is a tie. That of `first` or `second` itself holds the winner of every comparison.
    outcome_is : {"side", "winner"}, optional
        Whether outcomes are sides or names; needed only where words are both.
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
        A row for each row of the table: nothing is left out.

    Raises
    ------
    DataFormatError
        If the file is no such table, an item meets itself, or a cell is empty or says something
        else; the message names row and column.
    InvalidInputError
        If a named column does not exist, or two are the same.

    Warns
    -----
    DataWarning
        If items differ in case or blanks alone.

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
    meant = outcome_is and check_choice(outcome_is, ("side", "winner"), "outcome_is")
    described = names_of(covariates)
    sides = {str(second): -1, str(first): 1}
    always, won = sides.get(str(side)), None if meant == "side" else sides.get(str(outcome))
    named = (first, second, None if won else outcome, weight, cluster, None if always else side)
    columns = [name for name in (*named, *described) if name is not None]
    if len({str(name) for name in columns}) < len(columns):
        allowed = "different columns"
        raise InvalidInputError(f"{', '.join(COMPARISON_COLUMNS)} and covariates", allowed, columns)
    table = source if isinstance(source, Table) else read_table(source, max_bytes=max_bytes)
    for name, parameter in [
        *zip(named, COMPARISON_COLUMNS, strict=True),
        *((x, "covariates") for x in described),
    ]:
        if name is not None or parameter in COMPARISON_COLUMNS[: 2 if won else 3]:
            table.position(name, parameter)
    pair = _sided(table, first, second, items)
    one_side = np.ones(len(pair.first), dtype=np.int8)
    outcomes = (
        one_side * won if won else _outcomes_in(_Cells.of(table, outcome, "outcome"), pair, meant)
    )
    clusters = None if cluster is None else table.coded(cluster, "cluster")
    return Comparisons(
        pair.items,
        pair.first,
        pair.second,
        outcomes,
        weights=None if weight is None else table.weights(weight),
        clusters=None if clusters is None else clusters.codes,
        cluster_labels=None if clusters is None else clusters.labels,
        sides=one_side * always if always else _advantages(table, side),
        covariates={str(name): _covariate(table, name) for name in described},
    )


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
            raise cells.error(code, f"must name the winner or say 'tie'. Got {{}}. {hint}")
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
        coded = table.coded(name, parameter)
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
        hint = reading.hint or nearest(self.labels[code], items)
        raise self.error(code, f"must say {conventions.allowed}. Got {{}}. {hint}")


def _covariate(table: Table, name: Any) -> Floats:
    values = table.numbers(name, "covariates")
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise table.error(row, name, "is missing; it must hold a number")
    return values
