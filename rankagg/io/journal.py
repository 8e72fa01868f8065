"""Journals: finished pieces of work in a file, so that it can be taken up again.

A line is a JSON object with a checksum of what it says and of the work that it belongs to, so that
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
from typing import IO, Any, NoReturn

from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    OutputError,
)
from rankagg.io.output_files import check_target, write_text

# The end of a line: its checksum and what closes it.
CHECKED = len('"0123456789abcdef"}\n')


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
    """Finished pieces, one JSON object a line, under a line that says what was done to them.

    The end of the last line is missing where the process ended while it was written. Such a piece
    counts as not finished, which is said, and is written over.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        head: dict[str, Any],
        *,
        work: str,
        same: str,
        again: str,
    ) -> None:
        # The work and what must be the same in it, and what becomes of a piece that is not there.
        self._path, self._work, self._same, self._again = Path(path), work, same, again
        self._head = json.dumps(head)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes off the file; raises where one has it."""
        check_target(self._path)
        with self._path.open("ab") as file:
            try:
                _lock(file)
            except (BlockingIOError, PermissionError):
                allowed = f"a file that no other {self._work} writes"
                remedy = "Wait until that one has ended, or give another file."
                given = Described(str(self._path))
                raise InvalidInputError("journal", allowed, given, remedy) from None
            if not file.tell():  # in place, as the lock is on this file
                file.write(f"{self._head}\n".encode())
                file.flush()
            yield

    def read(self, stacklevel: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the pieces and their lines, and make the file ready to go on."""
        check_target(self._path)
        if not self._path.exists() or not self._path.stat().st_size:
            write_text(self._path, self._head + "\n")
            return
        whole, seen = 0, set[bytes]()
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number == 1 and line != f"{self._head}\n".encode():
                    allowed = f"a new file, or one of a {self._work} with the same {self._same}"
                    given, remedy = Described(str(self._path)), "Give another file, or remove it."
                    raise InvalidInputError("journal", allowed, given, remedy)
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                # What two processes noted alike is there once.
                if number > 1 and line[-CHECKED:] not in seen:
                    seen.add(line[-CHECKED:])
                    yield number, self._checked(line, number)
        if whole < self._path.stat().st_size:
            warnings.warn(
                f"{self._path}: the last line was cut off; {self._again}",
                DataWarning,
                stacklevel=stacklevel,
            )
            with self._path.open("r+b") as file:
                file.truncate(whole)

    def _checked(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            self.refuse(number, "not JSON in UTF-8")
        check = found.pop("check", None) if isinstance(found, dict) else None
        if check is None or check != self._checksum(found):
            self.refuse(number, f"changed since it was written, or of another {self._work}")
        return dict(found)

    def append(self, pieces: Iterable[dict[str, Any]]) -> None:
        """Add finished pieces; raises `OutputError` where that cannot be written."""
        lines = [json.dumps({**piece, "check": self._checksum(piece)}) + "\n" for piece in pieces]
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write("".join(lines))
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror or error}. What was noted before "
                f"stays; run the {self._work} again to go on."
            ) from error

    def _checksum(self, piece: dict[str, Any]) -> str:
        """Return the checksum of an object, or of its only member."""
        body = piece if len(piece) > 1 else next(iter(piece.values()), None)
        return sha256(f"{self._head}\n{json.dumps(body)}".encode()).hexdigest()[:16]

    def refuse(self, number: int, why: str) -> NoReturn:
        """Raise because of a line."""
        raise DataFormatError(
            f"{self._path}, line {number}: {why}; remove the line, and {self._again}."
        )
