"""A table as rows of cells, read one by one: slow, and able to say what is wrong where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from math import isfinite, isnan
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from rankagg._numbers import SAFE_DIGITS, SAFE_SIZE, Stated, ascii_number, stated
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.tables.columns import Coded, Column, Table, check_percent, check_rows
from rankagg.io.tables.formulas import unguard
from rankagg.io.tables.number_style import USUAL, NumberStyle

__all__ = ["MISSING", "CellTable", "Unreadable", "as_label", "as_number", "beyond_float"]

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
INFINITE = (float("inf"), float("-inf"))

INFINITE_WORD = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)

#: What else reads a number, and what it reads.
READ = {
    "decimal": "decimals with a comma",
    "percent": "86.1% as 0.861",
    "errors": "1.2 ± 0.3 and 1.2 (0.3) as 1.2",
}


@dataclass(frozen=True, eq=False, repr=False)
class Unreadable:
    """A cell that is not empty and says nothing: it is refused where it is read."""

    what: str
    remedy: str

    def __repr__(self) -> str:
        return self.what


@dataclass(frozen=True, eq=False)
class CellTable(Table):
    """A header and rows of cells."""

    # What to call the table in messages.
    name: str
    # Names of the columns, distinct.
    header: list[Any]
    # Cells, text or numbers, all rows as long as the header.
    rows: list[list[Any]]
    lines: list[int]
    # True where the cells come from a text file, in which labels may be guarded against being run
    # as formulas.
    is_text: bool
    # How numbers are written in text.
    style: NumberStyle = USUAL

    def __post_init__(self) -> None:
        check_rows(self.name, self.header, self.rows, self.lines)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def line(self, row: int) -> int:
        """Return the line of a row, for messages."""
        return self.lines[row]

    def column(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column; raises where there is none of that name."""
        position = self.position(name, parameter)
        return [row[position] for row in self.rows]

    def coded(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; raises where a cell is empty."""
        return Coded.of(self.labels(name, parameter))

    def coded_or_empty(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; the code is -1 where a cell is empty."""
        cells = [_label_or_empty(cell, self.is_text) for cell in self.column(name, parameter)]
        self._check_labels(name, cells)
        return Coded.of(cells).with_gaps()

    def labels(self, name: Any, parameter: str) -> list[Any]:
        """Return a column of labels, row by row; raises where a cell is empty."""
        cells = [as_label(cell, self.is_text) for cell in self.column(name, parameter)]
        for cell, line in zip(cells, self.lines, strict=True):
            if cell is None or (isinstance(cell, str) and not cell):
                raise self._error(line, name, "is empty; it must hold a label")
        self._check_labels(name, cells)
        return cells

    def _check_labels(self, name: Any, cells: list[Any]) -> None:
        for cell, line in zip(cells, self.lines, strict=True):
            if not isinstance(cell, str | Real):
                error = self._error(line, name, f"must hold a label. Got {shown(cell)}")
                remedy = cell.remedy if isinstance(cell, Unreadable) else ""
                raise DataFormatError(str(error), remedy)

    def stacked(self, names: Sequence[Any], parameter: str) -> Column:
        """Return columns of finite numbers, one column after another; NaN is missing."""
        columns = [self._measured(name, parameter) for name in names]
        lost = {
            position * self.n_rows + row: number
            for position, column in enumerate(columns)
            for row, number in column.lost.items()
        }
        said: Counter[tuple[str, str]] = Counter()
        for column in columns:
            said.update(column.said)
        return Column(np.concatenate([column.values for column in columns]), lost, said)

    def _measured(self, name: Any, parameter: str) -> Column:
        cells = self.column(name, parameter)
        values: list[float] = []
        lost: dict[int, object] = {}
        said: Counter[tuple[str, str]] = Counter()
        for row, cell in enumerate(cells):
            plain: Any = cell
            if isinstance(cell, str) and self.style != USUAL:
                plain, kinds = self.style.restated(cell)
                said.update(kinds)
            value = as_number(plain)
            values.append(value)
            if value in INFINITE:
                self._refuse(self.lines[row], name, cell, parameter)
            number = beyond_float(plain, value)
            if number is not None and number.is_whole:
                raise self._error(
                    self.lines[row],
                    name,
                    f"is {shown(number.number)}, which no 64-bit float holds: subtract a "
                    "common number from the column",
                )
            if number is not None:
                lost[row] = number.number
        floats = np.array(values, dtype=np.float64)
        if self.style != USUAL:
            said["bare", ""] = int(np.count_nonzero(~np.isnan(floats))) - said["percent", ""]
        check_percent(self, name, parameter, said)
        return Column(floats, lost, said)

    def _refuse(self, line: int, name: Any, cell: Any, parameter: str) -> NoReturn:
        error = self._error(
            line, name, f"must be a finite number or empty for missing. Got {shown(cell)}"
        )
        raise DataFormatError(str(error), self._remedy(cell, parameter))

    def _remedy(self, cell: Any, parameter: str) -> str:
        """Return what reads a cell that is no number as it stands."""
        if isinstance(cell, Unreadable):
            return cell.remedy
        if not isinstance(cell, str) or parameter not in ("item", "score", "task"):
            return "Decimals are written with a point." if "," in shown(cell) else ""
        if INFINITE_WORD.fullmatch(cell.strip()):
            return ""
        if self.style.decimal == "," and "." in cell:
            return "With decimal commas no number has a point; take signs of thousands away."
        ways: dict[str, Any] = {"decimal": ","}
        if parameter != "item":
            ways |= {"percent": True, "errors": "drop"}
        for size in range(1, len(ways) + 1):
            for chosen in combinations(ways, size):
                style = replace(self.style, **{way: ways[way] for way in chosen})
                if isfinite(as_number(style.restated(cell).text)):
                    told = " and ".join(f"`{way}={ways[way]!r}`" for way in chosen)
                    return f"{told} {f'reads {READ[chosen[0]]}' if size == 1 else 'read it'}."
        words = "`missing` names further words for missing."
        return words if parameter == "score" else f"`drop` leaves the column out, and {words}"


def as_label(cell: Any, is_text: bool) -> Any:
    """Return what a cell says as a label, without blanks and what guards it in a text file."""
    if not isinstance(cell, str):
        return cell
    return unguard(cell.strip()) if is_text else cell.strip()


def _label_or_empty(cell: Any, is_text: bool) -> Any:
    """Return what a cell says as a label, "" for nothing; whole floats are whole numbers."""
    label = as_label(cell, is_text)
    if label is None or (isinstance(label, float) and isnan(label)):
        return ""
    # Where a cell is empty, frames hold whole numbers as floats.
    return int(label) if isinstance(label, float) and label.is_integer() else label


def as_number(cell: Any) -> float:
    """Return the float that a cell says, NaN for a missing one, infinity for anything else."""
    if isinstance(cell, str):
        try:
            return float(ascii_number(cell))
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


def beyond_float(cell: Any, value: float) -> Stated | None:
    """Return the number in a cell where it is not `value`, the finite float made of it."""
    return stated(cell, value) if _may_be_rounded(cell, value) else None


def _may_be_rounded(cell: Any, value: float) -> bool:
    if isinstance(cell, str):
        return (len(cell) > SAFE_DIGITS or abs(value) <= SAFE_SIZE) and not isnan(value)
    return not isinstance(cell, float) and not isnan(value)
