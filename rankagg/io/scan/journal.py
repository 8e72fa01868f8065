"""The file in which a scan notes every finished part, so that a scan that was stopped goes on."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    OutputError,
)
from rankagg.io.output_files import check_target, write_text
from rankagg.io.scan.count import PartCounts

__all__ = ["ScanJournal"]

SCHEMA, VERSION = "rankagg.scan", 2


class ScanJournal:
    """Finished parts, one JSON object a line with a checksum, under a line that names the scan.

    Parameters
    ----------
    path : path
        The file; it need not exist.
    scan : dict
        Plain data of what is scanned: files with sizes and times, columns, directions.
    """

    def __init__(self, path: str | PathLike[str], scan: dict[str, Any]) -> None:
        self._path = Path(path)
        self._head = json.dumps({"schema": SCHEMA, "version": VERSION, **scan})

    def read(self) -> Iterator[PartCounts]:
        """Go through the finished parts, and make the file ready to go on."""
        check_target(self._path)
        if not self._path.exists() or not self._path.stat().st_size:
            write_text(self._path, self._head + "\n")
            return
        seen: dict[int, int] = {}
        whole = 0
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                if number == 1:
                    self._check_head(line)
                    continue
                counts = self._parsed(line, number)
                if counts.number in seen:
                    self._refuse(number, f"the part of line {seen[counts.number]} again")
                seen[counts.number] = number
                yield counts
        if not whole:
            self._check_head(b"")
        if whole < self._path.stat().st_size:
            warnings.warn(
                f"{self._path}: the last line was cut off; its part is counted again",
                DataWarning, stacklevel=4,
            )  # fmt: skip
            with self._path.open("r+b") as file:
                file.truncate(whole)

    def append(self, counts: PartCounts) -> None:
        """Add a finished part; raises `OutputError` where that cannot be written."""
        body = json.dumps(counts.to_dict())
        line = f'{{"check": "{self._checksum(body)}", "part": {body}}}\n'
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(line)
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror or error}. What was noted before "
                "stays; scan again to go on."
            ) from error

    def _checksum(self, body: str) -> str:
        return sha256(f"{self._head}\n{body}".encode()).hexdigest()[:16]

    def _check_head(self, line: bytes) -> None:
        if line.rstrip(b"\n") != self._head.encode():
            raise InvalidInputError(
                "journal", "a new file, or one of a scan of the same unchanged files",
                Described(str(self._path)), "Give another file name, or remove the file.",
            )  # fmt: skip

    def _parsed(self, line: bytes, number: int) -> PartCounts:
        try:
            found = json.loads(line.decode())
            if found["check"] != self._checksum(json.dumps(found["part"])):
                raise ValueError("the checksum is another one")
            return PartCounts.from_dict(found["part"])
        except (ValueError, KeyError, TypeError, RecursionError):
            self._refuse(number, "changed since it was written, or of another scan")

    def _refuse(self, number: int, why: str) -> NoReturn:
        raise DataFormatError(
            f"{self._path}, line {number}: {why}; remove the line, and its part is counted again."
        )
