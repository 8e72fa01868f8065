"""Sources of tables: open, unpack and decode files and streams, and detect their kind."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from glob import glob, has_magic
from gzip import BadGzipFile, GzipFile
from math import prod
from os import PathLike
from pathlib import Path, PurePath
from typing import IO, Any, NoReturn, TypeVar

import pandas as pd

from rankagg.check_certificate import MOST_DIGITS
from rankagg.core import counted
from rankagg.exceptions import DataFormatError, InvalidInputError, shown

Opened = TypeVar("Opened")

Source = str | PathLike[str] | IO[str]
#: Files, patterns and folders.
Sources = str | PathLike[str] | Iterable[str | PathLike[str]]
#: A file, or a frame of pandas, polars or any library with the Arrow PyCapsule interface or the
#: interchange protocol.
TableSource = Source | Any
PROTOCOLS = ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")

TABLE_KINDS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".xlsx": "Excel",
    ".xlsm": "Excel",
    ".jsonl": "JSON Lines",
    ".ndjson": "JSON Lines",
    ".json": "JSON",
}
BINARY = ("Parquet", "Excel")

#: Default limit of the memory for reading, in bytes.
MAX_BYTES = 2**30
# Measured: bytes of memory for a byte of a table as text, and for a cell of a dense table.
PER_BYTE, PER_CELL = 4, 24
# And for an object of Python.
PER_OBJECT = 96
# The kind of a file is detected from these characters.
FIRST_CHARACTERS = 10_000
AS_TABLE = "save it as CSV (UTF-8), or read it with pandas and give the DataFrame"
# First bytes of files that are not text.
FIRST_BYTES = {
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "compressed by gzip",
    b"PK\x03\x04": "a workbook or a zip archive",
    b"PAR1": "a Parquet file",
    b"%PDF-": "a PDF document",
}
# A tag alone or before another one; in a table a delimiter follows a label.
MARKUP = re.compile(r"\s*<(!doctype|html|\?xml|table|head|body)\b[^>]*>\s*(<|$)", re.IGNORECASE)
# The first two rows of a Markdown table.
MARKDOWN = re.compile(r"\s*\|[^\n]*\|\s*\n\s*\|[-:| ]+\|\s*(\n|$)")
# An escaped surrogate, which is half of a character unless the other half follows.
ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def check_memory(name: str, needed: int, max_bytes: int) -> None:
    """Raise if reading would take too much memory."""
    if needed > max_bytes:
        raise DataFormatError(
            f"{name} takes about {needed:,} bytes of memory or more, and `max_bytes` is "
            f"{max_bytes:,}.",
            "Give a larger `max_bytes`, leave out some data, or read scores in pieces by "
            "`scan_scores`.",
        )


def is_any_frame(source: object) -> bool:
    """Return whether a source is a frame of pandas or of another library."""
    return isinstance(source, pd.DataFrame) or any(hasattr(source, name) for name in PROTOCOLS)


def kind_by_name(source: object) -> str | None:
    """Return the kind of a file by its ending; None for delimited text."""
    if not isinstance(source, str | PathLike):
        return None
    suffixes = [suffix.lower() for suffix in PurePath(source).suffixes]
    if suffixes[-1:] == [".gz"]:
        kind = TABLE_KINDS.get("".join(suffixes[-2:-1]))
        return None if kind in BINARY else kind
    return TABLE_KINDS.get(suffixes[-1]) if suffixes else None


def check_filled(name: str, sizes: dict[str, int], filled: int, max_bytes: int = MAX_BYTES) -> None:
    """Raise if a dense table is too large; `sizes` are its rows and columns by their names."""
    shape, cells = " and ".join(f"{n} {axis}" for axis, n in sizes.items()), prod(sizes.values())
    size = f"{shape}, which make {counted(cells, 'cell')}, {filled} of them filled"
    check_memory(f"{name} has {size}; it", PER_CELL * cells, max_bytes)


def read_text(
    source: Source, max_bytes: int = MAX_BYTES, per_byte: int = PER_BYTE
) -> tuple[str, str]:
    """Return a name for messages, and the text of a UTF-8 file or an open text stream."""
    name, data = read_data(source, max_bytes, per_byte)
    return name, decoded(name, data)


def json_memory(text: str) -> int:
    """Return the estimated memory for parsing JSON, in bytes."""
    return 2 * PER_BYTE * len(text) + PER_OBJECT * sum(map(text.count, ",:[{"))


def read_data(
    source: Source, max_bytes: int = MAX_BYTES, per_byte: int = PER_BYTE
) -> tuple[str, bytes | str]:
    """Return a name for messages, and the content of a file or an open text stream.

    A byte of text takes `per_byte` bytes of memory; at most one byte above the limit is read.
    """
    limit = max_bytes // per_byte
    if not isinstance(source, str | PathLike):
        name, text = _read_stream(source, limit)
        check_memory(name, per_byte * len(text), max_bytes)
        return name, text
    path = Path(source)
    data = opened(path, lambda path: _read_file(path, limit))
    _check_not_binary(path.name, data)
    check_memory(path.name, per_byte * len(data), max_bytes)
    return path.name, data


def _read_file(path: Path, limit: int) -> bytes:
    with path.open("rb") as file:
        if path.suffix.lower() != ".gz":
            return file.read(limit + 1)
        try:
            return GzipFile(fileobj=file).read(limit + 1)
        except (BadGzipFile, EOFError, zlib.error) as error:
            raise DataFormatError(
                f"{path.name} is no file compressed by gzip, or is damaged or cut off: {error}."
            ) from None


def opened(path: Path, read: Callable[[Path], Opened]) -> Opened:
    """Return the result of `read` for a path; raise if no file can be read there."""
    try:
        return read(path)
    except DataFormatError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInputError("source", "a readable file", str(path), f"{reason}.") from None
    except ValueError as error:  # NUL and halves of characters
        raise InvalidInputError("source", "a path", str(path), f"{error}.") from None


def files_at(
    path: str | PathLike[str], hidden: tuple[str, ...]
) -> tuple[list[tuple[Path, tuple[str, ...]]], bool]:
    """Return the files of a path, pattern or folder, each with the folders that lead to it.

    Also return whether the path names a single file, which may not exist. Names in a folder that
    begin with one of `hidden` are left out.
    """
    if not isinstance(path, str | PathLike):
        raise InvalidInputError("source", "paths, patterns or folders", path)
    if isinstance(path, PathLike) and not isinstance(path.__fspath__(), str):
        raise InvalidInputError("source", "paths of text", path)
    top = Path(path)
    try:
        if top.is_dir():
            below = ((p, p.relative_to(top).parts) for p in sorted(top.rglob("*")) if p.is_file())
            seen = (one for one in below if not any(part.startswith(hidden) for part in one[1]))
            return [(file, parts[:-1]) for file, parts in seen], False
        if top.exists() or not has_magic(str(top)):
            return [(top, ())], True
        matching = (Path(p) for p in sorted(glob(str(top), recursive=True)))
        return [(file, file.parts[:-1]) for file in matching if file.is_file()], False
    except (ValueError, OSError) as error:
        remedy = f"{error}."
        raise InvalidInputError("source", "paths that can be read", str(path), remedy) from None


def decoded(name: str, data: bytes | str) -> str:
    """Return data as text, without a byte order mark."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataFormatError(_not_utf8(name, error)) from None


