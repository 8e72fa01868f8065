"""Exact sums of votes as integers over one denominator.

A float weight such as 0.1 is read as the simplest fraction that rounds to it (1/10). If no
fraction with a small denominator does, it is rounded to a fine grid, and the result states this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import frexp, gcd, inf, lcm, ldexp, nextafter
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers, Integers64, Positions
from rankagg._validation import EXACT_LIMIT

LARGEST_SIMPLE = 1_000_000
LARGEST_COMMON = 10**15
DISTINCT_LIMIT = 100_000
INT64_SAFE = 2**62
# The base for splitting matrices of large integers.
LIMB = 2.0**13
GRID_BITS = 40


class _Rational(NamedTuple):
    """Integer numerators over one denominator; `step` is the rounding step, or 0."""

    numerators: Integers
    denominator: int
    step: float


def as_rational(values: NDArray[Any]) -> _Rational:
    """Return integers over one denominator for an array of floats; return integers unchanged.

    Exact if every value is a fraction with a denominator up to `LARGEST_SIMPLE` and the common
    denominator is at most `LARGEST_COMMON`. Otherwise the values are rounded to a grid whose
    step is 2**-`GRID_BITS` of the largest one.
    """
    if values.dtype.kind != "f":
        return _Rational(values, 1, 0.0)
    if (values == np.rint(values)).all():
        return _Rational(_as_integers(values), 1, 0.0)
    distinct, where = np.unique(values, return_inverse=True)
    fractions = _simple_fractions(distinct)
    if fractions is None:
        exponent = max(GRID_BITS - frexp(float(np.abs(values).max()))[1], 0)
        step = max(ldexp(1.0, -exponent), np.finfo(np.float64).smallest_subnormal)
        return _Rational(
            _as_integers(np.rint(np.ldexp(values, exponent))), 2**exponent, float(step)
        )
    denominator = lcm(*(fraction.denominator for fraction in fractions))
    numerators = [f.numerator * (denominator // f.denominator) for f in fractions]
    array = np.array(numerators, dtype=object)[where].reshape(values.shape)
    return _Rational(fit(array), denominator, 0.0)


def _as_integers(values: Floats) -> Integers:
    if np.abs(values).max(initial=0.0) < EXACT_LIMIT:
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
        if fraction.denominator > LARGEST_SIMPLE or denominator > LARGEST_COMMON:
            return None
        fractions.append(fraction)
    return fractions


def as_fraction(value: float) -> Fraction:
    """Return the simplest fraction that rounds to a float, or the float's exact value."""
    simple = Fraction(value).limit_denominator(LARGEST_SIMPLE)
    return simple if float(simple) == value else Fraction(value)


def fit(integers: Iterable[int] | NDArray[Any]) -> Integers:
    """Return the integers as int64 if any sum of them fits, else as Python integers.

    All arrays of large integers are made here. They hold Python integers only, since NumPy
    scalars overflow at 64 bits; floats raise TypeError.
    """
    array = integers if isinstance(integers, np.ndarray) else np.array(list(integers), dtype=object)
    if array.dtype == object:
        array = widen(array)
    elif array.dtype.kind not in "iub":
        raise TypeError(f"Integers were expected, not {array.dtype}.")
    return array.astype(np.int64 if _largest(array) * max(array.size, 1) < INT64_SAFE else object)


def narrow(integers: NDArray[Any]) -> Integers:
    """Return the integers in the narrowest type, or as `fit` does if sums exceed int64.

    If none is negative, their differences fit into the type. Sums and products may not; use the
    other functions of this file for them.
    """
    array = fit(integers) if integers.dtype == object else integers
    largest = _largest(array)
    if largest * max(array.size, 1) >= INT64_SAFE:
        return fit(array)
    return array.astype(np.min_scalar_type(-largest - 1), copy=False)


def widen(integers: NDArray[Any]) -> NDArray[np.object_]:
    """Return the integers as Python integers; floats raise TypeError."""
    wide: NDArray[np.object_] = np.empty(integers.shape, dtype=object)
    wide.ravel()[:] = list(map(index, integers.ravel().tolist()))
    return wide


def combine(first: Integers, by_first: int, second: Integers, by_second: int) -> Integers:
    """Return `first * by_first + second * by_second` without overflow."""
    # Factors and numbers must fit by themselves, even if they are multiplied by zeros only.
    bound = sum(
        max(_largest(array), 1) * max(abs(factor), 1)
        for array, factor in ((first, by_first), (second, by_second))
    )
    if bound * max(first.size, 1) < INT64_SAFE:
        return first.astype(np.int64) * by_first + second.astype(np.int64) * by_second
    large: Integers = widen(first) * int(by_first) + widen(second) * int(by_second)
    return large


