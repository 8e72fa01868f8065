"""The center of a Mallows distribution, its theta, and the interval of theta.

Of complete strict rankings it is the exact Kemeny consensus. Of partial or tied ones the likelihood
is climbed by expectation-maximization: expected votes among compatible permutations, their Kemeny
consensus, theta. That ends at a local maximum, so several starts are climbed.

The squared Spearman distance is least at the order of the mean ranks, footrule and Hamming
distances at an assignment of items to ranks. For Cayley's and Ulam's all centers of up to 7 items
are tried, and of more those near to where a search began.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from operator import attrgetter
from typing import Any, cast

import numpy as np
import scipy
from scipy.optimize import brentq, linear_sum_assignment, minimize_scalar

from rankagg._typing import Floats, Generator, Positions, Ranks
from rankagg._validation import check_choice
from rankagg.aggregation import Aggregator, Borda, Consensus, Deadline, Evidence
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Permutation,
    Profile,
    counted,
    permutation_of,
)
from rankagg.distributions.base import all_places, effective_weights, log_compatible
from rankagg.distributions.mallows.compatible_sums import check_sums, expected_votes, log_sums
from rankagg.distributions.mallows.kendall_distances import as_center
from rankagg.distributions.mallows.model_distances import (
    DISTANCES,
    NOWHERE,
    DistanceName,
    ModelDistance,
    longest_increasing,
    lowest_of_cycles,
)
from rankagg.exceptions import Described, InvalidInputError

# A theta at which nothing but the best is left.
NO_DISAGREEMENT = 100.0
# Rankings that complete those of a profile, in all.
MOST_COMPLETIONS = 50_000
# Items of which all centers are tried; rankings that a search begins at.
MOST_TRIED, STARTS = 7, 10
# Distances to all centers that are kept, since mixtures ask for them again and again.
MOST_DISTANCES = 5_000_000
# Of expectation-maximization; by how much theta may move in its last step, and by how much, as a
# share of its size, the likelihood of a better neighbor must be larger.
MOST_STEPS, SETTLED, CLIMB = 500, 1e-10, 1e-9


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

    def check_exact(self) -> None:
        """Refuse rankings whose completions are too many, to sum over or to go through."""
        if self.distance.name == "kendall":
            check_sums(self.ranks)
        else:
            self.completed  # noqa: B018 - made now, or refused

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
    consensus: Consensus | None = None
    # Of expectation-maximization.
    n_iterations: int = 0
    # True where that reached its tolerance.
    converged: bool = True
    # What the reader must know.
    notes: tuple[str, ...] = ()


def find_center(profile: Profile, deadline: Deadline) -> _SearchedCenter:
    """Return the center of greatest likelihood, even where theta has no finite maximum."""
    return search_center(MallowsData.of(profile, deadline), "kemeny")


def search_center(data: MallowsData, center: object) -> _SearchedCenter:
    """Return the center that is asked for: the most likely one, by name, or given."""
    data.check_exact()
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
    height = found.log_likelihood
    if height is None:
        height = data.log_likelihood(center, theta)
    return _FittedCenter(center, theta, height, _information_at(data, center, theta))


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


# -- other distances ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Completed:
    """Complete strict rankings, and which ranking of the data each of them completes."""

    distance: ModelDistance
    items: ItemSet
    ranks: Ranks
    owners: Positions
    # Of the rankings of the data.
    weights: Floats

    @classmethod
    def of(
        cls, distance: ModelDistance, items: ItemSet, ranks: Ranks, weights: Floats
    ) -> Completed:
        """Go through what completes each row; refused where it is too much."""
        number = float(np.exp(log_compatible(ranks)).sum())
        if number < len(ranks) + 0.5:
            return cls(distance, items, ranks, np.arange(len(ranks)), weights)
        if number > MOST_COMPLETIONS:
            allowed = (
                f"rankings with {MOST_COMPLETIONS:,} completions at most for {distance.name!r}"
            )
            found = Described(f"about {number:.3g}")
            raise InvalidInputError("data", allowed, found, "The Kendall distance takes any.")
        every = [
            [one.ranks for one in PartialRanking(row, items).compatible_permutations()]
            for row in ranks
        ]
        owners = np.repeat(np.arange(len(ranks)), [len(rows) for rows in every])
        rows = np.array([row for of_one in every for row in of_one], dtype=np.int32)
        return cls(distance, items, rows, owners, weights)

    @property
    def is_plain(self) -> bool:
        """Whether the data are complete and strict."""
        return len(self.owners) == len(self.weights)

    def distances(self, center: Permutation) -> Floats:
        """Return the distance of each complete ranking to a center."""
        return self.distance.of(self.ranks[:, np.argsort(center.ranks)])

    def log_sums(self, center: Permutation, theta: float) -> Floats:
        """Return for each row of the data the log of the sum of exp(-theta d) that completes it."""
        terms = -theta * self.distances(center)
        if self.is_plain:
            return terms
        sums = np.full(len(self.weights), -inf)
        np.logaddexp.at(sums, self.owners, terms)
        return sums

    @cached_property
    def to_every_center(self) -> Floats:
        """The distances of each complete ranking, in columns, to each center of so few items."""
        centers = all_places(len(self.items))
        rows = [self.distance.of(self.ranks[:, np.argsort(center)]) for center in centers]
        return np.array(rows, dtype=np.float64)

    def drawn(self, center: Permutation, theta: float, rng: Generator) -> Ranks:
        """Draw for each row of the data what completes it, by its probability."""
        # The largest of the log weights plus Gumbel noise.
        keys = rng.gumbel(size=len(self.ranks)) - theta * self.distances(center)
        order = np.lexsort((keys, self.owners))
        last = np.append(self.owners[order][1:] != self.owners[order][:-1], True)
        rows: Ranks = self.ranks[order[last]]
        return rows


@dataclass(frozen=True, eq=False)
class _LikelyCenter:
    """A center, its theta, and how sure it is that none is better."""

    center: Permutation
    theta: float
    note: str
    n_iterations: int = 0


def likely_center(
    data: Completed, deadline: Deadline, given: Permutation | None = None
) -> _LikelyCenter:
    """Return the center and theta of greatest likelihood, or theta around a given one."""
    each = (data.weights / np.bincount(data.owners))[data.owners]
    found: _LikelyCenter | None = None
    for step in range(1, MOST_STEPS + 1):
        center, note = (given, "") if given else least_center(data, each, deadline)
        distances = data.distances(center)
        theta = theta_at(data.distance, len(data.items), float(each @ distances / each.sum()))
        settled = found is not None and abs(theta - found.theta) < SETTLED * (1.0 + theta)
        found = _LikelyCenter(center, theta, note, step)
        if settled or data.is_plain or theta == inf:
            break
        # What completes a ranking counts as far as it is likely.
        sums = data.log_sums(center, theta)
        each = data.weights[data.owners] * np.exp(-theta * distances - sums[data.owners])
    assert found is not None, "at least one step is made"
    if data.is_plain:
        return found
    told = "Partial or tied rankings: a local maximum, by expectation-maximization."
    return replace(found, note=f"{told} {found.note}".strip())


def theta_at(distance: ModelDistance, n: int, mean: float, *, agree: float = 1e-12) -> float:
    """Return the theta at which the expected distance is the given one.

    0 where the distance is larger than at any theta, infinite where it is at most `agree`.
    """

    def excess(theta: float) -> float:
        return distance.moments(n, theta).mean - mean

    if mean <= agree:
        return inf
    if excess(0.0) <= 1e-12 * max(n * n, 1):
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2.0
    return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-14))


def least_center(
    data: Completed, weights: Floats, deadline: Deadline, near: Permutation | None = None
) -> tuple[Permutation, str]:
    """Return a center of the least summed distance, and what is to be said of it.

    Where it is searched for, the search begins at `near`, or at several rankings.
    """
    distance, items, ranks, n = data.distance, data.items, data.ranks, len(data.items)
    if distance.name == "spearman":
        means = weights @ ranks / weights.sum()
        order = np.argsort(means, kind="stable")
        tied = (np.diff(means[order]) <= 1e-9 * n).any()
        note = "Other centers are as likely: some items have equal mean ranks." if tied else ""
        return permutation_of(np.argsort(order), items), note
    if distance.name in ("footrule", "hamming"):
        found, is_only = _assigned(distance.name, ranks, weights)
        return permutation_of(found, items), "" if is_only else "Other centers are as likely."
    deadline.seconds_left()
    if n <= MOST_TRIED:
        centers = all_places(n)
        if len(centers) * len(ranks) <= MOST_DISTANCES:
            costs = data.to_every_center @ weights
        else:
            costs = np.array([_cost(distance, ranks, weights, center) for center in centers])
        ties = int((costs <= costs.min() + 1e-9 * weights.sum()).sum())
        note = f"Other centers are as likely: {ties - 1}." if ties > 1 else ""
        return permutation_of(centers[costs.argmin()], items), note
    if near is not None:
        _, found = _exchange(distance, ranks, weights, near.ranks, deadline)
        return permutation_of(found, items), ""
    starts = {
        tuple(start.tolist())
        for start in (
            *ranks[np.argsort(-weights, kind="stable")[:STARTS]],
            np.argsort(np.argsort(weights @ ranks, kind="stable")),
            _assigned("hamming", ranks, weights)[0],
        )
    }
    ends = [_exchange(distance, ranks, weights, np.array(s), deadline) for s in sorted(starts)]
    best = min(ends, key=lambda end: (end[0], end[1].tolist()))[1]
    note = f"The center is the best of {counted(len(starts), 'search')}, not proved."
    return permutation_of(best, items), note


def _cost(distance: ModelDistance, ranks: Ranks, weights: Floats, center: Ranks) -> float:
    return float(weights @ distance.of(ranks[:, np.argsort(center)]))


def _assigned(name: str, ranks: Ranks, weights: Floats) -> tuple[Ranks, bool]:
    """Return the ranks that displace the least weight, or the fewest items; whether no others do.

    A hair is added to what was chosen: where the least then has other ranks, it is as good.
    """
    n = ranks.shape[1]
    placed = np.zeros((n, n))
    for row, weight in zip(ranks, weights, strict=True):
        placed[np.arange(n), row] += weight
    far = np.abs(np.arange(n)[:, None] - np.arange(n))
    costs = placed @ (far if name == "footrule" else far > 0)
    chosen = linear_sum_assignment(costs)
    hair = np.zeros((n, n))
    hair[chosen] = 1e-9 * weights.sum()
    _, other = linear_sum_assignment(costs + hair)
    return chosen[1].astype(np.int32), bool((other == chosen[1]).all())


def _exchange(
    distance: ModelDistance, ranks: Ranks, weights: Floats, center: Ranks, deadline: Deadline
) -> tuple[float, Ranks]:
    """Go on as long as an exchange of two items (Cayley), or a move of one (Ulam), is better."""
    better = _exchanged if distance.name == "cayley" else _moved
    cost = _cost(distance, ranks, weights, center)
    while True:
        deadline.seconds_left()
        near = better(ranks, weights, center)
        found = _cost(distance, ranks, weights, near)
        if found >= cost - 1e-9 * weights.sum():
            return cost, center
        cost, center = found, near


def _exchanged(ranks: Ranks, weights: Floats, center: Ranks) -> Ranks:
    """Return the center with the best exchange: it splits the cycles that hold both items."""
    order = np.argsort(center)
    lowest = lowest_of_cycles(ranks[:, order])
    together = np.array([weights @ (lowest == lowest[:, [k]]) for k in range(len(order))])
    np.fill_diagonal(together, -inf)
    one, other = np.unravel_index(together.argmax(), together.shape)
    near = center.copy()
    near[order[[one, other]]] = other, one
    return near


def _moved(ranks: Ranks, weights: Floats, center: Ranks) -> Ranks:
    """Return the center after the best move of each item in turn, if that is better."""
    for item in range(len(center)):
        order, source = np.argsort(center), center[item]
        rest, own = np.delete(ranks[:, order], source, axis=1), ranks[:, [item]]
        below = longest_increasing(np.where(rest < own, rest, NOWHERE))
        # The same from behind: what is above falls.
        above = longest_increasing(np.where(rest > own, -rest, NOWHERE)[:, ::-1])[:, ::-1]
        gains = weights @ np.maximum(longest_increasing(rest)[:, [-1]], below + 1 + above)
        target = int(gains.argmax())
        if gains[target] > gains[source] + 1e-9 * weights.sum():
            center = np.argsort(np.insert(np.delete(order, source), target, item)).astype(np.int32)
    return center


def likelihood_interval(
    log_likelihood: Callable[[float], float],
    theta: float,
    error: float,
    alpha: float,
    free_at_0: int = 1,
) -> tuple[float, float]:
    """Return the ends of all thetas that a likelihood-ratio test does not refute.

    The likelihood is greatest at `theta`, whose standard error says where to look. The test has one
    degree of freedom, and `free_at_0` at theta 0. The upper end is infinite where no ranking
    disagrees.
    """
    height, limit = log_likelihood(theta), float(scipy.stats.norm.isf(alpha / 2.0))

    # The root of the ratio is nearly a line, so that an end takes few evaluations.
    def root(at: float) -> float:
        return sqrt(2.0 * max(height - log_likelihood(at), 0.0))

    def beyond(at: float) -> float:
        return root(at) - limit

    lower = 0.0
    if root(0.0) ** 2 > scipy.stats.chi2.isf(alpha, free_at_0):
        lower = float(brentq(beyond, 0.0, theta, rtol=1e-9))
    step = 1.5 * limit * error if error > 0 else 1.0
    while step < inf and beyond(theta + step) < 0:
        step *= 4.0
    upper = inf if step == inf else float(brentq(beyond, theta, theta + step, rtol=1e-9))
    return lower, upper
