"""Matrices of votes that come as plain numbers: checked, and as integers over one denominator."""

from __future__ import annotations

from math import lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._numbers import whole_matrix
from rankagg._typing import Floats, Integers
from rankagg._validation import as_matrix
from rankagg.core.arithmetic import exact
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["LARGEST_VOTES", "SCALE", "divided", "rational_votes", "square_votes", "tied_votes"]

# Sums and squares of entries must be floats too.
LARGEST_VOTES = 10**100

SHIFT = "Adding a constant to both entries of a pair changes no order."
SCALE = "Divide all entries by a common number."


def square_votes(values: ArrayLike, parameter: str) -> Floats | NDArray[np.object_]:
    """Return a square matrix without a diagonal: floats, or integers where those are too large."""
    large = whole_matrix(values)
    matrix = as_matrix(values, parameter, nan=True) if large is None else large
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidInputError(parameter, "a square matrix", Described(f"shape {matrix.shape}"))
    np.fill_diagonal(matrix, 0)
    if large is None:
        matrix = as_matrix(matrix, parameter)
    _check_range(matrix, matrix >= 0, parameter, "free of negative numbers", SHIFT)
    _check_range(matrix, matrix <= LARGEST_VOTES, parameter, f"at most {LARGEST_VOTES:g}", SCALE)
    return matrix


def tied_votes(values: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return votes for neither of two items, zeros for None; raises unless symmetric."""
    if values is None:
        return np.zeros(shape)
    tied = square_votes(values, "ties")
    if tied.shape != shape or not np.array_equal(tied, tied.T):
        raise InvalidInputError(
            "ties", f"symmetric and of shape {shape}", Described(f"shape {tied.shape}")
        )
    return tied


def _check_range(
    matrix: NDArray[Any], good: NDArray[np.bool_], parameter: str, allowed: str, remedy: str
) -> None:
    if not good.all():
        row, column = np.argwhere(~good.astype(bool))[0]
        shown = Described(f"{float(matrix[row, column]):g} in row {row}, column {column}")
        raise InvalidInputError(parameter, allowed, shown, remedy)


def rational_votes(won: NDArray[Any], tied: NDArray[Any]) -> exact.Rational:
    """Return both matrices, one above the other, as integers over one denominator."""
    if object not in (won.dtype, tied.dtype):
        return exact.as_rational(np.stack([won, tied]))
    parts = [
        exact.Rational(part, 1, 0.0) if part.dtype == object else exact.as_rational(part)
        for part in (won, tied)
    ]
    denominator = lcm(*(part.denominator for part in parts))
    scaled = [part.numerators.astype(object) * (denominator // part.denominator) for part in parts]
    return exact.Rational(np.stack(scaled), denominator, max(part.step for part in parts))


def divided(scaled: Integers, denominator: int) -> Floats:
    """Return integers over a denominator as floats, however large they are."""
    if scaled.dtype == object:
        # Python divides large integers without overflow.
        votes = np.array([value / denominator for value in scaled.ravel()])
        return votes.reshape(scaled.shape)
    quotients: Floats = scaled / denominator
    return quotients
