"""Integers over one denominator: how sums of votes stay exact.

A float weight such as 0.1 is read as the simplest fraction that rounds to it (1/10), which is
what its author wrote; where no fraction with a small denominator does, it is rounded to a fine
grid, and the result says so.
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp, gcd, lcm, ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers

__all__ = [
    "INT64_SAFE",
    "Rational",
    "as_fraction",
    "as_rational",
    "combine",
    "exact_product",
    "fit",
    "reduce_by",
]

LARGEST_DENOMINATOR = 1_000_000
LARGEST_COMMON = 10**15
DISTINCT_LIMIT = 100_000
INT64_SAFE = 2**62
FLOAT_SAFE = 2**53
LIMB = 2**26
GRID_BITS = 40


class Rational(NamedTuple):
    """Integer numerators over one denominator; `step` is the grid they were rounded to, or 0."""

    numerators: Integers
    denominator: int
    step: float


def as_rational(values: Floats) -> Rational:
    """Return integers over one denominator for an array of floats.

    Exact where every value is a fraction with a denominator up to `LARGEST_DENOMINATOR` and the
    common denominator stays below `LARGEST_COMMON`. Otherwise the values are rounded to a grid
    whose step is 2**-`GRID_BITS` of the largest one.
    """
    if np.array_equal(values, np.rint(values)):
        return Rational(_whole(values), 1, 0.0)
    distinct, where = np.unique(values, return_inverse=True)
    fractions = _simple_fractions(distinct)
    if fractions is None:
        exponent = max(GRID_BITS - frexp(float(np.abs(values).max()))[1], 0)
        step = max(ldexp(1.0, -exponent), np.finfo(np.float64).smallest_subnormal)
        return Rational(_whole(np.rint(np.ldexp(values, exponent))), 2**exponent, float(step))
    denominator = lcm(*(fraction.denominator for fraction in fractions))
    numerators = [f.numerator * (denominator // f.denominator) for f in fractions]
    placed = np.array(numerators, dtype=object)[where].reshape(values.shape)
    return Rational(fit(placed), denominator, 0.0)


def _whole(values: Floats) -> Integers:
    if np.abs(values).max(initial=0.0) < FLOAT_SAFE:
        return values.astype(np.int64)
    return np.array([int(v) for v in values.ravel()], dtype=object).reshape(values.shape)


def _simple_fractions(distinct: Floats) -> list[Fraction] | None:
    if len(distinct) > DISTINCT_LIMIT:
        return None
    fractions = []
    denominator = 1
    for value in distinct.tolist():
        fraction = as_fraction(value)
        denominator = lcm(denominator, fraction.denominator)
        if fraction.denominator > LARGEST_DENOMINATOR or denominator > LARGEST_COMMON:
            return None
        fractions.append(fraction)
    return fractions


def as_fraction(value: float) -> Fraction:
    """Return the simplest fraction that rounds to a float, or the float's exact value."""
    simple = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return simple if float(simple) == value else Fraction(value)


def fit(integers: NDArray[Any]) -> Integers:
    """Return the integers as int64 where any sum of them fits, else as Python integers."""
    fits = _largest(integers) * max(integers.size, 1) < INT64_SAFE
    return integers.astype(np.int64 if fits else object)


def combine(first: Integers, by_first: int, second: Integers, by_second: int) -> Integers:
    """Return `first * by_first + second * by_second` without overflow."""
    # Factors and numbers must fit by themselves, even where they meet zeros only.
    bound = sum(
        max(_largest(array), 1) * max(abs(factor), 1)
        for array, factor in ((first, by_first), (second, by_second))
    )
    if bound * max(first.size, 1) < INT64_SAFE:
        small: Integers = first.astype(np.int64) * by_first + second.astype(np.int64) * by_second
        return small
    large: Integers = first.astype(object) * by_first + second.astype(object) * by_second
    return large


def _largest(integers: Integers) -> int:
    if integers.size == 0:
        return 0
    return max(abs(int(integers.max())), abs(int(integers.min())))


def reduce_by(arrays: list[Integers], denominator: int) -> tuple[list[Integers], int]:
    """Divide all arrays and the denominator by what they have in common."""
    divisor = denominator
    for array in arrays:
        if divisor == 1:
            break
        divisor = gcd(divisor, int(np.gcd.reduce(array.ravel(), initial=0)))
    if divisor == 1:
        return arrays, denominator
    return [fit(array // divisor) for array in arrays], denominator // divisor


def exact_product(weights: Integers, left: Floats, right: Floats) -> Integers:
    """Return `left.T @ diag(weights) @ right` for small whole numbers in `left` and `right`.

    Matrix products run in floats, which hold whole numbers exactly up to 2**53; weights too large
    for that are split into limbs and put together again in Python integers.
    """
    largest = float(np.abs(left).max(initial=0) * np.abs(right).max(initial=0))
    total: NDArray[np.object_] | None = None
    rest = weights.astype(object) if weights.dtype == object else weights
    scale = 1
    while True:
        fits = float(np.sum(rest, dtype=object)) * largest < FLOAT_SAFE
        limb = rest if fits else rest % LIMB
        part = np.rint((left * limb.astype(np.float64)[:, None]).T @ right).astype(np.int64)
        if total is None and fits:
            return part
        total = (
            part.astype(object) * scale if total is None else total + part.astype(object) * scale
        )
        if fits:
            return fit(total)
        rest = rest // LIMB
        scale *= LIMB
