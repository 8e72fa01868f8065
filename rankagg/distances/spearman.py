"""Distance and correlation by how far items are moved."""

from __future__ import annotations

import numpy as np

from rankagg.core import PartialRanking
from rankagg.distances.common import common_mid_ranks, correlation, of_largest


def spearman_footrule(
    first: PartialRanking, second: PartialRanking, *, normalized: bool = False
) -> float:
    """Sum the absolute differences of ranks; tied items have their bucket's mean rank.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; ranks are counted among the items that both observe.
    normalized : bool, default False
        Divide by the largest value for that many items, floor(n**2 / 2).

    Returns
    -------
    float

    References
    ----------
    Diaconis and Graham (1977), doi:10.1111/j.2517-6161.1977.tb01624.x.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import spearman_footrule
    >>> spearman_footrule(Permutation.from_order("ABC"), Permutation.from_order("CBA"))
    4.0
    """
    mine, theirs = common_mid_ranks(first, second)
    return of_largest(float(np.abs(mine - theirs).sum()), len(mine) ** 2 // 2, normalized)


def spearman_rho(first: PartialRanking, second: PartialRanking) -> float:
    """Correlate ranks; tied items have their bucket's mean rank.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; ranks are counted among the items that both observe.

    Returns
    -------
    float
        Between -1 and 1; NaN where one ranking ties all items.

    References
    ----------
    Spearman (1904), doi:10.2307/1412159.
    """
    mine, theirs = (mids - mids.mean() for mids in common_mid_ranks(first, second))
    scale = float(np.sqrt((mine**2).sum() * (theirs**2).sum()))
    return correlation(float((mine * theirs).sum()), scale)
