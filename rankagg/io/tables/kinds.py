"""Kinds of file that are often given in place of a text table, told by how they begin."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import PurePath

from rankagg.exceptions import DataFormatError

__all__ = ["check_not_binary", "check_plain_table"]

SHEET = "save it as CSV (UTF-8), or read it with pandas.read_excel and give the DataFrame"
UNPACK = "unpack it first, or read it with pandas.read_csv and give the DataFrame"
BY_HAND = "copy its table into a CSV file"
ENCODING = "save it as UTF-8, or open it with its encoding and give the stream"


def _pandas(function: str) -> str:
    return f"read it with pandas.{function} and give the DataFrame, or save it as CSV (UTF-8)"


BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
    (b"\xff\xfe\x00\x00", "UTF-32 text", ENCODING),
    (b"\x00\x00\xfe\xff", "UTF-32 text", ENCODING),
    (b"\xff\xfe", "UTF-16 text", ENCODING),
    (b"\xfe\xff", "UTF-16 text", ENCODING),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (or another OLE file)", SHEET),
    (b"\x1f\x8b", "compressed by gzip", UNPACK),
    (b"\xfd7zXZ\x00", "compressed by xz", UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database", _pandas("read_sql")),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _pandas("read_hdf")),
    (b"\x93NUMPY", "a NumPy array", "load it with numpy.load and give the array to ScoreTable"),
    (b"ARROW1\x00\x00", "an Arrow or Feather file", _pandas("read_feather")),
    (b"%PDF-", "a PDF document", BY_HAND),
    (b"\x89PNG\r\n\x1a\n", "a picture", BY_HAND),
    (b"\xff\xd8\xff", "a picture", BY_HAND),
)

# What a zip archive holds says what wrote it.
ZIPPED = (
    (b"xl/", "an Excel workbook", SHEET),
    (b"application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet", SHEET),
    (b"word/", "a Word document", BY_HAND),
    (b".npy", "an archive of NumPy arrays", "load it with numpy.load and give an array"),
)

# A tag alone, or another after it: a label in a table is followed by a delimiter.
MARKUP = re.compile(r"\s*<(!doctype|html|\?xml|table|head|body)\b[^>]*>\s*(<|$)", re.IGNORECASE)


def check_not_binary(name: str, data: bytes) -> None:
    """Raise where bytes are those of a well-known kind of file that is no UTF-8 text."""
    found = _binary_kind(data)
    if found is not None:
        what, remedy = found
        raise DataFormatError(f"{name} is {what}, not UTF-8 text: {remedy}.")


def _binary_kind(data: bytes) -> tuple[str, str] | None:
    for beginning, what, remedy in BEGINNINGS:
        if data.startswith(beginning):
            return what, remedy
    if data.startswith(b"PK\x03\x04"):
        for part, what, remedy in ZIPPED:
            if part in data:
                return what, remedy
        return "a zip archive", UNPACK
    return next((kind for told, kind in TOLD_BY_MORE if told(data)), None)


def _is_parquet(data: bytes) -> bool:
    return data[:4] == b"PAR1" == data[-4:] and len(data) >= 12


def _is_bzip2(data: bytes) -> bool:
    return re.match(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", data) is not None


def _is_pickle(data: bytes) -> bool:
    return re.match(rb"\x80[\x02-\x05]", data) is not None and data.endswith(b".")


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"


def _is_wide_text(data: bytes) -> bool:
    """Say whether every second byte is mostly zero: Latin text in UTF-16 without a mark."""
    start = data[:4096]
    zeros = max(start[0::2].count(0), start[1::2].count(0))
    return len(start) >= 4 and zeros > 0.4 * len(start)


TOLD_BY_MORE: tuple[tuple[Callable[[bytes], bool], tuple[str, str]], ...] = (
    (_is_parquet, ("a Parquet file", _pandas("read_parquet"))),
    (_is_bzip2, ("compressed by bzip2", UNPACK)),
    (_is_pickle, ("a pickle", "save its table as CSV (UTF-8), or give the object itself")),
    (_is_tar, ("a tar archive", "unpack it first")),
    (_is_wide_text, ("UTF-16 text without a byte order mark", ENCODING)),
)


def check_plain_table(name: str, text: str) -> None:
    """Raise where a text is JSON, JSON Lines, HTML or XML: structured, but no plain table."""
    if MARKUP.match(text):
        kind, remedy = "HTML or XML", _pandas("read_html")
    elif text.lstrip()[:1] in ("{", "[") and _is_json(name, text):
        kind, remedy = "JSON", _pandas("read_json")
    else:
        return
    raise DataFormatError(f"{name} is {kind}, no plain table: {remedy}.")


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
