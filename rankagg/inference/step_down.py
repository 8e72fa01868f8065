"""Many tests with one probability of error: Holm's procedure, and Tarone's for discrete tests."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Bools, Floats

__all__ = ["holm", "tarone"]


def holm(p_values: Floats) -> Floats:
    """Return adjusted p-values: what is at most alpha is rejected at level alpha.

    Parameters
    ----------
    p_values : ndarray of float, shape (h,)
        One for each hypothesis, whatever their dependence.

    Returns
    -------
    ndarray of float, shape (h,)

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6.
    """
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.maximum.accumulate(
        p_values[order] * np.arange(len(p_values), 0, -1, dtype=np.float64)
    )
    return np.minimum(adjusted, 1.0)


def tarone(p_values: Floats, least: Floats, alpha: float) -> Bools:
    """Return what Holm's procedure rejects if hypotheses that cannot be rejected do not count.

    With k the smallest number such that at most k hypotheses can have a p-value of alpha/k or
    less, those at alpha/k or less are rejected; then the same with the hypotheses that are left,
    until none is. Fewer hypotheses never have a larger k, so the true ones alone would not be
    tested at a lower level than they are, and Bonferroni's inequality for those of them that can
    be rejected bounds the family-wise error rate.

    Parameters
    ----------
    p_values : ndarray of float, shape (h,)
        One for each hypothesis, whatever their dependence.
    least : ndarray of float, shape (h,)
        The smallest p-value that each test could have given; 0 everywhere makes it Holm's
        procedure.
    alpha : float
        Probability that any true hypothesis is rejected.

    Returns
    -------
    ndarray of bool, shape (h,)

    References
    ----------
    Tarone (1990), "A modified Bonferroni method for discrete data",
    https://doi.org/10.2307/2531456; Hommel and Krummenauer (1998), "Improvements and
    modifications of Tarone's multiple test procedure for discrete data", Biometrics 54, 673-681.
    """
    if not least.any():
        return holm(p_values) <= alpha
    rejected = np.zeros(len(p_values), dtype=bool)
    while not rejected.all():
        new = ~rejected & (p_values <= alpha / _testable(least[~rejected], alpha))
        if not new.any():
            break
        rejected |= new
    return rejected


def _testable(least: Floats, alpha: float) -> int:
    """Return the smallest k such that k hypotheses at most can reach alpha/k."""
    number = np.arange(1, len(least) + 1)
    reach = np.searchsorted(np.sort(least), alpha / number, side="right")
    # All hypotheses together are never more than their number, so there is one.
    return int(number[np.argmax(reach <= number)])
