"""Delimited text and frames as tables of cells, with the line of every row for messages."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from io import StringIO
from math import isnan
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankagg._numbers import EXACT_LIMIT, SAFE_DIGITS, SAFE_SIZE, stated
from rankagg._typing import Floats
from rankagg.core.items import counted, listed
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.formulas import unguard
from rankagg.io.kinds import check_plain_table
from rankagg.io.text import Source, read_text

__all__ = ["Column", "TextTable", "names_of", "read_table"]

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
DELIMITERS = "\t,;"
INFINITE = (float("inf"), float("-inf"))


class Column(NamedTuple):
    """A column of numbers; `lost` has the exact number of every row where the float is another."""

    values: Floats
    lost: dict[int, object]


@dataclass(frozen=True)
class TextTable:
    """A header and rows of cells.

    Attributes
    ----------
    name : str
        What to call the table in messages.
    header : list of str or int
        Names of the columns, distinct.
    rows : list of list
        Cells, text or numbers, all rows as long as the header.
    lines : list of int
        The line of each row.
    is_text : bool
        True where the cells come from a file, in which labels may be guarded against being run
        as formulas.
    """

    name: str
    header: list[Any]
    rows: list[list[Any]]
    lines: list[int]
    is_text: bool

    @cached_property
    def _positions(self) -> dict[Any, int]:
        return {name: position for position, name in enumerate(self.header)}

    def column(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column; raises where there is none of that name."""
        try:
            position = self._positions[name]
        except (KeyError, TypeError):
            allowed = f"a column of {self.name} ({listed(self.header)})"
            raise InvalidInputError(parameter, allowed, name, nearest(name, self.header)) from None
        return [row[position] for row in self.rows]

    def labels(self, name: Any, parameter: str) -> list[Any]:
        """Return a column of labels; raises where a cell is empty."""
        cells = [
            cell.strip() if isinstance(cell, str) else cell for cell in self.column(name, parameter)
        ]
        if self.is_text:
            cells = [unguard(cell) for cell in cells]
        for cell, line in zip(cells, self.lines, strict=True):
            if cell is None or (isinstance(cell, str) and not cell):
                raise self._error(line, name, "is empty; it must hold a label")
            if not isinstance(cell, str | Real):
                raise self._error(line, name, f"must hold a label. Got {shown(cell)}")
        return cells

    def numbers(self, name: Any, parameter: str) -> Floats:
        """Return a column of finite numbers; NaN where a cell is empty or says "missing"."""
        return self.measured(name, parameter).values

    def measured(self, name: Any, parameter: str) -> Column:
        """Return a column of finite numbers, and what floats do not hold of it."""
        cells = self.column(name, parameter)
        values: list[float] = []
        lost: dict[int, object] = {}
        for row, cell in enumerate(cells):
            value = _as_number(cell)
            values.append(value)
            if value in INFINITE:
                hint = ". Decimals are written with a point" if "," in shown(cell) else ""
                allowed = "must be a finite number or empty for missing"
                raise self._error(self.lines[row], name, f"{allowed}. Got {shown(cell)}{hint}")
            if _may_be_rounded(cell, value):
                number = stated(cell, value)
                if number is not None and number.is_whole:
                    raise self._error(
                        self.lines[row],
                        name,
                        f"is {shown(number.number)}, which no 64-bit float holds: subtract a "
                        "common number from the column",
                    )
                if number is not None:
                    lost[row] = number.number
        return Column(np.array(values, dtype=np.float64), lost)

    def counts(self, name: Any, parameter: str) -> list[int]:
        """Return a column of positive whole numbers below 2**53."""
        counts = []
        for value, line, cell in zip(
            self.numbers(name, parameter), self.lines, self.column(name, parameter), strict=True
        ):
            if not (value.is_integer() and 0 < value < EXACT_LIMIT):
                allowed = "must be a positive whole number below 2**53"
                raise self._error(line, name, f"{allowed}. Got {shown(cell)}")
            counts.append(int(value))
        return counts

    def _error(self, line: int, column: Any, what: str) -> DataFormatError:
        return DataFormatError(f"{self.name}, row {line}, column {shown(column)} {what}.")


