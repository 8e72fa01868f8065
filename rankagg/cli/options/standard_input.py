"""The standard input where a file goes: `-`."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from rankagg.exceptions import InvalidInputError

__all__ = ["DASH", "NAME", "buffered"]

#: What stands for the standard input, and what messages call it.
DASH, NAME = "-", "standard input"

# What content begins with, and what a file of that kind is called.
BEGINNINGS = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"), (b"\x1f\x8b", ".gz"))
BEGIN, PIECE = 2**12, 2**20


@contextmanager
def buffered(files: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Return the paths of files; the standard input is kept in one, as some kinds need seeking.

    Parameters
    ----------
    files : tuple of str
        Paths, or `-` once.

    Yields
    ------
    tuple of str
        Paths; that of the standard input until the end of the block.
    """
    if files.count(DASH) > 1:
        raise click.UsageError("The standard input can be read once only: give one `-`.")
    if DASH not in files:
        yield files
        return
    with TemporaryDirectory(prefix="rankagg-") as folder:
        path = Path(folder) / NAME
        try:
            with path.open("wb") as target:
                while piece := sys.stdin.buffer.read(PIECE):
                    target.write(piece)
        except (OSError, RuntimeError, ValueError, AttributeError) as error:
            reason = getattr(error, "strerror", None) or "It is closed"
            raise InvalidInputError("FILE", "a readable file", DASH, f"{reason}.") from None
        # Kinds of files are told by their names, which a stream has not.
        named = path.with_name(f"{NAME}{_suffix(path)}")
        path.rename(named)
        yield tuple(str(named) if file == DASH else file for file in files)


def _suffix(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(BEGIN)
    suffix = next((suffix for begin, suffix in BEGINNINGS if start.startswith(begin)), "")
    if suffix == ".gz":
        try:
            with gzip.open(path) as packed:
                start = packed.read(BEGIN)
        except (OSError, EOFError, zlib.error):
            return suffix
        return f".jsonl{suffix}" if _is_json_lines(start) else suffix
    return ".jsonl" if not suffix and _is_json_lines(start) else suffix


def _is_json_lines(start: bytes) -> bool:
    """Say whether a text begins with an object on a line of its own, and another behind it."""
    lines = start.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    objects = [line.strip() for line in lines[:2]]
    return len(lines) > 2 and all(one[:1] == b"{" and one[-1:] == b"}" for one in objects)
