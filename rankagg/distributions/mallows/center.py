"""The center of a Mallows distribution: where the likelihood is greatest, whatever theta is.

Of complete strict rankings it is the exact Kemeny consensus. Of partial or tied rankings the
likelihood is a sum over compatible permutations, and is climbed by expectation-maximization:
expected votes among those permutations, the Kemeny consensus of the expected votes, theta. What
that reaches is a local maximum, so several starts are climbed and neighbors of the result are
tried; it need not be the Kemeny consensus of the data. Where the sums are too large, expected votes
are estimated from drawn completions, and averaged over the iterations with falling weights
(stochastic approximation; Delyon, Lavielle and Moulines 1999,
https://doi.org/10.1214/aos/1018031103). The log likelihood follows by integrating the expected
distance over theta, and the information from the formula of Louis (1982).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from operator import attrgetter
from typing import Any, cast

import numpy as np
from scipy.integrate import simpson
from scipy.optimize import minimize_scalar

from rankagg._typing import Floats, Generator, Ranks
from rankagg._validation import check_choice
from rankagg.aggregation import Aggregator, Borda, Consensus, Deadline, Evidence
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import PairwiseMatrix, Permutation, Profile, counted, permutation_of
from rankagg.distributions.base import effective_weights, log_compatible
from rankagg.distributions.mallows.compatible_sums import (
    Completions,
    can_sum,
    expected_votes,
    log_sums,
)
from rankagg.distributions.mallows.displacements import DISTANCES
from rankagg.distributions.mallows.distance_centers import (
    MOST_STEPS,
    Completed,
    likely_center,
    theta_at,
)
from rankagg.distributions.mallows.kendall_distances import (
    as_center,
    distance_variance,
    mallows_log_normalizer,
)
from rankagg.distributions.mallows.model_distances import DistanceName, ModelDistance
from rankagg.distributions.mallows.uniformity import uncompressed
from rankagg.exceptions import Described, InvalidInputError

# A theta at which nothing but the best is left.
NO_DISAGREEMENT = 100.0
CLIMB = 1e-9


@dataclass(frozen=True, eq=False)
class MallowsData:
    """Distinct rankings with their weights, which sum to the effective number of rankings."""

    profile: Profile
    ranks: Ranks
    weights: Floats
    is_plain: bool
    # What searches a center ends then.
    deadline: Deadline
    distance: ModelDistance = DISTANCES["kendall"]

    @classmethod
    def of(
        cls, profile: Profile, deadline: Deadline, distance: DistanceName = "kendall"
    ) -> MallowsData:
        """Return the different rankings of a profile."""
        distinct, where = np.unique(profile.ranks, axis=0, return_inverse=True)
        weights = np.bincount(where.ravel(), weights=profile.counts * effective_weights(profile))
        plain = profile.is_complete and profile.is_strict
        ranks = distinct.astype(np.int32)
        return cls(profile, ranks, weights.astype(np.float64), plain, deadline, DISTANCES[distance])

    @property
    def total(self) -> float:
        """How many rankings of equal weight they are worth."""
        return float(self.weights.sum())

    @cached_property
    def is_exact(self) -> bool:
        """True where the sums over compatible permutations can be taken."""
        return self.distance.name != "kendall" or can_sum(self.ranks)

    @cached_property
    def completed(self) -> Completed:
        """All rankings that complete these; refused where they are too many."""
        return Completed.of(self.distance, self.profile.items, self.ranks, self.weights)

    def log_sums(self, center: Permutation, theta: float) -> Floats:
        """Return the log of the sum of exp(-theta d) over what completes each ranking."""
        if self.distance.name == "kendall":
            return log_sums(self.ranks[:, np.argsort(center.ranks)], theta)
        return self.completed.log_sums(center, theta)

    def theta_at(self, mean_distance: float, *, agree: float = 1e-12) -> float:
        """Return the theta at which the expected distance is the given one."""
        return theta_at(self.distance, self.profile.n_items, mean_distance, agree=agree)

    def log_likelihood(self, center: Permutation, theta: float) -> float:
        """Return the weighted log likelihood."""
        each = self.distance.moments(center.n_items, theta).log_normalizer
        return float(self.weights @ self.log_sums(center, theta)) - self.total * each

    def votes(self, center: Permutation, theta: float, weights: Floats) -> Floats:
        """Return the expected weight of row before column among compatible permutations."""
        order = np.argsort(center.ranks)
        inside = expected_votes(self.ranks[:, order], weights, theta)
        votes = np.zeros_like(inside)
        votes[np.ix_(order, order)] = inside
        return votes


def _best_theta(data: MallowsData, center: Permutation) -> float:
    """Return the theta of greatest likelihood around a center; infinite where nothing disagrees."""
    if data.is_plain:
        # Not of the matrix, in which very small weights are lost beside large ones. At a smaller
        # mean theta has no float near its maximum any more.
        distances = data.distance.of(data.ranks[:, np.argsort(center.ranks)])
        return data.theta_at(float(data.weights @ distances) / data.total, agree=1e-290)
    if data.profile.direct_pairwise().cost(center) == 0:
        return inf

    def depth(theta: float) -> float:
        return -data.log_likelihood(center, theta) / data.total

    # Double until the likelihood falls; it does, since some ranking disagrees with the center.
    high = 1.0
    while depth(2.0 * high) < depth(high) and high < NO_DISAGREEMENT:
        high *= 2.0
    found = minimize_scalar(
        depth, bounds=(0.0, 2.0 * high), method="bounded", options={"xatol": 1e-9}
    )
    return 0.0 if depth(0.0) <= found.fun else float(found.x)


def _information_at(data: MallowsData, center: Permutation, theta: float) -> float:
    """Return minus the second derivative of the log likelihood in theta."""
    complete = data.total * data.distance.moments(center.n_items, theta).variance
    if data.is_plain:
        return complete
    # Of sums over permutations: what observing all of each would tell, less what was not seen.
    step = 1e-3 * max(theta, 0.1)
    middle = max(theta, step)
    values = [
        float(data.weights @ data.log_sums(center, at))
        for at in (middle - step, middle, middle + step)
    ]
    return complete - ((values[0] - 2.0 * values[1] + values[2]) / step**2)


@dataclass(frozen=True, eq=False)
class _SearchedCenter:
    """A center, what was found with it, and how."""

    center: Permutation
    # Of the same search; infinite where all rankings agree with the center.
    theta: float | None = None
    log_likelihood: float | None = None
    # Minus the second derivative in theta, where that had to be estimated.
    information: float | None = None
    consensus: Consensus | None = None
    # Of expectation-maximization.
    n_iterations: int = 0
    # True where that reached its tolerance.
    converged: bool = True
    # What the reader must know.
    notes: tuple[str, ...] = ()


# Iterations that forget what was before, and those that average.
EXPLORE, AVERAGE = 30, 70
# Sweeps of each iteration, and of the final estimates.
SWEEPS, FINAL_SWEEPS = 4, 200


def _climb_by_sampling(
    data: MallowsData, center: Permutation | None, rng: Generator
) -> _SearchedCenter:
    """Return a local maximum of the likelihood by simulation, around a given center if any."""
    profile = uncompressed(data.profile)
    ranks, weights = profile.ranks, effective_weights(profile)
    middle = strict_order(Borda().aggregate(data.profile)) if center is None else center
    n, total = len(profile.items), float(weights.sum())
    order = np.argsort(middle.ranks)
    chain = Completions(ranks[:, order], rng)
    theta = 0.5
    average = np.zeros((n, n))
    for step in range(EXPLORE + AVERAGE):
        drawn = np.zeros((n, n))
        for _ in range(SWEEPS):
            data.deadline.seconds_left()
            chain.sweep(theta)
            drawn[np.ix_(order, order)] += chain.votes(weights) / SWEEPS
        share = 1.0 if step < EXPLORE else 1.0 / (step - EXPLORE + 1)
        average += share * (drawn - average)
        votes = PairwiseMatrix.from_wins(average, items=profile.items)
        if center is None:
            middle = strict_order(Kemeny().aggregate(votes, deadline=data.deadline))
        # Beyond this theta nothing but the best completions is left.
        theta = min(data.theta_at(votes.cost(middle) / total), 20.0)
        fresh = np.argsort(middle.ranks)
        chain.reorder(np.argsort(order)[fresh])
        order = fresh
    variances = _posterior_variances(chain, theta)
    sums = _log_sums(ranks[:, order], weights, theta, rng)
    return _SearchedCenter(
        middle,
        theta,
        log_likelihood=sums - total * mallows_log_normalizer(n, theta),
        information=total * distance_variance(n, theta) - float(weights @ variances),
        n_iterations=EXPLORE + AVERAGE,
        notes=(
            "Sums over compatible permutations are too large: center, theta, likelihood and error "
            "are estimated from drawn completions, and differ from seed to seed.",
        ),
    )


def _posterior_variances(chain: Completions, theta: float) -> Floats:
    """Return the variance of the distance of every ranking's completions."""
    first = np.zeros(len(chain.places))
    second = np.zeros(len(chain.places))
    for _ in range(FINAL_SWEEPS):
        chain.sweep(theta)
        distance = chain.distances()
        first += distance / FINAL_SWEEPS
        second += distance**2 / FINAL_SWEEPS
    variances: Floats = np.maximum(second - first**2, 0.0)
    return variances


