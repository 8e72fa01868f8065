"""Elementary symmetric polynomials: sums of products over all subsets of a size.

All by additions and products of numbers that are not negative, so nothing cancels. Rows are
independent; a 0 is as good as no entry.
"""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats

__all__ = ["elementary", "leave_one_out", "log_elementary"]


def elementary(x: Floats, degree: int) -> Floats:
    """Return e_0, ..., e_degree of every row.

    Parameters
    ----------
    x : ndarray of float, shape (s, n)
        Not negative.
    degree : int
        The largest size of a subset.

    Returns
    -------
    ndarray of float, shape (degree + 1, s)
    """
    sums = np.zeros((degree + 1, len(x)))
    sums[0] = 1.0
    for column in x.T:
        for d in range(degree, 0, -1):
            sums[d] += column * sums[d - 1]
    return sums


def log_elementary(logs: Floats, degree: int) -> Floats:
    """Return the logs of `elementary` of exp(logs), which need not have floats.

    Parameters
    ----------
    logs : ndarray of float, shape (s, n)
        -inf for a 0.
    degree : int
        The largest size of a subset.

    Returns
    -------
    ndarray of float, shape (degree + 1, s)
    """
    sums = np.full((degree + 1, len(logs)), -np.inf)
    sums[0] = 0.0
    for column in logs.T:
        for d in range(degree, 0, -1):
            sums[d] = np.logaddexp(sums[d], column + sums[d - 1])
    return sums


def leave_one_out(x: Floats, degree: int) -> Floats:
    """Return e_0, ..., e_degree of every row without each entry in turn.

    Parameters
    ----------
    x : ndarray of float, shape (s, n)
        Not negative.
    degree : int
        The largest size of a subset.

    Returns
    -------
    ndarray of float, shape (degree + 1, s, n)
    """
    s, n = x.shape
    before = _running(x, degree)
    after = _running(x[:, ::-1], degree)[:, :, ::-1]
    without = np.zeros((degree + 1, s, n))
    for d in range(degree + 1):
        for k in range(d + 1):
            without[d] += before[k] * after[d - k]
    return without


def _running(x: Floats, degree: int) -> Floats:
    """Return the polynomials of the entries before each one, shape (degree + 1, s, n)."""
    s, n = x.shape
    sums = np.zeros((degree + 1, s, n))
    sums[0] = 1.0
    for j in range(1, n):
        sums[:, :, j] = sums[:, :, j - 1]
        for d in range(degree, 0, -1):
            sums[d, :, j] += x[:, j - 1] * sums[d - 1, :, j - 1]
    return sums
