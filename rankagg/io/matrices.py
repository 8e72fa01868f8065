"""Linear ordering matrices: plain numbers for row above column."""

from __future__ import annotations

import numpy as np

from rankagg.core.pairwise import PairwiseMatrix
from rankagg.exceptions import DataFormatError
from rankagg.io.text import Source, read_text

__all__ = ["looks_like_matrix", "read_matrix"]


def looks_like_matrix(text: str) -> bool:
    """Say whether a text is a number n and n x n numbers, with a title line before them or not."""
    return _numbers(text) is not None


def read_matrix(source: Source) -> PairwiseMatrix:
    r"""Read a linear ordering matrix in the format of LOLIB.

    The number of items n, then n x n numbers by rows, separated by blanks and line ends however
    they like; one title line may stand first. The best order maximizes the sum above the
    diagonal, which is the sum of all numbers off the diagonal less the Kemeny cost.

    Parameters
    ----------
    source : path or text stream
        The file.

    Returns
    -------
    PairwiseMatrix
        Over the items 0, 1, ..., n - 1; the diagonal is ignored.

    Raises
    ------
    DataFormatError
        If the file is not such a matrix.

    References
    ----------
    Reinelt, LOLIB, a library of sample instances for the linear ordering problem.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_matrix
    >>> read_matrix(StringIO("2\n0 3\n1 0\n")).wins
    array([[0., 3.],
           [1., 0.]])
    """
    name, text = read_text(source)
    numbers = _numbers(text)
    if numbers is None:
        raise DataFormatError(
            f"{name} is no linear ordering matrix: it must hold a number n and n x n numbers."
        )
    n = int(numbers[0])
    return PairwiseMatrix.from_wins(np.array(numbers[1:]).reshape(n, n))


def _numbers(text: str) -> list[float] | None:
    """Return n and the n x n numbers; None where the text is anything else."""
    for candidate in (text, text.partition("\n")[2]):
        try:
            numbers = [float(word) for word in candidate.split()]
        except ValueError:
            continue
        if numbers and numbers[0] >= 1 and len(numbers) == 1 + numbers[0] ** 2:
            return numbers
    return None
