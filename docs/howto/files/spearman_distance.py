"""Spearman's distance."""

import numpy as np

from rankagg.distances.unweighted import common_mid_ranks


def spearman_distance(first, second):
    """Return the Euclidean distance of the ranks; tied items have their mean rank.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items.

    Returns
    -------
    float
    """
    mine, theirs = common_mid_ranks(first, second)
    return float(np.linalg.norm(mine - theirs))
