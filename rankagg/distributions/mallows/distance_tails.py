"""Tails of the summed Kendall distance of independent Mallows rankings to their true center.

The distance is a sum of independent stages, and its distributions are an exponential family in
theta. So the saddlepoint of any value is the theta under which it is the mean, and the
approximation of Lugannani and Rice (1980, https://doi.org/10.2307/1426607), with the correction
for whole numbers of Daniels (1987, "Tail probability approximations", International Statistical
Review 55, 37-48), needs nothing but what the distribution says of itself.
"""

from __future__ import annotations

from math import exp, inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq

from rankagg.distributions.mallows.kendall_distances import (
    pair_stays,
    stage_log_normalizers,
    stage_means,
    stage_variances,
)

__all__ = ["log_doubt", "tail_at_least", "tail_at_most"]

# Beyond it nothing but the best ranking is left.
LARGE = 700.0
# A distance so near to the mean, in standard deviations, is taken between two others.
CENTRAL = 1e-3


def tail_at_most(distance: float, n: int, m: int, theta: float) -> float:
    """Return P(D <= distance), D the summed distance of m rankings of n items to their center.

    Parameters
    ----------
    distance : float
        Half counts are rounded down.
    n, m : int
        Items and rankings.
    theta : float
        Not negative.

    Returns
    -------
    float
        To some percent of itself, where that is small.
    """
    return 1.0 - tail_at_least(np.floor(distance) + 1.0, n, m, theta)


def tail_at_least(distance: float, n: int, m: int, theta: float) -> float:
    """Return P(D >= distance); see `tail_at_most`.

    Half counts are rounded up.
    """
    value, largest = float(np.ceil(distance)), m * n * (n - 1) / 2.0
    if value <= 0:
        return 1.0
    if value > largest:
        return 0.0
    if value == largest:
        return exp(-theta * largest - m * _log_normalizer(n, theta))
    deviation = (value - m * _mean(n, theta)) / sqrt(m * _variance(n, theta))
    if abs(deviation) > CENTRAL:
        return _saddlepoint(value, n, m, theta)
    # The formula is 0/0 at the mean; it is smooth there.
    step = 2.0 * CENTRAL * sqrt(m * _variance(n, theta))
    return (_saddlepoint(value - step, n, m, theta) + _saddlepoint(value + step, n, m, theta)) / 2.0


def _saddlepoint(value: float, n: int, m: int, theta: float) -> float:
    other = _theta_at(value / m, n)
    tilt = theta - other  # positive above the mean
    gain = tilt * value + m * (_log_normalizer(n, theta) - _log_normalizer(n, other))
    root = np.sign(tilt) * sqrt(2.0 * max(gain, 0.0))
    # For whole numbers 1 - exp(-tilt) stands where the tilt would.
    scaled = -np.expm1(-tilt) * sqrt(m * _variance(n, other))
    tail = stats.norm.sf(root) + stats.norm.pdf(root) * (1.0 / scaled - 1.0 / root)
    return float(min(max(tail, 0.0), 1.0))


def log_doubt(n: int, m: int, theta: float) -> float:
    """Return the log of a bound on the chance that some majority is not that of the center.

    By Chernoff's bound, one for each pair of items: a majority of m votes, each right with chance
    p, is wrong or even with a chance of at most (4 p (1 - p))^(m/2).

    Parameters
    ----------
    n, m : int
        Items and rankings.
    theta : float
        Not negative.

    Returns
    -------
    float
        Falls in theta.
    """
    if n < 2:
        return -inf
    right = pair_stays(n, theta)[1:]
    with np.errstate(divide="ignore"):
        logs = np.log(np.arange(n - 1, 0, -1)) + m / 2.0 * np.log(4.0 * right * (1.0 - right))
    return float(np.logaddexp.reduce(logs))


# -- the distribution of one ranking, for thetas of either sign
# -------------------------------------------


def _sizes(n: int) -> NDArray[np.int64]:
    return np.arange(1, n + 1)


def _log_normalizer(n: int, theta: float) -> float:
    # Reversed rankings have the distance that is left of the largest, and minus theta.
    turned = float(stage_log_normalizers(_sizes(n), abs(theta)).sum())
    return turned if theta >= 0 else turned - theta * n * (n - 1) / 2.0


def _mean(n: int, theta: float) -> float:
    mean = float(stage_means(_sizes(n), abs(theta)).sum())
    return mean if theta >= 0 else n * (n - 1) / 2.0 - mean


def _variance(n: int, theta: float) -> float:
    return float(stage_variances(_sizes(n), abs(theta)).sum())


def _theta_at(mean: float, n: int) -> float:
    """Return the theta under which one ranking has that mean distance."""
    high = 1.0
    while _mean(n, high) > mean and high < LARGE:
        high *= 2.0
    low = -1.0
    while _mean(n, low) < mean and low > -LARGE:
        low *= 2.0
    return float(brentq(lambda at: _mean(n, at) - mean, low, high, xtol=1e-14, rtol=1e-13))
