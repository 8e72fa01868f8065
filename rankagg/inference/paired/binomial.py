"""Exact tests that count the units in which one of two systems is better.

McNemar's test is the sign test of right and wrong answers; they differ in the effect that they
state.
"""

from __future__ import annotations

import numpy as np
import scipy

__all__ = ["binomial_p_value", "difference_of_proportions", "share_interval"]


def binomial_p_value(wins: int, losses: int, *, midp: bool = False) -> float:
    """Return the two-sided p-value of so many wins and losses, if both are as likely.

    Parameters
    ----------
    wins, losses : int
        Units in which the first is better, or the second.
    midp : bool, default False
        Count what was observed half: less careful, and near its level on average.

    Returns
    -------
    float
        1 where there are neither.
    """
    n, fewer = wins + losses, min(wins, losses)
    if n == 0:
        return 1.0
    tail = float(scipy.stats.binom.cdf(fewer, n, 0.5))
    if midp:
        tail -= float(scipy.stats.binom.pmf(fewer, n, 0.5)) / 2.0
    return min(1.0, 2.0 * tail)


def share_interval(wins: int, losses: int, alpha: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval for the share of wins; [0, 1] where there are none."""
    n = wins + losses
    lower = float(scipy.stats.beta.ppf(alpha / 2.0, wins, losses + 1)) if wins else 0.0
    upper = float(scipy.stats.beta.isf(alpha / 2.0, wins + 1, losses)) if losses and n else 1.0
    return lower, upper


def difference_of_proportions(
    wins: int, losses: int, n_units: int, alpha: float
) -> tuple[float, float]:
    """Return Tango's score interval for the difference of two paired proportions.

    A difference d is in it where the score test of "the difference is d" does not reject it: with
    b wins and c losses in n units, (b - c - nd)^2 is at most z^2 n (2q + d - d^2), where q is the
    most likely probability of a loss under d.

    Parameters
    ----------
    wins, losses, n_units : int
        Units in which only the first is right, only the second, and all.
    alpha : float
        Probability of error, about.

    Returns
    -------
    tuple of two float
        In [-1, 1].

    References
    ----------
    Tango (1998), "Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design",
    https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.
    """
    if n_units == 0:
        return -1.0, 1.0
    z = float(scipy.stats.norm.isf(alpha / 2.0))
    lower = -_largest(losses, wins, n_units, z)
    return lower, _largest(wins, losses, n_units, z)


def _largest(wins: int, losses: int, n: int, z: float) -> float:
    """Return the largest difference that is not rejected."""
    seen = (wins - losses) / n

    def beyond(difference: float) -> float:
        loss = _likely_loss(wins, losses, n, difference)
        variance = n * max(2.0 * loss + difference * (1.0 - difference), 0.0)
        return n * (difference - seen) - z * float(np.sqrt(variance))

    if seen >= 1.0 or beyond(1.0) <= 0.0:
        return 1.0
    # Without any variance what was seen itself is a root, and not the end.
    return float(scipy.optimize.brentq(beyond, seen + 1e-9 * (1.0 - seen), 1.0, xtol=1e-13))


def _likely_loss(wins: int, losses: int, n: int, difference: float) -> float:
    """Return the most likely probability of a loss, given the difference of wins to losses."""
    b = (2.0 * n - wins + losses) * difference - wins - losses
    c = -losses * difference * (1.0 - difference)
    return (float(np.sqrt(max(b * b - 8.0 * n * c, 0.0))) - b) / (4.0 * n)
