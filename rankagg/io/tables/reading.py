"""Tables in files of all kinds: text between delimiters, JSON, Parquet and Excel."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, cast
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from rankagg.core import counted, listed
from rankagg.exceptions import DataFormatError, DataWarning, shown
from rankagg.io.output_files import unguard
from rankagg.io.tables import sources
from rankagg.io.tables.columns import USUAL, NumberStyle
from rankagg.io.tables.sources import MAX_BYTES, PER_BYTE, TableSource, check_memory, decoded
from rankagg.io.tables.table import Table, Unreadable

JSON_OBJECT = re.compile(rb"(\xef\xbb\xbf)?\s*\{")
JSON_OBJECTS = re.compile(rb"(\xef\xbb\xbf)?\s*\{[^\n]*\}\s*\n\s*\{")
JSON_ARRAY = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*\{")
# Measured: bytes of memory for a value of a Parquet file, and for a column of a row group.
PER_VALUE, PER_CHUNK = 16, 2**12
# And for a byte of XML of a workbook, a row, and a cell, filled or not.
PER_SHEET_BYTE, PER_SHEET_ROW, PER_SHEET_CELL = 160, 512, 64
# Formats of dates in East Asian versions, which openpyxl does not know.
EAST_ASIAN_DATES = {*range(27, 37), *range(50, 59)}
CLEAR = "Clear the cell where the value is missing."
SAVE = "Open the workbook in a spreadsheet, let it calculate, and save it."
DATED = "Give the cell the format of a number or of text."
DELIMITERS = "\t,;"
QUOTE = b'"'
FIRST_LINE = re.compile(rb"[\r\n]*([^\r\n]*)")
# Excel's line before the header that states the delimiter.
STATED = re.compile(r'\ufeff?"?sep=(.)"?(?=[\r\n])', re.IGNORECASE)
# Invisible characters without width.
NO_WIDTH = "\u200b\u2060\ufeff"

# Measured: bytes of memory for a cell of Arrow, a column, and a line of JSON.
PER_CELL, PER_COLUMN, PER_LINE = 16, 2**12, 256
# A row must fit into a block of Arrow.
BYTES_OF_BLOCK = 2**20
# Wide tables with few rows are read faster by the csv module.
MANY_COLUMNS, FEW_ROWS = 256, 32


def read_table(
    source: TableSource,
    *,
    style: NumberStyle = USUAL,
    blank_rows: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Table:
    """Read a table from a file, or take a frame.

    Text is delimited by commas, tabs or semicolons, as in the header. The name of a file states any
    other kind. In text, rows with blank cells only are skipped unless `blank_rows`; empty lines
    always.
    """
    kind = sources.kind_by_name(source)
    if sources.is_any_frame(source):
        table = Table.of_frame(source)
    elif kind in sources.BINARY:
        path = Path(cast(str, source))
        sources.opened(path, lambda path: path.open("rb").close())
        table = (_read_excel if kind == "Excel" else _read_parquet)(path, max_bytes)
    else:
        name, data = sources.read_data(source, max_bytes)
        objects = JSON_OBJECTS if kind == "JSON" else JSON_OBJECT
        named_json = data if kind is not None and isinstance(data, bytes) else b""
        is_array = JSON_ARRAY.match(named_json) is not None
        if is_array or objects.match(named_json):
            table = _read_json(name, decoded(name, data), max_bytes, is_array=is_array)
        else:
            options = {"blank_rows": blank_rows, "has_commas": style.decimal == ","}
            table = _read_delimited(name, data, max_bytes=max_bytes, **options)
    return replace(table, style=style, max_bytes=max_bytes)


# -- text ------------------------------------------------------------------------------------------


def _read_delimited(
    name: str,
    data: bytes | str,
    *,
    blank_rows: bool = False,
    has_commas: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Table:
    """Read delimited text; raise if it is no table.

    If numbers have decimal commas, a comma is the delimiter only if no other sign makes a regular
    table. Arrow parses texts for which the csv module would give the same cells (but for its limit
    of a cell); the csv module parses all others, and reports errors. Invisible characters are left
    out, and columns at the end without any text.
    """
    data, stated = _without_invisible(name, data)
    cells, width = _counts(data)
    taken = PER_BYTE * len(data) + PER_CELL * cells + PER_COLUMN * width
    check_memory(name, taken, max_bytes)
    parsed = _parse_by_arrow(data, blank_rows=blank_rows)
    body: list[tuple[int, list[str]]] = []
    if parsed is not None:
        head, columns, delimiter = parsed
    else:
        taken += PER_BYTE * len(data) + sources.PER_OBJECT * cells
        check_memory(name, taken, max_bytes)
        text = decoded(name, data)
        sources.check_plain_table(name, text)
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
    table = Table(name, header, columns, is_text=True, lines=lines, taken=taken)
    for line, row in body:
        if len(row) != len(header):
            raise DataFormatError(
                f"{name}, row {line} has {counted(len(row), 'cell')} where the header has "
                f"{len(header)}; every row must have one cell per column."
            )
    return table


def _counts(data: bytes | str) -> tuple[int, int]:
    """Return the largest possible numbers of cells, and of columns in the first filled line."""
    raw = data.encode(errors="replace") if isinstance(data, str) else data
    head = FIRST_LINE.match(raw)[1]  # type: ignore[index]
    delimiters = [x.encode() for x in DELIMITERS]
    n_cells = sum(map(raw.count, [*delimiters, b"\n", b"\r"]))
    return n_cells, 1 + max(map(head.count, delimiters))


def _without_invisible(name: str, data: bytes | str) -> tuple[bytes | str, str | None]:
    """Return a text without invisible characters, and the delimiter that it states."""
    is_any = any((x.encode() in data if isinstance(data, bytes) else x in data) for x in NO_WIDTH)
    start = data[:16] if isinstance(data, str) else data[:16].decode(errors="replace")
    match = STATED.match(start)
    if not (is_any or match):
        return data, None
    text = decoded(name, data)
    if match:
        # The empty line remains, so that others keep their numbers.
        text = text[len(match.group().removeprefix("\ufeff")) :]
    stated = match[1] if match and match[1] in DELIMITERS else None
    return text.translate(dict.fromkeys(map(ord, NO_WIDTH))), stated


def _filled_width(head: list[str], rows: list[list[str]]) -> int:
    """Return the number of columns up to the last one that is not empty."""
    width = len(head)
    while width > 1 and not head[width - 1].strip():
        if any(cell.strip() for row in rows for cell in row[width - 1 :]):
            break
        width -= 1
    return width


def _cut(row: list[str], width: int) -> list[str]:
    """Return a row without empty cells after the last column."""
    return row if any(cell.strip() for cell in row[width:]) else row[:width]


def _numbered_rows(
    name: str, text: str, delimiter: str, *, blank_rows: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield line and cells of the header and the rows; raise if quotation marks are wrong."""
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
    """Return whether a delimiter makes a regular table, and the width of the header."""
    widths: list[int] = []
    regular = delimiter in text
    try:
        widths += (len(row) for _, row in _numbered_rows("", text, delimiter, blank_rows=False))
    except DataFormatError:
        regular = False
    width = widths[0] if widths else 0
    return regular and width > 1 and len(set(widths)) == 1, width if delimiter in text else 0


