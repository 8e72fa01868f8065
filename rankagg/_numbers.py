"""Numbers as 64-bit floats, and whole numbers that none of them holds."""

from __future__ import annotations

from decimal import Decimal
from math import inf
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats

# Floats hold every whole number up to here.
EXACT_LIMIT = 2.0**53


def ascii_number(text: str) -> str:
    """Return a text that may be a number; raises `ValueError` for digits other than 0 to 9.

    Python reads those of every script, and underscores between them.
    """
    if "_" in text or not text.strip().isascii():
        raise ValueError(f"could not convert {text[:60]!a} to a number in digits 0 to 9")
    return text


def floats_of(values: ArrayLike) -> Floats:
    """Return a new array of floats; raises `ValueError` where a text is no number."""
    array = np.asarray(values)
    if array.dtype.kind in "UO":
        for cell in array.flat:
            if isinstance(cell, str):
                ascii_number(cell)
    return np.array(values if array.dtype.kind == "c" else array, dtype=np.float64)


def whole_number(cell: object) -> int | None:
    """Return the whole number that a cell states; None for anything else."""
    if isinstance(cell, str):
        digits, _, decimals = cell.strip().lstrip("+-").partition(".")
        if not digits.isdecimal() or decimals.strip("0"):
            return None
        size = int(digits.lstrip("0") or "0")
        return -size if cell.strip().startswith("-") else size
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal):
        return None
    number: Any = cell
    return int(number) if np.isfinite(float(number)) and number == int(number) else None


def is_held(cell: object, value: float) -> bool:
    """Say whether a float is the whole number that a cell states, or the cell states none."""
    return not EXACT_LIMIT <= abs(value) < inf or whole_number(cell) in (None, value)


def _as_objects(values: ArrayLike) -> NDArray[np.object_]:
    """Return the cells as they were given; a frame of several types keeps each of them."""
    if hasattr(values, "to_numpy"):
        return np.asarray(values.astype(object))  # type: ignore[union-attr]
    return np.array(values, dtype=object)


def unheld(values: ArrayLike, floats: Floats) -> object | None:
    """Return the first of some numbers that is whole and not the finite float made of it."""
    far = np.flatnonzero((np.abs(floats) >= EXACT_LIMIT) & np.isfinite(floats))
    is_plain = isinstance(values, np.ndarray) and values.dtype in (np.float64, np.float32)
    if is_plain or not far.size:
        return None
    cells = _as_objects(values).ravel()[far]
    pairs = zip(cells, floats.ravel()[far].tolist(), strict=True)
    return next((whole_number(cell) for cell, value in pairs if not is_held(cell, value)), None)


def whole_matrix(values: ArrayLike) -> NDArray[np.object_] | None:
    """Return a table of whole numbers as Python integers where one is too large for all floats.

    None where nothing reaches 2**53 or something is no whole number. The diagonal of a square
    table is ignored: zeros stand there.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return None
    try:
        floats = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if floats.ndim != 2 or not (np.abs(floats) >= EXACT_LIMIT).any():
        return None
    objects = _as_objects(values).astype(object)
    if objects.shape[0] == objects.shape[1]:
        np.fill_diagonal(objects, 0)
    whole = [None if isinstance(x, str) else whole_number(x) for x in objects.ravel()]
    if None in whole:
        return None
    integers: NDArray[np.object_] = np.array(whole, dtype=object).reshape(objects.shape)
    return integers
