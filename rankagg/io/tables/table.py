"""Tables: columns of labels and numbers, and errors with the row and column of a cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import InvalidOperation
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from rankagg._typing import Bools, Floats, Integers64, Positions
from rankagg._validation import EXACT_LIMIT, LARGEST_WEIGHT, SMALLEST_WEIGHT, arrow_table
from rankagg.core import listed, listing
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.output_files import unguard
from rankagg.io.tables.columns import USUAL, Coded, Numbers, NumberStyle
from rankagg.io.tables.sources import MAX_BYTES, check_memory

FRAME_NAME = "the DataFrame"
# Remedies for cells that are no numbers, by parameter.
REMEDIES = {
    "outcome": "`drop_outcome` leaves out rows without a number.",
    "item": "`decimal` and `missing` say how numbers are written; `drop` leaves the column out.",
    "score": "`decimal`, `percent`, `errors` and `missing` say how numbers are written.",
}
REMEDIES["task"] = f"{REMEDIES['score'][:-1]}; `drop` leaves the column out."
REMEDIES["system"] = f"Without `score` each column but `task` is a system. {REMEDIES['task']}"
# Measured: bytes of memory for a distinct label, for its code in a row, and for a number.
PER_LABEL, PER_CODE, PER_NUMBER = 512, 64, 96
# Older versions of Arrow have no function for this type.
VIEW = "string_view"
# A number with signs of thousands.
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[.,'\u2019\s][0-9]{3})+")
# Styles of numbers with all options.
OTHER_STYLES = [NumberStyle(sign, percent=True, errors="drop") for sign in (".", ",")]
INFINITE_WORD = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False, repr=False)
class Unreadable:
    """A filled cell without a value that can be read, such as an error of a spreadsheet."""

    what: str
    remedy: str

    def __repr__(self) -> str:
        return self.what


@dataclass(frozen=True, eq=False)
class Table:
    """A header and columns of one length: chunked arrays of Arrow, or lists of any cells."""

    # Its name in messages.
    name: str
    # Distinct names of the columns.
    header: list[Any]
    columns: list[Any]
    # Whether cells are from a text file, where an apostrophe may guard a label against formulas.
    is_text: bool = False
    # Returns the line of each row, unless that is its number from 1.
    lines: Callable[[], Sequence[int]] | None = None
    # How numbers are written in text.
    style: NumberStyle = USUAL
    # Estimated bytes of memory for reading the columns, and the limit.
    taken: int = 0
    max_bytes: int = MAX_BYTES

    def __post_init__(self) -> None:
        header = [name.strip() if isinstance(name, str) else name for name in self.header]
        object.__setattr__(self, "header", header)
        if header.count("") > 1:
            raise DataFormatError(
                f"{self.name} has {header.count('')} columns without a heading; a table has one "
                "line of headings, one for each column: remove the lines above it, or write "
                "headings in one line, as in 'ballot,1st choice,2nd choice'."
            )
        for at, name in enumerate(self.header):
            if self._positions[name] != at:
                raise DataFormatError(
                    f"{self.name} has two columns {shown(name)}; names must be distinct."
                )
        if not self.header:
            raise DataFormatError(f"{self.name} has no columns; it must hold at least one column.")
        if not self.n_rows:
            raise DataFormatError(
                f"{self.name} has a header and no rows; it must hold at least one row."
            )

    @classmethod
    def of_frame(cls, frame: Any) -> Table:
        """Return a frame as a table; an index of pandas comes first unless it is a row number."""
        if not isinstance(frame, pd.DataFrame):
            return cls.of_arrow(FRAME_NAME, arrow_table(frame))
        # An integer index without a name is a row number, in any order.
        is_number = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index)
        try:
            named = frame if is_number else frame.reset_index()
        except ValueError as error:  # a name that exists already
            raise DataFormatError(
                f"the DataFrame has an index and columns of one name ({error}); names must be "
                "distinct."
            ) from None
        try:
            columns = [_pandas_column(named.iloc[:, at]) for at in range(named.shape[1])]
        except InvalidOperation:
            raise DataFormatError(
                "the DataFrame holds a signaling NaN; use None for a missing cell."
            ) from None
        return cls(FRAME_NAME, list(named.columns), columns)

    @classmethod
    def of_arrow(cls, name: str, table: Any, taken: int = 0) -> Table:
        """Convert a table of Arrow."""
        columns = [_with_large_text(column) for column in table.columns]
        return cls(name, table.column_names, columns, taken=taken)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @cached_property
    def _positions(self) -> dict[Any, int]:
        positions: dict[Any, int] = {}
        for at, name in enumerate(self.header):
            positions.setdefault(name, at)
        return positions

    def position(self, name: Any, parameter: str) -> int:
        """Return the position of a column; raise if no column has this name."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            allowed = f"a column of {self.name} ({listed(self.header)})"
            raise InvalidInputError(parameter, allowed, name, nearest(name, self.header)) from None

    def check_columns(self, **columns: Any) -> None:
        """Raise if a parameter names no column, or the same one as another; None is not given."""
        lists = {x: y if isinstance(y, list) else [y] for x, y in columns.items() if y is not None}
        for parameter, names in lists.items():
            for name in names:
                self.position(name, parameter)
        given = [name for names in lists.values() for name in names]
        if len(set(given)) < len(given):
            parameters = [parameter for parameter, names in lists.items() if names]
            raise InvalidInputError(listing(parameters), "different columns", given)

    def take(self, rows: Positions) -> Table:
        """Return some rows as a table; they keep their lines."""
        columns = [
            [x[row] for row in rows.tolist()] if isinstance(x, list) else x.take(pa.array(rows))
            for x in self.columns
        ]

        def lines() -> list[int]:
            places = range(1, self.n_rows + 1) if self.lines is None else self.lines()
            return [places[row] for row in rows.tolist()]

        return replace(self, columns=columns, lines=lines)

    def _check_labels(self, distinct: int) -> None:
        needed = self.taken + PER_LABEL * distinct + PER_CODE * self.n_rows
        check_memory(self.name, needed, self.max_bytes)

    # -- places -------------------------------------------------------------------------------

    def place(self, row: int) -> str:
        """Return the name of the table, and the line of a row in it."""
        return f"{self.name}, row {row + 1 if self.lines is None else self.lines()[row]}"

    def error(self, row: int, column: Any, what: str, remedy: str = "") -> DataFormatError:
        """Return the error for a cell."""
        sentence = what.rstrip()
        end = "" if sentence[-1] in ".?" else "."
        return DataFormatError(f"{self.place(row)}, column {shown(column)} {sentence}{end}", remedy)

    def cells(self, name: Any, parameter: str) -> list[Any]:
        """Return the unchanged cells of a column."""
        column = self.columns[self.position(name, parameter)]
        return column if isinstance(column, list) else column.to_pylist()

    def check_cells(self, wrong: Bools, name: Any, what: str, remedy: str = "") -> None:
        """Raise for the first wrong cell of a column, which replaces {} in a message."""
        if wrong.any():
            row = int(np.argmax(wrong))
            got = shown(self.cells(name, "source")[row])
            raise self.error(row, name, what.replace("{}", got), remedy.replace("{}", got))

    # -- labels -------------------------------------------------------------------------------

    def coded(self, name: Any, parameter: str, *, gaps: bool = False) -> Coded:
        """Return a column of labels; an empty cell has the code -1 (`gaps`), or is refused."""
        column = self.columns[self.position(name, parameter)]
        coded = Coded.of_arrow(column, self._check_labels)
        if coded is None:
            cells = self.cells(name, parameter)
            for row, cell in enumerate(cells):
                if cell is not None and not isinstance(cell, str | Real):
                    remedy = cell.remedy if isinstance(cell, Unreadable) else ""
                    raise self.error(row, name, f"must hold a label. Got {shown(cell)}", remedy)
            coded = Coded.of(cells)
        coded = coded.merged(self._label(cell, gaps=gaps) for cell in coded.labels).with_gaps()
        if not gaps:
            remedy = "Fill it in, for example with 'none', or leave out the row."
            self.check_cells(coded.codes < 0, name, "is empty; it must hold a label", remedy)
        return coded

    def _label(self, cell: Any, *, gaps: bool) -> Any:
        """Return a cell as a label, "" if it is empty."""
        if isinstance(cell, str):
            return unguard(cell.strip()) if self.is_text else cell.strip()
        if cell is None or cell != cell:  # noqa: PLR0124 - NaN
            return ""
        # Frames with empty cells hold whole numbers as floats.
        return int(cell) if gaps and isinstance(cell, float) and cell.is_integer() else cell

    def labels(self, name: Any, parameter: str) -> list[Any]:
        """Return the label of each row; raise if a cell is empty."""
        codes, labels = self.coded(name, parameter)
        return [labels[code] for code in codes.tolist()]

    # -- numbers ------------------------------------------------------------------------------

    def stacked(self, names: Sequence[Any], parameter: str) -> Numbers:
        """Return columns of finite numbers, one column after another; NaN is missing."""
        needed = self.taken + PER_NUMBER * len(names) * self.n_rows
        check_memory(self.name, needed, self.max_bytes)
        values = np.empty((len(names), self.n_rows))
        odd: Counter[tuple[str, str]] = Counter()
        for target, name in zip(values, names, strict=True):
            cells = self.columns[self.position(name, parameter)]
            column = self.style.numbers_in(cells)
            if np.isinf(column.values).any():
                row = int(np.argmax(np.isinf(column.values)))
                cell = cells[row] if isinstance(cells, list) else cells[row].as_py()
                raise self._number_error(row, name, cell, parameter)
            with_sign, without = (column.odd.get((x, ""), 0) for x in ("percent", "bare"))
            if parameter != "score" and with_sign and without:
                raise DataFormatError(
                    f"{self.name}, column {shown(name)} has numbers with a percent sign "
                    f"({with_sign}) and without ({without}); all or none must have one."
                )
            odd.update(column.odd)
            self._check_thousands(name, cells, column.values)
            target[:] = column.values
        return Numbers(values.ravel(), odd)

    def _number_error(self, row: int, name: Any, cell: Any, parameter: str) -> DataFormatError:
        if (number := self.style.inexact_integer(cell)) is not None:
            what = f"is {shown(number)}, which no 64-bit float holds"
            return self.error(row, name, f"{what}: subtract a common number from the column")
        what = f"must be a finite number or empty for missing. Got {shown(cell)}"
        if not isinstance(cell, str) or INFINITE_WORD.fullmatch(cell.strip()):
            return self.error(row, name, what, getattr(cell, "remedy", ""))
        if self.style.decimal == "," and "." in cell:
            remedy = "With decimal commas no number has a point; remove the signs of thousands."
        elif THOUSANDS.fullmatch(cell.strip()):
            remedy = "Remove the signs of thousands."
        elif cell[:1].isdigit() and not any(style.reads(cell) for style in OTHER_STYLES):
            remedy = "Write a plain number, or leave the cell empty."
        else:
            remedy = REMEDIES.get(parameter, "")
        return self.error(row, name, what, remedy)

    def _check_thousands(self, name: Any, cells: Any, values: Floats) -> None:
        """Raise if decimal signs seem to separate thousands, as in 1.200 beside 900."""
        parts = np.abs(values - np.rint(values)) > 0
        large = ~parts & (np.abs(values) > 100)
        if not large.any() or not parts.any() or np.abs(values[parts]).min() < 1:
            return
        cells = cells if isinstance(cells, list) else cells.to_pylist()
        plain = [x.strip() if isinstance(x, str) else "" for x in cells]
        rows, numbers = np.flatnonzero(parts).tolist(), np.flatnonzero(large).tolist()
        whole = [row for row in numbers if plain[row].lstrip("+-").isdigit()]
        if whole and all(THOUSANDS.fullmatch(plain[row]) for row in rows):
            what = f"has {shown(plain[rows[0]])} beside {plain[whole[0]]}"
            remedy = "Remove the signs of thousands, or write all numbers with decimals."
            raise self.error(rows[0], name, f"{what}: its sign may separate thousands", remedy)

    def numbers(self, name: Any, parameter: str) -> Floats:
        """Return a column of finite numbers; NaN is missing."""
        return self.stacked([name], parameter).values

    def weights(self, name: Any) -> Floats:
        """Return a column of weights, none of them missing."""
        values = self.numbers(name, "weight")
        good = (values >= SMALLEST_WEIGHT) & (values <= LARGEST_WEIGHT)
        allowed = f"must be a weight from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}"
        self.check_cells(~good, name, f"{allowed}. Got {{}}; leave out rows without a weight")
        return values

    def counts(self, name: Any, parameter: str) -> Integers64:
        """Return a column of positive whole numbers below 2**53."""
        values = self.numbers(name, parameter)
        good = (values > 0) & (values < EXACT_LIMIT) & (np.floor(values) == values)
        what = "must be a positive whole number below 2**53. Got {}"
        self.check_cells(~good, name, what, "`weight` takes a column of other numbers.")
        return values.astype(np.int64)


def _pandas_column(series: pd.Series[Any]) -> Any:
    """Return a column of Arrow, or a list of cells if Arrow lacks the type."""
    kind = series.dtype
    try:
        if isinstance(kind, np.dtype) and kind.kind in "iubf" and kind.itemsize <= 8:
            column = pa.array(series.to_numpy())
        elif kind.kind != "O" or not isinstance(kind, np.dtype):
            column = pa.array(series, from_pandas=True)
        elif pd.api.types.infer_dtype(series, skipna=True) == "string":
            column = pa.array(series, from_pandas=True, type=pa.large_string())
        else:
            column = None
    except (pa.ArrowException, TypeError, ValueError):
        column = None
    if column is None:
        return series.astype(object).where(series.notna(), None).tolist()
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    return _with_large_text(chunked)


def _with_large_text(column: Any) -> Any:
    """Return a column with string views cast to a type that all of Arrow supports."""
    kind = column.type
    if pa.types.is_dictionary(kind) and str(kind.value_type) == VIEW:
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.large_string()))
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, pa.dictionary(kind.index_type, pa.large_string()))
    return column.cast(pa.large_string()) if str(kind) == VIEW else column
