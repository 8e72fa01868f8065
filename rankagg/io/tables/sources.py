"""Sources of tables: files and streams opened, unpacked, decoded and told apart by their kind."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable
from glob import glob, has_magic
from gzip import BadGzipFile, GzipFile
from os import PathLike
from pathlib import Path, PurePath
from typing import IO, Any, TypeVar

import pandas as pd

from rankagg.core import counted
from rankagg.exceptions import DataFormatError, InvalidInputError

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
SHEET = "save it as CSV (UTF-8), or read it with pandas.read_excel and give the DataFrame"
UNPACK = "unpack it first, or read it with pandas.read_csv and give the DataFrame"
BY_HAND = "copy its table into a CSV file, or give the data as a DataFrame"
ENCODING = "save it as UTF-8, or open it with its encoding and give the stream"
# A tag alone, or another after it: a label in a table is followed by a delimiter.
MARKUP = re.compile(r"\s*<(!doctype|html|\?xml|table|head|body)\b[^>]*>\s*(<|$)", re.IGNORECASE)
# The second row of a table of Markdown.
DASHES = re.compile(r"\|[-:| ]+\|")
PANDAS = "read it with pandas.{} and give the DataFrame, or save it as CSV (UTF-8)"
# How files begin, and what a zip archive holds says what wrote it.
FILE_KINDS = (
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32 text", ENCODING),
    (rb"\xff\xfe|\xfe\xff", "UTF-16 text", ENCODING),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (or another OLE file)", SHEET),
    (rb"\x1f\x8b", "compressed by gzip", UNPACK),
    (rb"\xfd7zXZ\0", "compressed by xz", UNPACK),
    (rb"\x28\xb5\x2f\xfd", "compressed by zstd", UNPACK),
    (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", "compressed by bzip2", UNPACK),
    (rb"PK\x03\x04.*xl/", "an Excel workbook", SHEET),
    (rb"PK\x03\x04.*vnd\.oasis\.opendocument\.spreadsheet", "an OpenDocument spreadsheet", SHEET),
    (rb"PK\x03\x04", "a zip archive", UNPACK),
    (rb"PAR1(?=.{8}).*PAR1\Z", "a Parquet file", PANDAS.format("read_parquet")),
    (rb"%PDF-", "a PDF document", BY_HAND),
)


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


def is_source(source: object) -> bool:
    """Say whether this is a path or a stream, and not several of them."""
    return isinstance(source, str | PathLike) or hasattr(source, "read")


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
    per_cell: int = PER_CELL,
) -> None:
    """Raise where rows times columns make too large a table; it is dense, whatever is filled."""
    cells = rows[0] * columns[0]
    what = f"{name} has {rows[0]} {rows[1]} and {columns[0]} {columns[1]}, which make "
    what += f"{counted(cells, 'cell')}, {filled} of them filled; it"
    check_memory(what, per_cell * cells, max_bytes)


def read_text(
    source: Source, max_bytes: int = MAX_BYTES, per_byte: int = PER_BYTE
) -> tuple[str, str]:
    """Return a name for messages and the whole text of a UTF-8 file or open text stream."""
    name, data = read_data(source, max_bytes, per_byte)
    return name, decoded(name, data)


def json_memory(text: str) -> int:
    """Return about how many bytes of memory JSON takes that is read whole."""
    return 2 * PER_BYTE * len(text) + PER_OBJECT * sum(map(text.count, ",:[{"))


def read_json_text(source: Source, max_bytes: int) -> tuple[str, str]:
    """Return a name for messages and the text of a file of JSON, which is read whole."""
    name, text = read_text(source, max_bytes)
    check_memory(name, json_memory(text), max_bytes)
    return name, text


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
    """Raise where bytes are those of a well-known kind of file that is no UTF-8 text."""
    kinds = ((what, remedy) for start, what, remedy in FILE_KINDS if re.match(start, data, re.S))
    no_text = ("binary, or UTF-16 text without a byte order mark", f"{ENCODING}; {BY_HAND}")
    found = next(kinds, no_text if b"\0" in data[:4096] else None)
    if found is not None:
        raise DataFormatError(f"{name} is {found[0]}, not UTF-8 text: {found[1]}.")


def check_plain_table(name: str, text: str) -> None:
    """Raise where a text is JSON, HTML, XML or Markdown: structured, but no plain table."""
    if MARKUP.match(text):
        kind, remedy = "HTML or XML", PANDAS.format("read_html")
    elif text.lstrip()[:1] in ("{", "[") and _is_json(name, text):
        kind, remedy = "JSON", PANDAS.format("read_json")
    elif text.lstrip()[:1] == "|" and _is_markdown(text):
        kind, remedy = "Markdown", "save it as CSV (UTF-8)"
    else:
        return
    raise DataFormatError(f"{name} is {kind}, no plain table: {remedy}.")


def _is_markdown(text: str) -> bool:
    first, _, rest = (line.strip() for line in text.lstrip().partition("\n"))
    return first[-1:] == "|" and DASHES.fullmatch(rest.partition("\n")[0].strip()) is not None


def _is_json(name: str, text: str) -> bool:
    """Say whether a text, or its first line, is a JSON object or a list of lists or objects."""
    if PurePath(name).suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return True
    return any(_holds_json(part) for part in (text.lstrip().partition("\n")[0], text))


def _holds_json(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    parts = value if isinstance(value, list) else [value]
    return bool(parts) and all(isinstance(part, dict | list) for part in parts)
