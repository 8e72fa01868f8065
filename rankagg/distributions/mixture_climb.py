"""Expectation-maximization of a mixture of Mallows distributions from random starts.

A step divides every ranking among the components by its membership probabilities, and fits each
component to its shares. Centers are exact: the Kemeny consensus of the weighted votes. So no step
lowers the likelihood.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from math import inf, lgamma

import numpy as np
import scipy
from joblib import Parallel, delayed
from scipy.special import logsumexp

from rankagg._typing import Floats, Generator, Positions, RNGLike
from rankagg._validation import as_generator, check_flag, check_integer, check_number
from rankagg.aggregation import Deadline
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import (
    UNRANKED,
    PairwiseMatrix,
    Permutation,
    Profile,
    canonical_profile,
    counted,
    permutation_of,
    places,
)
from rankagg.distributions.base import RankingDistribution, Uniform, check_observed
from rankagg.distributions.mallows.center import MallowsData
from rankagg.distributions.mallows.compatible_sums import check_sums
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.exceptions import NotIdentifiedError

# Relative tolerances of the likelihood: a climb from each start, the climb from the best of them,
# and the least gain of a better neighbor.
LOOSE, CLOSE, SLACK = 1e-6, 1e-9, 1e-6
# Longest Newton step of theta.
LONGEST_STEP = 0.3
# Most entries of a cached table of rankings by pairs of items.
MOST_PAIRS = 40_000_000
# Most items for neighbors that move an item to any place, not only to the next one.
MOST_MOVED = 8
# Most steps of a climb.
CLIMB_STEPS = 2000


@dataclass(frozen=True, eq=False)
class _Family:
    """Mallows components with bounded theta, for the distinct rankings of some data."""

    data: MallowsData
    max_theta: float

    @cached_property
    def log_uniform(self) -> Floats:
        """The log probability of each ranking if all permutations are equally likely."""
        items = self.data.profile.items
        return Uniform(items).log_probs(canonical_profile(items, self.data.ranks))

    def scores(self, part: Mallows) -> Floats:
        """Return the derivatives of the log probabilities by theta, shape (m,)."""
        theta, step = part.theta, 1e-5 * max(1.0, part.theta)
        low = max(theta - step, 0.0)
        rise = self.log_probs(Mallows(part.center, theta + step))
        rise = rise - self.log_probs(Mallows(part.center, low))
        return rise / (step + theta - low)

    @cached_property
    def _start_theta(self) -> float:
        n, distance = self.data.profile.n_items, self.data.distance
        return min(self.data.theta_at(distance.moments(n, 0.0).mean / 2.0), self.max_theta)

    @cached_property
    def _above(self) -> Floats | None:
        """Whether the first of two items is above the second, for each ranking and each pair."""
        first, second = self._pairs
        if not self.data.is_plain or len(first) * len(self.data.ranks) > MOST_PAIRS:
            return None
        return (self.data.ranks[:, first] < self.data.ranks[:, second]).astype(np.float64)

    @cached_property
    def _pairs(self) -> tuple[Positions, Positions]:
        first, second = np.triu_indices(self.data.profile.n_items, k=1)
        return first, second

    def start(self, rng: Generator) -> Mallows:
        """Return a component around a random completion of a random ranking of the data.

        Its mean distance is half the one of the uniform distribution.
        """
        row = rng.choice(len(self.data.ranks), p=self.data.weights / self.data.total)
        drawn = places.sample_compatible(self.data.ranks[[row]], rng)[0]
        return Mallows(permutation_of(drawn, self.data.profile.items), self._start_theta)

    def log_probs(self, part: Mallows) -> Floats:
        """Return the log probability of each ranking."""
        if self._above is None:
            logs = self.data.log_sums(part.center, part.theta)
        else:
            first, second = self._pairs
            agreed = part.center.ranks[first] < part.center.ranks[second]
            logs = -part.theta * (agreed.sum() + self._above @ (1.0 - 2.0 * agreed))
        return logs - part.log_normalizer

    def improved(self, part: Mallows, shares: Floats) -> Mallows:
        """Return the center of the expected completions, and its theta."""
        near, votes = part.center, self._votes(part, shares)
        center = _kemeny(votes, near, self.data)
        costs = [float(votes[one.ranks[:, None] > one.ranks].sum()) for one in (near, center)]
        # Keep the center if it is as good, since several may be.
        chosen = center if costs[1] < costs[0] * (1.0 - 1e-12) else near
        return self._at_theta(part, chosen, max(min(costs), 0.0) / float(shares.sum()))

    def _at_theta(self, part: Mallows, center: Permutation, mean: float) -> Mallows:
        """Return the component after a Newton step of theta, or at the exact theta."""
        variance = part.distance_variance
        step = (part.mean_distance - mean) / variance if variance > 0 else 0.0
        theta = min(max(part.theta + step, 0.0), self.max_theta)
        moved = Mallows(center, theta)
        gain = (part.theta - theta) * mean + part.log_normalizer - moved.log_normalizer
        # Long steps are unreliable: theta of a component that is one ranking grows without limit.
        if 0.0 < abs(step) < LONGEST_STEP and gain >= 0.0:
            return moved
        return Mallows(center, min(self.data.theta_at(mean), self.max_theta))

    def _votes(self, part: Mallows, shares: Floats) -> Floats:
        if self._above is None:
            return self.data.votes(part.center, part.theta, shares)
        (first, second), n = self._pairs, self.data.profile.n_items
        votes = np.zeros((n, n))
        votes[first, second] = shares @ self._above
        votes[second, first] = shares.sum() - votes[first, second]
        return votes

    def neighbors(self, part: Mallows) -> Iterator[Mallows]:
        """Yield the components whose center has one item moved."""
        order = part.center.ranks.argsort()
        for source, target in permutations(range(len(order)), 2):
            if not (len(order) <= MOST_MOVED or abs(source - target) == 1) or source == target + 1:
                continue
            moved = np.insert(np.delete(order, source), target, order[source])
            yield Mallows(permutation_of(np.argsort(moved), part.items), part.theta)


def _kemeny(votes: Floats, near: Permutation, data: MallowsData) -> Permutation:
    """Return the exact consensus, without a search if the majorities form an order."""
    won = (votes > votes.T).sum(axis=1) + (near.ranks.max() - near.ranks) / (2.0 * len(votes))
    order = np.argsort(-won, kind="stable")
    if (np.triu(votes[np.ix_(order, order)] - votes.T[np.ix_(order, order)], 1) >= 0).all():
        return permutation_of(np.argsort(order), near.items)
    matrix = PairwiseMatrix.from_wins(np.maximum(votes, 0.0), items=near.items)
    consensus = Kemeny().aggregate(matrix, deadline=data.deadline)
    return permutation_of(consensus.ranking.ranks, near.items)


@dataclass(frozen=True, eq=False)
class _Climb:
    """Components and weights of one climb."""

    parts: tuple[Mallows | Uniform, ...]
    weights: Floats
    height: float = -inf
    n_iterations: int = 0
    converged: bool = False


def _begin(family: _Family, n_parts: int, rng: Generator, *, noise: bool) -> _Climb:
    """Return components of equal weight around random rankings."""
    parts: list[Mallows | Uniform] = [family.start(rng) for _ in range(n_parts)]
    parts += [Uniform(family.data.profile.items)] * noise
    return _Climb(tuple(parts), np.full(len(parts), 1.0 / len(parts)))


def _log_parts(family: _Family, here: _Climb) -> Floats:
    """Return log of weight times probability, shape (m, k)."""
    each = [
        family.log_uniform if isinstance(part, Uniform) else family.log_probs(part)
        for part in here.parts
    ]
    with np.errstate(divide="ignore"):
        return np.stack(each, axis=1) + np.log(here.weights)


def _search(family: _Family, start: _Climb, tolerance: float = LOOSE) -> _Climb:
    """Climb, and climb again from a better neighbor as long as there is one."""
    climb = _ascend(family, start, tolerance)
    while (better := _neighbor(family, climb)) is not None:
        climb = _ascend(family, better, tolerance)
    return climb


def _neighbor(family: _Family, here: _Climb) -> _Climb | None:
    """Return the best mixture with one component moved, or None if none is better."""
    joint, best = _log_parts(family, here), here
    for k, part in enumerate(here.parts):
        if isinstance(part, Uniform) or here.weights[k] == 0.0:
            continue
        family.data.deadline.seconds_left()
        others = logsumexp(np.delete(joint, k, axis=1), axis=1) if len(here.parts) > 1 else -inf
        for other in family.neighbors(part):
            own = family.log_probs(other) + np.log(here.weights[k])
            height = float(family.data.weights @ np.logaddexp(others, own))
            if height > best.height + SLACK * max(1.0, abs(height)):
                parts = (*here.parts[:k], other, *here.parts[k + 1 :])
                best = replace(here, parts=parts, height=height)
    return None if best is here else best


def _ascend(family: _Family, here: _Climb, tolerance: float) -> _Climb:
    """Return the end of a climb, where the extrapolated gain is within the tolerance."""
    weights, before, here = family.data.weights, inf, replace(here, height=-inf)
    for step in range(CLIMB_STEPS + 1):
        family.data.deadline.seconds_left()
        joint = _log_parts(family, here)
        logs = logsumexp(joint, axis=1)
        height = float(weights @ logs)
        gain, last = height - here.height, here.height
        here = replace(here, height=height, n_iterations=step)
        # Sum of further gains if they fall at a constant rate (Aitken).
        rate = min(max(gain / before, 0.0), 1.0) if 0.0 < before < inf else 1.0
        left = gain * rate / (1.0 - rate) if rate < 1.0 else inf
        enough = tolerance * max(1.0, abs(height))
        if last > -inf and (gain <= 1e-3 * enough or left <= enough):
            return replace(here, converged=True)
        if step == CLIMB_STEPS:
            break
        before = gain
        shares = np.exp(joint - logs[:, None]) * weights[:, None]
        parts = tuple(
            # A component without any share of the rankings cannot be fitted.
            part
            if isinstance(part, Uniform) or not own.sum() > 1e-12
            else family.improved(part, own)
            for part, own in zip(here.parts, shares.T, strict=True)
        )
        here = replace(here, parts=parts, weights=shares.sum(axis=0) / weights.sum())
    return here


def _check_identified(profile: Profile, k: int, *, noise: bool) -> None:
    """Raise if the mixture has more parameters than the rankings have outcomes."""
    free = 2 * k - 1 + noise
    # Kinds of rankings: the same observed items, and as many of them listed.
    observed = profile.ranks != UNRANKED
    kinds = np.unique(np.column_stack([observed, (profile.ranks >= 0).sum(axis=1)]), axis=0)
    sizes = kinds[:, :-1].sum(axis=1)
    limit = lgamma(free + 2.0)
    outcomes = sum(
        min(np.exp(min(lgamma(s + 1.0) - lgamma(s - min(t, s - 1) + 1.0), limit)), free + 1.0) - 1.0
        for s, t in zip(sizes.tolist(), kinds[:, -1].tolist(), strict=True)
        if s
    )
    if profile.is_strict and free > round(outcomes):
        raise NotIdentifiedError(
            f"A mixture of {free} free parameters is not identified by rankings with "
            f"{counted(round(outcomes) + 1, 'possible outcome')}. Fit fewer components."
        )


@dataclass(frozen=True, eq=False)
class _FoundMixture:
    """The best of all climbs: components by weight, estimates and their covariance."""

    parts: tuple[RankingDistribution, ...]
    weights: Floats
    # The log likelihood that each start reached.
    heights: Floats
    converged: bool
    n_iterations: int
    log_likelihood: float
    # The effective number of rankings.
    total: float
    names: tuple[str, ...]
    estimates: Floats
    covariance: Floats


def find_mixture(
    profile: Profile,
    number: int,
    *,
    noise: bool,
    n_starts: int,
    max_theta: float,
    deadline: Deadline,
    rng: RNGLike,
    n_jobs: int | None,
) -> _FoundMixture:
    """Check the options of `Mixture.fit`, and return the best of the climbs from all starts."""
    check_flag(noise, "noise")
    check_integer(n_starts, "n_starts", low=1)
    check_number(max_theta, "max_theta", low=0, high=100, open_low=True)
    check_observed(profile)
    _check_identified(profile, number, noise=noise)
    family = _Family(MallowsData.of(profile, deadline), max_theta)
    check_sums(family.data.ranks)
    streams = as_generator(rng).spawn(n_starts)
    starts = [_begin(family, number, stream, noise=noise) for stream in streams]
    climbs: list[_Climb] = Parallel(n_jobs=n_jobs)(
        delayed(_search)(family, start) for start in starts
    )
    heights = np.array([climb.height for climb in climbs])
    best = _search(family, climbs[int(heights.argmax())], CLOSE)
    order = [*np.argsort(-best.weights[:number], kind="stable"), *range(number, len(best.parts))]
    parts = tuple(best.parts[k] for k in order)
    best = replace(best, parts=parts, weights=best.weights[order])
    names, estimates, covariance = _estimates(family, best, number)
    return _FoundMixture(
        parts=parts,
        weights=best.weights,
        heights=heights,
        converged=best.converged,
        n_iterations=best.n_iterations,
        log_likelihood=float(family.data.weights @ logsumexp(_log_parts(family, best), axis=1)),
        total=family.data.total,
        names=names,
        estimates=estimates,
        covariance=covariance,
    )


def _estimates(
    family: _Family, best: _Climb, number: int
) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return names, estimates and covariance: weights, then theta of each component."""
    data, weights = family.data, best.weights
    joint = _log_parts(family, best)
    shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    names = [f"weight {k + 1}" for k in range(number)] + ["weight of noise"] * (
        len(weights) - number
    )
    thetas = np.array([part.theta for part in best.parts[:number] if isinstance(part, Mallows)])
    names += [f"theta {k + 1}" for k in range(number)]
    # Scores; log odds of weights are identified up to a constant.
    tables = [shares - weights]
    for k, part in enumerate(best.parts[:number]):
        assert isinstance(part, Mallows), "noise is last"
        scores = family.scores(part) * shares[:, k]
        at_bound = part.theta >= family.max_theta
        tables.append(np.full((len(scores), 1), np.nan) if at_bound else scores[:, None])
    table = np.hstack(tables)
    free = ~np.isnan(table[0])
    information = table[:, free].T @ (table[:, free] * data.weights[:, None])
    scale = 1.0 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    around = np.outer(scale, scale)
    inverse = np.linalg.pinv(information * around, rcond=1e-9, hermitian=True) * around
    of_odds = np.diag(weights) - np.outer(weights, weights)
    move = scipy.linalg.block_diag(of_odds, np.eye(number))[np.ix_(free, free)]
    covariance = np.full((len(free),) * 2, np.nan)
    covariance[np.ix_(free, free)] = move @ inverse @ move.T
    return tuple(names), np.concatenate([weights, thetas]), covariance
