"""Tables of the page: what stands in a cell, and what it is sorted by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

__all__ = ["Cell", "Column", "Table", "bullets", "table_of"]

#: Stands for what is not known or does not apply.
UNKNOWN = "\N{EN DASH}"

# Longer texts may be broken over lines; shorter ones stay whole.
LONG = 12


@dataclass(frozen=True)
class Column:
    """A column: its heading, how it looks ("number", "long" or plain), and what it means.

    Cells of a column with a mark have an attribute of that name, for scripts.
    """

    name: str
    look: Literal["number", "long", ""] = "number"
    meaning: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, the number it is sorted by (None: by its text), and where it leads."""

    text: str
    key: float | None = None
    link: str = ""

    @property
    def key_text(self) -> str:
        """The key as browsers read numbers."""
        return "Infinity" if self.key == np.inf else repr(self.key)


@dataclass(frozen=True)
class Table:
    """A table that readers may sort by any column.

    Attributes
    ----------
    columns : tuple of Column
        The columns; the first names the row.
    rows : tuple of tuples of Cell
        The cells.
    caption : str
        What the table is.
    left_out : str
        What was not shown; empty where everything is.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    left_out: str = ""


def table_of(
    frame: pd.DataFrame,
    caption: str,
    *,
    formats: Mapping[str, str] | None = None,
    headings: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
    text: Iterable[str] = (),
    limit: int | None = None,
    what: str = "rows",
    marks: Mapping[str, str] | None = None,
) -> Table:
    """Make a table from a frame, column by column.

    Parameters
    ----------
    frame : pandas.DataFrame
        The content; missing values become a dash.
    caption : str
        What the table is.
    formats : mapping from column to format specification, optional
        For numbers; ``g`` by default.
    headings, meanings : mapping from column to str, optional
        What stands above a column, and what it means.
    text : iterable of str
        Columns that are no numbers.
    limit : int, optional
        How many rows to show at most.
    what : str
        What the rows are, for the sentence that says how many are left out.
    marks : mapping from column to str, optional
        Attributes of the cells, by which a script finds them.

    Returns
    -------
    Table
    """
    words = set(text)
    titles, notes, styles = headings or {}, meanings or {}, formats or {}
    shown = frame if limit is None else frame.head(limit)
    columns = tuple(
        Column(
            titles.get(name, name),
            _look(shown[name], name in words),
            notes.get(name, ""),
            (marks or {}).get(name, ""),
        )
        for name in map(str, frame.columns)
    )
    rows = tuple(
        tuple(
            _text(value) if name in words else _number(value, styles.get(name, "g"))
            for name, value in zip(frame.columns, row, strict=True)
        )
        for row in shown.itertuples(index=False, name=None)
    )
    left = len(frame) - len(shown)
    return Table(columns, rows, caption, f"{left} more {what} are not shown." if left else "")


def _look(values: pd.Series[Any], is_text: bool) -> Literal["number", "long", ""]:
    if not is_text:
        return "number"
    return "long" if values.map(lambda value: len(str(value))).max() > LONG else ""


def _text(value: Any) -> Cell:
    return Cell(UNKNOWN if pd.isna(value) else str(value))


def _number(value: Any, style: str) -> Cell:
    if value is None or value is pd.NA or np.isnan(value):
        return Cell(UNKNOWN, np.inf)
    return Cell(format(value, style), float(value))


def bullets(lines: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the first lines, and one that says how many follow."""
    left = len(lines) - limit
    return (*lines[:limit], *([f"and {left} more"] if left > 0 else []))
