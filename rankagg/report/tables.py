"""Tables of the page: what stands in a cell, and what it is sorted by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from rankagg.core.names import amount, unsigned

__all__ = ["Cell", "Column", "Table", "bullets", "table_of"]

#: Stands for what is not known or does not apply.
UNKNOWN = "\N{EN DASH}"

Look = Literal["number", "long", "bar", "strip", ""]

# Longer texts may be broken over lines; shorter ones stay whole.
LONG = 12


@dataclass(frozen=True)
class Column:
    """A column: its heading, how it looks, and what it means."""

    name: str
    look: Look = "number"
    meaning: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, the number it is sorted by (None: by its text), its link, its drawing.

    Rectangles are from where to where in per cent of the width; light ones are partly there.
    """

    text: str
    key: float | None = None
    link: str = ""
    drawn: tuple[tuple[float, float, str], ...] = ()

    @property
    def key_text(self) -> str:
        """The key as browsers read numbers."""
        return "Infinity" if self.key == np.inf else repr(self.key)


@dataclass(frozen=True)
class Table:
    """A table that readers may sort by any column."""

    # The columns; the first names the row.
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    # What was not shown; empty where everything is.
    left_out: str = ""
    # Whether narrow screens have the cells of a row below each other, with the columns' names.
    stacked: bool = False

    @property
    def width(self) -> Literal["text", "figure"]:
        """How wide it is: as text where there are few columns."""
        wide = sum(2 if column.look in ("long", "bar", "strip") else 1 for column in self.columns)
        return "text" if wide <= 4 else "figure"

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """What columns mean, where that is not plain from their headings; the same is said once."""
        told: dict[str, list[str]] = {}
        for column in self.columns:
            if column.meaning:
                told.setdefault(column.meaning, []).append(column.name)
        return tuple((", ".join(names), meaning) for meaning, names in told.items())


def table_of(
    frame: pd.DataFrame,
    caption: str,
    *,
    formats: Mapping[str, str] | None = None,
    headings: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
    text: Iterable[str] = (),
    bars: Iterable[str] = (),
    drawn: Mapping[str, Sequence[tuple[tuple[float, float, str], ...]]] | None = None,
    limit: int | None = None,
    what: str = "rows",
) -> Table:
    """Make a table from a frame, column by column."""
    words, pictures = set(text), dict(drawn or {})
    titles, notes, styles = headings or {}, meanings or {}, formats or {}
    shown = frame if limit is None else frame.head(limit)
    for name in bars:
        top = float(frame[name].max()) if len(frame) else 0.0
        ends = [100 * float(value) / top if top > 0 else 0.0 for value in shown[name]]
        pictures[name] = [((0.0, end, ""),) for end in ends]
    columns = tuple(
        Column(titles.get(name, name), look, notes.get(name, ""))
        for name in map(str, frame.columns)
        for look in [_look(shown[name], name in words, name in (drawn or {}), name in pictures)]
    )
    rows = tuple(
        tuple(
            _cell(value, name in words, styles.get(name, ""), pictures.get(name, ()), k)
            for name, value in zip(frame.columns, row, strict=True)
        )
        for k, row in enumerate(shown.itertuples(index=False, name=None))
    )
    left = len(frame) - len(shown)
    return Table(columns, rows, caption, f"{left:,} more {what} are not shown." if left else "")


def _cell(
    value: Any,
    is_text: bool,
    style: str,
    pictures: Sequence[tuple[tuple[float, float, str], ...]],
    row: int,
) -> Cell:
    cell = _text(value) if is_text else _number(value, style)
    return replace(cell, drawn=pictures[row]) if pictures else cell


def _look(values: pd.Series[Any], is_text: bool, is_strip: bool, is_bar: bool) -> Look:
    if is_strip:
        return "strip"
    if is_bar:
        return "bar"
    if not is_text:
        return "number"
    return "long" if values.map(lambda value: len(str(value))).max() > LONG else ""


def _text(value: Any) -> Cell:
    return Cell(UNKNOWN if pd.isna(value) else str(value))


def _number(value: Any, style: str) -> Cell:
    if value is None or value is pd.NA or np.isnan(value):
        return Cell(UNKNOWN, np.inf)
    text = format(value, style) if style else amount(value)
    return Cell(unsigned(text), float(value))


def bullets(lines: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the first lines, and one that says how many follow."""
    left = len(lines) - limit
    return (*lines[:limit], *([f"and {left:,} more"] if left > 0 else []))
