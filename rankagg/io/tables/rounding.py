"""Ties that a file does not hold: different numbers that have become one float."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.exceptions import DataWarning

__all__ = ["warn_of_ties"]


def warn_of_ties(
    name: str,
    values: Floats,
    lost: Mapping[int, object],
    unit: NDArray[np.intp],
    place: Callable[[int], str],
    *,
    stacklevel: int,
) -> None:
    """Warn where numbers that are compared differ, and their floats do not.

    Parameters
    ----------
    name : str
        Of the file.
    values : ndarray of float, shape (n,)
        The floats.
    lost : mapping from int to number
        The exact number of each entry whose float is another number.
    unit : ndarray of int, shape (n,)
        Entries of one unit are compared.
    place : callable
        Names an entry for the message.
    stacklevel : int
        Of the warning, counted from here.
    """
    if not lost:
        return
    rounded = np.unique(values[list(lost)])
    sets: dict[tuple[int, float], dict[object, int]] = defaultdict(dict)
    for entry in np.flatnonzero(np.isin(values, rounded)).tolist():
        value = float(values[entry])
        exact = lost.get(entry, Decimal(repr(value)))
        sets[int(unit[entry]), value].setdefault(exact, entry)
    ties = [numbers for numbers in sets.values() if len(numbers) > 1]
    if ties:
        (first, _), (second, entry), *_ = ties[0].items()
        warnings.warn(
            f"{name}: 64-bit floats hold about 16 digits, and rounding to them tied what differs "
            f"in {len(ties)} of the cases compared; the first is {first} and {second} "
            f"({place(entry)}). Subtract a common number to keep them apart.",
            DataWarning,
            stacklevel=stacklevel + 1,
        )
