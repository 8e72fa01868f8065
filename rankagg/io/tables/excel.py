"""Tables in Excel workbooks: the XML of the first sheet, read once and within bounds."""

from __future__ import annotations

import posixpath
import re
import warnings
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice
from math import isinf
from pathlib import Path
from typing import Any
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from rankagg.core import counted, listed
from rankagg.exceptions import DataFormatError, DataWarning, shown
from rankagg.io.tables.table import Table, Unreadable

# A workbook may unpack to 16 MiB, or fifty times what it takes, and never to more than 512 MiB.
UNPACKED, TIMES_UNPACKED, MOST_UNPACKED_SHEETS = 2**24, 50, 2**29
# So many cells may be filled, and stand in rows and columns that are not empty.
SHEET_CELLS = 2**23
# The last row and column of any sheet.
ROWS, COLUMNS = 2**20, 2**14
CHUNK, DEEPEST = 2**16, 64

ADDRESS = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})", re.ASCII)
# Signs that XML cannot hold are written so.
CELL_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
# A format of numbers without what it quotes; what is left has one of these letters for a date.
QUOTED = re.compile(r'"[^"]*"|\\.|[_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
DATE = re.compile(r"[dmhys]", re.IGNORECASE)
USUAL_DATES = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])

CLEAR = "Clear the cell where the value is missing."
SAVE = "Open the workbook in a spreadsheet, let it calculate, and save it."
DATED = "Give the cell the format of a number or of text."
MERGED = "Unmerge them, and fill each cell."


class _DamagedError(ValueError):
    """What is wrong with the XML of a workbook, in a few words."""


NO_XML = (BadZipFile, zlib.error, expat.ExpatError)
DAMAGES = (*NO_XML, EOFError, OSError, LookupError, ValueError, OverflowError, RuntimeError)


def read_excel(path: Path) -> Table:
    """Return the table on the first sheet of a workbook; its first filled row is the header."""
    try:
        with ZipFile(path) as archive:
            limit = min(max(UNPACKED, TIMES_UNPACKED * path.stat().st_size), MOST_UNPACKED_SHEETS)
            if sum(part.file_size for part in archive.infolist()) > limit:
                raise DataFormatError(
                    f"{path.name} unpacks to more than {limit} bytes, the most for its size: save "
                    "its first sheet as CSV (UTF-8)."
                )
            return _Workbook(path.name, archive).table()
    except DataFormatError:
        raise
    except DAMAGES as error:
        what = str(error) if isinstance(error, _DamagedError) else type(error).__name__
        raise DataFormatError(
            f"{path.name} is no Excel workbook, or is damaged or encrypted ({what}): save it as "
            "CSV (UTF-8)."
        ) from None


