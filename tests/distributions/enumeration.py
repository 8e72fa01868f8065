"""Distributions the slow way: through every ranking of a few items."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rankagg.testing.distributions import _discordant as discordant
from rankagg.testing.distributions import _strict_ranks as strict_ranks
from tests import oracles

__all__ = [
    "best_theta",
    "discordant",
    "effective_weights",
    "greatest_likelihood",
    "log_likelihoods",
    "strict_ranks",
]


def effective_weights(profile):
    """Return what the rows count: weights of every ranking times (sum w)/(sum w^2)."""
    each = np.repeat(profile.weights, profile.counts)
    return profile.counts * profile.weights * (each.sum() / (each**2).sum())


@cache
def distance_histogram(ranking, center):
    """Count the compatible permutations of a ranking at every Kendall distance from a center."""
    n = len(center)
    counts = [0] * (n * (n - 1) // 2 + 1)
    for candidate in oracles.compatible_permutations(ranking):
        counts[discordant(candidate, center)] += 1
    return tuple(counts)


def log_likelihoods(profile, center, thetas):
    """Return the Mallows log likelihood around a center for every theta, by enumeration."""
    rows = [*(oracles.as_places(ranking) for ranking in profile), ((None,) * profile.n_items)]
    counts = np.array([distance_histogram(row, center) for row in rows], dtype=float)
    weights = effective_weights(profile)
    weights = np.append(weights, -weights.sum())
    powers = np.exp(-np.multiply.outer(thetas, np.arange(counts.shape[1])))
    heights: NDArray[np.float64] = np.log(powers @ counts.T) @ weights
    return heights


GRID = np.concatenate([np.arange(0.0, 6.0, 0.05), np.arange(6.0, 30.0, 0.5)])


def greatest_likelihood(profile):
    """Return center, theta and log likelihood of the Mallows distribution that is best of all."""
    found = [(center, *best_theta(profile, center)) for center in strict_ranks(profile.n_items)]
    return max(found, key=lambda one: one[2])


def best_theta(profile, center):
    """Return the best theta around a center and its log likelihood, by finer and finer grids."""
    grid = GRID
    for _ in range(5):
        heights = log_likelihoods(profile, center, grid)
        at = int(np.argmax(heights))
        theta, height = float(grid[at]), float(heights[at])
        grid = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], 41)
    return theta, height
