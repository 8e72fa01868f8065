"""Tables in columns already: frames of pandas, polars and others, and Parquet files."""

from __future__ import annotations

from dataclasses import replace
from decimal import InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from rankagg._frames import arrow_table
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.sources import MAX_BYTES, check_memory
from rankagg.io.tables.table import Table

FRAME_NAME = "the DataFrame"
# Measured: bytes of memory for a value of a Parquet file, and for a column of a group of rows.
PER_VALUE, PER_CHUNK = 16, 2**12


def table_of_frame(frame: Any) -> Table:
    """Return a frame of pandas or another as a table."""
    if isinstance(frame, pd.DataFrame):
        return _of_pandas(frame)
    return _of_arrow(FRAME_NAME, arrow_table(frame))


def _of_pandas(frame: pd.DataFrame) -> Table:
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
        columns = [_pandas_column(named.iloc[:, at]) for at in range(named.shape[1])]
    except InvalidOperation:
        raise DataFormatError(
            "the DataFrame holds a signaling NaN; use None for a missing cell."
        ) from None
    return Table(FRAME_NAME, _stripped(named.columns), columns)


def _pandas_column(series: pd.Series[Any]) -> Any:
    """Return a column of Arrow, or a list of cells where Arrow has no such type."""
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


def _stripped(names: Any) -> list[Any]:
    return [name.strip() if isinstance(name, str) else name for name in names]


def _of_arrow(name: str, table: Any) -> Table:
    columns = [_with_large_text(column) for column in table.columns]
    return Table(name, _stripped(table.column_names), columns)


def _with_large_text(column: Any) -> Any:
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


def read_parquet(path: Path, max_bytes: int = MAX_BYTES) -> Table:
    """Return the table in a Parquet file; where pandas wrote it, its index goes first."""
    try:
        stated = parquet.read_metadata(path)
        taken = _stated_bytes(stated)
        check_memory(path.name, taken, max_bytes)
        leaves = [stated.schema.column(at) for at in range(stated.num_columns)]
        # Texts stay in dictionaries until it is known how long they are, written out. Without
        # checksums a flipped byte of an uncompressed file would go unnoticed; writers put them in
        # if asked to.
        coded = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        table = parquet.ParquetFile(
            path, page_checksum_verification=True, read_dictionary=coded
        ).read()
        table.validate(full=True)
        taken += sum(map(_text_bytes, table.columns))
        check_memory(path.name, taken, max_bytes)
        columns = [_plain(column) for column in table.columns]
        plain = _with_index(pa.table(columns, table.column_names), table.schema.pandas_metadata)
    except DataFormatError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
        raise DataFormatError(
            f"{path.name} is no Parquet file, or is damaged or cut off: {reason[:300]}."
        ) from None
    return replace(_of_arrow(path.name, plain), taken=taken)


def _stated_bytes(stated: Any) -> int:
    """Return what reading a Parquet file takes by its footer: values, pages and columns."""
    groups = map(stated.row_group, range(stated.num_row_groups))
    columns = [group.column(at) for group in groups for at in range(stated.num_columns)]
    per_value: int = sum(
        PER_VALUE * one.num_values + 2 * one.total_uncompressed_size for one in columns
    )
    return per_value + PER_CHUNK * len(columns)


def _text_bytes(column: Any) -> int:
    """Return what the texts of a column take that is coded by a dictionary, written out."""
    if not pa.types.is_dictionary(column.type):
        return 0
    sizes = (pc.take(pc.binary_length(part.dictionary), part.indices) for part in column.chunks)
    return 2 * int(sum(pc.sum(size).as_py() or 0 for size in sizes))


def _plain(column: Any) -> Any:
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def _with_index(table: Any, stated: Any) -> Any:
    """Put the columns that pandas knows as the index first, as for a frame."""
    known = stated.get("index_columns") if isinstance(stated, dict) else None
    named = [name for name in known if isinstance(name, str)] if isinstance(known, list) else []
    index = [name for name in dict.fromkeys(named) if table.column_names.count(name) == 1]
    if not index:
        return table
    others = [name for name in table.column_names if name not in index]
    unnamed = {f"__index_level_{level}__" for level in range(len(index))}
    if len(index) == 1 and index[0] in unnamed:
        # Whole numbers without a name are numbers of rows, in whatever order they stand.
        if pa.types.is_integer(table.schema.field(index[0]).type):
            return table.select(others)
        return table.select([*index, *others]).rename_columns(["index", *others])
    return table.select([*index, *others])
