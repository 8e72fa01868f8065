"""Text that a spreadsheet would run as a formula, and how it is written into CSV files.

Spreadsheets take a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula, and a tab or
line end before it changes nothing. The usual remedy is an apostrophe in front, which they do not
show. Reading takes it away again, so labels come back as they were.
"""

from __future__ import annotations

import re
from typing import TypeVar

import pandas as pd

__all__ = ["guard", "guard_frame", "unguard"]

# Wide forms of the four signs count too; a plain number is no formula.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"'*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


T = TypeVar("T")


def _is_formula(text: str) -> bool:
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def guard(value: T) -> T | str:
    """Return a value as it may stand in a CSV file: a formula gets an apostrophe in front."""
    return "'" + value if isinstance(value, str) and _is_formula(value) else value


def unguard(text: str) -> str:
    """Return what `guard` made a text of."""
    return text[1:] if text.startswith("'") and _is_formula(text) else text


def guard_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose text, names of columns and rows included, holds no formula."""
    guarded = frame.rename(columns=guard, index=guard)
    guarded.index.names = [guard(name) for name in guarded.index.names]
    for position, dtype in enumerate(guarded.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            guarded.isetitem(position, guarded.iloc[:, position].map(guard).array)
    return guarded
