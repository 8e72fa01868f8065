"""Journals: finished data sets of a study in a file, so that it can be resumed."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    OutputError,
)
from rankagg.io.output_files import check_target

# The consequence of a damaged line.
AGAIN = "its data set is computed again"


class JournalFile:
    """The rows of finished cells, one JSON object per line, after the study's settings.

    Each line has a checksum of its content and of the study, so that damaged, changed or foreign
    lines are rejected. A last line that was cut off while it was written is dropped, with a
    warning, and its cell is computed again.
    """

    def __init__(self, path: str | PathLike[str], settings: dict[str, Any]) -> None:
        self._path, self._head = Path(path), f"{json.dumps(settings)}\n".encode()

    def read(self, stacklevel: int) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        """Return the rows of finished cells, and prepare the file for more."""
        check_target(self._path)
        if not (self._path.exists() and self._path.stat().st_size):
            self._path.write_bytes(self._head)
        n_bytes, results = 0, {}
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number == 1 and line != self._head:
                    allowed = "a new file, or one of a study with the same rules, seed and limits"
                    given, remedy = Described(str(self._path)), "Give another file, or remove it."
                    raise InvalidInputError("journal", allowed, given, remedy)
                if not line.endswith(b"\n"):
                    break
                n_bytes += len(line)
                if number > 1:
                    piece = self._checked(line, number)
                    results[tuple(piece["cell"])] = piece["rows"]
        if n_bytes < self._path.stat().st_size:
            message = f"{self._path}: the last line was cut off; {AGAIN}"
            warnings.warn(message, DataWarning, stacklevel=stacklevel)
            with self._path.open("r+b") as file:
                file.truncate(n_bytes)
        return results

    def _checked(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            piece = json.loads(line.decode("utf-8"))
            why = "changed since it was written, or of another study"
        except (ValueError, RecursionError):
            piece, why = None, "not JSON in UTF-8"
        check = piece.pop("check", None) if isinstance(piece, dict) else None
        if check is None or check != self._checksum(piece):
            raise DataFormatError(
                f"{self._path}, line {number}: {why}; remove the line, and {AGAIN}."
            )
        return dict(piece)

    def append(self, pieces: Iterable[dict[str, Any]]) -> None:
        """Add finished cells; raise `OutputError` if the file cannot be written."""
        lines = [json.dumps({**piece, "check": self._checksum(piece)}) + "\n" for piece in pieces]
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write("".join(lines))
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror or error}. Earlier lines stay; "
                "run the study again to continue."
            ) from error

    def _checksum(self, piece: dict[str, Any]) -> str:
        return sha256(self._head + json.dumps(piece).encode()).hexdigest()[:16]
