"""Likelihood intervals for thetas."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt

from scipy import stats
from scipy.optimize import brentq


def likelihood_interval(
    log_likelihood: Callable[[float], float],
    theta: float,
    error: float,
    alpha: float,
    free_at_0: int = 1,
) -> tuple[float, float]:
    """Return the ends of all thetas that a likelihood-ratio test does not refute.

    The likelihood is greatest at `theta`, whose standard error says where to look. The test has one
    degree of freedom, and `free_at_0` at theta 0. The upper end is infinite where no ranking
    disagrees.
    """
    height, limit = log_likelihood(theta), float(stats.norm.isf(alpha / 2.0))

    # The root of the ratio is nearly a line, so that an end takes few evaluations.
    def root(at: float) -> float:
        return sqrt(2.0 * max(height - log_likelihood(at), 0.0))

    def beyond(at: float) -> float:
        return root(at) - limit

    lower = 0.0
    if root(0.0) ** 2 > stats.chi2.isf(alpha, free_at_0):
        lower = float(brentq(beyond, 0.0, theta, rtol=1e-9))
    step = 1.5 * limit * error if error > 0 else 1.0
    while step < inf and beyond(theta + step) < 0:
        step *= 4.0
    upper = inf if step == inf else float(brentq(beyond, theta, theta + step, rtol=1e-9))
    return lower, upper
