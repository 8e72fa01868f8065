"""Tables in Excel workbooks: the first sheet that is not empty, by openpyxl and within limits."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, iterparse
from zipfile import ZipFile

from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.utils.escape import unescape
from openpyxl.worksheet._reader import FORMULA_TAG, INLINE_STRING, VALUE_TAG, WorkSheetParser
from openpyxl.xml.constants import ARC_STYLE, SHARED_STRINGS, SHEET_MAIN_NS

from rankagg.core import listed
from rankagg.exceptions import DataFormatError, DataWarning, shown
from rankagg.io.tables.sources import MAX_BYTES, check_memory
from rankagg.io.tables.table import Table, Unreadable

# Bytes of memory for a byte of XML, and for a cell of the table, filled or not.
PER_BYTE, PER_CELL = 64, 64
# openpyxl takes longest for the parts that list others, which are small.
SMALL_PART = 2**20
# The last row and column of any sheet, and how deep elements are nested.
ROWS, COLUMNS, DEEPEST = 2**20, 2**14, 64
# The start of a sheet shows whether it is empty.
GLANCE, FILLED = 2**20, re.compile(rb"<(\w+:)?[vft]\b")
# What numbers and numbers of shared texts look like; Python's `int` takes more.
CONTENTS = {"n": re.compile(r"[-+]?[0-9.]*([eE][-+]?[0-9]+)?"), "s": re.compile("[0-9]*")}
# Also in UTF-16, in either order of bytes.
DOCTYPES = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le")[:-1])
# Those of East Asian versions openpyxl does not know.
DATES = {at for at, code in BUILTIN_FORMATS.items() if is_date_format(code)}
DATES.update(range(27, 37), range(50, 59))

CLEAR = "Clear the cell where the value is missing."
SAVE = "Open the workbook in a spreadsheet, let it calculate, and save it."
DATED = "Give the cell the format of a number or of text."
MERGED = "Unmerge them, and fill each cell."


class _DamagedError(ValueError):
    """What is wrong with the XML of a workbook, in a few words."""


def read_excel(path: Path, max_bytes: int = MAX_BYTES) -> Table:
    """Return the table on the first sheet with data; its first filled row is the header."""
    try:
        with warnings.catch_warnings(), _Archive(path) as archive:
            warnings.simplefilter("ignore")
            archive.limits = path.name, max_bytes
            sheet, others, lines, rows = _first_filled(path, archive)
    except DataFormatError:
        raise
    except Exception as error:
        # Where XML is damaged openpyxl raises errors of any kind.
        what = str(error) if isinstance(error, _DamagedError) else type(error).__name__
        raise DataFormatError(
            f"{path.name} is no Excel workbook, or is damaged or encrypted ({what}): save it "
            "as CSV (UTF-8)."
        ) from None
    if others:
        told = f"{path.name}: sheet {shown(sheet)} was read, and not {listed(others)}."
        # Behind this are the readers of workbooks and of tables, and a public one that answers.
        warnings.warn(told, DataWarning, stacklevel=5)
    used = sorted(set().union(*rows))
    if not used:
        raise DataFormatError(f"{path.name} is empty; it must hold a header and at least one row.")
    check_memory(path.name, PER_CELL * len(rows) * len(used), max_bytes)
    header, *grid = [[row.get(column) for column in used] for row in rows]
    names = [name.strip() if isinstance(name, str) else name for name in header]
    for name in names:
        if isinstance(name, Unreadable):
            raise DataFormatError(f"{path.name} has for the name of a column {name}.", name.remedy)
    columns = [list(column) for column in zip(*grid, strict=True)] or [[] for _ in used]
    return Table(path.name, names, columns, lines=lambda: lines[1:])


class _Archive(ZipFile):
    """A workbook whose parts are counted before they are unpacked."""

    limits = "", MAX_BYTES
    unpacked = 0

    def open(self, name: Any, *_: Any, **__: Any) -> Any:
        """Return a part, unpacked."""
        self.unpacked += self.getinfo(name).file_size
        file, max_bytes = self.limits
        check_memory(file, PER_BYTE * self.unpacked, max_bytes)
        with super().open(name) as stream:
            content = stream.read()
        if any(mark in content for mark in DOCTYPES):
            raise _DamagedError("its XML declares a document type")
        return BytesIO(content)

    def read(self, name: Any, pwd: bytes | None = None) -> bytes:
        """Return a part that openpyxl takes as a whole."""
        if self.getinfo(name).file_size > SMALL_PART:
            raise _DamagedError(f"the part {name} is too large")
        return super().read(name, pwd)

    def is_filled(self, name: str) -> bool:
        """Say whether there is something in a sheet, or may be, as it is damaged."""
        try:
            with super().open(name) as stream:
                return FILLED.search(stream.read(GLANCE)) is not None
        except Exception:
            return True


def _first_filled(
    path: Path, archive: _Archive
) -> tuple[str, list[str], list[int], list[dict[int, Any]]]:
    """Return the first sheet with data, other such sheets, and the lines and rows of the first."""
    with path.open("rb") as file:
        reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
    reader.archive = archive
    reader.read_manifest()
    reader.read_workbook()
    # A part that is named twice is one sheet.
    sheets = {link.target: sheet.name for sheet, link in reader.parser.find_sheets()}
    part = reader.package.find(SHARED_STRINGS)
    texts = _elements(archive.open(part.PartName.lstrip("/")), "si") if part else ()
    strings = [_text(element) for _, element, _ in texts]
    dates = set(_date_styles(archive)) if ARC_STYLE in archive.namelist() else set()
    if not sheets:
        raise _DamagedError("it has no sheet")
    name = ""
    lines: list[int] = []
    rows: list[dict[int, Any]] = []
    while sheets and not rows:
        target, name = next(iter(sheets.items()))
        del sheets[target]
        lines, rows = _rows(archive.open(target), name, strings, dates)
    others = [name for target, name in sheets.items() if archive.is_filled(target)]
    return name, others, lines, rows


def _elements(stream: Any, *names: str) -> Iterator[tuple[str, Element, Element]]:
    """Yield elements and their parents at their ends, behind which their content is forgotten."""
    tags = {f"{{{SHEET_MAIN_NS}}}{name}": name for name in names}
    opened: list[Element] = []
    for event, element in iterparse(stream, ("start", "end")):
        if event == "start":
            opened.append(element)
            if len(opened) > DEEPEST:
                raise _DamagedError("its elements are nested too deep")
        else:
            opened.pop()
            if element.tag in tags:
                yield tags[element.tag], element, opened[-1]
                del opened[-1][:]


def _text(element: Element) -> str:
    """Return the text of a cell, without how it is pronounced and how it looks."""
    if not len(element):
        return ""
    text, run = (f"{{{SHEET_MAIN_NS}}}{name}" for name in "tr")
    texts = (
        part if part.tag == text else part.find(text) for part in element if part.tag in (text, run)
    )
    return str(unescape("".join(one.text or "" for one in texts if one is not None)))


def _date_styles(archive: _Archive) -> Iterator[int]:
    """Yield the styles that show numbers as dates or times."""
    dates = set(DATES)
    for name, element, _ in _elements(archive.open(ARC_STYLE), "numFmt", "cellXfs"):
        if name == "numFmt":
            number = int(element.get("numFmtId", ""))
            (dates.add if is_date_format(element.get("formatCode")) else dates.discard)(number)
        else:
            styles = enumerate(int(style.get("numFmtId", 0)) for style in element)
            yield from (at for at, number in styles if number in dates)


def _rows(
    stream: Any, sheet: str, strings: list[str], dates: Collection[int]
) -> tuple[list[int], list[dict[int, Any]]]:
    """Return the lines of a sheet that are not empty, and what is in their columns."""
    parser = WorkSheetParser(stream, strings, data_only=True)
    lines: list[int] = []
    rows: list[dict[int, Any]] = []
    merged: list[str] = []
    line = last = 0
    opened = None
    for name, element, parent in _elements(stream, "row", "c", "mergeCell"):
        if name == "mergeCell":
            merged.append(element.get("ref", ""))
            continue
        if opened is not (opened := parent if name == "c" else element):
            last, line = 0, int(opened.get("r", line + 1))
            if not parser.row_counter < line <= ROWS:
                raise _DamagedError(f"row {line} is in the wrong place")
            parser.row_counter, parser.col_counter = line, 0
        if name == "c":
            row, column, value = _cell(parser, element, sheet, dates)
            if row != line or not last < column <= COLUMNS:
                raise _DamagedError(f"cell {get_column_letter(column)}{row} is in the wrong place")
            last = column
            if value is not None and value != "":
                if lines[-1:] != [line]:
                    lines.append(line)
                    rows.append({})
                rows[-1][column] = value
    _cover(merged, lines, rows, sheet)
    return lines, rows


def _cell(
    parser: WorkSheetParser, element: Element, sheet: str, dates: Collection[int]
) -> tuple[int, int, Any]:
    """Return row, column and value of a cell: text, a number, or why it cannot be read."""
    kind, text = element.get("t", "n"), None
    if kind == "inlineStr" and (inline := element.find(INLINE_STRING)) is not None:
        text = _text(inline)
        inline.clear()  # openpyxl takes long for it
    content = element.findtext(VALUE_TAG)
    if content and kind in CONTENTS and not CONTENTS[kind].fullmatch(content):
        raise _DamagedError(f"cell {element.get('r', '')} says what is no value of its kind")
    found = parser.parse_cell(element)
    row, column, value = found["row"], found["column"], found["value"]
    # The value of a formula may be the empty text, which is one.
    if (
        value is None
        and (content is None or kind != "str")
        and element.find(FORMULA_TAG) is not None
    ):
        what = "a formula whose value is still to be calculated", SAVE
    elif value is None:
        return row, column, None
    elif kind == "e":
        what = f"the error {value}", CLEAR
    elif kind == "d" or (kind == "n" and found["style_id"] in dates):
        what = "a date", DATED
    elif kind == "str":
        return row, column, unescape(value)
    else:
        whole = isinstance(value, float) and value.is_integer()  # it may be a label
        return row, column, int(value) if whole else value if text is None else text
    return row, column, _unreadable(*what, row, column, sheet)


def _unreadable(what: str, remedy: str, row: int, column: int, sheet: str) -> Unreadable:
    place = f"cell {get_column_letter(column)}{row} of sheet {shown(sheet)}"
    return Unreadable(f"{what} ({place})", remedy)


def _cover(merged: list[str], lines: list[int], rows: list[dict[int, Any]], sheet: str) -> None:
    """Let no cell be read that lies under another one."""
    used = sorted(set().union(*rows))
    left = len(lines) * len(used)
    for area in merged:
        west, top, east, bottom = range_boundaries(area)
        across = used[bisect_left(used, west) : bisect_right(used, east)]
        down = range(bisect_left(lines, top), bisect_right(lines, bottom))
        left -= len(across) * len(down)
        if left < 0:
            raise _DamagedError("merged cells overlap")
        what = f"nothing that can be seen, under the merged cells {area}", MERGED
        for at in down:
            for column in across:
                if (lines[at], column) != (top, west):
                    rows[at][column] = _unreadable(*what, lines[at], column, sheet)
