"""What an analysis found: declared once, compared, printed, shown, exported and drawn alike."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from html import escape
from math import isnan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

import numpy as np
import pandas as pd

from rankagg._validation import check_integer
from rankagg.core.items import counted, shortened
from rankagg.core.results.pasted import Decimals, Direction, Look, Pastable, Pasted, pasted
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ROWS", "Result", "plain_rows"]

# Rows that are printed unless more are asked for, and that a notebook shows, as pandas does.
ROWS = 30
SHOWN = 60


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,)
)
class Result(Pastable, Value):
    """A finding, for a reader, a notebook, a program and a picture.

    A subclass declares fields, as a frozen dataclass does, and takes them by keyword. They are
    what it is: equality and hashing look at all of them but those with `field(compare=False)`,
    and arrays among them become read-only. It states `_schema`, `_facts`, `to_frame` and
    `_content`, and the rest follows: `summary`, the view of a notebook, `to_dict`, `plot`.
    """

    #: The name of its plain data, "rankagg.something", and their version.
    _schema: ClassVar[str]
    _version: ClassVar[int] = 1
    #: The function of `rankagg.plotting` that draws it; None where none does.
    _plot: ClassVar[str | None] = None
    #: Whether facts alone do not say all.
    _prints_table: ClassVar[bool] = True
    #: Of the printed table: what a row is of, whether rows have names, how numbers look.
    _row: ClassVar[str] = "item"
    _named_rows: ClassVar[bool] = True
    _number: ClassVar[str] = "{:z.3f}"
    #: How those of some columns look.
    _formats: ClassVar[Mapping[str, str]] = MappingProxyType({})
    #: Of the table to paste: the columns with a best number, and those with the ends of another's
    #: interval.
    _best: ClassVar[Mapping[str, Direction]] = MappingProxyType({})
    _intervals: ClassVar[Mapping[str, tuple[str, str]]] = MappingProxyType({})

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)
        # `Value` says better what cannot be done.
        del cls.__setattr__, cls.__delattr__

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                frozen_array(value)

    def _key(self) -> tuple[Hashable, ...]:
        values = (getattr(self, f.name) for f in fields(self) if f.compare)  # type: ignore[arg-type]
        return tuple(_key_of(value) for value in values)

    # -- what a subclass says -----------------------------------------------------------------

    @abstractmethod
    def _facts(self) -> Iterable[str]:
        """Return the lines above the table; the first says what this is."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the finding as a table."""

    @abstractmethod
    def _content(self) -> Mapping[str, Any]:
        """Return plain data for JSON, beside `schema` and `version`."""

    def _table(self) -> pd.DataFrame:
        """Return the table that is printed and shown; an empty one is left out."""
        return self.to_frame() if self._prints_table else pd.DataFrame()

    def _to_paste(self) -> pd.DataFrame:
        """Return the table that papers and pages get."""
        return self.to_frame()

    def _left_out(self, number: int) -> str:
        """Return what stands below a table that is cut off."""
        return f"... and {counted(number, f'more {self._row}')}"

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        """Return the lines below the table; `rows` limits what they list."""
        return ()

    def _printed(self, table: pd.DataFrame) -> str:
        """Return rows of the table as text."""
        if self._named_rows:
            table = table.rename(index=shortened).rename_axis(None)
        formats = {name: look.format for name, look in self._formats.items() if name in table}
        text: str = table.to_string(
            index=self._named_rows,
            na_rep="-",
            formatters=formats,
            float_format=self._number.format,
        )
        return text

    # -- what it gets -------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        return {"schema": self._schema, "version": self._version, **self._content()}

    def _pasted(self, decimals: Decimals | None, best: bool, rows: int | None) -> Pasted:
        look = Look(self._number, self._formats, self._best, self._intervals)
        return pasted(self._to_paste(), look, decimals=decimals, best=best, rows=rows)

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the finding; its class says with which function of `rankagg.plotting`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        **options
            Those of the function.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if self._plot is None:
            raise AttributeError(f"No function of rankagg.plotting draws a {type(self).__name__}.")
        # By name: results know nothing of drawing, and Matplotlib is loaded when it is needed.
        draw = getattr(importlib.import_module("rankagg.plotting"), self._plot)
        axes: Axes = draw(self, ax=ax, **options)
        return axes

    def summary(self, *, rows: int | None = ROWS) -> str:
        """Return the finding as text.

        Parameters
        ----------
        rows : int or None, default 30
            How many rows of the table to print at most; None prints all.

        Returns
        -------
        str
        """
        return self._text(self._facts(), rows)

    def _text(self, facts: Iterable[str], rows: int | None) -> str:
        limit = None if rows is None else check_integer(rows, "rows", low=1)
        table = self._table()
        left = 0 if limit is None else max(len(table) - limit, 0)
        shown = [self._printed(table.head(len(table) - left))] if len(table) else []
        more = [self._left_out(left)] if left else []
        return visible("\n".join([*facts, *shown, *more, *self._below(limit)]))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return visible(f"<{type(self).__name__}: {next(iter(self._facts()))}>")

    def _repr_html_(self) -> str:
        table = self._table()
        shown = table.to_html(
            index=self._named_rows, na_rep="", max_rows=SHOWN, show_dimensions=len(table) > SHOWN
        )
        return visible(_html(self._facts()) + shown * bool(len(table)) + _html(self._below()))


def _key_of(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return array_key(value)
    # A NaN is unlike itself, but what is unknown in one result is so in its copy.
    key: Hashable = "NaN" if isinstance(value, float) and isnan(value) else value
    return key


def _html(lines: Iterable[str]) -> str:
    # A fact of several lines is a small table.
    tags = ((line, "pre" if "\n" in line else "p") for line in lines if line)
    return "".join(f"<{tag}>{escape(line)}</{tag}>" for line, tag in tags)


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain data for JSON; what JSON cannot hold is None."""
    known = frame.notna() & ~frame.isin([np.inf, -np.inf])
    rows = frame.astype(object).where(known, None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]
