"""Tables of files of all kinds, and of frames."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import cast

from rankagg.io.tables.columns import USUAL, NumberStyle
from rankagg.io.tables.sources import (
    BINARY,
    MAX_BYTES,
    TableSource,
    decoded,
    is_any_frame,
    kind_by_name,
    opened,
    read_data,
)
from rankagg.io.tables.table import Table

JSON_OBJECT = re.compile(rb"(\xef\xbb\xbf)?\s*\{")
JSON_OBJECTS = re.compile(rb"(\xef\xbb\xbf)?\s*\{[^\n]*\}\s*\n\s*\{")
JSON_ARRAY = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*\{")


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
    # What reads a kind of file is loaded where there is one: many commands read none.
    kind = kind_by_name(source)
    if is_any_frame(source):
        from rankagg.io.tables.frames import table_of_frame  # noqa: PLC0415

        table = table_of_frame(source)
    elif kind in BINARY:
        path = Path(cast(str, source))
        opened(path, lambda path: path.open("rb").close())
        if kind == "Excel":
            from rankagg.io.tables.excel import read_excel  # noqa: PLC0415

            table = read_excel(path, max_bytes)
        else:
            from rankagg.io.tables.frames import read_parquet  # noqa: PLC0415

            table = read_parquet(path, max_bytes)
    else:
        from rankagg.io.tables import delimited  # noqa: PLC0415

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
