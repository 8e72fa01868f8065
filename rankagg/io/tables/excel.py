"""Tables in Excel workbooks: the first sheet that is not empty, by openpyxl and within limits."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import iterparse
from zipfile import ZipFile

from openpyxl.reader.excel import ExcelReader
from openpyxl.utils.cell import coordinate_to_tuple, get_column_letter
from openpyxl.xml.constants import SHEET_MAIN_NS

from rankagg.core import listed
from rankagg.exceptions import DataFormatError, DataWarning, shown
from rankagg.io.tables.sources import MAX_BYTES, check_memory
from rankagg.io.tables.table import Table, Unreadable

# Measured: bytes of memory for a byte of XML, and for a row and a cell, filled or not.
PER_BYTE, PER_ROW, PER_CELL = 160, 512, 64
# Parts of other names are small, and openpyxl takes long for each byte of them.
LARGE_PARTS = re.compile("xl/(worksheets/[^/]*|sharedStrings|media/|drawings/|charts/|pivotCache/)")
SMALL_PART = 2**20
# Entities of a document type can stand for far more text; also in UTF-16, in either byte order.
DOCTYPES = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le")[:-1])
# Formats of dates in East Asian versions, which openpyxl does not know.
EAST_ASIAN_DATES = {*range(27, 37), *range(50, 59)}
ROW, CELL, FORMULA, VALUE, TEXT, MERGED = (
    f"{{{SHEET_MAIN_NS}}}{name}" for name in ("row", "c", "f", "v", "t", "mergeCell")
)
FILLED = (FORMULA, VALUE, TEXT)

CLEAR = "Clear the cell where the value is missing."
SAVE = "Open the workbook in a spreadsheet, let it calculate, and save it."
DATED = "Give the cell the format of a number or of text."


def read_excel(path: Path, max_bytes: int = MAX_BYTES) -> Table:
    """Return the table on the first sheet with data; its first filled row is the header."""
    try:
        with warnings.catch_warnings(), path.open("rb") as file:
            warnings.simplefilter("ignore")
            _check_parts(path.name, file, max_bytes)
            lines, rows, notes = _first_filled(path.name, file, max_bytes)
    except DataFormatError:
        raise
    except Exception as error:
        # Where XML is damaged openpyxl raises errors of any kind.
        raise DataFormatError(
            f"{path.name} is no Excel workbook, or is damaged or encrypted "
            f"({type(error).__name__}): save it as CSV (UTF-8)."
        ) from None
    for note in notes:
        # Behind this are the readers of workbooks and of tables, and a public one.
        warnings.warn(f"{path.name}: {note}.", DataWarning, stacklevel=4)
    names = [name.strip() if isinstance(name, str) else name for name in rows[0]]
    for name in names:
        if isinstance(name, Unreadable):
            raise DataFormatError(f"{path.name} has for the name of a column {name}.", name.remedy)
    columns = [list(column) for column in zip(*rows[1:], strict=True)] or [[] for _ in names]
    return Table(path.name, names, columns, lines=lambda: lines[1:])


def _check_parts(name: str, file: IO[bytes], max_bytes: int) -> None:
    """Raise where a workbook is too large, by the sizes that none of its parts can exceed."""
    with ZipFile(file) as archive:
        parts = archive.infolist()
        check_memory(name, PER_BYTE * sum(part.file_size for part in parts), max_bytes)
        for part in parts:
            if part.file_size > SMALL_PART and not LARGE_PARTS.match(part.filename):
                raise DataFormatError(
                    f"The part {shown(part.filename)} of {name} has {part.file_size:,} bytes, and "
                    f"at most {SMALL_PART:,} are read: save it as CSV (UTF-8)."
                )
            content = archive.read(part)
            if any(mark in content for mark in DOCTYPES):
                raise DataFormatError(
                    f"The XML of {name} declares a document type: save it as CSV (UTF-8)."
                )


def _first_filled(
    name: str, file: IO[bytes], max_bytes: int
) -> tuple[list[int], list[list[Any]], list[str]]:
    """Return the lines and the rows of the first sheet with data, and what is not read."""
    reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
    reader.read_manifest()
    reader.read_workbook()
    links = [(sheet.name, link.target) for sheet, link in reader.parser.find_sheets()]
    parts = dict(links)
    if len(set(parts.values())) < len(links):
        raise DataFormatError(
            f"Two sheets of {name} have one name or one content: save it as CSV (UTF-8)."
        )
    reader.read()
    filled = [sheet for sheet in reader.wb.worksheets if _is_filled(reader, parts[sheet.title])]
    if not filled:
        raise DataFormatError(f"{name} is empty; it must hold a header and at least one row.")
    sheet, *others = filled
    rows = dict(_filled_rows(name, sheet, max_bytes))
    formulas, is_merged = _formulas_without_value(reader, parts[sheet.title])
    for line, column in formulas:
        what = "a formula whose value is still to be calculated"
        rows.setdefault(line, {})[column] = _unreadable(what, SAVE, line, column, sheet.title)
    used = sorted(set().union(*rows.values()))
    check_memory(name, PER_CELL * len(rows) * len(used), max_bytes)
    notes = []
    if is_merged and any(len(row) < len(used) for row in rows.values()):
        notes.append(f"sheet {shown(sheet.title)} has merged cells; only the first of each is read")
    if others:
        unread = listed([other.title for other in others])
        notes.append(f"sheet {shown(sheet.title)} was read, and not {unread}")
    lines = sorted(rows)
    return lines, [[rows[line].get(column) for column in used] for line in lines], notes


def _is_filled(reader: ExcelReader, part: str) -> bool:
    """Say whether there is something in a sheet."""
    with reader.archive.open(part) as stream:
        return any(element.tag in FILLED and element.text for _, element in iterparse(stream))


def _formulas_without_value(reader: ExcelReader, part: str) -> tuple[list[tuple[int, int]], bool]:
    """Return rows and columns of the formulas that nothing calculated, and if cells are merged."""
    found, is_merged = [], False
    with reader.archive.open(part) as stream:
        for _, element in iterparse(stream):
            is_merged = is_merged or element.tag == MERGED
            if element.tag == CELL and element.find(FORMULA) is not None:
                # The value of a formula may be the empty text, which is one.
                value = element.findtext(VALUE)
                if value is None or (value == "" and element.get("t") != "str"):
                    found.append(coordinate_to_tuple(element.get("r")))
            if element.tag in (ROW, MERGED):
                element.clear()
    return found, is_merged


def _filled_rows(name: str, sheet: Any, max_bytes: int) -> Iterator[tuple[int, dict[int, Any]]]:
    """Yield the lines of a sheet that are not empty, and what is in their columns."""
    sheet.reset_dimensions()
    needed = 0
    for line, row in enumerate(sheet.iter_rows(), 1):
        needed += PER_ROW + PER_CELL * len(row)
        check_memory(name, needed, max_bytes)
        filled = [cell for cell in row if cell.value is not None and cell.value != ""]
        if filled:
            yield line, {cell.column: _value(cell, sheet.title) for cell in filled}


def _value(cell: Any, sheet: str) -> Any:
    """Return text, a number, or why a cell cannot be read."""
    value, kind = cell.value, cell.data_type
    if kind == "e":
        return _unreadable(f"the error {value}", CLEAR, cell.row, cell.column, sheet)
    if kind == "d" or (kind == "n" and cell.style_array.numFmtId in EAST_ASIAN_DATES):
        return _unreadable("a date", DATED, cell.row, cell.column, sheet)
    is_whole = isinstance(value, float) and value.is_integer()  # it may be a label
    return int(value) if is_whole else value


def _unreadable(what: str, remedy: str, row: int, column: int, sheet: str) -> Unreadable:
    place = f"cell {get_column_letter(column)}{row} of sheet {shown(sheet)}"
    return Unreadable(f"{what} ({place})", remedy)
