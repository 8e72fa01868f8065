"""Tables: columns of labels and of numbers, and the place of whatever is wrong in one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain
from math import inf, isfinite, nan
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rankagg._numbers import EXACT_LIMIT, ascii_number, lost_number
from rankagg._typing import Bools, Floats
from rankagg.core.items import listed
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, shown
from rankagg.io.output_files import unguard
from rankagg.io.tables.columns import MISSING_WORDS, USUAL, Coded, Column, NumberStyle

TOKENS = pa.array(["", *(case(word) for word in MISSING_WORDS - {""} for case in (str, str.upper))])
INFINITE_WORD = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)

# Columns of one type are made numbers together, up to so many cells.
CELLS_TOGETHER = 2**20
# So many bytes of text need wider offsets in one array.
WIDE_OFFSETS = 2**31


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
        found = None if isinstance(array, list) else _encoded(array)
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

    def stacked(self, names: Sequence[Any], parameter: str) -> Column:
        """Return columns of finite numbers, one column after another; NaN is missing."""
        columns = [self.columns[self.position(name, parameter)] for name in names]
        values = np.empty((len(names), self.n_rows))
        said: Counter[tuple[str, str]] = Counter()
        start = 0
        while start < len(names):
            end = self._end_of_kind(columns, start)
            block = _joined(columns[start:end])
            column = numbers_of(block, self.style)
            wrong = np.isinf(column.values)
            if wrong.any():
                at = int(np.argmax(wrong))
                cell = block[at] if isinstance(block, list) else block[at].as_py()
                raise self._no_number(
                    at % self.n_rows, names[start + at // self.n_rows], cell, parameter
                )
            with_sign, without = column.said.get(("percent", ""), 0), column.said.get(("bare", ""))
            if parameter != "score" and with_sign and without:
                raise DataFormatError(
                    f"{self.name}, column {shown(names[start])} has numbers with a percent sign "
                    f"({with_sign}) and others without ({without}); all of a column must have one, "
                    "or none."
                )
            said.update(column.said)
            values[start:end] = column.values.reshape(end - start, self.n_rows)
            start = end
        return Column(values.ravel(), said)

    def _end_of_kind(self, columns: Sequence[Any], start: int) -> int:
        """Return how far columns have the type of the first, in as many cells as go together."""
        if self.style.percent:  # which is all of a column, or none
            return start + 1
        kind = getattr(columns[start], "type", list)
        last = min(len(columns), start + max(1, CELLS_TOGETHER // self.n_rows))
        end = start + 1
        while end < last and getattr(columns[end], "type", list) == kind:
            end += 1
        return end

    def _no_number(self, row: int, name: Any, cell: Any, parameter: str) -> DataFormatError:
        plain = self.style.restated(cell, Counter()) if isinstance(cell, str) else cell
        if isfinite(value := as_number(plain)):
            number = getattr(lost_number(plain, value), "number", cell)
            what = f"is {shown(number)}, which no 64-bit float holds: subtract a common number from"
            return self.error(row, name, f"{what} the column")
        what = f"must be a finite number or empty for missing. Got {shown(cell)}"
        if not isinstance(cell, str) or INFINITE_WORD.fullmatch(cell.strip()):
            return self.error(row, name, what, getattr(cell, "remedy", ""))
        if self.style.decimal == "," and "." in cell:
            remedy = "With decimal commas no number has a point; take signs of thousands away."
        elif parameter not in ("item", "score", "task"):
            remedy = "Decimals are written with a point." if "," in cell else ""
        else:
            ways = "`decimal`" if parameter == "item" else "`decimal`, `percent`, `errors`"
            remedy = f"{ways} and `missing` say how numbers are written"
            remedy += "." if parameter == "score" else "; `drop` leaves the column out."
        return self.error(row, name, what, remedy)

    def numbers(self, name: Any, parameter: str) -> Floats:
        """Return a column of finite numbers; NaN where a cell is empty or says "missing"."""
        return self.stacked([name], parameter).values

    def counts(self, name: Any, parameter: str) -> NDArray[np.int64]:
        """Return a column of positive whole numbers below 2**53."""
        values = self.numbers(name, parameter)
        right = (values > 0) & (values < EXACT_LIMIT) & (np.floor(values) == values)
        if not right.all():
            row = int(np.argmin(right))
            allowed = "must be a positive whole number below 2**53"
            got = shown(self.cells(name, parameter)[row])
            raise self.error(row, name, f"{allowed}. Got {got}")
        return values.astype(np.int64)


def _joined(columns: list[Any]) -> Any:
    """Return columns, one after another, as one list or array."""
    if isinstance(columns[0], list):
        return columns[0] if len(columns) == 1 else list(chain.from_iterable(columns))
    chunks = [chunk for column in columns for chunk in column.chunks]
    if pa.types.is_string(chunks[0].type) and sum(chunk.nbytes for chunk in chunks) >= WIDE_OFFSETS:
        chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def _as_array(cells: Any) -> Any:
    """Return a list of plain cells of one type as an array; anything else as it is."""
    if isinstance(cells, list) and set(map(type, cells)) <= {str, int, float, type(None)}:
        with suppress(pa.ArrowException, OverflowError, ValueError):
            return pa.chunked_array([pa.array(cells)])
    return cells


def _encoded(column: Any) -> Coded | None:
    """Return distinct labels in their order, None for an empty cell; None for other types."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        # The dictionary may hold more than occurs, in any order.
        kind, column = kind.value_type, column.cast(kind.value_type)
    if not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return None
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    chunks = [chunk for chunk in encoded.chunks if len(chunk)]
    labels = chunks[-1].dictionary.to_pylist()
    indices = [pc.fill_null(chunk.indices, len(labels)) for chunk in chunks]
    codes = np.concatenate([index.to_numpy(zero_copy_only=False) for index in indices])
    if column.null_count:
        labels.append(None)
    return Coded(codes.astype(np.intp, copy=False), labels)


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def numbers_of(cells: Any, style: NumberStyle = USUAL) -> Column:
    """Return the numbers in an array or a list: NaN is missing, infinity stands for no number."""
    said: Counter[tuple[str, str]] = Counter()
    cells = _as_array(cells)
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    found = None if isinstance(cells, list) else _at_once(cells, style)
    values, doubtful = (np.empty(len(cells)), None) if found is None else found
    rows = np.arange(len(cells)) if doubtful is None else np.flatnonzero(doubtful)
    if len(rows):
        codes, distinct, times = np.arange(len(rows)), cells, np.ones(len(rows), dtype=np.intp)
        if not isinstance(cells, list):
            some = cells if doubtful is None else cells.take(pa.array(rows))
            if _is_text(cells.type):
                encoded = pc.dictionary_encode(some, null_encoding="encode")
                codes, some = encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary
                times = np.bincount(codes, minlength=len(some))
            distinct = some.to_pylist()
        plain = (cell for cell in distinct)
        if style != USUAL:
            plain = (
                style.restated(cell, said, number) if isinstance(cell, str) else cell
                for cell, number in zip(distinct, times.tolist(), strict=True)
            )
        values[rows] = np.array([_exact_number(cell) for cell in plain])[codes]
    if style.percent:
        said["bare", ""] = int(np.count_nonzero(~np.isnan(values))) - said["percent", ""]
    return Column(values, said)


