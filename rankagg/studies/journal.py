"""The file in which a study notes every finished cell, so that it can be taken up again.

A line is a JSON object with a checksum of what it says and of the study that it belongs to, so
that no line that was damaged, changed or brought from elsewhere passes for a result.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from math import isnan
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from rankagg.exceptions import (
    DataFormatError,
    DataWarning,
    Described,
    InvalidInputError,
    OutputError,
)
from rankagg.io.output_files import check_target, write_text

__all__ = ["FLAG", "MISSING", "NUMBER", "TEXT", "Journal", "Key", "Kinds", "Layout", "Row"]

VERSION = 2

#: What was found of one data set by one method, as plain data.
Row: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[Any, ...]
#: The kinds that a value may have; `type(None)` where it may be missing.
Kinds: TypeAlias = tuple[type, ...]

NUMBER: Kinds = (int, float)
FLAG: Kinds = (bool,)
TEXT: Kinds = (str,)
MISSING: Kinds = (type(None),)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the journal of a study holds."""

    # Its name, "rankagg.something".
    schema: str
    # What was tried, as plain data. A file of another trial is refused.
    trial: dict[str, Any]
    # The kinds of the values of a key.
    cell: tuple[Kinds, ...]
    fields: dict[str, Kinds]
    # The field that says which row of a cell it is.
    label: str
    # Its values: a cell has a row for each, in this order.
    labels: tuple[str, ...]


class Journal:
    """Finished cells, one JSON object a line, under a line that says what was tried on them.

    The end of the last line is missing where the process ended while it was written. Such a cell
    counts as not finished, which is said, and is written over.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self._path = path
        self._layout = layout
        self._head = json.dumps({"schema": layout.schema, "version": VERSION, **layout.trial})

    def read(self) -> dict[Key, list[Row]]:
        """Return the rows of every finished cell by its key, and make the file ready to go on."""
        check_target(self._path)
        if not self._path.exists() or not self._path.stat().st_size:
            write_text(self._path, self._head + "\n")
            return {}
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.split(b"\n")[:-1]
        self._check_head(lines)
        done: dict[Key, list[Row]] = {}
        where: dict[Key, int] = {}
        for number, line in enumerate(lines[1:], start=2):
            key, rows = self._parsed(line, number)
            if key in done:
                self._refuse(number, f"the data set of line {where[key]} again")
            done[key], where[key] = rows, number
        if len(whole) < len(content):
            warnings.warn(
                f"{self._path}: the last line was cut off; its data set is computed again",
                DataWarning, stacklevel=3,
            )  # fmt: skip
            with self._path.open("r+b") as file:
                file.truncate(len(whole))
        return done

    def append(self, results: Iterable[tuple[Key, list[Row]]]) -> None:
        """Add finished cells."""
        lines = []
        for key, rows in results:
            body = {"cell": key, "rows": rows}
            lines.append(json.dumps({**body, "check": self._checksum(json.dumps(body))}) + "\n")
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write("".join(lines))
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be written: {error.strerror or error}. What was noted before "
                "stays; run the study again to go on."
            ) from error

    def _checksum(self, body: str) -> str:
        return sha256(f"{self._head}\n{body}".encode()).hexdigest()[:16]

    # -- reading ------------------------------------------------------------------------------

    def _check_head(self, lines: list[bytes]) -> None:
        head = lines[0] if lines else b""
        if head == self._head.encode():
            return
        remedy = "Give another file name, or remove the file."
        try:
            version = json.loads(head)["version"]
        except (ValueError, KeyError, TypeError, RecursionError):
            version = VERSION
        if version == 1:
            raise InvalidInputError(
                "journal", "one whose lines have checksums",
                Described(f"{self._path}, of an earlier version"), remedy,
            )  # fmt: skip
        raise InvalidInputError(
            "journal", "a new file, or one of a study with the same rules, seed and limits",
            Described(str(self._path)), remedy,
        )  # fmt: skip

    def _parsed(self, line: bytes, number: int) -> tuple[Key, list[Row]]:
        """Return the key of a cell and its rows."""
        try:
            found = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            self._refuse(number, "not UTF-8")
        except (ValueError, RecursionError):
            self._refuse(number, "not JSON")
        if not isinstance(found, dict) or list(found) != ["cell", "rows", "check"]:
            self._refuse(number, "not a cell with its rows and their checksum")
        body = json.dumps({"cell": found["cell"], "rows": found["rows"]})
        if found["check"] != self._checksum(body):
            self._refuse(number, "changed since it was written, or of another study")
        key, rows = found["cell"], found["rows"]
        if not self._is_cell(key) or not self._are_rows(rows):
            self._refuse(number, "not one row for each rule with all of its fields")
        return tuple(key), rows

    def _refuse(self, number: int, why: str) -> NoReturn:
        raise DataFormatError(
            f"{self._path}, line {number}: {why}; remove the line, and its data set is computed "
            "again."
        )

    def _is_cell(self, key: object) -> bool:
        kinds = self._layout.cell
        return (
            isinstance(key, list)
            and len(key) == len(kinds)
            and all(_is_one_of(value, these) for value, these in zip(key, kinds, strict=True))
        )

    def _are_rows(self, rows: object) -> bool:
        fields = self._layout.fields
        return (
            isinstance(rows, list)
            and all(isinstance(row, dict) and set(row) == set(fields) for row in rows)
            and [row[self._layout.label] for row in rows] == list(self._layout.labels)
            and all(_is_one_of(row[name], kinds) for row in rows for name, kinds in fields.items())
        )


def _is_one_of(value: object, kinds: Kinds) -> bool:
    """Say whether a value is of one of some kinds; no truth value is a number, nor is NaN."""
    if isinstance(value, float) and isnan(value):
        return False
    return type(value) in kinds
