"""Checks of what comparisons are made of: codes, outcomes, sides, covariates, labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Label
from rankagg._validation import as_numbers
from rankagg.core.items import ItemSet, counted, label_column
from rankagg.core.value import frozen_array
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["COLUMNS", "as_codes", "as_covariates", "as_signs", "check_apart", "coded"]

Codes = NDArray[np.intp]

#: What a table of comparisons is made of beside covariates.
COLUMNS = ("first", "second", "outcome", "weight", "cluster", "side")
NOUN = "comparison"


def as_codes(values: ArrayLike, length: int | None, size: int, parameter: str) -> Codes:
    """Return positions below `size`, one per comparison, read-only."""
    given = np.asarray(values)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        kind = f"shape {given.shape} of {given.dtype}"
        raise InvalidInputError(
            parameter, "a flat sequence of whole numbers", Described(kind),
            "`Comparisons.from_arrays` takes labels.",
        )  # fmt: skip
    _check_length(given, length, parameter)
    wrong = (given < 0) | (given >= size)
    if wrong.any():
        at = int(np.argmax(wrong))
        allowed = f"at least 0 and below {size}"
        raise InvalidInputError(parameter, allowed, Described(f"{given[at]} at position {at}"))
    codes: Codes = frozen_array(np.array(given, dtype=np.intp))
    return codes


def as_signs(values: ArrayLike, length: int, parameter: str, remedy: str = "") -> NDArray[np.int8]:
    """Return 1, 0 and -1, one per comparison, read-only."""
    numbers = as_numbers(values, parameter)
    _check_length(numbers, length, parameter)
    wrong = ~np.isin(numbers, (-1.0, 0.0, 1.0))
    if wrong.any():
        at = int(np.argmax(wrong))
        shown = Described(f"{numbers[at]:g} at position {at}")
        raise InvalidInputError(parameter, "1, 0 or -1", shown, remedy)
    signs: NDArray[np.int8] = frozen_array(numbers.astype(np.int8))
    return signs


def as_covariates(covariates: Mapping[str, ArrayLike] | None, length: int) -> Mapping[str, Floats]:
    """Return finite numbers by name, one per comparison each, read-only."""
    if covariates is None:
        return MappingProxyType({})
    if not isinstance(covariates, Mapping):
        raise InvalidInputError("covariates", "a mapping from name to numbers", covariates)
    found = {}
    for name, values in covariates.items():
        if not isinstance(name, str) or not name or name in COLUMNS:
            taken = ", ".join(repr(column) for column in COLUMNS)
            allowed = f"texts with letters, none of {taken}"
            raise InvalidInputError("names of covariates", allowed, name, "Rename it.")
        parameter = f"covariate {name!r}"
        numbers = as_numbers(values, parameter)
        _check_length(numbers, length, parameter)
        if np.isnan(numbers).any():
            at = int(np.argmax(np.isnan(numbers)))
            shown = Described(f"nan at position {at}")
            raise InvalidInputError(
                parameter, "finite numbers", shown, "Leave such comparisons out, or fill it in."
            )
        found[name] = frozen_array(numbers)
    return MappingProxyType(found)


def check_apart(first: Codes, second: Codes, items: ItemSet) -> None:
    """Raise where an item meets itself."""
    same = first == second
    if same.any():
        at = int(np.argmax(same))
        number = counted(int(same.sum()), "such comparison", ",")
        shown = Described(f"{items[int(first[at])]!r} on both sides at position {at} ({number})")
        raise InvalidInputError(
            "comparisons", "between two different items", shown, "Leave those out."
        )


def coded(labels: Iterable[Label], parameter: str) -> tuple[Codes, tuple[Label, ...]]:
    """Return labels as positions among the different ones, which are in order of occurrence.

    Parameters
    ----------
    labels : iterable of str or int
        One per comparison; a string is taken letter by letter.
    parameter : str
        Their name in messages.

    Returns
    -------
    codes : ndarray of int, shape (m,)
        Positions.
    distinct : tuple of str or int
        The different labels.
    """
    # Only what comes as labels needs it.
    import pandas as pd  # noqa: PLC0415

    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu":
        codes, found = pd.factorize(labels)
        return codes, tuple(found.tolist())
    column = label_column(labels, parameter)
    cells = np.empty(len(column), dtype=object)
    cells[:] = column
    codes, found = pd.factorize(cells)
    return codes, tuple(found.tolist())


def _check_length(values: NDArray[Any], length: int | None, parameter: str) -> None:
    if length is not None and len(values) != length:
        allowed = f"one entry per {NOUN} ({length} of them)"
        raise InvalidInputError(parameter, allowed, Described(f"shape {values.shape}"))
