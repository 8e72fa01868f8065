"""Tables in JSON Lines: one object a line, its members the cells."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from math import isinf
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from rankagg._numbers import SAFE_DIGITS, stated
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.tables.arrow_numbers import numbers_of_text
from rankagg.io.tables.arrow_table import ArrowTable
from rankagg.io.tables.cells import CellTable
from rankagg.io.tables.columns import Table
from rankagg.io.tables.json_shape import BLOCK, FIRST, objects_in, parsed, shape_of
from rankagg.io.tables.size import check_size
from rankagg.io.tables.text import decoded, lines_of

__all__ = ["parse_json_lines"]

# What numbers are written with, and numbers that are all but zero.
SIGNS = bytes(48 if sign in b"-+0123456789.eE" else 32 for sign in range(256))
SMALL = re.compile(rb"[eE]-[0-9]{3}")
TINY = re.compile(rb"[\s:,\[]-?[0-9.]+[eE]-[0-9]{3}")
# What stands before and behind a number that is no text.
BEFORE, BEHIND = (np.frombuffer(signs, np.uint8) for signs in (b" \t\r\n:,[", b" \t\r\n,]}"))


def parse_json_lines(name: str, data: bytes) -> Table:
    """Return the table in JSON Lines; columns stand in the order in which they first occur."""
    found: list[CellTable] = []

    def explain(_: Sequence[Any]) -> CellTable:
        if not found:
            found.append(_read_cells(name, decoded(name, data)))
        return found[0]

    table = _by_columns(data.removeprefix(b"\xef\xbb\xbf"))
    if table is None:
        return explain(())
    header = [column.strip() for column in table.column_names]
    try:
        return ArrowTable(name, header, table.columns, is_text=False, explain=explain)
    except DataFormatError:
        return explain(())


def _by_columns(data: bytes) -> Any | None:
    """Return Arrow's table; None where it may not say all that the file says."""
    if data.count(b"\r") != data.count(b"\r\n"):
        return None
    objects = objects_in(data)
    if not objects or not _is_exact(data):
        return None
    try:
        table = _of_one_shape(data) or _inferred(data)
        if table is None or len(table) != objects:
            return None
        table.validate(full=True)  # halves of characters
        table.column_names  # noqa: B018 - and those in names, which are looked at here
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    return table


def _of_one_shape(data: bytes) -> Any | None:
    """Return the table where all rows are made as the first ones are; None where one is not."""
    try:
        schema = shape_of(data)
        return None if schema is None else parsed(data, schema, closed=True)
    except (pa.ArrowException, UnicodeDecodeError):
        return None


def _inferred(data: bytes) -> Any | None:
    """Return the table where the first rows name all columns, of whatever kind they become."""
    if not _has_few_columns(data):
        return None
    table = parsed(data, None)
    times = [field.name for field in table.schema if pa.types.is_temporal(field.type)]
    if times:  # texts that look like dates
        table = parsed(data, pa.schema([(column, pa.string()) for column in times]))
    return table


def _is_exact(data: bytes) -> bool:
    """Say whether floats hold all numbers; those in texts are looked at where they are read."""
    # The simpler pattern takes a tenth of the time.
    if (b"e-" in data or b"E-" in data) and SMALL.search(data) and TINY.search(data):
        return False
    signs = data.translate(SIGNS)
    if b"0" * (SAFE_DIGITS + 1) not in signs:
        return True
    changes = np.flatnonzero(np.diff(np.frombuffer(signs, np.uint8) == ord("0"), prepend=False))
    starts, ends = changes[0::2], np.append(changes, len(data))[1::2][: (len(changes) + 1) // 2]
    long = ends - starts > SAFE_DIGITS
    starts, ends = starts[long], ends[long]
    # No object begins or ends with a number.
    around = np.frombuffer(b"," + data + b",", np.uint8)
    bare = np.isin(around[starts], BEFORE) & np.isin(around[ends + 1], BEHIND)
    spans = zip(starts[bare].tolist(), ends[bare].tolist(), strict=True)
    numbers = numbers_of_text(
        pa.array([data[start:end].decode() for start, end in spans], pa.string())
    )
    return numbers is not None and not numbers.lost


def _has_few_columns(data: bytes) -> bool:
    """Say whether the first rows name all columns.

    Every row might name another one: of such a file Arrow would make rows times rows cells.
    """
    names: set[str] = set()
    for line in data[:BLOCK].split(b"\n", FIRST)[:FIRST]:
        try:
            names |= json.loads(line).keys() if line.strip() else set()
        except (ValueError, AttributeError, RecursionError):
            return False
    keys = {
        f"{json.dumps(name, ensure_ascii=is_ascii)}:".encode(errors="surrogatepass")
        for name in names
        for is_ascii in (True, False)
    }
    known = sum(_unescaped(data, key) for key in keys)
    # Of two such signs before it, none escapes the end of a name.
    is_plain = b'" :' not in data and b'\\\\":' not in data
    return 0 < len(names) <= FIRST and is_plain and known == _unescaped(data, b'":')


def _unescaped(data: bytes, text: bytes) -> int:
    """Count what begins with a quotation mark that is none of a text."""
    return data.count(text) - data.count(b"\\" + text)


def _read_cells(name: str, text: str) -> CellTable:
    """Read one object after another; raises where a line holds anything else."""
    objects: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            objects.append(_object(name, number, line))
            lines.append(number)
    header = list(dict.fromkeys(key for cells in objects for key in cells))
    filled = sum(map(len, objects))
    check_size(name, (len(objects), "rows"), (len(header), "columns"), filled)
    rows = [[cells.get(key) for key in header] for cells in objects]
    return CellTable(name, [key.strip() for key in header], rows, lines, is_text=False)


def _object(name: str, number: int, line: str) -> dict[str, Any]:
    def refuse(why: str) -> NoReturn:
        raise DataFormatError(
            f"{name} is JSON Lines, and line {number} {why}; every line must hold one object such "
            'as {"system": "A", "task": "x", "score": 0.5}.'
        )

    try:
        cells = DECODER.decode(line)
    except _TwiceError as error:
        refuse(f"names {shown(error.args[0])} twice")
    except RecursionError:
        refuse("is nested too deep")
    except ValueError as error:
        refuse(f"is no JSON ({error})")
    if not isinstance(cells, dict):
        refuse(f"holds {shown(cells)}")
    return cells


def _exact(text: str) -> float | int | Decimal | str:
    """Return the float that a number says, or what it says exactly where no float is it."""
    value = float(text)
    found = None if isinf(value) else stated(text, value)
    if found is None:
        return value
    return found.number if isinstance(found.number, int | Decimal) else text


class _TwiceError(Exception):
    """An object has two members of one name."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    cells = dict(pairs)
    if len(cells) < len(pairs):
        names = [key for key, _ in pairs]
        raise _TwiceError(max(names, key=names.count))
    return cells


DECODER = json.JSONDecoder(parse_float=_exact, object_pairs_hook=_members)