def _parse_by_arrow(
    data: bytes | str, *, blank_rows: bool
) -> tuple[list[str], list[Any], str] | None:
    """Return header, columns and delimiter of a regular table of two columns or more.

    Return None if the csv module might read the text differently.
    """
    try:
        plain = (data.encode() if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf")
        ends = [at for at in (plain.find(b"\n"), plain.find(b"\r")) if at >= 0]
        head = plain[: min(ends, default=len(plain))]
        delimiters = [delimiter for delimiter in DELIMITERS if delimiter.encode() in head]
        is_odd = head.lstrip()[:1] in (b"", b"<", b"{", b"[") or not head.strip(b" \t,;")
        is_odd |= head.rstrip()[-1:] in (b",", b";", b"\t")
        if is_odd or len(delimiters) != 1 or head.count(QUOTE) % 2 or not ends:
            return None
        (delimiter,) = delimiters
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
    """Return the columns below a header as text; None if Arrow cannot parse them."""
    names = [str(position) for position in range(width)]
    kinds: dict[str, Any] = dict.fromkeys(names, pa.string())
    # A copy of Arrow's own, so that no thread of Arrow has to release memory of Python.
    copied = pa.BufferOutputStream()
    copied.write(memoryview(data)[start:])
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(copied.getvalue()),
            arrow_csv.ReadOptions(column_names=names, block_size=max(BYTES_OF_BLOCK, 4 * start)),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=QUOTE in data),
            arrow_csv.ConvertOptions(column_types=kinds, strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    return list(table.columns)


def _is_quoted(data: bytes, delimiter: str) -> bool:
    """Return whether every quotation mark begins or ends a cell, or is doubled inside it.

    Of marks numbered from 0, even ones open a quotation and odd ones close it.
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
    """Leave out rows with blank cells only."""
    blank = None
    for column in columns:
        empty = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(column)), 0)
        blank = empty if blank is None else pc.and_(blank, empty)
        if not pc.any(blank).as_py():
            return columns
    return [column.filter(pc.invert(blank)) for column in columns]


# -- JSON -----------------------------------------------------------------------------------------


def _read_json(name: str, text: str, max_bytes: int, *, is_array: bool) -> Table:
    """Return the table in JSON Lines or in an array, an object for each row.

    Columns are in the order of first occurrence.
    """
    taken = sources.json_memory(text) + PER_LINE * (text.count("\n") + text.count("\r"))
    check_memory(name, taken, max_bytes)
    filled = [pair for pair in enumerate(sources.text_lines(text), 1) if pair[1].strip()]
    lines = [line for line, _ in filled]
    if is_array:
        rows = sources.parse_json(text, name, sources.DISTINCT)
    else:
        parsed = partial(sources.parse_json, decoder=sources.DISTINCT)
        rows = [parsed(row, f"{name}, line {line}") for line, row in filled]
    for at, row in enumerate(rows):
        if not isinstance(row, dict):
            where = f"element {at + 1}" if is_array else f"line {lines[at]}"
            raise DataFormatError(
                f"{name} holds {shown(row)} as {where}, which must be an object with a cell for "
                'each column, such as {"system": "A", "task": "x", "score": 0.5}.'
            )
    names = list(dict.fromkeys(key for row in rows for key in row))
    sizes = {"rows": len(rows), "columns": len(names)}
    sources.check_filled(name, sizes, sum(map(len, rows)), max_bytes)
    columns = [[row.get(key) for row in rows] for key in names]
    return Table(name, names, columns, lines=None if is_array else lambda: lines, taken=taken)


# -- Parquet --------------------------------------------------------------------------------------


def _read_parquet(path: Path, max_bytes: int) -> Table:
    """Return the table in a Parquet file; an index that pandas wrote comes first."""
    from pyarrow import parquet  # noqa: PLC0415 - of Parquet files alone

    try:
        stated = parquet.read_metadata(path)
        taken = _stated_bytes(stated)
        check_memory(path.name, taken, max_bytes)
        leaves = [stated.schema.column(at) for at in range(stated.num_columns)]
        # Texts stay in dictionaries until their total size is checked. Checksums, which writers
        # may add, detect a flipped byte of an uncompressed file.
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
    return Table.of_arrow(path.name, plain, taken)


def _stated_bytes(stated: Any) -> int:
    """Return the memory for reading a Parquet file by its footer: values, pages and columns.

    It takes sums over row groups, as Arrow crashes on a column of a damaged footer.
    """
    groups = list(map(stated.row_group, range(stated.num_row_groups)))
    n_values: int = sum(group.num_rows * group.num_columns for group in groups)
    n_chunks: int = sum(group.num_columns for group in groups)
    pages: int = sum(group.total_byte_size for group in groups)
    return PER_VALUE * n_values + 2 * pages + PER_CHUNK * n_chunks


def _text_bytes(column: Any) -> int:
    """Return the memory for the texts of a dictionary-encoded column, once decoded."""
    if not pa.types.is_dictionary(column.type):
        return 0
    sizes = (pc.take(pc.binary_length(part.dictionary), part.indices) for part in column.chunks)
    return 2 * int(sum(pc.sum(size).as_py() or 0 for size in sizes))


def _plain(column: Any) -> Any:
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def _with_index(table: Any, stated: Any) -> Any:
    """Put the index columns of pandas first, as for a frame."""
    listed_index = stated.get("index_columns") if isinstance(stated, dict) else None
    columns = listed_index if isinstance(listed_index, list) else []
    named = [name for name in columns if isinstance(name, str)]
    index = [name for name in dict.fromkeys(named) if table.column_names.count(name) == 1]
    if not index:
        return table
    others = [name for name in table.column_names if name not in index]
    unnamed = {f"__index_level_{level}__" for level in range(len(index))}
    if len(index) == 1 and index[0] in unnamed:
        # Whole numbers without a name are row numbers, in any order.
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
            check_memory(path.name, PER_SHEET_BYTE * stated, max_bytes)
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
        # For damaged XML, openpyxl raises errors of any kind.
        raise DataFormatError(
            f"{path.name} is no Excel workbook, or is damaged or encrypted "
            f"({type(error).__name__}): save it as CSV (UTF-8)."
        ) from None
    if len(filled) > 1:
        unread = listed([book.worksheets[at].title for at in filled[1:]])
        sentence = f"{path.name}: sheet {shown(sheet.title)} was read, and not {unread}."
        # The callers are `read_table` and a public reader.
        warnings.warn(sentence, DataWarning, stacklevel=4)
    used = sorted(set().union(*rows.values()))
    check_memory(path.name, PER_SHEET_CELL * len(rows) * len(used), max_bytes)
    lines = sorted(rows)
    columns = [[rows[line].get(column) for line in lines] for column in used]
    for column in columns:
        if isinstance(column[0], Unreadable):
            named = f"{path.name} has for the name of a column {column[0]}."
            raise DataFormatError(named, column[0].remedy)
    header = ["" if column[0] is None else column[0] for column in columns]
    return Table(path.name, header, [column[1:] for column in columns], lines=lambda: lines[1:])


def _is_filled(sheet: Any) -> bool:
    """Return whether a sheet has a filled cell."""
    sheet.reset_dimensions()
    return any(cell.value is not None for row in sheet.iter_rows() for cell in row)


def _filled_rows(
    name: str, sheet: Any, max_bytes: int
) -> tuple[dict[int, dict[int, Any]], set[tuple[int, int]]]:
    """Return the values of rows by line and column, and the cells without a value.

    The latter are blank, or formulas that were not calculated.
    """
    from openpyxl.cell.read_only import EMPTY_CELL  # noqa: PLC0415

    rows: dict[int, dict[int, Any]] = {}
    blank, needed = set(), 0
    for line, row in enumerate(sheet.iter_rows(), 1):
        needed += PER_SHEET_ROW + PER_SHEET_CELL * len(row)
        check_memory(name, needed, max_bytes)
        present = [cell for cell in row if cell is not EMPTY_CELL]
        # A formula may have the empty text as its value.
        empty = (cell for cell in present if cell.value is None and cell.data_type != "str")
        blank |= {(line, cell.column) for cell in empty}
        if cells := {cell.column: _value(cell) for cell in present if cell.value is not None}:
            rows[line] = cells
    return rows, blank


def _value(cell: Any) -> Any:
    """Return a text or number, or the reason why a cell cannot be read."""
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