def _log_sums(ranks: Ranks, weights: Floats, theta: float, rng: Generator) -> float:
    """Return sum w log sum exp(-theta d): log of the number, less the integral of E[d]."""
    grid = np.linspace(0.0, theta, 21)
    chain = Completions(ranks, rng)
    expected = []
    for at in grid:
        for _ in range(5):
            chain.sweep(at)
        sweeps = FINAL_SWEEPS // 10
        found = 0.0
        for _ in range(sweeps):
            chain.sweep(at)
            found += float(weights @ chain.distances()) / sweeps
        expected.append(found)
    return float(weights @ log_compatible(ranks)) - float(simpson(expected, x=grid))


def find_center(profile: Profile, rng: Generator, deadline: Deadline) -> _SearchedCenter:
    """Return the center of greatest likelihood, even where theta has no finite maximum."""
    return search_center(MallowsData.of(profile, deadline), "kemeny", rng)


def search_center(data: MallowsData, center: object, rng: Generator) -> _SearchedCenter:
    """Return the center that is asked for: the most likely one, by name, or given."""
    is_kendall = data.distance.name == "kendall"
    notes = [*Evidence(data.profile).gaps(by_policy=False)]
    given: Permutation | None = None
    consensus: Consensus | None = None
    if isinstance(center, str):
        kind = check_choice(center, ("kemeny", "borda"), "center")
        if kind == "borda" or not is_kendall:
            rule = Borda() if kind == "borda" else Kemeny()
            consensus = rule.aggregate(data.profile, deadline=data.deadline)
            given = strict_order(consensus)
            notes.append(f"The center is {kind.title()}'s, and not the maximum of the likelihood.")
    elif center is not None:
        given = as_center(cast(Any, center), items=data.profile.items)
        data.profile.items.require_same(given.items, "A center and the rankings")
    if not is_kendall:
        likely = likely_center(data.completed, data.deadline, given)
        note = (likely.note,) if likely.note else ()
        found = _SearchedCenter(
            likely.center, likely.theta, n_iterations=likely.n_iterations, notes=note
        )
    elif not data.is_exact:
        found = _climb_by_sampling(data, given, rng)
    elif given is not None:
        found = _SearchedCenter(given)
    elif not data.is_plain:
        found = _climb(data)
    else:
        consensus = Kemeny().aggregate(data.profile, deadline=data.deadline)
        found = _SearchedCenter(strict_order(consensus), notes=_other_centers(consensus))
    return replace(found, consensus=consensus, notes=(*notes, *found.notes))


