"""The file in which a study notes every finished cell, so that it can be taken up again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, TypeAlias

from rankagg.io.journal import JournalFile

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
    # What a row holds; "method" says which row of a cell it is.
    fields: Mapping[str, Kinds]
    # Its values: a cell has a row for each, in this order.
    labels: tuple[str, ...]


class Journal:
    """Finished cells of a study; see `JournalFile`."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self._layout = layout
        self._file = JournalFile(
            path,
            {"schema": layout.schema, "version": VERSION, **layout.trial},
            work="study",
            same="rules, seed and limits",
            again="its data set is computed again",
        )

    def read(self) -> dict[Key, list[Row]]:
        """Return the rows of every finished cell by its key, and make the file ready to go on."""
        done: dict[Key, list[Row]] = {}
        where: dict[Key, int] = {}
        for number, found in self._file.read():
            if list(found) != ["cell", "rows"]:
                self._file.refuse(number, "not a cell with its rows and their checksum")
            if not self._is_cell(found["cell"]) or not self._are_rows(found["rows"]):
                self._file.refuse(number, "not one row for each rule with all of its fields")
            key = tuple(found["cell"])
            if key in done:
                self._file.refuse(number, f"the data set of line {where[key]} again")
            done[key], where[key] = found["rows"], number
        return done

    def append(self, results: Iterable[tuple[Key, list[Row]]]) -> None:
        """Add finished cells."""
        self._file.append({"cell": key, "rows": rows} for key, rows in results)

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
            and [row["method"] for row in rows] == list(self._layout.labels)
            and all(_is_one_of(row[name], kinds) for row in rows for name, kinds in fields.items())
        )


def _is_one_of(value: object, kinds: Kinds) -> bool:
    """Say whether a value is of one of some kinds; no truth value is a number, nor is NaN."""
    if isinstance(value, float) and isnan(value):
        return False
    return type(value) in kinds
