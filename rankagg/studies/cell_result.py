"""What a study found in its cells: the rows of all of them as one table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import Any

import pandas as pd

from rankagg.core.results.result import Result
from rankagg.studies.study import Rows, Study

__all__ = ["CellResult"]


class CellResult(Result):
    """The rows of every cell of a study, and what follows from them.

    Attributes
    ----------
    study : Study
        What was asked.
    """

    study: Study[Any, Any]
    _rows: Rows[Any] = field(compare=False)

    _named_rows = False

    def _key(self) -> tuple[Hashable, ...]:
        # Every digit counts, but how long it took is no part of what was found.
        told = self._frame.drop(columns=["runtime", "exact_runtime"], errors="ignore")
        return self.study, told.to_json(double_precision=15)

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """One row per cell and rule; a cached property, of `_table_of`."""

    def _table_of(self, names: Sequence[str]) -> pd.DataFrame:
        """Return one line per cell and row: the values of its key under some names, then the row.

        Where a rule may fail, the column `error` is of texts although there may be none.
        """
        frame = pd.DataFrame(
            [
                {**dict(zip(names, cell.key, strict=True)), **row}
                for cell, found in self._rows.items()
                for row in found
            ]
        )
        return frame.astype({"error": "str"}) if "error" in frame else frame

    @property
    def n_cells(self) -> int:
        """The number of data sets that were drawn."""
        return len(self._rows)
