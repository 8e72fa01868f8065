"""Tables in JSON Lines: one object a line, its members the cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import isinf
from typing import Any, Final, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import json as arrow_json

from rankagg._numbers import SAFE_DIGITS, stated
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.tables.arrow_table import ArrowTable, numbers_of_text
from rankagg.io.tables.cells import CellTable
from rankagg.io.tables.columns import Table
from rankagg.io.tables.text import check_size, decoded, lines_of

__all__ = ["BLOCK", "FIRST", "objects_in", "parse_json_lines", "parsed", "shape_of"]

#: A row must fit into a block; names of columns are looked for in so many rows, and be as many.
BLOCK: Final = 2**24
FIRST: Final = 100
# A line with fewer brackets is not nested deeper than Arrow can read. Python reads none deeper.
DEEP = 900

# A bracket and a brace differ in one bit.
OPENING, BETWEEN, CLOSING = ord("{"), ord("{") ^ ord("["), ord("}")
RETURN, END = b"\r\n"
# So many signs are looked at together.
SPAN = 2**20

Indices: TypeAlias = NDArray[np.intp]


def parsed(data: bytes, schema: Any | None, *, closed: bool = False) -> Any:
    """Return Arrow's table; with a closed schema it refuses members that this does not name."""
    return arrow_json.read_json(
        pa.BufferReader(data),
        read_options=arrow_json.ReadOptions(block_size=BLOCK),
        parse_options=arrow_json.ParseOptions(
            explicit_schema=schema, unexpected_field_behavior="error" if closed else "infer"
        ),
    )


def shape_of(data: bytes) -> Any | None:
    """Return the schema of the first rows, at any depth; None where these do not make one.

    Texts that look like dates are texts.
    """
    lines = data[:BLOCK].split(b"\n", FIRST)[:FIRST]
    names: set[tuple[str, ...]] = set()
    try:
        for line in filter(bytes.strip, lines):
            for path in _paths(json.loads(line), ()):
                names.add(path)
                if len(names) > FIRST:
                    return None
    except (ValueError, RecursionError):
        return None
    if not names:
        return None
    schema = parsed(b"\n".join(lines), None).schema
    return pa.schema([(field.name, _without_times(field.type)) for field in schema])


def _paths(cell: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(cell, dict):
        for name, inner in cell.items():
            yield (*above, name)
            yield from _paths(inner, (*above, name))
    elif isinstance(cell, list):
        for inner in cell:
            yield from _paths(inner, (*above, ""))


def _without_times(kind: Any) -> Any:
    if pa.types.is_struct(kind):
        fields = [kind.field(k) for k in range(kind.num_fields)]
        return pa.struct([(field.name, _without_times(field.type)) for field in fields])
    if pa.types.is_list(kind):
        return pa.list_(_without_times(kind.value_type))
    return pa.string() if pa.types.is_temporal(kind) else kind


def objects_in(data: bytes) -> int | None:
    """Return how many lines hold an object, if each does or is empty; else None.

    A line that begins and ends as an object does holds at least one: none goes on behind such a
    line, for a comma would stand between. None too where a line is nested so deep that Arrow could
    break, or may be.
    """
    signs = np.frombuffer(data, np.uint8)
    begin, carried, objects = 0, 0, 0
    for start in range(0, len(signs), SPAN):
        block = signs[start : start + SPAN]
        ends = np.flatnonzero(block == END)
        counts = np.add.reduceat(block | BETWEEN == OPENING, np.append(0, ends), dtype=np.int64)
        counts[0] += carried
        begins = np.append(begin, ends + start + 1)
        found = _objects(signs, begins[:-1], ends + start)
        long = np.flatnonzero(counts[:-1] > DEEP)
        if found is None or any(_is_deep(data[begins[k] : begins[k + 1]]) for k in long):
            return None
        objects += found
        begin, carried = int(begins[-1]), int(counts[-1])
    last = _objects(signs, np.array([begin]), np.array([len(signs)]))
    if last is None or (carried > DEEP and _is_deep(data[begin:])):
        return None
    return objects + last


def _objects(signs: NDArray[np.uint8], begins: Indices, ends: Indices) -> int | None:
    full = ends > begins
    begins, ends = begins[full], ends[full]
    ends = ends - (signs[ends - 1] == RETURN)
    full = ends > begins
    begins, ends = begins[full], ends[full]
    plain = (signs[begins] == OPENING) & (signs[ends - 1] == CLOSING)
    return len(begins) if plain.all() else None


def _is_deep(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


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
