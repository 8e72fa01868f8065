"""Mallows around an unknown center, where the sums over compatible permutations are too large.

Expected votes are estimated from drawn completions, and averaged over the iterations with falling
weights (stochastic approximation expectation-maximization; Delyon, Lavielle and Moulines 1999,
https://doi.org/10.1214/aos/1018031103). The log likelihood follows by integrating the expected
distance over theta, and the information from the formula of Louis (1982).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import simpson

from rankagg._typing import Floats, Ranks
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.distributions.mallows.gibbs import Completions
from rankagg.distributions.mallows.parameters import distance_variance, mallows_log_normalizer
from rankagg.distributions.uniform import log_compatible

__all__ = ["Sampled", "climb_by_sampling"]

# Iterations that forget what was before, and those that average.
EXPLORE, AVERAGE = 30, 70
# A theta beyond which nothing but the best completions is left.
LARGEST = 20.0
# Sweeps of each iteration, of the final estimates, and grid points of the integral.
SWEEPS, FINAL, POINTS = 4, 200, 21


@dataclass(frozen=True, eq=False)
class Sampled:
    """What the climb found.

    Attributes
    ----------
    center : Permutation
        The center.
    theta : float
        The dispersion parameter.
    log_likelihood : float
        Estimated.
    information : float
        Minus the second derivative in theta, estimated.
    n_iterations : int
        Of the climb.
    """

    center: Permutation
    theta: float
    log_likelihood: float
    information: float
    n_iterations: int


def climb_by_sampling(
    profile: Profile,
    start: Permutation,
    theta_of: Callable[[float, int], float],
    rng: np.random.Generator,
    *,
    fixed: bool = False,
) -> Sampled:
    """Return a local maximum of the likelihood of a Mallows distribution, by simulation.

    Parameters
    ----------
    profile : Profile
        The rankings, one row per observation; counts play no part.
    start : Permutation
        The first center.
    theta_of : callable
        From a mean distance and the number of items to theta.
    rng : numpy.random.Generator
        Where draws are from.
    fixed : bool, default False
        Keep the first center.

    Returns
    -------
    Sampled
    """
    items, ranks, weights = profile.items, profile.ranks, profile.weights
    n, total = len(items), float(weights.sum())
    order = np.argsort(start.ranks)
    chain = Completions(ranks[:, order], rng)
    theta = 0.5
    average = np.zeros((n, n))
    for step in range(EXPLORE + AVERAGE):
        drawn = np.zeros((n, n))
        for _ in range(SWEEPS):
            chain.sweep(theta)
            drawn[np.ix_(order, order)] += chain.votes(weights) / SWEEPS
        share = 1.0 if step < EXPLORE else 1.0 / (step - EXPLORE + 1)
        average += share * (drawn - average)
        votes = PairwiseMatrix.from_wins(average, items=items)
        center = start if fixed else _consensus(votes)
        theta = min(theta_of(votes.cost(center) / total, n), LARGEST)
        fresh = np.argsort(center.ranks)
        chain.reorder(np.argsort(order)[fresh])
        order = fresh
    variances = _posterior_variances(chain, theta)
    information = total * distance_variance(n, theta) - float(weights**2 @ variances)
    sums = _log_sums(ranks[:, order], weights, theta, rng)
    height = sums - total * mallows_log_normalizer(n, theta)
    return Sampled(center, theta, height, information, EXPLORE + AVERAGE)


def _consensus(votes: PairwiseMatrix) -> Permutation:
    return Permutation(Kemeny().aggregate(votes).ranking.ranks, votes.items)


def _posterior_variances(chain: Completions, theta: float) -> Floats:
    """Return the variance of the distance of every ranking's completions."""
    first = np.zeros(len(chain.places))
    second = np.zeros(len(chain.places))
    for _ in range(FINAL):
        chain.sweep(theta)
        distance = chain.distances()
        first += distance / FINAL
        second += distance**2 / FINAL
    variances: Floats = np.maximum(second - first**2, 0.0)
    return variances


def _log_sums(ranks: Ranks, weights: Floats, theta: float, rng: np.random.Generator) -> float:
    """Return sum w log sum exp(-theta d): log of the number, less the integral of E[d]."""
    grid = np.linspace(0.0, theta, POINTS)
    chain = Completions(ranks, rng)
    expected = []
    for at in grid:
        for _ in range(5):
            chain.sweep(at)
        sweeps = FINAL // 10
        found = 0.0
        for _ in range(sweeps):
            chain.sweep(at)
            found += float(weights @ chain.distances()) / sweeps
        expected.append(found)
    integral = float(simpson(expected, x=grid))
    return float(weights @ log_compatible(ranks)) - integral
