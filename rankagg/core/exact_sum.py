"""Sums of floats that are rounded once, and equality up to rounding error.

The order and the batches of the numbers do not change a bit of a sum. Numbers are cut at a common
binary digit, so that the upper parts have an exact sum in floats. The lower parts are cut again
until none is left. The few exact sums are then added.
"""

from __future__ import annotations

from math import frexp, fsum, ldexp
from typing import Any, cast

import numpy as np

from rankagg._typing import Bools, Floats, Integers64, Positions

# Block size in cells, so that a block stays in the cache.
CELLS_AT_ONCE = 50_000
# Numbers above 2**HIGHEST are scaled by 2**-SHIFT, so that their sum does not overflow.
HIGHEST, SHIFT = 900, 100
# Every float is a multiple of 2**-FLOAT_PLACES.
FLOAT_PLACES = 1074


def rounding_error(sizes: Any, n_terms: Any = 1) -> Any:
    """Return a bound of the rounding error of numbers computed from scores.

    Two computed numbers are equal if they differ by at most the errors of both. Scores themselves
    are compared exactly.

    Examples
    --------
    >>> rounding_error(3.0) == 3 / 2**48
    True
    """
    # 31 more half units in the last place: of a score, its weight, means of instances, products
    # and quotients.
    return (n_terms + 31) * 2.0**-53 * sizes


def are_level(values: Floats) -> bool:
    """Return whether positive numbers, such as weights, are equal up to rounding."""
    return bool(np.ptp(values) <= 2 * rounding_error(values.max()))


def scaled(values: Floats) -> tuple[Floats, int]:
    """Scale numbers so that sums neither overflow nor lose digits; return them and the shift."""
    top = frexp(float(np.nanmax(np.abs(values), initial=0.0)))[1]
    if -SHIFT <= top <= HIGHEST:
        return values, 0
    return np.ldexp(values, HIGHEST - top), HIGHEST - top


def restored(values: Floats, shift: int) -> Floats:
    """Return means of numbers that `scaled` multiplied by 2**shift."""
    if not shift:
        return values
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):  # rounding may exceed it
        return cast(Floats, np.clip(np.ldexp(values, -shift), -largest, largest))


def sum_by_group(values: Floats, groups: Integers64, n_groups: int) -> Floats:
    """Sum the columns of each group; every group has a column."""
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(n_groups))
    in_place = bool((order == np.arange(len(order))).all())
    totals = np.empty((len(values), n_groups))
    size = max(1, CELLS_AT_ONCE // max(values.shape[1], 1))
    for start in range(0, len(values), size):
        rows = slice(start, start + size)
        block = values[rows].copy() if in_place else values[rows][:, order]
        totals[rows] = _rounded_sums(block, starts)
    return totals


def sum_rows(values: Floats) -> Floats:
    """Sum each row; see `sum_by_group`."""
    return sum_by_group(values, np.zeros(values.shape[1], dtype=np.int64), 1)[:, 0]


def _rounded_sums(rest: Floats, starts: Positions) -> Floats:
    """Sum the columns from each start to the next; overwrites `rest`."""
    if len(starts) == rest.shape[1]:
        return rest
    top = max(rest.max(initial=0.0), -rest.min(initial=0.0))
    if frexp(top)[1] > HIGHEST:
        with np.errstate(over="ignore"):
            return np.ldexp(_rounded_sums(np.ldexp(rest, -SHIFT), starts), SHIFT)
    parts = np.stack(_sums_of_digits(rest, starts, top))
    total: Floats = parts.sum(axis=0)
    # A float sum of two numbers is rounded once, of more numbers several times.
    more = (parts != 0).sum(axis=0) > 2
    if more.any():
        total[more] = [fsum(terms) for terms in parts[:, more].T.tolist()]
    return total


def _sums_of_digits(rest: Floats, starts: Positions, top: float) -> list[Floats]:
    """Return the exact sums of the upper digits, of the next digits and so on.

    No number exceeds `top`, which is at most 2**HIGHEST; overwrites `rest`.
    """
    exponent = frexp(top)[1]
    # The sum of a row of numbers below 2**exponent is below 2**(exponent + extra).
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
        exponent += extra - 53


def exact_sums(values: Floats) -> list[int]:
    """Sum each row without rounding, in units of 2**-FLOAT_PLACES; NaN counts as 0.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sums(np.array([[0.5, 0.25, np.nan]])) == [3 << 1072]
    True
    """
    totals = [0] * len(values)
    if not values.size:
        return totals
    size = max(1, CELLS_AT_ONCE // max(values.shape[1], 1))
    for start in range(0, len(values), size):
        for part in _exact_parts(np.nan_to_num(values[start : start + size], nan=0.0)):
            for row, number in enumerate(part.tolist(), start):
                above, below = number.as_integer_ratio()
                totals[row] += (above << FLOAT_PLACES) // below
    return totals


def _exact_parts(rest: Floats) -> list[Floats]:
    """Return floats that add up to the sum of each row; overwrites `rest`."""
    top = float(max(rest.max(initial=0.0), -rest.min(initial=0.0)))
    if frexp(top)[1] <= HIGHEST:
        return [part[:, 0] for part in _sums_of_digits(rest, np.zeros(1, dtype=np.intp), top)]
    # Large numbers one by one, since their sum may overflow.
    large = np.abs(rest) > ldexp(1.0, HIGHEST - 1)
    columns = list(np.where(large, rest, 0.0)[:, large.any(axis=0)].T)
    return columns + _exact_parts(np.where(large, 0.0, rest))


def mean_by_group(values: Floats, present: Bools, groups: Integers64, n_groups: int) -> Floats:
    """Average the present values of each group of columns."""
    if n_groups == values.shape[1] and (groups == np.arange(n_groups)).all():
        return np.where(present, values, np.nan)
    filled, shift = scaled(np.where(present, values, 0.0))
    if present.all():
        counts = np.bincount(groups, minlength=n_groups).astype(np.float64)[None]
    else:
        counts = sum_by_group(present.astype(np.float64), groups, n_groups)
    with np.errstate(invalid="ignore"):
        return restored(sum_by_group(filled, groups, n_groups) / counts, shift)


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Average each row with its own weights; at least one of them is positive."""
    # Scaling by a power of two is exact, and keeps products from overflowing.
    parts = np.ldexp(weights, -np.frexp(weights.max(axis=1, keepdims=True))[1])
    numbers, shift = scaled(values)
    means = sum_rows(numbers * parts) / sum_rows(parts)
    # Rounding may leave the range of the values.
    counted = weights > 0
    least = values.min(axis=1, where=counted, initial=np.inf)
    most = values.max(axis=1, where=counted, initial=-np.inf)
    return np.clip(restored(means, shift), least, most)
