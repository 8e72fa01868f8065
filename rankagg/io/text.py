"""Text files as tables of cells, with the line of every row, so that errors can name the place."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from rankagg._typing import Floats
from rankagg.exceptions import DataFormatError, InvalidInputError

__all__ = ["Source", "TextTable", "read_table", "read_text"]

Source = str | PathLike[str] | IO[str]

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
DELIMITERS = "\t,;"


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
    """

    name: str
    header: list[Any]
    rows: list[list[Any]]
    lines: list[int]

    def column(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column; raises where there is none of that name."""
        if name not in self.header:
            known = ", ".join(str(column) for column in self.header)
            raise InvalidInputError(parameter, f"a column of {self.name} ({known})", name)
        position = self.header.index(name)
        return [row[position] for row in self.rows]

    def labels(self, name: Any, parameter: str) -> list[Any]:
        """Return a column of labels; raises where a cell is empty."""
        cells = [
            cell.strip() if isinstance(cell, str) else cell for cell in self.column(name, parameter)
        ]
        for cell, line in zip(cells, self.lines, strict=True):
            if cell is None or cell == "" or pd.isna(cell):
                raise DataFormatError(
                    f"{self.name}, row {line}, column {name!r} is empty; it must hold a label."
                )
        return cells

    def numbers(self, name: Any, parameter: str) -> Floats:
        """Return a column of finite numbers; NaN where a cell is empty or says "missing"."""
        cells = self.column(name, parameter)
        return np.array(
            [self._number(cell, name, line) for cell, line in zip(cells, self.lines, strict=True)],
            dtype=np.float64,
        )

    def _number(self, cell: Any, column: Any, line: int) -> float:
        if cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING):
            return float("nan")
        try:
            value = float("inf") if "_" in str(cell) else float(cell)
        except (TypeError, ValueError, OverflowError):
            value = float("inf")
        if not isinstance(cell, bool | np.bool_) and value not in (float("inf"), float("-inf")):
            return value
        hint = " Decimals are written with a point." if "," in str(cell) else ""
        raise DataFormatError(
            f"{self.name}, row {line}, column {column!r} must be a finite number or empty for "
            f"missing. Got {cell!r}.{hint}"
        )


def read_text(source: Source) -> tuple[str, str]:
    """Return a name for messages and the whole text of a UTF-8 file or open text stream."""
    if not isinstance(source, str | PathLike):
        text = source.read() if hasattr(source, "read") else None
        if not isinstance(text, str):
            raise InvalidInputError("source", "a path or a stream of text", source)
        return str(getattr(source, "name", "the stream")), text.removeprefix("\ufeff")
    path = Path(source)
    try:
        return path.name, path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInputError("source", "a readable file", str(path), f"{reason}.") from None
    except UnicodeDecodeError as error:
        raise DataFormatError(
            f"{path.name} is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}. "
            "Save it as UTF-8."
        ) from None


def read_table(source: Source | pd.DataFrame) -> TextTable:
    """Read a delimited text file (comma, tab or semicolon, whichever the header has) or a frame."""
    if isinstance(source, pd.DataFrame):
        return _from_frame(source)
    name, text = read_text(source)
    if not text.strip():
        raise DataFormatError(f"{name} is empty; it must hold a header and at least one row.")
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
    header = [cell.strip() for cell in rows[0]]
    _check_shape(name, header, rows[1:], lines[1:])
    return TextTable(name, header, rows[1:], lines[1:])


def _fit(text: str, delimiter: str) -> tuple[bool, int]:
    """Say whether a delimiter makes a regular table, and how many columns its header has."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        widths = [len(row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        return False, 0
    return len(set(widths)) == 1 and widths[0] > 1, widths[0]


def _from_frame(frame: pd.DataFrame) -> TextTable:
    # An integer index without a name is a row number, in whatever order it stands.
    is_number = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index)
    if not is_number and frame.index.name in frame.columns:
        raise DataFormatError(
            f"the DataFrame has an index and a column named {frame.index.name!r}; "
            "names must be distinct."
        )
    named = frame if is_number else frame.reset_index()
    clean = named.astype(object).where(named.notna(), None)
    rows = [list(row) for row in clean.itertuples(index=False, name=None)]
    header = [cell.strip() if isinstance(cell, str) else cell for cell in clean.columns]
    table = TextTable("the DataFrame", header, rows, list(range(1, len(rows) + 1)))
    _check_shape(table.name, header, rows, table.lines)
    return table


def _check_shape(
    name: str, header: Sequence[Any], rows: Sequence[Sequence[Any]], lines: Sequence[int]
) -> None:
    if len(set(header)) < len(header):
        twice = next(column for column in header if list(header).count(column) > 1)
        raise DataFormatError(f"{name} has two columns {twice!r}; names must be distinct.")
    if not rows:
        raise DataFormatError(f"{name} has a header and no rows; it must hold at least one row.")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise DataFormatError(
                f"{name}, row {line} has {len(row)} cells where the header has {len(header)}; "
                "every row must have one cell per column."
            )
