"""Sums of floats that are rounded once, so that neither order nor batches change a bit.

Numbers are cut at a common binary digit, far enough up that the upper parts of all of them have an
exact sum in floats; what is left is cut again, until nothing is. The few exact sums are the result.
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp, fsum, inf, ldexp

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.kernels.backend import compiled

__all__ = [
    "exact_mean", "exact_sums", "mean_by_group", "row_sums", "sum_by_group", "weighted_mean",
]  # fmt: skip

# Cells looked at in one go: they stay in the cache.
BLOCK = 50_000
DIGITS = 53
# Above 2**HIGH, room for the sum is made by a factor of 2**-SHIFT.
HIGH, SHIFT = 900, 100
# Every float is a multiple of 2**-LEAST, and their sums have so many digits of 32 bits.
LEAST, LIMBS = 1074, 68


def sum_by_group(values: Floats, groups: NDArray[np.int64], n_groups: int) -> Floats:
    """Sum the columns of each group.

    Parameters
    ----------
    values : ndarray of float, shape (m, u)
        Finite numbers. Beyond 2**900 those below 2**-974 count as 0.
    groups : ndarray of int, shape (u,)
        The group of each column, 0 to `n_groups` - 1; none is empty.
    n_groups : int
        The number of groups.

    Returns
    -------
    ndarray of float, shape (m, n_groups)
        The exact sums, rounded to the nearest float; infinite where that is too large.
    """
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(n_groups))
    in_place = bool((order == np.arange(len(order))).all())
    totals = np.empty((len(values), n_groups))
    size = max(1, BLOCK // max(values.shape[1], 1))
    for start in range(0, len(values), size):
        rows = slice(start, start + size)
        block = values[rows].copy() if in_place else values[rows][:, order]
        totals[rows] = _sums(block, starts)
    return totals


def row_sums(values: Floats) -> Floats:
    """Sum each row; see `sum_by_group`."""
    groups = np.zeros(values.shape[1], dtype=np.int64)
    sums: Floats = sum_by_group(values, groups, 1)[:, 0]
    return sums


def _sums(rest: Floats, starts: NDArray[np.intp]) -> Floats:
    """Sum the columns from each start to the next; `rest` is used up."""
    if len(starts) == rest.shape[1]:
        return rest
    top = max(rest.max(initial=0.0), -rest.min(initial=0.0))
    if frexp(top)[1] > HIGH:
        with np.errstate(over="ignore"):
            return np.ldexp(_sums(np.ldexp(rest, -SHIFT), starts), SHIFT)
    return _joined(_parts(rest, starts, top))


def _parts(rest: Floats, starts: NDArray[np.intp], top: float) -> list[Floats]:
    """Return the sums of upper digits, of the next ones and so on, which no float rounds.

    No number is beyond `top`, which is 2**HIGH at most; `rest` is used up.
    """
    exponent = frexp(top)[1]
    # The sum of so many numbers below 2**exponent is below 2**(exponent + extra).
    extra = (rest.shape[1] + 1).bit_length()
    parts: list[Floats] = []
    upper = np.empty_like(rest)
    while True:
        cut = ldexp(1.0, max(exponent + extra, -1022))
        np.add(rest, cut, out=upper)
        np.subtract(upper, cut, out=upper)
        np.subtract(rest, upper, out=rest)
        parts.append(np.add.reduceat(upper, starts, axis=1))
        if not rest.any():
            return parts
        exponent += extra - DIGITS


def _joined(parts: list[Floats]) -> Floats:
    stacked = np.stack(parts)
    total: Floats = stacked.sum(axis=0)
    # The sum of two numbers is rounded once; that of more is not.
    more = (stacked != 0).sum(axis=0) > 2
    if more.any():
        total[more] = [fsum(terms) for terms in stacked[:, more].T.tolist()]
    return total


def exact_sums(values: Floats) -> list[int]:
    """Sum each row without any rounding.

    Parameters
    ----------
    values : ndarray of float, shape (n, m)
        Finite numbers; NaN adds nothing.

    Returns
    -------
    list of int
        The sums in units of 2**-`LEAST`, of which every float is a multiple.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sums(np.array([[0.5, 0.25, np.nan]])) == [3 << 1072]
    True
    """
    fast = compiled(values.size * 32)
    if fast is not None:
        limbs = np.zeros((len(values), LIMBS), dtype=np.int64)
        fast.add_exactly(np.ascontiguousarray(values).view(np.int64), limbs)
        return [sum(int(d) << (32 * at) for at, d in enumerate(row) if d) for row in limbs.tolist()]
    totals = [0] * len(values)
    size = max(1, BLOCK // max(len(values), 1))
    for start in range(0, values.shape[1], size):
        block = np.nan_to_num(values[:, start : start + size], nan=0.0)
        for part in _exact_parts(block):
            for row, number in enumerate(part.tolist()):
                above, below = number.as_integer_ratio()
                totals[row] += (above << LEAST) // below
    return totals


def _exact_parts(rest: Floats) -> list[Floats]:
    """Return floats that add up to the sum of each row; `rest` is used up."""
    top = float(max(rest.max(initial=0.0), -rest.min(initial=0.0)))
    if frexp(top)[1] <= HIGH:
        return [part[:, 0] for part in _parts(rest, np.zeros(1, dtype=np.intp), top)]
    # One by one: there is no room for a sum, and few numbers are that large.
    large = np.abs(rest) > ldexp(1.0, HIGH - 1)
    columns = list(np.where(large, rest, 0.0)[:, large.any(axis=0)].T)
    return columns + _exact_parts(np.where(large, 0.0, rest))


def exact_mean(total: int, count: int) -> float:
    """Return a sum of `exact_sums` over a number of terms, as `mean_by_group` rounds it."""
    if not count:
        return float("nan")
    summed = _as_float(Fraction(total, 1 << LEAST))
    if abs(summed) < inf:
        return summed / count
    # Rounding leads beyond the largest float at times.
    largest = float(np.finfo(np.float64).max)
    half = _as_float(Fraction(total, 1 << (LEAST + SHIFT))) / count
    mean = half * 2.0**SHIFT
    return max(-largest, min(mean, largest))


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def mean_by_group(
    values: Floats, present: Bools, groups: NDArray[np.int64], n_groups: int
) -> Floats:
    """Average the columns of each group that are present.

    Parameters
    ----------
    values : ndarray of float, shape (m, u)
        Numbers; what is not present may be anything.
    present : ndarray of bool, shape (m, u)
        Which of them count.
    groups, n_groups
        As for `sum_by_group`.

    Returns
    -------
    ndarray of float, shape (m, n_groups)
        NaN where nothing is present.
    """
    filled = np.where(present, values, 0.0)
    if present.all():
        counts = np.bincount(groups, minlength=n_groups).astype(np.float64)[None]
    else:
        counts = sum_by_group(present.astype(np.float64), groups, n_groups)
    sums = sum_by_group(filled, groups, n_groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / counts
    too_large = np.isinf(sums)
    if too_large.any():
        halves = sum_by_group(np.ldexp(filled, -SHIFT), groups, n_groups)
        with np.errstate(over="ignore", invalid="ignore"):
            means[too_large] = np.ldexp(halves / counts, SHIFT)[too_large]
        # Rounding leads beyond the largest float at times.
        largest = np.finfo(np.float64).max
        means = np.clip(means, -largest, largest)
    return means


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Average each row with weights of its own, of which one at least is positive.

    Parameters
    ----------
    values, weights : ndarray of float, shape (m, u)
        Numbers, and how much each counts.

    Returns
    -------
    ndarray of float, shape (m,)
        The sum of the products, each rounded to a float, over the sum of the weights.
    """
    # A power of two changes no digit; products of large scores and weights must not overflow.
    exponents = np.frexp(weights.max(axis=1, keepdims=True))[1]
    scaled = np.ldexp(weights, -exponents)
    products = values * scaled
    sums, whole = row_sums(products), row_sums(scaled)
    means: Floats = sums / whole
    too_large = np.isinf(sums)
    if too_large.any():
        halves = row_sums(np.ldexp(products[too_large], -SHIFT))
        with np.errstate(over="ignore"):
            means[too_large] = np.ldexp(halves / whole[too_large], SHIFT)
    # Rounding leads out of the range of the values at times.
    counted = weights > 0
    least = values.min(axis=1, where=counted, initial=np.inf)
    most = values.max(axis=1, where=counted, initial=-np.inf)
    return np.clip(means, least, most)
