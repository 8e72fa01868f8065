"""The file in which a study notes every finished cell, so that it can be taken up again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rankagg.exceptions import DataFormatError, Described, InvalidInputError
from rankagg.studies.cells import Cell, Row

__all__ = ["Journal"]

SCHEMA = "rankagg.approximation_study"


class Journal:
    """Finished cells, one JSON object a line, under a line that says what was tried on them.

    A line that was cut off, because the process ended while it was written, counts as not
    finished; it is written over.

    Parameters
    ----------
    path : Path
        The file; it need not exist.
    trial : dict
        What was tried, as plain data. A file of another trial is refused.
    """

    def __init__(self, path: Path, trial: dict[str, Any]) -> None:
        self._path = path
        self._head = {"schema": SCHEMA, "version": 1, **trial}

    def read(self) -> dict[tuple[Any, ...], list[Row]]:
        """Return the rows of every finished cell by its key, and make the file ready to go on."""
        if not self._path.exists() or not self._path.stat().st_size:
            self._path.write_text(json.dumps(self._head) + "\n", encoding="utf-8")
            return {}
        text = self._path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        lines = [self._parsed(line, n) for n, line in enumerate(whole.splitlines(), start=1)]
        if not lines or lines[0] != json.loads(json.dumps(self._head)):
            raise InvalidInputError(
                "journal", "a new file, or one of a study with the same rules, seed and limits",
                Described(str(self._path)), "Give another file name, or remove the file.",
            )  # fmt: skip
        if len(whole) < len(text):
            self._path.write_text(whole, encoding="utf-8")
        try:
            return {tuple(line["cell"]): line["rows"] for line in lines[1:]}
        except (KeyError, TypeError):
            raise DataFormatError(
                f"{self._path}: a line has no cell and rows; remove the file."
            ) from None

    def _parsed(self, line: str, number: int) -> Any:
        try:
            return json.loads(line)
        except json.JSONDecodeError as error:
            raise DataFormatError(
                f"{self._path}, line {number}: not JSON ({error.msg}); remove the line, and its "
                "cell is computed again."
            ) from None

    def append(self, results: Iterable[tuple[Cell, list[Row]]]) -> None:
        """Add finished cells."""
        with self._path.open("a", encoding="utf-8") as file:
            for cell, rows in results:
                file.write(json.dumps({"cell": cell.key, "rows": rows}) + "\n")
