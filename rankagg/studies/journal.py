"""The file in which a study notes every finished cell, so that it can be taken up again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any, TypeAlias

from rankagg.io.journal import JournalFile

#: What was found of one data set by one method, as plain data.
Row: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[Any, ...]
#: The kinds that a value may have; `type(None)` where it may be missing.
Kinds: TypeAlias = tuple[type, ...]

INTEGER: Kinds = (int,)
NUMBER: Kinds = (int, float)
FLAG: Kinds = (bool,)
TEXT: Kinds = (str,)
MISSING: Kinds = (type(None),)


@dataclass(frozen=True, kw_only=True)
class Journal:
    """Finished cells of a study; see `JournalFile`."""

    # The name of the study, "rankagg.something".
    schema: str
    # What was tried, as plain data. A file of another trial is refused.
    trial: dict[str, Any]
    # The kinds of the values of a key.
    cell: tuple[Kinds, ...]
    # What a row holds; "method" says which row of a cell it is.
    fields: Mapping[str, Kinds]
    # Its values: a cell has a row for each, in this order.
    labels: tuple[str, ...]
    path: Path

    @cached_property
    def _file(self) -> JournalFile:
        return JournalFile(
            self.path,
            {"schema": self.schema, "version": 2, **self.trial},
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
        return isinstance(key, list) and _are_of(key, self.cell)

    def _are_rows(self, rows: object) -> bool:
        return (
            isinstance(rows, list)
            and all(isinstance(row, dict) and set(row) == set(self.fields) for row in rows)
            and [row["method"] for row in rows] == list(self.labels)
            and all(
                _are_of([row[name] for name in self.fields], self.fields.values()) for row in rows
            )
        )


def _are_of(values: list[Any], kinds: Collection[Kinds]) -> bool:
    """Say whether values are each of one of some kinds; no truth value is a number, nor is NaN."""
    return len(values) == len(kinds) and all(
        type(value) in these and not (isinstance(value, float) and isnan(value))
        for value, these in zip(values, kinds, strict=True)
    )
