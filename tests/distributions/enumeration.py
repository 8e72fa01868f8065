"""Distributions the slow way: through every ranking of a few items."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

import rankagg as ra
from tests import oracles


@cache
def strict_places(n: int) -> tuple[tuple[int, ...], ...]:
    """Return the places of all permutations."""
    return tuple(permutations(range(n)))


@cache
def weak_places(n: int) -> tuple[tuple[int, ...], ...]:
    """Return the places of all complete rankings, ties included."""
    rows = product(range(n), repeat=n)
    return tuple({tuple(sum(b < a for b in row) for a in row) for row in rows})


def discordant(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """Count the pairs that two complete rankings have in opposite order."""
    n = len(first)
    return sum(
        (first[i] - first[j]) * (second[i] - second[j]) < 0 for i in range(n) for j in range(i)
    )


@cache
def distance_histogram(ranking: tuple[object, ...], center: tuple[int, ...]) -> tuple[int, ...]:
    """Count the compatible permutations of a ranking at every Kendall distance from a center."""
    n = len(center)
    counts = [0] * (n * (n - 1) // 2 + 1)
    for candidate in oracles.compatible_permutations(ranking):
        counts[discordant(candidate, center)] += 1
    return tuple(counts)


def log_likelihoods(
    profile: ra.Profile, center: tuple[int, ...], thetas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the Mallows log likelihood around a center for every theta, by enumeration."""
    blank = (None,) * profile.n_items
    rows = [*(oracles.as_places(ranking) for ranking in profile), blank]
    counts = np.array([distance_histogram(row, center) for row in rows], dtype=float)
    weights = np.append(profile.counts * profile.weights, -profile.total_weight)
    powers = np.exp(-np.multiply.outer(thetas, np.arange(counts.shape[1])))
    heights: NDArray[np.float64] = np.log(powers @ counts.T) @ weights
    return heights


GRID = np.concatenate([np.arange(0.0, 6.0, 0.05), np.arange(6.0, 30.0, 0.5)])


def greatest_likelihood(profile: ra.Profile) -> tuple[tuple[int, ...], float, float]:
    """Return center, theta and log likelihood of the Mallows distribution that is best of all."""
    found = [(center, *best_theta(profile, center)) for center in strict_places(profile.n_items)]
    return max(found, key=lambda one: one[2])


def best_theta(profile: ra.Profile, center: tuple[int, ...]) -> tuple[float, float]:
    """Return the best theta around a center and its log likelihood, by finer and finer grids."""
    grid = GRID
    for _ in range(5):
        heights = log_likelihoods(profile, center, grid)
        at = int(np.argmax(heights))
        theta, height = float(grid[at]), float(heights[at])
        grid = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], 41)
    return theta, height
