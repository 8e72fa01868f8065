"""Delimited text by Arrow, where that says the same as reading it cell by cell.

Cells stay text: labels may look like numbers, and numbers may have more digits than floats.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv

from rankagg.exceptions import DataFormatError
from rankagg.io.tables.arrow_table import ArrowTable
from rankagg.io.tables.cells import CellTable, as_label

__all__ = ["parse_text"]

DELIMITERS = "\t,;"
QUOTE = b'"'

# A row must fit into a block.
BLOCK = 2**20
# Arrow takes as long for a column as the csv module for this many cells of it.
WIDE, SHORT = 256, 32
# The longest cell that the csv module reads.
LONGEST = 2**17


def parse_text(
    name: str,
    data: bytes,
    explain: Callable[[Sequence[Any]], CellTable],
    *,
    blank_rows: bool = False,
) -> ArrowTable | None:
    """Return the table in a UTF-8 text.

    None where a table of two columns or more, all rows as long as the header, is not plain to see:
    reading cell by cell tells what it is, or what is wrong.
    """
    head, body = _parted(data)
    delimiter = _delimiter(head)
    is_quoted = QUOTE in data
    if delimiter is None or not body or (is_quoted and not _is_quoted(data, delimiter)):
        return None
    try:
        (cells,) = csv.reader([head.decode()], delimiter=delimiter, strict=True)
    except (ValueError, csv.Error):
        return None
    columns = _columns(body, delimiter, len(cells), is_quoted=is_quoted)
    if columns is not None and not blank_rows:
        columns = _without_blank(columns)
    if columns is None:
        return None
    header = [as_label(cell, True) for cell in cells]
    try:
        return ArrowTable(name, header, columns, is_text=True, explain=explain)
    except DataFormatError:
        return None


def _parted(data: bytes) -> tuple[bytes, memoryview]:
    """Part a text behind its first line."""
    ends = [at for at in (data.find(b"\n"), data.find(b"\r")) if at >= 0]
    end = min(ends, default=len(data))
    return data[:end], memoryview(data)[end:]


def _delimiter(head: bytes) -> str | None:
    """Return the delimiter of a header; None where it has none, or several could be it."""
    if not head.strip(b" \t,;") or head.count(QUOTE) % 2:
        return None
    found = [delimiter for delimiter in DELIMITERS if delimiter.encode() in head]
    return found[0] if len(found) == 1 else None


def _is_quoted(data: bytes, delimiter: str) -> bool:
    """Say whether every quotation mark begins or ends a cell, or is one of two inside of it.

    Of marks numbered from 0 the even ones open a quotation, the odd ones close it.
    """
    characters = np.frombuffer(data, dtype=np.uint8)
    at = np.flatnonzero(characters == QUOTE[0])
    if len(at) % 2:
        return False
    limits = np.zeros(256, dtype=np.bool_)
    limits[[ord(delimiter), ord("\n"), ord("\r"), QUOTE[0]]] = True
    opening, closing = at[0::2], at[1::2]
    begins = limits[characters[opening - 1]] | (opening == 0)
    ends = limits[characters[np.minimum(closing + 1, len(data) - 1)]] | (closing + 1 == len(data))
    return bool(begins.all() and ends.all())


def _columns(body: memoryview, delimiter: str, width: int, *, is_quoted: bool) -> list[Any] | None:
    """Return the columns as text; None where Arrow does not read them."""
    length = _length_of_row(body)
    if width > WIDE and len(body) < SHORT * length:
        return None
    names = [str(position) for position in range(width)]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(body)),
            read_options=arrow_csv.ReadOptions(
                column_names=names, block_size=max(BLOCK, 4 * length)
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=is_quoted),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns: list[Any] = table.columns
    for column in columns:
        if column.nbytes > LONGEST and pc.max(pc.binary_length(column)).as_py() >= LONGEST:
            return None
    return columns


def _without_blank(columns: list[Any]) -> list[Any]:
    """Leave out rows whose cells are all blank."""
    blank = _blank_rows(columns)
    if not len(blank):
        return columns
    kept = np.ones(len(columns[0]), dtype=np.bool_)
    kept[blank] = False
    return [column.filter(pa.array(kept)) for column in columns]


def _length_of_row(body: memoryview) -> int:
    """Return the length of the first row that is not empty, at least where it is short."""
    for window in (BLOCK, len(body)):
        first = bytes(body[:window]).lstrip(b"\r\n")
        length = max(first.find(b"\n"), first.find(b"\r"))
        if length >= 0:
            return length
    return len(body)


def _blank_rows(columns: list[Any]) -> NDArray[np.intp]:
    """Return the rows whose cells are all blank."""
    rows = np.flatnonzero(np.concatenate([_may_be_blank(chunk) for chunk in columns[0].chunks]))
    for column in columns:
        if not len(rows):
            break
        encoded = pc.dictionary_encode(column.take(pa.array(rows)).combine_chunks())
        blank = np.array([not text.strip() for text in encoded.dictionary.to_pylist()])
        rows = rows[blank[encoded.indices.to_numpy(zero_copy_only=False)]]
    return rows


def _may_be_blank(chunk: Any) -> NDArray[np.bool_]:
    """Tell where a text is empty or does not begin with a visible sign of ASCII."""
    _, offsets, characters = chunk.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    empty: NDArray[np.bool_] = bounds[1:] == bounds[:-1]
    if characters is None or not characters.size:
        return empty
    first = np.frombuffer(characters, dtype=np.uint8)[np.minimum(bounds[:-1], characters.size - 1)]
    blank: NDArray[np.bool_] = empty | (first <= ord(" ")) | (first > ord("~"))
    return blank
