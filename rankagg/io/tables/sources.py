"""Sources of tables: files and streams opened, unpacked, decoded and told apart by their kind."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from glob import glob, has_magic
from gzip import BadGzipFile, GzipFile
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
#: A frame of pandas or polars, or of anything that speaks the Arrow PyCapsule interface or the
#: interchange protocol for frames, goes where a file goes.
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

#: Bytes of memory that reading a file may take, unless `max_bytes` says more.
MAX_BYTES = 2**30
# Measured: bytes of memory for a byte of text that is a table, and for a cell of a dense table.
PER_BYTE, PER_CELL = 4, 24
# And for an object of Python.
PER_OBJECT = 96
# So many characters tell a kind of file.
SEEN = 10_000
AS_TABLE = "save it as CSV (UTF-8), or read it with pandas and give the DataFrame"
# How files begin that are no text.
BEGINNINGS = {
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "compressed by gzip",
    b"PK\x03\x04": "a workbook or a zip archive",
    b"PAR1": "a Parquet file",
    b"%PDF-": "a PDF document",
}
# A tag alone, or another after it: a label in a table is followed by a delimiter.
MARKUP = re.compile(r"\s*<(!doctype|html|\?xml|table|head|body)\b[^>]*>\s*(<|$)", re.IGNORECASE)
# A row of a table of Markdown, and the second one.
MARKDOWN = re.compile(r"\s*\|[^\n]*\|\s*\n\s*\|[-:| ]+\|\s*(\n|$)")
# What stands for half of a character where the other half is not beside it.
ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def check_memory(name: str, needed: int, max_bytes: int) -> None:
    """Raise where reading would take too much memory."""
    if needed > max_bytes:
        raise DataFormatError(
            f"{name} takes about {needed:,} bytes of memory or more, and `max_bytes` is "
            f"{max_bytes:,}.",
            "Give a larger `max_bytes`, leave out what is not needed, or read scores by "
            "`scan_scores`, in pieces.",
        )


def is_any_frame(source: object) -> bool:
    """Say whether a source is a frame of pandas or another."""
    return isinstance(source, pd.DataFrame) or any(hasattr(source, name) for name in PROTOCOLS)


def kind_by_name(source: object) -> str | None:
    """Return the kind of file of a table that is no delimited text, as its name tells it."""
    if not isinstance(source, str | PathLike):
        return None
    suffixes = [suffix.lower() for suffix in PurePath(source).suffixes]
    if suffixes[-1:] == [".gz"]:
        kind = TABLE_KINDS.get("".join(suffixes[-2:-1]))
        return None if kind in BINARY else kind
    return TABLE_KINDS.get(suffixes[-1]) if suffixes else None


def check_filled(
    name: str,
    rows: tuple[int, str],
    columns: tuple[int, str],
    filled: int,
    *,
    max_bytes: int = MAX_BYTES,
) -> None:
    """Raise where rows times columns make too large a table; it is dense, whatever is filled."""
    cells = rows[0] * columns[0]
    what = f"{name} has {rows[0]} {rows[1]} and {columns[0]} {columns[1]}, which make "
    what += f"{counted(cells, 'cell')}, {filled} of them filled; it"
    check_memory(what, PER_CELL * cells, max_bytes)


def read_text(
    source: Source, max_bytes: int = MAX_BYTES, per_byte: int = PER_BYTE
) -> tuple[str, str]:
    """Return a name for messages and the whole text of a UTF-8 file or open text stream."""
    name, data = read_data(source, max_bytes, per_byte)
    return name, decoded(name, data)


def json_memory(text: str) -> int:
    """Return about how many bytes of memory JSON takes that is read whole."""
    return 2 * PER_BYTE * len(text) + PER_OBJECT * sum(map(text.count, ",:[{"))


def read_data(
    source: Source, max_bytes: int = MAX_BYTES, per_byte: int = PER_BYTE
) -> tuple[str, bytes | str]:
    """Return a name for messages and what a file or an open text stream holds.

    A byte takes `per_byte` bytes of memory in the end; of what is longer no more is read.
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
    """Return what `read` makes of a path; raises where there is no file that can be read."""
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
    """Return the files of a path, a pattern or a folder, with the folders that lead to each.

    And whether it is the path of a file, or of nothing. What begins with a sign of `hidden` in a
    folder is left out.
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
    """Return the text that is read, without a byte order mark."""
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
    """Return the lines of a text, whichever of the three line ends it has."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def first_lines(text: str) -> list[str]:
    """Return the whole lines by which the kind of a text is told."""
    lines = text_lines(text[:SEEN])
    return lines if len(text) <= SEEN else lines[:-1]


# -- files that are no text of a table ------------------------------------------------------------


def _check_not_binary(name: str, data: bytes) -> None:
    """Raise where bytes are no UTF-8 text, but those of a workbook, an archive and the like."""
    if b"\0" in data[:4096] or data[:2] in (b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b"):
        found = (what for start, what in BEGINNINGS.items() if data.startswith(start))
        what = next(found, "binary, or UTF-16 text without a byte order mark")
        raise DataFormatError(f"{name} is {what}, not UTF-8 text: {AS_TABLE}.")


def check_plain_table(name: str, text: str) -> None:
    """Raise where a text is JSON, HTML, XML or Markdown: structured, but no plain table."""
    found = {
        "HTML or XML": MARKUP.match(text),
        "Markdown": MARKDOWN.match(text),
        "JSON": text.lstrip()[:1] in ("{", "[") and _is_json(name, text),
    }
    for kind, is_such in found.items():
        if is_such:
            raise DataFormatError(f"{name} is {kind}, no plain table: {AS_TABLE}.")


def _is_json(name: str, text: str) -> bool:
    """Say whether a text, or its first line, is a JSON object or a list of lists or objects."""
    if PurePath(name).suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return True
    for part in (text.lstrip().partition("\n")[0], text):
        with suppress(ValueError, RecursionError):
            value = json.loads(part)
            parts = value if isinstance(value, list) else [value]
            if parts and all(isinstance(one, dict | list) for one in parts):
                return True
    return False


# -- JSON -----------------------------------------------------------------------------------------


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raises where a key is there twice."""
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


#: JSON with numbers of any kind, and with integers alone, which may have more digits.
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
    """Return the content of a JSON text, by default of one that holds no number but integers."""
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
        # Python's own words for that name a function of its own.
        is_long = "integer string conversion" in str(error)
        why = "has an integer of thousands of digits" if is_long else error
        raise DataFormatError(f"{name} {why}.") from None
    except RecursionError:
        raise DataFormatError(f"{name} is nested too deep to be read.") from None
    _check_characters(text, content, name)
    return content


def _check_characters(text: str, content: object, name: str) -> None:
    """Raise where a text has half of a character, which can be neither printed nor written."""
    if ESCAPED_HALF.search(text) is None:
        return
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):x}"
        raise DataFormatError(f"{name} has half of a character ({half}) in a text.") from None
