"""The text of a file or stream, or one sentence on why there is none."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankagg.core.items import counted
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.kinds import check_not_binary

__all__ = [
    "Source",
    "check_bytes",
    "check_size",
    "decoded",
    "has_twice",
    "lines_of",
    "opened",
    "read_data",
    "read_text",
    "unpacked",
]

# A small file cannot ask for much memory: up to 256 MiB, or a hundred times what it takes itself.
LARGEST_UNPACKED, RATIO = 2**28, 100


def unpacked(name: str, data: bytes) -> bytes:
    """Return what gzip made `data` of; raises where it is damaged or all but empty."""
    limit = max(LARGEST_UNPACKED, RATIO * len(data))
    try:
        with GzipFile(fileobj=BytesIO(data)) as stream:
            content = stream.read(limit + 1)
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise DataFormatError(
            f"{name} is no file compressed by gzip, or is damaged or cut off: {error}."
        ) from None
    if len(content) > limit:
        raise DataFormatError(
            f"{name} holds more than {limit} bytes in {len(data)}; unpack it first."
        )
    return content


# Tables are dense. Up to here (2 GiB of floats) or 16 cells for one that is filled, they are made.
LARGEST, SPARSEST = 2**28, 16

# A byte of a compressed file may stand for so many cells.
PER_BYTE = 64


def check_size(name: str, rows: tuple[int, str], columns: tuple[int, str], filled: int) -> None:
    """Raise where rows times columns make a table that is large and all but empty."""
    cells = rows[0] * columns[0]
    if cells > max(LARGEST, SPARSEST * filled):
        raise DataFormatError(
            f"{name} has {rows[0]} {rows[1]} and {columns[0]} {columns[1]}, which make "
            f"{counted(cells, 'cell')}, {filled} of them filled; more than {LARGEST} cells must be "
            f"filled to one in {SPARSEST} at least. Split the file, or leave out what is hardly "
            "ever filled."
        )


def check_bytes(name: str, rows: int, columns: int, size: int) -> None:
    """Raise where a file states many more cells than it has bytes."""
    if rows * columns > max(LARGEST, PER_BYTE * size):
        raise DataFormatError(
            f"{name} states {counted(rows, 'row')} of {counted(columns, 'column')} and has "
            f"{counted(size, 'byte')}; it is damaged, or should be split."
        )


def has_twice(cells: NDArray[np.intp], size: int) -> bool:
    """Say whether a cell occurs twice among numbers of cells of a table of so many."""
    if size > max(LARGEST, SPARSEST * len(cells)):
        return len(np.unique(cells)) < len(cells)
    taken = np.zeros(size, dtype=np.bool_)
    taken[cells] = True
    return int(np.count_nonzero(taken)) < len(cells)


T = TypeVar("T")

Source = str | PathLike[str] | IO[str]


def read_text(source: Source) -> tuple[str, str]:
    """Return a name for messages and the whole text of a UTF-8 file or open text stream."""
    name, data = read_data(source)
    return name, decoded(name, data)


def read_data(source: Source) -> tuple[str, bytes | str]:
    """Return a name for messages and what a file or an open text stream holds."""
    if not isinstance(source, str | PathLike):
        return _read_stream(source)
    path = Path(source)
    data = opened(path, Path.read_bytes)
    if path.suffix.lower() == ".gz":
        data = unpacked(path.name, data)
    check_not_binary(path.name, data)
    return path.name, data


def opened(path: Path, read: Callable[[Path], T]) -> T:
    """Return what `read` makes of a path; raises where there is no file that can be read."""
    try:
        return read(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInputError("source", "a readable file", str(path), f"{reason}.") from None
    except ValueError as error:  # NUL and halves of characters
        raise InvalidInputError("source", "a path", str(path), f"{error}.") from None


def decoded(name: str, data: bytes | str) -> str:
    """Return the text that is read, without a byte order mark."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataFormatError(_not_utf8(name, error)) from None


def _read_stream(stream: IO[str]) -> tuple[str, str]:
    name = str(getattr(stream, "name", "the stream"))
    try:
        text = stream.read() if hasattr(stream, "read") else None
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


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, whichever of the three line ends it has."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
