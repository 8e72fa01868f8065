"""The table of a cast vote record as one row per ballot and one column per choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Bools, Floats, Integers64, Label, Positions
from rankagg.core import ItemSet, listed
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.choice_columns import found_choices
from rankagg.io.marks import BLANK, OVERVOTE, Marks, Reading, marks_of
from rankagg.io.tables.columns import Coded, names_of
from rankagg.io.tables.look import TableLook
from rankagg.io.tables.sources import PER_CELL, check_filled

if TYPE_CHECKING:
    from rankagg.io.tables.table import Table

# Ballots offer a few choices; a larger rank is a slip, or no rank.
LARGEST_RANK = 1000


@dataclass(frozen=True, eq=False)
class Grid:
    """Ballots times choices."""

    # What to call the table in messages.
    name: str
    # Shape (n_ballots, n_choices). The label that is marked, or `BLANK` or `OVERVOTE`.
    codes: Positions
    labels: list[Label]
    # Shape (n_labels,). Which of them are write-ins.
    is_write_in: Bools
    # Shape (n_ballots,). How often each ballot occurs.
    counts: Integers64
    # Of each ballot; None where there are none.
    weights: Floats | None
    groups: list[Label] | None
    # Spellings that are no names, and in how many choices they occur.
    spelled: tuple[tuple[str, int], ...]
    # Returns where a label first occurs, for messages.
    place: Callable[[int], str]
    # Columns that were read as choices, and that were not read.
    choices: list[Label]
    left_out: list[Label]

    def apart(self) -> list[Positions]:
        """Return numbers of weights and groups: ballots that differ there are never merged."""
        parts = []
        if self.weights is not None:
            parts.append(np.unique(self.weights, return_inverse=True)[1].ravel())
        if self.groups is not None:
            parts.append(Coded.of(self.groups).codes)
        return parts

    def refuse(self, code: int, items: ItemSet) -> NoReturn:
        """Raise because a label is none of the stated items."""
        label = self.labels[code]
        raise DataFormatError(
            f"{self.place(code)} names {shown(label)}, which is none of the stated "
            f"items ({listed(items.labels)}). {nearest(label, items)}".rstrip()
        )


class _Ballots(NamedTuple):
    """Columns that say something of a ballot as a whole, a value for each row of the table."""

    counts: Integers64
    weights: Floats | None
    groups: list[Label] | None


LONG_COLUMNS = ("ballot", "rank", "item")


def read_grid(
    table: Table,
    reading: Reading,
    named: Mapping[str, Label | None],
    choices: Iterable[Label] | None,
    drop: Iterable[Label],
) -> Grid:
    """Return the ballots in a table; `read_cast_votes` says what the columns are that are named."""
    gone, wanted = names_of(drop), None if choices is None else names_of(choices)
    for parameter, columns in (("drop", gone), ("choices", wanted or [])):
        for name in columns:
            table.position(name, parameter)
    long = {word: named[word] for word in LONG_COLUMNS if named[word] is not None}
    if long and len(long) < len(LONG_COLUMNS):
        lacking = next(word for word in LONG_COLUMNS if word not in long)
        allowed = "given together (long form) or not at all"
        remedy = f"`{lacking}` is missing."
        raise InvalidInputError("ballot, rank and item", allowed, None, remedy)
    if long and wanted is not None:
        raise InvalidInputError("choices", "left out in the long form", wanted)
    special = [*gone, *(name for name in named.values() if name is not None)]
    if len({*special, *(wanted or [])}) < len(special) + len(wanted or []):
        raise InvalidInputError("columns", "named once each", [*(wanted or []), *special])
    count, weight, group = (named[word] for word in ("count", "weight", "group"))
    of_rows = _Ballots(
        np.ones(table.n_rows, dtype=np.int64) if count is None else table.counts(count, "count"),
        None if weight is None else table.weights(weight),
        None if group is None else table.labels(group, "group"),
    )
    if long:
        return _of_marks(table, reading, of_rows, **long)
    if wanted is None:
        has_counts = (count, weight) != (None, None)
        wanted = found_choices(TableLook(table, special), reading.spellings, has_counts=has_counts)
    if not wanted:
        raise DataFormatError(f"{table.name} has no columns of choices.")
    return _of_choices(table, reading, of_rows, wanted)


def _of_choices(table: Table, reading: Reading, ballots: _Ballots, choices: list[Any]) -> Grid:
    columns = [table.coded(name, "choices", gaps=True) for name in choices]
    together: dict[Any, int] = {}
    parts = []
    for column in columns:
        new = [together.setdefault(label, len(together)) for label in column.labels]
        parts.append(np.array([*new, BLANK], dtype=np.intp)[column.codes])
    marks = marks_of(Coded(np.concatenate(parts), list(together)), reading)
    codes = marks.codes.reshape(len(choices), -1).T

    def place(code: int) -> str:
        return table.place(int(np.argmax((codes == code).any(axis=1))))

    counts = np.tile(ballots.counts, len(choices))
    first = np.arange(len(codes))
    grid = _made_grid(table, codes, marks, ballots, first=first, counts=counts, place=place)
    return replace(grid, choices=choices, left_out=[x for x in table.header if x not in choices])


def _made_grid(
    table: Table,
    codes: Positions,
    marks: Marks,
    ballots: _Ballots,
    *,
    first: Positions,
    counts: Integers64,
    place: Callable[[int], str],
) -> Grid:
    """Return the grid; `first` is a row of the table for each ballot, `counts` is of the marks."""
    if float(ballots.counts[first].astype(float).sum()) >= EXACT_LIMIT:
        raise DataFormatError(
            f"{table.name} states counts of ballots that add up to 2**53 or more; divide them."
        )
    spelled = [(text, int(counts @ where)) for text, where in marks.special.items()]
    return Grid(
        table.name,
        codes,
        marks.items,
        marks.is_write_in,
        ballots.counts[first],
        None if ballots.weights is None else ballots.weights[first],
        None if ballots.groups is None else [ballots.groups[row] for row in first.tolist()],
        tuple(sorted((one for one in spelled if one[1]), key=lambda one: (-one[1], one[0]))),
        place,
        [],
        [],
    )


def _of_marks(
    table: Table, reading: Reading, ballots: _Ballots, *, ballot: Any, rank: Any, item: Any
) -> Grid:
    voters = table.coded(ballot, "ballot")
    ranks = table.counts(rank, "rank")
    if ranks.max() > LARGEST_RANK:
        row = int(np.argmax(ranks))
        what = f"is {ranks[row]}; ranks are counted from 1 and go up to {LARGEST_RANK}"
        raise table.error(row, rank, what)
    marks = marks_of(table.coded(item, "item", gaps=True), reading)
    _, first = np.unique(voters.codes, return_index=True)
    _check_alike(table, voters, first, ballots)
    m, k = len(voters.labels), int(ranks.max())
    marked = np.flatnonzero(marks.codes != BLANK)
    sizes = (m, "ballots"), (k, "ranks")
    check_filled(table.name, *sizes, len(marked), max_bytes=table.max_bytes, per_cell=4 * PER_CELL)
    cells = voters.codes[marked] * k + ranks[marked] - 1
    at = marks.codes[marked]
    order = np.lexsort((at, cells))
    same = np.diff(cells[order]) == 0
    doubled = same & (np.diff(at[order]) == 0) & (at[order][1:] >= 0)
    if doubled.any():
        row = int(marked[order[1:][doubled]].min())
        raise DataFormatError(
            f"{table.place(row)} marks {shown(marks.items[marks.codes[row]])} on "
            f"ballot {shown(voters.labels[voters.codes[row]])} at rank {ranks[row]} for the second "
            "time; each mark may occur once."
        )
    codes = np.full(m * k, BLANK, dtype=np.intp)
    codes[cells] = at
    codes[cells[order][1:][same]] = OVERVOTE
    codes[cells[at == OVERVOTE]] = OVERVOTE

    def place(code: int) -> str:
        return table.place(int(np.argmax(marks.codes == code)))

    grid = codes.reshape(m, k)
    return _made_grid(table, grid, marks, ballots, first=first, counts=ballots.counts, place=place)


def _check_alike(table: Table, voters: Coded, first: Positions, ballots: _Ballots) -> None:
    """Raise where the rows of one ballot state different counts, weights or groups."""
    columns = {"count": ballots.counts, "weight": ballots.weights}
    if ballots.groups is not None:
        columns["group"] = Coded.of(ballots.groups).codes
    for what, values in columns.items():
        if values is None:
            continue
        differs = values != values[first][voters.codes]
        if differs.any():
            row = int(np.argmax(differs))
            one = table.place(int(first[voters.codes[row]]))
            raise DataFormatError(
                f"{table.place(row)} states another {what} for ballot "
                f"{shown(voters.labels[voters.codes[row]])} than its first row ({one}); all rows "
                "of a ballot state the same."
            )
