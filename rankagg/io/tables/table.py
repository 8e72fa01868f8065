"""Files and frames as tables of labels and numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, cast

import pandas as pd

from rankagg.exceptions import DataFormatError
from rankagg.io.tables.cells import CellTable, as_label
from rankagg.io.tables.columns import Table
from rankagg.io.tables.kinds import check_plain_table
from rankagg.io.tables.number_style import USUAL, NumberStyle
from rankagg.io.tables.text import Source, decoded, opened, read_data

__all__ = ["TableSource", "kind_by_name", "read_cells", "read_table"]

DELIMITERS = "\t,;"

#: A frame of pandas or polars, or of anything that speaks the Arrow PyCapsule interface or the
#: interchange protocol for frames, goes where a file goes.
TableSource = Source | pd.DataFrame | Any
PROTOCOLS = ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")

JSON_OBJECT = re.compile(rb"(\xef\xbb\xbf)?\s*\{")
KINDS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".xlsx": "Excel",
    ".xlsm": "Excel",
    ".jsonl": "JSON Lines",
    ".ndjson": "JSON Lines",
}


def read_table(
    source: TableSource, *, style: NumberStyle = USUAL, blank_rows: bool = False
) -> Table:
    """Read a file of a table, or take a frame.

    Text is delimited by commas, tabs or semicolons, whichever the header has. Files of other kinds
    are told by their names. In text a row whose cells are all blank is none, unless `blank_rows`;
    an empty line never is.
    """
    table = _read(source, blank_rows=blank_rows, has_commas=style.decimal == ",")
    # Every table is a dataclass with a style.
    return table if style == USUAL else replace(table, style=style)  # type: ignore[type-var]


def _read(source: TableSource, *, blank_rows: bool, has_commas: bool) -> Table:
    # What reads a kind of file is loaded where there is one: many commands read none.
    if isinstance(source, pd.DataFrame) or any(hasattr(source, name) for name in PROTOCOLS):
        from rankagg.io.tables.frames import table_of_frame  # noqa: PLC0415

        return table_of_frame(source)
    kind = kind_by_name(source)
    if kind in ("Parquet", "Excel"):
        return _of_binary(kind, Path(cast(str, source)))
    name, data = read_data(source)
    if kind == "JSON Lines" and isinstance(data, bytes) and JSON_OBJECT.match(data):
        from rankagg.io.tables.json_lines import parse_json_lines  # noqa: PLC0415

        return parse_json_lines(name, data)
    return _of_text(name, data, blank_rows=blank_rows, has_commas=has_commas)


def kind_by_name(source: object) -> str | None:
    """Return the kind of file of a table that is no delimited text, as its name tells it."""
    if not isinstance(source, str | PathLike):
        return None
    suffixes = [suffix.lower() for suffix in PurePath(source).suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
        return "JSON Lines" if suffixes and KINDS.get(suffixes[-1]) == "JSON Lines" else None
    return KINDS.get(suffixes[-1]) if suffixes else None


def _of_binary(kind: str, path: Path) -> Table:
    opened(path, lambda path: path.open("rb").close())
    if kind == "Excel":
        from rankagg.io.tables.excel import read_excel  # noqa: PLC0415

        return read_excel(path)
    from rankagg.io.tables.arrow_table import read_parquet  # noqa: PLC0415

    return read_parquet(path)


def _of_text(name: str, data: bytes | str, *, blank_rows: bool, has_commas: bool) -> Table:
    from rankagg.io.tables.arrow_text import parse_text  # noqa: PLC0415

    found: list[CellTable] = []

    def explain(_: Sequence[Any]) -> CellTable:
        if not found:
            text = decoded(name, data)
            found.append(read_cells(name, text, blank_rows=blank_rows, has_commas=has_commas))
        return found[0]

    try:
        plain = data.encode() if isinstance(data, str) else data
    except UnicodeEncodeError:
        plain = b""
    table = None
    if plain[:4096].lstrip()[:1] not in (b"<", b"{", b"["):
        plain = plain.removeprefix(b"\xef\xbb\xbf")
        table = parse_text(name, plain, explain, blank_rows=blank_rows)
    return explain(()) if table is None else table


def read_cells(
    name: str, text: str, *, blank_rows: bool = False, has_commas: bool = False
) -> CellTable:
    """Read delimited text cell by cell; raises where it is no table.

    Where numbers have commas, one parts cells only if nothing else makes a regular table.
    """
    check_plain_table(name, text)
    fits = {candidate: _fit(text, candidate) for candidate in DELIMITERS}
    if has_commas and (fits["\t"][0] or fits[";"][0]):
        del fits[","]
    delimiter = max(fits, key=fits.__getitem__)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[Any]] = []
    lines: list[int] = []
    try:
        for row in reader:
            is_kept = blank_rows and rows and len(row) == len(rows[0])
            if is_kept or any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise DataFormatError(
            f"{name}, line {reader.line_num}: {error}. The file may be cut off."
        ) from None
    if not rows:
        raise DataFormatError(f"{name} is empty; it must hold a header and at least one row.")
    header = [as_label(cell, True) for cell in rows[0]]
    return CellTable(name, header, rows[1:], lines[1:], is_text=True)


def _fit(text: str, delimiter: str) -> tuple[bool, int]:
    """Say whether a delimiter makes a regular table, and how many columns its header has."""
    if delimiter not in text:
        return False, 0
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    widths: list[int] = []
    regular = True
    try:
        widths += (len(row) for row in reader if any(cell.strip() for cell in row))
    except csv.Error:
        regular = False
    width = widths[0] if widths else 0
    return regular and width > 1 and len(set(widths)) == 1, width
