"""Linear ordering matrices: plain numbers for row above column."""

from __future__ import annotations

from math import isfinite, isqrt

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg._validation import ascii_number, is_exact_float, whole_number
from rankagg.core import PairwiseMatrix
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.sources import MAX_BYTES, Source, check_plain_table, read_text, text_lines

# Measured: bytes of memory for a byte of text.
PER_BYTE = 64
# Characters that hold the last number of a text.
LAST_WORD = 200


def looks_like_matrix(text: str) -> bool:
    """Return whether a text is n and then n x n numbers, with or without a title line."""
    return _matrix_cells(text) is not None


def read_matrix(source: Source, *, max_bytes: int = MAX_BYTES) -> PairwiseMatrix:
    r"""Read a linear ordering matrix in the format of LOLIB.

    The file has the number of items n, then n x n numbers by rows, separated by any blanks and line
    ends; one title line may precede them. The best order maximizes the sum above the diagonal,
    which is the sum of all numbers off the diagonal less the Kemeny cost. Whole numbers are exact
    at any size.

    Parameters
    ----------
    source : path or text stream
        The file.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    PairwiseMatrix
        Over the items 0, 1, ..., n - 1; the diagonal is ignored.

    References
    ----------
    Reinelt, LOLIB, a library of sample instances for the linear ordering problem.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg.io import read_matrix
    >>> read_matrix(StringIO("2\n0 3\n1 0\n")).wins
    array([[0., 3.],
           [1., 0.]])
    """
    name, text = read_text(source, max_bytes, PER_BYTE)
    cells = _matrix_cells(text)
    if cells is None:
        check_plain_table(name, text)
        raise DataFormatError(
            f"{name} is no linear ordering matrix: it must hold a number n and n x n numbers."
        )
    return PairwiseMatrix.from_wins(cells)


def _matrix_cells(text: str) -> Floats | NDArray[np.object_] | None:
    """Return the n x n numbers; None for any other text."""
    if _matrix_numbers(text[-LAST_WORD:].split()[-1:]) is None:  # most tables end otherwise
        return None
    title, *lines = text_lines(text.strip())
    candidates = [text.split()]
    if _matrix_numbers(title.split()) is None:  # a line of numbers is no title
        candidates.append("\n".join(lines).split())
    for words in candidates:
        n = isqrt(max(len(words) - 1, 0))
        if n < 1 or words[0] != str(n) or len(words) != 1 + n * n:
            continue
        numbers = _matrix_numbers(words[1:])
        return None if numbers is None else numbers.reshape(n, n)
    return None


def _matrix_numbers(words: list[str]) -> Floats | NDArray[np.object_] | None:
    """Return finite floats, or whole numbers if floats cannot hold them; None for other words."""
    try:
        floats = [float(ascii_number(word)) for word in words]
    except ValueError:
        return None
    if not all(map(isfinite, floats)):
        return None
    if all(map(is_exact_float, words, floats)):
        return np.array(floats)
    integers = [whole_number(word) for word in words]
    return np.array([x if n is None else n for x, n in zip(floats, integers, strict=True)], object)
