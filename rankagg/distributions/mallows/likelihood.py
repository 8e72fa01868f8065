"""The likelihood of rankings under a Mallows distribution, for one center at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from rankagg._typing import Floats, Ranks
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.distributions.mallows.compatible_sums import can_sum, expected_votes, log_sums
from rankagg.distributions.mallows.kendall_distances import stage_means
from rankagg.distributions.mallows.parameters import distance_variance, mallows_log_normalizer

__all__ = ["LARGE", "MallowsData", "best_theta", "information_at", "theta_of"]

# A mean distance estimated to be no more is 0, and a theta at which nothing but the best is left.
AGREE, LARGE = 1e-12, 100.0
# A mean distance at which theta has no float near its maximum any more.
LEAST_MEAN = 1e-290


@dataclass(frozen=True, eq=False)
class MallowsData:
    """Distinct rankings with their weights."""

    profile: Profile
    ranks: Ranks
    weights: Floats
    is_plain: bool

    @classmethod
    def of(cls, profile: Profile) -> MallowsData:
        """Return the different rankings of a profile."""
        distinct, where = np.unique(profile.ranks, axis=0, return_inverse=True)
        weights = np.bincount(where.ravel(), weights=profile.counts * profile.weights)
        plain = profile.is_complete and profile.is_strict
        return cls(profile, distinct.astype(np.int32), weights.astype(np.float64), plain)

    @property
    def total(self) -> float:
        """The summed weight."""
        return float(self.weights.sum())

    @cached_property
    def is_exact(self) -> bool:
        """True where the sums over compatible permutations can be taken."""
        return can_sum(self.ranks)

    @property
    def n_effective(self) -> float:
        """How many rankings of equal weight they are worth."""
        counts, weights = self.profile.counts, self.profile.weights
        return float((counts @ weights) ** 2 / (counts @ weights**2))

    def mean_distance(self, center: Permutation) -> float:
        """Return the mean Kendall distance of complete strict rankings to a center."""
        places = self.ranks[:, np.argsort(center.ranks)]
        distances = np.zeros(len(places))
        for j in range(1, places.shape[1]):
            distances += (places[:, :j] > places[:, [j]]).sum(axis=1)
        return float(self.weights @ distances) / self.total

    def log_likelihood(self, center: Permutation, theta: float) -> float:
        """Return the weighted log likelihood."""
        sums = log_sums(self.ranks[:, np.argsort(center.ranks)], theta)
        each = mallows_log_normalizer(center.n_items, theta)
        return float(self.weights @ sums) - self.total * each

    def votes(self, center: Permutation, theta: float) -> PairwiseMatrix:
        """Return the expected votes among compatible permutations."""
        order = np.argsort(center.ranks)
        inside = expected_votes(self.ranks[:, order], self.weights, theta)
        wins = np.zeros_like(inside)
        wins[np.ix_(order, order)] = inside
        return PairwiseMatrix.from_wins(wins, items=center.items)


def theta_of(mean_distance: float, n: int, *, agree: float = AGREE) -> float:
    """Return the theta at which the expected distance is the given one.

    0 where the distance is larger than at any theta, infinite where it is at most `agree`.
    """
    sizes = np.arange(1, n + 1)

    def excess(theta: float) -> float:
        return float(stage_means(sizes, theta).sum()) - mean_distance

    if mean_distance <= agree:
        return inf
    if excess(0.0) <= 1e-12 * max(n * n, 1):
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2.0
    return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-14))


def best_theta(data: MallowsData, center: Permutation) -> float:
    """Return the theta of greatest likelihood around a center; infinite where nothing disagrees."""
    if data.is_plain:
        # Not of the matrix, in which very small weights are lost beside large ones.
        return theta_of(data.mean_distance(center), data.profile.n_items, agree=LEAST_MEAN)
    if data.profile.pairwise("ignore").cost(center) == 0:
        return inf

    def depth(theta: float) -> float:
        return -data.log_likelihood(center, theta) / data.total

    # Double until the likelihood falls; it does, since some ranking disagrees with the center.
    high = 1.0
    while depth(2.0 * high) < depth(high) and high < LARGE:
        high *= 2.0
    found = minimize_scalar(
        depth, bounds=(0.0, 2.0 * high), method="bounded", options={"xatol": 1e-9}
    )
    return 0.0 if depth(0.0) <= found.fun else float(found.x)


def information_at(data: MallowsData, center: Permutation, theta: float) -> float:
    """Return minus the second derivative of the log likelihood in theta."""
    complete = data.total * distance_variance(center.n_items, theta)
    if data.is_plain:
        return complete
    # Of sums over permutations: what observing all of each would tell, less what was not seen.
    step = 1e-3 * max(theta, 0.1)
    middle = max(theta, step)
    order = np.argsort(center.ranks)
    values = [
        float(data.weights @ log_sums(data.ranks[:, order], at))
        for at in (middle - step, middle, middle + step)
    ]
    unseen = (values[0] - 2.0 * values[1] + values[2]) / step**2
    return complete - unseen
