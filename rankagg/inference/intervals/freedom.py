"""How well the variance of a mean over fixed tasks is known: degrees of freedom."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.core.arithmetic.exact_sum import rounding_error

__all__ = ["freedom_of", "joint_floor", "widened"]

# So many degrees of freedom for each item tell how the means of all pairs hang together.
MANY = 2


def freedom_of(
    strata: NDArray[np.intp],
    stratum_weights: Floats,
    counts: Floats,
    values: Floats,
    present: Floats,
) -> Floats:
    """Return the degrees of freedom of the variance of each pair's mean over fixed tasks.

    Parameters
    ----------
    strata : ndarray of int, shape (u,)
        The fixed task of each row.
    stratum_weights : ndarray of float, shape (s,)
        The weights of the fixed tasks.
    counts : ndarray of float, shape (u,)
        How often each row was observed.
    values, present : ndarray of float, shape (u, p)
        Weighted values, 0 where a row does not tell, and the weight of what it tells.

    Returns
    -------
    ndarray of float, shape (p,)
        Infinite where nothing varies; 0 where one observation alone tells of a task, so that
        nothing says how it varies.

    References
    ----------
    Satterthwaite (1946), "An approximate distribution of estimates of variance components",
    https://doi.org/10.2307/3002019.
    """
    n_pairs = values.shape[1]
    variance, doubt = np.zeros(n_pairs), np.zeros(n_pairs)
    single = np.zeros(n_pairs, dtype=bool)
    for s, weight in enumerate(stratum_weights):
        if weight <= 0:
            continue
        inside = strata == s
        often, value, told = counts[inside], values[inside], present[inside]
        n, mass = often @ (told > 0), often @ told
        single |= n == 1
        more = np.maximum(n - 1.0, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            residual = value - np.where(mass > 0, often @ value / mass, 0.0) * told
            spread = np.where(mass > 0, n / more * (often @ residual**2) / mass**2, 0.0)
        part = np.where(spread > rounding_error(1.0, len(values)) ** 2, weight**2 * spread, 0.0)
        variance += part
        doubt += part**2 / more
    freedom: Floats = np.full(n_pairs, np.inf)
    np.divide(variance**2, doubt, out=freedom, where=doubt > 0)
    freedom[single] = 0.0
    return freedom


def widened(quantile: float, freedom: Floats) -> Floats:
    """Return the quantiles of Student's t that are as far out as one of the normal distribution.

    Parameters
    ----------
    quantile : float
        Of the standard normal distribution.
    freedom : ndarray of float, shape (p,)
        Degrees of freedom; with none, or infinitely many, the quantile stays what it is.

    Returns
    -------
    ndarray of float, shape (p,)
    """
    known = (freedom > 0) & np.isfinite(freedom)
    wide = np.full(len(freedom), quantile)
    tail = scipy.stats.norm.sf(abs(quantile))
    wide[known] = np.copysign(scipy.stats.t.isf(tail, freedom[known]), quantile)
    return wide


def joint_floor(alpha: float, sides: int, freedom: Floats) -> float:
    """Return the least normal quantile for the largest of some deviations: Bonferroni's.

    Few units of a task have few resamples, whose largest deviation is bounded; then they do not
    tell how far out it may be.

    Parameters
    ----------
    alpha : float
        Probability that any deviation is larger.
    sides : int
        2 where deviations in both directions count.
    freedom : ndarray of float, shape (p,)
        Degrees of freedom of the variance of each pair's mean.

    Returns
    -------
    float
        Minus infinity where degrees of freedom are many.
    """
    items = np.sqrt(2.0 * len(freedom))
    if freedom.min() >= MANY * items:
        return -np.inf
    return float(scipy.stats.norm.isf(alpha / sides / len(freedom)))