class _Workbook:
    """The parts of a workbook that hold its first sheet."""

    def __init__(self, name: str, archive: ZipFile) -> None:
        self._name, self._archive = name, archive
        parts = archive.infolist()
        self._parts = {part.filename.replace("\\", "/").lower(): part for part in parts}
        self._is_stale = False
        self._merged: list[str] = []

    def table(self) -> Table:
        """Return the table on the first sheet."""
        book = next((at for _, kind, at in self._relations("") if kind == "officedocument"), "")
        related = {key: (kind, path) for key, kind, path in self._relations(book)}
        sheets = []
        for tag, attributes, _ in self._events(book):
            if tag == "sheet":
                key = next((v for k, v in attributes.items() if k.endswith(":id")), "")
                kind, path = related.get(key, ("", ""))
                if kind == "worksheet":
                    sheets.append((attributes.get("name", ""), path))
            elif tag == "calcPr":
                self._is_stale = attributes.get("fullCalcOnLoad") in ("1", "true")
        if not sheets:
            raise _DamagedError("it has no sheet")
        by_kind = dict(related.values())
        self._strings = list(islice(self._texts(by_kind.get("sharedstrings", "")), SHEET_CELLS))
        self._dates = set(self._date_styles(by_kind.get("styles", "")))
        self._sheet, path = sheets[0]
        if others := [sheet for sheet, other in sheets[1:] if self._is_filled(other)]:
            told = f"{self._name}: sheet {shown(self._sheet)} was read, and not {listed(others)}."
            # Behind this are the readers of workbooks and of tables, and a public one that answers.
            warnings.warn(told, DataWarning, stacklevel=6)
        return self._table(path)

    def _is_filled(self, path: str) -> bool:
        """Say whether there is something in a sheet, or may be, where it cannot be read."""
        try:
            return any(tag in ("/v", "/f", "/t") for tag, *_ in self._events(path))
        except DAMAGES:
            return True

    def _events(self, path: str) -> Iterator[tuple[str, dict[str, str], str]]:
        """Yield the starts of elements with their attributes, and their ends with their text."""
        part = self._parts.get(path.lower())
        if part is None or part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise _DamagedError(f"it has no part {shown(path)} that can be read")
        events: list[tuple[str, dict[str, str], str]] = []
        text: list[str] = []
        opened: list[str] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if text and "".join(text).strip():
                raise _DamagedError("text stands before an element")
            text.clear()
            opened.append(tag)
            if len(opened) > DEEPEST:
                raise _DamagedError("its elements are nested too deep")
            events.append((tag.rpartition(":")[2], attributes, ""))

        def end(tag: str) -> None:
            events.append((f"/{tag.rpartition(':')[2]}", {}, "".join(text)))
            opened.pop()
            text.clear()

        def refuse(*_: object) -> None:
            raise _DamagedError("its XML declares entities")

        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = text.append
        parser.StartDoctypeDeclHandler = refuse
        with self._archive.open(part) as stream:
            while chunk := stream.read(CHUNK):
                parser.Parse(chunk, False)
                yield from events
                events.clear()
        parser.Parse(b"", True)
        yield from events

    def _relations(self, path: str) -> Iterator[tuple[str, str, str]]:
        """Yield key, kind and path of the parts to which a part refers."""
        folder, name = posixpath.split(path)
        for tag, attributes, _ in self._events(posixpath.join(folder, "_rels", f"{name}.rels")):
            if tag == "Relationship":
                target = posixpath.join("/", folder, attributes.get("Target", ""))
                kind = attributes.get("Type", "").rpartition("/")[2].lower()
                yield attributes.get("Id", ""), kind, posixpath.normpath(target).lstrip("/")

    def _texts(self, path: str) -> Iterator[str]:
        """Yield the texts that cells share, without how they are pronounced."""
        parts: list[str] = []
        is_spoken = False
        for tag, _, text in self._events(path) if path else ():
            if tag in ("rPh", "/rPh"):
                is_spoken = tag == "rPh"
            elif tag == "/t" and not is_spoken:
                parts.append(text)
            elif tag == "/si":
                yield _unescaped("".join(parts))
                parts.clear()

    def _date_styles(self, path: str) -> Iterator[str]:
        """Yield the styles in which numbers are shown as dates or times."""
        dates = set(map(str, USUAL_DATES))
        number = -1
        for tag, attributes, _ in self._events(path) if path else ():
            if tag == "numFmt":
                code = QUOTED.sub("", attributes.get("formatCode", "").partition(";")[0])
                changed = dates.add if DATE.search(code) else dates.discard
                changed(attributes.get("numFmtId", ""))
            elif tag == "cellXfs":
                number = 0
            elif tag == "/cellXfs":
                return
            elif tag == "xf" and number >= 0:
                if attributes.get("numFmtId") in dates:
                    yield str(number)
                number += 1

    # -- the sheet --------------------------------------------------------------------------------

    def _table(self, path: str) -> Table:
        lines: list[int] = []
        rows: list[tuple[array[int], list[Any]]] = []
        filled = 0
        for line, column, value in self._cells(path):
            if not lines or lines[-1] != line:
                lines.append(line)
                rows.append((array("H"), []))
            rows[-1][0].append(column)
            rows[-1][1].append(value)
            filled += 1
            if filled > SHEET_CELLS:
                break
        used = sorted(set().union(*(columns for columns, _ in rows)))
        if not used:
            raise DataFormatError(
                f"{self._name} is empty; it must hold a header and at least one row."
            )
        if max(filled, len(lines) * len(used)) > SHEET_CELLS:
            raise DataFormatError(
                f"{self._name}, sheet {shown(self._sheet)} has {counted(len(lines), 'row')} and "
                f"{counted(len(used), 'column')} or more that are not empty; at most {SHEET_CELLS} "
                "cells are read: save it as CSV (UTF-8) or Parquet, or leave out what is hardly "
                "filled."
            )
        where = {column: position for position, column in enumerate(used)}
        grid: list[list[Any]] = []
        for columns, values in rows:
            grid.append([None] * len(used))
            for column, value in zip(columns, values, strict=True):
                grid[-1][where[column]] = value
            values.clear()
        self._cover(grid, lines, used)
        names = [name.strip() if isinstance(name, str) else name for name in grid[0]]
        for name in names:
            if isinstance(name, Unreadable):
                raise DataFormatError(
                    f"{self._name} has for the name of a column {name}.", name.remedy
                )
        # A header alone has as many columns, all empty.
        cells = [[row[at] for row in grid[1:]] for at in range(len(used))]
        return Table(self._name, names, cells, lines=lambda: lines[1:])

    def _cells(self, path: str) -> Iterator[tuple[int, int, Any]]:
        """Yield row, column and value of each cell, row by row, and keep what is merged."""
        row = column = 0
        cell: dict[str, str] | None = None
        parts: dict[str, list[str]] = {}
        is_spoken = False
        for tag, attributes, text in self._events(path):
            if cell is not None and tag in ("/v", "/f", "/t"):
                if not is_spoken:
                    parts.setdefault(tag, []).append(text)
            elif tag == "c":
                if cell is not None:
                    raise _DamagedError(f"a cell before {row + 1}:{column + 1} does not end")
                cell, parts = attributes, {}
            elif tag == "/c" and cell is not None:
                address = cell.get("r") or f"{_letters(column + 1)}{row}"
                number, line = _position(address)
                if line != row or number <= column:
                    raise _DamagedError(f"cell {address} stands in the wrong place")
                column = number
                value = self._value(cell, parts, address)
                if value is not None and value != "":
                    yield row, column, value
                cell = None
            elif tag == "row":
                line = _whole_number(attributes.get("r", str(row + 1)), ROWS)
                if line <= row or cell is not None:
                    raise _DamagedError(f"row {line} stands in the wrong place")
                row, column = line, 0
            elif tag in ("rPh", "/rPh"):
                is_spoken = tag == "rPh"
            elif tag == "mergeCell":
                self._merged.append(attributes.get("ref", ""))

    def _value(self, cell: dict[str, str], parts: dict[str, list[str]], address: str) -> Any:
        """Return what is in a cell: text, a number, a truth value, or why it cannot be read."""
        kind = cell.get("t", "n")
        found = parts.get("/v", [])
        if "/t" in parts:
            found = [*found, "".join(parts["/t"])]
        if len(found) > 1:
            raise _DamagedError(f"cell {address} has two values")
        content = found[0] if found else None
        # The value of a formula may be the empty text, which is one.
        is_lacking = content is None or (not content and kind != "str")
        if "/f" in parts and (self._is_stale or is_lacking):
            what = "a formula whose value is still to be calculated", SAVE
        elif kind == "e" and content is not None:
            what = f"the error {content}", CLEAR
        elif content and (kind == "d" or (kind == "n" and cell.get("s", "0") in self._dates)):
            what = "a date", DATED
        else:
            return content and self._read(kind, content, address)
        return Unreadable(f"{what[0]} ({self._place(address)})", what[1])

    def _place(self, address: str) -> str:
        return f"cell {address} of sheet {shown(self._sheet)}"

    def _read(self, kind: str, content: str, address: str) -> Any:
        """Return the text, number or truth value that a content means."""
        if kind in ("str", "inlineStr"):
            return _unescaped(content)
        content = content.strip()
        if kind == "s":
            return self._strings[_whole_number(content, len(self._strings) - 1, low=0)]
        if kind == "b":
            return bool(_whole_number(content, 1, low=0))
        if kind != "n" or not CELL_NUMBER.fullmatch(content) or isinf(number := float(content)):
            raise _DamagedError(
                f"cell {address} says {shown(content)}, which is no value of its kind"
            )
        # Whole numbers may be labels, and beyond 2**53 none of the floats.
        if content.lstrip("+-").isdecimal():
            return int(content)
        return int(number) if number.is_integer() else number

    def _cover(self, grid: list[list[Any]], lines: list[int], used: list[int]) -> None:
        """Let no cell be read that lies under another one."""
        left = SHEET_CELLS
        for area in self._merged:
            first, _, last = area.partition(":")
            (west, top), (east, bottom) = _position(first), _position(last or first)
            across = range(bisect_left(used, west), bisect_right(used, east))
            for row in range(bisect_left(lines, top), bisect_right(lines, bottom)):
                for at in across:
                    address = f"{_letters(used[at])}{lines[row]}"
                    left -= 1
                    if left < 0:
                        raise _DamagedError("merged cells overlap")
                    if address != first:
                        what = f"nothing that can be seen, under the merged cells {area}"
                        grid[row][at] = Unreadable(f"{what} ({self._place(address)})", MERGED)


def _unescaped(text: str) -> str:
    """Return text with the signs that XML could not hold."""
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _whole_number(text: str, high: int, *, low: int = 1) -> int:
    """Return a whole number within bounds that a part of a workbook states."""
    if not re.fullmatch(r"\s*[0-9]{1,9}\s*", text) or not low <= int(text) <= high:
        raise _DamagedError(f"{shown(text)} where a whole number from {low} to {high} belongs")
    return int(text)


def _position(address: str) -> tuple[int, int]:
    """Return the column and the row of an address such as B3."""
    found = ADDRESS.fullmatch(address)
    if found is None:
        raise _DamagedError(f"{shown(address)} is no address of a cell")
    column = 0
    for letter in found[1]:
        column = 26 * column + ord(letter) - 64
    return _whole_number(str(column), COLUMNS), int(found[2])


def _letters(column: int) -> str:
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name
