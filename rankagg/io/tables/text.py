"""The text of a file or stream, or one sentence on why there is none."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import IO, TypeVar

from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.kinds import check_not_binary
from rankagg.io.tables.packed import unpacked

__all__ = ["Source", "decoded", "lines_of", "opened", "read_data", "read_text"]

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
