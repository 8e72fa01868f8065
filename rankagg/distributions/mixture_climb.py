"""The climb to a mixture of greatest likelihood: expectation-maximization from drawn starts.

A step shares every ranking out among the components, by its chance to come from each, and fits each
component to its shares. Centers are exact: the Kemeny consensus of the shared votes. So no step
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

from rankagg._typing import Bools, Floats, Generator, Positions, RNGLike
from rankagg._validation import (
    as_generator,
    check_flag,
    check_integer,
    check_number,
)
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

# What is left to climb, as a share of the height, where a climb ends: each of many, the best of
# them; by how much a neighbor is better.
LOOSE, CLOSE, SLACK = 1e-6, 1e-9, 1e-6
# Of theta by Newton's method.
LONGEST_STEP = 0.3
# Entries of a table of pairs of items by rankings that is kept.
MOST_PAIRS = 40_000_000
# Items that are moved to any place, not to the next one alone, where a climb ends.
MOST_MOVED = 8
# Of each climb.
CLIMB_STEPS = 2000


@dataclass(frozen=True, eq=False)
class _Family:
    """What Mallows components, of bounded theta, are to the different rankings of some data."""

    data: MallowsData
    max_theta: float

    @cached_property
    def log_uniform(self) -> Floats:
        """The log probability of each ranking where all permutations are equally likely."""
        items = self.data.profile.items
        return Uniform(items).log_probs(canonical_profile(items, self.data.ranks))

    def scores(self, part: Mallows) -> Floats:
        """Return the derivatives of the log probabilities by theta, shape (m,)."""
        theta, step = part.theta, 1e-5 * max(1.0, part.theta)
        low = max(theta - step, 0.0)
        rise = self.log_probs(Mallows(part.center, theta + step))
        rise = rise - self.log_probs(Mallows(part.center, low))
        scores: Floats = rise / (step + theta - low)
        return scores

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
        """Return one around a ranking of the data, what that leaves open drawn at random.

        Its distances are half of what they are by chance.
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
        costs = [float(votes[_behind(one)].sum()) for one in (near, center)]
        # The center stays where it is as good: several may be.
        chosen = center if costs[1] < costs[0] * (1.0 - 1e-12) else near
        return self._at_theta(part, chosen, max(min(costs), 0.0) / float(shares.sum()))

    def _at_theta(self, part: Mallows, center: Permutation, mean: float) -> Mallows:
        """Return theta after a Newton step, or exactly where that goes down."""
        variance = part.distance_variance
        step = (part.mean_distance - mean) / variance if variance > 0 else 0.0
        theta = min(max(part.theta + step, 0.0), self.max_theta)
        found = Mallows(center, theta)
        gain = (part.theta - theta) * mean + part.log_normalizer - found.log_normalizer
        # Far off, a parabola says little: theta of a component that is one ranking has no end.
        if 0.0 < abs(step) < LONGEST_STEP and gain >= 0.0:
            return found
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
        """Go through the centers with one item elsewhere."""
        order = part.center.ranks.argsort()
        for source, target in permutations(range(len(order)), 2):
            if not (len(order) <= MOST_MOVED or abs(source - target) == 1) or source == target + 1:
                continue
            moved = np.insert(np.delete(order, source), target, order[source])
            yield Mallows(permutation_of(np.argsort(moved), part.items), part.theta)


def _behind(center: Permutation) -> Bools:
    """Say of which pairs the center has the row below the column."""
    return np.asarray(center.ranks[:, None] > center.ranks)


def _kemeny(votes: Floats, near: Permutation, data: MallowsData) -> Permutation:
    """Return the exact consensus; where all majorities agree on an order, it is that."""
    won = (votes > votes.T).sum(axis=1) + (near.ranks.max() - near.ranks) / (2.0 * len(votes))
    order = np.argsort(-won, kind="stable")
    if (np.triu(votes[np.ix_(order, order)] - votes.T[np.ix_(order, order)], 1) >= 0).all():
        return permutation_of(np.argsort(order), near.items)
    matrix = PairwiseMatrix.from_wins(np.maximum(votes, 0.0), items=near.items)
    consensus = Kemeny().aggregate(matrix, deadline=data.deadline)
    return permutation_of(consensus.ranking.ranks, near.items)


@dataclass(frozen=True, eq=False)
class _Climb:
    """Components and weights on the way up."""

    parts: tuple[Mallows | Uniform, ...]
    weights: Floats
    height: float = -inf
    n_iterations: int = 0
    converged: bool = False


def _begin(family: _Family, n_parts: int, rng: Generator, *, noise: bool) -> _Climb:
    """Return components around drawn rankings, of equal weight."""
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


def _searched(family: _Family, here: _Climb, left: float = LOOSE) -> _Climb:
    """Return a climb that goes on from better neighbors of where it ends."""
    here = _climbed(family, here, left)
    while (better := _neighbor(family, here)) is not None:
        here = _climbed(family, better, left)
    return here


