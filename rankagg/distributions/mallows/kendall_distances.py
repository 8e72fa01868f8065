"""The Kendall distance to a center: its independent stages, and the parameters of Mallows.

Stages: how the Kendall distance to a center splits into independent parts.

Fill the places from the first to the last. For place k there are j = n - k items left (k from 0);
the one that is chosen passes over v of those that stand before it in the center, v from 0 to
j - 1. The Kendall distance to the center is the sum of the v. Under a Mallows distribution they are
independent, with P(v) proportional to exp(-theta v); under a generalized one each stage has a
theta of its own. Here is what is needed of a stage of j items, exactly at theta = 0 and without
cancellation near it.

References
----------
Mallows (1957), doi:10.1093/biomet/44.1-2.114; Fligner and Verducci (1986),
doi:10.1111/j.2517-6161.1986.tb01420.x.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bernoulli

from rankagg._typing import Floats, Label
from rankagg._validation import check_integer, check_number
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.exceptions import Described, InvalidInputError

__all__ = [
    "as_center",
    "check_theta",
    "distance_variance",
    "kendall_distance_counts",
    "mallows_log_normalizer",
    "pair_stays",
    "stage_log_normalizers",
    "stage_means",
    "stage_variances",
]

# Below this size of j theta, series are exact to rounding and closed forms are not.
SMALL = 0.5
TERMS = 10
BERNOULLI = bernoulli(2 * TERMS)[::2][1:]  # B_2, B_4, ...
EVEN = 2 * np.arange(1, TERMS + 1)
FACTORIALS = np.array([float(factorial(int(k))) for k in EVEN])


def kendall_distance_counts(n_items: int) -> list[int]:
    """Count the permutations at every Kendall distance from a given one.

    Parameters
    ----------
    n_items : int
        At least 1.

    Returns
    -------
    list of int
        For each distance from 0 to n(n - 1)/2 the exact number (the Mahonian numbers).

    Examples
    --------
    >>> from rankagg import kendall_distance_counts
    >>> kendall_distance_counts(4)
    [1, 3, 5, 6, 5, 3, 1]
    """
    n = check_integer(n_items, "n_items", low=1)
    counts = [1]
    for size in range(2, n + 1):
        # Multiply by 1 + x + ... + x^(size - 1).
        total, longer = 0, []
        for d in range(len(counts) + size - 1):
            total += counts[d] if d < len(counts) else 0
            total -= counts[d - size] if d >= size else 0
            longer.append(total)
        counts = longer
    return counts


def stage_log_normalizers(sizes: ArrayLike, thetas: ArrayLike) -> Floats:
    """Return log(1 + exp(-theta) + ... + exp(-(j - 1) theta)) for stages of sizes j."""
    j, theta = _broadcast(sizes, thetas)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.expm1(-j * theta) / np.expm1(-theta)
    result: Floats = np.log(np.where(theta == 0, j, ratio))
    return result


def stage_means(sizes: ArrayLike, thetas: ArrayLike) -> Floats:
    """Return the expected values 1/(e^theta - 1) - j/(e^(j theta) - 1); (j - 1)/2 at 0."""
    j, theta = _broadcast(sizes, thetas)
    # x/(e^x - 1) = 1 - x/2 + sum_k B_2k x^2k/(2k)!
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        powers = theta[..., None] ** (EVEN - 1) * (1.0 - j[..., None] ** EVEN)
        series = (j - 1.0) / 2.0 + (BERNOULLI / FACTORIALS * powers).sum(axis=-1)
        closed = 1.0 / np.expm1(theta) - j / np.expm1(j * theta)
    with np.errstate(over="ignore"):
        result: Floats = np.where(j * theta < SMALL, series, closed)
    return result


def stage_variances(sizes: ArrayLike, thetas: ArrayLike) -> Floats:
    """Return the variances; (j^2 - 1)/12 at 0."""
    j, theta = _broadcast(sizes, thetas)
    # The derivative of the series of the mean, with its sign turned.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        powers = (EVEN - 1) * theta[..., None] ** (EVEN - 2) * (j[..., None] ** EVEN - 1.0)
        series = (BERNOULLI / FACTORIALS * powers).sum(axis=-1)
        closed = 0.25 / np.sinh(theta / 2.0) ** 2 - (j / 2.0 / np.sinh(j * theta / 2.0)) ** 2
    with np.errstate(over="ignore"):
        result: Floats = np.where(j * theta < SMALL, series, closed)
    return result


def _broadcast(sizes: ArrayLike, thetas: ArrayLike) -> tuple[Floats, Floats]:
    j, theta = np.broadcast_arrays(
        np.asarray(sizes, dtype=np.float64), np.asarray(thetas, dtype=np.float64)
    )
    return j, theta


def pair_stays(n_items: int, theta: float) -> Floats:
    """Return the chance that two items, 1 to n - 1 places apart, stay in the order of the center.

    It is h(k + 1) - h(k) for k places, with h(k) = k/(1 - exp(-k theta)), and depends on nothing
    else. Entry 0 is NaN.
    """
    # The mean of a stage of j is 1/(e^theta - 1) + j - h(j), so this is one more than the
    # difference of two means, which are exact at theta = 0 too.
    means = stage_means(np.arange(1, n_items + 1), theta)
    stays: Floats = np.full(n_items, np.nan)
    stays[1:] = 1.0 + means[:-1] - means[1:]
    return stays


def mallows_log_normalizer(n_items: int, theta: float) -> float:
    """Return the log of the sum of exp(-theta d) over all permutations, d the Kendall distance.

    Parameters
    ----------
    n_items : int
        At least 1.
    theta : float
        The dispersion parameter, not negative; phi = exp(-theta). The result is log n! at 0.

    Returns
    -------
    float

    Examples
    --------
    >>> from rankagg import mallows_log_normalizer
    >>> round(mallows_log_normalizer(10, 0.3), 9)
    9.696410084
    """
    n = check_integer(n_items, "n_items", low=1)
    return float(stage_log_normalizers(np.arange(1, n + 1), check_theta(theta)).sum())


def check_theta(theta: object, parameter: str = "theta") -> float:
    """Return a finite number that is not negative."""
    return check_number(theta, parameter, low=0)


def as_center(
    center: PartialRanking | Iterable[Label], items: Iterable[Label] | None = None
) -> Permutation:
    """Return a center as a complete strict ranking."""
    if isinstance(center, PartialRanking):
        if not isinstance(center, Permutation):
            raise InvalidInputError(
                "center", "complete and strict", Described(repr(center)),
                "Break the ties first: a tied center is several distributions.",
            )  # fmt: skip
        return center
    return Permutation.from_order(center, items=items)


def distance_variance(n_items: int, theta: float) -> float:
    """Return the variance of the Kendall distance to the center."""
    return float(stage_variances(np.arange(1, n_items + 1), theta).sum())
