"""Tables in text: cells between delimiters, JSON Lines, and JSON arrays of objects."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from rankagg.core import counted
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.output_files import unguard
from rankagg.io.tables.sources import (
    DISTINCT,
    MAX_BYTES,
    PER_BYTE,
    PER_OBJECT,
    check_filled,
    check_memory,
    check_plain_table,
    decoded,
    json_memory,
    parse_json,
    text_lines,
)
from rankagg.io.tables.table import Table

DELIMITERS = "\t,;"
QUOTE = b'"'
# Excel's line before the header.
STATED = re.compile(r'\ufeff?"?sep=(.)"?(?=[\r\n])', re.IGNORECASE)
# Signs without width, which no one sees.
NO_WIDTH = "\u200b\u2060\ufeff"

# Measured: bytes of memory for a cell of Arrow, a column, and a line of JSON.
PER_CELL, PER_COLUMN, PER_LINE = 16, 2**12, 256
# A row must fit into a block of Arrow.
BYTES_OF_BLOCK = 2**20
# Arrow takes as long for a column as the csv module for so many cells of it.
MANY_COLUMNS, FEW_ROWS = 256, 32


def read_delimited(
    name: str,
    data: bytes | str,
    *,
    blank_rows: bool = False,
    has_commas: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Table:
    """Read delimited text; raises where it is no table.

    Where numbers have commas, one parts cells only if nothing else makes a regular table. Arrow
    parts the cells where it is plain to see that the csv module would do the same (but for its
    limit of a cell); all else is left to that, which says what is wrong. Signs without width are
    left out, and columns at the end whose cells and heading are empty.
    """
    data, stated = _plain(name, data)
    cells, width = _counts(data)
    taken = PER_BYTE * len(data) + PER_CELL * cells + PER_COLUMN * width
    check_memory(name, taken, max_bytes)
    by_arrow = _by_arrow(data, blank_rows=blank_rows)
    body: list[tuple[int, list[str]]] = []
    if by_arrow is not None:
        head, columns, delimiter = by_arrow
    else:
        taken += PER_BYTE * len(data) + PER_OBJECT * cells
        check_memory(name, taken, max_bytes)
        text = decoded(name, data)
        check_plain_table(name, text)
        fits = {x: _fit(text, x) for x in DELIMITERS if x == stated or not stated}
        if has_commas and (fits["\t"][0] or fits[";"][0]):
            del fits[","]
        delimiter = max(fits, key=fits.__getitem__)
        rows = list(_numbered_rows(name, text, delimiter, blank_rows=blank_rows))
        if not rows:
            raise DataFormatError(f"{name} is empty; it must hold a header and at least one row.")
        (_, head), *body = rows
        width = _filled_width(head, [row for _, row in body])
        head, body = head[:width], [(line, _cut(row, width)) for line, row in body]
        columns = [list(column) for column in zip(*(row for _, row in body), strict=False)]
        columns = columns or [[] for _ in head]

    def lines() -> list[int]:
        again = _numbered_rows(name, decoded(name, data), delimiter, blank_rows=blank_rows)
        return [line for line, _ in again][1:]

    header = [unguard(cell.strip()) for cell in head]
    if header.count("") > 1:
        raise DataFormatError(
            f"{name} has {header.count('')} columns without a heading; a table has one line of "
            "headings, one for each column: take off the lines above it, or write headings in one "
            "line, as in 'ballot,1st choice,2nd choice'."
        )
    table = Table(name, header, columns, is_text=True, lines=lines, taken=taken)
    for line, row in body:
        if len(row) != len(header):
            raise DataFormatError(
                f"{name}, row {line} has {counted(len(row), 'cell')} where the header has "
                f"{len(header)}; every row must have one cell per column."
            )
    return table


def _counts(data: bytes | str) -> tuple[int, int]:
    """Return how many cells a text has at most, and how many of them in its first filled line."""
    signs = DELIMITERS + "\n\r"
    marks: list[Any] = list(signs) if isinstance(data, str) else [x.encode() for x in signs]
    filled = data.lstrip("\n\r") if isinstance(data, str) else data.lstrip(b"\n\r")
    start = len(data) - len(filled)
    end = min((at for x in marks[-2:] if (at := data.find(x, start)) >= 0), default=len(data))
    return sum(map(data.count, marks)), 1 + max(data.count(x, start, end) for x in marks[:-2])


def _plain(name: str, data: bytes | str) -> tuple[bytes | str, str | None]:
    """Return a text without signs that nobody sees, and the delimiter that it states."""
    seen = any((x.encode() in data if isinstance(data, bytes) else x in data) for x in NO_WIDTH)
    start = data[:16] if isinstance(data, str) else data[:16].decode(errors="replace")
    found = STATED.match(start)
    if not (seen or found):
        return data, None
    text = decoded(name, data)
    if found:
        # The line stays, empty, so that others keep their numbers.
        text = text[len(found.group().removeprefix("\ufeff")) :]
    stated = found[1] if found and found[1] in DELIMITERS else None
    return text.translate(dict.fromkeys(map(ord, NO_WIDTH))), stated


def _filled_width(head: list[str], rows: list[list[str]]) -> int:
    """Return the number of columns without those at the end that are empty throughout."""
    width = len(head)
    while width > 1 and not head[width - 1].strip():
        if any(cell.strip() for row in rows for cell in row[width - 1 :]):
            break
        width -= 1
    return width


def _cut(row: list[str], width: int) -> list[str]:
    """Return a row without empty cells behind the last column."""
    return row if any(cell.strip() for cell in row[width:]) else row[:width]


def _numbered_rows(
    name: str, text: str, delimiter: str, *, blank_rows: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, the header first, with their lines; raises where quotation marks are odd."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    width = 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row) or (blank_rows and width and len(row) == width):
                width = width or len(row)
                yield reader.line_num, row
    except csv.Error as error:
        raise DataFormatError(
            f"{name}, line {reader.line_num}: {error}. The file may be cut off."
        ) from None


def _fit(text: str, delimiter: str) -> tuple[bool, int]:
    """Say whether a delimiter makes a regular table, and how many columns its header has."""
    widths: list[int] = []
    regular = delimiter in text
    try:
        widths += (len(row) for _, row in _numbered_rows("", text, delimiter, blank_rows=False))
    except DataFormatError:
        regular = False
    width = widths[0] if widths else 0
    return regular and width > 1 and len(set(widths)) == 1, width if delimiter in text else 0


def _by_arrow(data: bytes | str, *, blank_rows: bool) -> tuple[list[str], list[Any], str] | None:
    """Return header, columns and delimiter.

    None where a table of two columns or more, all rows as long as the header, is not plain to see.
    """
    try:
        plain = (data.encode() if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf")
        ends = [at for at in (plain.find(b"\n"), plain.find(b"\r")) if at >= 0]
        head = plain[: min(ends, default=len(plain))]
        found = [delimiter for delimiter in DELIMITERS if delimiter.encode() in head]
        is_odd = head.lstrip()[:1] in (b"", b"<", b"{", b"[") or not head.strip(b" \t,;")
        is_odd |= head.rstrip()[-1:] in (b",", b";", b"\t")
        if is_odd or len(found) != 1 or head.count(QUOTE) % 2 or not ends:
            return None
        (delimiter,) = found
        (cells,) = csv.reader([head.decode()], delimiter=delimiter, strict=True)
    except (ValueError, csv.Error):
        return None
    is_wide = len(cells) > MANY_COLUMNS and plain.count(b"\n") < FEW_ROWS
    if is_wide or (QUOTE in plain and not _is_quoted(plain, delimiter)):
        return None
    columns = _columns(plain, len(head), delimiter, len(cells))
    if columns is not None and not blank_rows:
        columns = _without_blank(columns)
    return None if columns is None or not len(columns[0]) else (cells, columns, delimiter)


def _columns(data: bytes, start: int, delimiter: str, width: int) -> list[Any] | None:
    """Return the columns below a header as text; None where the csv module must be asked."""
    names = [str(position) for position in range(width)]
    kinds: dict[str, Any] = dict.fromkeys(names, pa.string())
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(memoryview(data)[start:])),
            arrow_csv.ReadOptions(column_names=names, block_size=max(BYTES_OF_BLOCK, 4 * start)),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=QUOTE in data),
            arrow_csv.ConvertOptions(column_types=kinds, strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    return list(table.columns)


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


def _without_blank(columns: list[Any]) -> list[Any]:
    """Leave out rows whose cells are all blank."""
    blank = None
    for column in columns:
        empty = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(column)), 0)
        blank = empty if blank is None else pc.and_(blank, empty)
        if not pc.any(blank).as_py():
            return columns
    return [column.filter(pc.invert(blank)) for column in columns]


# -- JSON -----------------------------------------------------------------------------------------


def read_json_lines(name: str, text: str, max_bytes: int = MAX_BYTES) -> Table:
    """Return the table in JSON Lines."""
    taken = PER_LINE * (text.count("\n") + text.count("\r")) + json_memory(text)
    check_memory(name, taken, max_bytes)
    numbered = [pair for pair in enumerate(text_lines(text), start=1) if pair[1].strip()]
    rows = [parse_json(line, f"{name}, line {number}", DISTINCT) for number, line in numbered]
    lines = [number for number, _ in numbered]
    for number, row in zip(lines, rows, strict=True):
        if not isinstance(row, dict):
            raise DataFormatError(
                f"{name} is JSON Lines, and line {number} holds {shown(row)}; every line must hold "
                'one object such as {"system": "A", "task": "x", "score": 0.5}.'
            )
    return _table_of(name, rows, lambda: lines, taken, max_bytes)


def read_json_array(name: str, text: str, max_bytes: int = MAX_BYTES) -> Table:
    """Return the table in a JSON array of objects, the rows."""
    taken = json_memory(text)
    check_memory(name, taken, max_bytes)
    rows = parse_json(text, name, DISTINCT)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise DataFormatError(
                f"{name} is a JSON array, and element {number} holds {shown(row)}; every element "
                "must be an object with a cell for each column."
            )
    return _table_of(name, rows, None, taken, max_bytes)


def _table_of(
    name: str,
    rows: Sequence[dict[str, Any]],
    lines: Callable[[], list[int]] | None,
    taken: int,
    max_bytes: int,
) -> Table:
    """Return the table of objects; columns stand in the order in which they first occur."""
    names = list(dict.fromkeys(key for row in rows for key in row))
    filled = sum(map(len, rows))
    check_filled(name, (len(rows), "rows"), (len(names), "columns"), filled, max_bytes=max_bytes)
    columns = [[row.get(key) for row in rows] for key in names]
    header = [key.strip() for key in names]
    return Table(name, header, columns, lines=lines, taken=taken)