@dataclass(frozen=True, eq=False)
class _FittedCenter:
    """A center, its theta, and the log likelihood there with minus its second derivative."""

    center: Permutation
    theta: float
    log_likelihood: float
    information: float


def fitted_center(data: MallowsData, found: _SearchedCenter) -> _FittedCenter:
    """Return a center with what its search left open; refused where theta has no maximum."""
    center = found.center
    theta = _best_theta(data, center) if found.theta is None else found.theta
    if not np.isfinite(theta):
        if not data.profile.direct_pairwise().wins.any():
            nothing = Described("none that does: every theta is as likely")
            raise InvalidInputError("data", "rankings that order some items", nothing)
        remedy = f"Theta has no finite maximum: the likelihood of {center.to_text()} grows with it."
        agreed = Described("all as the center")
        raise InvalidInputError("data", "rankings that do not all agree", agreed, remedy)
    height, information = found.log_likelihood, found.information
    if height is None:
        height = data.log_likelihood(center, theta)
    if information is None:
        information = _information_at(data, center, theta)
    return _FittedCenter(center, theta, height, information)


def _other_centers(consensus: Consensus) -> tuple[str, ...]:
    certificate = consensus.certificate
    if certificate is None or certificate.status != "optimal":
        bound = "" if certificate is None else f": {certificate}"
        return (f"The center is not proved to be the Kemeny consensus{bound}.",)
    optima = consensus.optima
    if optima is None or optima.is_unique:
        return ()
    return (
        f"Other centers are as likely: {counted(optima.n_undecided_pairs, 'pair')} left open; see "
        "`.consensus.optima`.",
    )


