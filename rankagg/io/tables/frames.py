"""Frames of pandas, polars and others as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import InvalidOperation
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.interchange import from_dataframe

from rankagg._numbers import EXACT_LIMIT
from rankagg._typing import Floats
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.arrow_table import arrow_table, numbers_of_text
from rankagg.io.tables.cells import CellTable, as_label
from rankagg.io.tables.columns import Coded, Column, Table, check_header, check_percent
from rankagg.io.tables.number_style import USUAL, NumberStyle

__all__ = ["FrameTable", "table_of_frame"]

NAME = "the DataFrame"


@dataclass(frozen=True, eq=False)
class FrameTable(Table):
    """A frame of pandas, its index among the columns."""

    name: str
    header: list[Any]
    frame: pd.DataFrame
    style: NumberStyle = USUAL

    def __post_init__(self) -> None:
        check_header(self.name, self.header, len(self.frame))

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.frame)

    def line(self, row: int) -> int:
        """Return the number of a row, counted from 1, for messages."""
        return row + 1

    def column(self, name: Any, parameter: str) -> list[Any]:
        """Return the cells of a column, for messages; raises where there is none of that name."""
        self.position(name, parameter)
        return self._explain([name]).column(name, parameter)

    def coded(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; raises where a cell is empty."""
        series = self.frame.iloc[:, self.position(name, parameter)]
        if series.dtype != object and not pd.api.types.is_bool_dtype(series):
            codes, distinct = pd.factorize(series)
            labels = [as_label(label, False) for label in distinct.astype(object)]
            plain = {str, int, float} >= set(map(type, labels))
            if (codes >= 0).all() and plain and "" not in labels:
                return Coded(codes.astype(np.intp, copy=False), labels).merged(labels)
        elif pd.api.types.infer_dtype(series, skipna=False) == "string":
            codes, distinct = pd.factorize(series)
            labels = [as_label(label, False) for label in distinct]
            if "" not in labels:
                return Coded(codes.astype(np.intp, copy=False), labels).merged(labels)
        return self._explain([name]).coded(name, parameter)

    def coded_or_empty(self, name: Any, parameter: str) -> Coded:
        """Return a column of labels; the code is -1 where a cell is empty."""
        series = self.frame.iloc[:, self.position(name, parameter)]
        if pd.api.types.infer_dtype(series, skipna=True) in ("string", "integer", "empty"):
            codes, distinct = pd.factorize(series)
            labels = [as_label(label, False) for label in pd.Index(distinct).astype(object)]
            return Coded(codes.astype(np.intp, copy=False), labels).merged(labels).with_gaps()
        return self._explain([name]).coded_or_empty(name, parameter)

    def stacked(self, names: Sequence[Any], parameter: str) -> Column:
        """Return columns of finite numbers, one column after another; NaN is missing."""
        positions = [self.position(name, parameter) for name in names]
        at_once = _plain_numbers(self.frame.iloc[:, positions])
        if at_once is not None:
            return Column(at_once, {})
        values = np.empty((len(names), self.n_rows))
        lost: dict[int, object] = {}
        said: Counter[tuple[str, str]] = Counter()
        for at, (name, position) in enumerate(zip(names, positions, strict=True)):
            column = _measured(self.frame.iloc[:, position], self.style)
            if column is None:
                column = self._explain([name]).stacked([name], parameter)
            check_percent(self, name, parameter, column.said)
            said.update(column.said)
            values[at] = column.values
            lost |= {at * self.n_rows + row: number for row, number in column.lost.items()}
        return Column(values.ravel(), lost, said)

    def _explain(self, names: Sequence[Any]) -> CellTable:
        """Return some columns cell by cell."""
        chosen = self.frame.iloc[:, [self.position(name, "name") for name in names]]
        clean = chosen.astype(object).where(chosen.notna(), None)
        rows = [list(row) for row in clean.itertuples(index=False, name=None)]
        lines = list(range(1, len(rows) + 1))
        return CellTable(self.name, list(names), rows, lines, is_text=False, style=self.style)


def table_of_frame(frame: Any) -> Table:
    """Return a frame of pandas or another as a table."""
    return _table_of_pandas(frame) if isinstance(frame, pd.DataFrame) else _table_of_arrow(frame)


def _table_of_pandas(frame: pd.DataFrame) -> Table:
    """Return a frame of pandas; its index, unless it is a row number, goes first."""
    # An integer index without a name is a row number, in whatever order it stands.
    is_number = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index)
    try:
        named = frame if is_number else frame.reset_index()
    except ValueError as error:  # a name that exists already
        raise DataFormatError(
            f"the DataFrame has an index and columns of one name ({error}); names must be distinct."
        ) from None
    try:
        named.loc[:, [kind.kind == "O" for kind in named.dtypes]].notna()
    except InvalidOperation:
        raise DataFormatError(
            "the DataFrame holds a signaling NaN; use None for a missing cell."
        ) from None
    header = [cell.strip() if isinstance(cell, str) else cell for cell in named.columns]
    return FrameTable(NAME, header, named)


def _plain_numbers(frame: pd.DataFrame) -> Floats | None:
    """Return columns of NumPy's numbers, one after another; None where something is special."""
    kinds = set(frame.dtypes)
    if not all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in kinds):
        return None
    if max(kind.itemsize for kind in kinds) > 8:  # more than a double
        return None
    values: Floats = frame.to_numpy(dtype=np.float64).T.ravel()
    limit = np.inf if all(kind.kind == "f" for kind in kinds) else EXACT_LIMIT
    return None if (np.abs(values) >= limit).any() else values


def _measured(series: pd.Series[Any], style: NumberStyle) -> Column | None:
    """Return a column of numbers; None where a cell is none, or may be beyond a float."""
    kind = series.dtype
    if pd.api.types.is_bool_dtype(kind) or pd.api.types.is_complex_dtype(kind):
        return None
    if pd.api.types.is_integer_dtype(kind) or pd.api.types.is_float_dtype(kind):
        if getattr(kind, "itemsize", 8) > 8:  # more than a double
            return None
        values: Floats = series.to_numpy(dtype=np.float64, na_value=np.nan)
        limit = np.inf if pd.api.types.is_float_dtype(kind) else EXACT_LIMIT
        return None if (np.abs(values) >= limit).any() else Column(values, {})
    if pd.api.types.infer_dtype(series, skipna=True) != "string":
        return None
    texts = pa.array(series.astype(object), from_pandas=True, type=pa.large_string())
    return numbers_of_text(texts, style)


def _table_of_arrow(source: Any) -> Table:
    """Return a frame that speaks the Arrow PyCapsule interface or the interchange protocol."""
    try:
        if hasattr(source, "__dataframe__") and not hasattr(source, "__arrow_c_stream__"):
            table = from_dataframe(source)
        elif hasattr(source, "__arrow_c_stream__"):
            table = pa.RecordBatchReader.from_stream(source).read_all()
        else:
            table = pa.table(source)
        table.validate(full=True)
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError, RuntimeError) as error:
        allowed = "a frame whose columns Arrow can hold"
        raise InvalidInputError("source", allowed, source, f"{error}.") from None
    return arrow_table(NAME, table)
