"""Maximum-likelihood estimates of the center of a Mallows distribution, and of theta.

For complete strict rankings the center is the exact Kemeny consensus. Under the squared Spearman
distance it is the order of the mean ranks, and under the footrule the best assignment of items to
ranks. For partial or tied rankings it is found by expectation-maximization: expected votes among
compatible permutations, their Kemeny consensus, then theta. Each climb ends at a local maximum, so
there are several starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from operator import attrgetter
from typing import cast

import numpy as np
from scipy.optimize import linear_sum_assignment, minimize_scalar

from rankagg._typing import Floats, Ranks
from rankagg._validation import check_choice
from rankagg.aggregation import Aggregator, Borda, Consensus, Deadline, Evidence
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import PairwiseMatrix, Permutation, Profile, counted, permutation_of
from rankagg.distributions.base import effective_weights
from rankagg.distributions.mallows.compatible_sums import check_sums, expected_votes, log_sums
from rankagg.distributions.mallows.distances import DISTANCES, DistanceName, ModelDistance
from rankagg.exceptions import Described, InvalidInputError

# A larger theta leaves only the center.
NO_DISAGREEMENT = 100.0
# Most steps of expectation-maximization, and the least relative gain of a better neighbor.
MOST_STEPS, CLIMB = 500, 1e-9


@dataclass(frozen=True, eq=False)
class _SearchedCenter:
    """The result of a search for the center."""

    center: Permutation
    # From the same search; infinite if all rankings agree with the center.
    theta: float | None = None
    log_likelihood: float | None = None
    consensus: Consensus | None = None
    # Of expectation-maximization.
    n_iterations: int = 0
    # True if that reached its tolerance.
    converged: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _FittedCenter:
    """A center, its theta, the log likelihood and the observed information."""

    center: Permutation
    theta: float
    log_likelihood: float
    information: float


@dataclass(frozen=True, eq=False)
class MallowsData:
    """Distinct rankings with their weights, which sum to the effective number of rankings."""

    profile: Profile
    ranks: Ranks
    weights: Floats
    # Whether all rankings are complete and strict.
    is_plain: bool
    # Deadline of a search for the center.
    deadline: Deadline
    distance: ModelDistance = DISTANCES["kendall"]

    @classmethod
    def of(
        cls, profile: Profile, deadline: Deadline, distance: DistanceName = "kendall"
    ) -> MallowsData:
        """Return the distinct rankings of a profile."""
        distinct, where = np.unique(profile.ranks, axis=0, return_inverse=True)
        weights = np.bincount(where.ravel(), weights=profile.counts * effective_weights(profile))
        plain = profile.is_complete and profile.is_strict
        ranks = distinct.astype(np.int32)
        return cls(profile, ranks, weights.astype(np.float64), plain, deadline, DISTANCES[distance])

    @property
    def total(self) -> float:
        """The effective number of rankings."""
        return float(self.weights.sum())

    # -- likelihood ---------------------------------------------------------------------------

    def log_sums(self, center: Permutation, theta: float) -> Floats:
        """Return the log of the sum of exp(-theta d) over the completions of each ranking."""
        in_order = self.ranks[:, np.argsort(center.ranks)]
        return -theta * self.distance.of(in_order) if self.is_plain else log_sums(in_order, theta)

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

    def theta_at(self, mean_distance: float, *, agree: float = 1e-12) -> float:
        """Return the theta with the given expected distance."""
        return self.distance.theta_at(self.profile.n_items, mean_distance, agree=agree)

    def mean_distance(self, center: Permutation) -> float:
        """Return the mean distance of complete strict rankings to a center."""
        distances = self.distance.of(self.ranks[:, np.argsort(center.ranks)])
        return float(self.weights @ distances) / self.total

    # -- center -------------------------------------------------------------------------------

    def search_center(self, center: Permutation | str | None = None) -> _SearchedCenter:
        """Return a given center, the one of a named rule, or the likeliest one."""
        if not self.is_plain:
            check_sums(self.ranks, self.distance.name)
        is_kendall = self.distance.name == "kendall"
        notes = [*Evidence(self.profile).gaps(by_policy=False)]
        given = None if isinstance(center, str) else center
        consensus: Consensus | None = None
        if isinstance(center, str):
            kind = check_choice(center, ("kemeny", "borda"), "center")
            if kind == "borda" or not is_kendall:
                rule = Borda() if kind == "borda" else Kemeny()
                consensus = rule.aggregate(self.profile, deadline=self.deadline)
                given = _strict_order(consensus)
                notes.append(
                    f"The center is {kind.title()}'s, and not the maximum of the likelihood."
                )
        if given is not None:
            result = _SearchedCenter(given)
        elif not is_kendall:
            nearest, note = self.nearest_center()
            result = _SearchedCenter(nearest, notes=(note,) if note else ())
        elif not self.is_plain:
            result = _climb(self)
        else:
            consensus = Kemeny().aggregate(self.profile, deadline=self.deadline)
            result = _SearchedCenter(_strict_order(consensus), notes=_other_centers(consensus))
        return replace(result, consensus=consensus, notes=(*notes, *result.notes))

    def nearest_center(self) -> tuple[Permutation, str]:
        """Return the center of least total footrule or squared Spearman distance, and a note."""
        n, items = self.profile.n_items, self.profile.items
        if self.distance.name == "spearman":
            means = self.weights @ self.ranks / self.weights.sum()
            order = np.argsort(means, kind="stable")
            tied = (np.diff(means[order]) <= 1e-9 * n).any()
            note = "Other centers are as likely: some items have equal mean ranks." if tied else ""
            return permutation_of(np.argsort(order), items), note
        placed = np.zeros((n, n))
        for row, weight in zip(self.ranks, self.weights, strict=True):
            placed[np.arange(n), row] += weight
        costs = placed @ np.abs(np.arange(n)[:, None] - np.arange(n))
        chosen = linear_sum_assignment(costs)
        # A tiny extra cost of this assignment reveals another one that is equally good.
        costs[chosen] += 1e-9 * self.weights.sum()
        _, other = linear_sum_assignment(costs)
        note = "" if (other == chosen[1]).all() else "Other centers are as likely."
        return permutation_of(chosen[1].astype(np.int32), items), note

    def fitted_center(self, result: _SearchedCenter) -> _FittedCenter:
        """Return a center with theta and likelihood; raise if theta has no finite maximum."""
        center = result.center
        theta = _best_theta(self, center) if result.theta is None else result.theta
        if not np.isfinite(theta):
            if not self.profile.direct_pairwise().wins.any():
                nothing = Described("none that does: all thetas are equally likely")
                raise InvalidInputError("data", "rankings that order some items", nothing)
            raise InvalidInputError(
                "data",
                "rankings that do not all agree",
                Described("all as the center"),
                f"Theta has no finite maximum: the likelihood of {center.to_text()} grows with it.",
            )
        height = result.log_likelihood
        if height is None:
            height = self.log_likelihood(center, theta)
        return _FittedCenter(center, theta, height, _information_at(self, center, theta))


def _best_theta(data: MallowsData, center: Permutation) -> float:
    """Return the theta of greatest likelihood around a center; infinite if all rankings agree."""
    if data.is_plain:
        # Not from the matrix, where small weights are lost next to large ones. At a smaller mean
        # no float is near the maximum.
        return data.theta_at(data.mean_distance(center), agree=1e-290)
    if data.profile.direct_pairwise().cost(center) == 0:
        return inf

    def depth(theta: float) -> float:
        return -data.log_likelihood(center, theta) / data.total

    # Double until the likelihood falls; it does, since some ranking disagrees with the center.
    high = 1.0
    while depth(2.0 * high) < depth(high) and high < NO_DISAGREEMENT:
        high *= 2.0
    least = minimize_scalar(
        depth, bounds=(0.0, 2.0 * high), method="bounded", options={"xatol": 1e-9}
    )
    return 0.0 if depth(0.0) <= least.fun else float(least.x)


def _information_at(data: MallowsData, center: Permutation, theta: float) -> float:
    """Return minus the second derivative of the log likelihood in theta."""
    complete = data.total * data.distance.moments(center.n_items, theta).variance
    if data.is_plain:
        return complete
    # Information of complete rankings minus the missing information.
    step = 1e-3 * max(theta, 0.1)
    middle = max(theta, step)
    values = [
        float(data.weights @ data.log_sums(center, at))
        for at in (middle - step, middle, middle + step)
    ]
    return complete - ((values[0] - 2.0 * values[1] + values[2]) / step**2)


def _other_centers(consensus: Consensus) -> tuple[str, ...]:
    certificate = consensus.certificate
    if certificate is None or certificate.status != "optimal":
        bound = "" if certificate is None else f": {certificate}"
        return (f"The center is not proved to be the Kemeny consensus{bound}.",)
    optima = consensus.optima
    if optima is None or optima.is_unique:
        return ()
    return (
        f"Other centers are as likely: {counted(optima.n_undecided_pairs, 'pair')} undecided; see "
        "`.consensus.optima`.",
    )


def _strict_order(consensus: Consensus) -> Permutation:
    """Return the consensus with its ties broken in the order of the items."""
    ranks = consensus.ranking.ranks
    return permutation_of(np.argsort(np.argsort(ranks, kind="stable")), consensus.items)


def _climb(data: MallowsData) -> _SearchedCenter:
    profile, until = data.profile, data.deadline
    agreed = Kemeny().aggregate(profile.direct_pairwise(), deadline=until)
    if agreed.cost == 0:
        return _SearchedCenter(_strict_order(agreed), inf)
    rules: tuple[Aggregator, ...] = (Kemeny(), Borda())
    near = [agreed, *(rule.aggregate(profile, deadline=until) for rule in rules)]
    ordered = sorted(set(map(_strict_order, near)), key=lambda start: start.ranks.tolist())
    best = max([_ascend(data, start) for start in ordered], key=attrgetter("log_likelihood"))
    total = best.n_iterations
    while (better := _neighbor(data, best)) is not None:
        best = _ascend(data, better)
        total += best.n_iterations
    note = (
        "Partial or tied rankings: a local maximum, by expectation-maximization; ranks are assumed "
        "missing at random."
    )
    return replace(best, n_iterations=total, notes=(note,))


def _ascend(data: MallowsData, center: Permutation) -> _SearchedCenter:
    """Alternate expected votes with their Kemeny consensus and its best theta."""
    theta, is_best = 1.0, False
    for step in range(1, MOST_STEPS + 1):
        data.deadline.seconds_left()
        wins = data.votes(center, theta, data.weights)
        votes = PairwiseMatrix.from_wins(wins, items=center.items)
        consensus = Kemeny().aggregate(votes, deadline=data.deadline)
        # Keep the center if it is as good, since several may be.
        if consensus.cost < votes.cost(center) * (1.0 - 1e-12):
            center, is_best = _strict_order(consensus), False
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
    """Return a center with two neighbors swapped that is better at the same theta, or None."""
    theta, height = cast(float, best.theta), cast(float, best.log_likelihood)
    if theta == inf:
        return None
    order = np.argsort(best.center.ranks)
    for k in range(len(order) - 1):
        data.deadline.seconds_left()
        changed = order.copy()
        changed[[k, k + 1]] = changed[[k + 1, k]]
        center = permutation_of(np.argsort(changed), best.center.items)
        if data.log_likelihood(center, theta) - height > CLIMB * max(1.0, abs(height)):
            return center
    return None