def _neighbor(family: _Family, here: _Climb) -> _Climb | None:
    """Return the best of all with one component changed, if it is better."""
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


def _climbed(family: _Family, here: _Climb, share: float = CLOSE) -> _Climb:
    """Return where a climb ends: hardly anything is left, as its gains fall."""
    weights, before, here = family.data.weights, inf, replace(here, height=-inf)
    for step in range(CLIMB_STEPS + 1):
        family.data.deadline.seconds_left()
        joint = _log_parts(family, here)
        logs = logsumexp(joint, axis=1)
        height = float(weights @ logs)
        gain, last = height - here.height, here.height
        here = replace(here, height=height, n_iterations=step)
        # Gains that fall by the same rate add up to that (Aitken).
        rate = min(max(gain / before, 0.0), 1.0) if 0.0 < before < inf else 1.0
        left = gain * rate / (1.0 - rate) if rate < 1.0 else inf
        enough = share * max(1.0, abs(height))
        if last > -inf and (gain <= 1e-3 * enough or left <= enough):
            return replace(here, converged=True)
        if step == CLIMB_STEPS:
            break
        before = gain
        shares = np.exp(joint - logs[:, None]) * weights[:, None]
        parts = tuple(
            # Nothing is said of a component that has no rankings any more.
            part
            if isinstance(part, Uniform) or not own.sum() > 1e-12
            else family.improved(part, own)
            for part, own in zip(here.parts, shares.T, strict=True)
        )
        here = replace(here, parts=parts, weights=shares.sum(axis=0) / weights.sum())
    return here


def _check_identified(profile: Profile, k: int, *, noise: bool) -> None:
    """Raise where there are certainly several mixtures with the same probabilities."""
    free = 2 * k - 1 + noise
    # Rankings of the same items that end at the same place have so many outcomes.
    observed = profile.ranks != UNRANKED
    kinds = np.unique(np.column_stack([observed, (profile.ranks >= 0).sum(axis=1)]), axis=0)
    sizes = kinds[:, :-1].sum(axis=1)
    known = lgamma(free + 2.0)
    outcomes = sum(
        min(np.exp(min(lgamma(s + 1.0) - lgamma(s - min(t, s - 1) + 1.0), known)), free + 1.0) - 1.0
        for s, t in zip(sizes.tolist(), kinds[:, -1].tolist(), strict=True)
        if s
    )
    if profile.is_strict and free > round(outcomes):
        raise NotIdentifiedError(
            f"A mixture of {free} free parameters is not identified by rankings that can come out "
            f"in {counted(round(outcomes) + 1, 'way')}. Fit fewer components."
        )


@dataclass(frozen=True, eq=False)
class _FoundMixture:
    """The best of all climbs, its components by weight, and what is known of its parameters."""

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
    chosen = _Family(MallowsData.of(profile, deadline), max_theta)
    check_sums(chosen.data.ranks)
    streams = as_generator(rng).spawn(n_starts)
    starts = [_begin(chosen, number, stream, noise=noise) for stream in streams]
    climbs: list[_Climb] = Parallel(n_jobs=n_jobs)(
        delayed(_searched)(chosen, start) for start in starts
    )
    heights = np.array([climb.height for climb in climbs])
    best = _searched(chosen, climbs[int(heights.argmax())], CLOSE)
    order = [*np.argsort(-best.weights[:number], kind="stable"), *range(number, len(best.parts))]
    parts = tuple(best.parts[k] for k in order)
    best = replace(best, parts=parts, weights=best.weights[order])
    names, estimates, covariance = _estimates_of(chosen, best, number)
    logs = logsumexp(_log_parts(chosen, best), axis=1)
    return _FoundMixture(
        parts=parts,
        weights=best.weights,
        heights=heights,
        converged=best.converged,
        n_iterations=best.n_iterations,
        log_likelihood=float(chosen.data.weights @ logs),
        total=chosen.data.total,
        names=names,
        estimates=estimates,
        covariance=covariance,
    )


def _estimates_of(
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
    # Log odds of weights are known up to a constant.
    tables = [shares - weights]
    for k, part in enumerate(best.parts[:number]):
        assert isinstance(part, Mallows), "noise is last"
        found = family.scores(part) * shares[:, k]
        at_bound = part.theta >= family.max_theta
        tables.append(np.full((len(found), 1), np.nan) if at_bound else found[:, None])
    table = np.hstack(tables)
    known = ~np.isnan(table[0])
    information = table[:, known].T @ (table[:, known] * data.weights[:, None])
    scale = 1.0 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    around = np.outer(scale, scale)
    inverse = np.linalg.pinv(information * around, rcond=1e-9, hermitian=True) * around
    of_odds = np.diag(weights) - np.outer(weights, weights)
    move = scipy.linalg.block_diag(of_odds, np.eye(number))[np.ix_(known, known)]
    covariance = np.full((len(known),) * 2, np.nan)
    covariance[np.ix_(known, known)] = move @ inverse @ move.T
    return tuple(names), np.concatenate([weights, thetas]), covariance