def strict_order(consensus: Consensus) -> Permutation:
    """Return the consensus; ties of Borda are broken in the order of the items."""
    ranks = consensus.ranking.ranks
    return permutation_of(np.argsort(np.argsort(ranks, kind="stable")), consensus.items)


def _climb(data: MallowsData) -> _SearchedCenter:
    profile, until = data.profile, data.deadline
    agreed = Kemeny().aggregate(profile.direct_pairwise(), deadline=until)
    if agreed.cost == 0:
        return _SearchedCenter(strict_order(agreed), inf)
    rules: tuple[Aggregator, ...] = (Kemeny(), Borda())
    starts = {strict_order(rule.aggregate(profile, deadline=until)) for rule in rules}
    starts.add(strict_order(agreed))
    ordered = sorted(starts, key=lambda start: start.ranks.tolist())
    climbs = [_ascend(data, start) for start in ordered]
    best = max(climbs, key=attrgetter("log_likelihood"))
    total = best.n_iterations
    while (better := _neighbor(data, best)) is not None:
        best = _ascend(data, better)
        total += best.n_iterations
    note = (
        "Partial or tied rankings: a local maximum, by expectation-maximization; what is missing "
        "is taken to be missing at random."
    )
    return replace(best, n_iterations=total, notes=(note,))


def _ascend(data: MallowsData, center: Permutation) -> _SearchedCenter:
    """Alternate expected votes with their Kemeny consensus, and the theta that is best for it."""
    theta, is_best = 1.0, False
    for step in range(1, MOST_STEPS + 1):
        data.deadline.seconds_left()
        wins = data.votes(center, theta, data.weights)
        votes = PairwiseMatrix.from_wins(wins, items=center.items)
        consensus = Kemeny().aggregate(votes, deadline=data.deadline)
        # Keep the center where it is as good: several may be.
        if consensus.cost < votes.cost(center) * (1.0 - 1e-12):
            center, is_best = strict_order(consensus), False
            theta = data.theta_at(votes.cost(center) / data.total)
        elif is_best:
            height = data.log_likelihood(center, theta)
            return _SearchedCenter(center, theta, height, n_iterations=step)
        else:
            theta, is_best = _best_theta(data, center), True
        if theta > NO_DISAGREEMENT:
            return _SearchedCenter(center, inf, 0.0, n_iterations=step)
    height = data.log_likelihood(center, theta)
    return _SearchedCenter(center, theta, height, n_iterations=MOST_STEPS, converged=False)


def _neighbor(data: MallowsData, best: _SearchedCenter) -> Permutation | None:
    """Return a center with two neighbors exchanged that is better at the same theta."""
    theta, height = cast(float, best.theta), cast(float, best.log_likelihood)
    if theta == inf:
        return None
    order = np.argsort(best.center.ranks)
    for k in range(len(order) - 1):
        data.deadline.seconds_left()
        changed = order.copy()
        changed[[k, k + 1]] = changed[[k + 1, k]]
        center = permutation_of(np.argsort(changed), best.center.items)
        gain = data.log_likelihood(center, theta) - height
        if gain > CLIMB * max(1.0, abs(height)):
            return center
    return None
