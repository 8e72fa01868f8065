"""Tables: columns of labels and of numbers, and the place of whatever is wrong in one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from math import inf, isfinite, nan
from numbers import Real
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankagg._typing import Floats, Integers64, Positions
from rankagg._validation import (
    EXACT_LIMIT,
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    ascii_number,
    is_held,
    whole_number,
)
from rankagg.core import listed
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.output_files import unguard
from rankagg.io.tables.columns import (
    MISSING_TEXTS,
    MISSING_WORDS,
    RANKS,
    USUAL,
    Coded,
    Numbers,
    NumberStyle,
)
from rankagg.io.tables.sources import MAX_BYTES, check_memory

# What readers can be told of a column of numbers.
HOW_WRITTEN = {
    "outcome": "`drop_outcome` leaves rows out that say no number.",
    "item": "`decimal` and `missing` say how numbers are written; `drop` leaves the column out.",
    "score": "`decimal`, `percent`, `errors` and `missing` say how numbers are written.",
}
HOW_WRITTEN["task"] = f"{HOW_WRITTEN['score'][:-1]}; `drop` leaves the column out."
HOW_WRITTEN["system"] = f"Without `score` each column but `task` is a system. {HOW_WRITTEN['task']}"
# Measured: bytes that a distinct label takes in the end, the code of one in a row, and a number.
PER_LABEL, PER_CODE, PER_NUMBER = 512, 64, 96
# So many cells are read one by one as fast as by Arrow.
FEW_CELLS = 256
INFINITE_WORD = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False, repr=False)
class Unreadable:
    """A cell that is not empty and says nothing: it is refused where it is read."""

    what: str
    remedy: str

    def __repr__(self) -> str:
        return self.what


@dataclass(frozen=True, eq=False)
class Table:
    """A header and columns, all of one length: chunked arrays of Arrow, or lists of any cells."""

    # What to call the table in messages.
    name: str
    # Names of the columns, distinct.
    header: list[Any]
    columns: list[Any]
    # True where the cells come from a text file, in which labels may be guarded against being run
    # as formulas.
    is_text: bool = False
    # Returns the line of each row, where that is not its number from 1.
    lines: Callable[[], Sequence[int]] | None = None
    # How numbers are written in text.
    style: NumberStyle = USUAL
    # About how many bytes of memory the columns took to be read, and how many may be taken.
    taken: int = 0
    max_bytes: int = MAX_BYTES

    def __post_init__(self) -> None:
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

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0])

    @cached_property
    def _positions(self) -> dict[Any, int]:
        positions: dict[Any, int] = {}
        for at, name in enumerate(self.header):
            positions.setdefault(name, at)
        return positions

    def position(self, name: Any, parameter: str) -> int:
        """Return where a column stands; raises where there is none of that name."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            allowed = f"a column of {self.name} ({listed(self.header)})"
            raise InvalidInputError(parameter, allowed, name, nearest(name, self.header)) from None

    def chosen(self, rows: Positions) -> Table:
        """Return the table with some of its rows, which keep their places."""
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
        """Return what is raised for a cell."""
        sentence = what.rstrip()
        end = "" if sentence[-1] in ".?" else "."
        return DataFormatError(f"{self.place(row)}, column {shown(column)} {sentence}{end}", remedy)

    def cells(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column as they are; raises where there is none of that name."""
        column = self.columns[self.position(name, parameter)]
        return column if isinstance(column, list) else column.to_pylist()

    # -- labels -------------------------------------------------------------------------------

    def coded(self, name: Any, parameter: str, *, gaps: bool = False) -> Coded:
        """Return a column of labels; where a cell is empty the code is -1, or an error raised."""
        column = self.columns[self.position(name, parameter)]
        array = _as_array(column)
        found = None if isinstance(array, list) else _encoded(array, self._check_labels)
        if found is None:
            cells = self.cells(name, parameter)
            for row, cell in enumerate(cells):
                if cell is not None and not isinstance(cell, str | Real):
                    remedy = cell.remedy if isinstance(cell, Unreadable) else ""
                    raise self.error(row, name, f"must hold a label. Got {shown(cell)}", remedy)
            found = Coded.of(cells)
        coded = found.merged(self._label(cell, gaps=gaps) for cell in found.labels)
        if gaps:
            return coded.with_gaps()
        if "" in coded.labels:
            row = int(np.argmax(coded.codes == coded.labels.index("")))
            raise self.error(row, name, "is empty; it must hold a label")
        return coded

    def _label(self, cell: Any, *, gaps: bool) -> Any:
        """Return what a cell says as a label, "" for nothing."""
        if isinstance(cell, str):
            return unguard(cell.strip()) if self.is_text else cell.strip()
        if cell is None or cell != cell:  # noqa: PLR0124 - NaN
            return ""
        # Where a cell is empty, frames hold whole numbers as floats.
        return int(cell) if gaps and isinstance(cell, float) and cell.is_integer() else cell

    def labels(self, name: Any, parameter: str) -> list[Any]:
        """Return a column of labels, row by row; raises where a cell is empty."""
        codes, labels = self.coded(name, parameter)
        return [labels[code] for code in codes.tolist()]

    # -- numbers ------------------------------------------------------------------------------

    def stacked(self, names: Sequence[Any], parameter: str) -> Numbers:
        """Return columns of finite numbers, one column after another; NaN is missing."""
        needed = self.taken + PER_NUMBER * len(names) * self.n_rows
        check_memory(self.name, needed, self.max_bytes)
        values = np.empty((len(names), self.n_rows))
        said: Counter[tuple[str, str]] = Counter()
        for target, name in zip(values, names, strict=True):
            cells = self.columns[self.position(name, parameter)]
            column = numbers_in(cells, self.style)
            if np.isinf(column.values).any():
                row = int(np.argmax(np.isinf(column.values)))
                cell = cells[row] if isinstance(cells, list) else cells[row].as_py()
                raise self._no_number(row, name, cell, parameter)
            with_sign, without = column.said.get(("percent", ""), 0), column.said.get(("bare", ""))
            if parameter != "score" and with_sign and without:
                raise DataFormatError(
                    f"{self.name}, column {shown(name)} has numbers with a percent sign "
                    f"({with_sign}) and others without ({without}); all of a column must have one, "
                    "or none."
                )
            said.update(column.said)
            target[:] = column.values
        return Numbers(values.ravel(), said)

    def _no_number(self, row: int, name: Any, cell: Any, parameter: str) -> DataFormatError:
        plain = self.style.restated(cell, Counter()) if isinstance(cell, str) else cell
        if isfinite(as_number(plain)):
            what = f"is {shown(whole_number(plain))}, which no 64-bit float holds"
            return self.error(row, name, f"{what}: subtract a common number from the column")
        what = f"must be a finite number or empty for missing. Got {shown(cell)}"
        if not isinstance(cell, str) or INFINITE_WORD.fullmatch(cell.strip()):
            return self.error(row, name, what, getattr(cell, "remedy", ""))
        if self.style.decimal == "," and "." in cell:
            remedy = "With decimal commas no number has a point; take signs of thousands away."
        else:
            remedy = HOW_WRITTEN.get(parameter, "")
        return self.error(row, name, what, remedy)

    def numbers(self, name: Any, parameter: str) -> Floats:
        """Return a column of finite numbers; NaN where a cell is empty or says "missing"."""
        return self.stacked([name], parameter).values

    def weights(self, name: Any) -> Floats:
        """Return a column of weights, none of them missing."""
        values = self.numbers(name, "weight")
        good = (values >= SMALLEST_WEIGHT) & (values <= LARGEST_WEIGHT)
        if not good.all():
            row = int(np.argmin(good))
            allowed = f"must be a weight from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}"
            got = shown(self.cells(name, "weight")[row])
            raise self.error(row, name, f"{allowed}. Got {got}; leave out what has no weight")
        return values

    def counts(self, name: Any, parameter: str) -> Integers64:
        """Return a column of positive whole numbers below 2**53."""
        values = self.numbers(name, parameter)
        right = (values > 0) & (values < EXACT_LIMIT) & (np.floor(values) == values)
        if not right.all():
            row = int(np.argmin(right))
            allowed = "must be a positive whole number below 2**53"
            got = shown(self.cells(name, parameter)[row])
            raise self.error(row, name, f"{allowed}. Got {got}")
        return values.astype(np.int64)


def _as_array(cells: Any) -> Any:
    """Return a list of plain cells of one type as an array; anything else as it is."""
    if isinstance(cells, list) and set(map(type, cells)) <= {str, int, float, type(None)}:
        with suppress(pa.ArrowException, OverflowError, ValueError):
            return pa.chunked_array([pa.array(cells)])
    return cells


def _encoded(column: Any, check: Callable[[int], None] | None = None) -> Coded | None:
    """Return distinct labels in their order, None for an empty cell; None for other types.

    How many there are is checked before there is a Python object for each.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        # The dictionary may hold more than occurs, in any order.
        kind, column = kind.value_type, column.cast(kind.value_type)
    if not (_is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return None
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    chunks = [chunk for chunk in encoded.chunks if len(chunk)]
    if check is not None:
        check(len(chunks[-1].dictionary))
    labels = chunks[-1].dictionary.to_pylist()
    indices = [pc.fill_null(chunk.indices, len(labels)) for chunk in chunks]
    codes = np.concatenate([index.to_numpy(zero_copy_only=False) for index in indices])
    if column.null_count:
        labels.append(None)
    return Coded(codes.astype(np.intp, copy=False), labels)


def _is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def numbers_in(cells: Any, style: NumberStyle = USUAL) -> Numbers:
    """Return the numbers in an array or a list: NaN is missing, infinity stands for no number."""
    said: Counter[tuple[str, str]] = Counter()
    if len(cells) > FEW_CELLS:
        cells = _as_array(cells)
    values = None if isinstance(cells, list) else _at_once(cells, style)
    if values is None:
        plain = cells if isinstance(cells, list) else cells.to_pylist()
        codes = np.arange(len(plain))
        if not isinstance(cells, list) and _is_string(cells.type):
            codes, plain = _encoded(cells) or (codes, plain)
        times = np.bincount(codes).tolist()
        if style != USUAL:
            pairs = zip(plain, times, strict=True)
            plain = [style.restated(x, said, n) if isinstance(x, str) else x for x, n in pairs]
        values = np.array([_number_or_infinity(cell) for cell in plain])[codes]
    if style.percent:
        said["bare", ""] = int(np.count_nonzero(~np.isnan(values))) - said["percent", ""]
    return Numbers(values, said)


def _at_once(cells: Any, style: NumberStyle) -> Floats | None:
    """Return the floats of an array; None where its cells must be looked at one by one."""
    kind = cells.type
    if pa.types.is_floating(kind) or pa.types.is_null(kind):
        return cast(Floats, pc.cast(cells, pa.float64(), safe=False).to_numpy())
    is_text = _is_string(kind)
    if style not in (USUAL, RANKS) if is_text else not pa.types.is_integer(kind):
        return None
    for has_gaps in (False, True) if is_text else (False,):  # most columns have none
        with suppress(pa.ArrowInvalid):
            numbers = cells
            if has_gaps:
                missing = pc.is_in(cells, pa.array(MISSING_TEXTS, kind))
                numbers = pc.if_else(missing, None, cells)
            values: Floats = pc.cast(numbers, pa.float64(), safe=is_text).to_numpy()
            # Whole numbers from 2**53 on may be others than their floats.
            if np.count_nonzero(np.abs(values) < EXACT_LIMIT) + numbers.null_count == len(values):
                return values
    return None


def _number_or_infinity(cell: Any) -> float:
    """Return the number in a cell; infinity also for a whole number that no float is."""
    value = as_number(cell)
    return value if is_held(cell, value) else inf


def as_number(cell: Any) -> float:
    """Return the float that a cell says, NaN for a missing one, infinity for anything else."""
    if cell is None:
        return nan
    is_text = isinstance(cell, str)
    if not is_text and (isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal)):
        return inf
    try:
        return float(ascii_number(cell) if is_text else cell)
    except (ValueError, OverflowError):
        return nan if is_text and cell.strip().lower() in MISSING_WORDS else inf
