"""Tables of files of all kinds, and of frames of pandas, polars and others."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from decimal import InvalidOperation
from pathlib import Path
from typing import Any, cast
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from rankagg._validation import arrow_table
from rankagg.core import listed
from rankagg.exceptions import DataFormatError, DataWarning, shown
from rankagg.io.tables import delimited
from rankagg.io.tables.columns import USUAL, NumberStyle
from rankagg.io.tables.sources import (
    BINARY,
    MAX_BYTES,
    TableSource,
    check_memory,
    decoded,
    is_any_frame,
    kind_by_name,
    opened,
    read_data,
)
from rankagg.io.tables.table import Table, Unreadable

JSON_OBJECT = re.compile(rb"(\xef\xbb\xbf)?\s*\{")
JSON_OBJECTS = re.compile(rb"(\xef\xbb\xbf)?\s*\{[^\n]*\}\s*\n\s*\{")
JSON_ARRAY = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*\{")
FRAME_NAME = "the DataFrame"
# Measured: bytes of memory for a value of a Parquet file, and for a column of a group of rows.
PER_VALUE, PER_CHUNK = 16, 2**12
# And of a workbook for a byte of XML, and for a row and a cell, filled or not.
PER_BYTE, PER_ROW, PER_CELL = 160, 512, 64
# Formats of dates in East Asian versions, which openpyxl does not know.
EAST_ASIAN_DATES = {*range(27, 37), *range(50, 59)}
CLEAR = "Clear the cell where the value is missing."
SAVE = "Open the workbook in a spreadsheet, let it calculate, and save it."
DATED = "Give the cell the format of a number or of text."


def read_table(
    source: TableSource,
    *,
    style: NumberStyle = USUAL,
    blank_rows: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Table:
    """Read a file of a table, or take a frame.

    Text is delimited by commas, tabs or semicolons, whichever the header has. Files of other kinds
    are told by their names. In text a row whose cells are all blank is none, unless `blank_rows`;
    an empty line never is.
    """
    kind = kind_by_name(source)
    if isinstance(source, pd.DataFrame):
        table = _of_pandas(source)
    elif is_any_frame(source):
        table = _of_arrow(FRAME_NAME, arrow_table(source))
    elif kind in BINARY:
        path = Path(cast(str, source))
        opened(path, lambda path: path.open("rb").close())
        table = (_read_excel if kind == "Excel" else _read_parquet)(path, max_bytes)
    else:
        name, data = read_data(source, max_bytes)
        objects = JSON_OBJECTS if kind == "JSON" else JSON_OBJECT
        if kind is not None and isinstance(data, bytes) and JSON_ARRAY.match(data):
            table = delimited.read_json_array(name, decoded(name, data), max_bytes)
        elif kind is not None and isinstance(data, bytes) and objects.match(data):
            table = delimited.read_json_lines(name, decoded(name, data), max_bytes)
        else:
            commas = style.decimal == ","
            table = delimited.read_delimited(
                name, data, blank_rows=blank_rows, has_commas=commas, max_bytes=max_bytes
            )
    return replace(table, style=style, max_bytes=max_bytes)


# -- frames ---------------------------------------------------------------------------------------


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


# -- Parquet --------------------------------------------------------------------------------------


def _read_parquet(path: Path, max_bytes: int) -> Table:
    """Return the table in a Parquet file; where pandas wrote it, its index goes first."""
    from pyarrow import parquet  # noqa: PLC0415 - of Parquet files alone

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
    """Return what reading a Parquet file takes by its footer: values, pages and columns.

    By groups of rows: Arrow ends the process where a damaged footer is asked for a column.
    """
    groups = list(map(stated.row_group, range(stated.num_row_groups)))
    n_values: int = sum(group.num_rows * group.num_columns for group in groups)
    n_chunks: int = sum(group.num_columns for group in groups)
    pages: int = sum(group.total_byte_size for group in groups)
    return PER_VALUE * n_values + 2 * pages + PER_CHUNK * n_chunks


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


# -- Excel ----------------------------------------------------------------------------------------


def _read_excel(path: Path, max_bytes: int) -> Table:
    """Return the table on the first sheet with data; its first filled row is the header."""
    from openpyxl.reader.excel import ExcelReader  # noqa: PLC0415 - of workbooks alone

    def workbook(*, data_only: bool) -> Any:
        reader = ExcelReader(file, read_only=True, data_only=data_only, keep_links=False)
        reader.read_manifest()
        reader.read_workbook()
        links = [(sheet.name, link.target) for sheet, link in reader.parser.find_sheets()]
        if len({part for _, part in links}) < len(links) or len(dict(links)) < len(links):
            raise DataFormatError(
                f"Two sheets of {path.name} have one name or one content: save it as CSV (UTF-8)."
            )
        reader.read()
        return reader.wb

    try:
        with warnings.catch_warnings(), path.open("rb") as file:
            warnings.simplefilter("ignore")
            stated = sum(part.file_size for part in ZipFile(file).infolist())
            check_memory(path.name, PER_BYTE * stated, max_bytes)
            book = workbook(data_only=True)
            filled = [at for at, sheet in enumerate(book.worksheets) if _is_filled(sheet)]
            if not filled:
                raise DataFormatError(
                    f"{path.name} is empty; it must hold a header and at least one row."
                )
            sheet = book.worksheets[filled[0]]
            rows, blank = _filled_rows(path.name, sheet, max_bytes)
            if blank:
                written = workbook(data_only=False).worksheets[filled[0]]
                written.reset_dimensions()
                for line, row in enumerate(written.iter_rows(), 1):
                    for cell in row:
                        if cell.data_type == "f" and (line, cell.column) in blank:
                            what = "a formula whose value is still to be calculated"
                            rows.setdefault(line, {})[cell.column] = _unreadable(cell, what, SAVE)
    except DataFormatError:
        raise
    except Exception as error:
        # Where XML is damaged openpyxl raises errors of any kind.
        raise DataFormatError(
            f"{path.name} is no Excel workbook, or is damaged or encrypted "
            f"({type(error).__name__}): save it as CSV (UTF-8)."
        ) from None
    if len(filled) > 1:
        unread = listed([book.worksheets[at].title for at in filled[1:]])
        told = f"{path.name}: sheet {shown(sheet.title)} was read, and not {unread}."
        # Behind this are the reader of tables, and a public one.
        warnings.warn(told, DataWarning, stacklevel=4)
    used = sorted(set().union(*rows.values()))
    check_memory(path.name, PER_CELL * len(rows) * len(used), max_bytes)
    lines = sorted(rows)
    columns = [[rows[line].get(column) for line in lines] for column in used]
    for column in columns:
        if isinstance(column[0], Unreadable):
            named = f"{path.name} has for the name of a column {column[0]}."
            raise DataFormatError(named, column[0].remedy)
    header = _stripped(column[0] for column in columns)
    return Table(path.name, header, [column[1:] for column in columns], lines=lambda: lines[1:])


def _is_filled(sheet: Any) -> bool:
    """Say whether there is something in a sheet."""
    sheet.reset_dimensions()
    return any(cell.value is not None for row in sheet.iter_rows() for cell in row)


def _filled_rows(
    name: str, sheet: Any, max_bytes: int
) -> tuple[dict[int, dict[int, Any]], set[tuple[int, int]]]:
    """Return what is in the rows that are not empty, by lines and columns, and cells of no value.

    These are blank, or formulas that nothing calculated.
    """
    from openpyxl.cell.read_only import EMPTY_CELL  # noqa: PLC0415

    rows: dict[int, dict[int, Any]] = {}
    blank, needed = set(), 0
    for line, row in enumerate(sheet.iter_rows(), 1):
        needed += PER_ROW + PER_CELL * len(row)
        check_memory(name, needed, max_bytes)
        there = [cell for cell in row if cell is not EMPTY_CELL]
        # The value of a formula may be the empty text, which is one.
        empty = (cell for cell in there if cell.value is None and cell.data_type != "str")
        blank |= {(line, cell.column) for cell in empty}
        if cells := {cell.column: _value(cell) for cell in there if cell.value is not None}:
            rows[line] = cells
    return rows, blank


def _value(cell: Any) -> Any:
    """Return text, a number, or why a cell cannot be read."""
    value, kind = cell.value, cell.data_type
    if kind == "e":
        return _unreadable(cell, f"the error {value}", CLEAR)
    if kind == "d" or (kind == "n" and cell.style_array.numFmtId in EAST_ASIAN_DATES):
        return _unreadable(cell, "a date", DATED)
    is_whole = isinstance(value, float) and value.is_integer()  # it may be a label
    return int(value) if is_whole else value


def _unreadable(cell: Any, what: str, remedy: str) -> Unreadable:
    where = f"cell {cell.coordinate} of sheet {shown(cell.parent.title)}"
    return Unreadable(f"{what} ({where})", remedy)
