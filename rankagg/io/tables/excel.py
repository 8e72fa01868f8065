"""Tables in Excel workbooks, by pandas and openpyxl."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd

from rankagg.exceptions import DataFormatError
from rankagg.io.tables.cells import CellTable
from rankagg.io.tables.columns import Table

__all__ = ["read_excel"]


def read_excel(path: Path) -> Table:
    """Return the table on the first sheet of a workbook; its first filled row is the header."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of styles and extensions left out
            sheet = pd.read_excel(
                path, engine="openpyxl", header=None, dtype=object, keep_default_na=False
            )
    except ImportError:
        raise DataFormatError(
            f"{path.name} is an Excel workbook, which is read where openpyxl is installed "
            "(pip install openpyxl); or save it as CSV (UTF-8)."
        ) from None
    except Exception as error:  # whatever openpyxl meets in a damaged archive
        raise DataFormatError(
            f"{path.name} is no Excel workbook, or is damaged ({type(error).__name__}): save it as "
            "CSV (UTF-8)."
        ) from None
    cells = sheet.astype(object).where(sheet.notna() & (sheet != ""), None)
    filled = cells.notna()
    cells = cells.loc[filled.any(axis=1), filled.any(axis=0)]
    if cells.empty:
        raise DataFormatError(f"{path.name} is empty; it must hold a header and at least one row.")
    header, *rows = [list(row) for row in cells.itertuples(index=False, name=None)]
    lines = [int(number) + 1 for number in cells.index[1:]]
    names = [name.strip() if isinstance(name, str) else name for name in header]
    return CellTable(path.name, names, rows, lines, is_text=False)
