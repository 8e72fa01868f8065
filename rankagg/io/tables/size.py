"""How large a table may become that a small file asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg.core.items import counted
from rankagg.exceptions import DataFormatError

__all__ = ["check_bytes", "check_size", "has_twice"]

# Tables are dense. Up to here (2 GiB of floats) or 16 cells for one that is filled, they are made.
LARGEST, SPARSEST = 2**28, 16

# A byte of a compressed file may stand for so many cells.
PER_BYTE = 64


def check_size(name: str, rows: tuple[int, str], columns: tuple[int, str], filled: int) -> None:
    """Raise where rows times columns make a table that is large and all but empty."""
    cells = rows[0] * columns[0]
    if cells > max(LARGEST, SPARSEST * filled):
        raise DataFormatError(
            f"{name} has {rows[0]} {rows[1]} and {columns[0]} {columns[1]}, which make "
            f"{counted(cells, 'cell')}, {filled} of them filled; more than {LARGEST} cells must be "
            f"filled to one in {SPARSEST} at least. Split the file, or leave out what is hardly "
            "ever filled."
        )


def check_bytes(name: str, rows: int, columns: int, size: int) -> None:
    """Raise where a file states many more cells than it has bytes."""
    if rows * columns > max(LARGEST, PER_BYTE * size):
        raise DataFormatError(
            f"{name} states {counted(rows, 'row')} of {counted(columns, 'column')} and has "
            f"{counted(size, 'byte')}; it is damaged, or should be split."
        )


def has_twice(cells: NDArray[np.intp], size: int) -> bool:
    """Say whether a cell occurs twice among numbers of cells of a table of so many."""
    if size > max(LARGEST, SPARSEST * len(cells)):
        return len(np.unique(cells)) < len(cells)
    taken = np.zeros(size, dtype=np.bool_)
    taken[cells] = True
    return int(np.count_nonzero(taken)) < len(cells)