def _read_stream(stream: IO[str], limit: int) -> tuple[str, str]:
    name = str(getattr(stream, "name", "the stream"))
    try:
        text = stream.read(limit + 1) if hasattr(stream, "read") else None
    except UnicodeDecodeError as error:
        raise DataFormatError(_not_utf8(name, error)) from None
    except (OSError, ValueError) as error:  # closed, or open for writing
        raise InvalidInputError("source", "a readable stream", stream, f"{error}.") from None
    if not isinstance(text, str):
        raise InvalidInputError("source", "a path or a stream of text", stream)
    return name, text


def _not_utf8(name: str, error: UnicodeDecodeError) -> str:
    byte = error.object[error.start]
    return (
        f"{name} is not {error.encoding.upper()}: byte {error.start} is 0x{byte:02x}. "
        "Save it as UTF-8."
    )


def text_lines(text: str) -> list[str]:
    """Return the lines of a text with any of the three line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def first_lines(text: str) -> list[str]:
    """Return the complete first lines, from which the kind of a text is detected."""
    lines = text_lines(text[:FIRST_CHARACTERS])
    return lines if len(text) <= FIRST_CHARACTERS else lines[:-1]


# -- files that are no text of a table ------------------------------------------------------------


def _check_not_binary(name: str, data: bytes) -> None:
    """Raise if bytes are not UTF-8 text but, for example, a workbook or an archive."""
    if b"\0" in data[:4096] or data[:2] in (b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b"):
        kinds = (kind for start, kind in FIRST_BYTES.items() if data.startswith(start))
        kind = next(kinds, "binary, or UTF-16 text without a byte order mark")
        raise DataFormatError(f"{name} is {kind}, not UTF-8 text: {AS_TABLE}.")


def check_plain_table(name: str, text: str) -> None:
    """Raise if a text is JSON, HTML, XML or Markdown, and so no plain table."""
    matches = {
        "HTML or XML": MARKUP.match(text),
        "Markdown": MARKDOWN.match(text),
        "JSON": text.lstrip()[:1] in ("{", "[") and _is_json(name, text),
    }
    for kind, is_match in matches.items():
        if is_match:
            raise DataFormatError(f"{name} is {kind}, no plain table: {AS_TABLE}.")


def _is_json(name: str, text: str) -> bool:
    """Return whether a text or its first line is a JSON object, or a list of lists or objects."""
    if PurePath(name).suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return True
    value = json_content(text)
    parts = value if isinstance(value, list) else [value]
    return bool(parts) and all(isinstance(one, dict | list) for one in parts)


def json_content(text: str) -> Any:
    """Return the JSON in the first line of a text, or in all of it; None if it is no JSON."""
    for part in (text.lstrip().partition("\n")[0], text):
        with suppress(ValueError, RecursionError):
            return json.loads(part)
    return None


# -- JSON -----------------------------------------------------------------------------------------


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise if a key occurs twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"has the key {shown(key)} twice in one object")
    return content


def _integer(digits: str) -> int:
    length = len(digits.removeprefix("-"))
    if length > MOST_DIGITS:
        raise ValueError(f"has an integer of {length} digits; at most {MOST_DIGITS} are read")
    return int(digits)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"has the number {word[:60]}; only integers are read")


#: JSON with any numbers, and with integers only, which may have more digits.
DISTINCT = json.JSONDecoder(object_pairs_hook=_distinct)
INTEGERS = json.JSONDecoder(
    object_pairs_hook=_distinct,
    parse_int=_integer,
    parse_float=_no_number,
    parse_constant=_no_number,
)


def parse_json(
    text: str, name: str, decoder: json.JSONDecoder = INTEGERS, max_bytes: int | None = None
) -> Any:
    """Return the content of a JSON text, which by default holds no numbers but integers."""
    if max_bytes is not None:
        check_memory(name, json_memory(text), max_bytes)
    try:
        content = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise DataFormatError(
            f"{name} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.",
            "" if decoder is INTEGERS else "It may be cut off: write it again, or leave it out.",
        ) from None
    except ValueError as error:
        # Python's message names one of its own functions.
        is_long = "integer string conversion" in str(error)
        why = "has an integer of thousands of digits" if is_long else error
        raise DataFormatError(f"{name} {why}.") from None
    except RecursionError:
        raise DataFormatError(f"{name} is nested too deep to be read.") from None
    _check_characters(text, content, name)
    return content


def _check_characters(text: str, content: object, name: str) -> None:
    """Raise if a text has half of a character, which can be neither printed nor written."""
    if ESCAPED_HALF.search(text) is None:
        return
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):x}"
        raise DataFormatError(f"{name} has half of a character ({half}) in a text.") from None