def _at_once(cells: Any, style: NumberStyle) -> tuple[Floats, Bools] | None:
    """Return the floats of an array, and which are to be looked at; None where all are."""
    kind = cells.type
    if _is_text(kind):
        if style != USUAL:
            return None
        # Most columns have no gaps.
        for texts in (cells, pc.if_else(pc.is_in(cells, TOKENS.cast(kind)), None, cells)):
            try:
                values = _floats(pc.cast(texts, pa.float64()))
            except pa.ArrowInvalid:
                continue
            known = np.abs(values) < EXACT_LIMIT
            if texts.null_count:
                known |= texts.is_null().to_numpy(zero_copy_only=False)
            return values, ~known
        return None
    if pa.types.is_null(kind):
        return np.full(len(cells), np.nan), np.zeros(len(cells), dtype=np.bool_)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    values = _floats(pc.cast(cells, pa.float64(), safe=False))
    # Whole numbers from 2**53 on may be others than their floats.
    return values, np.abs(values) >= (np.inf if pa.types.is_floating(kind) else EXACT_LIMIT)


def _floats(numbers: Any) -> Floats:
    values: Floats = numbers.to_numpy(zero_copy_only=False)
    return values if values.flags.writeable else values.copy()


def _exact_number(cell: Any) -> float:
    """Return the number in a cell; infinity also for a whole number that no float is."""
    value = as_number(cell)
    if EXACT_LIMIT <= abs(value) < inf:
        found = lost_number(cell, value)
        if found is not None and found.is_whole:
            return inf
    return value


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
