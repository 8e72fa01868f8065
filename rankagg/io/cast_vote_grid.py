"""The table of a cast vote record as one row per ballot and one column per choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

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

LONG_COLUMNS = ("ballot", "rank", "item")
# Bytes that a mark takes in the grid and on the way there.
PER_MARK = 4 * PER_CELL


class Grid(NamedTuple):
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
    # Columns that were read as choices, and that were not read; empty for the long form.
    choices: Sequence[Label] = ()
    left_out: Sequence[Label] = ()

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
            f"{self.name} names {shown(label)}, which is none of the stated "
            f"items ({listed(items.labels)}). {nearest(label, items)}".rstrip()
        )


class _Ballots(NamedTuple):
    """Columns that say something of a ballot as a whole, a value for each row of the table."""

    counts: Integers64
    weights: Floats | None
    groups: list[Label] | None


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
    counts = np.tile(ballots.counts, len(choices))
    grid = _made_grid(table, codes, marks, ballots, counts)
    return grid._replace(choices=choices, left_out=[x for x in table.header if x not in choices])


def _made_grid(
    table: Table, codes: Positions, marks: Marks, ballots: _Ballots, counts: Integers64
) -> Grid:
    """Return the grid; `counts` is of the marks."""
    if float(ballots.counts.astype(float).sum()) >= EXACT_LIMIT:
        raise DataFormatError(
            f"{table.name} states counts of ballots that add up to 2**53 or more; divide them."
        )
    spelled = [(text, int(counts @ where)) for text, where in marks.special.items()]
    spelled = sorted((one for one in spelled if one[1]), key=lambda one: (-one[1], one[0]))
    return Grid(table.name, codes, marks.items, marks.is_write_in, *ballots, tuple(spelled))


def _of_marks(
    table: Table, reading: Reading, rows: _Ballots, *, ballot: Any, rank: Any, item: Any
) -> Grid:
    voters, ranks = table.coded(ballot, "ballot"), table.counts(rank, "rank")
    marks = marks_of(table.coded(item, "item", gaps=True), reading)
    _, first = np.unique(voters.codes, return_index=True)
    ballots = _Ballots(
        rows.counts[first],
        None if rows.weights is None else rows.weights[first],
        None if rows.groups is None else [rows.groups[row] for row in first.tolist()],
    )
    groups = None if rows.groups is None else Coded.of(rows.groups).codes
    for what, values in (("count", rows.counts), ("weight", rows.weights), ("group", groups)):
        if values is not None and (differs := values != values[first][voters.codes]).any():
            row = int(np.argmax(differs))
            label = shown(voters.labels[voters.codes[row]])
            raise DataFormatError(
                f"{table.place(row)} states another {what} for ballot {label} than its first row."
            )
    m, k = len(voters.labels), int(ranks.max())
    marked = np.flatnonzero(marks.codes != BLANK)
    sizes = (m, "ballots"), (k, "ranks")
    check_filled(table.name, *sizes, len(marked), max_bytes=table.max_bytes, per_cell=PER_MARK)
    keys = {"ballot": voters.codes, "rank": ranks, "mark": marks.codes}
    met = pd.DataFrame(keys).iloc[marked]
    if (doubled := met.duplicated() & (met["mark"] >= 0)).any():
        row = int(marked[doubled.argmax()])
        raise DataFormatError(
            f"{table.place(row)} marks {shown(marks.items[marks.codes[row]])} on "
            f"ballot {shown(voters.labels[voters.codes[row]])} at rank {ranks[row]} for the second "
            "time; each mark may occur once."
        )
    # Two marks at one rank are an overvote.
    met.loc[met.duplicated(["ballot", "rank"], keep=False), "mark"] = OVERVOTE
    codes = np.full((m, k), BLANK, dtype=np.intp)
    codes[met["ballot"], met["rank"] - 1] = met["mark"]
    return _made_grid(table, codes, marks, ballots, rows.counts)
