"""Journals: finished data sets of a study in a file, so that it can be taken up again.

A line is a JSON object with a checksum of what it says and of the study that it belongs to, so that
no line that was damaged, changed or brought from elsewhere passes for a result.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import IO, Any

from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    OutputError,
)
from rankagg.io.output_files import check_target

AGAIN = "its data set is computed again"


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed, or the process has ended."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415

        file.seek(2**40)  # what is locked cannot be read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class JournalFile:
    """The rows of finished cells, one JSON object a line, under a line with the study's settings.

    The end of the last line is missing where the process ended while it was written. Such a cell
    counts as not finished, which is said, and is written over.
    """

    def __init__(self, path: str | PathLike[str], settings: dict[str, Any]) -> None:
        self._path, self._head = Path(path), json.dumps(settings)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes off the file; raises where one has it."""
        check_target(self._path)
        with self._path.open("ab") as file:
            try:
                _lock(file)
            except (BlockingIOError, PermissionError):
                allowed = "a file that no other study writes"
                remedy = "Wait until that one has ended, or give another file."
                given = Described(str(self._path))
                raise InvalidInputError("journal", allowed, given, remedy) from None
            if not file.tell():  # in place, as the lock is on this file
                file.write(f"{self._head}\n".encode())
                file.flush()
            yield

    def read(self, stacklevel: int) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        """Return the rows of finished cells, and make the file ready to go on."""
        whole, found = 0, {}
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number == 1 and line != f"{self._head}\n".encode():
                    allowed = "a new file, or one of a study with the same rules, seed and limits"
                    given, remedy = Described(str(self._path)), "Give another file, or remove it."
                    raise InvalidInputError("journal", allowed, given, remedy)
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                if number > 1:
                    piece = self._checked(line, number)
                    found[tuple(piece["cell"])] = piece["rows"]
        if whole < self._path.stat().st_size:
            told = f"{self._path}: the last line was cut off; {AGAIN}"
            warnings.warn(told, DataWarning, stacklevel=stacklevel)
            with self._path.open("r+b") as file:
                file.truncate(whole)
        return found

    def _checked(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line.decode("utf-8"))
            why = "changed since it was written, or of another study"
        except (ValueError, RecursionError):
            found, why = None, "not JSON in UTF-8"
        check = found.pop("check", None) if isinstance(found, dict) else None
        if check is None or check != self._checksum(found):
            raise DataFormatError(
                f"{self._path}, line {number}: {why}; remove the line, and {AGAIN}."
            )
        return dict(found)

    def append(self, pieces: Iterable[dict[str, Any]]) -> None:
        """Add finished cells; raises `OutputError` where that cannot be written."""
        lines = [json.dumps({**piece, "check": self._checksum(piece)}) + "\n" for piece in pieces]
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write("".join(lines))
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror or error}. What was noted before "
                "stays; run the study again to go on."
            ) from error

    def _checksum(self, piece: dict[str, Any]) -> str:
        return sha256(f"{self._head}\n{json.dumps(piece)}".encode()).hexdigest()[:16]