def _as_number(cell: Any) -> float:
    """Return the float that a cell says, NaN for a missing one, infinity for anything else."""
    if isinstance(cell, str):
        try:
            return float("inf") if "_" in cell else float(cell)
        except ValueError:
            return float("nan" if cell.strip().lower() in MISSING else "inf")
    if cell is None:
        return float("nan")
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal):
        return float("inf")
    try:
        return float(cell)
    except (ValueError, OverflowError):
        return float("inf")


def _may_be_rounded(cell: Any, value: float) -> bool:
    if isinstance(cell, str):
        return (len(cell) > SAFE_DIGITS or abs(value) <= SAFE_SIZE) and not isnan(value)
    return not isinstance(cell, float) and not isnan(value)


def names_of(columns: Any) -> list[Any]:
    """Return names of columns as a list, one name alone among them."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return [columns]
    return list(columns)


def read_table(source: Source | pd.DataFrame) -> TextTable:
    """Read a delimited text file (comma, tab or semicolon, whichever the header has) or a frame."""
    if isinstance(source, pd.DataFrame):
        return _from_frame(source)
    name, text = read_text(source)
    check_plain_table(name, text)
    delimiter = max(DELIMITERS, key=lambda candidate: _fit(text, candidate))
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[Any]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise DataFormatError(
            f"{name}, line {reader.line_num}: {error}. The file may be cut off."
        ) from None
    if not rows:
        raise DataFormatError(f"{name} is empty; it must hold a header and at least one row.")
    header = [unguard(cell.strip()) for cell in rows[0]]
    _check_shape(name, header, rows[1:], lines[1:])
    return TextTable(name, header, rows[1:], lines[1:], is_text=True)


def _fit(text: str, delimiter: str) -> tuple[bool, int]:
    """Say whether a delimiter makes a regular table, and how many columns its header has."""
    if delimiter not in text:
        return False, 0
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    widths: list[int] = []
    regular = True
    try:
        widths += (len(row) for row in reader if any(cell.strip() for cell in row))
    except csv.Error:
        regular = False
    width = widths[0] if widths else 0
    return regular and width > 1 and len(set(widths)) == 1, width


def _from_frame(frame: pd.DataFrame) -> TextTable:
    # An integer index without a name is a row number, in whatever order it stands.
    is_number = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index)
    try:
        named = frame if is_number else frame.reset_index()
    except ValueError as error:  # a name that exists already
        raise DataFormatError(
            f"the DataFrame has an index and columns of one name ({error}); names must be distinct."
        ) from None
    try:
        clean = named.astype(object).where(named.notna(), None)
    except InvalidOperation:
        raise DataFormatError(
            "the DataFrame holds a signaling NaN; use None for a missing cell."
        ) from None
    rows = [list(row) for row in clean.itertuples(index=False, name=None)]
    header = [cell.strip() if isinstance(cell, str) else cell for cell in clean.columns]
    table = TextTable("the DataFrame", header, rows, list(range(1, len(rows) + 1)), is_text=False)
    _check_shape(table.name, header, rows, table.lines)
    return table


def _check_shape(
    name: str, header: Sequence[Any], rows: Sequence[Sequence[Any]], lines: Sequence[int]
) -> None:
    seen: set[Any] = set()
    for column in header:
        if column in seen:
            raise DataFormatError(
                f"{name} has two columns {shown(column)}; names must be distinct."
            )
        seen.add(column)
    if not rows:
        raise DataFormatError(f"{name} has a header and no rows; it must hold at least one row.")
    if not header:
        raise DataFormatError(f"{name} has rows and no columns; it must hold at least one column.")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise DataFormatError(
                f"{name}, row {line} has {counted(len(row), 'cell')} where the header has "
                f"{len(header)}; every row must have one cell per column."
            )
