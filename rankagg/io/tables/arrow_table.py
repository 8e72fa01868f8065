"""A table whose columns are Arrow's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankagg.io.tables.arrow_numbers import numbers_of
from rankagg.io.tables.cells import CellTable, as_label
from rankagg.io.tables.columns import Coded, Column, Table, check_header, check_percent
from rankagg.io.tables.number_style import USUAL, NumberStyle

__all__ = ["ArrowTable", "arrow_table"]

# Columns of one type are made numbers together, up to so many cells.
TOGETHER = 2**20

# So many bytes of text need wider offsets in one array.
LARGE = 2**31


@dataclass(frozen=True, eq=False)
class ArrowTable(Table):
    """A header and columns of Arrow.

    Attributes
    ----------
    name : str
        What to call the table in messages.
    header : list of str or int
        Names of the columns, distinct.
    columns : list of pyarrow.ChunkedArray
        The columns, all of one length.
    is_text : bool
        True where the cells come from a text file, in which labels may be guarded against being
        run as formulas.
    explain : callable
        Returns the same table cell by cell, given the names of the columns that are looked at.
    style : NumberStyle
        How numbers are written in text.
    """

    name: str
    header: list[Any]
    columns: list[Any]
    is_text: bool
    explain: Callable[[Sequence[Any]], CellTable]
    style: NumberStyle = USUAL

    def __post_init__(self) -> None:
        check_header(self.name, self.header, len(self.columns[0]) if self.columns else 0)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0])

    @property
    def lines(self) -> list[int]:
        """The line of each row, for messages."""
        return self.explain(self.header[:1]).lines

    def line(self, row: int) -> int:
        """Return the line of a row, for messages."""
        return self.lines[row]

    @property
    def rows(self) -> list[list[Any]]:
        """The cells one by one, for messages."""
        return self.explain(self.header).rows

    def column(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column, for messages; raises where there is none of that name."""
        self.position(name, parameter)
        return self.explain([name]).column(name, parameter)

    def coded(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; raises where a cell is empty."""
        column = self.columns[self.position(name, parameter)]
        coded = _encoded(column)
        if coded is not None:
            labels = [as_label(label, self.is_text) for label in coded.labels]
            if "" not in labels:
                return coded.merged(labels)
        return self.explain([name]).coded(name, parameter)

    def coded_or_empty(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; the code is -1 where a cell is empty."""
        column = self.columns[self.position(name, parameter)]
        coded = None if pa.types.is_floating(column.type) else _encoded(column, has_gaps=True)
        if coded is None:
            return self.explain([name]).coded_or_empty(name, parameter)
        return coded.merged([as_label(label, self.is_text) for label in coded.labels]).with_gaps()

    def stacked(self, names: Sequence[Any], parameter: str) -> Column:
        """Return columns of finite numbers, one column after another; NaN is missing."""
        positions = [self.position(name, parameter) for name in names]
        values = np.empty((len(names), self.n_rows))
        lost: dict[int, object] = {}
        said: Counter[tuple[str, str]] = Counter()
        start = 0
        while start < len(names):
            end = self._end_of_kind(positions, start)
            joined = _joined([self.columns[at] for at in positions[start:end]])
            column = numbers_of(joined, self.style)
            if column is None:
                table = replace(self.explain(names[start:end]), style=self.style)
                column = table.stacked(names[start:end], parameter)
            check_percent(self, names[start], parameter, column.said)
            said.update(column.said)
            values[start:end] = column.values.reshape(end - start, self.n_rows)
            lost |= {start * self.n_rows + at: number for at, number in column.lost.items()}
            start = end
        return Column(values.ravel(), lost, said)

    def _end_of_kind(self, positions: list[int], start: int) -> int:
        """Return how far columns have the type of the first, in as many cells as go together."""
        if self.style.percent:  # which is all of a column, or none
            return start + 1
        kind = self.columns[positions[start]].type
        last = min(len(positions), start + max(1, TOGETHER // self.n_rows))
        end = start + 1
        while end < last and self.columns[positions[end]].type == kind:
            end += 1
        return end


def _joined(columns: list[Any]) -> Any:
    """Return columns, one after another, as one array."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    if pa.types.is_string(chunks[0].type) and sum(chunk.nbytes for chunk in chunks) >= LARGE:
        chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def _encoded(column: Any, *, has_gaps: bool = False) -> Coded | None:
    """Return distinct labels in their order and the codes; None where a cell is no label.

    Empty cells are none, unless there may be gaps: then their code is -1.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        # The dictionary may hold more than occurs, in any order.
        kind, column = kind.value_type, column.cast(kind.value_type)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    is_label = is_text or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    if pa.types.is_null(kind) and has_gaps:
        return Coded(np.full(len(column), -1, dtype=np.intp), [])
    if (column.null_count and not has_gaps) or not (is_label or _is_plain_float(column)):
        return None
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    chunks = [chunk for chunk in encoded.chunks if len(chunk)]
    indices = [pc.fill_null(chunk.indices, -1) for chunk in chunks]
    codes = np.concatenate([index.to_numpy(zero_copy_only=False) for index in indices])
    return Coded(codes.astype(np.intp, copy=False), chunks[-1].dictionary.to_pylist())


def _is_plain_float(column: Any) -> bool:
    """Say whether a column has floats of which each is equal to itself."""
    is_float = pa.types.is_float32(column.type) or pa.types.is_float64(column.type)
    return is_float and not pc.any(pc.is_nan(column)).as_py()


def arrow_table(name: str, table: Any) -> ArrowTable:
    """Return a table of Arrow under a name for messages."""
    header = [column.strip() for column in table.column_names]

    def explain(names: Sequence[Any]) -> CellTable:
        columns = [table.column(header.index(name)).to_pylist() for name in names]
        rows = [list(row) for row in zip(*columns, strict=True)]
        return CellTable(name, list(names), rows, list(range(1, len(table) + 1)), is_text=False)

    return ArrowTable(name, header, [_plain(c) for c in table.columns], False, explain)


def _plain(column: Any) -> Any:
    """Return a column whose texts are of a kind that all of Arrow works with."""
    kind = column.type
    if pa.types.is_dictionary(kind) and _is_view(kind.value_type):
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.large_string()))
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, pa.dictionary(kind.index_type, pa.large_string()))
    return column.cast(pa.large_string()) if _is_view(kind) else column


def _is_view(kind: Any) -> bool:
    # Older versions have no such kind.
    return hasattr(pa.types, "is_string_view") and bool(pa.types.is_string_view(kind))
