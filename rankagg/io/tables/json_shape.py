"""What lines of JSON are made of: the columns of the first ones, and how deep any is nested."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import json as arrow_json

__all__ = ["BLOCK", "FIRST", "objects_in", "parsed", "shape_of"]

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
