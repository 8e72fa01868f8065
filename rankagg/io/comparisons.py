"""Tables of comparisons: a row for each, with the two items and the outcome."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Label
from rankagg._validation import LARGEST_WEIGHT, SMALLEST_WEIGHT, check_choice
from rankagg.core.comparisons import COLUMNS, Comparisons
from rankagg.core.items import ItemSet, counted, written
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.outcomes import OUTCOMES, SIDES, Reading, is_tie
from rankagg.io.tables.columns import Coded, Table, names_of
from rankagg.io.tables.table import TableSource, read_table

__all__ = ["read_comparisons"]

Signs = NDArray[np.int8]
Codes = NDArray[np.intp]

WHICH = "`outcome_is='side'` or `outcome_is='winner'` says which"


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
        a 0 is a tie.
    outcome_is : {"side", "winner"}, optional
        Whether outcomes are sides or names; needed only where words are both.
    weight : str or int, optional
        The column of weights, positive numbers.
    cluster : str or int, optional
        The column of what comparisons have in common: the judge, the prompt.
    side : str or int, optional
        The column of which side had the advantage: 1 or "first", -1 or "second", 0 or "neutral";
        the first in every comparison by default.
    covariates : iterable of str or int, optional
        Columns of numbers that describe the comparisons.
    items : iterable of str or int, optional
        All items, where some may be in no comparison; by default the sorted labels that occur.

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
    meant = None if outcome_is is None else check_choice(
        outcome_is, ("side", "winner"), "outcome_is"
    )  # fmt: skip
    described = names_of(covariates)
    named = (first, second, outcome, weight, cluster, side)
    _check_different(named, described)
    table = read_table(source)
    for name, parameter in [
        *zip(named, COLUMNS, strict=True),
        *((x, "covariates") for x in described),
    ]:
        if name is not None or parameter in COLUMNS[:3]:
            table.position(name, parameter)
    pair = _pair(table, first, second, items)
    clusters = None if cluster is None else table.coded(cluster, "cluster")
    return Comparisons(
        pair.items,
        pair.first,
        pair.second,
        _outcomes(table, outcome, pair, meant),
        weights=None if weight is None else _weights(table, weight),
        clusters=None if clusters is None else clusters.codes,
        cluster_labels=None if clusters is None else clusters.labels,
        sides=None if side is None else _sides(table, side),
        covariates={str(name): _numbers(table, name, "covariates") for name in described},
    )


class _Pair(NamedTuple):
    """The items, and who is on which side."""

    items: ItemSet
    first: Codes
    second: Codes


def _check_different(named: tuple[Any, ...], described: list[Any]) -> None:
    columns = [name for name in (*named, *described) if name is not None]
    if len({str(name) for name in columns}) < len(columns):
        allowed = "different columns"
        raise InvalidInputError(f"{', '.join(COLUMNS)} and covariates", allowed, columns)


def _pair(table: Table, first: Any, second: Any, items: Iterable[Label] | None) -> _Pair:
    sides = [table.coded(first, "first"), table.coded(second, "second")]
    known = ItemSet.coerce(items, [label for coded in sides for label in coded.labels])
    if items is not None:
        for name, coded in zip((first, second), sides, strict=True):
            for code, label in enumerate(coded.labels):
                if label not in known:
                    given = f"one of the {counted(len(known), 'item')} given"
                    got = f"Got {shown(label)}. {nearest(label, known)}"
                    raise _Cells(table, name, coded).error(code, f"must be {given}. {got}")
    one, other = (
        np.array(known.indices(coded.labels), dtype=np.intp)[coded.codes] for coded in sides
    )
    same = one == other
    if same.any():
        row = int(np.argmax(same))
        number = counted(int(same.sum()), "such row", ",")
        raise DataFormatError(
            f"{table.name}, row {table.line(row)} compares {shown(known[int(one[row])])} with "
            f"itself ({number}); leave such rows out."
        )
    return _Pair(known, one, other)


def _outcomes(table: Table, name: Any, pair: _Pair, meant: str | None) -> Signs:
    cells = _Cells(table, name, table.coded(name, "outcome"))
    reading = OUTCOMES.read(cells.labels)
    known = {written(label): at for at, label in enumerate(pair.items)}
    winners = np.array([known.get(written(label), -1) for label in cells.labels])
    named = any(
        at >= 0 and not is_tie(label) for at, label in zip(winners, cells.labels, strict=True)
    )
    if meant == "winner" or (meant is None and named and reading.wrong is not None):
        return _won_by_name(cells, pair, winners)
    if reading.wrong is not None:
        raise cells.unread(reading, OUTCOMES.allowed, pair.items)
    by_side = np.array(reading.meanings, dtype=np.int8)[cells.codes]
    if meant is None and (winners >= 0).any():
        winner = winners[cells.codes]
        differs = (winner >= 0) & (_by_winner(pair, winner) != by_side)
        if differs.any():
            code = int(cells.codes[np.argmax(differs)])
            raise cells.error(code, f"says {cells.shown(code)}, an item and also a side: {WHICH}")
    return by_side


def _by_winner(pair: _Pair, winner: Codes) -> Signs:
    """Return outcomes, 0 where the winner is none of the two."""
    outcomes: Signs = np.zeros(len(winner), dtype=np.int8)
    outcomes[winner == pair.first] = 1
    outcomes[winner == pair.second] = -1
    return outcomes


def _won_by_name(cells: _Cells, pair: _Pair, winners: Codes) -> Signs:
    for code, (label, at) in enumerate(zip(cells.labels, winners.tolist(), strict=True)):
        if at >= 0 and is_tie(label):
            what = f"says {cells.shown(code)}, an item and also a word for a tie: rename the item"
            raise cells.error(code, what)
        if at < 0 and not is_tie(label):
            hint = nearest(label, [*pair.items, "tie", "draw"])
            got = cells.shown(code)
            raise cells.error(code, f"must name the winner or say 'tie'. Got {got}. {hint}")
    winner = winners[cells.codes]
    outcomes = _by_winner(pair, winner)
    astray = (winner >= 0) & (outcomes == 0)
    if astray.any():
        row = int(np.argmax(astray))
        both = [shown(pair.items[int(side[row])]) for side in (pair.first, pair.second)]
        got = shown(pair.items[int(winner[row])])
        what = f"must be {both[0]}, {both[1]} or a tie. Got {got}"
        raise _error(cells.table, row, cells.name, what)
    return outcomes


@dataclass(frozen=True)
class _Cells:
    """A column of distinct cells and their codes, and what to say of them."""

    table: Table
    name: Any
    coded: Coded

    @property
    def labels(self) -> list[Any]:
        """The distinct cells."""
        return self.coded.labels

    @property
    def codes(self) -> Codes:
        """Which of them each row has."""
        return self.coded.codes

    def shown(self, code: int) -> str:
        """Return a cell as messages show it."""
        return shown(self.labels[code])

    def error(self, code: int, what: str) -> DataFormatError:
        """Return what is raised for a cell; names the first row that has it."""
        return _error(self.table, int(np.argmax(self.codes == code)), self.name, what)

    def unread(self, reading: Reading, allowed: str, items: Iterable[Label]) -> DataFormatError:
        """Return what is raised for a cell that means nothing."""
        code = reading.wrong
        assert code is not None, "something is wrong"
        if reading.why:
            return self.error(code, f"says {self.shown(code)}, {reading.why}: write {allowed}")
        hint = reading.hint or nearest(self.labels[code], items)
        return self.error(code, f"must say {allowed}. Got {self.shown(code)}. {hint}")


def _sides(table: Table, name: Any) -> Signs:
    cells = _Cells(table, name, table.coded(name, "side"))
    reading = SIDES.read(cells.labels)
    if reading.wrong is not None:
        raise cells.unread(reading, SIDES.allowed, ())
    return np.array(reading.meanings, dtype=np.int8)[cells.codes]


def _numbers(table: Table, name: Any, parameter: str) -> Floats:
    values = table.numbers(name, parameter)
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise _error(table, row, name, "is missing; it must hold a number")
    return values


def _weights(table: Table, name: Any) -> Floats:
    values = _numbers(table, name, "weight")
    good = (values >= SMALLEST_WEIGHT) & (values <= LARGEST_WEIGHT)
    if not good.all():
        row = int(np.argmin(good))
        raise _error(
            table, row, name,
            f"must be a weight from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}. "
            f"Got {values[row]:g}; leave comparisons without weight out",
        )  # fmt: skip
    return values


def _error(table: Table, row: int, column: Any, what: str) -> DataFormatError:
    """Return an error that names the place."""
    sentence = what.rstrip()
    end = "" if sentence[-1] in ".?" else "."
    place = f"{table.name}, row {table.line(row)}, column {shown(column)}"
    return DataFormatError(f"{place} {sentence}{end}")
