"""What a table is to its readers: columns of labels and of numbers, and the line of every row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Floats
from rankagg.core.items import counted, listed
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.tables.number_style import NumberStyle, Said

__all__ = ["Coded", "Column", "Table", "check_header", "check_percent", "names_of"]


class Column(NamedTuple):
    """A column of numbers."""

    # The numbers; NaN is missing.
    values: Floats
    # The exact number of every row where the float is another.
    lost: dict[int, object]
    # What was met beside plain numbers, and how often.
    said: Said = MappingProxyType({})


def check_percent(table: Table, name: Any, parameter: str, said: Said) -> None:
    """Raise where a column of one task has numbers with a percent sign and others without."""
    if parameter != "score" and said.get(("percent", ""), 0) and said.get(("bare", ""), 0):
        raise DataFormatError(
            f"{table.name}, column {shown(name)} has numbers with a percent sign "
            f"({said['percent', '']}) and others without ({said['bare', '']}); all of a column "
            "must have one, or none."
        )


class Coded(NamedTuple):
    """A column of labels: distinct ones in the order in which they first occur, and their codes."""

    codes: NDArray[np.intp]
    labels: list[Any]

    @classmethod
    def of(cls, labels: Iterable[Any]) -> Coded:
        """Give every label a code."""
        first: dict[Any, int] = {}
        codes = [first.setdefault(label, len(first)) for label in labels]
        return cls(np.array(codes, dtype=np.intp), list(first))

    def merged(self, labels: Iterable[Any]) -> Coded:
        """Return the column with other labels for the distinct ones, which may now be equal."""
        again = Coded.of(labels)
        if len(again.labels) == len(self.labels):
            return Coded(self.codes, again.labels)
        # -1 stands for no label, before and after.
        return Coded(np.append(again.codes, -1)[self.codes], again.labels)

    def with_gaps(self) -> Coded:
        """Return the column with the code -1, and no label, for the empty text."""
        if "" not in self.labels:
            return self
        at = self.labels.index("")
        codes = np.where(self.codes == at, -1, self.codes - (self.codes > at))
        return Coded(codes, [*self.labels[:at], *self.labels[at + 1 :]])

    def chosen(self, rows: NDArray[Any]) -> Coded:
        """Return the labels of some rows."""
        found = Coded.of(self.codes[rows].tolist())
        return Coded(found.codes, [self.labels[code] for code in found.labels])


class Table(ABC):
    """A header and columns, all of one length."""

    # What to call the table in messages.
    name: str
    # Names of the columns, distinct.
    header: list[Any]
    # How numbers are written in text.
    style: NumberStyle

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows."""

    @abstractmethod
    def line(self, row: int) -> int:
        """Return the line of a row, for messages."""

    @abstractmethod
    def column(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column, for messages; raises where there is none of that name."""

    @abstractmethod
    def coded(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; raises where a cell is empty."""

    @abstractmethod
    def coded_or_empty(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; the code is -1 where a cell is empty."""

    @abstractmethod
    def stacked(self, names: Sequence[Any], parameter: str) -> Column:
        """Return columns of finite numbers, one column after another; NaN is missing."""

    @cached_property
    def _positions(self) -> dict[Any, int]:
        return {name: position for position, name in enumerate(self.header)}

    def position(self, name: Any, parameter: str) -> int:
        """Return where a column stands; raises where there is none of that name."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            allowed = f"a column of {self.name} ({listed(self.header)})"
            raise InvalidInputError(parameter, allowed, name, nearest(name, self.header)) from None

    def labels(self, name: Any, parameter: str) -> list[Any]:
        """Return a column of labels, row by row; raises where a cell is empty."""
        codes, labels = self.coded(name, parameter)
        return [labels[code] for code in codes.tolist()]

    def measured(self, name: Any, parameter: str) -> Column:
        """Return a column of finite numbers, and what floats do not hold of it."""
        return self.stacked([name], parameter)

    def numbers(self, name: Any, parameter: str) -> Floats:
        """Return a column of finite numbers; NaN where a cell is empty or says "missing"."""
        return self.measured(name, parameter).values

    def counts(self, name: Any, parameter: str) -> NDArray[np.int64]:
        """Return a column of positive whole numbers below 2**53."""
        values = self.numbers(name, parameter)
        right = (values > 0) & (values < EXACT_LIMIT) & (np.floor(values) == values)
        if not right.all():
            row = int(np.argmin(right))
            cell = shown(self.column(name, parameter)[row])
            allowed = "must be a positive whole number below 2**53"
            raise self._error(self.line(row), name, f"{allowed}. Got {cell}")
        return values.astype(np.int64)

    def _error(self, line: int, column: Any, what: str) -> DataFormatError:
        return DataFormatError(f"{self.name}, row {line}, column {shown(column)} {what}.")


def names_of(columns: Any) -> list[Any]:
    """Return names of columns as a list, one name alone among them."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return [columns]
    return list(columns)


def check_header(name: str, header: Sequence[Any], n_rows: int) -> None:
    """Raise where names of columns are equal, or there are no rows or no columns."""
    seen: set[Any] = set()
    for column in header:
        if column in seen:
            raise DataFormatError(
                f"{name} has two columns {shown(column)}; names must be distinct."
            )
        seen.add(column)
    if not n_rows:
        raise DataFormatError(f"{name} has a header and no rows; it must hold at least one row.")
    if not header:
        raise DataFormatError(f"{name} has rows and no columns; it must hold at least one column.")


def check_rows(
    name: str, header: Sequence[Any], rows: Sequence[Sequence[Any]], lines: Sequence[int]
) -> None:
    """Raise where a table has no columns or rows, or rows of another length than its header."""
    check_header(name, header, len(rows))
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise DataFormatError(
                f"{name}, row {line} has {counted(len(row), 'cell')} where the header has "
                f"{len(header)}; every row must have one cell per column."
            )
