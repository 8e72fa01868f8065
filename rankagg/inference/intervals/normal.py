"""Normal intervals for the mean of independent values in [0, 1], and where they may be made."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from rankagg._typing import Bools, Floats

__all__ = ["is_near_normal", "largest_skewness", "normal_radius"]

# The largest logarithm of the factor by which a tail may be off, by the number of bounds. Of two
# tails one is too heavy where the other is too light. With these the coverage study found
# intervals wrong in no more than 7 % of all cases where 5 % are promised.
LIMITS = {1: 0.15, 2: 0.3}


def normal_radius(variance: ArrayLike, n_units: ArrayLike, alpha: float, sides: int = 2) -> Floats:
    """Return the radius of the normal (Wald) interval, z sqrt(variance/n_units).

    Parameters
    ----------
    variance : array_like of float
        Unbiased sample variance.
    n_units : array_like of float
        Independent observations.
    alpha : float
        Probability of error, in (0, 1).
    sides : {1, 2}, default 2
        One bound or two.

    Returns
    -------
    ndarray of float
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(np.asarray(variance, dtype=np.float64) / np.asarray(n_units))
    radius: Floats = -ndtri(alpha / sides) * deviation
    return radius


def largest_skewness(mean: ArrayLike, deviation: ArrayLike) -> Floats:
    """Return the largest absolute skewness of values in [0, 1], NaN where it is not known.

    Parameters
    ----------
    mean, deviation : array_like of float
        Mean and standard deviation of the values themselves, not of a population.

    Returns
    -------
    ndarray of float
        The skewness itself where all values are 0 or 1.
    """
    center, spread = np.asarray(mean, dtype=np.float64), np.asarray(deviation, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        # By the inequality of Cauchy and Schwarz: reached where values other than 0, or than 1,
        # are all the same.
        least = spread / center - center / spread
        largest = (1.0 - center) / spread - spread / (1.0 - center)
    skewness: Floats = np.maximum(np.abs(least), np.abs(largest))
    return skewness


def is_near_normal(
    mean: ArrayLike, variance: ArrayLike, n_units: ArrayLike, alpha: float, sides: int = 2
) -> Bools:
    """Say where a mean, divided by its estimated error, is near enough to normal for a level.

    The first term of Edgeworth's expansion says that the tail of a studentized mean at z is off by
    a factor of about exp(z^3 |g| / (3 sqrt(n))), where g is the skewness; estimating the variance
    adds z^4/(2n) to the exponent. Of values in [0, 1] mean and variance bound the skewness; where
    all are 0 or 1 they determine it.

    Parameters
    ----------
    mean, variance : array_like of float
        Mean and unbiased sample variance of values in [0, 1].
    n_units : array_like of float
        Independent observations.
    alpha : float
        Probability of error, in (0, 1); the smaller, the farther out the tails are.
    sides : {1, 2}, default 2
        One bound or two.

    Returns
    -------
    ndarray of bool
        False too where all values are the same, or are fewer than two.

    References
    ----------
    Hall (1987), "Edgeworth expansion for Student's t statistic under minimal moment conditions",
    https://doi.org/10.1214/aop/1176992073.
    """
    center, n = np.asarray(mean, dtype=np.float64), np.asarray(n_units, dtype=np.float64)
    z = abs(float(ndtri(alpha / sides)))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.asarray(variance) * (n - 1.0) / n)
        skewness = largest_skewness(center, spread)
        error = z**3 * skewness / (3.0 * np.sqrt(n)) + z**4 / (2.0 * n)
        near: Bools = error <= LIMITS[sides]
    return near
