"""What independent units say of each pair together: number, mean and variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankagg._typing import Floats

__all__ = ["Moments", "PairSums", "moments_of"]


class PairSums(NamedTuple):
    """Sums over the units of each stratum; arrays of shape (s, p).

    Attributes
    ----------
    n, mass, squared_mass : ndarray of float
        Number, weight and squared weight of the units that tell of each pair.
    first, second : ndarray of float
        Weighted sums of their values and of the squares of these.
    """

    n: Floats
    mass: Floats
    squared_mass: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """What all units together say of each pair; arrays of shape (p,).

    Attributes
    ----------
    n : ndarray of float
        Units that tell something of the pair.
    mean : ndarray of float
        Weighted mean value; NaN where n is 0.
    variance : ndarray of float
        Unbiased sample variance of the values; NaN where n is less than 2 or units are weighted.
    shares : ndarray of float
        Sum of the squared shares that the units have in the mean: 1/n where all weigh the same.
    """

    n: Floats
    mean: Floats
    variance: Floats
    shares: Floats


def moments_of(sums: PairSums, stratum_weights: Floats, *, is_weighted: bool) -> Moments:
    """Return the moments that sums over units make.

    Parameters
    ----------
    sums : PairSums
        The sums.
    stratum_weights : ndarray of float, shape (s,)
        The weights of the strata.
    is_weighted : bool
        Whether units differ in weight, so that there is no sample variance.

    Returns
    -------
    Moments
    """
    n, mass, squared_mass, first, second = sums
    share = stratum_weights[:, None] * (n > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = share / share.sum(axis=0)
        means = np.where(n > 0, first / mass, 0.0)
        mean = (share * means).sum(axis=0)
        shares = (share**2 * np.where(n > 0, squared_mass / mass**2, 0.0)).sum(axis=0)
        total = n.sum(axis=0)
        spread = np.maximum((second / mass).sum(axis=0) - mean**2, 0.0)
        variance = np.where(total > 1, spread * total / (total - 1), np.nan)
    if is_weighted:
        variance = np.full_like(mean, np.nan)
    return Moments(total, mean, variance, shares)