def multiply(first: Integers, second: Integers | int) -> Integers:
    """Return the entrywise products of two arrays, or of an array and an integer."""
    if isinstance(second, int):
        second = np.array(second, dtype=object)
    # Each must fit by itself, even if it is multiplied by zeros only.
    bound = max(_largest(first), 1) * max(_largest(second), 1)
    if bound * max(first.size, 1) < INT64_SAFE:
        return first.astype(np.int64) * second.astype(np.int64)
    return fit(widen(first) * widen(second))


def integer_product(left: Integers, right: Integers) -> Integers:
    """Return `left @ right` without overflow."""
    bound = max(_largest(left), 1) * max(_largest(right), 1) * max(len(right), 1)
    kind = np.int64 if bound < INT64_SAFE else object
    return fit(np.asarray(left.astype(kind) @ right.astype(kind)))


def sum_of(integers: Integers) -> int:
    """Return the sum of all numbers without overflow."""
    fits = integers.dtype != object and _largest(integers) * integers.size < INT64_SAFE
    return int(integers.sum(dtype=np.int64 if fits else object))


def _largest(integers: Integers) -> int:
    if integers.size == 0:
        return 0
    return max(abs(int(integers.max())), abs(int(integers.min())))


def reduce_by(arrays: list[Integers], denominator: int) -> tuple[list[Integers], int]:
    """Divide all arrays and the denominator by their greatest common divisor."""
    divisor = denominator
    for array in arrays:
        if divisor == 1:
            break
        divisor = gcd(divisor, int(np.gcd.reduce(array.ravel(), initial=0)))
    if divisor == 1:
        return arrays, denominator
    arrays = [widen(array) if divisor >= INT64_SAFE else fit(array) for array in arrays]
    return [fit(array // divisor) for array in arrays], denominator // divisor


def exact_product(weights: Integers, left: Floats, right: Floats) -> Integers:
    """Return `left.T @ diag(weights) @ right` for whole numbers in `left` and `right`.

    Matrix products use floats, which are exact up to 2**53. Larger weights and numbers of `right`
    are split into limbs, and the products are added as integers. The numbers in `left` are small.
    """
    if float(right.max(initial=0)) > LIMB:
        high = exact_product(weights, left, right // LIMB)
        return combine(high, int(LIMB), exact_product(weights, left, right % LIMB), 1)
    largest = int(left.max(initial=0) * right.max(initial=0))
    total: Integers | None = None
    for limb, scale in limbs(weights, largest):
        part = np.rint((left * limb[:, None]).T @ right).astype(np.int64)
        total = part if total is None else combine(total, 1, part, scale)
    assert total is not None, "there is at least one limb"
    return total


def starts_of(groups: Integers64) -> Positions:
    """Return the first position of each group of ascending numbers."""
    return np.concatenate([[0], np.flatnonzero(groups[1:] != groups[:-1]) + 1])


def count_cells(cells: Positions, weights: Integers, size: int) -> Integers:
    """Return the summed weight of each of `size` cells."""
    total: Integers | None = None
    for limb, scale in limbs(weights, 1):
        part = np.bincount(cells, weights=limb, minlength=size).astype(np.int64)
        total = part if total is None else combine(total, 1, part, scale)
    assert total is not None, "there is at least one limb"
    return total


def limbs(weights: Integers, largest: int) -> Iterator[tuple[Floats, int]]:
    """Yield float limbs of the weights and their scales; sums of products are exact."""
    room = 52 - max(largest, 1).bit_length() - len(weights).bit_length()
    if room < 1:
        raise OverflowError(f"Sums of {len(weights)} products of {largest} exceed exact floats.")
    base = 2**room
    scale = 1
    while True:
        top = int(weights.max(initial=0))
        last = top < base or largest * int(weights.sum(dtype=object)) < EXACT_LIMIT
        yield (weights if last else weights % base).astype(np.float64), scale
        if last:
            return
        weights = weights // base
        scale *= base


def as_votes(counts: Integers, weights: Floats) -> tuple[Integers, int]:
    """Return counts times weights as integers over one denominator, without any rounding.

    Weights are read as simple fractions, as in `as_rational`, or else as their binary values.
    """
    rational = as_rational(weights)
    if rational.step:
        rational = _as_binary(weights)
    return multiply(counts, rational.numerators), rational.denominator


def total(counts: Integers, weights: Floats) -> Fraction:
    """Return the sum of counts times weights, without any rounding; see `as_votes`."""
    votes, denominator = as_votes(counts, weights)
    return Fraction(int(votes.sum()), denominator)


def float_above(bound: Fraction) -> float:
    """Return a bound as a float, rounded up."""
    near = float(bound)
    return near if Fraction(near) >= bound else nextafter(near, inf)


def _as_binary(values: Floats) -> _Rational:
    digits, exponents = np.frexp(values)
    mantissas = np.ldexp(digits, 53).astype(np.int64).astype(object)
    low = int(exponents.min()) - 53
    shifts = (exponents - 53 - min(low, 0)).tolist()
    numerators = [int(number) << shift for number, shift in zip(mantissas, shifts, strict=True)]
    return _Rational(fit(numerators), 2 ** max(-low, 0), 0.0)
