"""Mallows under the footrule."""

from itertools import permutations

import numpy as np
from scipy.special import logsumexp

import rankagg as ra


class FootruleMallows(ra.RankingDistribution):
    """P(ranking) proportional to exp(-theta d), d the footrule to the center.

    Parameters
    ----------
    center : Permutation
        The most probable ranking.
    theta : float
        0 for the uniform distribution; larger is more concentrated.
    """

    def __init__(self, center, theta):
        self._set(items=center.items, center=center, theta=theta)

    def _key(self):
        return self.center, self.theta

    def _log_probs(self, ranks):
        everything = np.array(list(permutations(range(self.n_items))))
        return self._heights(ranks) - logsumexp(self._heights(everything))

    def _heights(self, ranks):
        return -self.theta * np.abs(ranks - self.center.ranks).sum(axis=1)
