"""What a cell states, where the float that was made of it is another number."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Rational
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats

# Floats hold every whole number up to here.
EXACT_LIMIT = 2.0**53

# Two numbers of at most 15 digits never become one float, unless they are all but zero.
SAFE_DIGITS, SAFE_SIZE = 15, 1e-290


class LostNumber(NamedTuple):
    """A number that no float is: its exact value, and whether it was given as a whole number."""

    number: int | Fraction | Decimal | str
    is_whole: bool


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


def lost_number(cell: object, value: float) -> LostNumber | None:
    """Return what a cell states where that is not the finite float `value` made of it.

    A whole number must be the float exactly. A fraction such as 0.1 is what the float says where
    it is the shortest way to write that float.
    """
    number: int | Fraction | Decimal | str | None
    if isinstance(cell, str):
        text = cell.strip()
        if len(text) <= SAFE_DIGITS and abs(value) > SAFE_SIZE:
            return None
        number = _in_text(text)
    else:
        number = _exact_number(cell)
    if number is None or number == value:
        return None
    if isinstance(number, int):
        return LostNumber(number, True)
    if isinstance(cell, np.floating):
        return LostNumber(number, False)
    return None if number == Decimal(repr(value)) else LostNumber(number, False)


def _in_text(text: str) -> int | Decimal | str:
    digits, _, decimals = text.lstrip("+-").partition(".")
    if digits.isdecimal() and not decimals.strip("0"):
        number = int(digits.lstrip("0") or "0")
        return -number if text.startswith("-") else number
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond all reason: the float is zero
        return text


def _exact_number(cell: object) -> int | Fraction | Decimal | None:
    """Return the number in a cell that may be none of the 64-bit floats."""
    if isinstance(cell, bool | np.bool_):
        return None
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else cell
    if isinstance(cell, np.longdouble):
        number: Rational = Fraction(*cell.as_integer_ratio())
    elif isinstance(cell, Rational):
        number = cell
    else:
        return None
    whole = number.denominator == 1
    return (
        int(number.numerator) if whole else Fraction(int(number.numerator), int(number.denominator))
    )


def as_objects(values: ArrayLike) -> NDArray[np.object_]:
    """Return the cells as they were given; a frame of several types keeps each of them."""
    if hasattr(values, "to_numpy"):
        return np.asarray(values.astype(object))  # type: ignore[union-attr]
    return np.array(values, dtype=object)


def doubtful_cells(values: ArrayLike, floats: Floats) -> Iterable[tuple[int, object]]:
    """Yield flat position and cell wherever a float may not be what was given."""
    if isinstance(values, np.ndarray) and values.dtype in (np.float64, np.float32, np.bool_):
        return
    dtype = np.asarray(values).dtype
    plain = dtype.kind in "iub" or (dtype.kind == "f" and dtype.itemsize <= 8)
    far = np.abs(floats) >= EXACT_LIMIT if plain else ~np.isnan(floats)
    if far.any():
        objects = as_objects(values).ravel()
        yield from ((int(at), objects[at]) for at in np.flatnonzero(far))


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
    objects = as_objects(values).astype(object)
    if objects.shape[0] == objects.shape[1]:
        np.fill_diagonal(objects, 0)
    whole = [_as_whole(cell) for cell in objects.ravel()]
    if None in whole:
        return None
    integers: NDArray[np.object_] = np.array(whole, dtype=object).reshape(objects.shape)
    return integers


def _as_whole(cell: object) -> int | None:
    if isinstance(cell, bool | np.bool_):
        return None
    if isinstance(cell, Integral):
        return int(cell)
    return int(cell) if isinstance(cell, float) and cell.is_integer() else None
